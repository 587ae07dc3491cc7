import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Condition, Value } from '../../behaviour/types.ts'

/** A disjunction of ways to be refused: one of them is "nobody is signed in". */
function refusesIn(v: Value): boolean {
  return (
    v.v === 'op' &&
    v.op === '||' &&
    v.of.some(
      (x) =>
        (x.v === 'op' && x.op === '!' && x.of[0]?.v === 'caller') ||
        (x.v === 'op' && x.op === '&&' && x.of.some((y) => y.v === 'op' && y.op === '!' && y.of[0]?.v === 'caller')),
    )
  )
}

/** An answer on the refused side whose body names an error: `{ error: 'Unauthorized' }`, `{ success: false }`. */
export function saysError(condition: Condition, thrown: boolean, behaviour: Behaviour): boolean {
  return behaviour.steps.some(({ effect, under }) => {
    if (effect.kind !== 'respond' || (effect.status ?? 200) >= 300) return false
    const refused = isOtherSide(under, condition)
    return (
      (refused || (thrown && under.some((c) => c.test.v === 'error' && c.test.of === -1))) && effect.body !== undefined && mentions(effect.body, isErrorBody)
    )
  })
}

/** Whether whatever is thrown is answered alike: where the handlers tell exceptions apart, what becomes of one is not known for certain. */
export const answersAlike = rememberFor(({ steps }: Behaviour): boolean => {
  const answers = steps.flatMap(({ effect: e, under }) => (e.kind === 'respond' && under.some((c) => mentions(c.test, isCaught)) ? [e.status] : []))
  return answers.length > 0 && answers.every((status) => status === answers[0])
})

const isCaught = (v: Value): boolean => v.v === 'error' && v.of === -1

const isErrorBody = (v: Value): boolean =>
  v.v === 'object' &&
  Object.entries(v.props).some(
    ([name, x]) =>
      (/^(?:error|err|error_?message)$/i.test(name) && !(x.v === 'const' && !x.value)) ||
      (/^(?:success|ok)$/i.test(name) && x.v === 'const' && x.value === false),
  )

const isBeside = (c: Condition, condition: Condition): boolean => c.at.path === condition.at.path && c.at.line === condition.at.line

/** Where a test did not turn out as in `condition`. A line may hold several: `if (!error && user)` is passed with one of each kind. */
function isOtherSide(under: readonly Condition[], condition: Condition): boolean {
  if (under.some((c) => c === condition || (c.test === condition.test && c.negated === condition.negated))) return false
  return under.some((c) => isBeside(c, condition) && c.negated !== condition.negated)
}

/** What the handler answers when a guard in a helper refuses by returning: the statuses of the answers on that side. */
export function refusalStatus(condition: Condition, behaviour: Behaviour): number | undefined {
  const statuses = behaviour.steps.flatMap((s) =>
    s.effect.kind === 'respond' &&
    s.effect.status !== undefined &&
    (isOtherSide(s.under, condition) || s.under.some((c) => isBeside(c, condition) && refusesIn(c.test)))
      ? [s.effect.status]
      : [],
  )
  return statuses.length && statuses.every((x) => x >= 500) ? statuses[0] : undefined
}
