import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'

/** Where a charge says whose account the money goes to (https://docs.stripe.com/connect/charges). */
const GOES_TO = /^(?:destination|on_behalf_of|stripe_?account)$/i

/** The row that a step loads says to whom a payment goes: whoever buys from somebody names the seller. */
export const isPayee = (index: number, { steps }: Behaviour): boolean =>
  steps.some(({ effect: e }, i) => i > index && e.kind === 'payment' && e.args.some((a) => goesTo(a, (x) => x.v === 'row' && x.step === index)))

function goesTo(value: Value, row: (x: Value) => boolean, depth = 0): boolean {
  if (depth > 8) return false
  if (value.v === 'object' && Object.entries(value.props).some(([key, x]) => GOES_TO.test(key) && mentions(x, row))) return true
  return partsOf(value).some((x) => goesTo(x, row, depth + 1))
}
