/**
 * Which guard stands before a step of a handler: the strongest of what the conditions on the way prove about who calls, with what those without rights are
 * answered and whether a missing variable opens it.
 */
import { keptMap } from '../../../lib/memo/map-by-key.ts'
import { ACCEPTED, mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Condition, Step, Value } from '../../behaviour/types.ts'
import { withoutStrangers } from './anonymous-branch.ts'
import { holdsOnlyIfSet } from './environment-condition.ts'
import { asksForAdministrator, better } from './evidence/evidence.ts'
import { proofOf } from './evidence/of-condition.ts'
import type { Guard, Proof } from './guard-model.ts'
import { answersAlike, refusalStatus, saysError } from './refusal.ts'

/** What was found out about each behaviour: steps share their conditions. */
const knownGuards = new WeakMap<Behaviour, Map<readonly Condition[], { readonly guard: Guard | undefined }>>()

/** The guard that stands before a step; undefined when nothing on its path says who calls. */
export function guardOfStep(step: Step, behaviour: Behaviour): Guard | undefined {
  return guardOfConditions(step.under, behaviour)
}

/** The strongest proof among the conditions of a path. A condition whose other side goes on anyway still holds on this side. */
export function guardOfConditions(under: readonly Condition[], behaviour: Behaviour): Guard | undefined {
  const guards = keptMap(knownGuards, behaviour)
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
    ...(chosen === best && proof.who === 'user' ? rolelessWith(proof, open, under) : {}),
  }
}

/** That somebody is signed in stands firm, and that it is an administrator does not: beside the check, or in the same one. */
function rolelessWith(proof: Proof, open: { readonly proof: Proof; readonly condition: Condition } | undefined, under: readonly Condition[]) {
  if (proof.trust !== 'verified') return {}
  const without = proof.roleless ?? (open && asksForAdministrator(open.proof) ? open.proof.opensWithout : undefined)
  if (without === undefined || under.some((c) => holdsOnlyIfSet(c.test, !c.negated, without))) return {}
  const at = proof.roleless === undefined ? open?.condition.at : undefined
  return { roleless: { without, ...(at ? { at } : {}) } }
}

/** `if (error) return 500`: whether a query failed, not what it found; a provider that does not know somebody says so by an error. */
const asksForFailure = ({ test, negated }: Condition, { steps }: Behaviour): boolean => negated && test.v === 'error' && steps[test.of]?.effect.kind === 'db'

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
