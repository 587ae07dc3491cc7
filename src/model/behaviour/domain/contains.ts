import type { Value } from '../types.ts'

/** What the call is named that stands for a schema taking a value, and for one turning it down: its form is right or wrong, whoever's it is. */
export const ACCEPTED = 'schema accepts'
export const REJECTED = 'schema rejects'

/**
 * Stands in a disjunction for the way on which the handler of a `try` has answered the request and goes on all the same, after a
 * query failed: what is read there reaches nobody any more. Its parts are what the request chose in the queries of the `try`.
 */
export const ANSWERED = 'answered before'

/** The values directly inside a value. */
export function partsOf(value: Value): readonly Value[] {
  switch (value.v) {
    case 'object':
      return value.rest ? [...Object.values(value.props), value.rest] : Object.values(value.props)
    case 'array':
      return value.items
    case 'text':
      return value.parts
    case 'op':
    case 'any':
      return value.of
    case 'call':
      return value.args
    case 'env':
      return value.fallback ? [value.fallback] : []
    case 'response':
      return value.body ? [value.body] : []
    default:
      return []
  }
}

/** True when the value, or something that it is made of, satisfies the predicate. */
export function mentions(value: Value, predicate: (value: Value) => boolean, depth = 0): boolean {
  if (predicate(value)) return true
  if (depth >= 8) return false
  // asked of most values of an application: without a list of an object's values
  if (value.v === 'object') {
    for (const name in value.props) if (mentions(value.props[name] as Value, predicate, depth + 1)) return true
    return value.rest !== undefined && mentions(value.rest, predicate, depth + 1)
  }
  for (const part of partsOf(value)) if (mentions(part, predicate, depth + 1)) return true
  return false
}

/** Whether two values are made the same way of the same things, wherever each of them is written. */
export function isAlike(a: Value, b: Value, depth = 0): boolean {
  if (a === b) return true
  if (a.v !== b.v || depth > 8) return false
  if (a.v === 'const') return b.v === 'const' && a.value === b.value
  if (a.v === 'request') return b.v === 'request' && a.part === b.part && a.name === b.name
  if (a.v === 'caller') return b.v === 'caller' && a.field === b.field
  if (a.v === 'row') return b.v === 'row' && a.step === b.step && a.field === b.field
  if (a.v === 'call' ? b.v !== 'call' || a.name !== b.name : a.v !== 'text' && a.v !== 'array' && a.v !== 'any') return false
  const [x, y] = [partsOf(a), partsOf(b)]
  return x.length === y.length && x.every((part, i) => isAlike(part, y[i] as Value, depth + 1))
}

/** Whether a value is a comparison for equality of something that is `one` with something that is `other`. */
export const compares = (x: Value, one: (v: Value) => boolean, other: (v: Value) => boolean): boolean =>
  x.v === 'op' && /^[!=]==?$/.test(x.op) && x.of.some((side) => mentions(side, one)) && x.of.some((side) => mentions(side, other))
