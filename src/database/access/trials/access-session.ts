import type { Catalog } from '../../database.ts'

/**
 * Who runs SQL. `owner` runs migrations and owns what they make; `client` is the data API before it takes the role of whoever asks; `accounts` is the
 * service that signs people up. None of them is a superuser, and none can become one.
 */
export type Principal = 'owner' | 'client' | 'accounts'

/** The platform's roles for them; the administrator is the embedded engine's superuser. */
export const ROLE_OF: Readonly<Record<Principal | 'administrator', string>> = {
  administrator: 'supabase_admin',
  owner: 'postgres',
  client: 'authenticator',
  accounts: 'supabase_auth_admin',
}

/** What makes a transaction somebody else's until it ends; refused unless the same principal is given to `exec`. */
export const actAs = (principal: Principal): string => `set local session authorization ${ROLE_OF[principal]};`

/**
 * The database as the access trials see it: the PGlite instance in which the SQL was just replayed, as its owner (`postgres`).
 * Everything runs in the sandbox's worker thread.
 */
export interface AccessSession {
  /**
   * Runs SQL (one or several statements, simple protocol) and gives the rows of the last one that returned any. Throws `SqlFailure`. By another
   * principal than the owner it begins a transaction or is inside one, and takes on the principal by `actAs`.
   */
  exec(sql: string, by?: Principal): Promise<SqlAnswer>
  /**
   * A digest of who may do what: owners, privileges, row security, policies, functions, triggers and memberships, read where no object of the
   * repository is found by name. Seeding and refreshing must not change it.
   */
  securityState(): Promise<string>
  /** Asks the catalog where no object of the repository is found by name. Outside of transactions, or as their last statement. */
  ask(sql: string): Promise<SqlAnswer>
  /** Runs one statement with parameters. Throws `SqlFailure`. */
  query(sql: string, params?: readonly unknown[]): Promise<SqlAnswer>
  /**
   * Runs what may hang or kill the engine. Should it, the sandbox starts again, replays, and this label answers `undefined` at once;
   * otherwise the result of `run`. Labels must be deterministic and unique (`table public.posts`).
   */
  attempt<T>(label: string, run: () => Promise<T>): Promise<T | undefined>
  /** Tells which step of reading begins; false when it hung or died in an earlier run and is to be left out. Labels as for `attempt`. */
  mayRead(label: string): boolean
  /** libpg-query's parse result of any SQL text; undefined when it cannot be parsed. */
  parse(sql: string): ParsedSql | undefined
  /** The parse tree of a boolean expression as the catalog deparses it (a policy's `using`); undefined when it cannot be parsed. */
  parseExpression(sql: string): Node | undefined
  /** libpg-query's tree of the plpgsql functions and DO blocks in a text; undefined when it cannot be parsed. */
  parsePlPgSql(sql: string): unknown
  /** The catalog as it is now, statements of an open transaction included: what a fix makes of the schema. */
  catalog(): Promise<Catalog>
  /** Milliseconds left of the time budget; trials should stop when little is left and declare a gap. */
  remainingMs(): number
  /** Some SQL of the repository makes the table (its plain name) with such a column or adds it, applied or not, or the code asks for it. */
  speaksOfColumn(table: string, column: string): boolean
  /** Adds a gap to the result. */
  gap(gap: import('../../database.ts').DatabaseGap): void
}

/** Rows of an answer and how many were affected (INSERT, UPDATE, DELETE). */
export interface SqlAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly affected: number
}

/** Nodes as libpg-query gives them: one key that names the kind. */
export type Node = Readonly<Record<string, unknown>>

export interface ParsedSql {
  readonly stmts: readonly { readonly stmt: Node; readonly stmt_location?: number; readonly stmt_len?: number }[]
}

/** An error that PostgreSQL answered. */
export class SqlFailure extends Error {
  readonly code: string
  readonly detail: string | undefined
  readonly hint: string | undefined
  readonly position: number | undefined
  /** The statement inside a block or function that failed. */
  readonly inner: string | undefined

  constructor(code: string, message: string, extra: { detail?: string; hint?: string; position?: number; inner?: string } = {}) {
    super(message)
    this.name = 'SqlFailure'
    this.code = code
    this.detail = extra.detail
    this.hint = extra.hint
    this.position = extra.position
    this.inner = extra.inner
  }
}
