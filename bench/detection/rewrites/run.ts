/**
 * Writes whole repositories differently without changing what they do, and looks whether the audit still says the same of them.
 * Every finding that comes or goes is a place where the audit rests on how something is written.
 *
 *   node bench/detection/rewrites/run.ts --clones DIR [--only TEXT] [--name TEXT] [--set blind] [--every 1] [--from 0]
 *
 * Findings are compared by check, subject and severity. Clones are expected at CLONES/OWNER+NAME; of the set every N-th repository is taken.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { audit } from '../../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import type { Database } from '../../../src/database/database.ts'
import { GitSource } from '../../../src/platform/local/git-source.ts'
import type { Report } from '../../../src/report/report.ts'
import { MemoryCache } from '../memory-cache.ts'
import { CHANGED, OverlaySource } from '../overlay-source.ts'
import { patientPorts } from '../patient-ports.ts'
import { ARCHITECTURE } from './architecture.ts'
import { EXPRESSIONS } from './expressions.ts'
import { MIGRATIONS } from './migrations.ts'
import { MODULES } from './modules.ts'
import { parse, print, type Rewrite } from './rewrite.ts'
import { STATEMENTS } from './statements.ts'

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    only: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    set: { type: 'string', default: 'blind' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
})
if (!values.clones) {
  process.stderr.write('usage: run.ts --clones DIR [--only TEXT] [--name TEXT] [--set labelled|blind|unlabelled] [--every N] [--from N]\n')
  process.exit(2)
}

/** Printing a syntax tree loses blank lines: what differs here already is not the rewrite's doing. */
const printed: Rewrite = {
  name: 'printed again',
  rewrite: (path, text) => {
    const file = parse(path, text)
    return file && print(file)
  },
}
const REWRITES = [printed, ...STATEMENTS, ...EXPRESSIONS, ...MODULES, ...ARCHITECTURE, ...MIGRATIONS].filter((r) => new RegExp(values.name).test(r.name))
const CODE = /\.([cm]?[jt]sx?|sql)$/
const NOT_OURS = /(^|\/)(node_modules|dist|build|\.next|vendor)\/|\.min\.js$|\.d\.ts$|\.config\.[cm]?[jt]s$/

const list = JSON.parse(readFileSync(new URL('../repositories.json', import.meta.url), 'utf8')) as Record<string, { repository: string; commit?: string }[]>
const wanted = (list[values.set] ?? []).filter(
  (e, i) => e.repository.includes(values.only) && (values.only || i % Number(values.every) === Number(values.from)),
)
const totals = new Map<string, { repositories: number; files: number; lost: number; come: number; other: number; of: number }>()

for (const entry of wanted) {
  const dir = join(resolve(values.clones), entry.repository.replace('/', '+'))
  if (!existsSync(dir)) continue
  const ports = await patientPorts(dir)
  const outside = { ...ports, database: answeringAgain(ports.database), cache: new MemoryCache() }
  const git = new GitSource(dir)
  const commit = entry.commit ?? 'HEAD'
  const { blobs } = await git.snapshot(commit)
  const code = blobs.filter((b) => b.mode === 'file' && b.size < 400_000 && CODE.test(b.path) && !NOT_OURS.test(b.path))
  const bytes = await git.read(code.map((b) => b.sha))
  const request = { config: DEFAULT_CONFIG, today: '2026-11-20' }
  const before = findings((await audit({ ...request, commit }, { ...outside, source: git })).report)
  for (const rewrite of REWRITES) {
    const changes = new Map<string, string>()
    for (const { path, sha } of code) {
      const next = rewrite.rewrite(path, new TextDecoder().decode(bytes.get(sha)))
      if (next !== undefined) for (const [at, text] of Object.entries(typeof next === 'string' ? { [path]: next } : next)) changes.set(at, text)
    }
    if (!changes.size) continue
    const source = new OverlaySource(git, commit, changes)
    const after = findings((await audit({ ...request, commit: CHANGED }, { ...outside, source })).report)
    const row = totals.get(rewrite.name) ?? { repositories: 0, files: 0, lost: 0, come: 0, other: 0, of: 0 }
    const lost = [...before].filter(([key]) => !after.has(key))
    const come = [...after].filter(([key]) => !before.has(key))
    const other = [...before].filter(([key, f]) => after.has(key) && after.get(key)?.severity !== f.severity)
    totals.set(rewrite.name, {
      repositories: row.repositories + 1,
      files: row.files + changes.size,
      lost: row.lost + lost.length,
      come: row.come + come.length,
      other: row.other + other.length,
      of: row.of + before.size,
    })
    for (const [sign, rows] of [
      ['-', lost],
      ['+', come],
      ['~', other],
    ] as const)
      for (const [key, f] of rows) process.stdout.write(`${sign} ${entry.repository} [${rewrite.name}] ${f.severity} ${key} @ ${f.path}:${f.line}\n`)
  }
  await ports.close()
  process.stderr.write(`${entry.repository}\n`)
}

process.stdout.write(
  '\n| written differently | repositories | files | findings | lost | come | another severity |\n| --- | --: | --: | --: | --: | --: | --: |\n',
)
for (const [name, r] of totals) process.stdout.write(`| ${name} | ${r.repositories} | ${r.files} | ${r.of} | ${r.lost} | ${r.come} | ${r.other} |\n`)
process.exit(0)

function findings(report: Report): Map<string, Report['checks'][number]['findings'][number]> {
  return new Map(report.checks.flatMap((c) => c.findings.map((f) => [`${c.number} ${f.subject}`, f] as const)))
}

/** A database that replays each plan once. */
function answeringAgain(of: Database): Database {
  const results = new Map<string, ReturnType<Database['replay']>>()
  return {
    replay(plan) {
      const key = JSON.stringify(plan)
      const known = results.get(key) ?? of.replay(plan)
      results.set(key, known)
      return known
    },
  }
}
