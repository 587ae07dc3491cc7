import { keptList } from '../../lib/kept-list.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { Behaviour, Condition, Step, Value } from '../behaviour/behaviour.ts'
import { ACCEPTED, ANSWERED, mentions } from '../behaviour/mentions.ts'
import { isServicesWay } from '../behaviour/services-ways.ts'
import {
  findsSession,
  isCheckedClaim,
  isFromCredential,
  isKeptOfCaller,
  isKeptSession,
  isKeptUnderToken,
  isTokenSignature,
  isVouchedFor,
  keyRead,
} from '../behaviour/signed-tokens.ts'
import { GATEWAY } from '../behaviour/token-claims.ts'
import { callerInEach } from './caller-in-filter.ts'
import { asksAnotherService } from './delegated.ts'
import { absentVariable, holdsOnlyIfSet, isPlatformSetting, isUnconfiguredAtHome, neverHolds, serverSecret, testOnly } from './environment-tests.ts'
import { CHECKOUT, fromProcessor, PROCESSORS_OBJECT } from './from-processor.ts'
import { fromRequest } from './from-request.ts'
import {
  ADMINS,
  ADMINS_SESSIONS,
  asksWhichToken,
  digestIn,
  isCredential,
  isDigest,
  isEverydayRole,
  isRole,
  isStanding,
  isVisitors,
  namesAdministrator,
} from './guard-words.ts'
import { keyForLookUp } from './key-look-up.ts'
import { better, closed, type Guard, leastTrusted, type Proof, strongest, weakest } from './proof.ts'
import { answersAlike, refusalStatus, saysError } from './refusal.ts'
import { asksForRight, asksForRole, beforeAnyAdministrator, isGrant, rightsToldOf } from './rights-asked.ts'
import { asAdmin, rightsAmong } from './rights-bits.ts'
import { withoutStrangers } from './strangers.ts'
import { unknownCheck } from './unfollowed-check.ts'

/** Cookies that remember how somebody likes to see the pages. */
const PREFERENCE = /theme|style|locale|lang|layout|sidebar|consent|colou?r|currency|i18n|banner|dismiss/i
/** Methods that ask whether something is among others, or a part of it. */
const MEMBERSHIP = /^(includes|has|some|every|in|startsWith|endsWith|matches|indexOf)$/
/** Headers of proxies and of scripts in the page, which say nothing of who calls. */
const FORWARDED =
  /^x-(?:forwarded|requested|real|http-method|middleware|request-id|content)|event|topic|type|format|version|client|platform|locale|action|resource-state/i
const HEADER_SECRET = /authorization|secret|token|key|signature|cron|x-/i

/** What was found out about one behaviour: steps share their conditions, and conditions their values. */
interface Known {
  readonly guards: Map<readonly Condition[], { readonly guard: Guard | undefined }>
  /** By twice the depth, odd when truthy. */
  readonly proofs: Map<Value, (Proof | null | undefined)[]>
}

const knowledge = new WeakMap<Behaviour, Known>()

function knownOf(behaviour: Behaviour): Known {
  let known = knowledge.get(behaviour)
  if (!known) {
    known = { guards: new Map(), proofs: new Map() }
    knowledge.set(behaviour, known)
  }
  return known
}

/** The guard that stands before a step; undefined when nothing on its path says who calls. */
export function guardOfStep(step: Step, behaviour: Behaviour): Guard | undefined {
  return guardOfConditions(step.under, behaviour)
}

/** The strongest proof among the conditions of a path. A condition whose other side goes on anyway still holds on this side. */
export function guardOfConditions(under: readonly Condition[], behaviour: Behaviour): Guard | undefined {
  const { guards } = knownOf(behaviour)
  let known = guards.get(under)
  if (!known) {
    known = { guard: strongestOf(under, behaviour) }
    guards.set(under, known)
  }
  return known.guard
}

