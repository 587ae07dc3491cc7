/** Where a row goes that a step found: into an answer, or into what is written later. A row that is only looked at and goes nowhere is told to nobody. */
import { says } from '../../../lib/snake-case.ts'
import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Value } from '../../../model/behaviour/types.ts'
import type { Ties } from '../binding/ownership-binding.ts'

/** An answer with content holds something of the rows that a step found, beside columns that say nothing of anybody. */
export function reachesResponse(index: number, behaviour: Behaviour, tellsNothing: (field: string) => boolean = () => false): boolean {
  return behaviour.steps.some(
    ({ effect: e }, i) =>
      i > index &&
      e.kind === 'respond' &&
      (e.status ?? 200) < 400 &&
      e.body !== undefined &&
      mentions(e.body, (x) => x.v === 'row' && x.step === index && !(x.field !== undefined && tellsNothing(x.field))),
  )
}

/** The row goes out whole, or what came along with it does. */
export function saysRelation(index: number, relation: string, behaviour: Behaviour): boolean {
  return behaviour.steps.some(
    ({ effect: e }, i) =>
      i > index &&
      e.kind === 'respond' &&
      (e.status ?? 200) < 400 &&
      e.body !== undefined &&
      mentions(e.body, (x) => x.v === 'row' && x.step === index && (x.field === undefined || x.field === relation)),
  )
}

/** What is written later names the row that was found or carries something of it: finding it was half of the change. */
export const isWrittenFrom = (index: number, { steps }: Behaviour, ties: Ties): boolean =>
  steps.some(({ effect: e }, i) => i > index && e.kind === 'db' && e.op !== 'select' && usesValue(e, (x) => x.v === 'row' && x.step === index, ties))

/**
 * A row that the caller's own client found is told to nobody, and what follows from it the database decides once more or is the caller's own affair: rows
 * that the same client writes, an entry in the caller's name, what the caller pays. Whoever may read the row too much gets nothing by it here.
 */
export function isOnlyWeighed(index: number, behaviour: Behaviour, ties: Ties): boolean {
  const isOf = (x: Value) => (x.v === 'row' && x.step === index) || (x.v === 'error' && x.of === index)
  return (
    !reachesResponse(index, behaviour) &&
    !behaviour.through &&
    behaviour.steps
      .slice(index + 1)
      .every(
        ({ effect: e, under }) =>
          (leavesToOthers(e) && !isAimedBy(e, isOf)) ||
          !(usesValue(e, isOf, ties) || under.some((c) => mentions(c.test, isOf))) ||
          (e.kind === 'payment' && CHECKOUT_CALL.test(e.name)),
      )
  )
}

/** Looking, answering, and what the caller's own client does. */
const leavesToOthers = (e: Effect): boolean =>
  ['respond', 'log', 'throw', 'identify'].includes(e.kind) ||
  (e.kind === 'db' && (e.op === 'select' || e.client.rights === 'caller')) ||
  (e.kind === 'rpc' && e.client.rights === 'caller')

/** The rows that a statement changes are found by what is asked for. */
const isAimedBy = (e: Effect, predicate: (x: Value) => boolean): boolean =>
  e.kind === 'db' && e.op !== 'select' && e.filters.some((f) => mentions(f.value, predicate))

/** What somebody does at a processor to pay. */
const CHECKOUT_CALL = /(?:checkout\.sessions|paymentIntents|setupIntents|customers)\.create$|(?:prices|products)\.(?:create|retrieve|list)$/

/** Nothing is done with the rows of a step but looking further and answering. */
export const isOnlyTold = (index: number, { steps }: Behaviour): boolean =>
  steps.slice(index + 1).every(({ effect: e, under }) => {
    if (e.kind === 'respond' || e.kind === 'log' || e.kind === 'throw' || (e.kind === 'db' && e.op === 'select')) return true
    const isOf = (x: Value) => x.v === 'row' && x.step === index
    return !under.some((c) => mentions(c.test, isOf)) && !Object.values(e).some((x) => isMade(x, isOf))
  })

/** Whether a part of an effect, a value or a list of them, is made of what is asked for. */
function isMade(x: unknown, predicate: (x: Value) => boolean): boolean {
  if (Array.isArray(x)) return x.some((i) => isMade(i, predicate))
  if (typeof x !== 'object' || x === null) return false
  if ('v' in x) return mentions(x as Value, predicate)
  return 'value' in x && isMade((x as { value: unknown }).value, predicate)
}

/** An answer without what it says of yes and no (`{ isOwner: rows.length > 0 }`): whether somebody may, and not what a row holds. */
export const withoutTests = (e: Extract<Effect, { kind: 'respond' }>): Effect =>
  e.body?.v === 'object' ? { ...e, body: { ...e.body, props: onlyTold(e.body.props) } } : e

/** The parts of an object that are more than a yes or no. */
const onlyTold = (props: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => !isYesOrNo(value)))

/** A comparison, a question whether something is among others, a column that says whether somebody may; nothing in place of them is read of a row. */
function isYesOrNo(v: Value, depth = 0): boolean {
  if (depth > 8) return false
  switch (v.v) {
    case 'any':
      return v.of.some((x) => x.v !== 'unknown' && x.v !== 'const') && v.of.every((x) => x.v === 'unknown' || x.v === 'const' || isYesOrNo(x, depth + 1))
    case 'op':
      return BOOLEAN_OPERATOR.test(v.op) || ((v.op === '&&' || v.op === '||') && v.of.every((x) => isYesOrNo(x, depth + 1)))
    case 'call':
      return /^(?:includes|has|some|every|Boolean)$/.test(v.name)
    case 'row':
      return v.field !== undefined && says(SAYS_WHETHER, v.field)
    default:
      return false
  }
}

/** Operators whose outcome is yes or no. */
const BOOLEAN_OPERATOR = /^(?:!|[!=]==?|[<>]=?|in|includes|has|some|every)$/

/** Columns that say whether something is so. */
const SAYS_WHETHER = /^(?:is|has|can|may)_[a-z_]{1,40}$|^(?:allowed|permitted|granted)$/

/** Whether something of an effect is what is asked for, beside what filters compare with the caller. */
export function usesValue(e: Effect, predicate: (x: Value) => boolean, ties: Ties): boolean {
  return Object.values(e).some((x) => usesIn(x, predicate, ties))
}

/** The same of a part of an effect: a value, a list of them, a filter with its value. */
function usesIn(x: unknown, predicate: (x: Value) => boolean, ties: Ties): boolean {
  if (Array.isArray(x)) return x.some((i) => usesIn(i, predicate, ties))
  if (typeof x !== 'object' || x === null) return false
  if ('v' in x) return usesOpenly(x as Value, predicate, ties)
  return 'value' in x && 'column' in x ? usesIn((x as { value: unknown }).value, predicate, ties) : false
}

/** Whether a value has something in it that no filter compared with the caller: `rows.filter((r) => r.user_id === user.id)` leaves out what is not theirs. */
function usesOpenly(value: Value, predicate: (x: Value) => boolean, ties: Ties, depth = 0): boolean {
  if (predicate(value)) return true
  if (depth >= 8) return false
  const parts = value.v === 'any' ? value.of.filter((_, i) => !value.under?.[i]?.some((c) => ties.decides(c))) : partsOf(value)
  return parts.some((x) => usesOpenly(x, predicate, ties, depth + 1))
}
