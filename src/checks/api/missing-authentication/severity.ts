import { isDirectory } from '../../../database/access/row-audience/public-content.ts'
import { tablesCalled } from '../../../database/called-table.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Step } from '../../../model/behaviour/types.ts'
import { EVENTS_KEY } from '../../../model/routes/operations/signing-oracle.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { SEVERITY_RANK, type Severity } from '../../define-check.ts'
import { isRationed } from '../rate-limit/enforced-quota.ts'

/** What people write for others to read: a feed, comments, reviews. With personal columns it is no public content. */
export function isPublicContentTable(name: string, schema: Pick<SchemaModel, 'tables'>): boolean {
  const bare = lastPart(name).toLowerCase()
  const tables = tablesCalled(bare, schema.tables)
  if (tables.some(isDirectory)) return true
  if (!/^(?:blog_?)?(?:posts?|comments?|reviews?|articles?|likes?|(?:post|comment)_?likes?)$/.test(bare)) return false
  return tables.every((t) => !t.userData?.personalColumns.length)
}

/** Whoever takes somebody's address off a list does him little harm. */
const UNSUBSCRIBE_WORD = /unsubscribe|opt-?out/i
const MAILING_LIST = /subscriber|newsletter|mailing|waitlist|suppression/i

/** How bad it is that this work is done for anybody. */
export function severityOf(work: Work, route: Route, exposed: readonly Work[], receiver: boolean): { severity: Severity; work: Work }[] {
  const at = (severity: Severity) => [{ severity, work }]
  const strong = work.rights === 'service'
  // Through the caller's own client the database decides, whenever the handler asks who it is.
  if (work.guardedLater && work.rights && !strong) return []
  if (work.guardedLater && work.kind !== 'read' && work.kind !== 'file-read') return at('Medium')
  if (receiver) return route.limit ? [] : at('High')
  // Guest checkout: what it reads and writes is its own pending order; only the price must come from the server.
  if (checkout(exposed) && ['read', 'insert', 'update', 'rpc', 'payment'].includes(work.kind) && !changesAnAccount(work, exposed) && !listsAll(work))
    return isCheckout(work) && (work.chosen === 'amount' || work.chosen === 'owner') ? at('High') : []
  switch (work.kind) {
    case 'delete':
    case 'file-delete':
      return at(strong ? 'Critical' : 'High')
    case 'admin':
    case 'command':
      return at('Critical')
    case 'update':
      if (UNSUBSCRIBE_WORD.test(route.route) && MAILING_LIST.test(work.table ?? '')) return at('Medium')
      return at(strong && work.userData ? 'Critical' : 'High')
    case 'insert':
      if (strong && work.raises && ACCOUNT_TABLE.test(work.table ?? '')) return at('Critical')
      return at(strong && (work.chosen === 'paid' || work.chosen === 'table' || (work.userData && work.chosen === 'owner')) ? 'Critical' : 'High')
    case 'read':
      if (!work.userData) return []
      return at(strong ? 'Critical' : 'Medium')
    case 'file-read':
      return strong ? at('Critical') : []
    case 'file-write':
      // whatever stands under the name that the request gives is replaced
      return at(strong && work.chosen === 'file' ? 'Critical' : 'High')
    case 'rpc':
      return strong ? at(work.chosen === 'function' ? 'Critical' : 'High') : []
    case 'bucket':
      return strong ? at('High') : []
    case 'mail':
    case 'sms':
      return at(work.chosen === 'recipient' ? 'Critical' : 'High')
    case 'payment':
      return at(/customers\.create|setupIntents|(?:prices|products)\./i.test(work.call ?? '') ? 'High' : 'Critical')
    case 'payment-read':
      return at('High')
    case 'secret':
      // a key of Google's is often the one of a map, which browsers hold anyway
      return at(work.whole && !/google/i.test(work.call ?? '') ? 'Critical' : 'High')
    case 'paid-api':
      return isRationed(work, route) ? [] : at('High')
    case 'sign':
      return at(EVENTS_KEY.test(work.call ?? '') ? 'Critical' : 'High')
  }
}

