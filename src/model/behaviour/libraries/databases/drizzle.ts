import { snakeCase } from '../../../../lib/snake-case.ts'
import { constantString, type Link, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { member } from '../../domain/members.ts'
import { callValue, settle } from '../../operations.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client, DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { relationsWith, taken } from './included-relations.ts'
import { bindingTemplate, queryText, statementEffect } from './sql.ts'

const COMPARE: Readonly<Record<string, FilterDraft['op']>> = {
  eq: 'eq',
  inArray: 'in',
  ne: 'neq',
  like: 'like',
  ilike: 'like',
  gt: 'other',
  gte: 'other',
  lt: 'other',
  lte: 'other',
  isNull: 'other',
  isNotNull: 'other',
  between: 'other',
  arrayContains: 'other',
}

/** drizzle-orm: tables, conditions and clients. */
export const drizzlePackages: Library = {
  packages: ['drizzle-orm/', 'drizzle-orm'],
  call(c) {
    const name = c.name
    if (name === 'drizzle' || name === 'default.drizzle') {
      const tables = c.args.flatMap((a) => (a.v === 'object' && a.props.schema ? [a.props.schema] : []))[0]
      return { v: 'client', client: { library: 'drizzle', rights: 'service', at: c.at }, ...(tables ? { tables } : {}) }
    }
    if (/^(?:pg|mysql|sqlite)Table$/.test(name)) return { v: 'call', name: 'drizzle-table', args: [c.args[0] ?? UNKNOWN], at: c.at }
    if (name === 'and' || name === 'or') return { v: 'call', name: `drizzle-${name}`, args: c.args, at: c.at }
    if (COMPARE[name] !== undefined) return { v: 'call', name: `drizzle-${name}`, args: c.args, at: c.at }
    if (/^(?:count|sum|avg)(?:Distinct)?$/.test(name))
      return { v: 'call', name: 'drizzle-sql', args: [{ v: 'const', value: `${name}(?)` }, ...c.args], at: c.at }
    if (name === 'sql.raw') return { v: 'call', name: 'sql.raw', args: c.args, at: c.at }
    if (/^sql\.(?:join|identifier|placeholder|param|empty)$/.test(name)) return { v: 'call', name: 'sql.bound', args: [], at: c.at }
    return undefined
  },
  tag(c, quasis, exprs) {
    const raw = exprs.filter((e) => e.v === 'call' && e.name === 'sql.raw')
    return { v: 'call', name: 'drizzle-sql', args: [{ v: 'const', value: quasis.join('?') }, ...raw, ...exprs.filter((e) => !raw.includes(e))], at: c.at }
  },
}

function tableOf(val: Val | undefined): string {
  if (!val) return ''
  if (val.v === 'call' && val.name === 'drizzle-table') return constantString(val.args[0]) ?? ''
  if (val.v === 'chain') return tableOf(val.root)
  return ''
}

/** The table that a relational query calls by the name of the constant which defines it: `export const sellers = pgTable('seller_shops', …)`. */
function calledTable(c: LibraryCall, name: string): string {
  const tables = c.root.v === 'client' ? c.root.tables : undefined
  return (tables && tableOf(member(c.it, tables, name, c.at))) || snakeCase(name)
}

function columnOf(val: Val | undefined): string {
  if (val?.v === 'chain') return snakeCase(val.links[val.links.length - 1]?.name ?? '')
  if (val?.v === 'call') return snakeCase(val.name)
  return ''
}

/** How many rows there are, or what they come to all together. */
const AGGREGATE = /^[\s(]{0,20}(?:(?:coalesce|cast|round|nullif)[\s(]{1,20})*(?:count|sum|avg)(?:distinct)?\s{0,5}\(/i

/** Columns that single people out among what is summed up for each of them. */
const IDENTIFYING_GROUP_COLUMN =
  /user|owner|author|creator|e_?mail|phone|name|customer|client|member|profile|account|seller|buyer|sender|recipient|person|patient|student|employee|address|token|^id$|(^|_)(ip|by)$/i

/** True when nothing is chosen of the rows but sums over all of them, or over groups that are nobody. */
function countsAll(chosen: readonly Val[], groups: readonly Val[]): boolean {
  const keys = new Set(groups.map(keyOf))
  return chosen.some(isAggregate) && chosen.every((v) => isAggregate(v) || (keys.has(keyOf(v)) && !IDENTIFYING_GROUP_COLUMN.test(keyOf(v))))
}

/** What stands for a column, or for what is computed from some. */
function keyOf(v: Val): string {
  if (v.v === 'call' && v.name === 'as' && v.args[0]) return keyOf(v.args[0])
  return v.v === 'call' && v.name === 'drizzle-sql' ? `${constantString(v.args[0]) ?? ''} ${v.args.slice(1).map(columnOf).join(' ')}` : columnOf(v)
}

function isAggregate(v: Val): boolean {
  if (v.v !== 'call') return false
  if (v.name === 'as' || v.name === 'mapWith') return v.args[0] !== undefined && isAggregate(v.args[0])
  return v.name === 'drizzle-sql' && AGGREGATE.test(constantString(v.args[0]) ?? '')
}

/** Flattens a condition into filters; true when part of it could not be read. */
function conditions(val: Val | undefined, out: FilterDraft[], some: Pick<FilterDraft, 'sometimes'> = {}): boolean {
  if (!val) return false
  if (val.v === 'any') {
    let unread = false
    for (const a of val.alts) unread = conditions(a.value, out, { sometimes: true }) || unread
    return unread
  }
  if (val.v !== 'call') return val.v !== 'const'
  if (val.name === 'drizzle-and') {
    let unread = false
    for (const a of val.args) unread = conditions(a, out, some) || unread
    return unread
  }
  const name = val.name.replace(/^drizzle-/, '')
  const op = COMPARE[name]
  if (val.name === 'drizzle-or') out.push({ column: 'OR', op: 'other', value: val, ...some })
  else if (op !== undefined) out.push({ column: columnOf(val.args[0]), op, value: val.args[1] ?? UNKNOWN, ...some })
  else return true
  return false
}

/** Calls on a drizzle client. */
export const drizzle: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1] as Link
    if (last.name === 'transaction') {
      const fn = c.args[0]
      return fn?.v === 'fn' ? settle(c.it, callValue(c.it, fn, [c.root], c.at), c.at) : UNKNOWN
    }
    if (last.name === 'execute' && c.links.length === 1) {
      const q = c.args[0]
      if (q?.v === 'call' && q.name === 'drizzle-sql') {
        return bindingTemplate(c, client, (constantString(q.args[0]) ?? '').split('?'), q.args.slice(1))
      }
      if (q?.v === 'call' && q.name === 'sql.raw') {
        const step = c.it.emit({ kind: 'query-text', client, sink: 'sql.raw', text: q.args[0] ?? UNKNOWN, language: 'sql', ...inside(c) }, c.at)
        const rows: Val = { v: 'row', table: '', step: statementEffect(c, client, q.args[0] ?? UNKNOWN, undefined) ?? step, many: true }
        return object({ rows }, rows)
      }
      return queryText(c, client, 'execute')
    }
    if (c.links[0]?.name === 'query' && (last.name === 'findFirst' || last.name === 'findMany')) {
      const options = c.args[0]
      const filters: FilterDraft[] = []
      const unread = relationalConditions(c, options?.v === 'object' ? options.props.where : undefined, filters)
      const embedded = options?.v === 'object' ? embeddedConditions(c, options.props.with) : []
      const table = calledTable(c, c.links[1]?.name ?? '')
      const step = c.it.emit(
        {
          kind: 'db',
          client,
          op: 'select',
          table,
          filters,
          ...(embedded.length ? { embedded } : {}),
          ...(last.name === 'findFirst' ? { one: true as const } : {}),
          ...(options?.v === 'object' ? { ...relationalColumns(options.props), ...taken(relationsWith(options.props.with)) } : {}),
          ...(unread ? { unread: true as const } : {}),
        },
        c.at,
      )
      return { v: 'row', table, step, ...(last.name === 'findMany' ? { many: true as const } : {}) }
    }
    rawParts(c, client, last)
    return undefined
  },
  settle(c, next) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    if (next !== undefined && next !== 'then' && BUILDER.has(next)) return undefined
    const op = c.links.find((l) => Object.hasOwn(DRIZZLE_OPERATIONS, l.name) && l.args)
    if (!op) return undefined
    const kind = DRIZZLE_OPERATIONS[op.name] as DbOp
    const table = kind === 'select' ? tableOf(c.links.find((l) => l.name === 'from')?.args?.[0]) : tableOf(op.args?.[0])
    if (kind === 'select' && !c.links.some((l) => l.name === 'from' && l.args)) return undefined
    const filters: FilterDraft[] = []
    const unread = conditions(c.links.find((l) => l.name === 'where')?.args?.[0], filters)
    const payload = c.links.find((l) => l.name === 'values' || l.name === 'set')?.args?.[0]
    const conflict = c.links.find((l) => l.name === 'onConflictDoUpdate' || l.name === 'onConflictDoNothing' || l.name === 'onDuplicateKeyUpdate')
    const target = conflict?.args?.[0]?.v === 'object' ? conflict.args[0].props.target : undefined
    const keys = target ? (target.v === 'array' ? target.items.map(columnOf) : [columnOf(target)]) : undefined
    // `select({ id: bookings.id })`; `select({ user: users })` takes all columns, and of what is computed nothing is known
    const chosen = kind === 'select' ? op.args?.[0] : undefined
    const joined =
      kind === 'select' && !chosen ? c.links.flatMap((l) => (/^(?:left|right|inner|full)Join$/.test(l.name) ? tableOf(l.args?.[0]) || [] : [])) : []
    const step = c.it.emit(
      {
        kind: 'db',
        client,
        op: kind === 'insert' && conflict && conflict.name !== 'onConflictDoNothing' ? 'upsert' : kind,
        table,
        filters,
        ...(kind === 'select' && c.links.at(-1)?.name === 'get' ? { one: true as const } : {}),
        ...(joined.length ? { joined } : {}),
        ...(payload ? { payload: asColumns(payload) } : {}),
        ...(chosen?.v === 'object' && !chosen.rest
          ? {
              columns: Object.values(chosen.props).map((v) => (v.v === 'chain' && v.links.length < 1 ? '*' : columnOf(v))),
              ...(countsAll(
                Object.values(chosen.props),
                c.links.flatMap((l) => (l.name === 'groupBy' ? (l.args ?? []) : [])),
              )
                ? { countOnly: true as const }
                : {}),
            }
          : {}),
        ...(chosen?.v === 'object' && isTotal(chosen, filters.length > 0) ? { countOnly: true as const } : {}),
        ...(keys ? { onConflict: keys } : {}),
        ...(conflict?.name === 'onConflictDoNothing' ? { ignoreDuplicates: true as const } : {}),
        ...(unread ? { unread: true as const } : {}),
      },
      c.chain.at,
    )
    return c.links.at(-1)?.name === 'get' ? { v: 'row', table, step } : { v: 'row', table, step, many: true }
  },
  tag: (c, quasis, exprs) => bindingTemplate(c, (c.root as Extract<Val, { v: 'client' }>).client, quasis, exprs),
}

