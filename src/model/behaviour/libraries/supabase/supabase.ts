import { type Cond, constant, constantString, type Link, object, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { EffectDraft, FilterDraft } from '../../output/effect-draft.ts'
import { type Client, type DbOp, HIDDEN_LITERAL } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { authCall } from './supabase-auth.ts'
import { storageCall } from './supabase-storage.ts'

/** Variables that hold the service role's key or another server key of the platform. */
const SERVICE_KEY = /service[_-]?(?:role|key)|SERVICE_?ROLE|secret_?key|SB_SECRET|SUPABASE_(?:SECRET|ADMIN|SERVICE)|ADMIN_KEY/i
const PUBLISHABLE_KEY_NAME = /anon|publishable|public/i

/** supabase-js and the packages around it: which key makes which client. */
export const supabase: Library = {
  packages: [
    '@supabase/supabase-js',
    '@supabase/ssr',
    '@supabase/auth-helpers-nextjs',
    '@supabase/auth-helpers-remix',
    '@supabase/auth-helpers-sveltekit',
    '@supabase/auth-helpers-shared',
    '@supabase/auth-helpers-react',
    '#supabase/server',
    '@nuxtjs/supabase',
    '@supabase/server',
    '@supabase/postgrest-js',
  ],
  call(c) {
    const client = (rights: Client['rights']): Val => ({ v: 'client', client: { library: 'supabase', rights, at: c.at } })
    const [, key, options] = c.args
    switch (c.name) {
      case 'createClient':
        if (rightsOf(key) === 'service') return client(sendsCallersToken(options) ? 'caller' : 'service')
        return client(carriesCaller(options) ? 'caller' : rightsOf(key))
      case 'createServerClient':
      case 'createSSRClient':
        return client(rightsOf(key) === 'service' ? 'service' : 'caller')
      case 'createBrowserClient':
      case 'createRouteHandlerClient':
      case 'createServerComponentClient':
      case 'createServerActionClient':
      case 'createMiddlewareClient':
      case 'createPagesServerClient':
      case 'createServerSupabaseClient':
      case 'createPagesBrowserClient':
      case 'createClientComponentClient':
      case 'createSupabaseServerClient':
      case 'serverSupabaseClient':
      case 'useSupabaseClient':
        return client(c.args.some((a) => a.v === 'object' && a.props.supabaseKey && rightsOf(a.props.supabaseKey) === 'service') ? 'service' : 'caller')
      case 'serverSupabaseServiceRole':
        return client('service')
      case 'serverSupabaseUser': {
        const step = c.it.emit({ kind: 'identify', how: 'serverSupabaseUser', trust: 'verified' }, c.at)
        return { v: 'caller', how: 'serverSupabaseUser', trust: 'verified', step, at: c.at }
      }
      case 'serverSupabaseSession': {
        const step = c.it.emit({ kind: 'identify', how: 'serverSupabaseSession', trust: 'unverified' }, c.at)
        return object({ user: { v: 'caller', how: 'serverSupabaseSession', trust: 'unverified', step, at: c.at } })
      }
      case 'getSupabase': {
        // auth-helpers-sveltekit: a client of the caller, and the session of its cookie
        const step = c.it.emit({ kind: 'identify', how: 'getSupabase session', trust: 'unverified' }, c.at)
        const user: Val = { v: 'caller', how: 'getSupabase session', trust: 'unverified', step, at: c.at }
        return object({ supabaseClient: client('caller'), session: object({ user, access_token: user }, user) })
      }
      case 'parseCookieHeader':
      case 'serializeCookieHeader':
        return { v: 'call', name: c.name, args: c.args, at: c.at }
    }
    return undefined
  },
}

/** The rights that a key gives. */
export function rightsOf(key: Val | undefined, depth = 0): Client['rights'] {
  if (!key || depth > 4) return 'unknown'
  switch (key.v) {
    case 'env':
      if (SERVICE_KEY.test(key.name)) return 'service'
      if (PUBLISHABLE_KEY_NAME.test(key.name)) return key.fallback && rightsOf(key.fallback as Val, depth + 1) === 'service' ? 'service' : 'anon'
      return key.fallback ? rightsOf(key.fallback as Val, depth + 1) : 'unknown'
    case 'const':
      if (typeof key.value !== 'string') return 'unknown'
      return /^sb_publishable_|placeholder|anon/i.test(key.value) ? 'anon' : 'unknown'
    case 'call': {
      if (key.name.startsWith(HIDDEN_LITERAL)) return /service|sb[-_]secret|secret-key/i.test(key.name) ? 'service' : 'anon'
      const names = key.args.map((a) => rightsOf(a, depth + 1))
      return (
        names.find((r) => r === 'service') ??
        names.find((r) => r === 'anon') ??
        (SERVICE_KEY.test(key.name) ? 'service' : PUBLISHABLE_KEY_NAME.test(key.name) ? 'anon' : 'unknown')
      )
    }
    case 'chain': {
      const name = key.links.map((l) => l.name).join('.')
      return SERVICE_KEY.test(name) ? 'service' : PUBLISHABLE_KEY_NAME.test(name) ? 'anon' : 'unknown'
    }
    case 'any': {
      const each = key.alts.map((a) => rightsOf(a.value, depth + 1))
      return each.find((r) => r === 'service') ?? each.find((r) => r !== 'unknown') ?? 'unknown'
    }
    case 'op':
      return key.of.map((a) => rightsOf(a, depth + 1)).find((r) => r !== 'unknown') ?? 'unknown'
    default:
      return 'unknown'
  }
}

/** What every request of the client is sent with: `{ global: { headers } }`. */
function headersOf(options: Val | undefined): Val | undefined {
  const global = options?.v === 'object' ? options.props.global : undefined
  return global?.v === 'object' ? global.props.headers : undefined
}

/** `{ global: { headers: { Authorization: … } } }`, `{ accessToken }` and cookie stores: the client speaks for the caller. */
function carriesCaller(options: Val | undefined): boolean {
  if (options?.v !== 'object') return false
  if (options.props.cookies || options.props.accessToken) return true
  // a store of its own for the session: on a server, the cookies of the request
  if (options.props.auth?.v === 'object' && options.props.auth.props.storage) return true
  const headers = headersOf(options)
  if (headers?.v !== 'object') return Boolean(headers && headers.v !== 'const')
  return Object.keys(headers.props).some((n) => n.toLowerCase() === 'authorization') || Boolean(headers.rest)
}

/**
 * Whether the requests of a client carry the token that the caller sent. The database acts with the rights of that token, whatever the key says: it
 * only opens the gateway.
 */
function sendsCallersToken(options: Val | undefined): boolean {
  const headers = headersOf(options)
  if (headers?.v !== 'object') return false
  const token = Object.entries(headers.props).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return token !== undefined && rightsOf(token) !== 'service' && mentionsRequest(token)
}

const SUPABASE_OPERATIONS: Readonly<Record<string, DbOp>> = { select: 'select', insert: 'insert', update: 'update', upsert: 'upsert', delete: 'delete' }
const FILTERS: Readonly<Record<string, FilterDraft['op']>> = {
  eq: 'eq',
  in: 'in',
  neq: 'neq',
  like: 'like',
  ilike: 'like',
  is: 'eq',
  gt: 'other',
  gte: 'other',
  lt: 'other',
  lte: 'other',
  contains: 'other',
  containedBy: 'other',
  overlaps: 'other',
  not: 'other',
  textSearch: 'other',
}

/** Calls on a client. */
export const supabaseClient: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1] as Link
    const path = c.name
    if (path.startsWith('auth.')) return authCall(c, path.slice(5), client)
    if (last.name === 'or' && c.links.some((l) => l.name === 'from' || l.name === 'rpc')) {
      c.it.emit(
        {
          kind: 'query-text',
          client,
          sink: '.or()',
          text: last.args?.[0] ?? UNKNOWN,
          language: 'postgrest',
          ...(c.it.frame.name ? { inside: c.it.frame.name } : {}),
        },
        c.at,
      )
      return undefined
    }
    if (last.name === 'filter' && last.args && last.args[1]?.v !== 'const') {
      c.it.emit(
        {
          kind: 'query-text',
          client,
          sink: '.filter()',
          text: last.args[1] ?? UNKNOWN,
          language: 'postgrest',
          ...(c.it.frame.name ? { inside: c.it.frame.name } : {}),
        },
        c.at,
      )
      return undefined
    }
    // columns, and with them embedded tables, that the request chooses
    const chosen = last.name === 'select' && c.links.some((l) => l.name === 'from') ? last.args?.[0] : undefined
    if (chosen && chosen.v !== 'const' && mentionsRequest(chosen)) {
      c.it.emit(
        { kind: 'query-text', client, sink: '.select()', text: chosen, language: 'postgrest', ...(c.it.frame.name ? { inside: c.it.frame.name } : {}) },
        c.at,
      )
      return undefined
    }
    if (path === 'functions.invoke') {
      const step = c.it.emit({ kind: 'invoke', name: constantString(c.args[0]) ?? '', args: c.args, rights: client.rights }, c.at)
      return object({ data: { v: 'result', step }, error: { v: 'error', of: step } })
    }
    if (path.startsWith('storage.')) return storageCall(c, client)
    if (path === 'channel' || path === 'removeChannel') return UNKNOWN
    if (path === 'schema') return undefined
    return undefined
  },
  settle(c, next) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    if (next === 'then' || (next !== undefined && !['data', 'error', 'count', 'status'].includes(next))) return undefined
    const from = c.links.find((l) => l.name === 'from' && l.args)
    const rpc = c.links.find((l) => l.name === 'rpc' && l.args)
    if (c.links[0]?.name === 'storage' || c.links[0]?.name === 'auth') return undefined
    if (rpc?.args) {
      const [called, sent = object({})] = rpc.args
      const named = constantString(called) ?? ''
      const functionBy = named === '' && called && mentionsRequest(called) ? { functionBy: called } : {}
      const step = c.it.emit({ kind: 'rpc', client, function: named, ...functionBy, args: sent }, c.at)
      return object({ data: { v: 'result', step }, error: { v: 'error', of: step } })
    }
    if (!from?.args) return undefined
    const op =
      c.links.find((l) => Object.hasOwn(SUPABASE_OPERATIONS, l.name) && l.name !== 'select' && l.args) ?? c.links.find((l) => l.name === 'select' && l.args)
    const table = tableName(from.args[0], c.links)
    if (!op) return readOfAny(c, client, table, from.args[0])
    const step = c.it.emit({ ...query(client, table, op, c.links), ...namedBy(table, from.args[0]) }, c.chain.at)
    const kind = SUPABASE_OPERATIONS[op.name]
    const one = c.links.some((l) => l.name === 'single' || l.name === 'maybeSingle')
    const returns = kind === 'select' || c.links.some((l) => l.name === 'select' && l.args)
    const data: Val = !returns ? constant(null) : { v: 'row', table, step, ...(one ? {} : { many: true as const }) }
    return object({
      data: returns ? data : { v: 'const', value: null },
      error: { v: 'error', of: step },
      count: { v: 'result', step, field: 'count' },
      status: UNKNOWN,
    })
  },
}

