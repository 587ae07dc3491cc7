import { SqlFailure } from '../access/trials/access-session.ts'
import type { Engine } from './engine.ts'

/** PL/pgSQL cannot end a transaction that began outside of it. */
const INVALID_TRANSACTION_TERMINATION = '2D000'

/**
 * Roles of the platform that `postgres` may grant and configure, and neither rename nor give other rights, although PostgreSQL would let it
 * (supautils, `reserved_roles`). Renaming `anon` would close every table to visitors, in the sandbox alone.
 */
export class ReservedRoles {
  readonly #engine: Engine
  #last = 0
  #before = ''

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The roles that are there now are the platform's. */
  async begin(): Promise<void> {
    const { rows } = await this.#engine.ask('select max(oid)::int8 as last from pg_roles')
    this.#last = Number(rows[0]?.['last'] ?? 0)
    this.#before = await this.#state()
  }

  /** Runs a statement that may reach them; one that changes them has no effect and is refused as the platform refuses it. */
  async keptBy(sql: string): Promise<void> {
    try {
      await this.#engine.exec(`begin; ${sql}`)
    } catch (error) {
      await this.#engine.exec('rollback')
      if (!(error instanceof SqlFailure) || error.code !== INVALID_TRANSACTION_TERMINATION) throw error
      await this.#engine.exec(sql)
      return
    }
    if ((await this.#state()) === this.#before) {
      await this.#engine.exec('commit')
      return
    }
    await this.#engine.exec('rollback')
    throw new SqlFailure('42501', 'it changes a reserved role, which only superusers can modify')
  }

  async #state(): Promise<string> {
    const { rows } = await this.#engine.ask(
      `select string_agg(concat_ws(' ', oid, rolname, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls), ',' order by oid) as state from pg_roles where oid <= ${this.#last} and rolname <> 'postgres'`,
    )
    return String(rows[0]?.['state'])
  }
}
