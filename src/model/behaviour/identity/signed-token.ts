import { mentions, partsOf } from '../domain/contains.ts'
import type { Behaviour, Effect, Value } from '../types.ts'

/**
 * Tokens whose signature the application checks itself: an HMAC over a part of the Authorization header or of a cookie, with a
 * secret of the server. What such a token says is as good as what a library says after verifying it.
 */
export function isTokenSignature(value: Value): boolean {
  return mentions(value, (x) => x.v === 'call' && x.name === 'hmac' && isFromCredential(x))
}

/** Made from a header or cookie, and from nothing else of the request. */
export function isFromCredential(value: Value): boolean {
  let header = false
  const other = (x: Value, depth: number): boolean => {
    if (x.v === 'request') {
      if (x.part !== 'cookie' && !(x.part === 'header' && /^authorization(?:\.|$)|^cookie$|token/i.test(x.name ?? ''))) return true
      header = true
      return false
    }
    // which of the cookies it is may depend on what is asked for: `cookies[`session_${link}`]`
    const parts = x.v === 'call' && x.name === 'index' ? x.args.slice(0, 1) : partsOf(x)
    return depth < 8 && parts.some((p) => other(p, depth + 1))
  }
  return !other(value, 0) && header
}

/** A stored session looked up by what the cookie or the Authorization header carries, which only the person whose session it is was given. */
export function findsSession(table: string, value: Value): boolean {
  return /sessions?$/i.test(table) && isFromCredential(value)
}

/** The key under which a store is read. */
export const keyRead = (effect: Effect): Value | undefined =>
  effect.kind === 'kv' && /(?:^|\.)(?:get|getItem|hgetall|getdel)$/i.test(effect.name) ? effect.args[0] : undefined

/** What is counted, or turned away, under a token says nothing of who brings it. */
const TOKEN_COUNTER_NAME = /limit|rate|count|attempt|seen|used|lock|block|revo[ck]|deny|black|last|idempot|request/i

/** A session, or what is known of an API key, that was put into a key-value store under the token that the caller's cookie or header carries. */
export function isKeptSession(effect: Effect): boolean {
  const key = keyRead(effect)
  if (key === undefined || !isFromCredential(key)) return false
  const named = (names: RegExp) => mentions(key, (x) => x.v === 'const' && names.test(String(x.value)))
  // what the Authorization header carries is a credential, whatever its entry is called
  const authorization = mentions(key, (x) => x.v === 'request' && x.part === 'header' && /^authorization/i.test(x.name ?? ''))
  return (authorization || named(/sess|auth|login|user|token|api[-_:]?key/i)) && !named(TOKEN_COUNTER_NAME)
}

/** What a key-value store keeps of somebody under his id: `redis.get(`user:${userId}`)`. */
export function isKeptOfCaller(effect: Effect): boolean {
  const key = keyRead(effect)
  return (
    key !== undefined &&
    mentions(key, (x) => x.v === 'caller' && x.trust === 'verified') &&
    !mentions(key, (x) => x.v === 'const' && TOKEN_COUNTER_NAME.test(String(x.value)))
  )
}

const RATE_OR_REVOCATION_NAME = /limit|rate|count|attempt|revo[ck]|deny|black/i
const SIGNED_TOKEN_NAME = /(?:token|ticket|nonce|secret)$/i

/** What was put into a key-value store under a token that was given to one person alone: `redis.get(`reset:${body.token}`)`. */
export function isKeptUnderToken(effect: Effect): boolean {
  const key = keyRead(effect)
  return (
    key !== undefined &&
    mentions(key, (x) => x.v === 'request' && SIGNED_TOKEN_NAME.test(x.name ?? '') && x.part !== 'header' && x.part !== 'cookie') &&
    !mentions(key, (x) => x.v === 'const' && RATE_OR_REVOCATION_NAME.test(String(x.value)))
  )
}

const checked = new WeakMap<Behaviour, boolean>()

/** Whether the behaviour compares a signature of the request's own token anywhere. */
function checksTokens(behaviour: Behaviour): boolean {
  let known = checked.get(behaviour)
  if (known === undefined) {
    known = behaviour.steps.some(
      (s) => s.under.some((c) => isTokenSignature(c.test)) || (s.effect.kind === 'verify-signature' && isFromCredential(s.effect.payload)),
    )
    checked.set(behaviour, known)
  }
  return known
}

/** What was read of a token before its signature was checked, where the check followed. */
export function isVouchedFor(value: Value, behaviour: Behaviour): boolean {
  const effect = value.v === 'caller' && value.trust === 'claimed' && value.step !== undefined ? behaviour.steps[value.step]?.effect : undefined
  return effect?.kind === 'identify' && effect.trust === 'verified'
}

const DECODED = /^(?:Buffer\.from|atob|decode|base64\w*|fromBase64\w*|JSON\.parse|toString)$/i

/** A claim of a token whose signature the behaviour checks: a member of what decoding it gave. */
export function isCheckedClaim(value: Value, behaviour: Behaviour): boolean {
  return (
    value.v === 'call' &&
    value.args.length > 0 &&
    isFromCredential(value) &&
    mentions(value, (x) => x.v === 'call' && DECODED.test(x.name)) &&
    checksTokens(behaviour)
  )
}
