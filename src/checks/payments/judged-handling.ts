import type { Handling, PaymentsModel, Webhook } from '../../model/payments/payments.ts'
import { PROCESSORS } from '../../model/payments/processors/processors.ts'
import { failed, type Outcome, passed, unverified } from '../define-check.ts'
import { withoutWebhooks } from './event-handling.ts'
import { refusedIssue } from './refused-issue.ts'

/** The best answer that any endpoint gives to an event. */
function bestHandling(payments: PaymentsModel, pick: (w: Webhook) => Handling): { readonly webhook: Webhook; readonly handling: Handling } {
  const rank: Record<Handling['how'], number> = { acts: 0, notifies: 0, resyncs: 1, 'status-unread': 2, 'status-only': 3, 'logs-only': 4, none: 5 }
  const candidates = payments.webhooks.map((webhook) => ({ webhook, handling: pick(webhook) }))
  // A missing case belongs into the endpoint that already handles subscriptions.
  const about = (w: Webhook) => w.events.filter((e) => /subscription|invoice/.test(e)).length
  return candidates.sort((a, b) => rank[a.handling.how] - rank[b.handling.how] || about(b.webhook) - about(a.webhook))[0] as {
    webhook: Webhook
    handling: Handling
  }
}

/**
 * Whether what an endpoint does on an event was lost on the way: it looks at no kind of event, names this one where it was not followed, or looks at
 * it and then at nothing that can be followed.
 */
const isLost = (w: Webhook, h: Handling, names: readonly string[]): boolean =>
  !w.complete && ((h.how === 'none' && (!w.events.length || names.some((n) => w.unfollowed?.includes(n)))) || (h.how === 'logs-only' && w.effects === 0))

/** What the best endpoint does on an event, to be judged by what the event is about; `place` is where it does so. */
interface JudgedHandling {
  readonly webhook: Webhook
  readonly handling: Handling
  readonly place: string
  readonly evidence: readonly string[]
}

/** The handling of an event, or the answer that 21 and 22 give alike, whatever the event. */
export function judgedHandling(payments: PaymentsModel, what: 'failed' | 'deleted'): Outcome | JudgedHandling {
  const without = withoutWebhooks(payments, what)
  if (without) return without
  const { webhook: w, handling: h } = bestHandling(payments, (x) => x[what])
  const place = h.at ? `${h.at.path}:${h.at.line}` : `${w.path}:${w.line}`
  const evidence = [`${w.subject} looks at ${w.events.join(', ') || 'no kind of event by name'}`]
  if (h.refused) return failed([refusedIssue(w, h, h.refused)], evidence)
  if (h.how === 'resyncs')
    return passed(
      ...evidence,
      `every event reads the subscription from ${w.processor} and stores its state (${place}); ${h.event} has to be among the events that the endpoint subscribes to`,
    )
  if (isLost(w, h, PROCESSORS[w.processor][what]))
    return unverified('the endpoint’s events could not be followed', { where: `${w.path}:${w.line}`, attest: `that ${h.event} is handled` }, evidence)
  return { webhook: w, handling: h, place, evidence }
}
