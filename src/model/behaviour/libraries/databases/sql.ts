import { looksLikeStatement } from '../../../../lexicon/sql-text.ts'
import { lastPart } from '../../../../lib/last-part.ts'
import { array, type Link, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { callValue, settle } from '../../operations.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client, DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { assignments, literalOf, outside } from './sql-assignments.ts'

/** Drivers and clients that take SQL text: each a direct connection. */
export const sqlPackages: Library = {
  packages: [
    'pg',
    'postgres',
    '@neondatabase/serverless',
    '@vercel/postgres',
    'mysql2',
    'mysql2/',
    'mysql',
    'better-sqlite3',
    'sqlite3',
    'sqlite',
    '@libsql/client',
    '@libsql/client/',
    '@planetscale/database',
    'pg-promise',
    'slonik',
    'mssql',
    'oracledb',
    '@mikro-orm/core',
    'postgresjs',
    'postgres/',
    '@electric-sql/pglite',
    'bun:sqlite',
    'knex',
    'kysely',
    '@databases/pg',
  ],
  call(c) {
    const pkg = c.root.v === 'lib' ? c.root.pkg : ''
    const last = c.links[c.links.length - 1]
    if (pkg === 'knex') return { v: 'client', client: { library: 'knex', rights: 'service', at: c.at } }
    if (pkg === 'kysely')
      return last?.name === 'new' && /Kysely/.test(c.name)
        ? { v: 'client', client: { library: 'kysely', rights: 'service', at: c.at } }
        : c.name === 'sql.raw' || c.name === 'sql.lit'
          ? { v: 'call', name: 'sql.raw', args: c.args, at: c.at }
          : /^sql\.(?:ref|id|table|join|val)$/.test(c.name)
            ? { v: 'call', name: 'sql.bound', args: [], at: c.at }
            : undefined
    const made = { v: 'client' as const, client: { library: 'pg' as const, rights: 'service' as const, ...(pkg ? { driver: pkg } : {}), at: c.at } }
    if (pkg === '@vercel/postgres' && (c.name === 'sql.query' || c.name === 'db.query')) return queryText(c, { library: 'pg', rights: 'service' }, c.name)
    if (
      last?.name === 'new' ||
      /^(?:default|postgres|neon|createClient|createPool|createConnection|connect|open|Database|pgp|Pool|Client)$/.test(c.name || 'default')
    )
      return made
    // `Sequelize.literal(text)`, put into a condition or an order
    if (/(?:^|\.)literal$/.test(c.name)) return queryText(c, made.client, 'literal')
    if (/^(?:Sequelize|DataSource)\b/.test(c.name)) return made
    return undefined
  },
  tag(c, quasis, exprs) {
    return bindingTemplate(c, { library: 'pg', rights: 'service' }, quasis, exprs)
  },
}

/** Calls that take query text as first argument. */
const TEXT =
  /^(?:query|execute|raw|unsafe|exec|run|all|get|each|prepare|one|oneOrNone|many|manyOrNone|any|none|result|queryRaw|executeSql|batch|queryArray|queryObject|simple|multi)$/

/** Calls on an SQL client. */
export const sqlClient: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1]
    const method = last?.name ?? ''
    if (method === 'connect' || method === 'getConnection' || method === 'reserve' || method === 'getRepository')
      return method === 'getRepository' ? undefined : c.root
    if (method === 'release' || method === 'end' || method === 'close' || method === 'on') return UNKNOWN
    if (method === 'begin' || method === 'transaction' || method === 'tx' || method === 'task') {
      const fn = c.args.find((a) => a.v === 'fn')
      return fn ? settle(c.it, callValue(c.it, fn, [c.root], c.at), c.at) : c.root
    }
    // `sql(text)` runs a statement, `sql(name)` and `sql(rows)` quote identifiers and values
    if (method === 'call' && client.library === 'pg')
      return isStatement(c.args[0]) ? queryText(c, client, 'sql()') : { v: 'call', name: 'sql.bound', args: [], at: c.at }
    const prepared = method === 'prepare' ? undefined : c.links.find((l) => l.name === 'prepare' && l.args)
    if (prepared) return RUN.test(method) ? runPrepared(c, client, prepared) : undefined
    if (method === 'prepare') {
      emitText(c, client, method, c.args[0] ?? UNKNOWN)
      return undefined
    }
    if (method === 'literal') return queryText(c, client, method)
    if (queryBuilderText(c, client)) return undefined
    if (method === 'batch' && c.args[0]?.v === 'array') return batch(c, client, c.args[0].items)
    if (TEXT.test(method)) return queryText(c, client, method)
    return undefined
  },
  tag(c, quasis, exprs) {
    return bindingTemplate(c, (c.root as Extract<Val, { v: 'client' }>).client, quasis, exprs)
  },
}

