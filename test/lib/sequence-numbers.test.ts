import { describe, expect, it } from 'vitest'
import { SequenceNumbers } from '../../src/lib/sequence-numbers.ts'

function numberOf(of: SequenceNumbers, ...values: readonly number[]): number {
  const start = of.open()
  for (const v of values) of.put(v)
  return of.close(start)
}

describe('numbers of sequences', () => {
  it('are equal for equal sequences and for no others, also for many more than there was room for', () => {
    const numbers = new SequenceNumbers()
    const byText = new Map<string, number>()
    let state = 1
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 16) % 7
    }
    for (let i = 0; i < 30_000; i++) {
      const sequence = Array.from({ length: next() + next() }, () => next() - 3)
      const number = numberOf(numbers, ...sequence)
      const text = sequence.join()
      expect(byText.get(text) ?? number).toBe(number)
      byText.set(text, number)
    }
    expect(byText.size).toBeGreaterThan(5_000)
    expect(new Set(byText.values()).size).toBe(byText.size)
  })

  it('may be made inside of a sequence that is open, however long', () => {
    const numbers = new SequenceNumbers()
    const inner = () => numberOf(numbers, ...Array.from({ length: 1_000 }, (_, i) => i))
    const outer = () => {
      const start = numbers.open()
      numbers.put(1)
      numbers.put(inner())
      numbers.put(2)
      return numbers.close(start)
    }
    const first = outer()
    expect(outer()).toBe(first)
    expect(numberOf(numbers, 1, inner(), 2)).toBe(first)
    expect(numberOf(numbers, 1, inner(), 3)).not.toBe(first)
  })

  it('know texts by their own numbers, an empty one as nothing', () => {
    const numbers = new SequenceNumbers()
    const named = (name: string | undefined) => {
      const start = numbers.open()
      numbers.putName(name)
      return numbers.close(start)
    }
    expect(named('a')).toBe(named('a'))
    expect(named('a')).not.toBe(named('b'))
    expect(named('')).toBe(named(undefined))
    expect(named('__proto__')).not.toBe(named('constructor'))
  })

  it('are other ones after everything was forgotten, and none that stands for nothing else', () => {
    const numbers = new SequenceNumbers()
    const before = [numberOf(numbers, 1), numberOf(numbers, 2), numbers.fresh()]
    numbers.forget()
    const after = [numberOf(numbers, 2), numberOf(numbers, 1), numbers.fresh(), numberOf(numbers, 3)]
    expect(new Set([...before, ...after]).size).toBe(7)
    expect(numberOf(numbers, 1)).toBe(after[1])
  })
})
