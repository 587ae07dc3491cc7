/**
 * From the webhook to the concluded check run, through a whole process of the App on a local GitHub: warm pull requests, one after the other.
 *
 *   node bench/speed/end-to-end.ts [--pulls 200] [--repositories 3] [--postgres]
 *
 * Every tenth pull request changes the schema, which has the database replayed. Prints JSON with p50 and p95 in milliseconds.
 */
import { parseArgs } from 'node:util'
import { until } from '../../test/support/app-process.ts'
import { Cluster } from '../load/cluster.ts'
import { Traffic } from '../load/traffic.ts'
import { allConcluded, secondsToVerdict } from '../load/verdicts.ts'

const { values } = parseArgs({
  options: { pulls: { type: 'string', default: '200' }, repositories: { type: 'string', default: '3' }, postgres: { type: 'boolean', default: false } },
})
const cluster = await Cluster.start({ replicas: 1, postgres: values.postgres, concurrency: 2 })
const { github } = cluster
const [app] = cluster.apps as [Cluster['apps'][number]]
try {
  const traffic = new Traffic(github, Number(values.repositories))
  const concluded = (label: string) => until(label, () => allConcluded(github, traffic.opened), app, 120_000)
  // The first pull requests of a repository have its files read and its schema replayed.
  for (let i = 0; i < 2 * Number(values.repositories); i++) {
    traffic.open()
    await concluded('a warm-up')
  }
  const warm = traffic.opened.length
  for (let i = 0; i < Number(values.pulls); i++) {
    traffic.open()
    await concluded(`pull request ${i}`)
  }
  const measured = traffic.opened.slice(warm)
  console.log(JSON.stringify({ pulls: measured.length, secondsToVerdict: secondsToVerdict(github, measured), violations: github.violations }, null, 2))
} finally {
  await cluster.stop()
}
