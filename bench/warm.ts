/**
 * What an audit takes from "blobs are here" to "report is built" when facts are in the store: prints medians, ninth deciles and the largest.
 *
 *   node bench/warm.ts DIR [--runs 9] [--commits 0]
 *
 * `facts known, model new` is a process that has the facts and nothing else. After that: the same commit again, pull requests of 1, 10 and 100 files
 * with a function added to each (`bench/speed/changed-source.ts`), and with --commits the commits of the clone before the newest, one after the
 * other. Beside the times: how many routes were followed again. The database is asked once for each plan; what it takes is `bench/database.ts`.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { type AuditPorts, audit } from '../src/audit.ts'
import { type AuditMemory, emptyMemory } from '../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import type { Database } from '../src/database/database.ts'
import type { Extraction } from '../src/facts/facts.ts'
import type { FactsCache } from '../src/facts/gather.ts'
import { localPorts } from '../src/platform/local/ports.ts'
import type { Source } from '../src/source/source.ts'
import { withChanges } from './speed/changed-source.ts'

const MAX_BLOB = 1 << 20
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '9' }, commits: { type: 'string', default: '0' } },
})
const [dir] = positionals
if (!dir) {
  process.stderr.write('usage: warm.ts DIR [--runs N] [--commits N]\n')
  process.exit(2)
}
const runs = Number(values.runs)
const local = await localPorts(dir, { offline: true })
const { commit: head } = await local.source.snapshot('HEAD')
// every commit is compared with the newest one: which one a branch left from does not matter here
const histories = new Map<string, ReturnType<Source['history']>>()
// where a pull request left from is told by the listing of the newest commit: here before the clock starts, like the blobs
const listings = new Map<string, ReturnType<Source['snapshot']>>()
const source = keeping(
  withChanges({
    snapshot: (commit) => once(listings, commit, () => local.source.snapshot(commit)),
    history: (commit, wanted) => once(histories, commit, () => local.source.history(commit, wanted)),
    read: (shas) => local.source.read(shas),
    mergeBase: async () => head,
  }),
)
const ports: AuditPorts = { ...local, source, database: answeringAgain(local.database), cache: inMemory() }

interface Sample {
  readonly wallMs: number
  readonly cpuMs: number
  readonly followed: number
}
const memory = emptyMemory()

process.stdout.write('| what | n | wall ms: median | 90 % | most | CPU ms: median | 90 % | routes followed again: median | most |\n')
process.stdout.write('| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n')
await scenario('nothing known', ['HEAD'], emptyMemory())
await scenario('facts known, model new', ['HEAD'], memory)
await scenario(
  'nothing changed',
  times(() => 'HEAD'),
)
// the first pull request of a process makes the branch that it goes to its base
await scenario('first pull request', ['changed:1:0'], memory, 'HEAD')
for (const count of [1, 10, 100])
  await scenario(
    `pull request of ${count}`,
    times((run) => `changed:${count}:${run}`),
    memory,
    'HEAD',
  )
await scenario('another commit', newestCommits(dir, Number(values.commits)))
await local.close()
process.exit(0)

function times(commit: (run: number) => string): string[] {
  return Array.from({ length: runs }, (_, i) => commit(i + 1))
}

/** Audits commits one after the other and prints what they took. */
async function scenario(name: string, commits: readonly string[], known = memory, base?: string): Promise<void> {
  const samples: Sample[] = []
  for (const commit of commits) samples.push(await timed(commit, known, base))
  if (!samples.length) return
  const of = (key: keyof Sample, part: number) =>
    quantile(
      samples.map((s) => s[key]),
      part,
    ).toFixed(0)
  const cells = [of('wallMs', 0.5), of('wallMs', 0.9), of('wallMs', 1), of('cpuMs', 0.5), of('cpuMs', 0.9), of('followed', 0.5), of('followed', 1)]
  process.stdout.write(`| ${name} | ${samples.length} | ${cells.join(' | ')} |\n`)
}

async function timed(commit: string, known: AuditMemory, base?: string): Promise<Sample> {
  // blobs are here before the clock starts
  const { blobs } = await source.snapshot(commit)
  await source.read(blobs.filter((b) => b.mode === 'file' && b.size <= MAX_BLOB).map((b) => b.sha))
  const before = known.model.routes?.answers
  const cpu = process.cpuUsage()
  const started = performance.now()
  await audit({ commit, ...(base ? { base } : {}), config: DEFAULT_CONFIG, today: '2026-11-20' }, { ...ports, memory: known })
  const wallMs = performance.now() - started
  const used = process.cpuUsage(cpu)
  const followed = [...(known.model.routes?.answers ?? [])].filter(([entry, answer]) => entry.startsWith('\0route') && before?.get(entry) !== answer).length
  return { wallMs, cpuMs: (used.user + used.system) / 1000, followed }
}

function quantile(numbers: readonly number[], part: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(part * numbers.length))] ?? Number.NaN
}

/** A source whose blobs, snapshots and history are at hand once they have been read. */
function keeping(of: Source): Source {
  const blobs = new Map<string, Uint8Array>()
  const snapshots = new Map<string, ReturnType<Source['snapshot']>>()
  return {
    mergeBase: (a, b) => of.mergeBase(a, b),
    snapshot: (commit) => once(snapshots, commit, () => of.snapshot(commit)),
    history: (commit, wanted) => of.history(commit, wanted),
    read: async (shas) => {
      const missing = shas.filter((sha) => !blobs.has(sha))
      if (missing.length) for (const [sha, bytes] of await of.read(missing)) blobs.set(sha, bytes)
      return new Map(shas.flatMap((sha) => (blobs.has(sha) ? [[sha, blobs.get(sha) as Uint8Array]] : [])))
    },
  }
}

/** A database that replays each plan once. */
function answeringAgain(of: Database): Database {
  const results = new Map<string, ReturnType<Database['replay']>>()
  return { replay: (plan) => once(results, JSON.stringify(plan), () => of.replay(plan)) }
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

/** The store of facts. */
function inMemory(): FactsCache {
  const known = new Map<string, Extraction>()
  return {
    get: async (keys) => new Map(keys.flatMap((key) => (known.has(key) ? [[key, known.get(key) as Extraction]] : []))),
    put: async (entries) => {
      for (const [key, extraction] of entries) known.set(key, extraction)
    },
  }
}

/** First-parent commits before the newest one, newest first. */
function newestCommits(clone: string, count: number): string[] {
  if (!count) return []
  const out = execFileSync('git', ['-c', 'safe.directory=*', '-C', clone, 'log', '--first-parent', `-${count + 1}`, '--format=%H'], { encoding: 'utf8' })
  return out.split('\n').filter(Boolean).slice(1)
}
