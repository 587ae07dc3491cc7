import type { Place, RelatedPlace } from '../../lib/place.ts'
import { swap } from '../../lib/rewrite.ts'
import type { OtherWebhook, Redemption, RepeatProblem, Webhook } from '../../model/payments/payments.ts'
import type { Route } from '../../model/routes/routes.ts'
import { defineCheck, failed, type Issue, passed, unverified } from '../define-check.ts'
import { libraryAt } from './database-library.ts'
import { withoutWebhooks } from './event-handling.ts'
import { placeFix } from './in-handler.ts'
import { onceCode } from './once-code.ts'
import { onePerEndpoint } from './one-per-endpoint.ts'

/** What repeats is told by what the code does, not by what the events are called. */
type Endpoint = Webhook | OtherWebhook

export default defineCheck({
  number: 23,
  id: 'payments/idempotency',
  category: 'Payments',
  rule: 'The webhook handler is idempotent: processing an event once or three times stores the same state.',
  needs: ['payments', 'routes'],
  doubtedBy: ['code', 'table'],
  covers: 'events',
  run: ({ payments, routes }) => {
    const library = (path: string) => libraryAt(path, routes)
    const endpoints: readonly Endpoint[] = [...payments.webhooks, ...payments.otherWebhooks]
    const redeemed = payments.redemptions.flatMap((r) => redemptionIssue(r, library(r.gives[0]?.at.path ?? '')))
    const without = endpoints.length || redeemed.length ? undefined : withoutWebhooks(payments, 'anything')
    if (without) return without
    const evidence = endpoints.map(
      (w) =>
        `${w.subject}: ${w.effects} effect${w.effects === 1 ? '' : 's'} looked at${w.guard ? `; ${w.guard}` : ''}${
          w.unreadErrors.length ? `; nothing looks at the error of ${places(w.unreadErrors)}: such a write fails silently, and the event is lost` : ''
        }${w.turnedAway ? `; ${closedDoor(w, w.turnedAway)}` : ''}`,
    )
    const issues = [
      ...endpoints.flatMap((w) => [...repeatIssue(w, library(w.path)), ...lostIssue(w, routes.routes), ...earlyRecordIssue(w, library(w.path))]),
      ...redeemed,
    ]
    const placed = issues.map((i) => placeFix(i, routes))
    if (issues.length) return failed(onePerEndpoint(placed), evidence)
    // one that tells events apart and seems to do nothing on any of them was not understood
    const unread = endpoints.filter((w) => w.effects === 0 && (!w.complete || ('events' in w && w.events.length > 0)))
    if (unread.length) {
      return unverified(
        'what the endpoint does could not be followed',
        { where: unread.map((w) => `${w.path}:${w.line}`).join(', '), attest: 'that a repeated event changes nothing' },
        evidence,
      )
    }
    return passed(...evidence, 'every effect is keyed by the processor’s ids, sets absolute values, or stands behind a change of state that happens once')
  },
})

const places = (all: readonly { path: string; line: number }[]): string =>
  `${all
    .slice(0, 4)
    .map((p) => `${p.path}:${p.line}`)
    .join(', ')}${all.length > 4 ? ` and ${all.length - 4} more` : ''}`

/** One finding an endpoint: the missing record of processed events is one cause. */
function repeatIssue(w: Endpoint, library: string | undefined): Issue[] {
  const [first, ...rest] = w.repeats
  if (!first) return []
  const all = [first, ...rest].map((r) => r.what)
  return [
    {
      subject: w.subject,
      severity: first.severe ? 'High' : 'Medium',
      title: first.severe ? 'A repeated event is processed again' : 'A repeated event can be processed again',
      message: `${w.processor} delivers events more than once, and ${w.subject} then ${sentence(first)}${rest.length ? ` Likewise: ${[...new Set(all.slice(1))].slice(0, 5).join('; ')}.` : ''}${w.turnedAway ? ` It does so as soon as deliveries arrive: ${closedDoor(w, w.turnedAway)}.` : ''}`,
      attack: attackOf(first),
      fix: {
        text: 'Record the event id under a unique constraint before the work, and skip events that are recorded; undo the record when the work fails.',
        language: 'ts',
        code: recordOnce(library),
      },
      at: first.at,
      related: placesBeside(first, rest),
      proof: 'inferred',
      aliases: ['CWE-837'],
      ...(w.workspace ? { workspace: w.workspace } : {}),
    },
  ]
}

interface Happening {
  readonly at: Place
  readonly what: string
}

/** Where else the same happens; what shares the line of the finding is told by its words. */
const placesBeside = (first: Happening, rest: readonly Happening[]): RelatedPlace[] =>
  rest.filter((r) => r.at.path !== first.at.path || r.at.line !== first.at.line).map((r) => ({ ...r.at, what: r.what }))

const closedDoor = (w: Endpoint, at: { path: string; line: number }): string =>
  `today ${at.path}:${at.line} lets only signed-in callers through to ${w.subject}, and ${w.processor} has no session (leave this path out there)`

function sentence(p: RepeatProblem): string {
  switch (p.kind) {
    case 'look-up-then-act':
      return `${p.what} after looking whether that was done already: two deliveries at the same time both pass the look-up.`
    case 'no-unique-constraint':
      return `relies on ${p.what}: without a unique constraint nothing stops the second one.`
    case 'log-row':
      return `${p.what}: duplicate rows.`
    default:
      return `${p.what} again: nothing remembers that this event was processed.`
  }
}

