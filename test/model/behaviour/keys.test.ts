import { describe, expect, it } from 'vitest'
import { array, type Cond, constant, object, op, UNKNOWN, type Val } from '../../../src/model/behaviour/domain/abstract-value.ts'
import { forgetKeys, keyOf } from '../../../src/model/behaviour/domain/structural-hash.ts'

const body = (name?: string): Val => ({ v: 'request', part: 'body', ...(name ? { name } : {}) })
const caller = (step?: number, field?: string): Val => ({
  v: 'caller',
  how: 'getUser',
  trust: 'verified',
  ...(step === undefined ? {} : { step }),
  ...(field ? { field } : {}),
})
const at = (line: number) => ({ path: 'a.ts', line })
const kept = (test: Val, negated: boolean): Cond => ({ test, negated, at: at(1), otherwise: { ends: false } })

/** Values of which each is another one; made anew by each call. */
const different = (): Val[] => [
  constant('1'),
  constant(1),
  constant(null),
  constant(undefined),
  constant(''),
  body(),
  body('id'),
  { v: 'request', part: 'query', name: 'id' },
  caller(),
  caller(0),
  caller(undefined, 'id'),
  { v: 'env', name: 'id' },
  { v: 'row', table: 't', step: 0 },
  { v: 'row', table: 't', step: 0, many: true },
  { v: 'row', table: 't', step: 1 },
  { v: 'row', table: 't', step: 0, field: 'id' },
  { v: 'result', step: 0 },
  { v: 'error', of: 0 },
  { v: 'event', processor: 'stripe', verified: true },
  { v: 'event', processor: 'stripe', verified: true, field: 'type' },
  object({}),
  object({ a: body() }),
  object({ b: body() }),
  object({}, body()),
  object({ a: body() }, body()),
  array([]),
  array([body()]),
  array([body(), body()]),
  array([], body()),
  { v: 'array', items: [], kept: [kept(body(), false)] },
  { v: 'array', items: [], kept: [kept(body(), true)] },
  { v: 'text', parts: [body(), body()] },
  op('===', body(), body()),
  op('!==', body(), body()),
  op('===', body(), body('id')),
  { v: 'call', name: 'f', args: [body()] },
  { v: 'call', name: 'f', args: [], at: at(1) },
  { v: 'call', name: 'f', args: [], at: at(2) },
  { v: 'call', name: 'f', args: [body()], at: at(1) },
  { v: 'response', how: 'json' },
  { v: 'response', how: 'json', status: 401 },
  { v: 'response', how: 'json', body: body() },
  { v: 'response', how: 'next', arrives: true },
  { v: 'lib', pkg: 'a', name: 'b' },
  { v: 'lib', pkg: 'b', name: 'a' },
  { v: 'global', name: 'a' },
  { v: 'namespace', path: 'a' },
  { v: 'client', client: { library: 'supabase', rights: 'service', at: at(1) } },
  { v: 'client', client: { library: 'supabase', rights: 'anon', at: at(1) } },
  { v: 'client', client: { library: 'supabase', rights: 'anon', at: at(2) } },
  { v: 'chain', root: body(), links: [{ name: 'a' }], at: at(1) },
  { v: 'chain', root: body(), links: [{ name: 'a', args: [] }], at: at(1) },
  { v: 'chain', root: body(), links: [{ name: 'a', args: [body()] }], at: at(1) },
  { v: 'chain', root: body(), links: [{ name: 'a' }, { name: 'a' }], at: at(1) },
  { v: 'any', choice: 1, alts: [{ i: 0, value: body(), under: [] }] },
  { v: 'any', choice: 2, alts: [{ i: 0, value: body(), under: [] }] },
  { v: 'any', choice: 1, alts: [{ i: 1, value: body(), under: [] }] },
]

describe('keys of values', () => {
  it('are equal for values made alike and differ for all others', () => {
    forgetKeys()
    const keys = different().map((v) => keyOf(v))
    expect(new Set(keys).size).toBe(keys.length)
    expect(different().map((v) => keyOf(v))).toEqual(keys)
    // one level further in, too
    const within = different().map((v) => keyOf(op('!', v)))
    expect(new Set([...keys, ...within]).size).toBe(2 * keys.length)
    expect(different().map((v) => keyOf(op('!', v)))).toEqual(within)
  })

  it('tell apart what may differ from one evaluation to the next', () => {
    forgetKeys()
    const unknown = (): Val => ({ v: 'unknown' })
    expect(keyOf(unknown())).not.toBe(keyOf(unknown()))
    expect(keyOf(UNKNOWN)).toBe(keyOf(UNKNOWN))
    const caught = (): Val => ({ v: 'error', of: -1 })
    expect(keyOf(caught())).not.toBe(keyOf(caught()))
  })

  it('are of one run, also where a value keeps its own', () => {
    forgetKeys()
    const value = op('!', body('id'))
    const before = keyOf(value)
    forgetKeys()
    const other = keyOf(op('!', body('name')))
    expect(keyOf(value)).not.toBe(other)
    expect(keyOf(value)).not.toBe(before)
  })

  it('know what lies deep inside of a value by its identity', () => {
    forgetKeys()
    const deep = (levels: number, of: Val): Val => (levels ? op('!', deep(levels - 1, of)) : of)
    expect(keyOf(deep(5, body()))).toBe(keyOf(deep(5, body())))
    expect(keyOf(deep(6, body()))).not.toBe(keyOf(deep(6, body())))
    const same = body()
    expect(keyOf(deep(6, same))).toBe(keyOf(deep(6, same)))
  })
})
