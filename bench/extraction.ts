/**
 * Extraction beside a bare parse of the same files, on the same number of threads.
 *
 *   node bench/extraction.ts DIR... [--runs 5] [--threads 2]
 *
 * Cold is the first batch of a fresh process, starting the threads and loading the parser included; warm the median of the ones after it.
 * Wall time says what a user waits for; on a machine that does other things, compare CPU time.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { byproductRole } from '../src/facts/byproducts.ts'
import { type ExtractionJob, extractInProcess, extractorsFor } from '../src/facts/extract.ts'
import { ExtractionPool } from '../src/platform/local/extraction-pool.ts'
import { parseAndWalk } from './extraction-floor-worker.ts'

const MODES = ['parse, threads', 'facts, threads', 'parse, one thread', 'facts, one thread'] as const
type Mode = (typeof MODES)[number]

interface Sample {
  readonly cold: number
  readonly warm: number
  readonly coldCpu: number
  readonly warmCpu: number
  readonly memory: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' }, threads: { type: 'string', default: '2' }, mode: { type: 'string' } },
})
const threads = Number(values.threads)

if (values.mode) console.log(JSON.stringify(await sample(values.mode as Mode, readJobs(positionals[0] as string))))
else for (const dir of positionals) report(dir)

function readJobs(dir: string): ExtractionJob[] {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: dir, maxBuffer: 1 << 28 })
    .toString()
    .split('\0')
  return paths.flatMap((path) => {
    if (!/\.[cm]?[jt]sx?$/.test(path) || byproductRole(path)) return []
    try {
      if (statSync(join(dir, path)).size > 1 << 20) return []
      return [{ path, bytes: readFileSync(join(dir, path)), kinds: extractorsFor(path).map((e) => e.kind) }]
    } catch {
      return []
    }
  })
}

async function sample(mode: Mode, jobs: readonly ExtractionJob[]): Promise<Sample> {
  const floor = new URL('./extraction-floor-worker.ts', import.meta.url)
  const pool = new ExtractionPool({ size: threads, inProcessBelow: { files: 0, bytes: 0 }, ...(mode.startsWith('parse') ? { entry: floor } : {}) })
  const run = async () => {
    const cpu = process.cpuUsage()
    const started = performance.now()
    if (mode.endsWith(', threads')) await pool.extractAll(jobs)
    else if (mode === 'facts, one thread') await extractInProcess(jobs)
    else for (const job of jobs) parseAndWalk(job.bytes, job.path)
    const used = process.cpuUsage(cpu)
    return { wall: performance.now() - started, cpu: (used.user + used.system) / 1000 }
  }
  const runs: { wall: number; cpu: number }[] = []
  for (let i = 0; i < Number(values.runs); i++) runs.push(await run())
  await pool.close()
  const [cold, ...rest] = runs as [{ wall: number; cpu: number }, ...{ wall: number; cpu: number }[]]
  const warm = rest.length > 0 ? rest : [cold]
  return {
    cold: cold.wall,
    warm: median(warm.map((r) => r.wall)),
    coldCpu: cold.cpu,
    warmCpu: median(warm.map((r) => r.cpu)),
    memory: process.resourceUsage().maxRSS / 1024,
  }
}

function report(dir: string): void {
  const jobs = readJobs(dir)
  const bytes = jobs.reduce((sum, j) => sum + j.bytes.length, 0)
  const lines = jobs.reduce((sum, j) => sum + j.bytes.reduce((n, b) => (b === 10 ? n + 1 : n), 0), 0)
  console.log(`\n${dir}: ${jobs.length} files, ${lines} lines, ${(bytes / 1e6).toFixed(1)} MB, ${threads} threads\n`)
  console.log('| | cold ms | warm ms | cold CPU ms | warm CPU ms | files/s warm | peak MB |\n| --- | --: | --: | --: | --: | --: | --: |')
  const found = new Map<Mode, Sample>()
  for (const mode of MODES) {
    const answer = execFileSync(process.execPath, [import.meta.filename, '--mode', mode, '--runs', values.runs, '--threads', values.threads, dir], {
      maxBuffer: 1 << 24,
    })
    const s = JSON.parse(answer.toString()) as Sample
    found.set(mode, s)
    console.log(`| ${mode} | ${[s.cold, s.warm, s.coldCpu, s.warmCpu, (jobs.length / s.warm) * 1000, s.memory].map((n) => n.toFixed(0)).join(' | ')} |`)
  }
  for (const where of ['threads', 'one thread'] as const) {
    const parse = found.get(`parse, ${where}`) as Sample
    const facts = found.get(`facts, ${where}`) as Sample
    const ratio = (of: keyof Sample) => `${(facts[of] / parse[of]).toFixed(2)}x`
    console.log(`\n${where}: facts / parse = cold ${ratio('cold')}, warm ${ratio('warm')}; by CPU time cold ${ratio('coldCpu')}, warm ${ratio('warmCpu')}`)
  }
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] as number
}
