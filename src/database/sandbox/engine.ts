import { PGlite } from '@electric-sql/pglite'
import { type Principal, ROLE_OF, type SqlAnswer, SqlFailure } from '../access/trials/access-session.ts'
import { AuthenticatedUser, CannotConfine, type EngineMemory } from './authenticated-user.ts'
import { ExtensionFiles } from './extension-files.ts'
import { TemplateFiles } from './template-files.ts'

/** What the prelude creates: its functions are called in any replay. */
const BASE_EXTENSIONS = ['pgcrypto', 'uuid-ossp']

/** Smaller segments of the write-ahead log than the 16 MB of a server: they are most of a template that is unpacked for each replay. */
const INITDB = ['--wal-segsize=1']

/** The engine no longer answers: its memory is damaged, and nothing it says can be trusted. */
export class EngineDied extends Error {}

/** Who the connection is authenticated as, and the object ids of those whom it may be. */
interface Confinement {
  readonly user: AuthenticatedUser
  readonly oids: Readonly<Record<Principal | 'administrator', number>>
}

/**
 * The embedded PostgreSQL. Simple protocol, errors as `SqlFailure`, a dead engine as `EngineDied`. Started from a template it is the owner's (`postgres`)
 * from the beginning: only `administer` runs anything as the superuser, and never SQL of a repository.
 */
export class Engine {
  private readonly db: PGlite
  private readonly extensions: ExtensionFiles
  private confinement: Confinement | undefined

  private constructor(db: PGlite) {
    this.db = db
    this.extensions = new ExtensionFiles(db.Module.FS)
    for (const name of BASE_EXTENSIONS) this.extensions.provide(name)
  }

  /** Starts from a template (a tar of a data directory, whose bytes become the engine's own), or from nothing, as the superuser. */
  static async start(template?: Uint8Array<ArrayBuffer>): Promise<Engine> {
    if (!template) return new Engine(await PGlite.create({ initDbStartParams: INITDB }))
    const engine = new Engine(await PGlite.create({ fs: new TemplateFiles(template), username: ROLE_OF.administrator }))
    await engine.confine()
    return engine
  }

  /** Runs SQL as somebody who is no superuser; what a browser or the platform's own services run begins with SET LOCAL SESSION AUTHORIZATION. */
  async exec(sql: string, by: Principal = 'owner'): Promise<SqlAnswer> {
    this.extensions.provideFor(sql)
    if (by === 'owner') return this.run(sql)
    this.authenticateAs(by)
    try {
      return await this.run(sql)
    } finally {
      this.authenticateAs('owner')
    }
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<SqlAnswer> {
    const result = await this.guard(() => this.db.query<Record<string, unknown>>(sql, [...params]))
    return { rows: result.rows, affected: result.affectedRows ?? 0 }
  }

  /**
   * Asks the catalog where no object of the repository is found by name: its functions, operators and types are not on the path, and its temporary
   * tables come last. Outside of transactions only.
   */
  ask(sql: string): Promise<SqlAnswer> {
    return this.run(`set local search_path = pg_catalog, pg_temp; ${sql}`)
  }

  /**
   * Runs SQL of the auditor as the superuser, all of it or nothing. Text of a repository must not be in it but as quoted names: what PostgreSQL evaluates
   * while it reads a statement would run with these rights. No object of the repository is found by name, and no event trigger fires.
   */
  async administer(sql: string): Promise<SqlAnswer> {
    this.extensions.provideFor(sql)
    this.authenticateAs('administrator')
    try {
      return await this.run(
        `set local session authorization ${ROLE_OF.administrator}; set local event_triggers = off; set local search_path = pg_catalog, pg_temp; ${sql}`,
      )
    } finally {
      this.authenticateAs('owner')
    }
  }

  async dump(): Promise<Uint8Array> {
    const file = await this.db.dumpDataDir('none')
    return new Uint8Array(await file.arrayBuffer())
  }

  async close(): Promise<void> {
    await this.db.close()
  }

  /** From here on the session is the owner's, and cannot become anything that the owner may not. Throws `EngineDied` when that cannot be had. */
  private async confine(): Promise<void> {
    const { rows } = await this.run('select rolname, oid::int as oid from pg_catalog.pg_roles')
    const oidOf = (role: string): number => {
      const oid = rows.find((r) => r['rolname'] === role)?.['oid']
      if (typeof oid !== 'number') throw new EngineDied(`the role ${role} is missing`)
      return oid
    }
    const oids = {
      administrator: oidOf(ROLE_OF.administrator),
      owner: oidOf(ROLE_OF.owner),
      client: oidOf(ROLE_OF.client),
      accounts: oidOf(ROLE_OF.accounts),
    }
    try {
      const user = await AuthenticatedUser.find({
        exec: (sql) => this.run(sql),
        memory: () => this.db.Module as unknown as EngineMemory,
        superuser: oids.administrator,
        others: [
          [ROLE_OF.owner, oids.owner],
          [ROLE_OF.client, oids.client],
        ],
      })
      this.confinement = { user, oids }
    } catch (error) {
      throw error instanceof CannotConfine ? new EngineDied(error.message) : error
    }
    await this.run(`set session authorization ${ROLE_OF.owner}`)
    this.authenticateAs('owner')
    const escaped = await this.run(`set session authorization ${ROLE_OF.administrator}`).then(
      () => true,
      () => false,
    )
    if (escaped) throw new EngineDied('the engine let the owner become the superuser')
  }

  private authenticateAs(principal: Principal | 'administrator'): void {
    if (this.confinement) this.confinement.user.set(this.confinement.oids[principal])
  }

  private async run(sql: string): Promise<SqlAnswer> {
    const results = await this.guard(() => this.db.exec(sql))
    if (results.length === 0) throw new EngineDied('the engine gave no answer')
    const withRows = results.findLast((r) => r.fields.length > 0) ?? results.at(-1)
    return { rows: withRows?.rows ?? [], affected: results.at(-1)?.affectedRows ?? 0 }
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
