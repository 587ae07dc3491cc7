import { lastPart } from '../../../lib/last-part.ts'
import { ACCEPTED, isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'

const SCHEMA = /(?:^|\.)(?:safeParse(?:Async)?|parse(?:Async)?|validate(?:Sync)?|check)(?:\.|$)/

/**
 * What one row gets the caller's gives: `{ increment: amount }` beside `{ decrement: amount }` of the same column, after the amount was compared
 * with what there is. A negative amount would turn it round, so its sign has to be asked for too, or a schema that could not be read.
 */
export function isTransfer(step: Step, column: string, value: Value, behaviour: Behaviour): boolean {
  const amount = addedTo(value) ?? lessFee(value)
  const name = amount && requestName(amount)
  const { effect } = step
  if (!name || effect.kind !== 'db') return false
  const gives = behaviour.steps.some(({ effect: e }) => {
    if (e.kind !== 'db' || e.table !== effect.table || e.payload?.v !== 'object' || !e.filters.some((f) => isCallers(f.value, behaviour))) return false
    const taken = takenFrom(e.payload.props[column])
    return taken !== undefined && requestName(taken) === name
  })
  const isAmount = (v: Value) => v.v === 'request' && requestName(v) === name
  const compared = (with_: (v: Value) => boolean) =>
    step.under.some(({ test }) => mentions(test, (t) => t.v === 'op' && /^[<>]=?$/.test(t.op) && t.of.some(isAmount) && t.of.some(with_)))
  const enough = compared((v) => v.v === 'row')
  const positive =
    compared((v) => v.v === 'const') ||
    step.under.some((c) => !c.negated && mentions(c.test, (t) => t.v === 'call' && (t.name === ACCEPTED || SCHEMA.test(t.name))))
  return gives && enough && positive
}

/** The step is one side of a transfer, and writes nothing else. */
export function isPartOfTransfer(step: Step, behaviour: Behaviour): boolean {
  const { effect: e } = step
  if (e.kind !== 'db' || e.op !== 'update' || e.payload?.v !== 'object' || e.payload.rest) return false
  const columns = Object.entries(e.payload.props)
  return (
    columns.length > 0 &&
    columns.every(([column, value]) => {
      if (isTransfer(step, column, value, behaviour)) return true
      const taken = takenFrom(value)
      return (
        taken !== undefined &&
        behaviour.steps.some(({ effect: other }, i, all) => {
          const given = other.kind === 'db' && other.table === e.table && other.payload?.v === 'object' ? other.payload.props[column] : undefined
          return given !== undefined && isTransfer(all[i] as Step, column, given, behaviour)
        })
      )
    })
  )
}

/** What is taken from the column: `{ decrement: amount }`, `row.balance - amount`. */
function takenFrom(value: Value | undefined): Value | undefined {
  if (value?.v === 'object') return value.props.decrement
  return value?.v === 'op' && value.op === '-' ? value.of[1] : undefined
}

/** What is left of the amount once the house has taken its part: `row.balance + (amount - amount * 0.1)`. Nothing else of the request is in it. */
function lessFee(value: Value): Value | undefined {
  if (value.v !== 'op' || value.op !== '+') return undefined
  return value.of.flatMap((part) => {
    const amount = part.v === 'op' && part.op === '-' ? part.of[0] : undefined
    const name = amount?.v === 'request' ? requestName(amount) : undefined
    return amount && name !== undefined && !mentions(part, (v) => v.v === 'request' && requestName(v) !== name) ? [amount] : []
  })[0]
}

/** Whether the handler gives from the caller's row to the one that `whom` names. */
export function transfersTo(whom: Value, behaviour: Behaviour): boolean {
  const name = requestName(whom)
  return (
    (name !== undefined &&
      behaviour.steps.some(
        (step) =>
          step.effect.kind === 'db' &&
          step.effect.filters.some((f) => f.value.v === 'request' && requestName(f.value) === name) &&
          isPartOfTransfer(step, behaviour),
      )) ||
    givesRowTo(whom, behaviour)
  )
}

/** `update tokens set owner = $whom where owner = $me`: rows of the caller's become theirs whom the request names. */
const givesRowTo = (whom: Value, behaviour: Behaviour): boolean =>
  behaviour.steps.some(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'update' || e.payload?.v !== 'object') return false
    const { props } = e.payload
    return e.filters.some((f) => {
      const to = props[lastPart(f.column)]
      return f.op === 'eq' && isCallers(f.value, behaviour) && to !== undefined && requestName(to) !== undefined && requestName(to) === requestName(whom)
    })
  })

/** What is added to the column: `{ increment: amount }`, `row.credits + amount`. */
export function addedTo(value: Value): Value | undefined {
  if (value.v === 'object') return value.props.increment
  return value.v === 'op' && value.op === '+' ? value.of.find((x) => x.v === 'request') : undefined
}
