import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { javascript } from '../../../src/facts/extractors/javascript/javascript.ts'
import type { FunctionIR, Stmt } from '../../../src/facts/javascript.ts'
import { expressions } from '../../../src/model/frameworks/walk.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const extract = (text: string, path: string) => javascript.extract(text, path)

/** Every so-manieth of what the glob finds, in order of their paths. */
const every = (step: number, glob: string): readonly string[] =>
  globSync(glob, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .filter((_, i) => i % step === 0)

describe('declarations are passed over', () => {
  const files = every(23, 'node_modules/**/*.d.{ts,mts,cts}').filter((path) => read(path).length < 400_000)

  test('there are enough of them, of many authors', () => {
    expect(files.length).toBeGreaterThan(60)
    expect(new Set(files.map((path) => path.split('/')[1])).size).toBeGreaterThan(15)
  })

  test('and the parser finds nothing in them that anybody runs', () => {
    for (const path of files) {
      const { facts, problems } = extract(read(path), path.replace(/\.d\.([cm]?)ts$/, '.$1ts'))
      expect(problems, path).toEqual([])
      expect(facts.functions, path).toHaveLength(1)
      expect((facts.functions[0] as FunctionIR).body.filter(doesSomething), path).toEqual([])
      expect(extract(read(path), path).facts, path).toMatchObject({ imports: [], exports: [], functions: [{ id: 0, body: [] }] })
    }
  })

  test('what looks like one and runs would be seen by the comparison', () => {
    for (const text of ['fetch("/x")', 'export const a = load()', 'export function f() { return 1 }', 'class A { b = c() }', 'x.y = z']) {
      const { functions } = extract(text, 'a.ts').facts
      expect(functions.length > 1 || (functions[0] as FunctionIR).body.some(doesSomething), text).toBe(true)
    }
  })
})

describe('what bundlers write is passed over', () => {
  const line = 'function load(id) { return fetch("/api/" + id).then((r) => r.json()) }'
  const persons = Array.from({ length: 400 }, (_, i) => line.replace('load', `load${i}`)).join('\n')

  test('and nothing that people wrote here', () => {
    const ours = every(1, '{src,bench,scripts}/**/*.ts').filter((path) => /^(?:export )?(?:async )?function\b/m.test(read(path)))
    expect(ours.length).toBeGreaterThan(500)
    expect(ours.filter((path) => extract(read(path), path).facts.functions.length === 1)).toEqual([])
  })

  test('a long file with one embedded image is a person’s', () => {
    expect(extract(`${persons}\nconst logo = "${'A'.repeat(60_000)}"`, 'a.js').facts.functions).toHaveLength(801)
  })

  test('the same code in few long lines is a bundle', () => {
    expect(extract(persons.replaceAll('\n', ';'), 'a.js').facts.functions).toHaveLength(1)
    expect(extract(persons, 'vendor.min.js').facts.functions).toHaveLength(1)
  })
})

/** More than a name that is declared or handed on; a namespace is an empty object. */
function doesSomething(s: Stmt): boolean {
  if (s.k === 'expr') return s.expr.k !== 'id' && s.expr.k !== 'mem'
  return [...expressions({ id: 0, params: [], body: [s], l: 1, e: 1 })].some((e) => !['id', 'mem', 'lit'].includes(e.k) && !(e.k === 'obj' && !e.props.length))
}
