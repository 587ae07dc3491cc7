import type { FactsIndex } from '../../facts/facts.ts'
import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { together, unlessEmpty } from '../../lib/memo/collect-by-file.ts'

/** What a query does with the rows. */
export type ClientVerb = 'select' | 'insert' | 'update' | 'upsert' | 'delete'

/** A query through Supabase's client, `.from('posts').select('id, title').eq('user_id', id)`, or to its data API by address, `fetch(url + '/rest/v1/posts?user_id=eq.…')`. */
export interface ClientQuery {
  /** As written; `schema.table` after `.schema('x')`. */
  readonly table: string
  readonly path: string
  readonly line: number
  /** Absent where only an address is known. */
  readonly verb?: ClientVerb
  /** Columns that it names. */
  readonly columns: readonly string[]
  /** Of these, what it writes; the others it asks for or compares. */
  readonly writes?: readonly string[]
  /** The variable that holds the client. */
  readonly through?: string
  /** It adds rows and asks for none back. */
  readonly addsOnly?: true
}

const CLIENT_VERBS: readonly ClientVerb[] = ['select', 'insert', 'update', 'upsert', 'delete']
const COLUMN_FIRST = new Set([
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'is',
  'in',
  'contains',
  'containedBy',
  'order',
  'not',
  'filter',
  'overlaps',
  'textSearch',
])

/** Every query of the code through a Supabase-like client, in the order of paths and lines. */
export const clientQueries = (facts: FactsIndex): ClientQuery[] => together(queriesByFile(facts.of('javascript')))

const queriesByFile = collectByCodeFile((path, file: JavaScriptFacts) => unlessEmpty(find(file).map((q): ClientQuery => ({ ...q, path }))))

function find(file: JavaScriptFacts): Omit<ClientQuery, 'path'>[] {
  const found: Omit<ClientQuery, 'path'>[] = []
  const seen = new Set<unknown>()
  const stack: unknown[] = [file.functions, file.exports]
  while (stack.length) {
    const node = stack.pop()
    if (!node || typeof node !== 'object') continue
    if (Array.isArray(node)) {
      for (let i = node.length - 1; i >= 0; i--) stack.push(node[i])
      continue
    }
    if ((node as Expr).k === 'call' && !seen.has(node)) {
      const query = chain(node as Call, seen)
      if (query) found.push(query)
    }
    for (const text of textsOf(node as Expr)) {
      const query = addressed(text)
      if (query) found.push({ ...query, line: (node as Expr).l })
    }
    for (const value of Object.values(node)) if (value && typeof value === 'object') stack.push(value)
  }
  return found.sort((a, b) => a.line - b.line)
}

/** What a piece of text is, as far as it is written down. */
function textsOf(node: Expr): readonly string[] {
  if (node.k === 'lit') return typeof node.v === 'string' ? [node.v] : []
  return node.k === 'tpl' ? node.quasis : []
}

const DATA_API = '/rest/v1/'
const REST_TABLE_PATH = /^([a-z]\w{0,60}[a-z0-9])(?:\?(.{0,2000}))?$/i
/** What an address says of the answer, and not of columns. */
const OF_ANSWER = /^(?:select|order|limit|offset|or|and|on_conflict|columns|apikey)$/

/** `/rest/v1/posts?user_id=eq.1&select=id,title`: PostgREST takes the table from the path and columns from the query. */
function addressed(text: string): Pick<ClientQuery, 'table' | 'columns'> | undefined {
  const at = text.indexOf(DATA_API)
  const [, table, query = ''] = at < 0 ? [] : (REST_TABLE_PATH.exec(text.slice(at + DATA_API.length)) ?? [])
  if (!table || table === 'rpc') return undefined
  const parameters = query.split('&').map((p) => p.split('='))
  const filtered = parameters.flatMap(([name = '']) => (/^[a-z_]\w*$/i.test(name) && !OF_ANSWER.test(name) ? [name] : []))
  const listed = parameters.flatMap(([name, list = '']) => (name === 'select' ? topLevelNames(list) : []))
  return { table, columns: [...new Set([...filtered, ...listed])] }
}

type Call = Extract<Expr, { k: 'call' }>

/** Unrolls `a.from('x').b().c()` from its outermost call. */
function chain(outer: Call, seen: Set<unknown>): Omit<ClientQuery, 'path'> | undefined {
  const calls: { name: string; args: readonly Expr[] }[] = []
  let node: Expr | undefined = outer
  while (node?.k === 'call' && node.fn.k === 'mem') {
    seen.add(node)
    const first: Expr | undefined = node.args[0]
    if (node.fn.name === 'from' && first?.k === 'lit' && typeof first.v === 'string') {
      const verb = CLIENT_VERBS.find((v) => v === calls.at(-1)?.name)
      if (!verb || isStorage(node.fn.of) || !/^[\w.]+$/.test(first.v)) return undefined
      const writes = verb === 'insert' || verb === 'update' || verb === 'upsert' ? keysOf(calls.at(-1)?.args[0]) : []
      const addsOnly = verb === 'insert' && !calls.some((c) => c.name === 'select')
      return {
        table: qualify(first.v, node.fn.of),
        verb,
        line: node.fn.l ?? node.l,
        columns: columnsOf(calls),
        ...(node.fn.of.k === 'id' ? { through: node.fn.of.name } : {}),
        ...(writes.length ? { writes } : {}),
        ...(addsOnly ? { addsOnly: true as const } : {}),
      }
    }
    calls.push({ name: node.fn.name, args: node.args })
    node = node.fn.of
  }
  return undefined
}

function isStorage(of: Expr): boolean {
  return (of.k === 'mem' && of.name === 'storage') || (of.k === 'id' && /^(storage|array|buffer|observable|rxjs|knex|array_?)$/i.test(of.name))
}

/** `client.schema('app').from('x')` is `app.x`. */
function qualify(table: string, of: Expr): string {
  const schema = of.k === 'call' && of.fn.k === 'mem' && of.fn.name === 'schema' ? of.args[0] : undefined
  return schema?.k === 'lit' && typeof schema.v === 'string' ? `${schema.v}.${table}` : table
}

function columnsOf(calls: readonly { name: string; args: readonly Expr[] }[]): string[] {
  const columns = new Set<string>()
  for (const { name, args } of calls) {
    const first = args[0]
    if (name === 'select' && first?.k === 'lit' && typeof first.v === 'string') for (const c of topLevelNames(first.v)) columns.add(c)
    else if (COLUMN_FIRST.has(name) && first?.k === 'lit' && typeof first.v === 'string' && /^\w+$/.test(first.v)) columns.add(first.v)
    else if (name === 'insert' || name === 'update' || name === 'upsert') for (const c of keysOf(first)) columns.add(c)
  }
  return [...columns]
}

function keysOf(node: Expr | undefined): string[] {
  if (node?.k === 'arr') return keysOf(node.items[0])
  return node?.k === 'obj' ? node.props.flatMap((p) => (p.key && /^\w+$/.test(p.key) ? [p.key] : [])) : []
}

/** Names outside parentheses of a select list; `alias:name` and embedded tables are left out. */
function topLevelNames(list: string): string[] {
  const names: string[] = []
  let depth = 0
  let word = ''
  for (const c of `${list},`) {
    if (c === '(') depth++
    else if (c === ')') depth--
    if (c !== ',' || depth > 0) {
      word += c
      continue
    }
    const name = (word.includes(':') && !word.includes('(') ? word.slice(word.indexOf(':') + 1) : word).trim()
    if (/^[a-z_]\w*$/i.test(name)) names.push(name)
    word = ''
  }
  return names
}
