/**
 * How fast an audit is, beside the least that it could take and beside what people would use instead; prints a table and a plot.
 *
 *   node bench/speed/run.ts --clones DIR [--only TEXT] [--runs 3] [--peers DIR] [--plot FILE.svg]
 *
 * Clones are expected at CLONES/OWNER+NAME. Every figure is a process of its own, watched with its children: database sandbox and threads included.
 * DIR of --peers has the peers in its node_modules and an eslint.config.mjs; those that are absent are named. No network: requests are counted
 * where the App makes them (test/app/budget.test.ts).
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Cost, measure, median, spread } from './measure.ts'
import { installed, PEERS } from './peers.ts'
import { type Line, plot } from './plot.ts'
import type { Sample, Samples } from './sample.ts'

const REPOSITORIES = ['KolbySisk/next-supabase-stripe-starter', 'AssetDocs/asset-docs', 'midday-ai/midday', 'dubinc/dub']
const FLOORS = { hash: 'read and hash', typescript: 'TypeScript parse', oxc: 'oxc parse' } as const
const CHANGED = [1, 10, 100]

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    peers: { type: 'string' },
    plot: { type: 'string' },
  },
})
if (!values.clones) {
  process.stderr.write('usage: run.ts --clones DIR [--only TEXT] [--runs N] [--peers DIR] [--plot FILE.svg]\n')
  process.exit(2)
}
const runs = Number(values.runs)
const peers = values.peers && resolve(values.peers)
const program = new URL('./sample.ts', import.meta.url).pathname

interface Row {
  readonly name: string
  readonly wall: readonly number[]
  readonly cpu: readonly number[]
  readonly peak: readonly number[]
  readonly bytes: readonly number[]
}

process.stdout.write('| repository | what | wall ms | CPU ms | peak MB | MB read |\n| --- | --- | --: | --: | --: | --: |\n')
const lines: Line[] = []
for (const repository of REPOSITORIES.filter((r) => r.includes(values.only))) {
  const dir = join(resolve(values.clones), repository.replace('/', '+'))
  if (!existsSync(dir)) {
    print(repository, { name: 'no clone', wall: [], cpu: [], peak: [], bytes: [] })
    continue
  }
  const cold = await repeat(runs, () => inProcess(dir, 'cold', 1))
  const ofProcess = row(
    'cold, process and all',
    cold.map((c) => c.cost),
    cold.flatMap((c) => c.samples.cold ?? []),
  )
  print(repository, ofProcess)
  const known = await inProcess(dir, 'audits', runs)
  const warm = ['warm', ...CHANGED.map((n) => `pull request of ${n}`)].map((name) => rowOf(name, known.samples[name] ?? [], known.cost))
  for (const r of warm) print(repository, r)
  lines.push({ name: repository.split('/')[1] as string, points: CHANGED.map((x, i) => ({ x, y: median(warm[i + 1]?.wall ?? []) })).filter((p) => p.y > 0) })
  for (const [mode, name] of Object.entries(FLOORS)) {
    const floor = await inProcess(dir, mode, runs).catch(() => undefined)
    print(
      repository,
      floor
        ? rowOf(`floor: ${name}, one thread`, floor.samples[mode] ?? [], floor.cost)
        : { name: `floor: ${name} is not installed`, wall: [], cpu: [], peak: [], bytes: [] },
    )
  }
  for (const peer of PEERS) {
    if (!installed(peer, peers)) {
      print(repository, { name: `peer: ${peer.name} is not installed`, wall: [], cpu: [], peak: [], bytes: [] })
      continue
    }
    const costs = await repeat(runs, () => measure(process.execPath, [join(peers, peer.program), ...peer.args(dir, peers)], dir))
    const failed = costs.some((c) => c.status === null || c.status > 2) ? ' (failed)' : ''
    const r = row(`peer: ${peer.name}${failed}`, costs, [])
    print(repository, { ...r, name: `${r.name}, ${(median(r.cpu) / median(ofProcess.cpu)).toFixed(1)}x the CPU of cold` })
  }
}
if (values.plot && lines.length) writeFileSync(values.plot, plot(lines, 'A warm audit of a pull request grows with the change, not with the repository'))

async function inProcess(dir: string, mode: string, count: number): Promise<{ readonly samples: Samples; readonly cost: Cost }> {
  const done = await measure(process.execPath, [program, dir, mode, String(count)])
  if (done.status !== 0) throw new Error(`${mode} of ${dir} ended with ${done.status}`)
  return { samples: JSON.parse(done.output) as Samples, cost: done }
}

/** Figures of whole processes. */
function row(name: string, costs: readonly Cost[], samples: readonly Sample[]): Row {
  return {
    name,
    wall: costs.map((c) => c.wallMs),
    cpu: costs.map((c) => c.cpuMs),
    peak: costs.map((c) => c.peakMb),
    bytes: samples.map((s) => s.bytesRead / 1e6),
  }
}

/** Figures of what one process did several times; its peak is that of the process. */
function rowOf(name: string, samples: readonly Sample[], cost: Cost): Row {
  return { name, wall: samples.map((s) => s.wallMs), cpu: samples.map((s) => s.cpuMs), peak: [cost.peakMb], bytes: samples.map((s) => s.bytesRead / 1e6) }
}

function print(repository: string, r: Row): void {
  process.stdout.write(`| ${repository} | ${r.name} | ${spread(r.wall)} | ${spread(r.cpu)} | ${spread(r.peak)} | ${spread(r.bytes, 2)} |\n`)
}

async function repeat<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const found: T[] = []
  for (let i = 0; i < count; i++) found.push(await run())
  return found
}
