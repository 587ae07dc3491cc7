import type { PaymentsModel, Webhook } from '../../model/payments/payments.ts'
import { certainlyNotApplicable, notApplicable, type Outcome, passed, unverified } from '../define-check.ts'

/** Which question is asked: the end of what recurs, by its kind, or anything that a webhook does. */
type What = 'failed' | 'deleted' | 'anything'

/** Answers that 21 and 22 (and partly 23) share: nothing to look at, or nothing that could be read. Undefined when there are webhooks to judge. */
export function withoutWebhooks(payments: PaymentsModel, what: What): Outcome | undefined {
  if (!payments.processors.length) return otherwise(payments, what)
  const unknown = payments.unread.length > 0 && !payments.oneTime
  // what is sold again and again may be sold through another processor
  if (what !== 'anything' && !payments.subscriptions && !payments.oneTime && !unknown && payments.otherWebhooks.length) return otherwise(payments, what)
  if (what !== 'anything' && !payments.subscriptions && !unknown)
    return notApplicable(payments.oneTime ? 'only one-time payments are sold' : 'nothing shows that something recurring is sold')
  if (payments.webhooks.length) return undefined
  if (payments.unread.length) {
    return unverified('a webhook endpoint could not be followed', {
      where: payments.unread.map((u) => `${u.at.path}:${u.at.line} (${u.because})`).join(', '),
      attest: 'what it does on this event',
    })
  }
  return notApplicable(payments.subscriptions ? 'there is no webhook endpoint; check 20 reports that' : 'there is no webhook endpoint')
}

/** What can be said of processors whose events have no rules here. */
function otherwise({ others, otherWebhooks, othersRecur }: PaymentsModel, what: What): Outcome {
  if (!others.length) return certainlyNotApplicable('no payment processor is used')
  const names = others.map((o) => o.name).join(', ')
  if (!otherWebhooks.length) return notApplicable(`${names}: there is no webhook endpoint`)
  if (what !== 'anything' && !othersRecur) return notApplicable(`${names}: only one-time payments are sold`)
  const ends = what === 'anything' ? [] : otherWebhooks.map((w) => w.ends?.[what])
  if (ends.length && ends.every((end) => end !== undefined)) return passed(...ends.map((end) => `${end.event} is handled (${end.at.path}:${end.at.line})`))
  return unverified(`the events of ${names} have no rules here`, {
    where: otherWebhooks.map((w) => `${w.path}:${w.line}`).join(', '),
    attest: 'what it does on this event, and what it does when the event comes twice',
  })
}

/** Where a case is to be added: where the kind of event is looked at, otherwise the handler. */
export function casePlace(w: Webhook): { path: string; line: number } {
  return w.typeAt ? { path: w.typeAt.path, line: w.typeAt.line } : { path: w.path, line: w.line }
}
