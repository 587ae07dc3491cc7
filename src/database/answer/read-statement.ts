import { Cursor, identifier, type Name, type Token, tokensOf } from './tokens.ts'

/** What the head of a statement says it does; as much as is held against the answer. */
export type Read =
  | { readonly does: 'create relation'; readonly what: 'table' | 'view'; readonly name: Name; readonly isPart: boolean; readonly ifNotExists: boolean }
  /** `body` as it is kept, where it is one literal. */
  | { readonly does: 'create function'; readonly name: Name; readonly definer: boolean; readonly inert: boolean; readonly body?: string }
  | { readonly does: 'create policy'; readonly policy: PolicyRead }
  | { readonly does: 'create'; readonly name?: Name }
  | { readonly does: 'alter table'; readonly name: Name; readonly rls?: 'enable' | 'disable' }
  | { readonly does: 'rename'; readonly from: string; readonly to: string }
  | { readonly does: 'alter' }
  | { readonly does: 'drop'; readonly what: string; readonly names: readonly Name[]; readonly on?: Name; readonly cascade: boolean }
  | { readonly does: 'grant'; readonly grant?: GrantRead }
  | { readonly does: 'revoke' }
  | { readonly does: 'set'; readonly searchPath?: readonly string[]; readonly actsAsOther: boolean }
  /** Nothing that changes who may do what. */
  | { readonly does: 'nothing' }
  /** Anything: blocks, queries, rows, and what cannot be read. */
  | { readonly does: 'anything' }

/** CREATE POLICY as it is written. */
export interface PolicyRead {
  readonly name: string
  readonly table: Name
  readonly permissive: boolean
  readonly command: string
  /** Empty where the statement names none: `public`. */
  readonly roles: readonly string[]
  readonly using: readonly Token[] | undefined
  readonly check: readonly Token[] | undefined
}

/** GRANT of whole tables to roles by name. */
export interface GrantRead {
  readonly privileges: readonly string[]
  readonly tables: readonly Name[]
  readonly roles: readonly string[]
}

const EFFECTLESS_COMMANDS: ReadonlySet<string> = new Set([
  'comment',
  'begin',
  'start',
  'commit',
  'end',
  'rollback',
  'savepoint',
  'release',
  'analyze',
  'vacuum',
  'truncate',
])

/** Reads a statement of the repository by its tokens, without PostgreSQL's parser: linear, never throws. */
export function readStatement(text: string): Read {
  const [head] = tokensOf(text, 1)
  if (head?.kind !== 'word') return { does: 'anything' }
  if (EFFECTLESS_COMMANDS.has(head.text)) return { does: 'nothing' }
  if (!READERS[head.text]) return { does: 'anything' }
  const cursor = new Cursor(tokensOf(text))
  cursor.skip()
  return READERS[head.text]?.(cursor) ?? { does: 'anything' }
}

const READERS: Readonly<Record<string, (c: Cursor) => Read | undefined>> = { create, alter, drop, grant, revoke: () => ({ does: 'revoke' }), set, reset: set }

function create(c: Cursor): Read | undefined {
  c.takes('or', 'replace')
  const isTemporary = c.takes('global') || c.takes('local') || c.takes('temp') || c.takes('temporary')
  if (c.takes('temp') || c.takes('temporary') || isTemporary) return { does: 'nothing' }
  c.takes('unlogged')
  if (c.takes('foreign', 'table') || c.takes('table')) return relation(c, 'table')
  c.takes('recursive')
  if (c.takes('materialized', 'view') || c.takes('view')) return relation(c, 'view')
  if (c.takes('function') || c.takes('procedure')) return routine(c)
  if (c.takes('policy')) return policy(c)
  if (c.takes('rule') || c.takes('schema') || c.takes('cast') || c.takes('operator')) return undefined
  const isNamed = c.takes('type') || c.takes('domain') || c.takes('sequence') || c.takes('unique', 'index') || c.takes('index')
  if (!isNamed) return { does: 'create' }
  c.takes('concurrently')
  c.takes('if', 'not', 'exists')
  const name = c.name()
  return { does: 'create', ...(name ? { name } : {}) }
}

function relation(c: Cursor, what: 'table' | 'view'): Read | undefined {
  const ifNotExists = c.takes('if', 'not', 'exists')
  const name = c.name()
  if (!name) return undefined
  const isPart = c.rest.some((t) => t.kind === 'word' && (t.text === 'partition' || t.text === 'inherits'))
  return { does: 'create relation', what, name, isPart, ifNotExists }
}

function routine(c: Cursor): Read | undefined {
  const name = c.name()
  if (!name) return undefined
  const { rest } = c
  const says = (...words: readonly string[]) => rest.some((_, i) => words.every((w, k) => rest[i + k]?.kind === 'word' && rest[i + k]?.text === w))
  // a function of C or of an extension's language
  const inert = says('language', 'c') || says('language', 'internal')
  const as = rest.findIndex((t) => t.kind === 'word' && t.text === 'as')
  const body = rest[as + 1]?.kind === 'literal' && as >= 0 ? rest[as + 1]?.text : undefined
  return { does: 'create function', name, definer: says('security', 'definer'), inert, ...(body === undefined ? {} : { body }) }
}

