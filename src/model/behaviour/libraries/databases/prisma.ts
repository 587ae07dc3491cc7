import { array, isNullish, object, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { member } from '../../domain/members.ts'
import { callValue, settle } from '../../operations.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client, DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { includedRelations, taken } from './included-relations.ts'
import { bindingTemplate, statementEffect } from './sql.ts'

const PRISMA_OPERATIONS: Readonly<Record<string, DbOp>> = {
  findUnique: 'select',
  findUniqueOrThrow: 'select',
  findFirst: 'select',
  findFirstOrThrow: 'select',
  findMany: 'select',
  count: 'select',
  aggregate: 'select',
  groupBy: 'select',
  create: 'insert',
  createMany: 'insert',
  createManyAndReturn: 'insert',
  update: 'update',
  updateMany: 'update',
  updateManyAndReturn: 'update',
  upsert: 'upsert',
  delete: 'delete',
  deleteMany: 'delete',
}
/** Names that other libraries use too; without a known client they say nothing. */
const AMBIGUOUS_PRISMA_METHODS = new Set(['count', 'aggregate', 'create', 'update', 'upsert', 'delete', 'groupBy'])

/** A client that a framework's context carries, made somewhere that is not followed: `ctx.prisma.post.update(…)`, `ctx.db.post.update({ where, data })`. */
function isLeftThere({ root, links }: LibraryCall, options: Val): boolean {
  const holder = links[links.length - 3]
  const name = holder ? holder.args === undefined && holder.name : links.length === 2 && root.v === 'call' && !root.args.length && root.name
  if (!name || !/(?:^|\.)(?:prisma(?:_?client)?|db)$/i.test(name)) return false
  return /prisma$|client$/i.test(name) || (options.v === 'object' && ('where' in options.props || 'data' in options.props))
}

/** `new PrismaClient()`: a direct connection, whatever the row policies say. */
export const prismaPackages: Library = {
  packages: ['@prisma/client', '@prisma/client/', '.prisma/client'],
  call(c) {
    if (c.name === 'PrismaClient' || c.links[c.links.length - 1]?.name === 'new')
      return { v: 'client', client: { library: 'prisma', rights: 'service', at: c.at } }
    if (/^Prisma\.raw$|^raw$/.test(c.name)) return { v: 'call', name: 'sql.raw', args: c.args, at: c.at }
    if (/^Prisma\.(?:join|empty)$/.test(c.name)) return { v: 'call', name: 'sql.bound', args: [], at: c.at }
    return undefined
  },
  tag: (c, _quasis, exprs) =>
    /sql$/.test(c.name) ? { v: 'call', name: 'sql.bound', args: exprs.filter((e) => e.v === 'call' && e.name === 'sql.raw'), at: c.at } : undefined,
}

/** Calls on a Prisma client. */
export const prisma: Library = {
  packages: [],
  call(c) {
    const known = c.root.v === 'client'
    const client: Client = c.root.v === 'client' ? c.root.client : { library: 'prisma', rights: 'service' }
    const last = c.links[c.links.length - 1]
    const method = last?.name ?? ''
    if (/^\$(?:queryRawUnsafe|executeRawUnsafe)$/.test(method)) {
      const step = c.it.emit(
        { kind: 'query-text', client, sink: method, text: c.args[0] ?? UNKNOWN, language: 'sql', ...(c.it.frame.name ? { inside: c.it.frame.name } : {}) },
        c.at,
      )
      const done = statementEffect(c, client, c.args[0] ?? UNKNOWN, array(c.args.slice(1)))
      return { v: 'row', table: '', step: done ?? step, many: true }
    }
    if (/^\$(?:queryRaw|executeRaw)$/.test(method)) {
      const given = c.args[0]
      // `Prisma.raw(text)`, and `Prisma.sql` with raw parts
      const texts = given?.v === 'call' && (given.name === 'sql.raw' || given.name === 'sql.bound') ? rawParts(given) : given ? [given] : []
      for (const text of texts)
        if (text.v === 'text' || text.v === 'request' || text !== given)
          c.it.emit({ kind: 'query-text', client, sink: method, text, language: 'sql', ...(c.it.frame.name ? { inside: c.it.frame.name } : {}) }, c.at)
      return { v: 'row', table: '', step: -1, many: true }
    }
    if (method === '$transaction') {
      const fn = c.args[0]
      if (fn?.v === 'fn') return settle(c.it, callValue(c.it, fn, [c.root.v === 'client' ? c.root : { v: 'client', client }], c.at), c.at)
      return fn?.v === 'array' ? array(fn.items.map((x) => settle(c.it, x, c.at))) : UNKNOWN
    }
    if (known && /^\$(?:extends|on|use|connect|disconnect)$/.test(method)) return c.root
    const op = Object.hasOwn(PRISMA_OPERATIONS, method) ? PRISMA_OPERATIONS[method] : undefined
    const options = c.args[0] ?? UNDEFINED
    if (!op || (!known && ((AMBIGUOUS_PRISMA_METHODS.has(method) && !isLeftThere(c, options)) || c.links.length < 2))) return undefined
    const model = c.links[c.links.length - 2]
    if (!model || model.args) return undefined
    // `prisma.payment.update(input)`: the request chooses the row, and what is written
    const sent = options.v === 'request'
    const get = (n: string): Val | undefined =>
      options.v === 'object' ? options.props[n] : sent && n === (op === 'select' ? 'where' : 'data') ? member(c.it, options, n, c.at) : undefined
    const where = get('where')
    const filters: FilterDraft[] = sent && op !== 'insert' ? [{ column: 'id', op: 'eq', value: member(c.it, options, 'where', c.at) }] : []
    const unread = where !== undefined && !sent && readWhere(where, filters)
    const payload =
      get('data') ??
      (op === 'upsert' && (get('create') || get('update')) ? object({ create: get('create') ?? UNDEFINED, update: get('update') ?? UNDEFINED }) : undefined)
    const select = get('select')
    const embedded: FilterDraft[] = []
    for (const along of [select, get('include')]) readEmbedded(along, embedded)
    const step = c.it.emit(
      {
        kind: 'db',
        client,
        op,
        table: model.name,
        filters,
        ...(embedded.length ? { embedded } : {}),
        ...(select?.v === 'object' ? { columns: Object.keys(select.props) } : takenAlong(get('include'))),
        ...(op === 'select' ? taken([...includedRelations(select), ...includedRelations(get('include'))]) : {}),
        ...(payload ? { payload } : {}),
        ...(op === 'upsert' && where?.v === 'object' ? { onConflict: uniqueFields(where.props) } : {}),
        ...(/^(?:findUnique|findFirst|update$|delete$|upsert|create$)/.test(method) ? { one: true as const } : {}),
        ...(/^(?:findUnique|update$|delete$)/.test(method) ? { byKey: true as const } : {}),
        ...(method === 'count' || method === 'aggregate' ? { countOnly: true as const } : {}),
        ...(unread || (options.v !== 'object' && options.v !== 'const') ? { unread: true as const } : {}),
      },
      c.at,
    )
    if (method.endsWith('OrThrow')) c.it.require({ v: 'row', table: model.name, step }, c.at)
    return method === 'count' ? { v: 'result', step } : { v: 'row', table: model.name, step, ...(method === 'findMany' ? { many: true as const } : {}) }
  },
  tag: (c, quasis, exprs) =>
    /^\$(?:queryRaw|executeRaw)$/.test(c.links[c.links.length - 1]?.name ?? '')
      ? bindingTemplate(c, c.root.v === 'client' ? c.root.client : { library: 'prisma', rights: 'service' }, quasis, exprs)
      : undefined,
}

/** The texts that a query holds as they are. */
function rawParts(query: Extract<Val, { v: 'call' }>): readonly Val[] {
  return query.name === 'sql.raw' ? query.args.slice(0, 1) : query.args.flatMap((a) => (a.v === 'call' ? rawParts(a) : []))
}

/** `include: { author: { select: { email: true } } }`: all columns, and `author(email)`; undefined when nothing is taken along, or what is not known. */
function takenAlong(include: Val | undefined): { readonly columns?: readonly string[] } {
  if (include?.v !== 'object' || include.rest) return {}
  const taken = Object.entries(include.props).filter(([, v]) => !(v.v === 'const' && !v.value))
  const named = taken.map(([name, v]) => {
    const select = v.v === 'object' ? v.props.select : undefined
    return `${name}(${select?.v === 'object' && !select.rest ? Object.keys(select.props).join(', ') : '*'})`
  })
  return named.length ? { columns: ['*', ...named] } : {}
}

/** The fields that an upsert looks for: those of a compound key stand inside its name, `where: { orderId_itemId: { orderId, itemId } }`. */
function uniqueFields(where: Readonly<Record<string, Val>>): string[] {
  return Object.entries(where).flatMap(([name, value]) => (value.v === 'object' ? Object.keys(value.props) : [name]))
}

/** How deep related rows of related rows are looked at. */
const MAX_EMBEDDED = 3

/** Reads which related rows an `include` or `select` takes along: `{ members: { where: { userId } } }`. */
function readEmbedded(along: Val | undefined, out: FilterDraft[], prefix = '', depth = 0): void {
  if (along?.v !== 'object' || depth > MAX_EMBEDDED) return
  for (const [name, relation] of Object.entries(along.props)) {
    if (relation.v !== 'object') continue
    const { where, select, include } = relation.props
    if (where) readWhere(where, out, `${prefix}${name}.`)
    for (const further of [select, include]) readEmbedded(further, out, `${prefix}${name}.`, depth + 1)
  }
}

/** Reads a `where` object into filters; true when part of it could not be read. */
function readWhere(where: Val, out: FilterDraft[], prefix = ''): boolean {
  if (where.v === 'any') {
    let unread = false
    for (const alt of where.alts) unread = readWhere(alt.value, out, prefix) || unread
    return unread
  }
  if (where.v !== 'object') return where.v !== 'const'
  let unread = where.rest !== undefined
  for (const [name, value] of Object.entries(where.props)) {
    if (name === 'AND') {
      for (const x of value.v === 'array' ? value.items : [value]) unread = readWhere(x, out, prefix) || unread
    } else if (name === 'OR' || name === 'NOT') out.push({ column: `${prefix}${name}`, op: 'other', value })
    else if (value.v === 'any' && value.alts.some((a) => a.value.v === 'object')) {
      for (const { value: way } of value.alts) if (!isNullish(way)) unread = readWhere(object({ [name]: way }), out, prefix) || unread
    } else if (value.v === 'object') {
      const { equals, in: list, contains, not } = value.props
      if (equals) out.push({ column: prefix + name, op: 'eq', value: equals })
      else if (list) out.push({ column: prefix + name, op: 'in', value: list })
      else if (contains) out.push({ column: prefix + name, op: 'like', value: contains })
      else if (not) out.push({ column: prefix + name, op: 'neq', value: not })
      else if (name.includes('_') && Object.keys(value.props).length > 1 && Object.values(value.props).every((x) => x.v !== 'object')) {
        // a compound unique key: `{ userId_teamId: { userId, teamId } }`
        for (const [n, x] of Object.entries(value.props)) out.push({ column: prefix + n, op: 'eq', value: x })
      } else unread = readWhere(value, out, `${prefix}${name}.`) || unread
    } else out.push({ column: prefix + name, op: 'eq', value })
  }
  return unread
}