/** Reads the `where` of a relational query: conditions, a function that makes them, or an object; true when part of it could not be read. */
function relationalConditions(c: LibraryCall, where: Val | undefined, out: FilterDraft[]): boolean {
  if (where?.v === 'object') {
    for (const [n, x] of Object.entries(where.props)) out.push({ column: snakeCase(n), op: 'eq', value: x })
    return false
  }
  if (where?.v !== 'fn') return conditions(where, out)
  const table: Val = { v: 'call', name: 'drizzle-table', args: [] }
  return conditions(callValue(c.it, where, [table, { v: 'lib', pkg: 'drizzle-orm', name: '*' }], c.at), out)
}

/** Which related rows a relational query takes along: `with: { members: { where: eq(members.userId, user.id) } }`. */
function embeddedConditions(c: LibraryCall, along: Val | undefined): readonly FilterDraft[] {
  if (along?.v !== 'object') return []
  return Object.entries(along.props).flatMap(([name, relation]) => {
    if (relation.v !== 'object' || !relation.props.where) return []
    const own: FilterDraft[] = []
    relationalConditions(c, relation.props.where, own)
    return own.map((f) => ({ ...f, column: `${name}.${f.column}` }))
  })
}

/** Rows that are written, by the names of their columns. */
function asColumns(payload: Val): Val {
  if (payload.v === 'array') return { ...payload, items: payload.items.map(asColumns), ...(payload.more ? { more: asColumns(payload.more) } : {}) }
  return payload.v === 'object' ? object(Object.fromEntries(Object.entries(payload.props).map(([n, x]) => [snakeCase(n), x])), payload.rest) : payload
}