function policy(c: Cursor): Read | undefined {
  c.takes('if', 'not', 'exists')
  const name = c.name()
  if (!name || !c.takes('on')) return undefined
  const table = c.name()
  if (!table) return undefined
  let permissive = true
  let command = 'all'
  let roles: string[] = []
  let using: readonly Token[] | undefined
  let check: readonly Token[] | undefined
  while (c.next) {
    if (c.takes('as')) permissive = !c.takes('restrictive')
    else if (c.takes('for')) command = c.next?.text ?? command
    else if (c.takes('to')) roles = namesListed(c)
    else if (c.takes('using')) using = parenthesised(c)
    else if (c.takes('with', 'check')) check = parenthesised(c)
    else c.skip()
  }
  return { does: 'create policy', policy: { name: name.name, table, permissive, command, roles, using, check } }
}

function namesListed(c: Cursor): string[] {
  const found: string[] = []
  do {
    const name = c.name()
    if (name) found.push(name.name)
  } while (c.takesMark(','))
  return found
}

/** The tokens between a parenthesis and the one that closes it. */
function parenthesised(c: Cursor): readonly Token[] {
  const found: Token[] = []
  let depth = 0
  for (let t = c.next; t; t = c.next) {
    c.skip()
    if (t.kind === 'other' && t.text === ')' && --depth <= 0) return found
    if (depth > 0) found.push(t)
    if (t.kind === 'other' && t.text === '(') depth++
  }
  return found
}

function alter(c: Cursor): Read | undefined {
  const isTable = c.takes('table') || c.takes('foreign', 'table')
  if (!isTable) return renames(c)
  c.takes('if', 'exists')
  c.takes('only')
  const name = c.name()
  if (!name) return undefined
  if (c.takes('rename', 'to')) {
    const to = c.name()
    return to && { does: 'rename', from: name.name, to: to.name }
  }
  let rls: 'enable' | 'disable' | undefined
  while (c.next) {
    if (c.takes('enable', 'row', 'level', 'security')) rls = 'enable'
    else if (c.takes('disable', 'row', 'level', 'security')) rls = 'disable'
    else c.skip()
  }
  return { does: 'alter table', name, ...(rls ? { rls } : {}) }
}

/** `ALTER VIEW a RENAME TO b`, `ALTER POLICY a ON t RENAME TO b`, `ALTER FUNCTION f(text) RENAME TO g`. */
function renames(c: Cursor): Read {
  if (!c.takes('materialized', 'view')) c.skip()
  c.takes('if', 'exists')
  const from = c.name()
  while (c.next && !c.takes('rename', 'to')) c.skip()
  const to = c.name()
  return from && to ? { does: 'rename', from: from.name, to: to.name } : { does: 'alter' }
}

function drop(c: Cursor): Read | undefined {
  let what = c.takes('materialized', 'view') ? 'view' : c.takes('foreign', 'table') ? 'table' : ''
  if (!what) {
    what = c.next?.text ?? ''
    c.skip()
  }
  c.takes('concurrently')
  c.takes('if', 'exists')
  const names: Name[] = []
  let on: Name | undefined
  let cascade = false
  while (c.next) {
    if (c.takes('cascade')) cascade = true
    else if (c.takes('restrict') || c.takesMark(',')) continue
    else if (c.takes('on')) on = c.name()
    else if (c.next.kind === 'other' && c.next.text === '(') parenthesised(c)
    else {
      const name = c.name()
      if (name) names.push(name)
      else c.skip()
    }
  }
  return { does: 'drop', what, names, ...(on ? { on } : {}), cascade }
}

function grant(c: Cursor): Read {
  const privileges: string[] = []
  while (c.next && !c.takes('on')) {
    const token = c.next
    c.skip()
    // some columns only, or a role
    if ((token.kind === 'other' && token.text === '(') || (token.kind === 'word' && token.text === 'to')) return { does: 'grant' }
    if (token.kind === 'word' && token.text !== 'privileges') privileges.push(token.text)
  }
  c.takes('table')
  const tables: Name[] = []
  do {
    const name = c.name()
    if (!name) return { does: 'grant' }
    tables.push(name)
  } while (c.takesMark(','))
  // `ON FUNCTION f()`, `ON ALL TABLES IN SCHEMA`
  if (!c.takes('to')) return { does: 'grant' }
  return { does: 'grant', grant: { privileges, tables, roles: namesListed(c) } }
}

/** SET, which may change in which schema names are looked for, and who acts. */
function set(c: Cursor): Read {
  c.takes('local')
  c.takes('session')
  if (c.takes('search_path')) {
    c.skip()
    return { does: 'set', searchPath: c.rest.filter((t) => t.kind !== 'other').map((t) => identifier(t.text)), actsAsOther: false }
  }
  return { does: 'set', actsAsOther: c.takes('role') || c.takes('authorization') || c.takes('session', 'authorization') }
}