/** Notes that a text is run as SQL. */
export function emitText(c: LibraryCall, client: Client, sink: string, text: Val): number {
  return c.it.whereWritten(asWritten(text), c.at, (at, inside) =>
    c.it.emit({ kind: 'query-text', client, sink, text, language: 'sql', ...(inside ? { inside } : {}) }, at),
  )
}

function isStatement(text: Val | undefined): boolean {
  const head = text?.v === 'text' ? text.parts[0] : text
  return head?.v === 'const' && typeof head.value === 'string' && VERB.test(head.value)
}

/** What runs a prepared statement; its arguments, or those of `bind`, are the parameters. */
const RUN = /^(?:all|get|run|first|each|iterate|raw|values)$/

function runPrepared(c: LibraryCall, client: Client, prepared: Link): Val {
  const bound = c.links.find((l) => l.name === 'bind' && l.args)?.args ?? c.args
  const parameters = bound.length === 1 && bound[0]?.v === 'array' ? bound[0] : array(bound)
  const step = statementEffect(c, client, prepared.args?.[0] ?? UNKNOWN, parameters) ?? -1
  const one = /^(?:get|first)$/.test(c.links[c.links.length - 1]?.name ?? '')
  const rows: Val = { v: 'row', table: '', step, ...(one ? {} : { many: true as const }) }
  return one ? rows : object({ results: rows, success: { v: 'result', step }, meta: { v: 'result', step } }, rows)
}

/** Conditions and orders that a query builder takes as SQL text: `createQueryBuilder('u').where(text)`. */
export function queryBuilderText(c: LibraryCall, client: Client): boolean {
  const last = c.links[c.links.length - 1]
  if (!/^(?:where|andWhere|orWhere|having|andHaving|orderBy|addOrderBy|select|addSelect)$/.test(last?.name ?? '')) return false
  if (!c.links.some((l) => l.name === 'createQueryBuilder')) return false
  const [text] = c.args
  if (text && (text.v === 'text' || text.v === 'request' || text.v === 'op' || text.v === 'any')) emitText(c, client, `.${last?.name}()`, text)
  return true
}

/** Runs a text; the effect of the statement, where its constant parts say what it is. */
export function queryText(c: LibraryCall, client: Client, sink: string): Val {
  const first = c.args[0] ?? UNKNOWN
  const text = first.v === 'object' ? (first.props.text ?? first.props.sql ?? UNKNOWN) : first
  const at = emitText(c, client, sink, text)
  const parameters = first.v === 'object' ? (first.props.values ?? first.props.args ?? c.args[1]) : c.args[1]
  const read = statementEffect(c, client, text, parameters?.v === 'fn' || parameters?.v === 'native' ? undefined : parameters)
  const step = read ?? at
  const rows: Val = { v: 'row', table: '', step, many: true }
  const result = object({ rows, rowCount: { v: 'result', step, field: 'count' }, 0: rows, insertId: { v: 'result', step } }, rows)
  // `db.query(text, values, (error, result) => …)`
  const callback = c.args.at(-1)
  if (callback?.v === 'fn' || callback?.v === 'native') settle(c.it, callValue(c.it, callback, [{ v: 'error', of: step }, result], c.at), c.at)
  return result
}

/** Whether a value is a text shaped like a statement of SQL, whoever is given it. */
export function isShapedLikeSql(value: Val | undefined): boolean {
  const text = value && plainest(value)
  return text !== undefined && looksLikeStatement(text)
}

