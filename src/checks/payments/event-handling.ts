import type { Handling, PaymentsModel, Webhook } from '../../model/payments/payments.ts'
import { notApplicable, type Outcome, unverified } from '../define-check.ts'

/** Answers that 21 and 22 (and partly 23) share: nothing to look at, or nothing that could be read. Undefined when there are webhooks to judge. */
export function withoutWebhooks(payments: PaymentsModel, what: 'subscriptions' | 'anything'): Outcome | undefined {
  if (!payments.processors.length) return notApplicable('no payment processor is used')
  if (what === 'subscriptions' && !payments.subscriptions) return notApplicable('only one-time payments are sold')
  if (payments.webhooks.length) return undefined
  if (payments.unread.length) {
    return unverified('a webhook endpoint could not be followed', {
      where: payments.unread.map((u) => `${u.at.path}:${u.at.line} (${u.because})`).join(', '),
      attest: 'what it does on this event',
    })
  }
  return notApplicable(payments.subscriptions ? 'there is no webhook endpoint; check 20 reports that' : 'there is no webhook endpoint')
}

/** The best answer that any endpoint gives to an event. */
export function bestHandling(payments: PaymentsModel, pick: (w: Webhook) => Handling): { readonly webhook: Webhook; readonly handling: Handling } {
  const rank: Record<Handling['how'], number> = { acts: 0, notifies: 0, resyncs: 1, 'status-only': 2, 'logs-only': 3, none: 4 }
  const candidates = payments.webhooks.map((webhook) => ({ webhook, handling: pick(webhook) }))
  // A missing case belongs into the endpoint that already handles subscriptions.
  const about = (w: Webhook) => w.events.filter((e) => /subscription|invoice/.test(e)).length
  return candidates.sort((a, b) => rank[a.handling.how] - rank[b.handling.how] || about(b.webhook) - about(a.webhook))[0] as {
    webhook: Webhook
    handling: Handling
  }
}

/** Where a case is to be added: where the kind of event is looked at, otherwise the handler. */
export function casePlace(w: Webhook): { path: string; line: number } {
  return w.typeAt ? { path: w.typeAt.path, line: w.typeAt.line } : { path: w.path, line: w.line }
}
