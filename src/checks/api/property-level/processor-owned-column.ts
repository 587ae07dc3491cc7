import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { isCallers, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { ORDER_STATUS_COLUMN } from '../../../model/routes/operations/marked-paid.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { breachOfColumn, callerOf, directly, isRequestControlled, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'
import { hasShape, isHarmlessChoice, payloadRows, wholeBody } from './mass-assignment.ts'

/** What somebody has paid for, as a row says it. */
const SOLD =
  /^(?:(?:subscription|billing|membership)_?(?:status|state|plan|tier|type|level|end(?:s|_?date|s?_?at)?)|plan(?:_(?:id|name|type|tier|status))?|tier|is_?(?:pro|premium|paid|active_?subscriber)|credits?|balance|paid|payment_status|premium_until|current_period_end)$/i

/** What an order is once the money is there. */
const PAID_ORDER_VALUE = /^(?:paid|completed?|confirmed|succeeded|success|processing|active)$/i

/** The columns by table that the application sets when its payment processor says so: whoever may write them takes what others pay for. */
export const soldColumns = rememberFor((routes: readonly Route[]): ReadonlyMap<string, readonly string[]> => {
  const sold = new Map<string, Set<string>>()
  for (const { guard, behaviour } of routes) {
    if (guard?.who !== 'signature') continue
    for (const { effect: e } of behaviour?.steps ?? []) {
      if (e.kind !== 'db' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object') continue
      const table = lastPart(e.table)
      const columns = Object.entries(e.payload.props).flatMap(([c, v]) =>
        says(SOLD, c) || (ORDER_STATUS_COLUMN.test(c) && v.v === 'const' && PAID_ORDER_VALUE.test(String(v.value))) ? [c] : [],
      )
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
  return payloadRows(e.payload).flatMap((payload) => {
    const whole = wholeBody(payload)
    const bound = [...(payload.v === 'object' ? Object.keys(payload.props) : []), ...(whole?.without ?? [])].map(snakeCase)
    const column = whole && columns.find((c) => !bound.includes(snakeCase(c)))
    if (!column) return []
    const about = breachOfColumn('mass-assignment', step.at, { verb: verbOf(e), table: e.table }, column, requestName(whole) ?? 'the request body')
    return [{ ...about, severity: 'Critical', own: true, callerAs: callerOf(behaviour), ...(bound.length ? { bound: true as const } : {}) }]
  })
}

/** Who bought something, by the column of the order. */
const ORDER_BUYER_COLUMN = /^(?:user|buyer|customer|profile|member|student|client|clerk_user)_?id$/
const OTHER_PARTY = /^(?:buyer|customer|client|guest|patient)(?:_?id|_name|_e?mail)?$/

/** A column that the processor's webhook sets, taken from the request for the order that the caller placed. Who sells may say how far an order is. */
export function saysPaid(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  sold: ReadonlyMap<string, readonly string[]>,
  schema: Pick<SchemaModel, 'tables'>,
): OwnershipBreach[] {
  const columns = sold.get(lastPart(e.table))
  if (!columns || e.op !== 'update' || !e.payload || e.client.rights !== 'service') return []
  const own = e.filters.find((f) => f.op === 'eq' && says(ORDER_BUYER_COLUMN, lastPart(f.column)) && isCallers(f.value, behaviour))
  const isUsers = own && says(/^user_?id$/, lastPart(own.column))
  // an invoice is its writer's, and somebody else pays it
  if (!own || (isUsers && tableOf(e, schema)?.columns.some((c) => says(OTHER_PARTY, c.name)))) return []
  return payloadRows(e.payload).flatMap((row) => {
    if (row.v !== 'object') return []
    const found = Object.entries(row.props).find(([c, v]) => columns.includes(c) && isFree(step, v, behaviour))
    if (!found) return []
    const [column, value] = found
    const about = breachOfColumn('power', step.at, { verb: verbOf(e), table: e.table }, column, requestName(value) ?? 'the request')
    return [{ ...about, own: true as const, paid: true as const, callerAs: callerOf(behaviour) }]
  })
}

/** The request says what it is, and may say that it is paid. */
function isFree(step: Step, value: Value, behaviour: Behaviour): boolean {
  if (!isRequestControlled(value, behaviour) || !directly(value) || isHarmlessChoice(step, value)) return false
  return value.v !== 'request' || value.as !== 'enum' || !value.choices || value.choices.some((c) => PAID_ORDER_VALUE.test(c))
}
