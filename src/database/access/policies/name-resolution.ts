import type { Catalog, View } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import type { KnownFunction, World } from '../expression/scope.ts'
import type { Tree } from '../expression/tree.ts'
import type { AccessSession } from '../trials/access-session.ts'

/** Columns of platform tables that policies refer to and the repository does not create. */
const PLATFORM_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'auth.users': [
    'id',
    'aud',
    'role',
    'email',
    'raw_app_meta_data',
    'raw_user_meta_data',
    'created_at',
    'updated_at',
    'phone',
    'email_confirmed_at',
    'is_anonymous',
    'is_super_admin',
    'last_sign_in_at',
    'banned_until',
    'deleted_at',
  ],
  'storage.objects': [
    'id',
    'bucket_id',
    'name',
    'owner',
    'owner_id',
    'metadata',
    'path_tokens',
    'created_at',
    'updated_at',
    'last_accessed_at',
    'version',
    'user_metadata',
    'level',
  ],
  'storage.buckets': ['id', 'name', 'owner', 'owner_id', 'public', 'created_at', 'updated_at', 'file_size_limit', 'allowed_mime_types'],
  'realtime.messages': ['id', 'topic', 'extension', 'payload', 'event', 'private', 'inserted_at', 'updated_at'],
}

/** What names in policies and functions mean: the catalog, opened through the session's parsers. */
export function worldOf(session: Pick<AccessSession, 'parse' | 'parsePlPgSql'>, catalog: Catalog): World & JudgeWorld {
  const columns = new Map<string, readonly string[]>(Object.entries(PLATFORM_COLUMNS))
  const defaults = new Map<string, string>()
  for (const table of catalog.tables) {
    const name = `${table.schema}.${table.name}`
    // what the replay made up shows some columns only
    if (!table.stub && !table.columns.some((c) => c.stub))
      columns.set(
        name,
        table.columns.map((c) => c.name),
      )
    for (const column of table.columns) {
      const literal = /^'((?:[^']|'')*)'(?:::|$)/.exec(column.default ?? '')?.[1] ?? /^(true|false|-?[\d.]+)$/.exec(column.default ?? '')?.[1]
      if (literal !== undefined) defaults.set(`${name}.${column.name}`, literal)
    }
  }
  const known = new Set([...columns.keys(), ...catalog.tables.map((t) => `${t.schema}.${t.name}`), ...catalog.views.map((v) => `${v.schema}.${v.name}`)])
  const hidden = new Map(catalog.views.filter(isHidden).map((v) => [`${v.schema}.${v.name}`, v]))
  const queries = new Map<string, Tree | undefined>()
  const parse: World['parse'] = (sql) => (session.parse(sql) as { stmts?: readonly { stmt: Tree }[] } | undefined) ?? {}
  const functions = new Map<string, KnownFunction[]>()
  for (const fn of catalog.functions) if (!fn.stub) functions.set(fn.name, [...(functions.get(fn.name) ?? []), fn])
  const missing = new Set(catalog.functions.flatMap((fn) => (fn.stub && !functions.has(fn.name) ? [fn.name] : [])))
  const owners = new Map<string, string>(catalog.functions.flatMap((fn) => (fn.securityDefiner ? [[`${fn.schema}.${fn.name}`, fn.owner] as const] : [])))
  const scalars = new Set([...EXTENSION_SCALARS, ...catalog.enums.map((e) => e.name)])
  const bodies = new Map<KnownFunction, Tree | undefined>()
  return {
    parse,
    view: (name) => {
      const view = hidden.get(name)
      if (view && !queries.has(name)) queries.set(name, parse(view.definition).stmts?.[0]?.stmt['SelectStmt'] as Tree | undefined)
      return view && queries.get(name)
    },
    parseBody: (fn) => {
      if (!bodies.has(fn)) bodies.set(fn, session.parsePlPgSql(asCreate(fn, scalars)) as Tree | undefined)
      return bodies.get(fn)
    },
    table: (schema, name) => {
      if (schema) return `${schema}.${name}`
      return ['public', 'auth', 'storage', 'extensions'].map((s) => `${s}.${name}`).find((q) => known.has(q)) ?? `public.${name}`
    },
    columns: (table) => columns.get(table),
    functions: (schema, name, count) => {
      const all = (functions.get(name) ?? []).filter((f) => schema === undefined || f.schema === schema)
      if (count < 0) return all[0]
      return all.find((f) => f.args.length === count) ?? all.find((f) => f.args.length > count && f.args.slice(count).every((a) => a.hasDefault)) ?? undefined
    },
    runsAs: (name) => owners.get(name),
    missing: (name) => missing.has(name),
    defaultOf: (table, column) => defaults.get(`${table}.${column}`),
  }
}

/** A view that shows browsers nothing of its own: it runs with the reader's rights, or they may not read it. */
function isHidden(view: View): boolean {
  return (
    (view.securityInvoker && !view.materialized) ||
    !view.grants.some((g) => g.privilege === 'select' && (g.role === 'anon' || g.role === 'authenticated' || g.role.toLowerCase() === 'public'))
  )
}

/** Types that extensions bring and that hold one value. */
const EXTENSION_SCALARS = ['citext', 'vector', 'halfvec', 'geography', 'geometry', 'ltree', 'hstore']

/**
 * `  caller_role public.app_role := 'user';`: the parser has no catalog and takes a type it does not know for a row, into which nothing can be
 * read beside other variables.
 */
const DECLARATION =
  /^([ \t]*(?:declare[ \t]+)?"?\w{1,63}"?[ \t]+(?:constant[ \t]+)?)((?:"?\w{1,63}"?\.)?"?\w{1,63}"?)((?:\([\d, ]{1,20}\)|\[\])?[ \t]*(?:;|:=|=|default\b|not\b))/gim

/** A body as a statement that the plpgsql parser takes. Column types do not matter to it: arguments are text. */
function asCreate(fn: KnownFunction, scalars: ReadonlySet<string>): string {
  const body = fn.body.replace(DECLARATION, (whole, before: string, type: string, after: string) =>
    scalars.has(type.replace(/^.*\./, '').replaceAll('"', '').toLowerCase()) ? `${before}text${after}` : whole,
  )
  let tag = '$body$'
  while (body.includes(tag)) tag = `$b${tag.length}${tag.slice(1)}`
  const args = fn.args.map((a, i) => `${a.name ? `"${a.name}"` : `"$arg${i + 1}"`} text`)
  const outputs = (fn.outputs ?? []).map((name) => `"${name}" text`)
  return `create function f(${args.join(', ')}) returns ${returnsOf(fn, outputs)} language plpgsql as ${tag}${body}${tag}`
}

/** Outputs are declared as a table's columns: `RETURN` without a value is right in both, and the body may name them. */
function returnsOf(fn: KnownFunction, outputs: readonly string[]): string {
  if (outputs.length) return `table (${outputs.join(', ')})`
  if (/^(setof|table)/i.test(fn.returns)) return 'setof record'
  if (/^(trigger|void)$/.test(fn.returns)) return fn.returns
  return /^bool/.test(fn.returns) ? 'boolean' : 'text'
}
