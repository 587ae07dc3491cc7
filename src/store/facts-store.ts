import { gunzipSync, gzipSync } from 'node:zlib'
import type { DatabaseResult, ReplayCache } from '../database/database.ts'
import type { Extraction } from '../facts/facts.ts'
import type { FactsCache } from '../facts/gather.ts'
import type { Snapshot } from '../source/source.ts'
import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

/** Rows in one statement. */
const CHUNK = 500
/** Facts of one file that are larger are extracted again instead of stored. */
const MAX_VALUE = 4 << 20

/**
 * Nothing is stored of a repository that has no target any more: the App was uninstalled while an audit ran. The lock makes `forgetRepositories`,
 * which deletes targets first, wait for what is being written, so that it deletes that as well.
 */
const KNOWN_REPOSITORY = `with known as materialized (select 1 from ${SCHEMA}.targets where repository = $1 limit 1 for key share)`

/** Facts as they are stored, by the keys of `keyedExtractorsFor`. Whoever needs them packs and unpacks them, in the thread where they are needed. */
export interface PackedFacts {
  get(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  put(entries: ReadonlyMap<string, string>): Promise<void>
}

/** Facts of one repository, kept between audits. Repositories never share facts: one cannot learn what another holds. */
export function packedFacts(sql: Sql, repository: number): PackedFacts {
  return {
    async get(keys) {
      const found = new Map<string, string>()
      for (let i = 0; i < keys.length; i += CHUNK) {
        const rows = await sql.query<{ key: string; value: string }>(
          `update ${SCHEMA}.facts set used = current_date where repository = $1 and key = any($2::text[]) and used < current_date returning key, value`,
          [repository, keys.slice(i, i + CHUNK)],
        )
        const fresh = await sql.query<{ key: string; value: string }>(
          `select key, value from ${SCHEMA}.facts where repository = $1 and key = any($2::text[])`,
          [repository, keys.slice(i, i + CHUNK)],
        )
        for (const row of [...rows, ...fresh]) found.set(row.key, row.value)
      }
      return found
    },
    async put(entries) {
      const rows = [...entries]
      for (let i = 0; i < rows.length; i += CHUNK) {
        const part = rows.slice(i, i + CHUNK)
        await sql.query(
          `${KNOWN_REPOSITORY} insert into ${SCHEMA}.facts (repository, key, value, bytes) select $1, k, v, length(v) from known, unnest($2::text[], $3::text[]) as t(k, v) on conflict (repository, key) do update set used = current_date`,
          [repository, part.map(([key]) => key), part.map(([, value]) => value)],
        )
      }
    },
  }
}

/** The facts of one repository for an audit in this thread. */
export function factsCache(sql: Sql, repository: number): FactsCache {
  const packed = packedFacts(sql, repository)
  return {
    get: async (keys) => unpackFacts(await packed.get(keys)),
    put: (entries) => packed.put(packFacts(entries)),
  }
}

/** Replays of one repository's SQL, kept among its facts: a pull request that leaves the SQL alone starts no database. */
export function replayCache(facts: PackedFacts): ReplayCache {
  return {
    async get(digest) {
      const value = (await facts.get([`replay:${digest}`])).get(`replay:${digest}`)
      return value === undefined ? undefined : unpack<DatabaseResult>(value)
    },
    async put(digest, result) {
      const value = pack(result)
      if (value.length <= MAX_VALUE) await facts.put(new Map([[`replay:${digest}`, value]]))
    },
  }
}

/** What is stored of extractions: too large ones are left out. */
export function packFacts(entries: ReadonlyMap<string, Extraction>): Map<string, string> {
  return new Map([...entries].map(([key, value]) => [key, pack(value)] as const).filter(([, value]) => value.length <= MAX_VALUE))
}

export function unpackFacts(rows: ReadonlyMap<string, string>): Map<string, Extraction> {
  return new Map([...rows].map(([key, value]) => [key, unpack<Extraction>(value)]))
}

/** File listings of commits of one repository. */
export function snapshotCache(sql: Sql, repository: number): { get(commit: string): Promise<Snapshot | undefined>; put(snapshot: Snapshot): Promise<void> } {
  return {
    async get(commit) {
      const [row] = await sql.query<{ value: string }>(`select value from ${SCHEMA}.snapshots where repository = $1 and commit_sha = $2`, [repository, commit])
      return row && unpack<Snapshot>(row.value)
    },
    async put(snapshot) {
      const value = pack(snapshot)
      if (value.length > MAX_VALUE) return
      await sql.query(
        `${KNOWN_REPOSITORY} insert into ${SCHEMA}.snapshots (repository, commit_sha, value, bytes) select $1, $2, $3, $4 from known on conflict (repository, commit_sha) do update set used = current_date`,
        [repository, snapshot.commit, value, value.length],
      )
    },
  }
}

/** Facts shrink to about a sixth; base64 because both databases take text the same way. */
function pack(value: unknown): string {
  return gzipSync(JSON.stringify(value), { level: 1 }).toString('base64')
}

function unpack<T>(value: string): T {
  return JSON.parse(gunzipSync(Buffer.from(value, 'base64')).toString()) as T
}
