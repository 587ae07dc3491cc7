import { expect, test } from 'vitest'
import type { JavaScriptFacts } from '../../../src/facts/javascript.ts'
import { createStarExports } from '../../../src/model/modules/star-exports.ts'
import { facts } from '../../facts/javascript/lowered.ts'

function starExports(files: Record<string, string>) {
  const js = new Map<string, JavaScriptFacts>(Object.entries(files).map(([path, text]) => [path, facts(text, path)]))
  return createStarExports(js, (_, specifier) => (js.has(`${specifier.slice(2)}.ts`) ? `${specifier.slice(2)}.ts` : undefined))
}

test('every file behind a barrel that exports the name, in the order of the barrels', () => {
  const find = starExports({
    'index.ts': "export * from './ui'\nexport * from './b'\n",
    'ui.ts': "export * from './a'\nexport const own = 1\n",
    'a.ts': 'export const x = 1\nexport default function main() {}\n',
    'b.ts': 'const y = 2\nexport { y as x }\n',
  })
  expect(find('index.ts', 'x')).toEqual(['a.ts', 'b.ts'])
  expect(find('index.ts', 'own')).toEqual(['ui.ts'])
  expect(find('index.ts', 'default')).toEqual([])
  expect(find('gone.ts', 'x')).toEqual([])
})

test('barrels that lead to each other end, and what a module exports as an object is read by name', () => {
  const find = starExports({ 'a.ts': "export * from './b'\n", 'b.ts': "export * from './a'\nexport * from './c'\n", 'c.ts': 'export default { save: 1 }\n' })
  expect(find('a.ts', 'save')).toEqual(['c.ts'])
})
