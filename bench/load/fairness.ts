import { SCHEMA } from '../../src/store/migrations.ts'
import { openSql } from '../../src/store/sql.ts'
import { until } from '../../test/support/app-process.ts'
import { Cluster } from './cluster.ts'
import { type Opened, Traffic } from './traffic.ts'
import { allConcluded, brokenPromises } from './verdicts.ts'

export interface FairnessOptions {
  /** Pull requests that one installation opens at once. */
  readonly pulls: number
  readonly latencyMs: number
}

/** One pull request of an installation behind many of another, for one and for four processes with one audit at a time in each. */
export async function fairness(options: FairnessOptions): Promise<Record<string, unknown>> {
  const runs: Record<string, unknown>[] = []
  for (const replicas of [1, 4]) runs.push(await oneBehindMany({ ...options, replicas }))
  return { runs }
}

async function oneBehindMany({ pulls, latencyMs, replicas }: FairnessOptions & { replicas: number }): Promise<Record<string, unknown>> {
  const cluster = await Cluster.start({ replicas, postgres: true, concurrency: 1, latencyMs })
  const { github } = cluster
  const many = new Traffic(github, 1, 'many')
  const one = new Traffic(github, 1, 'one')
  await until('the first audits', () => github.checkRuns.filter((r) => r.status === 'completed').length === 2, cluster.apps[0], 600_000)
  const concluded = (opened: readonly Opened[]) => until('the verdicts', () => allConcluded(github, opened), cluster.apps[0], 3_600_000)
  const secondsOf = (opened: Opened) => Number(((Date.now() - opened.at) / 1000).toFixed(2))
  const first = one.open()
  await concluded([first])
  const secondsAlone = secondsOf(first)
  for (let i = 0; i < pulls; i++) many.open()
  await github.webhooks.settled()
  const second = one.open()
  await concluded([second])
  const secondsBehind = secondsOf(second)
  const auditsBefore = await takenBefore(cluster, second)
  const waited = many.opened.filter((o) => !github.checkRuns.some((r) => r.headSha === o.headSha && r.status === 'completed')).length
  await concluded([...many.opened, ...one.opened])
  const broken = [...brokenPromises(github, many.opened), ...brokenPromises(github, one.opened)]
  if (auditsBefore > 2) broken.push(`${auditsBefore} audits of the other installation started before the single one`)
  await cluster.stop()
  return { replicas, pulls, latencyMs, secondsAlone, secondsBehind, auditsBefore, stillWaiting: waited, broken }
}

/** Jobs of others that processes took out of the queue between the arrival of a pull request and the start of its own audit. */
async function takenBefore({ databaseUrl, github }: Cluster, { repo, number }: Opened): Promise<number> {
  const sql = await openSql({ databaseUrl: databaseUrl as string, dataDir: '' })
  try {
    const [row] = await sql.query<{ n: string }>(
      `select count(other.id) as n from ${SCHEMA}.job own left join ${SCHEMA}.job other
         on other.group_id <> own.group_id and other.started_on > own.created_on and other.started_on < own.started_on
       where own.singleton_key = $1 and own.group_id = $2 group by own.id`,
      [`${repo.id}/pull/${number}`, String(github.installationOf(repo.owner))],
    )
    if (!row) throw new Error('the audit of the single pull request has no job')
    return Number(row.n)
  } finally {
    await sql.close()
  }
}
