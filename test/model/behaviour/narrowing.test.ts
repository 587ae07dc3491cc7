import { describe, expect, test } from 'vitest'
import { allowedOf, alternativesOf, EVERYTHING, isAmong, joinNarrowings, narrowTo, UNNARROWED } from '../../../src/model/behaviour/domain/narrowing.ts'

const only = (...numbers: number[]) => alternativesOf(numbers.map((i) => ({ i })))

describe('narrowing', () => {
  test('what was narrowed last counts, and other choices stay open', () => {
    const first = narrowTo(UNNARROWED, 7, only(0, 1))
    const then = narrowTo(narrowTo(first, 9, only(2)), 7, only(1))
    expect([0, 1, 2].map((i) => isAmong(allowedOf(then, 7), i))).toEqual([false, true, false])
    expect(isAmong(allowedOf(first, 7), 0)).toBe(true)
    expect(allowedOf(then, 39)).toBe(EVERYTHING) // shares its bit with 7
    expect(allowedOf(then, 8)).toBe(EVERYTHING)
  })

  test('where paths meet, each may have been taken', () => {
    const base = narrowTo(UNNARROWED, 1, only(0, 1, 2))
    const left = narrowTo(narrowTo(base, 2, only(0)), 1, only(0))
    const right = narrowTo(narrowTo(base, 1, only(2)), 2, only(1))
    const joined = joinNarrowings([left, right])
    expect(allowedOf(joined, 1)).toBe(only(0, 2))
    expect(allowedOf(joined, 2)).toBe(only(0, 1))
  })

  test('what one of the paths left open is open', () => {
    const base = narrowTo(UNNARROWED, 1, only(0, 1))
    expect(joinNarrowings([narrowTo(base, 2, only(0)), narrowTo(base, 3, only(0))])).toSatisfy(
      (n: typeof base) => allowedOf(n, 2) === EVERYTHING && allowedOf(n, 3) === EVERYTHING && allowedOf(n, 1) === only(0, 1),
    )
    expect(joinNarrowings([narrowTo(base, 1, only(0)), base])).toBe(base)
  })
})
