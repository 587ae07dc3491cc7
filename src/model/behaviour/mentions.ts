import type { Value } from './behaviour.ts'

/** What the call is named that stands for a schema taking a value, and for one turning it down: its form is right or wrong, whoever's it is. */
export const ACCEPTED = 'schema accepts'
export const REJECTED = 'schema rejects'

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
  return predicate(value) || (depth < 8 && partsOf(value).some((p) => mentions(p, predicate, depth + 1)))
}