function strongestOf(under: readonly Condition[], behaviour: Behaviour): Guard | undefined {
  let best: { proof: Proof; condition: Condition; sentAwayElsewhere: boolean } | undefined
  let open: { proof: Proof; condition: Condition } | undefined
  const signedIn = under.flatMap((c) => (!c.negated && c.test.v === 'caller' ? [c.test] : []))
  for (const condition of under) {
    const test = withoutStrangers(condition, signedIn)
    const proof = proofOf(test, !condition.negated, behaviour, 0)
    if (!proof) continue
    if (proof.opensWithout && !refusesEmpty(proof, under) && !under.some((c) => holdsOnlyIfSet(c.test, !c.negated, proof.opensWithout as string))) {
      open ??= { proof, condition }
      continue
    }
    const sentAwayElsewhere = test !== condition.test || asksForFailure(condition, behaviour)
    // that the look-up worked is asked as well: who is sent away by what it found is told so there
    if (!best || better(proof, best.proof) || (best.sentAwayElsewhere && !sentAwayElsewhere && !better(best.proof, proof)))
      best = { proof, condition, sentAwayElsewhere }
  }
  // a guard that a missing variable opens says more than a header that only has to be there
  const chosen = open && best?.proof.trust === 'claimed' ? open : (best ?? open)
  if (!chosen) return undefined
  const { proof, condition } = chosen
  const o = condition.otherwise
  const status = o.status ?? (o.how === 'return' || !o.ends ? refusalStatus(condition, behaviour) : undefined)
  return {
    who: proof.who,
    at: condition.at,
    trust: proof.trust,
    how: proof.how,
    ...(proof.at ? { identifiedAt: proof.at } : {}),
    ...(proof.says ? { says: proof.says } : {}),
    refusal: {
      ...(status !== undefined ? { status } : {}),
      ...(o.how ? { how: o.how } : {}),
      // whoever brings nothing is told so before
      ...(o.thrown && o.how === 'respond' && !under.some((c) => c.otherwise.status === 401) && answersAlike(behaviour) ? { caught: true as const } : {}),
      ...(status !== undefined && status < 300 && saysError(condition, o.thrown === true, behaviour) ? { error: true } : {}),
    },
    ...(proof.equals &&
    proof.who === 'secret' &&
    !asksFor(proof.unlessEmpty, under) &&
    !under.some((c) => holdsOnlyIfSet(c.test, !c.negated, proof.equals as string))
      ? { equalsUnset: proof.equals }
      : {}),
    ...(proof.opensWithout && chosen !== best ? { opensWithout: proof.opensWithout } : {}),
  }
}

/** `if (error) return 500`: whether a query failed, not what it found; a provider that does not know somebody says so by an error. */
const asksForFailure = ({ test, negated }: Condition, { steps }: Behaviour): boolean => negated && test.v === 'error' && steps[test.of]?.effect.kind === 'db'

/** What is not sent is undefined: a part of a body and a cookie anywhere, a header and a parameter as Node has them. */
const mayBeUndefined = (sent: Extract<Value, { v: 'request' }>, behaviour: Behaviour): boolean =>
  sent.as === undefined &&
  sent.name !== undefined &&
  (sent.part === 'body' || sent.part === 'cookie' || (behaviour.unsent !== undefined && (sent.part === 'header' || sent.part === 'query')))

/** Whether a value of the request has to be there, or has to pass a schema, for other reasons. */
const asksFor = (sent: Value | undefined, under: readonly Condition[]): boolean =>
  sent?.v === 'request' &&
  under.some(
    (c) =>
      !c.negated &&
      mentions(c.test, (x) => (x.v === 'request' && x.part === sent.part && x.name === sent.name) || (x.v === 'call' && x.name === ACCEPTED)) &&
      !(c.test.v === 'op' && /^===?$/.test(c.test.op)),
  )

/** Where an unset variable would equal an empty value only, and the request has to bring one that is not empty. */
function refusesEmpty(proof: Proof, under: readonly Condition[]): boolean {
  const sent = proof.unlessEmpty
  return sent?.v === 'request' && under.some((c) => !c.negated && c.test.v === 'request' && c.test.part === sent.part && c.test.name === sent.name)
}

/** What `value` being truthy (or falsy) proves. */
export function proofOf(value: Value, truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  if (depth > 10) return undefined
  switch (value.v) {
    case 'op':
    case 'call':
    case 'any':
    case 'object':
    case 'row': {
      const known = keptList(knownOf(behaviour).proofs, value)
      const i = depth * 2 + (truthy ? 1 : 0)
      if (known[i] === undefined) known[i] = prove(value, truthy, behaviour, depth) ?? null
      return known[i] ?? undefined
    }
    default:
      return prove(value, truthy, behaviour, depth)
  }
}

