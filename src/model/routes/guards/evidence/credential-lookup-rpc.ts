import { isFromCredential } from '../../../behaviour/identity/signed-token.ts'
import type { Effect, Value } from '../../../behaviour/types.ts'
import { isCredential } from '../identity-words.ts'

/** Names of database functions that say whether a key is good. */
const VALIDATES = /valid|verif|check|auth|(?:by|from|for|lookup|resolve)_?(?:api_?)?(?:key|token)/i

/** The argument of a database function by which it looks up the key that the caller has to bring: `validate_api_key(key)`. */
export function keyForLookUp(e: Extract<Effect, { kind: 'rpc' }>): string | undefined {
  if (e.args.v !== 'object' || !VALIDATES.test(e.function)) return undefined
  const named = Object.entries(e.args.props)
  return (named.find(([name, value]) => isCredential(name) && isFromCredential(value)) ?? named.find(([name, value]) => isMailed(e.function, name, value)))?.[0]
}

/** The token of a link that was mailed: `validate_password_reset_token(p_token)`, which comes in the body of the form that the link leads to. */
const isMailed = (name: string, argument: string, value: Value): boolean =>
  /(?:valid|verif|check|consume|redeem|use)\w*(?:reset|recovery|invit|confirm|activation|magic)\w*token|(?:reset|recovery|invit\w*|confirm\w*|activation|magic_?link)_?token\w*(?:valid|verif|check)/i.test(
    name,
  ) &&
  /token/i.test(argument) &&
  value.v === 'request'
