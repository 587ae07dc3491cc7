import { defineCheck, failed, passed } from '../define-check.ts'
import { casePlace } from './event-handling.ts'
import { judgedHandling } from './judged-handling.ts'
import { inOwnWords, storedEnd } from './stored-end.ts'

export default defineCheck({
  number: 21,
  id: 'payments/payment-failed',
  category: 'Payments',
  rule: 'The payment-failed event is handled.',
  needs: ['payments'],
  doubtedBy: ['code'],
  covers: 'events',
  seenOnce: true,
  run: ({ payments }) => {
    const judged = judgedHandling(payments, 'failed')
    if ('status' in judged) return judged
    const { webhook: w, handling: h, place, evidence } = judged
    if (h.how === 'acts' || h.how === 'notifies') return passed(...evidence, `${h.event} is handled (${place})`)
    const statusOnly = h.how === 'status-only'
    const logsOnly = h.how === 'logs-only' || h.logged !== undefined
    const unread = h.how === 'status-unread'
    const end = h.how === 'none' ? storedEnd(w) : undefined
    return failed(
      [
        {
          subject: `event ${h.event}`,
          severity: statusOnly || unread ? 'Medium' : 'High',
          title: logsOnly ? `${h.event} is only logged` : unread ? `${h.event} writes a status that nothing reads` : `${h.event} is not handled`,
          message: unread
            ? `On ${h.event} ${w.subject} only writes a status (${place}), and nothing in the repository reads it: no page, no policy, no other endpoint. Nobody is told, and access goes on.`
            : statusOnly && h.unread
              ? `${w.subject} ${h.logged ? `only logs ${h.event} (${h.logged.path}:${h.logged.line})` : `has no case for ${h.event}`}: nobody is told that the payment failed. What another event writes down (${place}) does not help: nothing in the repository reads it, so access is decided on something else.`
              : statusOnly
                ? `${w.subject} ${h.logged ? `only logs ${h.event} (${h.logged.path}:${h.logged.line})` : `has no case for ${h.event}`}. Access follows the subscription's status (${place}), so it ends some day, but nobody is told that the payment failed.`
                : logsOnly
                  ? `${w.subject} only logs ${h.event} (${place}): no notice, no retry, no change of access.`
                  : end
                    ? `${w.subject} has no case for ${h.event}: when a renewal fails, nobody is told. ${end.words}`
                    : `${w.subject} has no case for ${h.event}: when a renewal fails, nothing happens and access goes on.`,
          attack: statusOnly
            ? `No attacker is needed: customers ${h.unread ? 'whose card fails hear nothing, and keep or lose' : 'lose'} access without warning${h.unread ? ', whatever else decides on it' : ', or leave'}.`
            : end
              ? `A customer lets the card fail (or blocks the charge) and keeps what is no longer paid for until ${end.column}, and for good wherever that is not compared with the clock.`
              : 'A customer lets the card fail (or blocks the charge) and goes on using what is no longer paid for.',
          fix: {
            text: 'Tell the customer, mark the subscription, and end access after a grace period.',
            language: 'ts',
            code: (w.processor === 'stripe' && inOwnWords(w, 'failed')) || (PAYMENT_FAILED_EXAMPLE[w.processor] ?? (PAYMENT_FAILED_EXAMPLE.stripe as string)),
          },
          at: h.logged ?? ((logsOnly || unread) && h.at ? h.at : casePlace(w)),
          related: [
            { path: w.path, line: w.line, subject: w.subject, what: 'the webhook endpoint' },
            ...(statusOnly && h.at ? [{ ...h.at, what: 'the status is stored here' }] : []),
          ],
          proof: 'inferred',
          ...(w.workspace ? { workspace: w.workspace } : {}),
        },
      ],
      evidence,
    )
  },
})

const PAYMENT_FAILED_EXAMPLE: Readonly<Record<string, string>> = {
  stripe: `case 'invoice.payment_failed': {
  const invoice = event.data.object
  await markPastDue(invoice.customer) // stands for the change of the row that access is decided on
  await sendPaymentFailedMail(invoice.customer_email, invoice.hosted_invoice_url)
  break
}`,
  paddle: `case 'transaction.payment_failed':
  await markPastDue(event.data.subscriptionId)
  await sendPaymentFailedMail(event.data.customerId)
  break`,
  lemonsqueezy: `case 'subscription_payment_failed':
  await markPastDue(event.data.attributes.subscription_id)
  await sendPaymentFailedMail(event.data.attributes.user_email)
  break`,
  polar: `case 'subscription.past_due':
  await markPastDue(event.data.id)
  await sendPaymentFailedMail(event.data.customer.email)
  break`,
}