function prove(value: Value, truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  const next = (v: Value | undefined, t: boolean) => (v ? proofOf(v, t, behaviour, depth + 1) : undefined)
  switch (value.v) {
    case 'op': {
      const [a, b] = value.of
      if (value.op === '!') return next(a, !truthy)
      if (value.op === '&&' || value.op === '||') {
        const all = (value.op === '&&') === truthy
        if (!all) return either(value.of, truthy, behaviour, depth)
        return closed(
          strongest(value.of.map((x) => next(x, truthy))),
          value.of.map((test) => ({ test, negated: !truthy })),
        )
      }
      if (/^[!=]==?$/.test(value.op)) return a && b ? comparison(a, b, value.op.startsWith('!') ? !truthy : truthy, behaviour, depth) : undefined
      if (value.op === 'delegated')
        return a?.v === 'call' ? { who: 'check', trust: 'verified', how: `${a.name}, which is given the caller's credential` } : undefined
      if (MEMBERSHIP.test(value.op)) return truthy ? membership(value.of, behaviour, depth) : undefined
      if (value.op === '&') return truthy ? asAdmin(next(rightsAmong(value.of), true)) : undefined
      if (value.op === 'length' || value.op === '>' || value.op === '>=') return truthy && a ? next(a, true) : undefined
      // `rows.length < 1`
      if (value.op === '<' && b?.v === 'const' && b.value === 1) return truthy ? undefined : next(a, true)
      return undefined
    }
    case 'caller':
      // the public key of the project is a verified token as well, and has a role
      if (value.how === GATEWAY && value.field === 'role') return undefined
      return truthy ? { who: isRole(value.field) ? 'admin' : 'user', trust: value.trust, how: value.how, ...(value.at ? { at: value.at } : {}) } : undefined
    case 'error': {
      if (truthy || value.of < 0) return undefined
      const step = behaviour.steps[value.of]
      return step ? resultProof(step, behaviour) : undefined
    }
    case 'result': {
      const step = behaviour.steps[value.step]
      if (!truthy) return step && beforeAnyAdministrator(step)
      return step ? (resultProof(step, behaviour) ?? rightsToldOf(step, value.field)) : undefined
    }
    case 'row':
      return truthy && value.step >= 0 ? rowProof(value.step, value.field, behaviour, depth) : undefined
    case 'event':
      return truthy && value.verified ? { who: 'signature', trust: 'verified', how: `${value.processor} signature` } : undefined
    case 'request':
      // A cookie or header that is only there proves nothing; it is remembered as a claim.
      return truthy && ((value.part === 'cookie' && !PREFERENCE.test(value.name ?? '')) || (value.part === 'header' && HEADER_SECRET.test(value.name ?? '')))
        ? claimOf(value.part, value.name, behaviour)
        : undefined
    case 'call':
      if (MEMBERSHIP.test(value.name)) return truthy ? (saidByHeader(value) ?? membership(value.args, behaviour, depth)) : undefined
      return (truthy ? claimProof(value, behaviour) : undefined) ?? unknownCheck(value, truthy)
    case 'any': {
      // It must hold whichever of them it was; alternatives that cannot have that truth value do not count.
      const possible = value.of.filter(
        (x, i) =>
          !(x.v === 'const' && Boolean(x.value) !== truthy) &&
          !neverHolds(x, truthy) &&
          !(value.under?.[i] ?? []).some((c) => testOnly(c.test, !c.negated)) &&
          !isUnconfiguredAtHome((value.under?.[i] ?? []).map((c) => ({ test: c.test, truthy: !c.negated }))),
      )
      if (!possible.length) return undefined
      // What had to hold for an alternative speaks for it as well (a header that makes up a session).
      return weakest(
        possible.map((x) => {
          const under = value.under?.[value.of.indexOf(x)] ?? []
          return closed(strongest([next(x, truthy), ...under.map((c) => next(c.test, !c.negated))]), under)
        }),
      )
    }
    case 'object':
      return value.rest?.v === 'caller' || value.rest?.v === 'request' ? next(value.rest, truthy) : undefined
    case 'response':
      return undefined
    default:
      return undefined
  }
}

/**
 * The way through a comparison on which the request says nothing (`query.get('token') || ''`): what is stored is no empty text, and where
 * nothing is stored, that is no empty text either.
 */
