import type { Place } from '../lib/place.ts'
import type { ExecutedText } from './access/expression/executed-text.ts'
import type { Hole, StoragePolicy } from './access/hole.ts'

export type { Hole, StoragePolicy } from './access/hole.ts'

/** One SQL file in the order in which it is replayed. */
export interface SqlFile {
  readonly path: string
  readonly text: string
  /**
   * `discarded`-like folders, seeds and tests never get here; see `plan-replay.ts`. `migration` and `schema` files are replayed in
   * the order given; `loose` ones are ordered in the sandbox by what they create and need; `generated` is DDL made from a Drizzle
   * or Prisma schema; `outline` is an export for reading, which shows tables and columns and nothing of who may reach them.
   */
  readonly role: 'migration' | 'schema' | 'generated' | 'loose' | 'outline'
  /** The independent database the file belongs to (a folder); '' when there is one only. */
  readonly database?: string
  /** For `generated`: the line of `path` that each line of `text` stems from. */
  readonly lines?: readonly number[]
}

/** A table that code queries, and the columns it names; shapes the stand-in when no SQL creates the table. */
export interface TableHint {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly type?: string }[]
  /** What rows cannot be without, by the types generated from the project: one column each. */
  readonly references?: readonly { readonly column: string; readonly table: string; readonly key: string }[]
}

/** What the sandbox replays. Everything in it is part of the cache key. */
export interface ReplayInput {
  readonly files: readonly SqlFile[]
  /** Schemas that the data API exposes; `public` when the repository does not say. */
  readonly exposedSchemas: readonly string[]
  /** `[api] auto_expose_new_tables`; undefined when the repository does not say. */
  readonly autoExpose?: boolean
  /** False when no data platform exposes tables to browsers (plain Postgres behind a server). */
  readonly exposedToBrowsers: boolean
  /** What code says of tables that the SQL may lack. */
  readonly hints?: readonly TableHint[]
}

/** Remembers results by digest of the input; may forget anything at any time. */
export interface ReplayCache {
  get(digest: string): Promise<DatabaseResult | undefined>
  put(digest: string, result: DatabaseResult): Promise<void>
}

/** Replays SQL and tries who can do what. Implemented by the sandbox (child process); JSON in, JSON out. */
export interface Database {
  replay(input: ReplayInput, cache?: ReplayCache): Promise<DatabaseResult>
  /**
   * Begins what is known before the code is read, without hints: a `replay` of the same SQL takes it over and brings them. One of other
   * SQL ends it. Without any SQL, what stands ready ends. For a process that audits one repository and has no cache of results.
   */
  begin?(input: ReplayInput): void
  /** Starts the sandbox ahead of time, so that it is ready when the facts are. */
  warm?(): void
  /** Ends what stands ready and is not at work. */
  rest?(): void
  /** Ends what is kept running. */
  close?(): Promise<void>
}

/** Everything the replay established. JSON, cached by digest of the input. */
export interface DatabaseResult {
  readonly catalog: Catalog
  readonly access: AccessMatrix
  readonly gaps: readonly DatabaseGap[]
  readonly statements: { readonly total: number; readonly applied: number; readonly explained: number }
  /** Paths in the order in which they were replayed. */
  readonly order?: readonly string[]
}

export interface DatabaseGap {
  readonly path: string
  readonly line?: number
  readonly because: string
  readonly touches: readonly {
    readonly topic: 'table' | 'rls' | 'policy' | 'grant' | 'function' | 'view' | 'bucket' | 'anything'
    readonly object?: string
    /** Of a policy for one command. */
    readonly command?: Command
  }[]
  /** The SQL as a whole could not be replayed: nothing is known of the database. */
  readonly lost?: true
}

export interface Catalog {
  readonly tables: readonly Table[]
  readonly policies: readonly Policy[]
  readonly views: readonly View[]
  readonly functions: readonly SqlFunction[]
  readonly buckets: readonly Bucket[]
  readonly enums: readonly { readonly schema: string; readonly name: string; readonly values: readonly string[] }[]
  readonly triggers: readonly Trigger[]
  /** True when any SQL of the repository speaks of storage objects or buckets. */
  readonly speaksOfStorage: boolean
}

/** A trigger of a table. `when` is the deparsed definition. */
export interface Trigger {
  /** Qualified name of the table. */
  readonly table: string
  readonly name: string
  /** Identity of the function, such as `public.handle_new_user()`. */
  readonly function: string
  /** `CREATE TRIGGER ...` as the database deparses it. */
  readonly when: string
  readonly timing: 'before' | 'after' | 'instead of'
  readonly events: readonly ('insert' | 'update' | 'delete' | 'truncate')[]
  readonly perRow: boolean
  readonly enabled: boolean
  readonly at?: Place
}

export type Command = 'select' | 'insert' | 'update' | 'delete'

/** Who holds which privilege. `columns` when it is granted for some columns only. */
export interface Grant {
  readonly role: string
  readonly privilege: Command | 'execute' | 'truncate' | 'references' | 'trigger'
  readonly columns?: readonly string[]
  /** The GRANT statement of the repository that gave it; absent for platform defaults. */
  readonly at?: Place
}

