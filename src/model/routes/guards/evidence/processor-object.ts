import type { Behaviour, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'

export const PROCESSORS_OBJECT = 'an object of the payment processor that only its buyer knows'

/** What is made for one purchase; customers and subscriptions live on, and their ids get about. */
export const CHECKOUT = /(checkout\.?sessions?|payment_?intents?|setup_?intents?)\.retrieve|(?:^|\.)payments?\.get$/i

/** One object by its id, as the processors' libraries call it. */
export const RETRIEVED =
  /retrieve|(?:^|\.)(?:payments?|preferences?|(?:merchant_?)?orders?|checkouts?|transactions?|pre_?approval)\.(?:get|fetch|verify|status|getInvoiceById)$/i

/** A value of an object that was fetched from the payment processor by an id of the caller: the id is unguessable. */
export function fromProcessor(v: Value, behaviour: Behaviour, depth = 0, call = RETRIEVED): boolean {
  if (depth > 6) return false
  const next = (x: Value) => fromProcessor(x, behaviour, depth + 1, call)
  if (v.v === 'result') {
    const e = behaviour.steps[v.step]?.effect
    return e?.kind === 'payment' && call.test(e.name) && e.args.some((a) => isTainted(a) || next(a))
  }
  if (v.v === 'call') return v.args.some(next)
  return (v.v === 'any' || v.v === 'op') && v.of.some(next)
}
