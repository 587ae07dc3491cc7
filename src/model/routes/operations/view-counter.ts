import { says } from '../../../lib/snake-case.ts'
import type { Effect, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

const VISITS =
  /^(?:(?:page|profile|total|unique|video|link|share|post|item|listing|email)_){0,2}(?:views?|visits?|hits?|clicks?|plays?|downloads?|impressions?|opens?|shares?)(?:_?counts?)?$/i
const VIEWED_AT_COLUMN = /^(?:last_?)?(?:viewed|visited|seen|clicked|updated)_?at$/i
/** What a picture in a mail and the links of it tell: that it was opened, and when. */
const OPENED = /^(?:(?:first|last|e?mail|link|message)_?){0,2}(?:opened|clicked|viewed)(?:_?at)?$/i

/** Whether a change only counts one more visit, or says that there was one: `{ views: { increment: 1 } }`, `{ opened_at: now }`. Whose the row is does not matter then. */
export function countsVisits({ op, payload }: Extract<Effect, { kind: 'db' }>): boolean {
  if (op !== 'update' || payload?.v !== 'object' || payload.rest) return false
  const set = Object.entries(payload.props)
  const added = ([column, v]: readonly [string, Value]): boolean => says(VISITS, column) && isOneMore(v)
  const opened = ([column, v]: readonly [string, Value]): boolean => says(OPENED, column) && !isTainted(v)
  return set.some((x) => added(x) || opened(x)) && set.every((x) => added(x) || opened(x) || VIEWED_AT_COLUMN.test(x[0]))
}

/** Whether a query asks for nothing but whether and how often something was looked at. */
export const asksForVisits = (columns: readonly string[]): boolean => columns.some(isOfVisits) && columns.every((c) => c === 'id' || isOfVisits(c))

const isOfVisits = (column: string): boolean => says(VISITS, column) || says(OPENED, column)

function isOneMore(v: Value): boolean {
  // `{ views: supabase.rpc('increment', { row_id: id }) }`: the function is asked for one more
  if (v.v === 'call' && v.name === 'rpc') return v.args[1]?.v === 'const' && /^increment(?:_|$)/i.test(String(v.args[1].value))
  if (v.v === 'object') return v.props.increment?.v === 'const' && v.props.increment.value === 1
  return v.v === 'op' && v.op === '+' && v.of.some((x) => x.v === 'const' && x.value === 1) && v.of.some((x) => x.v !== 'const' && !isTainted(x))
}