function isLeftOut(way: Value, ways: readonly Value[]): boolean {
  return comparedRows(way).some(
    ([of, said]) =>
      said.v === 'const' &&
      said.value === '' &&
      ways.some((x) => comparedRows(x).some(([same, sent]) => fromRequest(sent) && same.step === of.step && same.field === of.field)),
  )
}

/** The fields of rows that have to equal something on a way, and what. */
function comparedRows(way: Value): readonly [Extract<Value, { v: 'row' }>, Value][] {
  if (way.v !== 'op') return []
  if (way.op === '&&') return way.of.flatMap(comparedRows)
  const [a, b] = way.of
  if (!/^===?$/.test(way.op) || !a || !b) return []
  return a.v === 'row' ? [[a, b]] : b.v === 'row' ? [[b, a]] : []
}

/** What a cookie says of who sends it, where it holds more than an id of a session: `cookie session with isAdmin in it`. */
const SAYS = /^(.+)\.(is[A-Z_]\w*|\w*(?:[rR]ole|[aA]dmin)\w*|id|user_?[iI]d|uid|sub|email)$/

function claimOf(part: 'cookie' | 'header', name: string | undefined, { headersRead }: Behaviour): Proof {
  const [, cookie, says] = (part === 'cookie' && SAYS.exec(name ?? '')) || []
  if (cookie && says) return { who: 'check', trust: 'claimed', how: `cookie ${cookie} with ${says} in it`, says }
  const at = part === 'header' && name ? headersRead?.[name.toLowerCase()] : undefined
  return { who: 'check', trust: 'claimed', how: `${part}${name ? ` ${name}` : ''} that is only tested for presence`, ...(at ? { at } : {}) }
}

/** `userAgent.includes('vercel-cron')`: what a scheduler calls itself, everybody may. */
function saidByHeader({ name, args: [of, said] }: Extract<Value, { v: 'call' }>): Proof | undefined {
  if (!/^(?:includes|startsWith|endsWith)$/.test(name) || of?.v !== 'request' || of.part !== 'header' || said?.v !== 'const') return undefined
  return /^(?:user-agent|[\w-]{0,20}cron[\w-]{0,20})$/i.test(of.name ?? '')
    ? { who: 'check', trust: 'claimed', how: `header ${of.name} that names the caller` }
    : undefined
}

const CLOSED_FOR_NOW = /MAINTENANCE|COMING_SOON|UNDER_CONSTRUCTION/

/** A disjunction proves what every part proves; a part that only says "the variable is unset" makes the guard open. */
function either(parts: readonly Value[], truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  const proofs: Proof[] = []
  let unset: string | undefined
  for (const p of parts) {
    if (testOnly(p, truthy) || neverHolds(p, truthy) || failedUnasked(p, truthy) || (truthy && isLeftOut(p, parts))) continue
    if (truthy && p.v === 'op' && p.op === '&&' && isUnconfiguredAtHome(p.of.map((test) => ({ test, truthy })))) continue
    const proof = proofOf(p, truthy, behaviour, depth + 1)
    if (proof) proofs.push(proof)
    else {
      const env = absentVariable(p, truthy)
      // that the whole application is closed for a while says nothing of who may do what in it otherwise
      if (!env || CLOSED_FOR_NOW.test(env)) return undefined
      if (!isPlatformSetting(env)) unset = env
    }
  }
  const w = weakest(proofs)
  return w && unset && w.trust !== 'claimed' ? { ...w, opensWithout: unset } : w
}

/** The answered failure of a query that asked for nothing of the request: nobody brings it about from outside. */
const failedUnasked = (part: Value, truthy: boolean): boolean => truthy && part.v === 'op' && part.op === ANSWERED && !part.of.length

