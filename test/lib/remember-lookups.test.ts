import { expect, test } from 'vitest'
import { rememberLookups } from '../../src/lib/memo/memoize-lookups.ts'

/** A function of a handler that looks into files, and how often it ran. */
function counted() {
  let runs = 0
  const ask = rememberLookups((handler: { readonly file: string }, around: { readonly code: (path: string) => object | undefined }, mode: string) => {
    runs++
    const own = around.code(handler.file)
    return { mode, found: own ? [own, around.code('helper.ts')] : [] }
  })
  return { ask, runs: () => runs }
}

const FILES = { 'a.ts': { text: 'a' }, 'helper.ts': { text: 'h' }, 'other.ts': { text: 'o' } }
const over = (files: Readonly<Record<string, object>>) => ({ code: (path: string) => files[path] })

test('the same answer while everything that was looked up is the same, whatever else changed', () => {
  const { ask, runs } = counted()
  const handler = { file: 'a.ts' }
  const first = ask(handler, over(FILES), 'strict')
  expect(ask(handler, over({ ...FILES, 'other.ts': { text: 'changed' } }), 'strict')).toBe(first)
  expect(runs()).toBe(1)
})

test('anew when something that was looked up is another, appears or goes', () => {
  const { ask, runs } = counted()
  const handler = { file: 'a.ts' }
  ask(handler, over(FILES), 'strict')
  const changed = { text: 'changed' }
  expect(ask(handler, over({ ...FILES, 'helper.ts': changed }), 'strict').found).toEqual([FILES['a.ts'], changed])
  expect(ask(handler, over({}), 'strict').found).toEqual([])
  expect(ask(handler, over(FILES), 'strict').found).toEqual([FILES['a.ts'], FILES['helper.ts']])
  expect(runs()).toBe(4)
})

test('anew on other ground, and for each object apart', () => {
  const { ask, runs } = counted()
  const handler = { file: 'a.ts' }
  ask(handler, over(FILES), 'strict')
  expect(ask(handler, over(FILES), 'loose').mode).toBe('loose')
  ask({ file: 'a.ts' }, over(FILES), 'loose')
  expect(runs()).toBe(3)
})
