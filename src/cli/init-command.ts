import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeApplication } from '../agents/describe-application.ts'
import { agentsSection, withSection } from '../agents/section.ts'
import type { Audited } from '../audited.ts'
import { AuditSession } from './audit-session.ts'
import { requireFolder } from './folder.ts'
import { asUsageError, UsageError } from './usage-error.ts'

/** Files larger than this are no instructions. */
const MAX_BYTES = 1 << 20
const CURSOR_HEAD = '---\ndescription: Security rules of this application\nalwaysApply: true\n---\n\n'

/** Files that builders read. All but AGENTS.md are written only where what is named in `when` exists. */
const TARGETS: readonly { readonly path: string; readonly when?: string; readonly head?: string }[] = [
  { path: 'AGENTS.md' },
  { path: 'CLAUDE.md', when: 'CLAUDE.md' },
  { path: '.github/copilot-instructions.md', when: '.github/copilot-instructions.md' },
  { path: '.cursor/rules/prelaunch.mdc', when: '.cursor/rules', head: CURSOR_HEAD },
]

/** `prelaunch init --agents [DIR]`: writes what the audit knows of guards, clients and tables into the files that AI builders read. */
export async function initCommand(args: readonly string[]): Promise<number> {
  const dir = read(args)
  const session = new AuditSession(dir, { offline: true })
  try {
    let audited: Audited | undefined
    await session.audit(undefined, (head) => {
      audited = head
    })
    const section = agentsSection(describeApplication(audited as unknown as Audited))
    const said = TARGETS.flatMap((target) => writeTarget(dir, target, section))
    for (const { path, problem } of said) process.stdout.write(problem ? `left ${path} alone: ${problem}\n` : `wrote ${path}\n`)
    return said.some((s) => s.problem) ? 1 : 0
  } finally {
    await session.close()
  }
}

function writeTarget(
  dir: string,
  { path, when, head = '' }: (typeof TARGETS)[number],
  section: string,
): { readonly path: string; readonly problem?: string }[] {
  if (when !== undefined && !lstatSync(join(dir, when), { throwIfNoEntry: false })) return []
  const file = join(dir, path)
  // What a link leads to may lie outside of the repository. Where it is one of the other files, that one is written.
  if (leadsElsewhere(dir, path)) return [{ path, problem: 'it is a link' }]
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) return [{ path, problem: 'it is no file' }]
  if (stat && stat.size > MAX_BYTES) return [{ path, problem: `it is larger than ${MAX_BYTES >> 20} MiB` }]
  const text = withSection(stat ? readFileSync(file, 'utf8') : head, section)
  if (text === undefined) return [{ path, problem: 'its markers prelaunch:begin and prelaunch:end do not match' }]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return [{ path }]
}

function leadsElsewhere(dir: string, path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, i) => lstatSync(join(dir, ...parts.slice(0, i + 1)), { throwIfNoEntry: false })?.isSymbolicLink())
}

function read(args: readonly string[]): string {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { agents: { type: 'boolean', default: false } } })
    if (!values.agents) throw new UsageError('init needs --agents')
    if (positionals.length > 1) throw new UsageError(`init takes one folder, but got ${positionals.length}`)
    return requireFolder(positionals[0] ?? '.')
  } catch (error) {
    throw asUsageError(error)
  }
}
