import { isAlike } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'

/** Whether a value is the address or number at which the caller has just received a code: without the code nothing gets to the step. */
export function isProvenAddress(value: Value, { under }: Step, { steps }: Behaviour): boolean {
  return steps.some((s, index) => {
    const e = s.effect
    if (e.kind !== 'auth-call' || e.op !== 'verify' || !isRequired(index)) return false
    return e.args.some((a) => a.v === 'object' && [a.props.phone, a.props.email].some((x) => x !== undefined && isAlike(x, value)))
  })

  function isRequired(index: number): boolean {
    return under.some((c) => refusesFailure(c.test, !c.negated, index) || (!c.negated && c.test.v === 'caller' && c.test.step === index))
  }
}

/** `if (error || !data.user) return`, taken apart: the failure of the step ends the handler. */
function refusesFailure(test: Value, truthy: boolean, index: number): boolean {
  if (test.v === 'error') return !truthy && test.of === index
  return test.v === 'op' && test.op === '!' && test.of[0] !== undefined && refusesFailure(test.of[0], !truthy, index)
}
