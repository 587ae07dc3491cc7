import { mentions } from '../../behaviour/domain/contains.ts'
import type { Effect, Value } from '../../behaviour/types.ts'
import { processorAt } from '../../payments/processors/other-processor-signs.ts'
import { RETRIEVED } from '../guards/evidence/processor-object.ts'
import { isTainted } from '../request/request-taint.ts'
import { saysAmount } from './charge-amount.ts'
import type { Work } from './operation-model.ts'
import { carriesKey, sendsServerCredential } from './outbound-credentials.ts'
import { constantText, methodOf, sentBody } from './outbound-request.ts'

/** Work outside of the application's own data: messages, payments, paid services. */
export type Outside = Omit<Work, 'at' | 'via'>

/** What a call of a payment library spends, changes or tells about payers; undefined for price lists and the caller's own checkout. */
export function payment(e: Extract<Effect, { name: string }>): Outside | undefined {
  if (OWN_ACCOUNT.test(e.name) && !e.args.length)
    return { kind: 'payment-read', what: `reads the application's own account at the payment processor (${e.name})`, call: e.name, ofTheHouse: true }
  if (PAYERS.test(e.name) && (choosesPayer(e) || asksForCaller(e)))
    return { kind: 'payment-read', what: `reads payers' data from the payment processor (${e.name})`, call: e.name }
  if (/retrieve|list|search|constructEvent/i.test(e.name) || RETRIEVED.test(e.name)) return undefined
  return {
    kind: 'payment',
    what: `calls the payment processor (${e.name})`,
    call: e.name,
    ...(e.args.some((a) => choosesAmount(a, 0)) ? { chosen: 'amount' as const } : e.args.some((a) => choosesAccount(a, 0)) ? { chosen: 'owner' as const } : {}),
  }
}

/**
 * Look-ups among what the processor keeps about payers and merchants. Who names a checkout session or a payment intent has been through it;
 * a list of them is about everybody who has.
 */
const PAYERS =
  /(?:^|\.)(?:(?:customers|subscriptions|paymentMethods|invoices|charges|accounts|payouts|transfers|refunds|disputes|applicationFees|balance|balanceTransactions)\.(?:retrieve\w*|list\w*|search|createPreview)|(?:paymentIntents|setupIntents|checkout\.sessions)\.(?:list|search))$/
/** Of these, what is about the application itself when nobody is named; health checks call it to see whether the processor answers. */
const OWN_ACCOUNT = /(?:^|\.)(?:accounts?|balance)\.retrieve\w*$/
/** By which of its settings a list is about one payer or purchase. */
const ABOUT_ONE = ['customer', 'email', 'query', 'subscription', 'customer_details']
/** Of these, what only who has been through the purchase knows. */
const ABOUT_PURCHASE = ['payment_intent', 'payment_link', 'charge', 'setup_intent']

/** The request names whose data is looked up, or nothing does: then it is everybody's. */
function choosesPayer(e: Extract<Effect, { name: string }>): boolean {
  const has = (a: Value, names: readonly string[]) => a.v === 'object' && names.some((name) => name in a.props)
  if (e.args.some((a) => has(a, ABOUT_PURCHASE))) return false
  const named = e.args.filter((a) => a.v !== 'object' || has(a, ABOUT_ONE))
  return named.length === 0 || named.some((a) => isTainted(a))
}

/** What the processor keeps about whoever calls: nobody else may see it. */
const asksForCaller = (e: Extract<Effect, { name: string }>): boolean => e.args.some((a) => mentions(a, (x) => x.v === 'caller'))

/** What processors call what is to be paid. */
const AMOUNTS =
  /^(?:amount|unit_amount|unit_amount_decimal|currency|price_data|custom_price|unit_price|price_cents|transaction_amount|gross_amount|percent_off|amount_off|trial_period_days)$/
/** Of those that are asked over HTTP; for Stripe a price is one of its own list. */
const AMOUNTS_OVER_HTTP = new RegExp(`${AMOUNTS.source}|^(?:value|price|total)$`)

function choosesAmount(v: Value, depth: number, amounts = AMOUNTS): boolean {
  if (depth > 6) return false
  const inside = (x: Value) => choosesAmount(x, depth + 1, amounts)
  if (v.v === 'object') return Object.entries(v.props).some(([k, x]) => (amounts.test(k) && chosenIn(k, x)) || inside(x))
  if (v.v === 'array') return v.items.some(inside)
  if (v.v === 'any') return v.of.some(inside)
  if (v.v === 'call') return v.args.some(inside)
  return false
}

