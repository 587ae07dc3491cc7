import { gunzipSync, gzipSync } from 'node:zlib'
import type { AuditTarget } from './audit-target.ts'
import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

/** What a run says, without its annotations: GitHub only ever adds to those. */
export interface RunText {
  readonly title: string
  readonly summary: string
  readonly text?: string
}

/** The result of one pull request or push on one commit. */
export interface StoredVerdict {
  /** Key of the target. */
  readonly key: string
  readonly number?: number
  readonly baseRef?: string
  /** `cancelled`: the audit was stopped; its run may still be the newest on the commit. */
  readonly conclusion: 'success' | 'failure' | 'cancelled'
  readonly text: RunText
  /** The run that the audit was shown in. Ids grow: the greatest on a commit is the one that branch rules read. */
  readonly checkRun: number
  /** Whether it counts: the pull request is open and has this commit as its head; a push always counts. */
  readonly open: boolean
  /** Which verdicts the run shows; absent while it is being written, or when that is not known. */
  readonly shown?: string
}

interface VerdictRow extends Record<string, unknown> {
  readonly key: string
  readonly number: number | null
  readonly base_ref: string | null
  readonly conclusion: StoredVerdict['conclusion']
  readonly output: string
  readonly check_run_id: string | number
  readonly open: boolean
  readonly shown: string | null
}

