import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains } from '../conditions.ts'
import type { UnpaidGrant } from '../payments.ts'
import { entryPlace } from '../webhooks/verification.ts'
import { claimedGrant } from './unverified-grants.ts'

/** Where the browser goes, or calls, once a payment went through. */
const AFTER_PAYMENT =
  /(^|[/_-])(success|thank-?you|(payment|checkout|order|purchase|subscription)[/_-]?(success|complete|completed|confirm|confirmation|verify)|(verify|confirm|complete|activate)[/_-]?(payment|checkout|purchase|subscription|plan))($|[/_?-])/i
const PAID_PLAN_COLUMN =
  /^(plan|tier|subscription|subscription_(status|tier|plan)|payment_status|paid|is_(paid|pro|premium|subscribed)|has_(paid|access)|premium|pro)$/i
const PAID_PLAN_VALUE = /^(paid|active|pro|premium|plus|business|enterprise|lifetime|subscribed|completed|succeeded)$/i

/** Endpoints behind a payment that grant something although nothing that the processor says, and no signature, has to be so. */
export const findUnpaidGrants = (routes: readonly Route[]): UnpaidGrant[] => routes.flatMap((route) => unpaidGrant(route) ?? [])

const unpaidGrant = rememberFor((route: Route): UnpaidGrant | undefined => {
  const { behaviour } = route
  if (!behaviour?.complete || route.guard?.who === 'admin' || route.guard?.who === 'secret') return undefined
  const claimed = claimedGrant(route, behaviour)
  if (claimed || !followsPayment(route)) return claimed
  // Whoever checks a signature, or takes the money here and now, does not take the browser's word.
  if (
    behaviour.steps.some(
      (s) =>
        (s.effect.kind === 'payment' && !PROCESSOR_LOOKUP_CALL.test(s.effect.name)) ||
        s.effect.kind === 'verify-signature' ||
        s.effect.kind === 'http' ||
        s.under.some((c) => contains(c.test, (v) => v.v === 'call' && /hmac/i.test(v.name))),
    )
  )
    return undefined
  const asks = behaviour.steps.find((s) => s.effect.kind === 'payment')
  const grant = behaviour.steps.find((s) => (asks ? (grantsAccess(s) || marksPaid(s)) && !isSaidToBePaid(s, behaviour) : grantsAccess(s)))
  if (grant?.effect.kind !== 'db') return undefined
  return {
    subject: route.subject,
    at: entryPlace(grant, route),
    what: `${route.subject} sets the paid state in ${grant.effect.table}`,
    ...(asks ? { asks: entryPlace(asks, route) } : {}),
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
})

/** Calls that only look something up at the processor. */
const PROCESSOR_LOOKUP_CALL = /\.(retrieve|list\w*|search|get|fetch|verify|status|getInvoiceById)$/

/** Whether the address of a route, or the name of a server action written like one, says that it follows a payment. */
function followsPayment(route: Route): boolean {
  const action = route.kind === 'action' ? (route.subject.split('#')[1] ?? '') : ''
  return AFTER_PAYMENT.test(route.route) || AFTER_PAYMENT.test(action.replace(/([a-z])(?=[A-Z])/g, '$1-'))
}

/** What an object of the processor says before anything was paid as well: that it is there, and whose it is. */
const BEFORE_PAYMENT = /^(id|object|url|client_secret|client_reference_id|metadata|customer\w*)(\.|$)/

/** Whether what stands before the grant, or what is written, is the processor's word about the payment; or a row says already that it is paid. */
function isSaidToBePaid(grant: Step, behaviour: Behaviour): boolean {
  const fromProcessor = (v: Value) => v.v === 'result' && behaviour.steps[v.step]?.effect.kind === 'payment'
  const says = (v: Value) =>
    (v.v === 'result' && fromProcessor(v) && v.field !== undefined && !BEFORE_PAYMENT.test(v.field)) ||
    (v.v === 'row' && /status|state|paid/i.test(v.field ?? '')) ||
    (v.v === 'call' && v.args.some((a) => fromProcessor(a)))
  const { effect } = grant
  return grant.under.some((c) => contains(c.test, says)) || (effect.kind === 'db' && effect.payload !== undefined && contains(effect.payload, says))
}

/** The state of a payment or of what is sold, in a column that is also used for other states. */
function marksPaid(s: Step): boolean {
  const e = s.effect
  if (e.kind !== 'db' || e.op === 'select' || e.op === 'delete' || e.payload?.v !== 'object') return false
  return Object.entries(e.payload.props).some(
    ([column, value]) => /(^|_)(status|state)$/i.test(column) && value.v === 'const' && /^(paid|succeeded)$/i.test(String(value.value)),
  )
}

function grantsAccess(s: Step): boolean {
  const e = s.effect
  return (
    e.kind === 'db' &&
    e.op !== 'select' &&
    e.op !== 'delete' &&
    e.payload?.v === 'object' &&
    Object.entries(e.payload.props).some(([column, value]) => PAID_PLAN_COLUMN.test(column) && isPaid(value))
  )
}

function isPaid(v: Value): boolean {
  if (v.v === 'const') return v.value === true || (typeof v.value === 'string' && PAID_PLAN_VALUE.test(v.value))
  return v.v === 'request' && (v.part === 'body' || v.part === 'query')
}