export interface Table {
  readonly schema: string
  readonly name: string
  /** What an ORM's client calls it, in lower case, where that is another name: `mesocycle` of `model Mesocycle { @@map("mesocycles") }`. */
  readonly calledInCode?: string
  readonly kind: 'table' | 'partitioned' | 'partition' | 'foreign'
  /** Qualified name of the role that owns it; owners bypass RLS that is not forced. */
  readonly owner: string
  /** Qualified name of the partitioned table that a partition belongs to. */
  readonly parent?: string
  /** Set for tables that an extension brought along. */
  readonly extension?: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  /** Unique keys and unique indexes; `partial` when it has a WHERE or expressions. */
  readonly uniques: readonly { readonly columns: readonly string[]; readonly partial?: true }[]
  /** Tables of the same name in other databases of the repository that are open as well. */
  readonly alsoOpenAt?: readonly Place[]
  readonly foreignKeys: readonly {
    readonly columns: readonly string[]
    readonly references: string
    readonly referencedColumns: readonly string[]
    /** The row goes when the one it refers to goes. */
    readonly cascades?: true
  }[]
  /** CHECK constraints as the database deparses them. */
  readonly checks?: readonly string[]
  readonly rls: {
    readonly enabled: boolean
    readonly forced: boolean
    /** The statement that last changed it. */
    readonly at?: Place
    /** The table was made in the dashboard and has policies: taken for enabled, although no statement says so. */
    readonly assumed?: true
  }
  readonly grants: readonly Grant[]
  /** CREATE TABLE (or the generated schema's line). */
  readonly at: Place
  /** True when no SQL of the repository creates it and the replay had to make it up. */
  readonly stub?: true
  /** True when only an export for reading shows it: its columns are known, who may reach it is not. */
  readonly outlined?: true
  /** See checks.md "User data"; undefined when the rows belong to nobody. */
  readonly userData?: UserData
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  readonly default?: string
  readonly generated?: true
  readonly identity?: 'always' | 'by default'
  readonly at?: Place
  /** True when the replay had to make the column up. */
  readonly stub?: true
}

/** Why a table's rows belong to somebody. */
export interface UserData {
  readonly because: string
  /** Columns that hold the owner's user id (directly). */
  readonly ownerColumns: readonly string[]
  readonly tenantColumns: readonly string[]
  /** Columns with personal or private content. */
  readonly personalColumns: readonly string[]
  /** Columns that grant power or money (`role`, `plan`, `credits`, …). */
  readonly powerColumns: readonly string[]
}

export interface Policy {
  readonly schema: string
  readonly table: string
  readonly name: string
  readonly command: Command | 'all'
  readonly permissive: boolean
  readonly roles: readonly string[]
  /** Deparsed by the database. */
  readonly using?: string
  readonly check?: string
  /** The last statement that defined it. */
  readonly at: Place
  /** Names of made-up tables and functions in its path: what it allows could not be tried faithfully. */
  readonly dependsOnStubs?: readonly string[]
}

export interface View {
  readonly schema: string
  readonly name: string
  readonly materialized: boolean
  readonly securityInvoker: boolean
  readonly definition: string
  /** Qualified names of the tables and views it reads, transitively. */
  readonly reads: readonly string[]
  readonly owner: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly grants: readonly Grant[]
  readonly at: Place
}

export interface SqlFunction {
  readonly schema: string
  readonly name: string
  /** `f(uuid, text)` argument types as the database names them. */
  readonly identity: string
  readonly args: readonly { readonly name?: string; readonly type: string; readonly hasDefault?: boolean }[]
  /** Names of its OUT parameters and of the columns of RETURNS TABLE. */
  readonly outputs?: readonly string[]
  readonly returns: string
  readonly language: string
  readonly securityDefiner: boolean
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  readonly isTrigger: boolean
  readonly body: string
  readonly setsSearchPath: boolean
  /** Roles among anon, authenticated and service_role that may execute it, plus others named in its grants. */
  readonly executableBy: readonly string[]
  readonly owner: string
  /** GRANT and REVOKE statements that last changed who may execute it. */
  readonly grants?: readonly Grant[]
  readonly at: Place
  /** True when no SQL of the repository creates it and the replay had to make it up. */
  readonly stub?: true
  /** Of PL/pgSQL: the parameter that stands unquoted in the text that it executes. */
  readonly executes?: ExecutedText
}

export interface Bucket {
  readonly name: string
  readonly public: boolean
  readonly at?: Place
}

/** What was tried, object by object. */
export interface AccessMatrix {
  readonly objects: readonly AccessObject[]
  /** What others can do that they should not, with its cause and a fix. */
  readonly holes?: readonly Hole[]
  /** Schemas that the data API exposes, and whether it grants new tables by itself (undefined: the repository does not say). */
  readonly exposedSchemas?: readonly string[]
  readonly autoExpose?: boolean
  /** What the policies on storage objects speak of. */
  readonly storage?: readonly StoragePolicy[]
  /** Policies that rest on functions which no SQL of the repository defines: whom they let in is not known. */
  readonly undecided?: readonly UndecidedPolicy[]
}

/** A policy of which the repository does not show whom it lets in, for one command. */
export interface UndecidedPolicy {
  /** Qualified name of the table. */
  readonly object: string
  readonly policy: string
  readonly command: Command
  /** The function as the policy, or what it calls, names it. */
  readonly function: string
  readonly at: Place
}

export interface AccessObject {
  readonly kind: 'table' | 'view' | 'bucket' | 'function'
  /** Qualified name, bucket name or function identity. */
  readonly object: string
  readonly rls?: boolean
  /** Of a function: it runs with its owner's rights, past row level security. */
  readonly definer?: true
  readonly cells: readonly AccessCell[]
}

export interface AccessCell {
  /** `anon`, or `A`: an ordinary signed-in user. */
  readonly role: 'anon' | 'A'
  readonly command: Command | 'execute'
  /** `tenant`: the row of the owner of a tenant in which the user is a plain member (an INSERT: the member's own row in it). */
  readonly row: 'own' | 'other' | 'forged' | 'tenant'
  readonly column?: string
  readonly result: 'allowed' | 'refused' | 'error'
  readonly because?: string
}
