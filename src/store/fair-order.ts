import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

/** Waiting jobs of one installation up to which its repositories take turns as well; beyond it, in the order of arrival. */
const MAX_INTERLEAVED = 500

/**
 * The priority of an installation's next job: self-clocked fair queuing (Golestani 1994). Every job has the number of a round; a job of an
 * installation that has nothing waiting joins the round that runs now, each further one a later round than the one before. Priorities
 * are the numbers negated, because the queue takes the greatest first. So forty jobs of one installation occupy forty rounds, and a single
 * job of another is taken next. Any number of processes share the rounds, because they stand in the jobs.
 */
export async function priorityOfNext(sql: Sql, queue: string, group: string): Promise<number> {
  const [row] = await sql.query<{ own: number | null; running: number | null; first: number | null }>(
    `select min(priority) filter (where group_id = $2) as own, min(priority) filter (where state = 'active') as running,
       max(priority) filter (where state <> 'active') as first
     from ${SCHEMA}.job where name = $1 and state in ('created', 'retry', 'active')`,
    [queue, group],
  )
  const round = row?.running ?? row?.first ?? 0
  return Number(row?.own === null || row?.own === undefined ? round : Math.min(round, row.own - 1))
}

/** Gives the waiting jobs of an installation its places in the queue so that its repositories take turns, each in the order of arrival. */
export async function interleaveRepositories(sql: Sql, queue: string, group: string): Promise<void> {
  await sql.query(
    `with turn as materialized (select pg_advisory_xact_lock(hashtextextended('prelaunch order of ' || $2, 0))),
     waiting as (
       select j.id, j.priority, j.created_on, split_part(j.singleton_key, '/', 1) as repository from turn, ${SCHEMA}.job j
       where j.name = $1 and j.group_id = $2 and j.state = 'created'
     ), places as (
       select priority, row_number() over (order by priority desc, created_on) as place from waiting
     ), turns as (
       select id, created_on, priority, row_number() over (partition by repository order by priority desc, created_on) as turn from waiting
     ), wanted as (
       select id, row_number() over (order by turn, created_on, priority desc) as place from turns
     )
     update ${SCHEMA}.job j set priority = p.priority from wanted w join places p using (place)
     where j.name = $1 and j.id = w.id and j.state = 'created' and j.priority <> p.priority
       and (select count(distinct repository) > 1 and count(*) <= ${MAX_INTERLEAVED} from waiting)`,
    [queue, group],
  )
}
