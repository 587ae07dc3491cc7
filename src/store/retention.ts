import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

export interface Retention {
  /** Days after which facts and listings that no audit used are deleted. */
  readonly unusedDays: number
  /** Bytes of facts and listings together; the least recently used go first. */
  readonly maxBytes: number
}

export const DEFAULT_RETENTION: Retention = { unusedDays: 30, maxBytes: 2 * 2 ** 30 }

/** Days after which an answer of the advisory database is no longer worth its row: it would be asked for again anyway. */
const ADVISORY_DAYS = 7

/** Deletes what is old or too much. */
export async function sweepStore(sql: Sql, retention: Retention = DEFAULT_RETENTION): Promise<void> {
  for (const table of ['facts', 'snapshots']) await sql.query(`delete from ${SCHEMA}.${table} where used < current_date - $1::int`, [retention.unusedDays])
  await sql.query(`delete from ${SCHEMA}.deliveries where at < now() - interval '14 days'`)
  await sql.query(`delete from ${SCHEMA}.advisories where asked < $1`, [Date.now() - ADVISORY_DAYS * 86_400_000])
  await sql.query(`delete from ${SCHEMA}.advisory_etags where at < now() - make_interval(days => $1::int)`, [ADVISORY_DAYS])
  await sql.query(
    `delete from ${SCHEMA}.targets where state in ('concluded', 'cancelled', 'error') and not check_run_open and changed_at < now() - interval '90 days'`,
  )
  await sql.query(
    `delete from ${SCHEMA}.verdicts v where at < now() - interval '90 days' and not exists (select 1 from ${SCHEMA}.targets t where t.key = v.key and t.head_sha = v.commit_sha)`,
  )
  for (const table of ['snapshots', 'facts']) {
    const [total] = await sql.query<{ bytes: string }>(
      `select (select coalesce(sum(bytes), 0) from ${SCHEMA}.facts) + (select coalesce(sum(bytes), 0) from ${SCHEMA}.snapshots) as bytes`,
    )
    const excess = Number(total?.bytes ?? 0) - retention.maxBytes
    if (excess <= 0) return
    const id = table === 'facts' ? 'key' : 'commit_sha'
    await sql.query(
      `delete from ${SCHEMA}.${table} d using (select repository, ${id} as id, sum(bytes) over (order by used, repository, ${id}) - bytes as before from ${SCHEMA}.${table}) o where d.repository = o.repository and d.${id} = o.id and o.before < $1`,
      [excess],
    )
  }
}

/** Deletes everything that belongs to repositories, targets first: without one, running audits store nothing more. */
export async function forgetRepositories(sql: Sql, repositories: readonly number[]): Promise<void> {
  for (const table of ['targets', 'verdicts', 'facts', 'snapshots', 'suggestions'])
    await sql.query(`delete from ${SCHEMA}.${table} where repository = any($1::bigint[])`, [[...repositories]])
}

/** Deletes everything that belongs to an installation and to the repositories `named` as its own, and tells which those were: the App was uninstalled. */
export async function forgetInstallation(sql: Sql, installation: number, named: readonly number[] = []): Promise<number[]> {
  const rows = await sql.query<{ repository: string }>(`select distinct repository from ${SCHEMA}.targets where installation = $1`, [installation])
  const repositories = [...new Set([...rows.map((r) => Number(r.repository)), ...named])]
  await forgetRepositories(sql, repositories)
  await sql.query(`delete from ${SCHEMA}.marks where name = 'reconciled:' || $1::bigint`, [installation])
  return repositories
}
