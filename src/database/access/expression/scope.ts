import { both, type Term, type Ways } from './predicate.ts'
import type { ParseSql, Tree } from './tree.ts'

/** A function as far as its meaning matters. */
export interface KnownFunction {
  readonly schema: string
  readonly name: string
  readonly args: readonly { readonly name?: string; readonly type: string; readonly hasDefault?: boolean }[]
  readonly outputs?: readonly string[]
  readonly returns: string
  readonly language: string
  readonly body: string
}

/** What names mean: the catalog, and the parsers. */
export interface World {
  readonly parse: ParseSql
  /** libpg-query's JSON of one plpgsql body; undefined when it cannot be parsed. */
  readonly parseBody: (fn: KnownFunction) => Tree | undefined
  /** Qualified name of a table or view; unqualified names are looked up along the search path. */
  readonly table: (schema: string | undefined, name: string) => string
  /** The query of a view that browsers cannot read themselves; one that they can read is judged as a view. */
  readonly view: (name: string) => Tree | undefined
  /** Columns of a qualified table; undefined when they are not known. */
  readonly columns: (table: string) => readonly string[] | undefined
  readonly functions: (schema: string | undefined, name: string, argumentCount: number) => KnownFunction | undefined
  /** Whom `current_user` names in a function (`public.is_member`) that runs with the rights of its owner; undefined where it runs as whoever calls. */
  readonly runsAs: (name: string) => string | undefined
  /** Whether the replay had to make up a function of that name: what it returns is not known. */
  readonly missing: (name: string) => boolean
}

/** One use of a table (or of a function's result) in a predicate. */
export interface Instance {
  readonly id: number
  /** Qualified; undefined for functions and sub-queries in FROM. */
  readonly table?: string
  /** Read inside a SECURITY DEFINER function, past row level security of the caller. */
  readonly definer?: true
}

/** A name in a FROM list. */
export interface Frame {
  readonly alias: string
  readonly schema?: string
  readonly instance: number
  /** Undefined: any column may exist. */
  readonly columns?: readonly string[]
  /** Columns that stand for other terms (sub-queries, functions). `*` answers for any. */
  readonly derived?: ReadonlyMap<string, Alternatives>
}

/** A scalar may be one of several terms, each under its own conditions. */
export type Alternatives = readonly { readonly term: Term; readonly when: Ways }[]

/** What a plpgsql variable holds. */
export interface Variable {
  readonly value: Alternatives
  /** Of a record: the FROM list that its fields come from, and the fields that were named in the target list. */
  readonly record?: readonly Frame[]
  readonly fields?: ReadonlyMap<string, Alternatives>
  /** The SQL that it holds when it is put together for EXECUTE. */
  readonly texts?: readonly DynamicText[]
}

/** SQL that a function puts together: what is not known has a name in it, and `values` says what it stands for. */
export interface DynamicText {
  readonly sql: string
  readonly values: ReadonlyMap<string, Alternatives>
}

/** Names visible to an expression, innermost first. */
export interface Scope {
  readonly frames: readonly Frame[]
  readonly outer?: Scope
  readonly variables: ReadonlyMap<string, Variable>
  readonly ctes?: ReadonlyMap<string, Tree>
  /** plpgsql's FOUND: the ways in which the last query yields a row. */
  readonly found?: Ways
  /** Functions being inlined, against recursion. */
  readonly inside: readonly string[]
}

/** Finds the frame that a column reference means, by SQL's rules: innermost FROM list first. */
export function findColumn(scope: Scope, parts: readonly string[]): { readonly frame: Frame; readonly column: string } | undefined {
  const column = parts.at(-1) as string
  const qualifier = parts.length > 1 ? parts.at(-2) : undefined
  let vague: { frame: Frame; column: string } | undefined
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    for (const frame of at.frames) {
      if (qualifier !== undefined) {
        if (frame.alias === qualifier && (parts.length < 3 || frame.schema === undefined || frame.schema === parts.at(-3))) return { frame, column }
      } else if (frame.derived?.has(column) || frame.columns?.includes(column)) {
        return { frame, column }
      } else if (!frame.columns && !frame.derived) {
        vague ??= { frame, column }
      }
    }
  }
  return vague ?? ofTheOnlyTable(scope, parts)
}

/** A column that no SQL of the repository adds, where a single table is read: the database has it, or the query would not run. */
function ofTheOnlyTable(scope: Scope, parts: readonly string[]): { readonly frame: Frame; readonly column: string } | undefined {
  const [frame, second] = scope.frames
  const [column, more] = parts
  if (!frame || second || frame.derived || column === undefined || more !== undefined || /^tg_/i.test(column)) return undefined
  // the name of a table stands for its row
  for (let at: Scope | undefined = scope; at; at = at.outer) if (at.frames.some((f) => f.alias === column)) return undefined
  return { frame, column }
}

/** No variables: what a query outside of any function has. */
export const NO_VARIABLES: ReadonlyMap<string, Variable> = new Map()

/** Every column of a sub-query, a view or a function's result. */
export function rowOf({ derived }: Frame): Alternatives | undefined {
  return derived && (derived.get('*') ?? (derived.size ? [...derived.values()].flat().slice(0, 32) : undefined))
}

/** Values that only hold where something else does. */
export const under = (when: Ways, values: Alternatives): Alternatives => values.map((v) => ({ term: v.term, when: both(when, v.when) }))

/** Schema and name of a qualified table. */
export function splitName(table: string): [string, string] {
  const dot = table.indexOf('.')
  return [table.slice(0, dot), table.slice(dot + 1)]
}