function comparison(a: Value, b: Value, equal: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  for (const [x, y] of [
    [a, b],
    [b, a],
  ] as const) {
    // `x !== null`, `x === true`
    if (y.v === 'const') {
      if (y.value === null || y.value === undefined || y.value === '' || (y.value === 0 && x.v === 'op' && /^(?:length|&)$/.test(x.op))) {
        const p = proofOf(x, !equal, behaviour, depth + 1)
        if (p) return p
      } else if (equal && x.v === 'op' && x.op === 'typeof' && y.value !== 'undefined' && y.value !== 'object') {
        // `typeof school === 'number'`: it is there
        const p = x.of[0] && proofOf(x.of[0], true, behaviour, depth + 1)
        if (p) return p
      } else if (typeof y.value === 'boolean') {
        const p = proofOf(x, equal === y.value, behaviour, depth + 1)
        if (p) return p
      } else if (equal && x.v === 'result' && typeof y.value === 'number' && y.value >= 200 && y.value < 300) {
        // `response.status === 200`
        const p = proofOf(x, true, behaviour, depth + 1)
        if (p) return p
      }
    }
  }
  if (!equal) return undefined
  for (const [x, y] of [
    [a, b],
    [b, a],
  ] as const) {
    if (x.v === 'caller' && x.how === GATEWAY && x.field === 'role' && y.v === 'const' && /^(anon|authenticated)$/.test(String(y.value)))
      return y.value === 'anon' ? undefined : { who: 'user', trust: x.trust, how: x.how, ...(x.at ? { at: x.at } : {}) }
    if (x.v === 'caller' && !(y.v === 'const' && (y.value === null || y.value === undefined))) {
      const ofToken = asksWhichToken(x.field, y.v === 'const' ? y.value : undefined)
      const administers = (y.v === 'const' || y.v === 'env' || isRole(x.field)) && !ofToken && !isAnybodys(x, [y])
      return { who: administers ? 'admin' : 'user', trust: x.trust, how: x.how, ...(x.at ? { at: x.at } : {}) }
    }
    // `cookies.get('admin')?.value === 'yes'`, `headers.get('x-vercel-cron') === '1'`: whoever reads the code, or guesses, sends it
    if (x.v === 'request' && isNamedKey(x) && y.v === 'const' && typeof y.value === 'string' && !absent(y))
      return { who: 'check', trust: 'claimed', how: `${x.part} ${x.name?.split('.')[0] ?? ''} that is only compared with a value from the code` }
    // `(permissions & needed) === needed`
    if (x.v === 'op' && x.op === '&' && !(y.v === 'const' && !y.value)) return proofOf(x, true, behaviour, depth + 1)
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
    if (secret && fromRequest(y))
      return {
        // a digest over the body vouches for the body, a shared secret only for who sends it
        who: x.v === 'call' && isDigest(x.name) && mentions(x, (z) => z.v === 'request' && z.part === 'raw-body') ? 'signature' : 'secret',
        trust: 'verified',
        how: `a comparison with ${secret.name}`,
        ...(secret.fallback ? { opensWithout: secret.name } : {}),
        ...(secret.fallback && secret.empty && x.v !== 'text' && y.v === 'request' ? { unlessEmpty: y } : {}),
        ...(x.v === 'env' && !x.fallback && y.v === 'request' && mayBeUndefined(y, behaviour) ? { equals: secret.name, unlessEmpty: y } : {}),
      }
    if (x.v === 'row' && x.step >= 0) {
      // A stored secret compared with what the caller sent.
      if (fromRequest(y) && (isCredential(x.field ?? '') || isVisitors(y))) return { who: 'token', trust: 'verified', how: `${x.table}.${x.field}` }
      const p = rowProof(x.step, x.field, behaviour, depth)
      if (p && isAnybodys(x, [y])) return asUser(p)
      if (p) return y.v === 'const' && (isRole(x.field) || namesAdministrator(y.value)) ? { ...p, who: 'admin' } : p
      if (y.v === 'const' && isRole(x.field) && findsNobody(behaviour.steps[x.step]))
        return { who: 'check', trust: 'verified', how: `a role in ${x.table}, looked up by an id that is never filled in` }
    }
    const found = rowOfEither(x, y, behaviour, depth)
    if (found) return found
    const kept = keptPart(x)
    if (kept && fromRequest(y)) return { who: 'token', trust: 'verified', how: `${kept.table}.${kept.field}` }
    // paid or not, whose address: only who went through a checkout knows its session
    if (fromProcessor(x, behaviour, 0, CHECKOUT) && !absent(y)) return { who: 'token', trust: 'verified', how: PROCESSORS_OBJECT }
    const digest = digestIn(x)
    if (digest && fromRequest(y)) return { who: 'signature', trust: 'verified', how: digest.name }
    // jwt.verify(...).sub === ..., something unknown made from the request compared with a constant of the server
    if (x.v === 'call' && y.v === 'const' && fromRequest(x) && /verify|valid|check|role|status/i.test(x.name))
      return { who: 'check', trust: 'verified', how: x.name }
  }
  return undefined
}

