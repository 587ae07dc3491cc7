/**
 * One sample of the table, in a process of its own: prints JSON.
 *
 *   node bench/speed/sample.ts DIR cold|audits|hash|typescript|oxc [RUNS]
 *
 * `cold` audits once. `audits` is a process that has audited the repository: again, and as pull requests of 1, 10 and 100 changed files, each with
 * wall and CPU time from "blobs are here" to "report is built". The others are floors: the same bytes, hashed or parsed on one thread.
 */
import { createHash } from 'node:crypto'
import { audit } from '../../src/audit.ts'
import { emptyMemory } from '../../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import { byproductRole } from '../../src/facts/byproducts.ts'
import { localPorts } from '../../src/platform/local/ports.ts'
import { parseAndWalk } from '../extraction-floor-worker.ts'
import { CHANGED, withChanges } from './changed-source.ts'

/** One audit: times, and what it read of files that it did not know. */
export interface Sample {
  readonly wallMs: number
  readonly cpuMs: number
  readonly bytesRead: number
  /** Of floors: how many files were read. */
  readonly files?: number
  readonly phases: Readonly<Record<string, number>>
}

/** A process that stays has threads and a sandbox for the next audit. */
const STAYS = { rest: () => undefined }

/** Samples by scenario. */
export type Samples = Record<string, Sample[]>

const [dir = '.', mode = 'cold', runs = '3'] = process.argv.slice(2)
const ports = await localPorts(dir, { offline: true })
const source = withChanges(ports.source)

async function timed(run: () => Promise<Omit<Sample, 'wallMs' | 'cpuMs'>>): Promise<Sample> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  const done = await run()
  const wallMs = performance.now() - started
  const used = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (used.user + used.system) / 1000, ...done }
}

const samples: Samples = {}
const add = async (name: string, run: Parameters<typeof timed>[0]) => {
  const sample = await timed(run)
  samples[name] = [...(samples[name] ?? []), sample]
}

if (mode === 'cold' || mode === 'audits') {
  const memory = emptyMemory()
  const request = { config: DEFAULT_CONFIG, today: '2026-11-20' }
  const auditOf = async (commit: string, base?: string) =>
    (await audit({ ...request, commit, ...(base ? { base } : {}) }, { ...ports, ...(mode === 'audits' ? STAYS : {}), source, memory })).run
  await add('cold', () => auditOf('HEAD'))
  if (mode === 'audits') {
    // The App has audited the branch that pull requests go to; the first pull request of a process makes it the base.
    await auditOf('changed:1:0', 'HEAD')
    for (let run = 1; run <= Number(runs); run++) {
      await add('warm', () => auditOf('HEAD'))
      for (const count of CHANGED) await add(`pull request of ${count}`, () => auditOf(`changed:${count}:${run}`, 'HEAD'))
    }
  }
} else {
  const { blobs } = await ports.source.snapshot('HEAD')
  const wanted = blobs.filter((b) => b.mode === 'file' && b.size <= 1 << 20 && (mode === 'hash' || (/\.[cm]?[jt]sx?$/.test(b.path) && !byproductRole(b.path))))
  const parse = mode === 'oxc' ? await oxcParser() : parseAndWalk
  for (let run = 0; run < Number(runs); run++)
    await add(mode, async () => {
      const contents = await ports.source.read(wanted.map((b) => b.sha))
      let bytesRead = 0
      for (const { sha, path } of wanted) {
        const bytes = contents.get(sha) ?? new Uint8Array()
        bytesRead += bytes.length
        if (mode === 'hash') createHash('sha1').update(bytes).digest()
        else parse?.(bytes, path)
      }
      return { bytesRead, files: wanted.length, phases: {} }
    })
}
await ports.close()
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0))

/** The parser of oxc is no dependency: it is measured where it is installed. */
async function oxcParser(): Promise<((bytes: Uint8Array, path: string) => void) | undefined> {
  const name = 'oxc-parser'
  const { parseSync } = (await import(name)) as { parseSync(path: string, text: string): unknown }
  return (bytes, path) => void parseSync(path, Buffer.from(bytes).toString())
}
