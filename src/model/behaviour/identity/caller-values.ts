import { keptList } from '../../../lib/memo/list-by-key.ts'
import { mentions } from '../domain/contains.ts'
import type { Behaviour, Value } from '../types.ts'
import { isServicesWay } from './service-path.ts'
import { findsSession, isCheckedClaim, isKeptSession, isVouchedFor, keyRead } from './signed-token.ts'

export { ACCEPTED, ANSWERED, mentions, REJECTED } from '../domain/contains.ts'

/** The first request value inside, for messages: `body.userId`. */
export function requestName(value: Value): string | undefined {
  let found: string | undefined
  mentions(value, (x) => {
    if (found === undefined && x.v === 'request')
      found =
        x.part === 'body' && !x.name
          ? 'the request body'
          : `${x.part === 'params' ? 'path parameter' : x.part === 'query' ? 'query parameter' : x.part === 'form' ? 'form field' : x.part}${x.name ? ` \`${x.name}\`` : ''}`
    return found !== undefined
  })
  return found
}

/** What a call is named that stands for something which the server keeps in the session of whoever calls: `entry.cart`. */
export const ENTRY = 'entry'
const LEFT_THERE = new RegExp(`^(?:ctx|locals|context|state|c|req|${ENTRY})\\.[a-z]`, 'i')

/** True when the value is the caller's own: an identity that was established, a row found by it, or something made from one. */
export function isCallers(value: Value, behaviour: Behaviour, depth = 0): boolean {
  if (depth > MAX_HOPS) return false
  switch (value.v) {
    case 'any':
    case 'op':
    case 'call':
    case 'row': {
      const known = keptList(knownOf(behaviour), value)
      known[depth] ??= isMadeOfCallers(value, behaviour, depth)
      return known[depth]
    }
    default:
      return isMadeOfCallers(value, behaviour, depth)
  }
}

/** How far values are followed through what they are made of and the look-ups that found them. */
const MAX_HOPS = 12

/** Answers by value and depth: behaviours share their values. */
const answers = new WeakMap<Behaviour, Map<Value, boolean[]>>()

function knownOf(behaviour: Behaviour): Map<Value, boolean[]> {
  const known = answers.get(behaviour) ?? new Map<Value, boolean[]>()
  answers.set(behaviour, known)
  return known
}

function isMadeOfCallers(value: Value, behaviour: Behaviour, depth: number): boolean {
  const next = (x: Value) => isCallers(x, behaviour, depth + 1)
  switch (value.v) {
    case 'caller':
      return value.trust === 'verified' || value.trust === 'unverified' || isVouchedFor(value, behaviour)
    case 'row':
      return value.step >= 0 && isCallersRow(value.step, behaviour, depth + 1)
    case 'result': {
      const step = behaviour.steps[value.step]
      const key = step && keyRead(step.effect)
      if (step && key) return isKeptSession(step.effect) || next(key)
      return step?.effect.kind === 'rpc' ? step.effect.client.rights === 'caller' || next(step.effect.args) : false
    }
    case 'any': {
      // `ctx.teamId ?? -1`: what is written in the code is nobody else's choice, and whom another service names no person's
      const real = value.of.filter((x, i) => x.v !== 'const' && !isServicesWay(value.under?.[i] ?? []))
      return real.length > 0 && real.every(next)
    }
    case 'text':
      return value.parts.some(next)
    case 'array':
      return value.items.some(next)
    case 'call':
      if (value.name === 'drizzle-or') return everyWayNames(value, behaviour, depth)
      // `ctx.accountId`: left there by middleware that could not be followed, or by the server in the caller's session, not by the request
      return value.args.length === 0 ? LEFT_THERE.test(value.name) : value.args.some(next) || isCheckedClaim(value, behaviour)
    case 'op':
      return (value.op === '||' || value.op === '??' || value.op === '&&') && value.of.some(next)
    default:
      return false
  }
}

/** True when the query of a step is bound to the caller by a filter, or runs under the caller's rights. */
export function isCallersRow(index: number, behaviour: Behaviour, depth = 0): boolean {
  const step = behaviour.steps[index]
  if (!step || depth > MAX_HOPS) return false
  const e = step.effect
  if (e.kind !== 'db') return false
  if (e.op === 'insert') return e.payload !== undefined && mentions(e.payload, (x) => isCallers(x, behaviour, depth + 1))
  return e.filters.some(
    (f) => f.op !== 'neq' && (isCallers(f.value, behaviour, depth + 1) || (f.op === 'eq' && (isHashOfCredential(f.value) || findsSession(e.table, f.value)))),
  )
}

/** `sha256(req.headers.get('authorization'))`: the row under the hash of an API key is that of whoever sends the key. */
const isHashOfCredential = (value: Value): boolean =>
  mentions(
    value,
    (x) => x.v === 'call' && x.name === 'hash' && mentions(x, (y) => y.v === 'request' && y.part === 'header' && CREDENTIAL_HEADER_NAME.test(y.name ?? '')),
  )

const CREDENTIAL_HEADER_NAME = /^(?:proxy-)?authorization$|api-?key|token/i

/** `or(and(eq(a, caller), …), eq(b, caller))` of Drizzle: whichever of them holds, it names the caller, or only what stands in the code (`isPublic`). */
function everyWayNames(value: Value, behaviour: Behaviour, depth = 0): boolean {
  if (value.v !== 'call' || value.name !== 'drizzle-or') return false
  return value.args.some((x) => namesCaller(x, behaviour, depth)) && value.args.every((x) => namesCaller(x, behaviour, depth) || !asksFor(x))
}

function namesCaller(value: Value, behaviour: Behaviour, depth: number): boolean {
  if (value.v !== 'call' || depth > MAX_HOPS) return false
  if (value.name === 'drizzle-or') return everyWayNames(value, behaviour, depth + 1)
  if (value.name === 'drizzle-and') return value.args.some((x) => namesCaller(x, behaviour, depth + 1))
  return value.name !== 'drizzle-ne' && value.args.some((x) => isCallers(x, behaviour, depth + 1))
}

/** `eq(column, request)`: one row of the caller's choice. */
function asksFor(value: Value): boolean {
  if (value.v !== 'call') return false
  if (value.name === 'drizzle-or' || value.name === 'drizzle-and') return value.args.some(asksFor)
  return value.name === 'drizzle-eq' && value.args.some((x) => mentions(x, (y) => y.v === 'request'))
}
