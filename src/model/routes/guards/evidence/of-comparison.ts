/**
 * What a comparison proves about who calls: that one value equals another, or is among others. Either the code compares what is known of the caller
 * (`user.role === 'admin'`), or what only who may call can know (`token === process.env.SECRET`).
 */

import { mentions } from '../../../behaviour/domain/contains.ts'
import { isTokenSignature } from '../../../behaviour/identity/signed-token.ts'
import { GATEWAY } from '../../../behaviour/identity/token-claims.ts'
import { type Behaviour, HIDDEN_LITERAL, type Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import { serverSecret } from '../environment-condition.ts'
import type { Proof } from '../guard-model.ts'
import { asksWhichToken, digestIn, isCredential, isDigestFunction, isRoleField, isVisitors, namesAdministrator } from '../identity-words.ts'
import { weakest } from './evidence.ts'
import { claimProof, findsNobody, rowProof } from './of-effect.ts'
import { CHECKOUT, fromProcessor, PROCESSORS_OBJECT } from './processor-object.ts'
import { asUser, isAnybodys, roleOfFound } from './role-value.ts'
import { isNamedKey } from './unverified-claim.ts'

/** How a comparison asks what a part of it proves: `proofOf` of a value, which asks comparisons in turn. */
type ProofOf = (value: Value, truthy: boolean, behaviour: Behaviour, depth: number) => Proof | undefined

/** What it proves that two values are equal, or that they are not. */
export function proofOfComparison(a: Value, b: Value, equal: boolean, behaviour: Behaviour, depth: number, proofOf: ProofOf): Proof | undefined {
  const ways = [
    [a, b],
    [b, a],
  ] as const
  for (const [x, y] of ways) {
    const p = proofOfPresence(x, y, equal, behaviour, depth, proofOf)
    if (p) return p
  }
  if (equal)
    for (const [x, y] of ways) {
      const p = proofOfEquality(x, y, behaviour, depth, proofOf)
      if (p !== undefined) return p ?? undefined
    }
  return undefined
}

/** `x !== null`, `x === true`: a comparison with a constant that only asks whether something is there, or is true. */
function proofOfPresence(x: Value, y: Value, equal: boolean, behaviour: Behaviour, depth: number, proofOf: ProofOf): Proof | undefined {
  if (y.v !== 'const') return undefined
  const isNone = y.value === 0 && x.v === 'op' && /^(?:length|&)$/.test(x.op)
  if (y.value === null || y.value === undefined || y.value === '' || isNone) return proofOf(x, !equal, behaviour, depth + 1)
  // `typeof school === 'number'`: it is there
  if (equal && x.v === 'op' && x.op === 'typeof' && y.value !== 'undefined' && y.value !== 'object')
    return x.of[0] && proofOf(x.of[0], true, behaviour, depth + 1)
  if (typeof y.value === 'boolean') return proofOf(x, equal === y.value, behaviour, depth + 1)
  // `response.status === 200`
  if (equal && x.v === 'result' && typeof y.value === 'number' && y.value >= 200 && y.value < 300) return proofOf(x, true, behaviour, depth + 1)
  return undefined
}

/** What it proves that `x`, which says something of the caller, has a secret in it or was found, equals `y`; null when it says that nobody is known. */
function proofOfEquality(x: Value, y: Value, behaviour: Behaviour, depth: number, proofOf: ProofOf): Proof | null | undefined {
  if (x.v === 'caller' && x.how === GATEWAY && x.field === 'role' && y.v === 'const' && /^(anon|authenticated)$/.test(String(y.value)))
    return y.value === 'anon' ? null : { who: 'user', trust: x.trust, how: x.how, ...(x.at ? { at: x.at } : {}) }
  if (x.v === 'caller' && !(y.v === 'const' && (y.value === null || y.value === undefined))) {
    const ofToken = asksWhichToken(x.field, y.v === 'const' ? y.value : undefined)
    const administers = (y.v === 'const' || y.v === 'env' || isRoleField(x.field)) && !ofToken && !isAnybodys(x, [y])
    return { who: administers ? 'admin' : 'user', trust: x.trust, how: x.how, ...(x.at ? { at: x.at } : {}) }
  }
  // `cookies.get('admin')?.value === 'yes'`, `headers.get('x-vercel-cron') === '1'`: whoever reads the code, or guesses, sends it
  if (x.v === 'request' && isNamedKey(x) && y.v === 'const' && typeof y.value === 'string' && !absent(y))
    return { who: 'check', trust: 'claimed', how: `${x.part} ${x.name?.split('.')[0] ?? ''} that is only compared with a value from the code` }
  // a password of the application's own in its code, which check 25 tells of
  if (x.v === 'call' && x.name.startsWith(HIDDEN_LITERAL) && y.v === 'request')
    return { who: 'secret', trust: 'verified', how: 'a secret that stands in the code' }
  // `(permissions & needed) === needed`
  if (x.v === 'op' && x.op === '&' && !(y.v === 'const' && !y.value)) return proofOf(x, true, behaviour, depth + 1) ?? null
  const claim = y.v === 'const' && !absent(y) ? claimProof(x, behaviour) : undefined
  if (claim?.who === 'admin') return claim
  const looked = y.v === 'const' && !absent(y) ? roleOfFound(x) : undefined
  if (looked) return looked
  const secret = serverSecret(x)
  if (secret && isTokenSignature(x))
    return {
      who: 'user',
      trust: 'verified',
      how: `the signature of a token, checked with ${secret.name}`,
      ...(secret.fallback ? { opensWithout: secret.name } : {}),
    }
  if (secret && isTainted(y))
    return {
      // a digest over the body vouches for the body, a shared secret only for who sends it
      who: x.v === 'call' && isDigestFunction(x.name) && mentions(x, (z) => z.v === 'request' && z.part === 'raw-body') ? 'signature' : 'secret',
      trust: 'verified',
      how: `a comparison with ${secret.name}`,
      ...(secret.fallback ? { opensWithout: secret.name } : {}),
      ...(secret.fallback && secret.empty && x.v !== 'text' && y.v === 'request' ? { unlessEmpty: y } : {}),
      ...(x.v === 'env' && !x.fallback && y.v === 'request' && mayBeUndefined(y, behaviour) ? { equals: secret.name, unlessEmpty: y } : {}),
    }
  if (x.v === 'row' && x.step >= 0) {
    // A stored secret compared with what the caller sent.
    if (isTainted(y) && (isCredential(x.field ?? '') || isVisitors(y))) return { who: 'token', trust: 'verified', how: `${x.table}.${x.field}` }
    const p = rowProof(x.step, x.field, behaviour, depth)
    if (p && isAnybodys(x, [y])) return asUser(p)
    // who is found by the token of a link has whatever part the link is for, and administers nothing by that
    const ranks = y.v === 'const' && (namesAdministrator(y.value) || (isRoleField(x.field) && p?.who !== 'token'))
    if (p) return ranks ? { ...p, who: 'admin' } : p
    if (y.v === 'const' && isRoleField(x.field) && findsNobody(behaviour.steps[x.step]))
      return { who: 'check', trust: 'verified', how: `a role in ${x.table}, looked up by an id that is never filled in` }
  }
  const found = rowOfEither(x, y, behaviour, depth, proofOf)
  if (found) return found
  const kept = credentialOfPart(x)
  if (kept && isTainted(y)) return { who: 'token', trust: 'verified', how: `${kept.table}.${kept.field}` }
  // paid or not, whose address: only who went through a checkout knows its session
  if (fromProcessor(x, behaviour, 0, CHECKOUT) && !absent(y)) return { who: 'token', trust: 'verified', how: PROCESSORS_OBJECT }
  const digest = digestIn(x)
  if (digest && isTainted(y)) return { who: 'signature', trust: 'verified', how: digest.name }
  // jwt.verify(...).sub === ..., something unknown made from the request compared with a constant of the server
  if (x.v === 'call' && y.v === 'const' && isTainted(x) && /verify|valid|check|role|status/i.test(x.name))
    return { who: 'check', trust: 'verified', how: x.name }
  return undefined
}

/** What is not sent is undefined: a part of a body and a cookie anywhere, a header and a parameter as Node has them. */
const mayBeUndefined = (sent: Extract<Value, { v: 'request' }>, behaviour: Behaviour): boolean =>
  sent.as === undefined &&
  sent.name !== undefined &&
  (sent.part === 'body' || sent.part === 'cookie' || (behaviour.unsent !== undefined && (sent.part === 'header' || sent.part === 'query')))

/** A column of whichever row was found, where a request may name it in one way or another: `id ? byId(id) : byNumber(number)`. */
function rowOfEither(value: Value, other: Value, behaviour: Behaviour, depth: number, proofOf: ProofOf): Proof | undefined {
  if (value.v !== 'any' || !value.of.every((x) => x.v === 'row' && x.step >= 0)) return undefined
  return weakest(value.of.map((x) => proofOfComparison(x, other, true, behaviour, depth + 1, proofOf)))
}

/** The stored credential of which a value is a part: `key.hashed.split('$')[2]`. */
function credentialOfPart(value: Value, depth = 0): Extract<Value, { v: 'row' }> | undefined {
  if (value.v !== 'call' || !TAKES_PART.test(value.name) || depth > 4) return undefined
  const [of] = value.args
  if (of?.v === 'row') return of.step >= 0 && isCredential(of.field ?? '') ? of : undefined
  return of && credentialOfPart(of, depth + 1)
}

/** Functions that give a part of a text, or its bytes. */
const TAKES_PART = /^(?:split|slice|substring|index|trim|Buffer\.from)$/

/** What stands for nothing: null, undefined and an empty text. */
const absent = (v: Value): boolean => v.v === 'const' && (v.value === null || v.value === undefined || v.value === '')

/** A list of admins, scopes or keys that holds the caller, or what the caller sent. */
export function proofOfMembership(of: readonly Value[], behaviour: Behaviour, depth: number, proofOf: ProofOf): Proof | undefined {
  for (const a of of) {
    const people = peopleIn(a, of)
    const p = people && weakest(people.map((x) => proofOf(x, true, behaviour, depth + 1)))
    const others = of.filter((x) => x !== a)
    const anybodys = people?.some((x) => isAnybodys(x, others))
    if (p) return anybodys || !people?.some((x) => asksForRank(x, others)) ? asUser(p) : { ...p, who: 'admin' }
  }
  const found = of.length > 1 ? of.flatMap((x) => roleOfFound(x) ?? [])[0] : undefined
  if (found) return isAnybodys({ v: 'unknown' }, of) ? asUser(found) : found
  const secret = of.map(serverSecret).find((s) => s)
  if (secret && of.some(isTainted))
    return { who: 'secret', trust: 'verified', how: `a comparison with ${secret.name}`, ...(secret.fallback ? { opensWithout: secret.name } : {}) }
  for (const a of of)
    if (a.v === 'op' || a.v === 'any') {
      const p = proofOf(a, true, behaviour, depth + 1)
      if (p) return of.length > 1 ? { ...p, how: p.how.replace(/only tested for presence$/, 'only compared with values from the code') } : p
    }
  return undefined
}

/**
 * Whether what is asked of what belongs to somebody may be a rank: it is compared with something that is written down or set, or with a role. That any of
 * a person's own things is so or so (`course.lessons.some((l) => !l.signedAt)`) makes nobody an administrator.
 */
const asksForRank = (x: Value, others: readonly Value[]): boolean =>
  x.v !== 'row' ||
  isRoleField(x.field) ||
  others.some((o) =>
    mentions(
      o,
      (y) =>
        (y.v === 'const' && typeof y.value === 'string') || y.v === 'env' || y.v === 'array' || y.v === 'caller' || (y.v === 'row' && isRoleField(y.field)),
    ),
  )

/** What is known of the caller when `value` is on the list. What the code puts in its place (`user.email ?? ''`) counts where it may be on the list too. */
function peopleIn(value: Value, list: readonly Value[]): readonly Value[] | undefined {
  if (value.v === 'caller' || value.v === 'row') return [value]
  // `rows.map((r) => r.role).includes('admin')`: one member of each row stands for the list; beside it, or alone, the caller's own role
  if (value.v === 'array')
    return value.items.length && value.items.every((x) => (x.v === 'row' && x.field !== undefined) || (x.v === 'caller' && isRoleField(x.field)))
      ? value.items
      : undefined
  if (value.v !== 'any') return undefined
  const written = list.flatMap((l) => (l.v === 'array' ? l.items : []))
  const known = written.length > 0 && written.every((x) => x.v === 'const')
  const listed = (x: Value) => x.v !== 'const' || (known ? written.some((i) => i.v === 'const' && i.value === x.value) : Boolean(x.value))
  const people = value.of.filter(listed)
  return people.length && people.every((x) => x.v === 'caller' || x.v === 'row') ? people : undefined
}
