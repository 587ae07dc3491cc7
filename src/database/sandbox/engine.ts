import { PGlite, type PGliteInterface } from '@electric-sql/pglite'
import { type SqlAnswer, SqlFailure } from '../access/session.ts'
import { ExtensionFiles } from './extension-files.ts'
import { TemplateFiles } from './template-files.ts'

/** What the prelude creates: its functions are called in any replay. */
const ALWAYS = ['pgcrypto', 'uuid-ossp']

/** Smaller segments of the write-ahead log than the 16 MB of a server: they are most of a template that is unpacked for each replay. */
const INITDB = ['--wal-segsize=1']

/** The engine no longer answers: its memory is damaged, and nothing it says can be trusted. */
export class EngineDied extends Error {}

/** The embedded PostgreSQL. Simple protocol, errors as `SqlFailure`, a dead engine as `EngineDied`. */
export class Engine {
  private readonly db: PGliteInterface
  private readonly extensions: ExtensionFiles

  private constructor(db: PGlite) {
    this.db = db
    this.extensions = new ExtensionFiles(db.Module.FS)
    for (const name of ALWAYS) this.extensions.provide(name)
  }

  /** Starts from a template (a tar of a data directory, whose bytes become the engine's own), or from nothing. */
  static async start(template?: Uint8Array<ArrayBuffer>): Promise<Engine> {
    return new Engine(await PGlite.create(template ? { fs: new TemplateFiles(template), username: 'supabase_admin' } : { initDbStartParams: INITDB }))
  }

  async exec(sql: string): Promise<SqlAnswer> {
    this.extensions.provideFor(sql)
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

  async close(): Promise<void> {
    await this.db.close()
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
  const e = error as { code?: unknown; message?: string; detail?: string; hint?: string; position?: string; where?: string }
  if (typeof e.code !== 'string' || !/^[0-9A-Z]{5}$/.test(e.code)) return new EngineDied(e.message ?? 'the engine stopped')
  const inner = /^SQL statement "([\s\S]+?)"\nPL\/pgSQL function /.exec(e.where ?? '')?.[1]
  return new SqlFailure(e.code, e.message ?? '', {
    ...(e.detail ? { detail: e.detail } : {}),
    ...(e.hint ? { hint: e.hint } : {}),
    ...(e.position ? { position: Number(e.position) } : {}),
    ...(inner ? { inner } : {}),
  })
}