/** `(await User.findByPk(caller.id)).role === 'admin'`, by a library that is not followed: what was asked for by nothing but the caller's id is the caller's. */
function roleOfFound(value: Value): Proof | undefined {
  const [found, ...more] = value.v === 'call' && isRole(value.name) ? value.args : []
  if (found?.v !== 'call' || more.length || !FINDS.test(found.name)) return undefined
  const who = found.args.find((x) => x.v === 'caller' && x.trust === 'verified' && OWN_ID.test(x.field ?? ''))
  if (who?.v !== 'caller' || mentions(found, (x) => x.v === 'request')) return undefined
  return { who: 'admin', trust: who.trust, how: who.how, ...(who.at ? { at: who.at } : {}) }
}

const FINDS = /^(?:find|get|fetch|load|select)(?:ByPk|ById|One|First|Unique|User|Account|Profile)\w{0,20}$/
const OWN_ID = /^(?:id|sub|uid|user_?id)$/i

/** A column of whichever row was found, where a request may name it in one way or another: `id ? byId(id) : byNumber(number)`. */
function rowOfEither(value: Value, other: Value, behaviour: Behaviour, depth: number): Proof | undefined {
  if (value.v !== 'any' || !value.of.every((x) => x.v === 'row' && x.step >= 0)) return undefined
  return weakest(value.of.map((x) => comparison(x, other, true, behaviour, depth + 1)))
}

/** The stored credential of which a value is a part: `key.hashed.split('$')[2]`. */
function keptPart(value: Value, depth = 0): Extract<Value, { v: 'row' }> | undefined {
  if (value.v !== 'call' || !PARTS.test(value.name) || depth > 4) return undefined
  const [of] = value.args
  if (of?.v === 'row') return of.step >= 0 && isCredential(of.field ?? '') ? of : undefined
  return of && keptPart(of, depth + 1)
}

const PARTS = /^(?:split|slice|substring|index|trim|Buffer\.from)$/

/** What a token says whose signature the application checks itself: who somebody is, or what they may do (`payload.permissions[module]`). */
function claimProof(value: Value, behaviour: Behaviour): Proof | undefined {
  if (!isCheckedClaim(value, behaviour)) return undefined
  const role = mentions(value, (x) => x.v === 'call' && isRole(x.name))
  return { who: role ? 'admin' : 'user', trust: 'verified', how: CHECKED_TOKEN }
}

const CHECKED_TOKEN = 'a token whose signature is checked'

/** A row that was found by the caller's id proves the caller; one found by a credential proves that it is known. */
function rowProof(index: number, field: string | undefined, behaviour: Behaviour, depth: number, hops = 0): Proof | undefined {
  const step = behaviour.steps[index]
  if (step?.effect.kind !== 'db') return undefined
  for (const f of step.effect.filters) {
    const caller = f.op === 'eq' ? callerAmong(f.value, step) : f.op === 'other' ? callerInEach(f.value) : undefined
    const who = isRole(field) || isGrant(step.effect, field) || asksForRole(step.effect) || ADMINS.test(step.effect.table) ? 'admin' : 'user'
    if (caller) return { who, trust: caller.trust, how: caller.how, ...(caller.at ? { at: caller.at } : {}) }
    if (f.op === 'eq' && isCheckedClaim(f.value, behaviour)) return { who, trust: 'verified', how: CHECKED_TOKEN }
    if (f.op === 'eq' && mentions(f.value, (x) => isVouchedFor(x, behaviour)))
      return { who: 'user', trust: 'verified', how: `${step.effect.table}.${f.column}, which a verified token names` }
    const kept = f.op === 'eq' ? keptUnder(f.value, behaviour) : undefined
    if (kept) return { who: isRole(field) ? 'admin' : 'user', trust: kept.trust, how: kept.how, ...(kept.at ? { at: kept.at } : {}) }
    if (f.op === 'eq' && fromProcessor(f.value, behaviour)) return { who: 'token', trust: 'verified', how: PROCESSORS_OBJECT }
    if (f.op === 'eq' && findsSession(step.effect.table, f.value))
      return { who: ADMINS_SESSIONS.test(step.effect.table) ? 'admin' : 'user', trust: 'verified', how: `${step.effect.table}.${f.column}`, at: step.at }
    if (f.op === 'eq' && isCredential(lastPart(f.column)) && fromRequest(f.value))
      return { who: 'token', trust: 'verified', how: `${step.effect.table}.${f.column}` }
  }
  const before = depth < 6 && hops < 3 ? guardProof(step, behaviour, hops + 1) : undefined
  return before?.who === 'user' && isRole(field) ? { ...before, who: 'admin' } : before
}