/** Several statements in one go, each a text, `{ sql, args }` or `[sql, args]`. */
function batch(c: LibraryCall, client: Client, statements: readonly Val[]): Val {
  return array(statements.map((s) => queryText({ ...c, args: s.v === 'array' ? s.items : [s] }, client, 'batch')))
}

/** A tagged template that binds: what it does is read from its constant text, its values are parameters. */
export function bindingTemplate(c: LibraryCall, client: Client, quasis: readonly string[], exprs: readonly Val[]): Val {
  const raw = exprs.filter((e) => e.v === 'call' && e.name === 'sql.raw')
  for (const r of raw) if (r.v === 'call') emitText(c, client, 'raw text in a template', r.args[0] ?? UNKNOWN)
  let text = ''
  quasis.forEach((q, i) => {
    text += q + (i < exprs.length ? `$${i + 1}` : '')
  })
  const step = statementEffect(c, client, { v: 'const', value: text }, array(exprs)) ?? -1
  return { v: 'row', table: '', step, many: true }
}

const VERB = /^\s*(select|insert\s+(?:or\s+\w{1,10}\s+|ignore\s+)?into|replace\s+into|update|delete\s+from|with)\b/i
/** Of an insertion: what happens where the row is there already. */
const OVER = /^\s*(?:replace\b|insert\s+(?:or\s+)?(?:replace|ignore)\b)|\bon\s+(?:conflict|duplicate\s+key)\b/i
const INSERT_IGNORE_SQL = /^\s*insert\s+(?:or\s+)?ignore\b|\bon\s+conflict\b[^;]{0,200}\bdo\s+nothing\b/i
const ON_CONFLICT_COLUMNS_SQL = /\bon\s+conflict\s*\(([\w\s",]{1,200})\)/i
/** What a statement reads, where it names columns of one table and nothing else. */
const COLUMNS =
  /^\s*select\s+(?:distinct\s+)?((?:\w{1,63}\.)?"?\w{1,63}"?(?:\s+as\s+"?\w{1,63}"?)?(?:\s*,\s*(?:\w{1,63}\.)?"?\w{1,63}"?(?:\s+as\s+"?\w{1,63}"?)?){0,60})\s+from\s/i
/** One figure and nothing else: how many rows there are. */
const COUNT_QUERY_SQL = /^\s*select\s+count\s*\([^()]*\)(?:\s*::\w{1,63})?(?:\s+as)?(?:\s+"?\w{1,63}"?)?\s+from\s/i
const TABLE_REFERENCE_SQL = /\b(?:from|into|update|join)\s+"?([a-z_][\w]*)"?(?:\."?([a-z_]\w*)"?)?/i
const COLUMN_EQUALS_PARAMETER = /(?<![a-z0-9_])"?([a-z_]\w*)"?\s*=\s*(?:any\s*\(\s*)?\$(\d{1,3})/gi

const WHERE_KEYWORD_SQL = /where\b/iy
/** `status = 'pending'` */
const IS_LITERAL = /(?<![a-z0-9_"])"?([a-z_]\w{0,62})"?\s*=\s*('[^']{0,200}'|true\b|false\b)/gi

/** A text before a wrapper rewrote its placeholders for another driver: `text.replace(/\$(\d+)/g, '?')`. */
function asWritten(text: Val, depth = 0): Val {
  if (depth > 4 || text.v !== 'call' || !/^(?:replace|replaceAll|trim)$/.test(text.name)) return text
  const [of, pattern] = text.args
  const placeholder = text.name === 'trim' || (pattern?.v === 'call' && /^regex:/.test(pattern.name) && /\\?[$?:@]/.test(pattern.name.slice(6)))
  return of && placeholder ? asWritten(of, depth + 1) : text
}

/** A text as it is when nothing is asked of the rows beyond what always is: `query += ' where user_id = $1'` only under a condition. */
function plainest(text: Val): string | undefined {
  if (text.v === 'const') return typeof text.value === 'string' ? text.value : undefined
  if (text.v === 'text') return text.parts.map((p) => (p.v === 'const' ? String(p.value) : (plainest(p) ?? ' '))).join('')
  if (text.v !== 'any') return undefined
  const ways = text.alts.map((a) => plainest(a.value))
  return ways.every((w) => w !== undefined) ? ways.reduce((a, b) => (b.length < a.length ? b : a)) : undefined
}

/** The effect of a statement whose text is constant: verb, first table, and columns compared with parameters; the number of its step. */
export function statementEffect(c: LibraryCall, client: Client, rewritten: Val, parameters: Val | undefined): number | undefined {
  const text = asWritten(rewritten)
  const sql = plainest(text)
  if (sql === undefined || sql.length > 20_000) return undefined
  let n = 0
  const numbered = sql.replace(/\?/g, () => `$${++n}`)
  const verb = VERB.exec(numbered)?.[1]?.toLowerCase()
  const table = TABLE_REFERENCE_SQL.exec(numbered)
  if (!verb || !table) return undefined
  const op: DbOp = /^(?:insert|replace)/.test(verb)
    ? OVER.test(numbered)
      ? 'upsert'
      : 'insert'
    : verb === 'update'
      ? 'update'
      : verb.startsWith('delete')
        ? 'delete'
        : 'select'
  const values = parameters?.v === 'array' ? parameters.items : []
  const filters: FilterDraft[] = []
  const where = op === 'update' ? outside(numbered, WHERE_KEYWORD_SQL) : numbered.search(/\bwhere\b/i)
  const payload: Record<string, Val> = {}
  const value = (i: string): Val => values[Number(i) - 1] ?? (parameters && parameters.v !== 'array' ? parameters : UNKNOWN)
  for (const m of numbered.matchAll(COLUMN_EQUALS_PARAMETER)) {
    if (where >= 0 && (m.index ?? 0) > where) filters.push({ column: m[1] as string, op: 'eq', value: value(m[2] as string) })
    else if (op !== 'update') payload[m[1] as string] = value(m[2] as string)
  }
  if (where >= 0)
    for (const [, column, literal] of numbered.slice(where).matchAll(IS_LITERAL))
      filters.push({ column: column as string, op: 'eq', value: literalOf(literal as string) ?? UNKNOWN })
  if (op === 'update' || op === 'upsert') Object.assign(payload, assignments(numbered, value))
  if (op === 'insert' || op === 'upsert') {
    const columns = /\(([^()]*)\)\s*values\s*\(([^()]*)\)/i.exec(numbered.replace(/\(\s{0,9}\)/g, ''))
    const names = columns?.[1]?.split(',').map((x) => x.trim().replace(/"/g, '')) ?? []
    const bound = columns?.[2]?.split(',').map((x) => x.trim()) ?? []
    names.forEach((name, i) => {
      const p = /^\$(\d{1,3})/.exec(bound[i] ?? '')
      payload[name] ??= p ? value(p[1] as string) : (literalOf(bound[i] ?? '') ?? UNKNOWN)
    })
  }
  // what a part that is not known may add to the list is not seen
  const start = text.v === 'text' && text.parts[0]?.v === 'const' ? String(text.parts[0].value) : text.v === 'const' ? numbered : ''
  const columns = op === 'select' && !/\bjoin\b/i.test(numbered) ? namesIn(COLUMNS.exec(start)?.[1]) : undefined
  const key = ON_CONFLICT_COLUMNS_SQL.exec(numbered)?.[1]
  return c.it.whereWritten(text, c.at, (at) =>
    c.it.emit(
      {
        kind: 'db',
        client,
        op,
        table: table[2] ?? (table[1] as string),
        filters,
        ...(op === 'select' || op === 'delete' ? {} : { payload: object(payload) }),
        ...(columns ? { columns } : {}),
        ...(key ? { onConflict: namesIn(key) as readonly string[] } : {}),
        ...(op === 'upsert' && INSERT_IGNORE_SQL.test(numbered) ? { ignoreDuplicates: true as const } : {}),
        ...(op === 'select' && COUNT_QUERY_SQL.test(numbered) ? { countOnly: true as const } : {}),
        ...(text.v === 'text' || text.v === 'any' ? { unread: true as const } : {}),
      },
      at,
    ),
  )
}

/** `u.id, "e-mail" as mail`: the names of the columns. */
function namesIn(list: string | undefined): readonly string[] | undefined {
  return list?.split(',').map((x) => lastPart((x.trim().split(/\s/)[0] ?? '').replace(/"/g, '')))
}
