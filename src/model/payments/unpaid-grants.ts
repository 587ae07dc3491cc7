import type { Step, Value } from '../behaviour/behaviour.ts'
import type { Route } from '../routes/routes.ts'
import { contains } from './conditions.ts'
import type { UnpaidGrant } from './payments.ts'
import { entryPlace } from './verification.ts'

/** Where the browser goes, or calls, once a payment went through. */
const AFTER_PAYMENT =
  /(^|[/_-])(success|thank-?you|(payment|checkout|order|purchase|subscription)[/_-]?(success|complete|completed|confirm|confirmation|verify)|(verify|confirm|complete|activate)[/_-]?(payment|checkout|purchase|subscription|plan))($|[/_?-])/i
const PAID_COLUMN =
  /^(plan|tier|subscription|subscription_(status|tier|plan)|payment_status|paid|is_(paid|pro|premium|subscribed)|has_(paid|access)|premium|pro)$/i
const PAID_VALUE = /^(paid|active|pro|premium|plus|business|enterprise|lifetime|subscribed|completed|succeeded)$/i

/** Endpoints behind a payment that grant something without asking the processor or checking a signature. */
export function findUnpaidGrants(routes: readonly Route[]): UnpaidGrant[] {
  const found: UnpaidGrant[] = []
  for (const route of routes) {
    const behaviour = route.behaviour
    if (!behaviour?.complete || !AFTER_PAYMENT.test(route.route) || route.guard?.who === 'admin' || route.guard?.who === 'secret') continue
    // Whoever asks the processor, or checks a signature, does not take the browser's word.
    if (
      behaviour.steps.some(
        (s) =>
          s.effect.kind === 'payment' ||
          s.effect.kind === 'verify-signature' ||
          s.effect.kind === 'http' ||
          s.under.some((c) => contains(c.test, (v) => v.v === 'call' && /hmac/i.test(v.name))),
      )
    )
      continue
    const grant = behaviour.steps.find(grantsAccess)
    if (grant?.effect.kind !== 'db') continue
    found.push({
      subject: route.subject,
      at: entryPlace(grant, route),
      what: `${route.subject} sets the paid state in ${grant.effect.table}`,
      ...(route.workspace ? { workspace: route.workspace } : {}),
    })
  }
  return found
}

function grantsAccess(s: Step): boolean {
  const e = s.effect
  return (
    e.kind === 'db' &&
    e.op !== 'select' &&
    e.op !== 'delete' &&
    e.payload?.v === 'object' &&
    Object.entries(e.payload.props).some(([column, value]) => PAID_COLUMN.test(column) && isPaid(value))
  )
}

function isPaid(v: Value): boolean {
  if (v.v === 'const') return v.value === true || (typeof v.value === 'string' && PAID_VALUE.test(v.value))
  return v.v === 'request' && (v.part === 'body' || v.part === 'query')
}
