import { lastPart } from '../../../lib/last-part.ts'
import { says } from '../../../lib/snake-case.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { breachOfColumn, directly, isRequestControlled, type OwnershipBreach, verbOf } from '../shared/violation.ts'

const SUBSCRIPTIONS = /(?:^|_)(?:subscriptions?|memberships?|entitlements?|licen[cs]es?)$/
const PLAN_KEY_COLUMN = /^(?:subscription_)?(?:plan|tariff|package|tier|membership_type|product)_?(?:id|key|code|slug)$/
const PLAN_CATALOGUE_TABLE = /(?:^|_)(?:plans?|tariffs?|packages?|tiers?|membership_types?|products?)$/
const PLAN_PRICE_COLUMN = /price|amount|cost|fee|(?:^|_)free(?:_|$)|cents/i
const ON = /^(?:is_?)?(?:active|enabled|paid)$|^(?:subscription_?)?status$/
const ACTIVE_STATE_VALUES: ReadonlySet<unknown> = new Set([true, 'active', 'ACTIVE', 'Active', 'paid', 'PAID'])

/**
 * The caller's own subscription, begun at once for the plan that the request names: plans have prices, and neither a price nor a payment is asked for on the
 * way. A plan that the code names and one whose price is looked at are given to everybody.
 */
export function planForNothing(step: Step, e: Query, behaviour: Behaviour, { tables }: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if ((e.op !== 'insert' && e.op !== 'upsert') || e.client.rights !== 'service' || e.payload?.v !== 'object' || !says(SUBSCRIPTIONS, lastPart(e.table)))
    return []
  const row = Object.entries(e.payload.props)
  if (!row.some(([, v]) => isCallers(v, behaviour)) || !row.some(([c, v]) => says(ON, c) && v.v === 'const' && ACTIVE_STATE_VALUES.has(v.value))) return []
  const named = row.find(([c, v]) => says(PLAN_KEY_COLUMN, c) && isRequestControlled(v, behaviour) && directly(asSent(v)))
  if (!named || !tables.some((t) => says(PLAN_CATALOGUE_TABLE, t.name) && t.columns.some((c) => PLAN_PRICE_COLUMN.test(c.name)))) return []
  // a payment, a provider that was asked, a code: what is bought with is not followed further
  const asked = ({ effect: x }: Step) => x.kind === 'payment' || x.kind === 'http' || x.kind === 'verify-signature' || x.kind === 'rpc' || x.kind === 'invoke'
  if (behaviour.steps.some(asked) || step.under.some((c) => mentions(c.test, asksPrice))) return []
  const [column, value] = named
  return [{ ...breachOfColumn('power', step.at, { verb: verbOf(e), table: e.table }, column, requestName(value) ?? 'the request'), own: true, plan: true }]
}

/** `Number(body.planId)`: the value itself. */
const asSent = (v: Value): Value => (v.v === 'call' && /^(?:Number|String|BigInt|(?:Number\.)?parseInt)$/.test(v.name) && v.args[0] ? v.args[0] : v)

/** What is said of the row that begins the caller's subscription, where it says nothing of its plan that is told better or was asked for. */
export const besidePlan = (found: readonly OwnershipBreach[], step: Step, told: readonly OwnershipBreach[]): readonly OwnershipBreach[] => {
  const asked = told.length > 0 || step.under.some((c) => mentions(c.test, asksPrice))
  return asked
    ? found.filter((b) => !(b.kind === 'power' && says(PLAN_KEY_COLUMN, b.ownerColumn ?? '') && says(SUBSCRIPTIONS, lastPart(b.table ?? ''))))
    : found
}

/** A price is looked at, or something that was handed out for it. */
const asksPrice = (x: Value): boolean =>
  (x.v === 'row' && PLAN_PRICE_COLUMN.test(x.field ?? '')) ||
  (x.v === 'request' && /code|voucher|coupon|receipt|payment|transaction|session/i.test(x.name ?? '')) ||
  x.v === 'event'
