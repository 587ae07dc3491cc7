import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import { directly, isRequestControlled } from '../shared/violation.ts'

/** What tells whoever asks which customers there are with an address, which subscriptions a customer has. What is retrieved has an id that nobody guesses. */
const CUSTOMER_LIST_CALL = /(?:customers|subscriptions|paymentMethods|charges|invoices|paymentIntents|checkout\.sessions)\.(?:list|search)$/

/**
 * The value of the request that the processor was asked for the id by: `customers.list({ email })`, and the subscriptions of who is found. Undefined
 * where anything of the caller stands beside it.
 */
export function lookedUpBy(id: Value, behaviour: Behaviour, depth = 0): Value | undefined {
  let asked: Value | undefined
  mentions(id, (x) => {
    const found = x.v === 'result' ? behaviour.steps[x.step]?.effect : undefined
    if (found?.kind !== 'payment' || !CUSTOMER_LIST_CALL.test(found.name) || found.args.some((a) => mentions(a, (y) => isCallers(y, behaviour)))) return false
    asked = found.args.flatMap(partsOf).find((v) => isRequestControlled(v, behaviour) && directly(v))
    if (!asked && depth < 3)
      asked = found.args
        .flatMap(partsOf)
        .map((v) => lookedUpBy(v, behaviour, depth + 1))
        .find((v) => v !== undefined)
    return asked !== undefined
  })
  return asked
}

const partsOf = (v: Value): readonly Value[] => (v.v === 'object' ? Object.values(v.props) : [v])