function attackOf(p: RepeatProblem): string {
  switch (p.kind) {
    case 'counter':
    case 'rpc':
      return 'One payment is credited several times, by an ordinary retry after a timeout or by a customer who makes the endpoint slow.'
    case 'mail':
      return 'Customers (and staff) get the same message for every retry.'
    case 'call':
      return 'Money moves again for every retry.'
    case 'insert':
      return 'One payment becomes several orders, invoices or grants, by an ordinary retry after a timeout.'
    case 'log-row':
      return 'No attacker is needed: an ordinary retry writes the same line again, and whoever counts them counts one event twice.'
    default:
      return 'Two deliveries at the same time (the processor sends them for one payment) leave the work done twice.'
  }
}

/** Whether a place is in a function of its own, whose answer the handler may not pass on. */
function isInHelper(w: Endpoint, at: Place, routes: readonly Route[]): boolean {
  const handler = routes.find((r) => r.subject === w.subject && r.path === w.path)
  return at.path !== w.path || (handler?.endLine !== undefined && (at.line < handler.line || at.line > handler.endLine))
}

function lostIssue(w: Endpoint, routes: readonly Route[]): Issue[] {
  // a case that others go through is walked once for each of them
  const [first, ...rest] = [...new Map(w.acknowledgesFailure.map((a) => [`${a.path}:${a.line}`, a])).values()]
  if (!first) return []
  return [
    {
      subject: w.subject,
      discriminator: 'acknowledges failure',
      severity: 'Medium',
      title: 'A failed event is acknowledged',
      message: `${w.subject} answers 2xx although the work failed${first.because ? ` (${first.because})` : ''}, so ${w.processor} does not deliver the event again and it is lost.`,
      attack: 'No attacker is needed: a short database outage leaves customers who paid without what they bought, or cancelled ones with access.',
      fix: isInHelper(w, first, routes)
        ? {
            text: 'Throw when the work fails, and catch it nowhere before the endpoint: what is not caught there is answered with 500, and the processor retries for days.',
            language: 'ts',
            code: 'if (error) throw error',
          }
        : {
            text: first.because
              ? 'Wait for the work before the answer, let its exceptions through and answer 500 then; the processor retries for days.'
              : 'Answer 500 when the work fails; the processor retries for days.',
            language: 'ts',
            code: 'return new Response(null, { status: 500 })',
            ...(rest.length || first.because
              ? {}
              : { rewrite: { path: first.path, line: first.line, apply: swap(/(\bstatus: |\.status\()20[0-4]\b/, '$1500') } }),
          },
      at: { path: first.path, line: first.line },
      related: rest.map(({ path, line, because }) => ({ path, line, what: because ?? 'another 2xx after a failure' })),
      proof: 'inferred',
      ...(w.workspace ? { workspace: w.workspace } : {}),
    },
  ]
}

function earlyRecordIssue(w: Endpoint, library: string | undefined): Issue[] {
  const early = w.recordedTooEarly
  if (!early) return []
  return [
    {
      subject: w.subject,
      discriminator: 'recorded too early',
      severity: 'Medium',
      title: 'The event counts as processed before it is',
      message: `${w.subject} records the event before the work (${early.work}) and keeps the record when the work fails. It then answers with an error, ${w.processor} delivers the event again, and the new delivery is skipped as a repeated one.`,
      attack: 'No attacker is needed: a short database outage leaves customers who paid without what they bought, or cancelled ones with access.',
      fix: {
        text: 'Take the record back when the work fails, or write it in the same transaction as the work.',
        language: 'ts',
        code: recordOnce(library),
      },
      at: { path: early.path, line: early.line },
      proof: 'inferred',
      ...(w.workspace ? { workspace: w.workspace } : {}),
    },
  ]
}

/** What the browser calls after a payment grants the same as the webhook, and is called as often as somebody likes. */
function redemptionIssue(r: Redemption, library: string | undefined): Issue[] {
  const [first, ...rest] = r.gives
  if (!first) return []
  const again =
    r.proof === 'answer'
      ? 'the processor calls a paid payment paid however often it is asked'
      : 'the signature that the browser was given for a payment stays valid for ever'
  const given = r.gives.slice(0, 5).map((g) => g.what)
  return [
    {
      subject: r.subject,
      discriminator: 'redeemed again',
      severity: 'High',
      title: 'One payment can be redeemed again and again',
      message: `${r.subject} gives what was paid for to whoever names a payment: ${again}, and nothing here remembers that it was redeemed. Each call with the same payment ${given.join('; ')}.`,
      attack:
        'A customer pays once and sends the request of the success page again from the browser’s console: each time this is done anew, as often as he likes.',
      fix: {
        text: 'Record the payment’s id under a unique constraint before anything is given, and stop when it is recorded already.',
        language: 'ts',
        code: redeemOnce(library),
      },
      at: first.at,
      related: placesBeside(first, rest),
      proof: 'inferred',
      aliases: ['CWE-837'],
      ...(r.workspace ? { workspace: r.workspace } : {}),
    },
  ]
}

/** What an event is answered that was processed before. */
const SKIP = 'return new Response(null, { status: 200 })'

const redeemOnce = (library: string | undefined): string =>
  `${onceCode(library, 'redeemed_payments', 'paymentId', 'return new Response(JSON.stringify({ redeemed: true }), { status: 200 })')}\n// … and only now what was paid for`

const recordOnce = (library: string | undefined): string => `${onceCode(library, 'webhook_events', 'event.id', SKIP)}
// then the work; when it fails, take the row back before the error is answered, so that the retry gets in`