/** `columns: { id: true }` of a relational query, and what `with` takes along; undefined when columns are only left out. */
function relationalColumns(options: Readonly<Record<string, Val>>): { readonly columns?: readonly string[] } {
  const { columns, with: along } = options
  if (columns?.v !== 'object' || columns.rest || (along && (along.v !== 'object' || along.rest))) return {}
  const taken = Object.entries(columns.props)
  if (!taken.length || taken.some(([, v]) => v.v !== 'const' || v.value !== true)) return {}
  return {
    columns: [...taken.map(([name]) => snakeCase(name)), ...Object.keys(along?.v === 'object' ? along.props : {}).map((name) => `${snakeCase(name)}(*)`)],
  }
}

/** Nothing but how many there are, or figures over all rows: no row is among them. */
function isTotal(chosen: Extract<Val, { v: 'object' }>, filtered: boolean): boolean {
  const values = Object.values(chosen.props)
  const figures = filtered ? /^(?:count|countDistinct)$/ : /^(?:count|countDistinct|sum|sumDistinct|avg|avgDistinct)$/
  const called = (v: Val) => (v.v === 'call' ? v.name : v.v === 'chain' && v.links.at(-1)?.args ? v.links.at(-1)?.name : undefined)
  return values.length > 0 && values.every((v) => figures.test(called(v) ?? '') || isWrittenCount(v))
}

