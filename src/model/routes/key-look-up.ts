import type { Effect } from '../behaviour/behaviour.ts'
import { isFromCredential } from '../behaviour/signed-tokens.ts'
import { isCredential } from './guard-words.ts'

/** Names of database functions that say whether a key is good. */
const VALIDATES = /valid|verif|check|auth|(?:by|from|for|lookup|resolve)_?(?:api_?)?(?:key|token)/i

/** The argument of a database function by which it looks up the key that the caller has to bring: `validate_api_key(key)`. */
export function keyForLookUp(e: Extract<Effect, { kind: 'rpc' }>): string | undefined {
  if (e.args.v !== 'object' || !VALIDATES.test(e.function)) return undefined
  return Object.entries(e.args.props).find(([name, value]) => isCredential(name) && isFromCredential(value))?.[0]
}
