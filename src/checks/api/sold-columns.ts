import { lastPart } from '../../lib/last-part.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import { says, snakeCase } from '../../lib/snake-case.ts'
import { steady } from '../../lib/steady.ts'
import type { Behaviour, Step } from '../../model/behaviour/behaviour.ts'
import { isCallers, requestName } from '../../model/behaviour/values.ts'
import type { Route } from '../../model/routes/routes.ts'
import { breachOfColumn, callerOf, type OwnershipBreach, type Query, verbOf } from './ownership-breach.ts'
import { hasShape, rowsOf, wholeBody } from './payload-breaches.ts'

/** What somebody has paid for, as a row says it. */
const SOLD =
  /^(?:(?:subscription|billing|membership)_?(?:status|state|plan|tier|type|level|end(?:s|_?date|s?_?at)?)|plan(?:_(?:id|name|type|tier|status))?|tier|is_?(?:pro|premium|paid|active_?subscriber)|credits?|balance|paid|payment_status|premium_until|current_period_end)$/i

/** The columns by table that the application sets when its payment processor says so: whoever may write them takes what others pay for. */
export const soldColumns = rememberFor((routes: readonly Route[]): ReadonlyMap<string, readonly string[]> => {
  const sold = new Map<string, Set<string>>()
  for (const { guard, behaviour } of routes) {
    if (guard?.who !== 'signature') continue
    for (const { effect: e } of behaviour?.steps ?? []) {
      if (e.kind !== 'db' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object') continue
      const table = lastPart(e.table)
      const columns = Object.keys(e.payload.props).filter((c) => says(SOLD, c))
      if (columns.length) sold.set(table, new Set([...(sold.get(table) ?? []), ...columns]))
    }
  }
  return asBefore(new Map([...sold].map(([table, columns]) => [table, [...columns]])))
})

/** What was judged beside the same columns stays judged. */
const asBefore = steady<ReadonlyMap<string, readonly string[]>>()

/**
 * The whole body written to the caller's own row, where the payment processor's webhook writes what was paid for: whichever role the caller has in the
 * own tenant, and whether the repository holds the table or not.
 */
export function soldBreaches(step: Step, e: Query, behaviour: Behaviour, sold: ReadonlyMap<string, readonly string[]>): OwnershipBreach[] {
  const columns = sold.get(lastPart(e.table))
  if (!columns || e.op !== 'update' || !e.payload || e.client.rights !== 'service' || hasShape(step)) return []
  if (!e.filters.some((f) => f.op === 'eq' && isCallers(f.value, behaviour))) return []
  return rowsOf(e.payload).flatMap((payload) => {
    const whole = wholeBody(payload)
    const bound = [...(payload.v === 'object' ? Object.keys(payload.props) : []), ...(whole?.without ?? [])].map(snakeCase)
    const column = whole && columns.find((c) => !bound.includes(snakeCase(c)))
    if (!column) return []
    const about = breachOfColumn('mass-assignment', step.at, { verb: verbOf(e), table: e.table }, column, requestName(whole) ?? 'the request body')
    return [{ ...about, severity: 'Critical', own: true, callerAs: callerOf(behaviour), ...(bound.length ? { bound: true as const } : {}) }]
  })
}
