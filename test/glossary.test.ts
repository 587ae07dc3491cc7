import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { layerTypes } from '../scripts/structure/layer-types.ts'
import { type CountedWords, pathsWithRiddles } from '../scripts/structure/measure.ts'
import { parseSource, readSourceFiles } from '../scripts/structure/source-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const glossary = readFileSync(new URL('../docs/glossary.md', import.meta.url), 'utf8')
const words = JSON.parse(readFileSync(new URL('../scripts/structure.json', import.meta.url), 'utf8')) as CountedWords
const files = readSourceFiles(root)

/** First cells of the tables below a heading, with a sentence in the second one. */
const explained = (heading: string): string[] => {
  const section = glossary.split(/^## /m).find((s) => s.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| `?([^|`]+)`? \| [^|]{12,}\. \|$/gm)].map((m) => m[1] as string)
}

const folders = readdirSync(new URL('../src', import.meta.url), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .sort()

describe('docs/glossary.md', () => {
  it('explains every folder below src, and no other', () => expect(explained('Folders').sort()).toEqual(folders))

  it('explains every type that one layer takes from another, and no other', () =>
    expect(explained('Types that cross a layer').sort()).toEqual([...new Set(layerTypes(files).map((t) => t.name))].sort()))

  it.each(['principal', 'resource', 'source', 'sink', 'sanitizer', 'taint', 'path condition', 'disjunct', 'guard', 'capability', 'tenant'])(
    'says what a %s is',
    (word) => expect(explained('Words')).toContain(word),
  )

  it('lists its words, folders and types in order', () => {
    for (const heading of ['Words', 'Folders', 'Types that cross a layer']) {
      const names = explained(heading)
      expect(names).toEqual([...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
    }
  })
})

describe('names of files', () => {
  it('hold no riddle as a whole word', () => expect(pathsWithRiddles(files, words)).toEqual([]))
})

describe('layerTypes', () => {
  const typesOf = (sources: Record<string, string>) => layerTypes(Object.entries(sources).map(([path, text]) => parseSource(path, text)))

  it('follows re-exports to the declaration', () =>
    expect(
      typesOf({
        'src/a/type.ts': 'export interface T { x: 1 }',
        'src/a/index.ts': "export { type T as U } from './type.ts'",
        'src/b/use.ts': "import type { U } from '../a/index.ts'",
      }),
    ).toEqual([{ name: 'T', path: 'src/a/type.ts' }]))

  it('leaves out values, entries and the own layer', () =>
    expect(
      typesOf({
        'src/a/type.ts': 'export interface T { x: 1 }\nexport const v = 1',
        'src/a/own.ts': "import type { T } from './type.ts'",
        'src/b/use.ts': "import { v } from '../a/type.ts'\nimport type { M } from '../main.ts'",
        'src/main.ts': 'export type M = 1',
      }),
    ).toEqual([]))
})
