/**
 * How fast an audit is, beside the least that it could take and beside what people would use instead; prints a table and draws a plot.
 *
 *   node bench/speed/run.ts --clones DIR [--only TEXT] [--runs 3] [--parts cold,audits,floors,peers,requests] [--peers DIR] [--results FILE.json]
 *                           [--plot FILE.svg]
 *
 * Clones are expected at CLONES/OWNER+NAME. Every figure is a process of its own, watched with its children: database sandbox and threads included.
 * DIR of --peers has the peers in its node_modules, clones of those that are no packages, and an eslint.config.mjs; those that are absent are named.
 * What FILE of --results holds is not measured again, so that the parts can be taken one after the other; the table and the plot show all of it.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CHANGED } from './changed-source.ts'
import { type Cost, measure } from './measure.ts'
import { installed, PEERS, withCopy } from './peers.ts'
import { drawResults } from './plot.ts'
import { countRequests } from './requests.ts'
import { COLD, Results } from './results.ts'
import type { Sample, Samples } from './sample.ts'

const REPOSITORIES = ['KolbySisk/next-supabase-stripe-starter', 'AssetDocs/asset-docs', 'midday-ai/midday', 'dubinc/dub']
const FLOORS = { hash: 'read and hash', typescript: 'TypeScript parse', oxc: 'oxc parse' } as const
const PARTS = ['cold', 'audits', 'floors', 'peers', 'requests']

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    parts: { type: 'string', default: PARTS.join(',') },
    peers: { type: 'string' },
    results: { type: 'string' },
    plot: { type: 'string' },
  },
})
const parts = values.parts.split(',')
if (!values.clones || parts.some((p) => !PARTS.includes(p))) {
  process.stderr.write(
    `usage: run.ts --clones DIR [--only TEXT] [--runs N] [--parts ${PARTS.join(',')}] [--peers DIR] [--results FILE.json] [--plot FILE.svg]\n`,
  )
  process.exit(2)
}
const clones = resolve(values.clones)
const runs = Number(values.runs)
const peers = values.peers && resolve(values.peers)
const program = new URL('./sample.ts', import.meta.url).pathname
const results = new Results(values.results)

for (const repository of REPOSITORIES.filter((r) => r.includes(values.only))) {
  const dir = join(clones, repository.replace('/', '+'))
  if (!existsSync(dir)) {
    absent(repository, COLD, 'no clone')
    continue
  }
  if (parts.includes('floors')) await floors(repository, dir)
  if (parts.includes('cold') && !results.has(repository, COLD)) {
    const done = await repeat(runs, () => inProcess(dir, 'cold', 1))
    add(
      repository,
      COLD,
      done.map((c) => c.cost),
      done.flatMap((c) => c.samples.cold ?? []),
    )
  }
  if (parts.includes('peers')) await withCopy(dir, (copy) => compare(repository, copy))
  if (parts.includes('audits') && !results.has(repository, 'warm')) {
    const known = await inProcess(dir, 'audits', runs)
    for (const name of ['warm', ...CHANGED.map((n) => `pull request of ${n}`)]) addSamples(repository, name, known.samples[name] ?? [], known.cost)
  }
  if (parts.includes('requests')) for (const [name, requests] of await countRequests(dir)) results.add({ ...row(repository, name), requests })
}
process.stdout.write(results.table(REPOSITORIES))
if (values.plot) writeFileSync(values.plot, drawResults(results, REPOSITORIES))

/** The same bytes, hashed or parsed on one thread. */
async function floors(repository: string, dir: string): Promise<void> {
  for (const [mode, what] of Object.entries(FLOORS)) {
    const name = `floor: ${what}, one thread`
    if (results.has(repository, name)) continue
    const floor = await inProcess(dir, mode, runs).catch(() => undefined)
    if (!floor) absent(repository, name, 'not installed')
    else {
      addSamples(repository, name, floor.samples[mode] ?? [], floor.cost)
      results.sizes[repository] = floor.samples[mode]?.[0]?.files ?? 0
    }
  }
}

/** What people would use instead. A program that ends with a status above 2 did not run. */
async function compare(repository: string, dir: string): Promise<void> {
  for (const peer of PEERS) {
    const name = `peer: ${peer.name}`
    if (results.has(repository, name)) continue
    if (!installed(peer, peers)) {
      absent(repository, name, 'not installed')
      continue
    }
    const [command, ...args] = peer.command(dir, peers)
    const costs = await repeat(runs, () => measure(command, args, dir))
    if (costs.some((c) => c.status === null || c.status > 2)) absent(repository, name, 'failed')
    else add(repository, name, costs, [])
  }
}

async function inProcess(dir: string, mode: string, count: number): Promise<{ readonly samples: Samples; readonly cost: Cost }> {
  const done = await measure(process.execPath, [program, dir, mode, String(count)])
  if (done.status !== 0) throw new Error(`${mode} of ${dir} ended with ${done.status}`)
  return { samples: JSON.parse(done.output) as Samples, cost: done }
}

/** What is known of a row so far, or nothing. */
function row(repository: string, name: string) {
  return results.of(repository).find((r) => r.name === name) ?? { repository, name, wall: [], cpu: [], peak: [], bytes: [] }
}

function absent(repository: string, name: string, because: string): void {
  results.add({ ...row(repository, name), absent: because })
}

/** Figures of whole processes. */
function add(repository: string, name: string, costs: readonly Cost[], samples: readonly Sample[]): void {
  const { absent: _, ...known } = row(repository, name)
  results.add({
    ...known,
    wall: costs.map((c) => c.wallMs),
    cpu: costs.map((c) => c.cpuMs),
    peak: costs.map((c) => c.peakMb),
    bytes: samples.map((s) => s.bytesRead / 1e6),
  })
}

/** Figures of what one process did several times; its peak is that of the process. */
function addSamples(repository: string, name: string, samples: readonly Sample[], cost: Cost): void {
  const { absent: _, ...known } = row(repository, name)
  results.add({
    ...known,
    wall: samples.map((s) => s.wallMs),
    cpu: samples.map((s) => s.cpuMs),
    peak: [cost.peakMb],
    bytes: samples.map((s) => s.bytesRead / 1e6),
  })
}

async function repeat<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const found: T[] = []
  for (let i = 0; i < count; i++) found.push(await run())
  return found
}
