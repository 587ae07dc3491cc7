import { says } from '../../../lib/snake-case.ts'
import { isCallers } from '../../behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains } from '../conditions.ts'
import type { UnpaidGrant } from '../payments.ts'
import { entryPlace } from '../webhooks/verification.ts'

const OF_ACCESS = /(?:^|[._])(?:subscriptions?|memberships?|entitlements?|licen[cs]es?|user_?plans?)$/i
/** The processor's number of what was bought, in a column of one's own. */
const OF_PROCESSOR =
  /^(?:(?:stripe|paddle|pay_?pal|polar|lemon_?squeezy|razorpay|paystack|mollie)_(?:\w{1,30}_)?id|(?:(?:square|provider|external)_)?(?:transaction|payment|checkout|checkout_session)_id)$/i
const GRANT_STATUS_COLUMN = /^(?:status|state|subscription_status|is_active|active)$/i
const ACTIVE_STATUS_VALUE = /^(?:active|paid|pro|premium|lifetime|subscribed|completed|succeeded|true)$/i

/**
 * A signed-in user's own subscription, set to active under a number that the request brings along (`{ status: 'active', paddle_subscription_id:
 * body.transaction_id }`): the browser says that it has paid, at whatever address. Whoever takes the money here, or goes on only when the processor
 * says so, does not take its word.
 */
export function claimedGrant(route: Route, behaviour: Behaviour): UnpaidGrant | undefined {
  if (behaviour.steps.some(({ effect: { kind } }) => kind === 'payment' || kind === 'verify-signature')) return undefined
  const grant = behaviour.steps.find((s) => isClaimed(s, behaviour) && !s.under.some((c) => rests(c.test, !c.negated, behaviour) || isSigned(c)))
  if (grant?.effect.kind !== 'db') return undefined
  const asks = behaviour.steps.find((s) => s.effect.kind === 'http')
  return {
    subject: route.subject,
    at: entryPlace(grant, route),
    what: `${route.subject} sets the paid state in ${grant.effect.table} for a payment that the request names`,
    ...(asks ? { asks: entryPlace(asks, route) } : {}),
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

function isClaimed({ effect: e }: Step, behaviour: Behaviour): boolean {
  if (e.kind !== 'db' || e.op === 'select' || e.op === 'delete' || !says(OF_ACCESS, e.table) || e.payload?.v !== 'object') return false
  const { create } = e.payload.props
  const row = create?.v === 'object' ? create : e.payload
  const columns = Object.entries(row.props)
  const callers = (v: Value) => isCallers(v, behaviour)
  return (
    columns.some(([name, v]) => says(GRANT_STATUS_COLUMN, name) && saysGranted(v)) &&
    columns.some(([name, v]) => says(OF_PROCESSOR, name) && contains(v, (x) => x.v === 'request' && (x.part === 'body' || x.part === 'query'))) &&
    (columns.some(([, v]) => callers(v)) || e.filters.some((f) => f.op === 'eq' && callers(f.value)))
  )
}

/** A paid state, or one of several of which one is: `trial ? 'trialing' : 'active'`. */
const saysGranted = (v: Value): boolean => (v.v === 'const' ? ACTIVE_STATUS_VALUE.test(String(v.value)) : v.v === 'any' && v.of.some(saysGranted))

/** Whether a test comes out this way only where another service answered something. */
function rests(test: Value, truthy: boolean, behaviour: Behaviour, depth = 0): boolean {
  if (test.v === 'op' && depth < 12) {
    const next = (x: Value, t = truthy) => rests(x, t, behaviour, depth + 1)
    if (test.op === '!') return test.of.some((x) => next(x, !truthy))
    if (test.op === '&&' || test.op === '||') return (test.op === '&&') === truthy ? test.of.some((x) => next(x)) : test.of.every((x) => next(x))
  }
  return contains(test, (v) => v.v === 'result' && behaviour.steps[v.step]?.effect.kind !== 'auth-call')
}

const isSigned = (c: Condition): boolean => contains(c.test, (v) => v.v === 'call' && /hmac/i.test(v.name))
