import { createHash } from 'node:crypto'
import type { Advisory } from '../model/dependencies/advisory.ts'
import type { AdvisoryCache, CachedAdvisories } from '../platform/github/advisories.ts'
import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

/** Rows in one statement. */
const CHUNK = 1000

/** Answers of the advisory database, kept between audits and shared by all repositories: they are public and say nothing of who asked. */
export function advisoryCache(sql: Sql): AdvisoryCache {
  return {
    async packages(keys) {
      const found = new Map<string, CachedAdvisories>()
      for (let i = 0; i < keys.length; i += CHUNK) {
        const rows = await sql.query<{ package: string; value: string; asked: string }>(
          `select package, value, asked from ${SCHEMA}.advisories where package = any($1::text[])`,
          [keys.slice(i, i + CHUNK)],
        )
        for (const row of rows) found.set(row.package, { advisories: JSON.parse(row.value) as Advisory[], at: Number(row.asked) })
      }
      return found
    },
    async etag(url) {
      return (await sql.query<{ etag: string }>(`select etag from ${SCHEMA}.advisory_etags where url = $1`, [digest(url)]))[0]?.etag
    },
    async put(packages, etags) {
      const rows = [...packages]
      for (let i = 0; i < rows.length; i += CHUNK) {
        const part = rows.slice(i, i + CHUNK)
        await sql.query(
          `insert into ${SCHEMA}.advisories as a (package, value, asked) select p, v, t from unnest($1::text[], $2::text[], $3::bigint[]) as r(p, v, t)
           on conflict (package) do update set value = excluded.value, asked = excluded.asked where a.asked <= excluded.asked`,
          [part.map(([key]) => key), part.map(([, c]) => JSON.stringify(c.advisories)), part.map(([, c]) => c.at)],
        )
      }
      for (const [url, etag] of etags)
        await sql.query(`insert into ${SCHEMA}.advisory_etags (url, etag) values ($1, $2) on conflict (url) do update set etag = excluded.etag, at = now()`, [
          digest(url),
          etag,
        ])
    },
  }
}

/** A URL names a thousand packages; an index takes less. */
function digest(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}
