import { describe, expect, test } from 'vitest'
import { isDatabaseResult, readAnswer } from '../../../src/database/answer/believed.ts'

const RESULT = {
  catalog: {
    tables: [],
    policies: [],
    views: [],
    functions: [],
    buckets: [{ name: 'a', public: true, at: { path: 'a.sql', line: 1 } }],
    enums: [],
    triggers: [],
    speaksOfStorage: false,
  },
  access: { objects: [] },
  gaps: [],
  statements: { total: 0, applied: 0, explained: 0 },
}
const message = (result: unknown) => ({ type: 'result', result })
const refused = (value: unknown) => {
  const read = readAnswer(value)
  return 'refused' in read ? read.refused : undefined
}
const nested = (depth: number): unknown => (depth ? [nested(depth - 1)] : 0)

describe('messages of the sandbox', () => {
  test('of every kind are read', () => {
    for (const answer of [
      { type: 'at', label: 'catalog' },
      { type: 'waiting' },
      { type: 'died', because: 'x' },
      { type: 'template', base64: 'AAAA' },
      { type: 'replayed', result: RESULT },
      { type: 'result', result: { ...RESULT, outcomes: [{ file: 0, line: 1, endLine: 2, outcome: 'applied' }] }, halfApplied: true },
    ])
      expect(readAnswer(answer)).toEqual({ answer })
  })

  // made in the test: the runner prints what it is given, without end where that has none
  test.each<[string, () => unknown, string]>([
    ['is no object', () => 'result', 'the message is not what a result has there'],
    ['of no known kind', () => ({ type: 'exit' }), 'type is not what a result has there'],
    ['with a key too many', () => ({ type: 'at', label: 'x', more: 1 }), 'more is not what a result has there'],
    [
      'with an unknown outcome',
      () => message({ ...RESULT, outcomes: [{ file: 0, line: 1, endLine: 1, outcome: 'fine' }] }),
      'result.outcomes.0.outcome is not what a result has there',
    ],
    [
      'with half a line',
      () => message({ ...RESULT, gaps: [{ path: 'a', line: 1.5, because: '', touches: [] }] }),
      'result.gaps.0.line is not what a result has there',
    ],
    ['with a name without end', () => message({ ...RESULT, order: ['x'.repeat(30_000)] }), 'result.order.0 is not what a result has there'],
    ['with a list without end', () => message({ ...RESULT, order: Array(300_000).fill('x') }), 'result.order is not what a result has there'],
    ['nested without end', () => message(nested(5000)), 'it is nested too deeply'],
    ['with a key of a prototype', () => JSON.parse('{"type":"at","label":"x","__proto__":{"a":1}}'), 'it holds an object that JSON has not'],
    ['with a prototype', () => Object.create({ type: 'waiting' }), 'it holds an object that JSON has not'],
    ['with a method on a list', () => message({ ...RESULT, gaps: Object.assign([], { map: 'x' }) }), 'it holds an object that JSON has not'],
    ['with a hole in a list', () => message({ ...RESULT, gaps: Array(3) }), 'it holds an object that JSON has not'],
    ['with a map', () => message(new Map()), 'it holds an object that JSON has not'],
    [
      'with a number that is none',
      () => message({ ...RESULT, statements: { total: Number.NaN, applied: 0, explained: 0 } }),
      'it holds a number that JSON has not',
    ],
    ['with a function', () => message({ ...RESULT, order: [() => 'x'] }), 'it holds a value that JSON has not'],
    [
      'with a property that computes',
      () => Object.defineProperty({ type: 'at' }, 'label', { enumerable: true, get: () => 'x' }),
      'it holds an object that JSON has not',
    ],
    ['with a template that is none', () => ({ type: 'template', base64: [1] }), 'base64 is not what a result has there'],
  ])('%s: refused', (_, value, why) => {
    expect(refused(value())).toBe(why)
  })

  test('what a cache gives has the shape of a result, or is none', () => {
    expect(isDatabaseResult(RESULT)).toBe(true)
    expect(isDatabaseResult(undefined)).toBe(false)
    expect(isDatabaseResult({ ...RESULT, outcomes: [] })).toBe(false)
    expect(isDatabaseResult({ ...RESULT, catalog: { ...RESULT.catalog, tables: [{}] } })).toBe(false)
  })
})
