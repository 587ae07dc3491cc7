import type { Val } from './abstract-value.ts'

/**
 * Both sides of a comparison with something of the caller's without the empty text that stands in for what is missing:
 * `(row.email || '') === (user.email || '')` asks whether the two are the same, and four cases say no more than one.
 */
export function withoutEmpty(a: Val, b: Val): readonly [Val, Val] {
  const x = filled(a) ?? a
  const y = filled(b) ?? b
  return isCallers(x) || isCallers(y) ? [x, y] : [a, b]
}

const isCallers = (value: Val): boolean => value.v === 'caller' && value.trust === 'verified' && value.field !== undefined

/** The value of `x || ''`. */
function filled(value: Val): Val | undefined {
  if (value.v !== 'any' || value.alts.length !== 2) return undefined
  const others = value.alts.filter(({ value: x }) => x.v !== 'const' || x.value !== '')
  return others.length === 1 ? others[0]?.value : undefined
}
