/**
 * Load on loopback against whole processes of the App, each ending with the promise: one concluded run and one comment for every pull request.
 *   node bench/load/run.ts burst    [--pulls 200] [--postgres] [--concurrency 2]           everything at once: webhooks a second, audits a minute
 *   node bench/load/run.ts soak     [--minutes 30] [--rate 12] [--postgres]                 steady traffic, memory sampled
 *   node bench/load/run.ts kill     [--pulls 1000] [--kills 5] [--seed 1] [--postgres] [--replicas 1]  kill -9 at random moments
 *   node bench/load/run.ts replicas [--pulls 100] [--latency 150]                           1, 2 and 4 processes on one PostgreSQL
 *   node bench/load/run.ts fairness [--pulls 40] [--latency 150]                            one pull request behind many of another installation, 1 and 4 processes
 * Prints JSON; the exit status is 1 when a promise was broken.
 */
import { parseArgs } from 'node:util'
import { burst } from './burst.ts'
import { fairness } from './fairness.ts'
import { kill } from './kill.ts'
import { replicas } from './replicas.ts'
import { soak } from './soak.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pulls: { type: 'string' },
    concurrency: { type: 'string', default: '2' },
    postgres: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '12' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    replicas: { type: 'string', default: '1' },
    latency: { type: 'string', default: '150' },
  },
})
const number = (text: string | undefined, fallback = 0) => (text === undefined ? fallback : Number(text))
const common = { postgres: values.postgres, concurrency: number(values.concurrency) }

const SCENARIOS: Record<string, () => Promise<Record<string, unknown>>> = {
  burst: () => burst({ ...common, pulls: number(values.pulls, 200), replicas: 1, latencyMs: 0 }),
  soak: () => soak({ ...common, minutes: number(values.minutes), pullsPerMinute: number(values.rate) }),
  kill: () => kill({ ...common, pulls: number(values.pulls, 1000), kills: number(values.kills), seed: number(values.seed), replicas: number(values.replicas) }),
  fairness: () => fairness({ pulls: number(values.pulls, 40), latencyMs: number(values.latency) }),
  replicas: () => replicas({ pulls: number(values.pulls, 100), latencyMs: number(values.latency) }),
}
const scenario = SCENARIOS[positionals[0] ?? '']
if (!scenario) throw new Error(`one of ${Object.keys(SCENARIOS).join(', ')} is needed`)
const result = await scenario()
console.log(JSON.stringify(result, null, 2))
process.exitCode = JSON.stringify(result).includes('"broken":[]') && !/"broken":\["/.test(JSON.stringify(result)) ? 0 : 1
