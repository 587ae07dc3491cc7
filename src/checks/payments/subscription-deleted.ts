import type { Handling } from '../../model/payments/payments.ts'
import { defineCheck, failed, passed } from '../define-check.ts'
import { casePlace } from './event-handling.ts'
import { judgedHandling } from './judged-handling.ts'
import { inOwnWords, storedEnd } from './stored-end.ts'

export default defineCheck({
  number: 22,
  id: 'payments/subscription-deleted',
  category: 'Payments',
  rule: 'The subscription-deleted event is handled.',
  needs: ['payments'],
  doubtedBy: ['code'],
  covers: 'events',
  seenOnce: true,
  run: ({ payments }) => {
    const judged = judgedHandling(payments, 'deleted')
    if ('status' in judged) return judged
    const { webhook: w, handling: h, place, evidence } = judged
    if (h.how === 'acts') return passed(...evidence, `${h.event} is handled (${place})`)
    if (h.how === 'status-only') return passed(...evidence, `the state that ${w.processor} sends with every change, the end among them, is stored (${place})`)
    const only = ONLY[h.how]
    const end = h.how === 'none' ? storedEnd(w) : undefined
    return failed(
      [
        {
          subject: `event ${h.event}`,
          severity: 'High',
          title: only ? `${h.event} changes nothing` : `${h.event} is not handled`,
          message: only
            ? `${w.subject} only ${only} ${h.event} (${place}): the user stays marked as paying.`
            : `${w.subject} has no case for ${h.event}: after a cancellation the user stays marked as paying.${end ? ` ${end.words}` : ''}`,
          attack: end
            ? `A customer whose subscription ends at once (cancelled, refunded, disputed) keeps the paid features until ${end.column}, and for good wherever that is not compared with the clock.`
            : 'A customer subscribes once, cancels, and keeps the paid features for good.',
          fix: {
            text: 'Mark the user as not paying, in the row that access is decided on.',
            language: 'ts',
            code:
              (w.processor === 'stripe' && inOwnWords(w, 'deleted')) ||
              (SUBSCRIPTION_DELETED_EXAMPLE[w.processor] ?? (SUBSCRIPTION_DELETED_EXAMPLE.stripe as string)),
          },
          at: only && h.at ? h.at : casePlace(w),
          related: [{ path: w.path, line: w.line, subject: w.subject, what: 'the webhook endpoint' }],
          proof: 'inferred',
          ...(w.workspace ? { workspace: w.workspace } : {}),
        },
      ],
      evidence,
    )
  },
})

/** What little is done on the event, as a sentence goes on with it. */
const ONLY: Partial<Record<Handling['how'], string>> = {
  'logs-only': 'logs',
  notifies: 'sends a message on',
  'status-unread': 'writes what nothing in the repository reads on',
}

/** endAccess stands for the change of the row that access is decided on. */
const caseOf = (event: string, id: string): string => `case '${event}':
  await endAccess(${id}) // stands for the change of the row that access is decided on
  break`

const SUBSCRIPTION_DELETED_EXAMPLE: Readonly<Record<string, string>> = {
  stripe: caseOf('customer.subscription.deleted', 'event.data.object.id'),
  paddle: caseOf('subscription.canceled', 'event.data.id'),
  lemonsqueezy: caseOf('subscription_expired', 'event.data.id'),
  polar: caseOf('subscription.revoked', 'event.data.id'),
}
