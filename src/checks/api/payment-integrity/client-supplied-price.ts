import { mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import { requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { startsPayment } from '../../../model/routes/operations/payments.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

const CHARGES = /(?:checkout\.sessions|payment_?intents|charges|payment_?links|invoice_?items)\.create$/i
const PROCESSOR_AMOUNT_FIELD = /^(?:amount|unit_amount|unit_amount_decimal)$/
/** What a request calls a price; how many there are to be is the buyer's to say. */
const REQUESTED_PRICE_FIELD = /price|amount|total|cost|(?:^|[._])sum$|montant|prix|prec?io|pre[cç]o|valor|betrag|preis|importo|prezzo/i
/** Who gives, or fills his own account, says how much. */
const AS_MUCH_AS_ONE_LIKES =
  /donat|(?:^|[-_/#])tips?(?:$|[-_/])|top-?_?up|deposit|wallet|contribut|gift|credit|fund|charit|crowd|campaign|pledge|sponsor|recharge|balance|doa[cç]|donaz|spende|payout|withdraw/i
/** Things to buy, or one of them by its id or by what it is called. */
const PURCHASABLE_FIELD = /(?:^|[._])(?:items|products|cart(?:_?items)?|lines|tickets)(?:$|[._])|(?:[a-z]_?(?:id|name|title|slug)|^(?:title|slug))$/i
/** Whose ids and names say nothing of what is bought, and what people give for. */
const UNPRICED_FIELD =
  /user|customer|account|profile|owner|buyer|payer|client|company|first|last|full|currency|session|coupon|promo|email|locale|campaign|cause|charit|project/i

/**
 * A charge whose amount the request says although it also says what is bought: the page sends the price along, and whoever sends another one
 * pays that. What the caller has taken from a row, or compared with one, is the server's price.
 */
export function chosenPrice(step: Step, e: Effect, { steps }: Behaviour, route: Route): OwnershipBreach[] {
  const charge = chargeOf(e)
  if (!charge || AS_MUCH_AS_ONE_LIKES.test(`${route.subject} ${route.route}`)) return []
  const { sent, amounts, verb } = charge
  const amount = sent.flatMap((a) => amountsIn(a, amounts, 0)).find((v) => isFromPage(v))
  if (!amount || sent.some((a) => mentions(a, (x) => x.v === 'const' && typeof x.value === 'string' && AS_MUCH_AS_ONE_LIKES.test(x.value)))) return []
  const names = (x: Value) => x.v === 'request' && PURCHASABLE_FIELD.test(x.name ?? '') && !UNPRICED_FIELD.test(x.name ?? '')
  const looksUp = steps.some(({ effect: q }) => q.kind === 'db' && q.filters.some((f) => f.op === 'eq' && mentions(f.value, names)))
  if (!looksUp && !sent.some((a) => mentions(a, names))) return []
  if (step.under.some((c) => mentions(c.test, isPrice) && mentions(c.test, isStored))) return []
  const by = requestName(priceIn(amount) ?? amount) ?? 'a value of the request'
  return [{ kind: 'price', severity: 'High', at: step.at, verb, by, what: `charges ${by} (${verb})` }]
}

/** What a charge is made of, by a library or over HTTP. */
function chargeOf(e: Effect): { readonly sent: readonly Value[]; readonly amounts: RegExp; readonly verb: string } | undefined {
  if (e.kind === 'payment' && CHARGES.test(e.name)) return { sent: e.args, amounts: PROCESSOR_AMOUNT_FIELD, verb: e.name }
  const started = e.kind === 'http' ? startsPayment(e) : undefined
  return started && { sent: [started.sent], amounts: started.amounts, verb: `the payment interface of ${started.processor}` }
}

const isPrice = (x: Value): boolean => x.v === 'request' && REQUESTED_PRICE_FIELD.test(x.name ?? '')
const isStored = (x: Value): boolean => x.v === 'row' || x.v === 'result'

/** Whether the amount is made of the page's price on each way to it, and on one without anything stored (a coupon takes its share off that on another). */
function isFromPage(v: Value, depth = 0): boolean {
  if (isPrice(v)) return true
  if (v.v === 'any') return v.of.every((x) => mentions(x, isPrice) || !mentions(x, isStored)) && v.of.some((x) => isFromPage(x, depth + 1))
  const parts = depth < 8 ? partsOf(v) : []
  return parts.some((x) => isFromPage(x, depth + 1)) && parts.every((x) => isWithoutStored(x, depth + 1))
}

function isWithoutStored(v: Value, depth: number): boolean {
  if (v.v === 'any') return v.of.some((x) => isWithoutStored(x, depth))
  return !isStored(v) && (depth >= 8 || partsOf(v).every((x) => isWithoutStored(x, depth + 1)))
}

function priceIn(v: Value): Value | undefined {
  let found: Value | undefined
  mentions(v, (x) => {
    if (isPrice(x)) found ??= x
    return found !== undefined
  })
  return found
}

/** What stands as the amount of a charge or of one of its lines. */
function amountsIn(v: Value, amounts: RegExp, depth: number): Value[] {
  if (depth > 6) return []
  const inside = (x: Value) => amountsIn(x, amounts, depth + 1)
  if (v.v === 'object') return Object.entries(v.props).flatMap(([k, x]) => (amounts.test(k) ? [x] : k === 'transfer_data' ? [] : inside(x)))
  if (v.v === 'array') return v.items.flatMap(inside)
  if (v.v === 'any') return v.of.flatMap(inside)
  return v.v === 'call' ? v.args.flatMap(inside) : []
}