const PAYER_REFERENCE_KEY =
  /^(user_?id|uid|owner_?id|account_?id|customer(_?id)?|profile_?id|client_reference_id|supabase_?\w*id|org(anization)?_?id|team_?id|tenant_?id|company_?id|workspace_?id)$/i

/** The account that a purchase is booked on comes from the request: a customer of the processor, or an id among the metadata. */
function choosesAccount(v: Value, depth: number): boolean {
  if (depth > 6) return false
  // `if (userId) metadata.userId = userId`
  if (v.v === 'any') return v.of.some((x) => choosesAccount(x, depth + 1))
  if (v.v !== 'object') return false
  return Object.entries(v.props).some(([name, x]) => (PAYER_REFERENCE_KEY.test(name) ? isTainted(x) : choosesAccount(x, depth + 1)))
}

function chosenIn(key: string, v: Value): boolean {
  if (v.v === 'object') return Object.entries(v.props).some(([k, x]) => /amount|currency/.test(k) && chosenIn(k, x))
  return key === 'currency' ? isTainted(v) : saysAmount(v)
}

/** Where a payment begins that somebody then makes. */
const STARTS =
  /\/(transactions?\/initiali[sz]e|payments?|charges|orders|checkouts?|preferences|invoices|payment_?links?|payment_?pages?|checkout\/sessions|payment_intents|transactions|subscriptions|preapproval)\/?(\?|$)/i
/** Money that goes out, or back. */
const PAYOUT_CALL = /refund|transfer|payout|disburse/i

const amountsAt = (processor: string): RegExp => (processor === 'Stripe' ? AMOUNTS : AMOUNTS_OVER_HTTP)

/** A payment that is begun over HTTP: at which processor, what is sent, and what it calls an amount. */
export function startsPayment({ args: [address, options] }: Extract<Effect, { name: string }>) {
  const processor = processorAt(constantText(address))
  if (!processor || !options || !/^post$/i.test(methodOf(options)) || !STARTS.test(constantText(address))) return undefined
  return { processor, sent: sentBody(options), amounts: amountsAt(processor) }
}

/** What is changed at a processor over HTTP: a payment or a subscription that stands by its id in the address. */
export function changesAtProcessor({ args: [address, options] }: Extract<Effect, { name: string }>) {
  const path = constantText(address)
  const processor = processorAt(path)
  const method = methodOf(options).toUpperCase()
  if (!processor || address?.v !== 'text' || !(/^(?:DELETE|PUT|PATCH)$/.test(method) || (method === 'POST' && REVERSAL_URL.test(path)))) return undefined
  const at = address.parts.findIndex((p, i) => p.v !== 'const' && BEFORE_ID.test(constantText(address.parts[i - 1])))
  const before = BEFORE_ID.exec(constantText(address.parts[at - 1]))?.[0]
  const id = address.parts[at]
  return before === undefined || !id ? undefined : { id, call: `${processor} (${method} ${before}…)` }
}

const REVERSAL_URL = /\/(?:cancel|refunds?|void)\/?$/i
const BEFORE_ID = /\/[a-z][\w-]{2,40}\/$/i

/** A payment processor that is asked over HTTP, without a library. Who names a payment by its reference has been through it. */
export function atProcessor(name: string, e: Extract<Effect, { name: string }>): Outside | undefined {
  const [address, options] = e.args
  if (!e.args.some((a) => carriesKey(a, 0)) && !sendsServerCredential(options)) return undefined
  const path = constantText(address)
  const method = methodOf(options)
  if (PAYOUT_CALL.test(path) && /^post$/i.test(method)) return { kind: 'payment', what: `moves money through ${name}`, call: `${name} transfers` }
  if (startsPayment(e)) {
    const chosen = choosesAmount(sentBody(options as Value), 0, amountsAt(name))
      ? 'amount'
      : choosesAccount(sentBody(options as Value), 0)
        ? 'owner'
        : undefined
    return { kind: 'payment', what: `starts a payment with ${name}`, call: `${name} createCheckout`, ...(chosen ? { chosen } : {}) }
  }
  if (/^get$/i.test(method) && /\/$|=$/.test(path)) return undefined
  return { kind: 'paid-api', what: `calls ${name} with a key of the server`, call: 'fetch' }
}
