/**
 * What a value being truthy or falsy proves about who calls. Every test comes down to this: it is taken apart at `&&`, `||` and `!`, and comparisons, rows
 * and results are asked in the files beside this one.
 */
import { keptList } from '../../../../lib/memo/list-by-key.ts'
import { keptMap } from '../../../../lib/memo/map-by-key.ts'
import { ANSWERED } from '../../../behaviour/domain/contains.ts'
import { GATEWAY } from '../../../behaviour/identity/token-claims.ts'
import type { Behaviour, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import { absentVariable, isPlatformSetting, isSwitchedOn, isUnconfiguredAtHome, isUnsatisfiable, testOnly } from '../environment-condition.ts'
import type { Proof } from '../guard-model.ts'
import { isRoleField, namesAdministratorsId } from '../identity-words.ts'
import { closed, strongest, weakest } from './evidence.ts'
import { proofOfComparison, proofOfMembership } from './of-comparison.ts'
import { claimProof, resultProof, rowProof } from './of-effect.ts'
import { unknownCheck } from './opaque-guard.ts'
import { asAdmin, rightsAmong } from './permission-bitmask.ts'
import { beforeAnyAdministrator, rightsToldOf } from './permission-query.ts'
import { claimOf, saidByHeader } from './unverified-claim.ts'

/** Methods that ask whether something is among others, or a part of it. */
const MEMBERSHIP_TEST = /^(includes|has|some|every|in|startsWith|endsWith|matches|indexOf)$/

/** What was found out about each behaviour: conditions share their values. By twice the depth, odd when truthy. */
const knownProofs = new WeakMap<Behaviour, Map<Value, (Proof | null | undefined)[]>>()

/** What `value` being truthy (or falsy) proves. */
export function proofOf(value: Value, truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  if (depth > 10) return undefined
  switch (value.v) {
    case 'op':
    case 'call':
    case 'any':
    case 'object':
    case 'row': {
      const known = keptList(keptMap(knownProofs, behaviour), value)
      const i = depth * 2 + (truthy ? 1 : 0)
      if (known[i] === undefined) known[i] = proofAnew(value, truthy, behaviour, depth) ?? null
      return known[i] ?? undefined
    }
    default:
      return proofAnew(value, truthy, behaviour, depth)
  }
}

/** What `proofOf` answers, found out anew. */
function proofAnew(value: Value, truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
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
      if (/^[!=]==?$/.test(value.op))
        return a && b ? proofOfComparison(a, b, value.op.startsWith('!') ? !truthy : truthy, behaviour, depth, proofOf) : undefined
      if (value.op === 'delegated')
        return a?.v === 'call' ? { who: 'check', trust: 'verified', how: `${a.name}, which is given the caller's credential` } : undefined
      if (MEMBERSHIP_TEST.test(value.op)) return truthy ? proofOfMembership(value.of, behaviour, depth, proofOf) : undefined
      if (value.op === '&') return truthy ? asAdmin(next(rightsAmong(value.of), true)) : undefined
      if (value.op === 'length' || value.op === '>' || value.op === '>=') return truthy && a ? next(a, true) : undefined
      // `rows.length < 1`
      if (value.op === '<' && b?.v === 'const' && b.value === 1) return truthy ? undefined : next(a, true)
      return undefined
    }
    case 'caller':
      // the public key of the project is a verified token as well, and has a role
      if (value.how === GATEWAY && value.field === 'role') return undefined
      return truthy
        ? {
            who: isRoleField(value.field) || namesAdministratorsId(value.field) ? 'admin' : 'user',
            trust: value.trust,
            how: value.how,
            ...(value.at ? { at: value.at } : {}),
          }
        : undefined
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
      return truthy ? claimOf(value, behaviour) : undefined
    case 'call':
      if (MEMBERSHIP_TEST.test(value.name)) return truthy ? (saidByHeader(value) ?? proofOfMembership(value.args, behaviour, depth, proofOf)) : undefined
      return (truthy ? claimProof(value, behaviour) : undefined) ?? unknownCheck(value, truthy)
    case 'any': {
      // It must hold whichever of them it was; alternatives that cannot have that truth value do not count.
      const possible = value.of.filter(
        (x, i) =>
          !(x.v === 'const' && Boolean(x.value) !== truthy) &&
          !isUnsatisfiable(x, truthy) &&
          !(value.under?.[i] ?? []).some((c) => testOnly(c.test, !c.negated) || isSwitchedOn(c.test, !c.negated)) &&
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

/** A disjunction proves what every part proves; a part that only says "the variable is unset" makes the guard open. */
function either(parts: readonly Value[], truthy: boolean, behaviour: Behaviour, depth: number): Proof | undefined {
  const proofs: Proof[] = []
  let unset: string | undefined
  for (const p of parts) {
    if (testOnly(p, truthy) || isSwitchedOn(p, truthy) || isUnsatisfiable(p, truthy) || failedUnasked(p, truthy) || (truthy && leavesRequestOut(p, parts)))
      continue
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

/** Variables that close the whole application for a while. */
const CLOSED_FOR_NOW = /MAINTENANCE|COMING_SOON|UNDER_CONSTRUCTION/

/**
 * The way through a comparison on which the request says nothing (`query.get('token') || ''`): what is stored is no empty text, and where
 * nothing is stored, that is no empty text either.
 */
function leavesRequestOut(way: Value, ways: readonly Value[]): boolean {
  return comparedRows(way).some(
    ([of, said]) =>
      said.v === 'const' &&
      said.value === '' &&
      ways.some((x) => comparedRows(x).some(([same, sent]) => isTainted(sent) && same.step === of.step && same.field === of.field)),
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