/** Verdicts by commit and target: several pull requests and a push can share a commit, whose run then counts for all of them. */
export class VerdictStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Stores the result of an audit. It counts unless its pull request was closed, or moved on, while the audit ran. */
  async put(target: AuditTarget, sha: string, verdict: Pick<StoredVerdict, 'conclusion' | 'text' | 'checkRun'>): Promise<void> {
    await this.#sql.query(
      `insert into ${SCHEMA}.verdicts as v (repository, commit_sha, key, number, base_ref, conclusion, output, check_run_id, open)
         select repository, $2, key, $3, $4, $5, $6, $7, $5 <> 'cancelled' and ($8 or (state <> 'cancelled' and head_sha = $2)) from ${SCHEMA}.targets where key = $1 for key share
       on conflict (repository, commit_sha, key) do update set number = excluded.number, base_ref = excluded.base_ref, conclusion = excluded.conclusion,
         output = excluded.output, check_run_id = excluded.check_run_id, open = excluded.open, shown = null, at = now()`,
      [target.key, sha, target.number ?? null, target.baseRef ?? null, verdict.conclusion, pack(verdict.text), verdict.checkRun, target.kind === 'push'],
    )
  }

  async ofCommit(repository: number, sha: string): Promise<StoredVerdict[]> {
    const rows = await this.#sql.query<VerdictRow>(`select * from ${SCHEMA}.verdicts where repository = $1 and commit_sha = $2 order by at desc, key`, [
      repository,
      sha,
    ])
    return rows.map(toVerdict)
  }

  /** A run is about to be written; gives the number of this write. */
  async beginWrite(repository: number, sha: string, checkRun: number): Promise<number> {
    const [row] = await this.#sql.query<{ writes: number }>(
      `update ${SCHEMA}.verdicts set writes = writes + 1, shown = null where repository = $1 and commit_sha = $2 and check_run_id = $3 returning writes`,
      [repository, sha, checkRun],
    )
    return Number(row?.writes ?? 0)
  }

  /** The run was written. Remembered only when no other write began meanwhile: then nobody knows which of them GitHub took last. */
  async endWrite(repository: number, sha: string, checkRun: number, write: number, shown: string): Promise<void> {
    await this.#sql.query(`update ${SCHEMA}.verdicts set shown = $5 where repository = $1 and commit_sha = $2 and check_run_id = $3 and writes = $4`, [
      repository,
      sha,
      checkRun,
      write,
      shown,
    ])
  }

  /** The pull request was closed, or has another head now: its verdicts count no more, but for the one on `exceptSha`. Gives their commits. */
  async close(key: string, exceptSha = ''): Promise<string[]> {
    const rows = await this.#sql.query<{ commit_sha: string }>(
      `update ${SCHEMA}.verdicts set open = false, at = now() where key = $1 and commit_sha <> $2 and open and number is not null returning commit_sha`,
      [key, exceptSha],
    )
    return rows.map((r) => r.commit_sha)
  }

  /** The pull request is open again with this head. Whether its verdict had not counted. */
  async reopen(key: string, sha: string): Promise<boolean> {
    return (
      (
        await this.#sql.query(
          `update ${SCHEMA}.verdicts set open = true, at = now() where key = $1 and commit_sha = $2 and not open and conclusion <> 'cancelled' returning key`,
          [key, sha],
        )
      ).length > 0
    )
  }

  /** Whether the verdict of a pull request on a commit does not count although it exists. */
  async isClosed(key: string, sha: string): Promise<boolean> {
    return (await this.#sql.query(`select 1 from ${SCHEMA}.verdicts where key = $1 and commit_sha = $2 and not open`, [key, sha])).length > 0
  }

  /** Keys of the pull requests of a repository whose verdicts count and did so before a moment, in milliseconds. */
  async openPulls(repository: number, before: number): Promise<string[]> {
    const rows = await this.#sql.query<{ key: string }>(
      `select distinct key from ${SCHEMA}.verdicts where repository = $1 and open and number is not null and at < to_timestamp($2::float8 / 1000)`,
      [repository, before],
    )
    return rows.map((r) => r.key)
  }

  /** Commits whose newest run may not show what counts, because a process died or GitHub did not answer, with a target that names the repository. */
  async unshown(): Promise<{ target: AuditTarget; sha: string }[]> {
    const rows = await this.#sql.query<{ body: AuditTarget | string; commit_sha: string }>(
      `select distinct on (n.repository, n.commit_sha) t.body, n.commit_sha from (
         select distinct on (repository, commit_sha) * from ${SCHEMA}.verdicts order by repository, commit_sha, check_run_id desc
       ) n join ${SCHEMA}.verdicts o on o.repository = n.repository and o.commit_sha = n.commit_sha and o.open
         join ${SCHEMA}.targets t on t.key = o.key
       where n.at < now() - interval '30 seconds' and n.shown is distinct from (
         select ${SHOWN_VERDICTS} from ${SCHEMA}.verdicts c where c.repository = n.repository and c.commit_sha = n.commit_sha and c.open)
       limit 100`,
    )
    return rows.map((r) => ({ target: typeof r.body === 'string' ? (JSON.parse(r.body) as AuditTarget) : r.body, sha: r.commit_sha }))
  }
}

/** The verdicts that count, in short; `verdictsInShort` says the same. */
const SHOWN_VERDICTS = `string_agg(c.key || '=' || c.conclusion || '@' || c.check_run_id, ' ' order by c.key collate "C")`

/** Which verdicts a run shows: changes whenever the run would have to say something else. */
export function verdictsInShort(open: readonly StoredVerdict[]): string {
  return open
    .map((v) => ({ key: v.key, text: `${v.key}=${v.conclusion}@${v.checkRun}` }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    .map((v) => v.text)
    .join(' ')
}

function toVerdict(row: VerdictRow): StoredVerdict {
  return {
    key: row.key,
    ...(row.number === null ? {} : { number: Number(row.number) }),
    ...(row.base_ref === null ? {} : { baseRef: row.base_ref }),
    conclusion: row.conclusion,
    text: JSON.parse(gunzipSync(Buffer.from(row.output, 'base64')).toString()) as RunText,
    checkRun: Number(row.check_run_id),
    open: row.open,
    ...(row.shown === null ? {} : { shown: row.shown }),
  }
}

function pack(text: RunText): string {
  return gzipSync(JSON.stringify({ title: text.title, summary: text.summary, ...(text.text ? { text: text.text } : {}) }), { level: 1 }).toString('base64')
}
