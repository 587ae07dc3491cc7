import { partsOf } from '../../behaviour/domain/contains.ts'
import type { Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

/** The secret by which the application tells what a processor sends from what anybody does. */
export const EVENTS_KEY = /WEB_?HOOK|STRIPE_\w{0,20}SIGNING|NOTIFICATION_\w{0,20}SECRET/i

/**
 * The secret with which something of the request was signed, when a value holds such a signature. A token of the application's own is a text with one at
 * its end; where the secret is the one for a processor's events, such a text is the header of an event.
 */
export function signedWith(v: Value, depth: number, inText = false): string | undefined {
  if (depth > 5) return undefined
  const among = (values: readonly Value[], text = inText) => values.map((x) => signedWith(x, depth + 1, text)).find((x) => x)
  switch (v.v) {
    case 'object':
      return among(Object.values(v.props))
    case 'any':
      return among(v.of)
    case 'text':
      return among(v.parts, true)
    case 'call': {
      const key = /digest|hmac|hash|sign/i.test(v.name) && v.args.some(carriesRequest) ? secretIn(v, 0) : undefined
      if (key && (EVENTS_KEY.test(key) || (!inText && v.args.some(isTainted)))) return key
      return key && !inText ? undefined : among(v.args)
    }
    default:
      return undefined
  }
}

const MAX_PARTS = 3000

/** Something of the request, however deep in what is signed: the events of a processor are objects within objects. */
function carriesRequest(value: Value): boolean {
  const seen = new Set([value])
  for (const v of seen) {
    if (v.v === 'request') return true
    if (seen.size > MAX_PARTS) return false
    for (const part of partsOf(v)) seen.add(part)
  }
  return false
}

function secretIn(v: Value, depth: number): string | undefined {
  if (depth > 8) return undefined
  switch (v.v) {
    case 'env':
      return /SECRET|PRIVATE|SIGNING/i.test(v.name) ? v.name : undefined
    case 'call':
      return v.args.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'text':
      return v.parts.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'op':
    case 'any':
      return v.of.map((x) => secretIn(x, depth + 1)).find((x) => x)
    default:
      return undefined
  }
}