/**
 * A query that was put together in so many ways that only what all of them share is left, without what is picked: of a table that the request names, that
 * rows of it are read is enough to know.
 */
function readOfAny(c: LibraryCall, client: Client, table: string, by: Val | undefined): Val | undefined {
  const named = namedBy(table, by)
  if (!named.tableBy || c.links.length < 2) return undefined
  const step = c.it.emit({ kind: 'db', client, op: 'select', table, filters: [], unread: true, ...named }, c.chain.at)
  return object({ data: { v: 'row', table, step, many: true }, error: { v: 'error', of: step }, count: { v: 'result', step, field: 'count' }, status: UNKNOWN })
}

function mentionsRequest(val: Val, depth = 0): boolean {
  if (depth > 6) return false
  const next = (x: Val) => mentionsRequest(x, depth + 1)
  return (
    val.v === 'request' ||
    (val.v === 'text' && val.parts.some(next)) ||
    (val.v === 'op' && val.of.some(next)) ||
    (val.v === 'any' && val.alts.some((a) => next(a.value))) ||
    (val.v === 'call' && val.args.some(next))
  )
}

/** A name of a table that the request sends. */
const namedBy = (table: string, by: Val | undefined): { tableBy?: Val } => (table === '' && by && mentionsRequest(by) ? { tableBy: by } : {})

