import type { AuditTarget, StoredTarget } from './audit-target.ts'
import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

interface TargetRow extends Record<string, unknown> {
  readonly body: AuditTarget | string
  readonly version: string | number
  readonly done: string | number
  readonly state: StoredTarget['state']
  readonly check_run_id: string | number | null
  readonly check_run_sha: string | null
  readonly check_run_open: boolean
  readonly comment_id: string | number | null
}

/** What a person names when accepting a finding. */
export interface AcceptableFinding {
  readonly fingerprint: string
  readonly check: string
  readonly subject: string
  readonly severity: string
  /** Findings of one cause are accepted together. */
  readonly cause?: string
}

const MAX_FINDINGS = 1000

/** Targets and deliveries: what is wanted, what was done, which run and comment belong to it. */
export class TargetStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /**
   * Stores the newest wish for a target and the delivery that brought it, in one statement. A delivery whose target is queued, running or
   * concluded changes nothing (`known`); so does a commit that was already concluded, unless somebody asked again.
   */
  async want(target: AuditTarget, delivery: string): Promise<'stored' | 'known'> {
    const rows = await this.#sql.query<{ version: string }>(
      `with seen as (
         select 1 from ${SCHEMA}.deliveries d join ${SCHEMA}.targets t on t.key = d.key where d.id = $1 and t.state <> 'error'
       ), same as (
         select 1 from ${SCHEMA}.targets where key = $2 and head_sha = $5 and body->>'baseRef' is not distinct from $6::jsonb->>'baseRef' and state <> 'error' and state <> 'cancelled' and not $7::boolean
       ), wanted as (
         insert into ${SCHEMA}.targets (key, repository, installation, head_sha, body, state)
         select $2, $3, $4, $5, $6::jsonb, 'queued' where not exists (select 1 from seen) and not exists (select 1 from same)
         on conflict (key) do update set installation = excluded.installation, head_sha = excluded.head_sha, body = excluded.body, version = ${SCHEMA}.targets.version + 1,
           state = case when ${SCHEMA}.targets.state = 'running' then 'running' else 'queued' end, error = null, starts = 0, requested_at = now(), changed_at = now()
         returning key, version
       ), noted as (
         insert into ${SCHEMA}.deliveries (id, key, version) select $1, key, version from wanted
         on conflict (id) do update set version = excluded.version, at = now()
       )
       select version from wanted`,
      [delivery, target.key, target.repository.id, target.installation, target.headSha, JSON.stringify(target), target.again ?? false],
    )
    return rows.length ? 'stored' : 'known'
  }

  /** Whether a delivery was taken before, whatever became of it; for events that lead to no audit. */
  async noteDelivery(delivery: string): Promise<boolean> {
    return (await this.#sql.query(`insert into ${SCHEMA}.deliveries (id) values ($1) on conflict (id) do nothing returning id`, [delivery])).length > 0
  }

  async knownDeliveries(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#sql.query<{ id: string }>(
      `select d.id from ${SCHEMA}.deliveries d left join ${SCHEMA}.targets t on t.key = d.key where d.id = any($1::text[]) and (t.key is null or t.state <> 'error')`,
      [[...ids]],
    )
    return new Set(rows.map((r) => r.id))
  }

  async get(key: string): Promise<StoredTarget | undefined> {
    const [row] = await this.#sql.query<TargetRow>(`select * from ${SCHEMA}.targets where key = $1`, [key])
    return row && toStored(row)
  }

  /** The newest target of a repository with this head. */
  async findByHead(repository: number, headSha: string): Promise<StoredTarget | undefined> {
    const [row] = await this.#sql.query<TargetRow>(
      `select * from ${SCHEMA}.targets where repository = $1 and (head_sha = $2 or check_run_sha = $2) order by key like '%/pull/%' desc, changed_at desc limit 1`,
      [repository, headSha],
    )
    return row && toStored(row)
  }

  /** Whether anything is kept of a repository: not after the App was uninstalled there. */
  async knows(repository: number): Promise<boolean> {
    return (await this.#sql.query(`select 1 from ${SCHEMA}.targets where repository = $1 limit 1`, [repository])).length > 0
  }

  /** Targets whose head is this commit and whose verdicts on it count, or are still to come. */
  async openOn(repository: number, headSha: string): Promise<AuditTarget[]> {
    const rows = await this.#sql.query<TargetRow>(
      `select t.* from ${SCHEMA}.targets t where repository = $1 and head_sha = $2 and state <> 'cancelled' and not exists (
         select 1 from ${SCHEMA}.verdicts v where v.repository = t.repository and v.commit_sha = t.head_sha and v.key = t.key and not v.open)
       order by key like '%/pull/%' desc, changed_at desc`,
      [repository, headSha],
    )
    return rows.map((row) => toStored(row).target)
  }

  async version(key: string): Promise<number | undefined> {
    const [row] = await this.#sql.query<{ version: string }>(`select version from ${SCHEMA}.targets where key = $1 and state <> 'cancelled'`, [key])
    return row && Number(row.version)
  }

  /** Gives how often the audit has been started since it last came to an end in good order: more than once when processes died of it. */
  async markRunning(key: string): Promise<number> {
    const [row] = await this.#sql.query<{ starts: number }>(
      `update ${SCHEMA}.targets set state = case when state = 'cancelled' then state else 'running' end, starts = starts + 1, changed_at = now() where key = $1 returning starts`,
      [key],
    )
    return Number(row?.starts ?? 1)
  }

  /** The process is done with a start of the audit, with or without a result. */
  async endStart(key: string): Promise<void> {
    await this.#sql.query(`update ${SCHEMA}.targets set starts = 0 where key = $1`, [key])
  }

  /** Remembers the run so that a restart finds it; `open` until it is concluded. */
  async setCheckRun(key: string, id: number, sha: string, open: boolean): Promise<void> {
    await this.#sql.query(`update ${SCHEMA}.targets set check_run_id = $2, check_run_sha = $3, check_run_open = $4, changed_at = now() where key = $1`, [
      key,
      id,
      sha,
      open,
    ])
  }

  /** The introduced findings of the last audit, for comment commands. */
  async setFindings(key: string, findings: readonly AcceptableFinding[]): Promise<void> {
    await this.#sql.query(`update ${SCHEMA}.targets set findings = $2::jsonb where key = $1`, [key, JSON.stringify(findings.slice(0, MAX_FINDINGS))])
  }

  async findings(key: string): Promise<readonly AcceptableFinding[]> {
    const [row] = await this.#sql.query<{ findings: AcceptableFinding[] | string }>(`select findings from ${SCHEMA}.targets where key = $1`, [key])
    return typeof row?.findings === 'string' ? (JSON.parse(row.findings) as AcceptableFinding[]) : (row?.findings ?? [])
  }

  async setComment(key: string, id: number): Promise<void> {
    await this.#sql.query(`update ${SCHEMA}.targets set comment_id = $2 where key = $1`, [key, id])
  }

  /**
   * Ends a version together with its run, if it had one: a process that dies before this repeats the audit in the same run, one that dies
   * after it has nothing left to do. A newer wish stays queued.
   */
  async markDone(key: string, version: number, state: 'concluded' | 'error', run: 'run ended' | 'no run', error?: string): Promise<void> {
    await this.#sql.query(
      `update ${SCHEMA}.targets set done = greatest(done, $2), check_run_open = check_run_open and not $5::boolean, error = $4, changed_at = now(),
         state = case when state = 'cancelled' then state when version > $2 then 'queued' else $3 end where key = $1`,
      [key, version, state, error ?? null, run === 'run ended'],
    )
  }

  /** Takes back a wish for an old commit: the verdict on the newest one stands. A newer wish stays queued. */
  async keepVerdict(key: string, version: number, headSha: string): Promise<void> {
    await this.#sql.query(
      `update ${SCHEMA}.targets set head_sha = $3, body = jsonb_set(body, '{headSha}', to_jsonb($3::text)), done = version, state = 'concluded', changed_at = now()
         where key = $1 and version = $2 and state <> 'cancelled'`,
      [key, version, headSha],
    )
  }

  /** A closed pull request or a deleted repository: nothing more to do. */
  async cancel(key: string): Promise<StoredTarget | undefined> {
    const [row] = await this.#sql.query<TargetRow>(
      `update ${SCHEMA}.targets set state = 'cancelled', done = version, changed_at = now() where key = $1 and done < version returning *`,
      [key],
    )
    return row && toStored(row)
  }

  /** Targets whose newest wish is not done, for resuming, with their installations. */
  async unfinished(): Promise<Map<string, number>> {
    const rows = await this.#sql.query<{ key: string; installation: string }>(
      `select key, installation from ${SCHEMA}.targets where done < version and state in ('queued', 'running', 'error') order by requested_at`,
    )
    return new Map(rows.map((r) => [r.key, Number(r.installation)]))
  }

  /** Targets that ended but whose run may still be in progress on GitHub. */
  async withOpenRuns(): Promise<StoredTarget[]> {
    const rows = await this.#sql.query<TargetRow>(
      `select * from ${SCHEMA}.targets where check_run_open and done >= version and changed_at < now() - interval '1 minute'`,
    )
    return rows.map(toStored)
  }

  /** Installations that have targets, those whose turn is longest ago first, and where the last turn ended. */
  async installationsByTurn(): Promise<{ installation: number; position: number }[]> {
    const rows = await this.#sql.query<{ installation: string; position: string | null }>(
      `select i.installation, m.value as position from (select distinct installation from ${SCHEMA}.targets) i
         left join ${SCHEMA}.marks m on m.name = 'reconciled:' || i.installation order by m.at nulls first, i.installation`,
    )
    return rows.map((r) => ({ installation: Number(r.installation), position: Number(r.position ?? 0) }))
  }

  /** The turn of an installation ends here. */
  async endTurn(installation: number, position: number): Promise<void> {
    await this.setMark(`reconciled:${installation}`, String(position))
  }

  /** Fingerprints of a pull request for which a suggestion was posted. */
  async suggested(repository: number, pull: number): Promise<Set<string>> {
    return new Set(
      (
        await this.#sql.query<{ fingerprint: string }>(`select fingerprint from ${SCHEMA}.suggestions where repository = $1 and pull = $2`, [repository, pull])
      ).map((r) => r.fingerprint),
    )
  }

  async noteSuggested(repository: number, pull: number, fingerprints: readonly string[]): Promise<void> {
    await this.#sql.query(
      `insert into ${SCHEMA}.suggestions (repository, pull, fingerprint) select $1, $2, f from unnest($3::text[]) as f on conflict do nothing`,
      [repository, pull, [...fingerprints]],
    )
  }

  async mark(name: string): Promise<string | undefined> {
    return (await this.#sql.query<{ value: string }>(`select value from ${SCHEMA}.marks where name = $1`, [name]))[0]?.value
  }

  async setMark(name: string, value: string): Promise<void> {
    await this.#sql.query(`insert into ${SCHEMA}.marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value, at = now()`, [
      name,
      value,
    ])
  }

  /** Takes a turn of periodic work for this process when nobody had one in the last `seconds`. */
  async takeTurn(name: string, seconds: number): Promise<boolean> {
    const rows = await this.#sql.query(
      `insert into ${SCHEMA}.marks as m (name, value) values ($1, '') on conflict (name) do update set at = now() where m.at < now() - make_interval(secs => $2) returning name`,
      [`turn:${name}`, seconds],
    )
    return rows.length > 0
  }
}

function toStored(row: TargetRow): StoredTarget {
  return {
    target: typeof row.body === 'string' ? (JSON.parse(row.body) as AuditTarget) : row.body,
    version: Number(row.version),
    done: Number(row.done),
    state: row.state,
    ...(row.check_run_id === null || row.check_run_sha === null
      ? {}
      : { checkRun: { id: Number(row.check_run_id), sha: row.check_run_sha, open: row.check_run_open } }),
    ...(row.comment_id === null ? {} : { commentId: Number(row.comment_id) }),
  }
}
