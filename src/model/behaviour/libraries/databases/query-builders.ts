import { lastPart } from '../../../../lib/last-part.ts'
import { constantString, type Link, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { callValue, settle } from '../../operations.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { DbOp } from '../../types.ts'
import type { Library } from '../library.ts'
import { bindingTemplate, statementEffect } from './sql.ts'

const RAW = new Set(['raw', 'whereRaw', 'orderByRaw', 'havingRaw', 'joinRaw', 'fromRaw', 'groupByRaw', 'selectRaw'])

/** Calls on a Knex instance: `knex('table').where({…}).update({…})`. */
export const knex: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1] as Link
    if (RAW.has(last.name)) {
      const step = c.it.emit(
        { kind: 'query-text', client, sink: last.name, text: c.args[0] ?? UNKNOWN, language: 'sql', ...(c.it.frame.name ? { inside: c.it.frame.name } : {}) },
        c.at,
      )
      if (last.name !== 'raw') return undefined
      // `knex.raw('now()')` inside of another query is no statement and does nothing by itself
      const done = statementEffect(c, client, c.args[0] ?? UNKNOWN, c.args[1])
      const rows: Val = { v: 'row', table: '', step: done ?? step, many: true }
      return done === undefined ? rows : object({ rows, rowCount: { v: 'result', step: done, field: 'count' } }, rows)
    }
    if (last.name === 'transaction') {
      const fn = c.args[0]
      return fn?.v === 'fn' ? settle(c.it, callValue(c.it, fn, [c.root], c.at), c.at) : c.root
    }
    return undefined
  },
  settle(c, next) {
    if (next !== undefined && next !== 'then') return undefined
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const table = constantString(c.links.find((l) => (l.name === 'call' || l.name === 'from' || l.name === 'into' || l.name === 'table') && l.args)?.args?.[0])
    if (table === undefined) return undefined
    const write = c.links.find((l) => ['insert', 'update', 'del', 'delete', 'increment', 'decrement'].includes(l.name) && l.args)
    const op: DbOp = !write ? 'select' : write.name === 'insert' ? 'insert' : write.name.startsWith('del') ? 'delete' : 'update'
    const filters: FilterDraft[] = []
    for (const l of c.links) if (/^(?:where|andWhere|whereIn|first)$/.test(l.name) && l.args) knexFilter(l, filters)
    const merged = c.links.some((l) => l.name === 'merge')
    const conflict = c.links.find((l) => l.name === 'onConflict')?.args?.[0]
    const step = c.it.emit(
      {
        kind: 'db',
        client,
        op: op === 'insert' && merged ? 'upsert' : op,
        table,
        filters,
        ...(write?.args?.[0] && op !== 'delete' ? { payload: write.args[0] } : {}),
        ...(conflict ? { onConflict: conflict.v === 'array' ? conflict.items.map((x) => constantString(x) ?? '') : [constantString(conflict) ?? ''] } : {}),
      },
      c.chain.at,
    )
    return { v: 'row', table, step, ...(c.links.some((l) => l.name === 'first') ? {} : { many: true as const }) }
  },
}

function knexFilter(l: Link, out: FilterDraft[]): void {
  const [a, b, third] = l.args ?? []
  if (a?.v === 'object') for (const [n, x] of Object.entries(a.props)) out.push({ column: n, op: 'eq', value: x })
  else if (a && b)
    out.push({
      column: constantString(a) ?? '',
      op: l.name === 'whereIn' ? 'in' : third ? (constantString(b) === '=' ? 'eq' : constantString(b)?.includes('like') ? 'like' : 'other') : 'eq',
      value: third ?? b,
    })
}

const KYSELY: Readonly<Record<string, DbOp>> = { selectFrom: 'select', insertInto: 'insert', updateTable: 'update', deleteFrom: 'delete' }

/** Calls on a Kysely instance. */
export const kysely: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1] as Link
    const head = c.links.find((l) => KYSELY[l.name] && l.args)
    if (last.name === 'execute' && head === undefined) {
      const fn = c.args[0]
      if (fn?.v === 'fn') return settle(c.it, callValue(c.it, fn, [c.root], c.at), c.at)
      return undefined
    }
    if (!head || !/^execute/.test(last.name)) return undefined
    const filters: FilterDraft[] = []
    for (const l of c.links)
      if (l.name === 'where' && l.args)
        filters.push({
          column: lastPart(constantString(l.args[0]) ?? ''),
          op: constantString(l.args[1]) === '=' ? 'eq' : constantString(l.args[1]) === 'in' ? 'in' : 'other',
          value: l.args[2] ?? UNKNOWN,
        })
    const payload = c.links.find((l) => l.name === 'values' || l.name === 'set')?.args?.[0]
    const table = constantString(head.args?.[0]) ?? ''
    const step = c.it.emit(
      {
        kind: 'db',
        client,
        op: c.links.some((l) => l.name === 'onConflict') ? 'upsert' : (KYSELY[head.name] as DbOp),
        table,
        filters,
        ...(payload ? { payload } : {}),
      },
      c.chain.at,
    )
    if (last.name.endsWith('OrThrow')) c.it.require({ v: 'row', table, step }, c.at)
    return { v: 'row', table, step, ...(last.name === 'execute' ? { many: true as const } : {}) }
  },
  tag: (c, quasis, exprs) => bindingTemplate(c, (c.root as Extract<Val, { v: 'client' }>).client, quasis, exprs),
}