/** The caller that a value is, or is where somebody is signed in (`session?.user.id`), when the step asks for that. */
function callerAmong(value: Value, { under }: Step): Extract<Value, { v: 'caller' }> | undefined {
  if (value.v === 'caller') return value
  if (value.v !== 'any') return undefined
  const ways = value.of.filter((_, i) => !isServicesWay(value.under?.[i] ?? []))
  const callers = ways.filter((x) => x.v === 'caller')
  const nobody = ways.filter((x) => x.v === 'const' && (x.value === undefined || x.value === null))
  if (!callers.length || callers.length + nobody.length < ways.length) return undefined
  return !nobody.length || under.some((c) => !c.negated && c.test.v === 'caller') ? leastTrusted(callers) : undefined
}

/** The caller under whose key a store holds a value: `(await store.get(token.sessionId)).userId`. */
function keptUnder(value: Value, behaviour: Behaviour, depth = 0): Extract<Value, { v: 'caller' }> | undefined {
  if (depth > 4) return undefined
  const callerIn = (key: Value | undefined) => (key?.v === 'text' ? key.parts : key?.v === 'any' ? key.of : key ? [key] : []).find((x) => x.v === 'caller')
  if (value.v === 'result') {
    const effect = behaviour.steps[value.step]?.effect
    return effect && callerIn(keyRead(effect))
  }
  if (value.v !== 'call') return undefined
  // of a client that is not known by name
  if (/(?:^|\.)get$/.test(value.name)) return callerIn(value.args[1])
  return value.args[0] && keptUnder(value.args[0], behaviour, depth + 1)
}

/** A row looked up by a value that is always missing (a member that the session does not have): a role asked of it lets nobody in. */
function findsNobody(step: Step | undefined): boolean {
  return step?.effect.kind === 'db' && step.effect.filters.some((f) => f.op === 'eq' && f.value.v === 'const' && f.value.value === undefined)
}

/** What stood before a step holds for its result as well. Whose user is found among the administrators, or among those with a role, is one of them. */
function guardProof(step: Step, behaviour: Behaviour, hops: number): Proof | undefined {
  if (step.effect.kind !== 'db') return undefined
  for (const f of step.effect.filters)
    if (f.value.v === 'row' && f.value.step >= 0 && behaviour.steps[f.value.step] !== step) {
      const p = rowProof(f.value.step, f.value.field, behaviour, 0, hops)
      if (p) return p.who === 'user' && f.op === 'eq' && (ADMINS.test(step.effect.table) || asksForRole(step.effect)) ? { ...p, who: 'admin' } : p
    }
  return undefined
}

/** The success of a step that checks somebody. */
function resultProof(step: Step, behaviour: Behaviour): Proof | undefined {
  const e = step.effect
  if (e.kind === 'identify') return { who: 'user', trust: e.trust, how: e.how, at: step.at }
  if (e.kind === 'verify-signature' && isFromCredential(e.payload))
    return { who: 'user', trust: 'verified', how: `${e.library} signature of a token`, at: step.at }
  if (e.kind === 'verify-signature') return { who: 'signature', trust: 'verified', how: `${e.library} signature`, at: step.at }
  if (isKeptSession(e)) return { who: 'user', trust: 'verified', how: 'a session in a key-value store', at: step.at }
  if (isKeptUnderToken(e)) return { who: 'token', trust: 'verified', how: 'a token under which a key-value store keeps something', at: step.at }
  if (isKeptOfCaller(e)) return { who: 'user', trust: 'verified', how: 'what is kept under the id of the caller', at: step.at }
  if (e.kind === 'hash-compare') return { who: 'secret', trust: 'verified', how: e.name, at: step.at }
  if (e.kind === 'db') return rowProof(behaviour.steps.indexOf(step), undefined, behaviour, 0)
  if (e.kind === 'rpc') {
    // `is_admin(auth.uid())` asked through the caller's own client, or with the caller's id.
    if (e.client.rights === 'caller' || mentionsCaller(e.args))
      return { who: asksForRight(e) ? 'admin' : 'user', trust: 'verified', how: `rpc ${e.function}`, at: step.at }
    // `validate_api_key(key)`: the database looks the key up that the caller has to bring
    const key = keyForLookUp(e)
    if (key) return { who: 'token', trust: 'verified', how: `rpc ${e.function}, ${key}`, at: step.at }
  }
  if (e.kind === 'http' && asksAnotherService(e)) return { who: 'check', trust: 'verified', how: e.name, at: step.at }
  return undefined
}

