import type { Place } from '../../../lib/place.ts'
import type { Val } from '../domain/abstract-value.ts'
import { keyOf } from '../domain/structural-hash.ts'
import type { Interpreter } from '../interpreter.ts'

/** How an identity reads that comes from a token whose signature the platform verified before the handler ran. */
export const GATEWAY = 'the token that the gateway verified'

const NAME = 'claims of the token'
const CLAIMS: Val = { v: 'request', part: 'header', name: NAME }
/** Claims that only a token of a signed-in user has; `role` tells the public key from the service role. */
const USER_CLAIM = /^(?:sub|user_id|session_id|email|phone|aal|amr|app_metadata|role)$/

/** What decoding `token` gives, when it is the bearer token of the request and the platform has verified it; undefined otherwise. */
export function decodedToken(it: Interpreter, token: Val): Val | undefined {
  return it.request?.tokenVerified && isBearer(token, 0) ? CLAIMS : undefined
}

/** A claim of such a token; undefined for other values, and for claims that say nothing about a user. */
export function tokenClaim(it: Interpreter, of: Extract<Val, { v: 'request' }>, name: string, at: Place): Val | undefined {
  if (of.name !== NAME || !it.request?.tokenVerified || !USER_CLAIM.test(name)) return undefined
  return { v: 'caller', how: GATEWAY, trust: 'verified', field: name, step: it.emit({ kind: 'identify', how: GATEWAY, trust: 'verified' }, at), at }
}

/** Something cut out of the Authorization header. */
function isBearer(v: Val, depth: number): boolean {
  if (depth > 14) return false
  switch (v.v) {
    case 'request':
      return v.part === 'header' && /^authorization(?:\.|$)/i.test(v.name ?? '')
    case 'call':
      // a decoder object comes before what it decodes
      return (v.name === 'decode' ? v.args : v.args.slice(0, 1)).some((x) => isBearer(x, depth + 1))
    case 'op':
      return v.of.some((x) => isBearer(x, depth + 1))
    case 'any':
      return v.alts.some((x) => isBearer(x.value, depth + 1))
    case 'text':
      return v.parts.some((x) => isBearer(x, depth + 1))
    default:
      return false
  }
}

/** Who a text names that a library has validated, for code that takes it apart by hand afterwards. */
export function identityIn(it: Interpreter, text: Val): Extract<Val, { v: 'caller' }> | undefined {
  const step = it.decoded.size ? it.decoded.get(keyOf(text)) : undefined
  const made = step === undefined ? undefined : it.steps[step]
  if (step === undefined || made?.effect.kind !== 'identify' || made.effect.trust !== 'verified') return undefined
  return { v: 'caller', how: made.effect.how, trust: 'verified', step, at: made.at }
}