function tableName(val: Val | undefined, links: readonly Link[]): string {
  const schema = constantString(links.find((l) => l.name === 'schema')?.args?.[0])
  const name = val?.v === 'any' ? (val.alts.map((a) => constantString(a.value)).find((n) => n !== undefined) ?? '') : (constantString(val) ?? '')
  return schema ? `${schema}.${name}` : name
}

function query(client: Client, table: string, op: Link, links: readonly Link[]): EffectDraft {
  const filters: FilterDraft[] = []
  let unread = false
  for (const l of links) {
    const [column, value, third] = l.args ?? []
    if (l.name === 'match' && column) {
      if (column.v === 'object') for (const [n, x] of Object.entries(column.props)) filters.push({ column: n, op: 'eq', value: x })
      if (column.v !== 'object' || column.rest) unread = true
    } else if (l.name === 'filter' && column)
      filters.push({
        column: constantString(column) ?? '',
        op: constantString(value) === 'eq' ? 'eq' : constantString(value) === 'in' ? 'in' : 'other',
        value: third ?? UNKNOWN,
      })
    else if (l.name === 'or' && column) filters.push({ column: '', op: 'other', value: column })
    else if (FILTERS[l.name] && l.args && column)
      filters.push({ column: constantString(column) ?? '', op: FILTERS[l.name] as FilterDraft['op'], value: value ?? UNKNOWN })
  }
  const kind = SUPABASE_OPERATIONS[op.name] as DbOp
  const select = links.find((l) => l.name === 'select' && l.args)
  const columns = selection(select?.args?.[0])
  const options = (kind === 'select' ? select?.args?.[1] : op.args?.[1]) ?? UNDEFINED
  const conflict = options.v === 'object' ? constantString(options.props.onConflict) : undefined
  return {
    kind: 'db',
    client,
    op: kind,
    table,
    filters,
    ...(columns ? { columns } : {}),
    ...(kind !== 'select' && kind !== 'delete' && op.args?.[0] ? { payload: op.args[0] } : {}),
    ...(conflict ? { onConflict: conflict.split(',').map((x) => x.trim()) } : {}),
    ...(options.v === 'object' && options.props.ignoreDuplicates?.v === 'const' && options.props.ignoreDuplicates.value === true
      ? { ignoreDuplicates: true as const }
      : {}),
    ...(options.v === 'object' && options.props.head?.v === 'const' && options.props.head.value === true ? { countOnly: true as const } : {}),
    ...(links.some((l) => l.name === 'single' || l.name === 'maybeSingle') ? { one: true as const } : {}),
    ...(links.some((l) => l.name === 'single') ? { failsWithout: true as const } : {}),
    ...(links.some((l) => l.name === 'throwOnError') ? { throws: true as const } : {}),
    ...(unread ? { unread: true as const } : {}),
  }
}

/** The columns that somebody else's row shows: `select(own ? 'id, email' : 'id')` gives e-mail addresses to their owner alone. */
function selection(of: Val | undefined): string[] | undefined {
  if (of?.v !== 'any') {
    const text = constantString(of)
    return text === undefined ? undefined : topColumns(text)
  }
  const ownRow = (c: Cond) => !c.negated && c.test.v === 'op' && c.test.op === '===' && c.test.of.some((x) => x.v === 'caller')
  const texts = of.alts.filter((a) => !a.under.some(ownRow)).map((a) => constantString(a.value))
  return texts.length && texts.every((t) => t !== undefined) ? [...new Set(texts.flatMap((t) => topColumns(t as string)))] : undefined
}

/** Column names of a select string, embedded tables as `name(...)`. */
function topColumns(text: string): string[] {
  const out: string[] = []
  let depth = 0
  let current = ''
  for (const ch of text) {
    if (ch === '(') depth++
    if (ch === ')') depth--
    if (ch === ',' && depth === 0) {
      out.push(current.trim())
      current = ''
    } else current += ch
  }
  if (current.trim()) out.push(current.trim())
  return out
}
