import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Value } from '../../../model/behaviour/types.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { isSame } from '../binding/value-equality.ts'

/** What is worth something, or runs out: one more of it is no tally. */
const VALUABLE_COLUMN = /credit|balance|points?$|coins?$|tokens?$|wallet|amount|price|stock|quantity|seats?$|capacity|score|xp$|level/i
const TIMESTAMP_COLUMN = /_?at$|At$|_on$/

/**
 * How many people have liked, reviewed or joined something: a figure of its row goes up or down by one because a row of the caller's own, which
 * names the same thing, comes or goes in the same handler. Nothing of what is written is the request's to choose.
 */
export function keepsTally(e: Query, behaviour: Behaviour, ties: Ties): boolean {
  const changed = changeOf(e)
  if (!changed) return false
  const { props, rest } = changed
  const set = Object.entries(props)
  const counted = set.filter(([column]) => !TIMESTAMP_COLUMN.test(column))
  if (!counted.every(([column, v]) => !VALUABLE_COLUMN.test(column) && isByOne(v))) return false
  if (rest ? !isComputedTally(rest) : !counted.length) return false
  return behaviour.steps.some(({ effect }) => effect.kind === 'db' && effect.table !== e.table && isOwn(effect, e, behaviour, ties))
}

/** What a change writes where the row is there; one that Prisma adds where it is not may only be named and begin at one. */
function changeOf({ op, payload }: Query): Extract<Value, { v: 'object' }> | undefined {
  if (payload?.v !== 'object') return undefined
  if (op === 'update') return payload
  const { create, update } = payload.props
  if (op !== 'upsert' || create?.v !== 'object' || create.rest || update?.v !== 'object') return undefined
  const counted = Object.keys(update.props)
  return counted.every((column) => create.props[column] === undefined || isOne(create.props[column])) ? update : undefined
}

/**
 * What others have made of the same thing gives way to what the caller adds: earlier bids are outbid. All of them are told the same by the code, none is
 * named by the request, and the new row is the caller's own.
 */
export function makesRoom(e: Query, behaviour: Behaviour): boolean {
  if (e.op !== 'update' || e.payload?.v !== 'object' || e.payload.rest || e.unread) return false
  const fixed = Object.entries(e.payload.props).every(([column, v]) => (v.v === 'const' && !VALUABLE_COLUMN.test(column)) || TIMESTAMP_COLUMN.test(column))
  const about = e.filters.filter((f) => f.value.v !== 'const')
  if (!fixed || !about.length || about.some((f) => f.op !== 'eq' || /(?:^|\.)id$/.test(f.column))) return false
  return behaviour.steps.some(({ effect: made }) => {
    if (made.kind !== 'db' || made.op !== 'insert' || made.table !== e.table || made.payload?.v !== 'object') return false
    const values = Object.values(made.payload.props)
    return about.every((f) => values.some((v) => isSame(v, f.value))) && values.some((v) => isCallers(v, behaviour))
  })
}

/** `{ [ratingKey]: sql`${stats[ratingKey]} + 1` }`, where the code says which columns that may be. */
function isComputedTally(rest: Value): boolean {
  const [key, value] = rest.v === 'call' && rest.name === 'computed' ? rest.args : []
  if (!key || !value || !isByOne(value)) return false
  const names = key.v === 'any' ? key.of : [key]
  return names.every((n) => n.v === 'const' && !VALUABLE_COLUMN.test(String(n.value)))
}

/** A row of the caller's about the same thing, which is added or taken away. */
function isOwn(e: Query, tally: Query, behaviour: Behaviour, ties: Ties): boolean {
  if (e.op === 'delete') return ties.byFilter(e)
  if (e.op !== 'insert' && e.op !== 'upsert') return false
  const values = e.payload?.v === 'object' ? Object.values(e.payload.props) : []
  return values.some((v) => tally.filters.some((f) => f.op === 'eq' && isSame(v, f.value))) && values.some((v) => isCallers(v, behaviour))
}

/** `{ increment: 1 }`, `row.likes - 1`, `` sql`${table.likes} + 1` ``. */
function isByOne(v: Value): boolean {
  if (v.v === 'object') return Object.keys(v.props).length === 1 && isOne(v.props.increment ?? v.props.decrement)
  if (v.v === 'op') return /^[+-]$/.test(v.op) && isOne(v.of[1]) && v.of[0] !== undefined && !mentions(v.of[0], (x) => x.v === 'request')
  const [text] = v.v === 'call' && v.name === 'drizzle-sql' ? v.args : []
  return text?.v === 'const' && /^(?:\s|greatest\s*\(|coalesce\s*\(|\?|,|0|\))*[+-]\s*1(?:\s*(?:,\s*0\s*)?\)){0,2}\s*$/i.test(String(text.value))
}

const isOne = (v: Value | undefined): boolean => v?.v === 'const' && v.value === 1
