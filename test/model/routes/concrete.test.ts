import { describe, expect, test } from 'vitest'
import type { Value } from '../../../src/model/behaviour/types.ts'
import { imagine, imagineConditions } from '../../../src/model/routes/request/partial-evaluation.ts'

const pathname: Value = { v: 'request', part: 'url', name: 'pathname' }
const text = (value: string): Value => ({ v: 'const', value })
const op = (name: string, ...of: Value[]): Value => ({ v: 'op', op: name, of })
const request = { path: '/dashboard/x1', method: 'GET' }

describe('imagined requests', () => {
  test.each<[string, Value, unknown]>([
    ['a prefix', op('startsWith', pathname, text('/dashboard')), true],
    ['another prefix', op('startsWith', pathname, text('/admin')), false],
    [
      'a list of prefixes',
      op('some', { v: 'array', items: [text('/a'), text('/dash')] }, op('startsWith', pathname, { v: 'any', of: [text('/a'), text('/dash')] })),
      true,
    ],
    ['a list without it', op('some', { v: 'array', items: [text('/a')] }, op('startsWith', pathname, { v: 'any', of: [text('/a')] })), false],
    ['an expression', op('matches', pathname, { v: 'call', name: 'regex:/^\\/dashboard\\/\\w+$/', args: [] }), true],
    ['the method', op('===', { v: 'call', name: 'request.method', args: [] }, text('POST')), false],
    [
      'a path without its locale',
      op('===', { v: 'call', name: 'replace', args: [pathname, { v: 'call', name: 'regex:/x1$/', args: [] }, text('')] }, text('/dashboard/')),
      true,
    ],
  ])('%s', (_, value, expected) => {
    expect(imagine(value, request)).toEqual({ v: 'const', value: expected })
  })

  test('conditions that the request decides are dropped, and impossible paths are none', () => {
    const at = { path: 'middleware.ts', line: 1 }
    const caller: Value = { v: 'caller', how: 'getUser', trust: 'verified' }
    const onArea = (prefix: string): Value => op('||', op('!', op('startsWith', pathname, text(prefix))), caller)
    const condition = (test: Value, negated = false) => ({ test, negated, at, otherwise: { ends: true } })
    expect(imagineConditions([condition(onArea('/dashboard'))], request)?.map((c) => c.test)).toEqual([caller])
    expect(imagineConditions([condition(onArea('/admin'))], request)).toEqual([])
    expect(imagineConditions([condition(op('startsWith', pathname, text('/admin')))], request)).toBeUndefined()
  })
})
