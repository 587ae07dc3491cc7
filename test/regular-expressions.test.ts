import { globSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { safeRegExp } from '../src/model/frameworks/path-pattern.ts'
import { regularExpressions, superLinear } from './support/regular-expressions.ts'

const { found, unread } = regularExpressions('src/**/*.ts')

/** Calls whose text comes from elsewhere, and why that is in order. */
const FROM_ELSEWHERE = new Map([
  ['src/facts/secrets/detect.ts', 'built from the formats when the module is loaded: held below'],
  ['src/lib/rewrite.ts', 'a checked expression with other flags'],
  ['src/model/frameworks/path-pattern.ts', 'patterns of the repository: short, few repetitions, tried on short paths only'],
])

describe('regular expressions of the sources', () => {
  test('are found', () => {
    expect(found.length).toBeGreaterThan(1500)
  })

  test('take time in proportion to the text, whatever it holds', () => {
    expect(found.flatMap((r) => superLinear(r).map((why) => `${r.at} ${why}: ${r.source}`))).toEqual([])
  })

  test('whose text is not written in the call are known', () => {
    expect(unread.filter((at) => !FROM_ELSEWHERE.has(at.replace(/:\d+$/, '')))).toEqual([])
  })

  test('such as these would be noticed', () => {
    for (const [source, flags] of [
      ['^(a+)+$', ''],
      ['(\\w|\\d)*x', ''],
      ['\\s+$', ''],
      ['^.*a.*b$', ''],
    ] as const)
      expect(superLinear({ source, flags }), source).not.toEqual([])
  })
})

describe('regular expressions that are put together when a module is loaded', () => {
  const made: RegExp[] = []
  const Real = globalThis.RegExp
  beforeAll(() => {
    globalThis.RegExp = new Proxy(Real, {
      construct(target, args: [string, string?]) {
        const expression = new target(...args)
        // Libraries make their own; what is asked for is in the frame that called this one.
        if (/\/src\//.test(new Error().stack?.split('\n')[2] ?? '')) made.push(expression)
        return expression
      },
    })
  })
  afterAll(() => {
    globalThis.RegExp = Real
  })

  test('take time in proportion to the text too', async () => {
    const modules = [...new Set(globSync('src/{facts,model,checks,lib}/**/*.ts'))]
    for (const path of modules) await import(`../${path}`)
    globalThis.RegExp = Real
    expect(made.length).toBeGreaterThan(5)
    expect([...new Set(made.flatMap((r) => superLinear(r).map((why) => `${why}: ${r.source}`)))]).toEqual([])
  })
})

describe('a regular expression of a repository', () => {
  test('is tried only when it cannot take long on a short path', () => {
    const path = `/${'a'.repeat(159)}`
    for (const source of ['^(a+)+$', '(a|a)*b', '^/(a*)*b$', '.*.*.*.*.*.*b', '(?:(?:a{1,9}){1,9}){1,9}b']) {
      const expression = safeRegExp(source)
      const begin = performance.now()
      expression?.test(path)
      expect(performance.now() - begin, source).toBeLessThan(2000)
    }
    expect(safeRegExp('^/(?!api|_next/static|.*\\.png$).*')?.test('/dashboard')).toBe(true)
  })
})