/** A session of the payment processor that a guest opens. */
export const isCheckout = (w: Work) =>
  w.kind === 'payment' &&
  /checkout[._]?sessions?\.create|charges\.create|payment_?intents\.create|paymentLinks\.create|checkouts?\.create|transactions\.create|createCheckout|preferences?\.create|(?:mercadopago|mollie\S{0,40})\.payments?\.create|(?:razorpay|paypal)\w*\.orders\.create/i.test(
    w.call ?? '',
  )

/** Somebody's account is no pending order: a guest has none that the handler could change for them. */
function changesAnAccount(work: Work, exposed: readonly Work[]): boolean {
  return (
    work.kind === 'update' &&
    work.rights === 'service' &&
    work.userData === true &&
    ACCOUNT_TABLE.test(work.table ?? '') &&
    !exposed.some((o) => o.kind === 'insert' && o.table === work.table)
  )
}

/** Nobody's pending order, but everybody's: one action among those of a function that also opens a checkout. */
const listsAll = ({ kind, rights, userData, whole }: Work): boolean => kind === 'read' && rights === 'service' && userData === true && whole === true

const ACCOUNT_TABLE =
  /^(users?|profiles?|user_profiles?|accounts?|customers?|members?|memberships?|teams?|organi[sz]ations?|orgs?|workspaces?|tenants?|subscriptions?|stripe_customers?)$/i

/** Guest checkout: what it writes is its own pending order. */
const checkout = (exposed: readonly Work[]) => exposed.some(isCheckout)

/** Contact forms, sign-up lists and other receivers: they only add rows and send mail, and show nothing. */
export function isReceiver(all: readonly Work[]): boolean {
  // what is kept about a message that is sent was sent in by nobody
  const exposed = all.filter((w) => w.kind !== 'insert' || !KEPT_OF_MAIL.test(w.table ?? ''))
  return (
    exposed.length > 0 &&
    // the caller's own words to whomever he names are no receipt for what he sent in
    !exposed.some((w) => w.worded && w.chosen === 'recipient') &&
    exposed.every(
      (w) =>
        (w.kind === 'insert' && w.chosen !== 'owner' && w.chosen !== 'paid' && !w.raises) ||
        (w.kind === 'file-write' && w.fresh) ||
        w.kind === 'mail' ||
        w.kind === 'sms' ||
        // told on to a service that only the environment names
        (w.kind === 'paid-api' && (w.call === 'fetch' || w.call === 'chat' || w.call === 'webhook')) ||
        (w.kind === 'read' && exposed.some((o) => o.kind === 'insert' && o.table === w.table)) ||
        (w.kind === 'update' && !w.many && exposed.some((o) => o.kind === 'insert' && o.table === w.table)),
    ) &&
    exposed.some((w) => w.kind === 'insert' || w.call === 'chat' || w.call === 'webhook' || (w.kind === 'mail' && w.chosen !== 'recipient'))
  )
}

/** How people get off a list, what was sent to whom, and who gets nothing any more. */
const KEPT_OF_MAIL = /(?:^|[._])e?mail_(?:unsubscribe_tokens?|send_logs?|logs?|queue)$|(?:^|[._])suppressed_e?mails$/i

/** What is read for its own sake beside what is sent in: all rows, or those that `GET` reads where `POST` adds. */
export function readApart(exposed: readonly Work[], behaviour: Behaviour | undefined): readonly Work[] {
  return exposed.filter((w) => w.kind === 'read' && (w.whole || !exposed.some((o) => o.kind === 'insert' && !areApart(w, o, behaviour))))
}

