import { isAlike, mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import { requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { startsPayment } from '../../../model/routes/operations/payments.ts'
import type { OwnershipBreach, TermOfSale } from '../shared/violation.ts'

const SELLS = /(?:checkout\.sessions|payment_?intents|payment_?links|charges|subscriptions)\.create$/i
const COUPON_CREATE_CALL = /coupons\.create$/i

/** What processors call each of them (https://docs.stripe.com/api/checkout/sessions/create, https://docs.stripe.com/api/coupons/create, https://docs.stripe.com/connect/charges). */
const TERM_BY_PROCESSOR_FIELD: readonly (readonly [TermOfSale, RegExp])[] = [
  ['trial', /^(?:trial_period_days|trial_end)$/i],
  ['payee', /^(?:destination|on_behalf_of|stripe_?account)$/i],
]
const OFF = /^(?:percent_off|amount_off)$/i

/**
 * A condition of a sale that the request sets as it likes: a coupon that is made for this very purchase and takes off what the request says, a trial as long
 * as it says, an account that it names as the one to pay. What was looked up or compared before is the application's.
 */
export function chosenTerms(step: Step, index: number, e: Effect, { steps }: Behaviour): OwnershipBreach[] {
  if (e.kind === 'payment' && COUPON_CREATE_CALL.test(e.name)) {
    // a coupon that somebody keeps for later is not this sale's
    const used = steps.some(
      (s, i) => i > index && s.effect.kind === 'payment' && s.effect.args.some((a) => mentions(a, (x) => x.v === 'result' && x.step === index)),
    )
    return used ? breaches(step, steps, e.args, [['discount', OFF]], e.name) : []
  }
  if (e.kind === 'payment' && SELLS.test(e.name)) return breaches(step, steps, e.args, TERM_BY_PROCESSOR_FIELD, e.name)
  const started = e.kind === 'http' ? startsPayment(e) : undefined
  return started ? breaches(step, steps, [started.sent], TERM_BY_PROCESSOR_FIELD, `the payment interface of ${started.processor}`) : []
}

function breaches(step: Step, steps: readonly Step[], sent: readonly Value[], names: typeof TERM_BY_PROCESSOR_FIELD, call: string): OwnershipBreach[] {
  return names.flatMap(([term, name]): OwnershipBreach[] => {
    const value = sent.flatMap((a) => valuesNamed(a, name)).find((v) => isAsSent(v))
    if (!value || isAsked(value, step, steps)) return []
    const by = requestName(value) ?? 'a value of the request'
    return [{ kind: 'terms', severity: 'High', at: step.at, term, by, what: `${SAYS[term]} ${by} (${call})` }]
  })
}

const SAYS: Readonly<Record<TermOfSale, string>> = {
  discount: 'makes a coupon for the purchase that takes off what the request says:',
  trial: 'gives a trial as long as the request says:',
  payee: 'pays the account that the request names:',
}

/** A value of the request, made a number or not, on some way to it. */
function isAsSent(v: Value): boolean {
  if (v.v === 'request') return v.part !== 'params' && v.name !== undefined
  if (v.v === 'any') return v.of.some(isAsSent)
  return v.v === 'call' && v.args.length === 1 && isAsSent(v.args[0] as Value)
}

/** It was looked for among what is stored, or something else than its presence was asked of it. */
function isAsked(value: Value, { under }: Step, steps: readonly Step[]): boolean {
  const same = (x: Value) => x.v === 'request' && mentions(value, (v) => isAlike(v, x))
  const isPresence = (t: Value): boolean => same(t) || (t.v === 'op' && /^(?:!|&&|\|\|)$/.test(t.op) && t.of.every((x) => !mentions(x, same) || isPresence(x)))
  return (
    steps.some(({ effect: q }) => q.kind === 'db' && q.filters.some((f) => mentions(f.value, same))) ||
    under.some((c) => mentions(c.test, same) && !isPresence(c.test))
  )
}

/** What stands under a name in what is sent, however deep. */
function valuesNamed(v: Value, name: RegExp, depth = 0): Value[] {
  if (depth > 6) return []
  if (v.v === 'object') return Object.entries(v.props).flatMap(([key, x]) => (name.test(key) ? [x] : key === 'metadata' ? [] : valuesNamed(x, name, depth + 1)))
  return v.v === 'array' || v.v === 'any' || v.v === 'call' ? partsOf(v).flatMap((x) => valuesNamed(x, name, depth + 1)) : []
}
