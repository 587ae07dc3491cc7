import type { Cond } from '../domain/abstract-value.ts'
import { keyOfCond } from '../domain/structural-hash.ts'
import type { Otherwise } from '../types.ts'
import { hasCondition, includesCond } from './conditions.ts'

/** One of the answers that a branch may end with, and what it is given under. */
interface WayToEnd {
  readonly under: readonly Cond[]
  readonly how: Otherwise
}

/** Endings that hand on one of several answers: `if (!access.ok) return access.response`. */
const waysToEnd = new WeakMap<Otherwise, readonly WayToEnd[]>()

/** An ending that hands on one of several answers; the first of them stands for all where it is not known which it is. */
export function endingWithAny(ways: readonly WayToEnd[]): Otherwise | undefined {
  const [first] = ways
  if (!first || ways.every((w) => w.how.status === first.how.status && w.how.how === first.how.how)) return first?.how
  const ending = { ...first.how }
  waysToEnd.set(ending, ways)
  return ending
}

/**
 * How a branch ends where a condition does not hold, of several that had to: with the answer that the helper gave for that. Where none says so itself, it is
 * the one that was given after the most of the others had turned out as they had to.
 */
export function endingWithout(cond: Cond, conds: readonly Cond[], ending: Otherwise): Otherwise {
  const ways = waysToEnd.get(ending)
  if (!ways) return ending
  const exactly = ways.find((w) => hasCondition(keyOfCond(cond), !cond.negated, w.under))
  if (exactly) return exactly.how
  const passed = ways.map(({ how, under }) => ({ how, count: conds.filter((c) => includesCond(under, c)).length }))
  return passed.reduce((a, b) => (b.count > a.count ? b : a)).how
}
