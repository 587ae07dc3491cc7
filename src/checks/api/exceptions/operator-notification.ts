import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Effect, Value } from '../../../model/behaviour/types.ts'

/** Whom a message goes to, in the words of the libraries and interfaces that send it. */
const RECIPIENTS = /^(?:to|cc|bcc|recipients?|to_?e?mails?)$/i

/**
 * Whether an effect is a message to the people who run the application: each of its recipients stands in the code or in the environment. What it says
 * of a row, whoever calls is not told.
 */
export function isToldToHouse(e: Effect): boolean {
  if (e.kind !== 'mail' && e.kind !== 'sms' && e.kind !== 'http') return false
  const recipients = e.args.flatMap((a) => recipientsIn(a, 0))
  return recipients.length > 0 && recipients.every(isOfHouse)
}

function recipientsIn(v: Value, depth: number): readonly Value[] {
  if (depth > 6) return []
  if (v.v !== 'object') return partsOf(v).flatMap((x) => recipientsIn(x, depth + 1))
  return Object.entries(v.props).flatMap(([name, x]) => (RECIPIENTS.test(name) ? [x] : recipientsIn(x, depth + 1)))
}

const isOfHouse = (v: Value): boolean =>
  !mentions(v, (x) => x.v === 'request' || x.v === 'row' || x.v === 'result' || x.v === 'caller' || x.v === 'event' || x.v === 'unknown')
