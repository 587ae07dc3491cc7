import { until } from '../../test/support/app-process.ts'
import { Cluster, type ClusterOptions } from './cluster.ts'
import { Traffic } from './traffic.ts'
import { allConcluded, brokenPromises, secondsToAnswer, secondsToVerdict } from './verdicts.ts'

/** Everything at once: how many webhooks are taken a second while audits run, and how fast the audits are worked off. */
export async function burst(options: ClusterOptions & { pulls: number }): Promise<Record<string, unknown>> {
  const cluster = await Cluster.start(options)
  const { github } = cluster
  const traffic = new Traffic(github, 10)
  // The first audit of each repository fills its cache; what is measured is the everyday pull request.
  await until('the first audits', () => firstAudits(cluster, traffic), cluster.apps[0], 600_000)
  github.webhooks.down = true
  for (let i = 0; i < options.pulls; i++) traffic.open()
  await github.webhooks.settled()
  github.webhooks.down = false
  const waiting = github.webhooks.deliveries.slice(0, options.pulls)
  const requests = github.apiRequests().length
  const begin = Date.now()
  for (const opened of traffic.opened) opened.at = begin
  for (const delivery of waiting) github.webhooks.redeliver(delivery.id)
  await github.webhooks.settled()
  const accepted = (Date.now() - begin) / 1000
  const answers = github.webhooks.deliveries.slice(0, waiting.length)
  await until('the last verdict', () => allConcluded(github, traffic.opened), cluster.apps[0], 3_600_000)
  const total = (Date.now() - begin) / 1000
  const result = {
    store: options.postgres ? 'PostgreSQL' : 'embedded',
    replicas: options.replicas,
    concurrency: options.concurrency,
    latencyMs: options.latencyMs ?? 0,
    pulls: options.pulls,
    webhooksPerSecond: Number((waiting.length / accepted).toFixed(1)),
    secondsToAnswer: secondsToAnswer(answers),
    webhooksRefused: answers.filter((d) => d.statusCode !== 200).length,
    auditsPerMinute: Number(((options.pulls / total) * 60).toFixed(1)),
    secondsToVerdict: secondsToVerdict(github, traffic.opened),
    requestsPerAudit: Number(((github.apiRequests().length - requests) / options.pulls).toFixed(1)),
    broken: brokenPromises(github, traffic.opened),
    violations: github.violations,
  }
  await cluster.stop()
  return result
}

function firstAudits({ github }: Cluster, traffic: Traffic): boolean {
  return traffic.repositories.every((repo) => github.checkRuns.some((r) => r.repo === repo && r.status === 'completed'))
}
