import { describe, expect, it } from 'vitest'
import { measure } from '../../scripts/structure/measure.ts'
import { parseSource } from '../../scripts/structure/source-files.ts'
import { findWordLists, ownUnions } from '../../scripts/structure/word-lists.ts'

const WORDS = { riddles: ['told'], vocabulary: ['admin', 'owner', 'staff'] }

const measured = (files: Record<string, string>) =>
  measure(
    Object.entries(files).map(([path, text]) => parseSource(path, text)),
    WORDS,
  )

const listsIn = (text: string) => {
  const file = parseSource('src/a.ts', text)
  return findWordLists(file, ownUnions(file)).map((l) => `${l.form}: ${l.words.join(' ')}`)
}

describe('word lists', () => {
  it.each([
    ['const A = /^(?:admin|owner|staff)_\\w+/', 'expression: admin owner staff'],
    ["const A = new Set(['admin', 'owner', 'staff'])", 'array: admin owner staff'],
    ['const A = { admin: true, owner: true, staff: true }', 'keys: admin owner staff'],
    ["switch (x) { case 'admin': case 'owner': case 'staff': break }", 'switch: admin owner staff'],
    ["if (x === 'admin' || (x === 'owner' || x === 'staff')) f()", 'comparisons: admin owner staff'],
    ["const A = new RegExp('admin|owner|staff')", 'text: admin owner staff'],
    ["const A = 'admin owner staff'.split(' ')", 'text: admin owner staff'],
    ["const A = ['user_id', 'ownerKey']", 'array: user owner key'],
  ])('%s', (text, list) => expect(listsIn(text)).toEqual([list]))

  it.each([
    ['const A = /admin|owner/'],
    ["const A = ['admin', 'owner']"],
    ['const A = { admin: 1, owner: true, staff: true }'],
    ["if (x === 'admin' || y === 'owner' || z === 'staff') f()"],
    ["type Role = 'admin' | 'owner' | 'staff'\nconst ROLES: Role[] = ['admin', 'owner', 'staff']"],
    ["const A = 'Every admin, owner or staff may do this.'"],
  ])('none: %s', (text) => expect(listsIn(text)).toEqual([]))
})

describe('figures', () => {
  it('counts an import of a type as part of a cycle', () => {
    const files = {
      'src/a.ts': "import type { B } from './b.ts'\nexport type A = B",
      'src/b.ts': "export type B = import('./a.ts').A",
      'src/c.ts': "import './a.ts'",
    }
    expect(measured(files)['files in import cycles, types included']?.items).toEqual(['1 src/a.ts', '1 src/b.ts'])
  })

  it('names functions that two files define, and not those that one passes on', () => {
    const files = {
      'src/a.ts': 'export function f() {}',
      'src/b.ts': 'export const f = () => 1',
      'src/c.ts': "export { f } from './a.ts'",
      'src/d.ts': 'function f() {}',
    }
    expect(measured(files)['exported functions with a namesake']?.items).toEqual(['f: src/a.ts, src/b.ts'])
  })

  it('names constants with two meanings, and not those with one', () => {
    const files = { 'src/a.ts': 'const ROLE = /x/\nconst SAME = /y/\nconst MAX = 1', 'src/b.ts': 'const ROLE = /z/\nconst SAME = /y/\nconst MAX = 2' }
    expect(measured(files)['constants of one name with two meanings']?.items).toEqual(['ROLE: src/a.ts, src/b.ts'])
  })

  it('counts riddles as whole words of a file name', () => {
    expect(measured({ 'src/told-code.ts': '', 'src/untold.ts': '' })['file names with riddles']?.items).toEqual(['src/told-code.ts'])
  })

  it('counts long functions and long lists of parameters in checks alone', () => {
    const text = `export function f(a, b, c, d, e) {${'\n'.repeat(60)}}`
    const figures = measured({ 'src/checks/api/a.ts': text, 'src/model/a.ts': text })
    expect(figures['functions over 60 lines in checks']?.items).toEqual(['src/checks/api/a.ts:1 61'])
    expect(figures['functions over 4 parameters in checks']?.items).toEqual(['src/checks/api/a.ts:1 5'])
  })

  it('leaves the lexicon out and lists of other words aside', () => {
    const files = {
      'src/lexicon/a.ts': 'const A = /admin|owner|staff/',
      'src/a.ts': 'const B = /admins|owners|other/',
      'src/b.ts': 'const C = /one|two|three/',
    }
    const figures = measured(files)
    expect(figures['vocabulary lists outside the lexicon']?.value).toBe(1)
    expect(figures['word lists outside the lexicon']?.value).toBe(2)
  })

  it('counts the files of each folder by itself', () => {
    const files = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`src/x/f${i}.ts`, '']))
    expect(measured({ ...files, 'src/x/y/a.ts': '' })['folders with more than 25 files']?.items).toEqual(['src/x 26'])
  })
})
