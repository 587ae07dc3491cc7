import { describe, expect, test } from 'vitest'
import type { Condition, Step, Value } from '../../../src/model/behaviour/types.ts'
import { namesIn, provesSignature, reaches, truthFor } from '../../../src/model/payments/conditions.ts'

const type: Value = { v: 'event', processor: 'stripe', verified: true, field: 'type' }
const is = (name: string): Value => ({ v: 'op', op: '===', of: [type, { v: 'const', value: name }] })
const op = (name: string, ...of: Value[]): Value => ({ v: 'op', op: name, of })
const listed = (...names: string[]): Value => ({
  v: 'call',
  name: 'includes',
  args: [{ v: 'array', items: names.map((value) => ({ v: 'const', value })) }, type],
})
const at = { path: 'a.ts', line: 1 }
const when = (test: Value, negated = false): Condition => ({ test, negated, at, otherwise: { ends: false } })
const step = (...under: Condition[]): Step => ({ effect: { kind: 'log', name: 'x', args: [] }, at, via: [], under })
const FAILED = 'invoice.payment_failed'

describe('which events reach a step', () => {
  test('equality, lists, prefixes and their combinations', () => {
    expect(truthFor(is(FAILED), FAILED)).toBe(true)
    expect(truthFor(is('charge.succeeded'), FAILED)).toBe(false)
    expect(truthFor(op('!', is('charge.succeeded')), FAILED)).toBe(true)
    expect(truthFor(op('||', is('charge.succeeded'), is(FAILED)), FAILED)).toBe(true)
    expect(truthFor(op('&&', is(FAILED), { v: 'unknown' }), FAILED)).toBe(undefined)
    expect(truthFor(op('&&', is('a'), { v: 'unknown' }), FAILED)).toBe(false)
    expect(truthFor(listed('a', FAILED), FAILED)).toBe(true)
    expect(truthFor(listed('a'), FAILED)).toBe(false)
    expect(truthFor({ v: 'call', name: 'startsWith', args: [type, { v: 'const', value: 'invoice.' }] }, FAILED)).toBe(true)
  })

  test('a default branch is possible, but names nothing', () => {
    expect(reaches(step(when(is('a'), true), when(is('b'), true)), FAILED)).toEqual({ possible: true, named: false })
    expect(reaches(step(when(is(FAILED))), FAILED)).toEqual({ possible: true, named: true })
    expect(reaches(step(when(listed('a')), when(is(FAILED))), FAILED)).toEqual({ possible: false, named: false })
    expect(reaches(step(), FAILED)).toEqual({ possible: true, named: false })
  })

  test('a field that is no kind of event names nothing', () => {
    expect([...namesIn(op('===', { v: 'event', processor: 'stripe', verified: true, field: 'data.object.mode' }, { v: 'const', value: 'payment' }))]).toEqual(
      [],
    )
    expect([...namesIn(op('&&', is('a'), listed('b', 'c')))]).toEqual(['a', 'b', 'c'])
  })
})

describe('what proves the signature', () => {
  const event: Value = { v: 'event', processor: 'stripe', verified: true }
  const header: Value = { v: 'request', part: 'header', name: 'x-signature' }
  const mac: Value = {
    v: 'call',
    name: 'hmac',
    args: [
      { v: 'env', name: 'S' },
      { v: 'request', part: 'raw-body' },
    ],
  }
  const proved = (...under: Condition[]) => provesSignature(under, []).proved

  test('a verified event, or a MAC that matches', () => {
    expect(proved(when(event))).toBe(true)
    expect(proved(when(op('===', mac, header)))).toBe(true)
    expect(proved(when(op('!==', mac, header), true))).toBe(true)
    expect(proved(when(op('&&', header, op('===', mac, header))))).toBe(true)
  })

  test('not the opposite, not one branch of two, not the mere presence of a header', () => {
    expect(proved(when(op('!==', mac, header)))).toBe(false)
    expect(proved(when(op('||', event, op('!', { v: 'env', name: 'SECRET' }))))).toBe(false)
    expect(proved(when(header))).toBe(false)
    expect(proved(when({ v: 'event', processor: 'stripe', verified: false }))).toBe(false)
    expect(proved(when({ v: 'any', of: [event, { v: 'request', part: 'body' }] }))).toBe(false)
  })

  test('a call that sounds like a verification and could not be followed decides nothing', () => {
    const call: Value = { v: 'call', name: 'verifyWebhook', args: [] }
    expect(provesSignature([when(call)], [])).toEqual({ proved: false, maybe: { name: 'verifyWebhook', at } })
    expect(provesSignature([when(call, true)], [])).toEqual({ proved: false })
  })
})
