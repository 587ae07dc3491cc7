import { PGlite, type PGliteInterface } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { citext } from '@electric-sql/pglite/contrib/citext'
import { cube } from '@electric-sql/pglite/contrib/cube'
import { earthdistance } from '@electric-sql/pglite/contrib/earthdistance'
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch'
import { hstore } from '@electric-sql/pglite/contrib/hstore'
import { intarray } from '@electric-sql/pglite/contrib/intarray'
import { ltree } from '@electric-sql/pglite/contrib/ltree'
import { moddatetime } from '@electric-sql/pglite/contrib/moddatetime'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto'
import { tablefunc } from '@electric-sql/pglite/contrib/tablefunc'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { uuid_ossp } from '@electric-sql/pglite/contrib/uuid_ossp'
import { vector } from '@electric-sql/pglite-pgvector'
import { type SqlAnswer, SqlFailure } from '../access/session.ts'

/** Extensions that the engine really has; the rest are stand-ins. */
const EXTENSIONS = {
  btree_gin,
  btree_gist,
  citext,
  cube,
  earthdistance,
  fuzzystrmatch,
  hstore,
  intarray,
  ltree,
  moddatetime,
  pg_trgm,
  pgcrypto,
  tablefunc,
  unaccent,
  uuid_ossp,
  vector,
}

/** Names for CREATE EXTENSION. */
export const REAL_EXTENSIONS: ReadonlySet<string> = new Set([...Object.keys(EXTENSIONS).filter((n) => n !== 'uuid_ossp'), 'uuid-ossp'])

/** The engine no longer answers: its memory is damaged, and nothing it says can be trusted. */
export class EngineDied extends Error {}

/** The embedded PostgreSQL. Simple protocol, errors as `SqlFailure`, a dead engine as `EngineDied`. */
export class Engine {
  private readonly db: PGliteInterface

  private constructor(db: PGliteInterface) {
    this.db = db
  }

  /** Starts from a template (a tar of a data directory), or from nothing. */
  static async start(template?: Blob): Promise<Engine> {
    const db = await PGlite.create({ extensions: EXTENSIONS, ...(template ? { loadDataDir: template, username: 'supabase_admin' } : {}) })
    return new Engine(db)
  }

  async exec(sql: string): Promise<SqlAnswer> {
    const results = await this.guard(() => this.db.exec(sql))
    if (results.length === 0) throw new EngineDied('the engine gave no answer')
    const withRows = results.findLast((r) => r.fields.length > 0) ?? results.at(-1)
    return { rows: withRows?.rows ?? [], affected: results.at(-1)?.affectedRows ?? 0 }
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<SqlAnswer> {
    const result = await this.guard(() => this.db.query<Record<string, unknown>>(sql, [...params]))
    return { rows: result.rows, affected: result.affectedRows ?? 0 }
  }

  async dump(): Promise<Uint8Array> {
    const file = await this.db.dumpDataDir('none')
    return new Uint8Array(await file.arrayBuffer())
  }

  private async guard<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      throw toFailure(error)
    }
  }
}

function toFailure(error: unknown): Error {
  const e = error as { code?: unknown; message?: string; detail?: string; hint?: string; position?: string }
  if (typeof e.code !== 'string' || !/^[0-9A-Z]{5}$/.test(e.code)) return new EngineDied(e.message ?? 'the engine stopped')
  return new SqlFailure(e.code, e.message ?? '', {
    ...(e.detail ? { detail: e.detail } : {}),
    ...(e.hint ? { hint: e.hint } : {}),
    ...(e.position ? { position: Number(e.position) } : {}),
  })
}
