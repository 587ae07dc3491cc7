import { isCallers } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Value } from '../../../model/behaviour/types.ts'
import { isAdministrators } from '../../../model/routes/guards/evidence/evidence.ts'
import { proofOf } from '../../../model/routes/guards/evidence/of-condition.ts'
import { guardOfConditions } from '../../../model/routes/guards/guard.ts'
import type { Proof } from '../../../model/routes/guards/guard-model.ts'

/** Whether a test lets in only who knows a secret of the server: another service of the owner, which may name whom it acts for. */
export function provesService(test: Value, truthy: boolean, behaviour: Behaviour): boolean {
  return isService(proofOf(test, truthy, behaviour, 0))
}

function isService(proof: Pick<Proof, 'who' | 'trust' | 'opensWithout'> | undefined): boolean {
  return (proof?.who === 'secret' || proof?.who === 'signature') && proof.trust === 'verified' && !proof.opensWithout
}

/** A value as any person who calls can make it: `internal ? body.userId : user.id` without what only a service or an administrator reaches. */
export function forPeople(value: Value, behaviour: Behaviour, depth = 0): Value {
  if (value.v !== 'any' || depth > 4) return value
  const { under = [] } = value
  const reached = value.of.flatMap((x, i) => (isPrivileged(under[i] ?? [], behaviour) ? [] : [forPeople(x, behaviour, depth + 1)]))
  return !reached.length ? value : reached.length === 1 ? (reached[0] as Value) : { v: 'any', of: reached }
}

/** Whether a value is the caller's own whenever a person calls. */
export function isPersons(value: Value, behaviour: Behaviour): boolean {
  return isCallers(forPeople(value, behaviour), behaviour)
}

function isPrivileged(under: readonly Condition[], behaviour: Behaviour): boolean {
  const guard = under.length ? guardOfConditions(under, behaviour) : undefined
  return isService(guard) || isAdministrators(guard)
}