/** `` sql<number>`count(*)` ``, with a cast or without. */
const isWrittenCount = (v: Val): boolean =>
  v.v === 'call' && v.name === 'drizzle-sql' && /^\s*(?:cast\s*\(\s*)?count\s*\(/i.test(constantString(v.args[0]) ?? '')

/** `sql.raw(…)` inside a condition, an order or a column list. */
function rawParts(c: LibraryCall, client: Client, last: Link): void {
  const visit = (val: Val, depth: number): void => {
    if (depth > 4) return
    if (val.v === 'call' && val.name === 'sql.raw')
      c.it.emit({ kind: 'query-text', client, sink: 'sql.raw', text: val.args[0] ?? UNKNOWN, language: 'sql', ...inside(c) }, c.at)
    else if (val.v === 'call') for (const a of val.args) visit(a, depth + 1)
    else if (val.v === 'object') for (const a of Object.values(val.props)) visit(a, depth + 1)
  }
  for (const a of last.args ?? []) visit(a, 0)
}

const inside = (c: LibraryCall) => (c.it.frame.name ? { inside: c.it.frame.name } : {})
const DRIZZLE_OPERATIONS: Readonly<Record<string, DbOp>> = { select: 'select', selectDistinct: 'select', insert: 'insert', update: 'update', delete: 'delete' }
const BUILDER = new Set([
  'from',
  'where',
  'values',
  'set',
  'returning',
  'limit',
  'orderBy',
  'leftJoin',
  'innerJoin',
  'rightJoin',
  'groupBy',
  'having',
  'offset',
  'onConflictDoUpdate',
  'onConflictDoNothing',
  'onDuplicateKeyUpdate',
  '$dynamic',
  'as',
  'for',
  'prepare',
  'fullJoin',
  'with',
  // of SQLite: one row, all of them, or none
  'get',
  'all',
  'run',
])
