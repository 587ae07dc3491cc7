import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { hasNothingToAudit, NOTHING_TO_AUDIT } from '../report/answer.ts'
import { writeBaseline } from '../report/baseline.ts'
import { AuditSession } from './audit-session.ts'
import { requireFolder, requireWritable } from './folder.ts'
import { asUsageError, UsageError } from './usage-error.ts'

const FILE = '.prelaunch-baseline.json'

/** `prelaunch baseline [DIR] [--output FILE]`: writes the findings of the working tree to a file. Gives the exit status. */
export async function baselineCommand(args: readonly string[]): Promise<number> {
  const { dir, output, offline } = read(args)
  const session = new AuditSession(dir, { offline })
  try {
    const { report, crashes } = await session.audit()
    if (hasNothingToAudit(report)) {
      process.stderr.write(`prelaunch: ${NOTHING_TO_AUDIT}.\n`)
      return 2
    }
    if (!report.audit.complete || crashes.length) {
      process.stderr.write('prelaunch: the audit is not complete, so no baseline was written.\n')
      return 3
    }
    writeFileSync(output, writeBaseline(report))
    const { critical, high, medium } = report.summary
    process.stdout.write(`Wrote ${plural(critical + high + medium, 'finding')} to ${cleanLine(output)}. Commit it to the base branch.\n`)
    if (critical) process.stdout.write(`${critical} of them ${critical === 1 ? 'is' : 'are'} Critical. A baseline hides no danger: fix these first.\n`)
    return 0
  } finally {
    await session.close()
  }
}

function read(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { output: { type: 'string', short: 'o' }, offline: { type: 'boolean', default: false } },
    })
    if (positionals.length > 1) throw new UsageError(`baseline takes one folder, but got ${positionals.length}`)
    const dir = requireFolder(positionals[0] ?? '.')
    const output = values.output ?? join(dir, FILE)
    requireWritable(output)
    return { dir, output, offline: values.offline }
  } catch (error) {
    throw asUsageError(error)
  }
}
