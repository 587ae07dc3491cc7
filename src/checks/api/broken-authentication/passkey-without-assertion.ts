import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { UnprovenSignIn } from './sign-in-without-proof.ts'

/** Where authenticators of people are kept, and by what they are told apart. */
const AUTHENTICATOR_TABLE = /(?:^|_)(?:webauthn|passkeys?|biometrics?|authenticators?|fido2?)(?:_|$)/
const PASSKEY_ID_COLUMN = /^(?:credential|passkey|authenticator|webauthn)_?(?:id)?$/
/** What shows that somebody has the authenticator: its signature is looked at. */
const VERIFIES = /verif(?:y|ied)|assertion|createVerify|subtle|simplewebauthn|fido/i

/**
 * Somebody is signed in for the id of an authenticator that he names: the id is no secret, it is sent and kept in the clear, and only a signature over a
 * challenge of the server shows that somebody has the authenticator.
 */
export const unprovenPasskey = rememberFor((route: Route): UnprovenSignIn | undefined => {
  const { behaviour } = route
  if (!behaviour?.complete || behaviour.gaps?.length) return undefined
  const { steps } = behaviour
  const index = steps.findIndex(isLookedUp)
  const found = steps[index]
  if (found?.effect.kind !== 'db') return undefined
  const later = steps.slice(index + 1)
  const made = later.find((s) => s.under.some((c) => mentions(c.test, (x) => x.v === 'row' && x.step === index)) && opensSession(s))
  if (!made || [...steps, made].some(looksAtProof)) return undefined
  const by = found.effect.filters.find(isNamed)
  return (
    by && {
      at: made.at,
      found: found.at,
      table: found.effect.table,
      column: by.column,
      by: by.value.v === 'request' ? (by.value.name ?? by.column) : by.column,
    }
  )
})

const isNamed = ({ op, column, value }: { readonly op: string; readonly column: string; readonly value: Value }): boolean =>
  op === 'eq' && says(PASSKEY_ID_COLUMN, column) && value.v === 'request'

const isLookedUp = ({ effect: e }: Step): boolean =>
  e.kind === 'db' && e.op === 'select' && says(AUTHENTICATOR_TABLE, lastPart(e.table)) && e.filters.some(isNamed)

/** A link that signs in, or a token of the server's own. */
const opensSession = ({ effect: e }: Step): boolean =>
  (e.kind === 'auth-call' && /(?:generateLink|createSession|createCustomToken)$/.test(e.name)) ||
  (e.kind === 'respond' && e.body !== undefined && mentions(e.body, (x) => x.v === 'call' && x.name === 'signed-token'))

function looksAtProof({ effect: e, under }: Step): boolean {
  if (e.kind === 'verify-signature' || e.kind === 'hash-compare') return true
  if ('name' in e && typeof e.name === 'string' && e.kind !== 'log' && e.kind !== 'auth-call' && VERIFIES.test(e.name)) return true
  return under.some((c) => mentions(c.test, (x) => x.v === 'unknown' || (x.v === 'call' && VERIFIES.test(x.name)) || (x.v === 'result' && x.step < 0)))
}
