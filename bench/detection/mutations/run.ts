/**
 * Plants one hole at a time into repositories and looks whether the audit reports it as introduced, and nothing else.
 * Placed are those of which a finding, or one of its related places, stands in the changed file.
 *
 *   node bench/detection/mutations/run.ts --clones DIR [--only TEXT] [--check N] [--name TEXT] [--most N] [--verbose]
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { audit } from '../../../src/audit.ts'
import { emptyMemory } from '../../../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import { GitSource } from '../../../src/platform/local/git-source.ts'
import { MemoryCache } from '../memory-cache.ts'
import { CHANGED, OverlaySource } from '../overlay-source.ts'
import { patientPorts } from '../patient-ports.ts'
import { ADVISORIES } from './advisories.ts'
import { isLock } from './operators/code.ts'
import { OPERATORS } from './operators.ts'
import type { Planted } from './plant.ts'

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    only: { type: 'string' },
    check: { type: 'string' },
    name: { type: 'string' },
    most: { type: 'string', default: '2' },
    verbose: { type: 'boolean', default: false },
  },
})
if (!values.clones) {
  process.stderr.write('usage: run.ts --clones DIR [--only TEXT] [--check N] [--name TEXT] [--most N] [--verbose]\n')
  process.exit(2)
}
const list = JSON.parse(readFileSync(new URL('./repositories.json', import.meta.url), 'utf8')) as { repository: string; commit?: string }[]
const most = Number(values.most)
const repositories: string[] = []
const score = new Map<string, { planted: number; detected: number; placed: number; collateral: number }>()

for (const entry of list.filter((e) => !values.only || e.repository.includes(values.only))) {
  const dir = join(resolve(values.clones), entry.repository.replace('/', '+'))
  const ports = await patientPorts(dir)
  const git = new GitSource(dir)
  const commit = entry.commit ?? 'HEAD'
  const snapshot = await git.snapshot(commit)
  const readable = snapshot.blobs.filter(
    (b) =>
      b.mode === 'file' &&
      (b.size < 200_000 || isLock(b.path)) &&
      /\.(sql|tsx?|jsx?|mjs|svelte|vue|astro|toml|json|ya?ml|lockb?)$|gitignore$|\.env/.test(b.path),
  )
  const bytes = await git.read(readable.map((b) => b.sha))
  const files = new Map(readable.flatMap((b) => (bytes.has(b.sha) ? [[b.path, new TextDecoder().decode(bytes.get(b.sha))] as const] : [])))
  // what is unchanged is looked at once: each hole costs what it changes
  const remembered = { cache: new MemoryCache(), memory: emptyMemory() }
  const sum = { planted: 0, detected: 0, collateral: 0 }
  const request = { config: DEFAULT_CONFIG, today: '2026-11-20' }
  const before = await audit({ ...request, commit }, { ...ports, ...remembered, source: git, advisories: async () => ADVISORIES })
  const known = before.report.checks.flatMap((c) => c.findings.map((f) => ({ n: c.number, paths: [f.path, ...f.related.map((r) => r.path)] })))
  for (const op of OPERATORS.filter((o) => (!values.check || o.check === Number(values.check)) && (!values.name || new RegExp(values.name).test(o.name)))) {
    // a hole that a file has already cannot be introduced there (a lock file has many packages)
    const open = (p: Planted) => !isLock(p.path) && known.some(({ n, paths }) => (n === op.check || op.also?.includes(n)) && paths.includes(p.path))
    const places = op.plant(files).filter((p) => !open(p))
    for (const planted of spread(places, most)) {
      const source = new OverlaySource(git, commit, new Map([planted, ...(planted.beside ?? [])].map((p) => [p.path, p.text])))
      const { report } = await audit({ ...request, commit: CHANGED, base: commit }, { ...ports, ...remembered, source, advisories: async () => ADVISORIES })
      const introduced = report.checks.flatMap((c) => c.findings.filter((f) => f.state === 'introduced').map((f) => ({ n: c.number, f })))
      const mine = introduced.filter(({ n, f }) => n === op.check || op.also?.includes(n) || f.alsoFails.includes(op.check))
      const other = introduced.filter((i) => !mine.includes(i))
      const touched = new Set([planted, ...(planted.beside ?? [])].map((p) => p.path))
      const placed = mine.some(({ f }) => touched.has(f.path) || f.related.some((r) => touched.has(r.path)))
      sum.planted++
      if (mine.length) sum.detected++
      sum.collateral += other.length
      const row = score.get(`${op.check} ${op.name}`) ?? { planted: 0, detected: 0, placed: 0, collateral: 0 }
      score.set(`${op.check} ${op.name}`, {
        planted: row.planted + 1,
        detected: row.detected + (mine.length ? 1 : 0),
        placed: row.placed + (placed ? 1 : 0),
        collateral: row.collateral + other.length,
      })
      if (values.verbose || !mine.length || other.length)
        process.stdout.write(
          `${mine.length ? 'seen  ' : 'MISSED'} ${entry.repository} ${planted.path}: ${op.check} ${op.name}${other.map((o) => `\n         collateral ${o.n} ${o.f.severity} ${o.f.subject} ${o.f.path}:${o.f.line}`).join('')}\n`,
        )
    }
  }
  await ports.close()
  repositories.push(`${entry.repository}: ${sum.detected} of ${sum.planted}, ${sum.collateral} collateral`)
}

let [planted, detected, placed, collateral] = [0, 0, 0, 0]
process.stdout.write('\nplanted detected placed collateral operator\n')
for (const [name, row] of [...score].sort((a, b) => Number.parseInt(a[0], 10) - Number.parseInt(b[0], 10))) {
  process.stdout.write(
    `${String(row.planted).padStart(7)} ${String(row.detected).padStart(8)} ${String(row.placed).padStart(6)} ${String(row.collateral).padStart(10)} ${name}\n`,
  )
  planted += row.planted
  detected += row.detected
  placed += row.placed
  collateral += row.collateral
}
process.stdout.write(
  `\n${repositories.join('\n')}\n\n${detected} of ${planted} detected (${((100 * detected) / Math.max(1, planted)).toFixed(1)} %), ${placed} of them shown in the changed file, ${collateral} collateral findings\n`,
)

/** At most `n` of the places, spread over the list. */
function spread<T>(items: readonly T[], n: number): T[] {
  return items.length <= n ? [...items] : Array.from({ length: n }, (_, i) => items[Math.floor((i * items.length) / n)] as T)
}
