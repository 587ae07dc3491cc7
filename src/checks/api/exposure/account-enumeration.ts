import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'

/** Whether an answer says something of a list of accounts beside the caller's own: `users.find((u) => u.email === user.email)` is that. */
export function tellsOfAccounts({ effect: e, under }: Step, index: number, behaviour: Behaviour): boolean {
  if (e.kind !== 'respond' || !e.body) return false
  const isOf = (v: Value) => mentions(v, (x) => x.v === 'row' && x.step === index)
  const isOwn = ({ test, negated }: Step['under'][number]) =>
    !negated && test.v === 'op' && /^===?$/.test(test.op) && test.of.some(isOf) && test.of.some((x) => !isOf(x) && mentions(x, (y) => isCallers(y, behaviour)))
  const tells = (v: Value, depth: number): boolean => {
    if (v.v === 'row') return v.step === index
    if (depth > 8) return isOf(v)
    const parts = v.v === 'any' ? v.of.filter((_, i) => !v.under?.[i]?.some(isOwn)) : partsOf(v)
    return parts.some((x) => tells(x, depth + 1))
  }
  return !under.some(isOwn) && tells(e.body, 0)
}
