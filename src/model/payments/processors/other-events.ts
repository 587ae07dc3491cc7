import type { Behaviour } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import type { OtherWebhook } from '../payments.ts'
import { handlingOf } from '../webhooks/handling.ts'

interface Ends {
  readonly failed: readonly string[]
  readonly deleted: readonly string[]
}

/** What the other processors call the end of something recurring. A list that is not complete: only what is handled can be said, never what is not. */
const END_EVENTS_BY_PROCESSOR: Readonly<Record<string, Ends>> = {
  RevenueCat: { failed: ['BILLING_ISSUE', 'EXPIRATION'], deleted: ['EXPIRATION', 'CANCELLATION'] },
  Whop: {
    failed: ['payment.failed', 'payment_failed', 'invoice.past_due'],
    deleted: ['membership.went_invalid', 'membership_went_invalid', 'membership.deactivated', 'membership.cancelled', 'membership.expired'],
  },
  Paystack: { failed: ['invoice.payment_failed'], deleted: ['subscription.disable'] },
  Razorpay: { failed: ['subscription.pending', 'subscription.halted'], deleted: ['subscription.cancelled', 'subscription.completed'] },
  Asaas: { failed: ['PAYMENT_OVERDUE'], deleted: ['SUBSCRIPTION_DELETED', 'SUBSCRIPTION_INACTIVATED'] },
  PayPal: {
    failed: ['BILLING.SUBSCRIPTION.PAYMENT.FAILED', 'BILLING.SUBSCRIPTION.SUSPENDED'],
    deleted: ['BILLING.SUBSCRIPTION.CANCELLED', 'BILLING.SUBSCRIPTION.EXPIRED'],
  },
  'Dodo Payments': { failed: ['subscription.on_hold', 'subscription.failed'], deleted: ['subscription.cancelled', 'subscription.expired'] },
  Creem: { failed: ['subscription.past_due', 'subscription.unpaid'], deleted: ['subscription.canceled', 'subscription.expired'] },
}

/** Where an endpoint does something on the end of what such a processor charges again and again. */
export function endsHandled(route: Route, behaviour: Behaviour, processor: string): Pick<OtherWebhook, 'ends'> {
  const names = END_EVENTS_BY_PROCESSOR[processor]
  if (!names) return {}
  const handled = (events: readonly string[]) => {
    const { event, how, at } = handlingOf(
      behaviour,
      route,
      events,
      [],
      () => true,
      () => undefined,
    )
    return at && (how === 'acts' || how === 'notifies') ? { event, at } : undefined
  }
  const failed = handled(names.failed)
  const deleted = handled(names.deleted)
  return failed || deleted ? { ends: { ...(failed ? { failed } : {}), ...(deleted ? { deleted } : {}) } } : {}
}
