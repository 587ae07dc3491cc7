/**
 * Shows that an incremental audit equals a full one: audits the newest commits of each repository, oldest first, once with everything kept from all
 * commits before (facts in a store, and what a process remembers of the last audits) and once with nothing kept, and compares the two reports byte for byte.
 *
 *   node bench/incremental.ts --clones DIR [--repositories FILE | --only TEXT] [--commits N] [--minutes N] [--compare]
 *
 * A clone of OWNER/NAME is expected at CLONES/OWNER+NAME; FILE holds one OWNER/NAME per line. With --compare each commit is audited as a pull
 * request on its parent. Commits that differ are listed with the first difference; exit status 1 when there is any.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuditPorts, type AuditResult, audit } from '../src/audit.ts'
import { emptyMemory } from '../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import { localPorts } from '../src/platform/local/ports.ts'
import { firstDifference } from '../test/support/first-difference.ts'
import { JsonFactsCache } from '../test/support/json-facts-cache.ts'

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    repositories: { type: 'string' },
    only: { type: 'string' },
    commits: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '600' },
    compare: { type: 'boolean', default: false },
  },
})
if (!values.clones) {
  process.stderr.write('usage: incremental.ts --clones DIR [--repositories FILE | --only TEXT] [--commits N] [--minutes N] [--compare]\n')
  process.exit(2)
}
const clones = resolve(values.clones)
const names = values.repositories
  ? readFileSync(values.repositories, 'utf8')
      .split('\n')
      .map((line) => line.trim().replace('/', '+'))
      .filter(Boolean)
  : readdirSync(clones)
      .filter((name) => name.includes('+') && name.includes(values.only ?? ''))
      .sort()
const deadline = performance.now() + Number(values.minutes) * 60_000

interface Tally {
  commits: number
  different: number
  incrementalMs: number
  fullMs: number
  readIncremental: number
  readFull: number
}
const total: Tally = { commits: 0, different: 0, incrementalMs: 0, fullMs: 0, readIncremental: 0, readFull: 0 }
let repositories = 0

for (const name of names) {
  const dir = join(clones, name)
  if (!existsSync(dir)) {
    process.stdout.write(`${name.padEnd(48)} no clone\n`)
    continue
  }
  if (performance.now() > deadline) break
  const tally = await runRepository(dir, name)
  if (tally.commits) repositories++
  for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key]
  process.stdout.write(`${name.padEnd(48)} ${describe(tally)}\n`)
}
process.stdout.write(`\n${repositories} repositories, ${describe(total)}\n`)
process.exit(total.different ? 1 : 0)

async function runRepository(dir: string, name: string): Promise<Tally> {
  const tally: Tally = { commits: 0, different: 0, incrementalMs: 0, fullMs: 0, readIncremental: 0, readFull: 0 }
  // Two sets of ports: nothing that one side learns may reach the other.
  const [warm, cold] = [await localPorts(dir, { offline: true }), await localPorts(dir, { offline: true })]
  const kept = { cache: new JsonFactsCache(), memory: emptyMemory() }
  try {
    for (const commit of newestCommits(dir, Number(values.commits))) {
      if (performance.now() > deadline) break
      const incremental = await auditCommit(commit, { ...warm, ...kept })
      const full = await auditCommit(commit, cold)
      tally.commits++
      tally.incrementalMs += incremental.run.durationMs
      tally.fullMs += full.run.durationMs
      tally.readIncremental += incremental.run.bytesRead
      tally.readFull += full.run.bytesRead
      const difference = firstDifference(JSON.stringify(incremental.report), JSON.stringify(full.report))
      if (difference) {
        tally.different++
        process.stdout.write(`${name} ${commit.slice(0, 12)} incremental and full differ: ${difference}\n`)
      }
    }
  } finally {
    await Promise.all([warm.close(), cold.close()])
  }
  return tally
}

function auditCommit(commit: string, ports: AuditPorts): Promise<AuditResult> {
  return audit({ commit, ...(values.compare ? { base: `${commit}^1` } : {}), config: DEFAULT_CONFIG, today: '2026-11-20' }, ports)
}

/** First-parent commits, oldest first. */
function newestCommits(dir: string, count: number): string[] {
  const out = execFileSync('git', ['-c', 'safe.directory=*', '-C', dir, 'log', '--first-parent', '--min-parents=1', `-${count}`, '--format=%H'], {
    encoding: 'utf8',
  })
  return out.split('\n').filter(Boolean).reverse()
}

function describe(t: Tally): string {
  const mean = (ms: number) => `${(ms / Math.max(1, t.commits) / 1000).toFixed(2)} s`
  const mib = (bytes: number) => `${(bytes / (1 << 20)).toFixed(1)} MiB`
  return `${t.commits} commits, ${t.different} differ; incremental ${mean(t.incrementalMs)} and ${mib(t.readIncremental)} read, full ${mean(t.fullMs)} and ${mib(t.readFull)}`
}
