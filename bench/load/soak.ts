import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/support/app-process.ts'
import { Cluster } from './cluster.ts'
import { floors, growthPerHour, type MemorySample, sampleMemory } from './memory.ts'
import { Traffic } from './traffic.ts'
import { allConcluded, brokenPromises, secondsToAnswer, secondsToVerdict } from './verdicts.ts'

export interface SoakOptions {
  readonly minutes: number
  readonly pullsPerMinute: number
  readonly postgres: boolean
  readonly concurrency: number
}

const SAMPLE_SECONDS = 5
/** Garbage of the old generation is collected every few minutes at this rate; the floor of a window is what lives on. */
const WINDOW_SECONDS = 120
/** Code is compiled, caches fill and pools grow before memory can be level. */
const WARM_UP_SHARE = 1 / 3

/** Steady traffic for a long time, with memory watched: pull requests are opened at a fixed rate, every fifth gets a second commit. */
export async function soak(options: SoakOptions): Promise<Record<string, unknown>> {
  const cluster = await Cluster.start({ replicas: 1, postgres: options.postgres, concurrency: options.concurrency })
  const { github } = cluster
  const [app] = cluster.apps as [Cluster['apps'][number]]
  const traffic = new Traffic(github, 10)
  const begin = Date.now()
  const end = begin + options.minutes * 60_000
  const samples: MemorySample[] = []
  const sampling = setInterval(() => void sampleMemory(app, begin).then((s) => samples.push(s)), SAMPLE_SECONDS * 1000)
  for (let due = begin; due < end; due += 60_000 / options.pullsPerMinute) {
    await sleep(Math.max(0, due - Date.now()))
    const opened = traffic.open()
    if (opened.number % 5 === 0) setTimeout(() => traffic.amend(opened), 1000)
    if (traffic.opened.length % 50 === 0) console.error(JSON.stringify({ opened: traffic.opened.length, ...samples.at(-1) }))
  }
  await until('the last verdict', () => allConcluded(github, traffic.opened), app, 600_000).catch((error) => console.error(String(error)))
  clearInterval(sampling)
  const level = samples.filter((s) => s.seconds > options.minutes * 60 * WARM_UP_SHARE && s.seconds < options.minutes * 60)
  const low = floors(level, WINDOW_SECONDS)
  const at = (list: readonly MemorySample[], value: (s: MemorySample) => number) => list.map((s) => Math.round(value(s)))
  const result = {
    store: options.postgres ? 'PostgreSQL' : 'embedded',
    minutes: options.minutes,
    pulls: traffic.opened.length,
    audits: github.checkRuns.length,
    deliveriesLostOnTheWay: github.webhooks.deliveries.filter((d) => d.statusCode !== 200).map((d) => d.status),
    secondsToAnswer: secondsToAnswer(github.webhooks.deliveries),
    secondsToVerdict: secondsToVerdict(github, traffic.opened),
    samples: samples.length,
    residentMiB: {
      first: at(level, (s) => s.residentMiB)[0],
      last: at(level, (s) => s.residentMiB).at(-1),
      most: Math.max(...at(samples, (s) => s.residentMiB)),
    },
    heapFloorsMiB: at(low, (s) => s.heapMiB),
    residentAtFloorsMiB: at(low, (s) => s.residentMiB),
    growthMiBPerHour: {
      resident: Math.round(growthPerHour(level, (s) => s.residentMiB)),
      heapFloor: Math.round(growthPerHour(low, (s) => s.heapMiB)),
    },
    broken: brokenPromises(github, traffic.opened),
    violations: github.violations,
  }
  await cluster.stop()
  return result
}