/** Whether no request does both. */
function areApart(one: Work, other: Work, behaviour: Behaviour | undefined): boolean {
  const steps = (w: Work) => behaviour?.steps.filter((s) => s.at.line === w.at.line && s.at.path === w.at.path) ?? []
  const excludes = (a: Step, b: Step) => a.under.some((c) => b.under.some((d) => c.test === d.test && c.negated !== d.negated))
  const [ones, others] = [steps(one), steps(other)]
  return ones.length > 0 && others.length > 0 && ones.every((a) => others.every((b) => excludes(a, b)))
}

/** What is sent there is told on to a service that only the environment names (a collector of errors), and nothing of its answer comes back. */
export function tellsOn({ behaviour }: Route, exposed: readonly Work[]): boolean {
  if (!behaviour || !exposed.length || !exposed.every((w) => w.kind === 'paid-api' && w.call === 'fetch')) return false
  return behaviour.steps.every(
    ({ effect }) =>
      effect.kind !== 'respond' || !effect.body || !mentions(effect.body, (x) => x.v === 'result' && behaviour.steps[x.step]?.effect.kind === 'http'),
  )
}

export function worstOf(list: readonly { severity: Severity; work: Work }[]): { severity: Severity; work: Work } | undefined {
  let worst: { severity: Severity; work: Work } | undefined
  // of equally bad work money and accounts are named before rows, and a change before the look-up that it needs
  for (const x of list)
    if (!worst || SEVERITY_RANK[x.severity] > SEVERITY_RANK[worst.severity] || (x.severity === worst.severity && weight(x.work) > weight(worst.work))) worst = x
  return worst
}

/** Lines about what happened, and tokens of mails: whoever adds one does little by it. */
const NOTES = /(?:^|[._])(?:\w{1,40}_)?(?:logs?|audits?|events?|tokens?|counters?|views?|stats|analytics|suppressions?|metrics)$/i
/** Who may do what. */
const RIGHTS_TABLE = /(?:^|[._])(?:user_?roles?|roles?|admins?|admin_?users?|permissions?|memberships?)$/i

const PEOPLES_ACCOUNTS = /(?:^|[._])(?:users?|accounts?|usuarios?|utilisateurs?)$/i

/** How much harm a piece of work does beside others that are as bad. */
export function weight({ kind, chosen, table = '', userData, call, sets, whole }: Work): number {
  if (chosen === 'table' || chosen === 'function') return kind === 'read' ? 9.2 : 9.8
  // all accounts, as they are kept: more than that one of them changes
  if (kind === 'read') return PEOPLES_ACCOUNTS.test(table) ? (whole ? 5.2 : 0.5) : whole ? 0.2 : 0
  if (chosen === 'paid') return 10
  if (chosen === 'password') return 9.5
  if (kind === 'admin' || kind === 'command') return 9
  if ((kind === 'insert' || kind === 'update') && (RIGHTS_TABLE.test(table) || (kind === 'update' && sets))) return 9
  if (kind === 'payment') return 8
  if (kind === 'secret') return 7
  if (NOTES.test(table)) return 1
  if (kind === 'delete' || kind === 'file-delete') return 6
  if ((kind === 'mail' || kind === 'sms') && chosen === 'recipient') return 5.5
  if (kind === 'update' && userData) return 5
  if (kind === 'paid-api' && call === 'data-api') return 2
  if (kind === 'rpc' && /mail|sms|notif|credit|grant|pay/i.test(call ?? '')) return 4.5
  return kind === 'rpc' || kind === 'paid-api' || kind === 'sign' ? 3 : 4
}

/** A look-up together with the change that follows it through the same client: who reads what the handler does must not take it for a reader. */
export function withChange(work: Work, bad: readonly { readonly work: Work }[]): Work {
  if (work.kind !== 'read') return work
  const change = bad.find(({ work: w }) => ['insert', 'update', 'delete', 'rpc'].includes(w.kind) && !w.unsure && w.rights === work.rights)?.work
  return change ? { ...work, kind: change.kind, at: change.at, what: `${work.what.replace(/ with (?:the|a) .*$/, '')} and ${change.what}` } : work
}
