/**
 * Audits commits as pull requests on their first parent and prints what each introduces and fixes.
 *
 *   node bench/detection/replay-commits.ts --clones DIR --repository OWNER/NAME [--last N] [--commits SHA,SHA]
 *   node bench/detection/replay-commits.ts --clones DIR --pairs FILE [--commits SHA,SHA]    fix pairs: [{ repository, fix, checks }]
 *
 * With --patient the database has more time than an audit gives it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuditPorts, audit } from '../../src/audit.ts'
import { emptyMemory } from '../../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import { localPorts } from '../../src/platform/local/ports.ts'
import type { Report } from '../../src/report/report.ts'
import { MemoryCache } from './memory-cache.ts'
import { patientPorts } from './patient-ports.ts'

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    repository: { type: 'string' },
    last: { type: 'string', default: '50' },
    commits: { type: 'string' },
    pairs: { type: 'string' },
    patient: { type: 'boolean', default: false },
  },
})
if (!values.clones || !(values.repository || values.pairs)) {
  process.stderr.write('usage: replay-commits.ts --clones DIR (--repository OWNER/NAME [--last N] | --pairs FILE) [--commits SHA,SHA]\n')
  process.exit(2)
}
const clones = resolve(values.clones)
let open: { readonly repository: string; readonly ports: AuditPorts & { close(): Promise<void> } } | undefined

interface Pair {
  readonly repository: string
  readonly fix: string
  /** Numbers of the checks that the fix concerns. */
  readonly checks: readonly number[]
  readonly what?: string
}

async function auditPair(repository: string, commit: string): Promise<Report | undefined> {
  try {
    return (await audit({ commit, base: `${commit}^1`, config: DEFAULT_CONFIG, today: '2026-11-20' }, await portsOf(repository))).report
  } catch (error) {
    process.stdout.write(`${repository} ${commit.slice(0, 8)}: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}

/** One set of ports for all commits of a repository: the parent of a commit is the next one's head, its facts and its database are known. */
async function portsOf(repository: string) {
  if (open?.repository !== repository) {
    await open?.ports.close()
    const ports = await (values.patient ? patientPorts : localPorts)(join(clones, repository.replace('/', '+')), { offline: true })
    open = { repository, ports: { ...ports, cache: new MemoryCache(), memory: emptyMemory() } }
  }
  return open.ports
}

function introducedOf(report: Report): string[] {
  const shown = new Set(report.comparison?.introduced)
  return report.checks.flatMap((c) =>
    c.findings.filter((f) => shown.has(f.fingerprint)).map((f) => `${c.number} ${f.severity} ${f.subject} ${f.path}:${f.line} ${f.title}`),
  )
}

if (values.pairs) {
  const listed = JSON.parse(readFileSync(values.pairs, 'utf8')) as Pair[]
  const pairs = listed.filter((p) => !values.commits || values.commits.split(',').some((c) => p.fix.startsWith(c)))
  let [fixed, clean] = [0, 0]
  for (const pair of pairs) {
    const report = await auditPair(pair.repository, pair.fix)
    if (!report?.comparison) continue
    const gone = report.comparison.fixed.filter((f) => pair.checks.some((n) => report.checks[n - 1]?.id === f.check || f.alsoFails.includes(n)))
    const introduced = introducedOf(report)
    if (gone.length) fixed++
    if (!introduced.length) clean++
    process.stdout.write(
      `${gone.length ? 'fixed ' : 'NOT   '} ${pair.repository} ${pair.fix.slice(0, 8)} checks ${pair.checks.join(',')} ${pair.what ?? ''}: ${gone.length} fixed, ${report.comparison.fixed.length} in all\n${introduced.map((i) => `         introduced ${i}\n`).join('')}`,
    )
  }
  process.stdout.write(`\n${fixed} of ${pairs.length} fixes seen, ${clean} without anything introduced\n`)
} else {
  const repository = values.repository as string
  const dir = join(clones, repository.replace('/', '+'))
  const commits =
    values.commits?.split(',') ??
    execFileSync('git', ['-C', dir, 'log', '--first-parent', '--min-parents=1', `-${values.last}`, '--format=%H'], { encoding: 'utf8' })
      .trim()
      .split('\n')
  let introduced = 0
  for (const commit of commits) {
    const report = await auditPair(repository, commit)
    if (!report?.comparison) continue
    const lines = introducedOf(report)
    introduced += lines.length
    const fixed = report.comparison.fixed.map((f) => `${f.check} ${f.severity} ${f.subject} ${f.path}:${f.line}`)
    if (lines.length + fixed.length)
      process.stdout.write(`${commit.slice(0, 8)}\n${lines.map((l) => `  + ${l}\n`).join('')}${fixed.map((l) => `  - ${l}\n`).join('')}`)
  }
  process.stdout.write(`\n${repository}: ${commits.length} commits, ${introduced} introduced\n`)
}
await open?.ports.close()
