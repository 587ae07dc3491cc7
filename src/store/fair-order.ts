import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

/** Waiting jobs of one installation up to which they are numbered anew; beyond it they keep the order of arrival. */
const MAX_NUMBERED = 500

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

/**
 * Numbers the waiting jobs of an installation: a round for each, and its repositories in turns, each in the order of arrival. Processes that
 * queued jobs at the same moment may have given them the same round. A block, because each of its statements sees what was stored when
 * the lock was taken; a single statement would number what it saw before it waited.
 */
export async function numberRounds(sql: Sql, queue: string, installation: number): Promise<void> {
  const group = String(Math.trunc(installation))
  await sql.query(`do $rounds$ begin
    perform pg_advisory_xact_lock(hashtextextended('prelaunch rounds of ${group}', 0));
    with waiting as (
      select id, priority, created_on, split_part(singleton_key, '/', 1) as repository from ${SCHEMA}.job
      where name = '${queue}' and group_id = '${group}' and state = 'created'
    ), turns as (
      select *, row_number() over (partition by repository order by priority desc, created_on) as turn from waiting
    ), wanted as (
      select id, max(priority) over () - row_number() over (order by turn, priority desc, created_on) + 1 as priority from turns
    )
    update ${SCHEMA}.job j set priority = w.priority from wanted w
    where j.name = '${queue}' and j.id = w.id and j.state = 'created' and j.priority <> w.priority and (select count(*) <= ${MAX_NUMBERED} from waiting);
  end $rounds$`)
}
