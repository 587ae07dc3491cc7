import { isAlike } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { directly, isRequestControlled, OWNER_COLUMN, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

const RETRIEVES = /(?:subscriptions|checkout\.sessions|customers|paymentIntents|invoices)\.(?:retrieve|get)$/i

/**
 * A payment object that the request names, read from the processor and booked on the caller, although nothing asks whose it is: a row of
 * the caller's takes over its ids or its state, and no condition compares its customer or metadata with the caller.
 */
export function claimedPayments(step: Step, e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (e.op === 'select' || e.op === 'delete' || e.payload?.v !== 'object') return []
  const { props } = e.payload
  const ofCaller =
    e.filters.some((f) => isCallers(f.value, behaviour)) ||
    Object.entries(props).some(([column, value]) => OWNER_COLUMN.test(column) && isCallers(value, behaviour))
  if (!ofCaller) return []
  const claimed = new Map<number, Value>()
  behaviour.steps.forEach((s, i) => {
    const [id] = s.effect.kind === 'payment' && RETRIEVES.test(s.effect.name) ? s.effect.args : []
    if (!id) return
    if (isRequestControlled(id, behaviour) && directly(id)) claimed.set(i, id)
    else mentions(id, (x) => x.v === 'result' && claimed.has(x.step) && claimed.set(i, claimed.get(x.step) as Value) !== undefined)
  })
  const isClaimed = (x: Value): boolean => x.v === 'result' && claimed.has(x.step)
  const isNamed = (x: Value): boolean => [...claimed.values()].some((id) => isAlike(id, x))
  const booked = Object.values(props).find((value) => mentions(value, isClaimed))
  if (!booked) return []
  // whose the object is was asked, or it names the row itself
  if (step.under.some((c) => mentions(c.test, isClaimed) && mentions(c.test, (x) => isCallers(x, behaviour)))) return []
  if (e.filters.some((f) => mentions(f.value, isClaimed) || (f.op === 'eq' && [...claimed.values()].some((id) => isAlike(id, f.value))))) return []
  // nobody books it a second time where its id may stand in one row only
  const single = tableOf(e, schema)?.uniques.some(
    (u) => u.columns.length === 1 && mentions(props[u.columns[0] as string] ?? { v: 'const', value: null }, (x) => isClaimed(x) || isNamed(x)),
  )
  if (single) return []
  let id: Value | undefined
  mentions(booked, (x) => {
    if (x.v === 'result') id ??= claimed.get(x.step)
    return id !== undefined
  })
  return [
    {
      kind: 'claimed-payment',
      severity: 'High',
      at: step.at,
      table: e.table,
      verb: verbOf(e),
      by: (id && requestName(id)) ?? 'a value of the request',
      what: `${verbOf(e)} ${e.table} with what ${(id && requestName(id)) ?? 'the request'} leads to`,
    },
  ]
}
