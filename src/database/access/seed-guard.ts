import type { Table } from '../database.ts'
import { nameOf } from './policies/read-policies.ts'
import { identOf } from './sql.ts'
import { Tampered } from './tampered.ts'
import type { AccessSession, SqlAnswer } from './trials/access-session.ts'
import type { SeededRow, User } from './trials/seed-values.ts'

/**
 * Tables whose new rows run code of the repository although triggers are off: functions and operators in CHECK constraints, defaults, generated columns and
 * index expressions, domains, and triggers that are always enabled.
 */
async function codeOnInsert(session: AccessSession): Promise<ReadonlySet<string>> {
  const { rows } = await session.ask(`
    with own as (select 'pg_proc'::regclass as class, oid from pg_proc where oid >= 16384 union all select 'pg_operator'::regclass, oid from pg_operator where oid >= 16384),
    using_own as (select distinct d.classid, d.objid from pg_depend d join own on d.refclassid = own.class and d.refobjid = own.oid)
    select distinct n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid >= 16384 and c.relkind in ('r', 'p') and (
      exists (select from pg_constraint k join using_own u on u.classid = 'pg_constraint'::regclass and u.objid = k.oid where k.conrelid = c.oid)
      or exists (select from pg_attrdef f join using_own u on u.classid = 'pg_attrdef'::regclass and u.objid = f.oid where f.adrelid = c.oid)
      or exists (select from pg_index i join using_own u on u.classid = 'pg_class'::regclass and u.objid = i.indexrelid where i.indrelid = c.oid)
      or exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid >= 16384 and t.typtype <> 'e' and t.typtype <> 'b')
      or exists (select from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_type e on e.oid = t.typelem where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and e.oid >= 16384 and e.typtype in ('d', 'c'))
      or exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled in ('A', 'R')))`)
  return new Set(rows.map((r) => String(r['name'])))
}

/** Watches that making rows changes nothing of who may do what. */
export class SeedGuard {
  readonly #session: AccessSession
  readonly #before: string
  readonly #code: ReadonlySet<string>
  readonly #step: string

  private constructor(session: AccessSession, step: string, before: string, code: ReadonlySet<string>) {
    this.#session = session
    this.#step = step
    this.#before = before
    this.#code = code
  }

  /** Begins inside of the attempt named `step`. */
  static async begin(session: AccessSession, step: string): Promise<SeedGuard> {
    return new SeedGuard(session, step, await session.securityState(), await codeOnInsert(session))
  }

  /** Makes a row. Where that runs code which changes who may do what, the replay starts again without the row, and a gap says so. */
  async around<T>(table: Table, make: () => Promise<T>): Promise<T | string> {
    const name = nameOf(table)
    if (!this.#code.has(name)) return make()
    const label = `rows of ${name}`
    if (!this.#session.mayRead(label)) {
      this.#session.gap({
        path: table.at.path,
        line: table.at.line,
        because: `a new row of ${name} runs code that changes who may do what (a default, a check or a trigger): what ${name} allows was read, not tried`,
        touches: (['table', 'rls', 'policy', 'grant'] as const).map((topic) => ({ topic, object: name })),
      })
      return 'a new row runs code that changes who may do what'
    }
    const made = await make()
    await this.#unchanged()
    this.#session.mayRead(this.#step)
    return made
  }

  /** Nothing else changed either. */
  async end(): Promise<void> {
    await this.#unchanged()
  }

  /** Rows that were made and are gone: code that a later row ran took them away, and a trial that finds nothing would mean nothing. */
  async vanished(rows: ReadonlyMap<string, Readonly<Partial<Record<User, SeededRow>>>>): Promise<ReadonlyMap<string, string>> {
    if (!this.#code.size) return new Map()
    const gone = new Map<string, string>()
    for (const [name, users] of rows)
      for (const row of Object.values(users)) {
        const there: SqlAnswer = await this.#session.exec(`select 1 as there from ${identOf(name)} where ctid = '${row.ctid}'`)
        if (!there.rows.length) gone.set(name, 'its row was taken away again by code that another row runs')
      }
    return gone
  }

  async #unchanged(): Promise<void> {
    if ((await this.#session.securityState()) !== this.#before) throw new Tampered('making rows changed who may do what')
  }
}