function mentionsCaller(v: Value, depth = 0): boolean {
  if (depth > 6) return false
  if (v.v === 'caller') return v.trust === 'verified'
  if (v.v === 'object') return Object.values(v.props).some((x) => mentionsCaller(x, depth + 1))
  if (v.v === 'array') return v.items.some((x) => mentionsCaller(x, depth + 1))
  if (v.v === 'any') return v.of.length > 0 && v.of.every((x) => mentionsCaller(x, depth + 1))
  return false
}

/** A list of admins, scopes or keys that holds the caller, or what the caller sent. */
function membership(of: readonly Value[], behaviour: Behaviour, depth: number): Proof | undefined {
  for (const a of of) {
    const people = peopleIn(a, of)
    const p = people && weakest(people.map((x) => proofOf(x, true, behaviour, depth + 1)))
    const others = of.filter((x) => x !== a)
    const anybodys = people?.some((x) => isAnybodys(x, others))
    if (p) return anybodys ? asUser(p) : { ...p, who: 'admin' }
  }
  const found = of.length > 1 ? of.flatMap((x) => roleOfFound(x) ?? [])[0] : undefined
  if (found) return isAnybodys({ v: 'unknown' }, of) ? asUser(found) : found
  const secret = of.map(serverSecret).find((s) => s)
  if (secret && of.some(fromRequest))
    return { who: 'secret', trust: 'verified', how: `a comparison with ${secret.name}`, ...(secret.fallback ? { opensWithout: secret.name } : {}) }
  for (const a of of)
    if (a.v === 'op' || a.v === 'any') {
      const p = proofOf(a, true, behaviour, depth + 1)
      if (p) return p
    }
  return undefined
}

/** Who is known to call, without the rank that something else would have proved. */
const asUser = (p: Proof): Proof => (p.who === 'admin' ? { ...p, who: 'user' } : p)

/**
 * Whether what is asked of somebody is what anybody may be: a role that comes with signing up (`role === 'customer'`), or how an account stands
 * (`['active', 'trialing'].includes(user.subscription.status)`).
 */
function isAnybodys(of: Value, asked: readonly Value[]): boolean {
  const written = asked.flatMap((x) => (x.v === 'array' ? x.items : x.v === 'any' ? x.of : [x])).flatMap((x) => (x.v === 'const' ? [x.value] : []))
  if (written.some(isEverydayRole)) return true
  return (of.v === 'caller' || of.v === 'row') && isStanding(of.field) && written.length > 0 && !written.some(namesAdministrator)
}

/** A cookie, or a header that says who sends the request; the others say what is sent, and from which page. */
const isNamedKey = ({ part, name = '' }: Extract<Value, { v: 'request' }>): boolean =>
  part === 'cookie' || (part === 'header' && HEADER_SECRET.test(name) && !FORWARDED.test(name))

/** What is known of the caller when `value` is on the list. What the code puts in its place (`user.email ?? ''`) counts where it may be on the list too. */
function peopleIn(value: Value, list: readonly Value[]): readonly Value[] | undefined {
  if (value.v === 'caller' || value.v === 'row') return [value]
  // `rows.map((r) => r.role).includes('admin')`: one member of each row stands for the list
  if (value.v === 'array') return value.items.length && value.items.every((x) => x.v === 'row' && x.field !== undefined) ? value.items : undefined
  if (value.v !== 'any') return undefined
  const written = list.flatMap((l) => (l.v === 'array' ? l.items : []))
  const known = written.length > 0 && written.every((x) => x.v === 'const')
  const listed = (x: Value) => x.v !== 'const' || (known ? written.some((i) => i.v === 'const' && i.value === x.value) : Boolean(x.value))
  const people = value.of.filter(listed)
  return people.length && people.every((x) => x.v === 'caller' || x.v === 'row') ? people : undefined
}

const absent = (v: Value): boolean => v.v === 'const' && (v.value === null || v.value === undefined || v.value === '')
