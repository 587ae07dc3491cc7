import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/support/app-process.ts'
import { seededRandom } from '../../test/support/random.ts'
import { Cluster } from './cluster.ts'
import { Traffic } from './traffic.ts'
import { allConcluded, brokenPromises, secondsToAnswer, secondsToVerdict } from './verdicts.ts'

export interface KillOptions {
  readonly pulls: number
  readonly kills: number
  readonly seed: number
  readonly replicas: number
  readonly postgres: boolean
  readonly concurrency: number
}

/** Deliveries at a steady rate while processes are killed at random moments and started again; deliveries that meet a dead process are lost on the way. */
export async function kill(options: KillOptions): Promise<Record<string, unknown>> {
  const random = seededRandom(options.seed)
  const cluster = await Cluster.start(options)
  const { github } = cluster
  const traffic = new Traffic(github, 10)
  const begin = Date.now()
  // Moments as shares of the work done, so that they meet audits whatever the machine's speed is.
  const moments = Array.from({ length: options.kills }, () => 0.05 + random() * 0.85).sort((a, b) => a - b)
  const killed: Record<string, unknown>[] = []
  const kills = (async () => {
    for (const moment of moments) {
      await until('the next kill', () => verdicts(cluster) > moment * options.pulls, undefined, 3_600_000)
      await sleep(random() * 2000)
      const replica = Math.floor(random() * options.replicas)
      killed.push({ afterVerdicts: verdicts(cluster), inProgress: github.checkRuns.filter((r) => r.status !== 'completed').length, replica })
      await cluster.apps[replica]?.kill()
      await sleep(500 + random() * 3000)
      await cluster.launch(replica).ready()
    }
  })()
  for (let i = 0; i < options.pulls; i++) {
    // Ahead of the audits by some dozens, so that the queue is never empty and never holds everything.
    await until('room in the queue', () => traffic.opened.length - verdicts(cluster) < 60, undefined, 3_600_000)
    traffic.open()
    if (i % 100 === 99) console.error(JSON.stringify({ opened: i + 1, verdicts: verdicts(cluster), kills: killed.length }))
  }
  await kills
  await until('the last verdict', () => allConcluded(github, traffic.opened), cluster.apps[0], 3_600_000)
  // Whatever is still on its way would be a second run or comment.
  await sleep(10_000)
  const lost = github.webhooks.deliveries.filter((d) => d.statusCode !== 200)
  const result = {
    store: options.postgres ? 'PostgreSQL' : 'embedded',
    replicas: options.replicas,
    seed: options.seed,
    pulls: options.pulls,
    killed,
    deliveriesLostOnTheWay: lost.length,
    redeliveries: github.webhooks.deliveries.filter((d) => d.redelivery).length,
    secondsToAnswer: secondsToAnswer(github.webhooks.deliveries),
    secondsToVerdict: secondsToVerdict(github, traffic.opened),
    auditsPerMinute: Number(((options.pulls / ((Date.now() - begin) / 1000)) * 60).toFixed(1)),
    broken: brokenPromises(github, traffic.opened),
    violations: github.violations,
  }
  await cluster.stop()
  return result
}

function verdicts({ github }: Cluster): number {
  return github.checkRuns.filter((r) => r.status === 'completed').length
}
