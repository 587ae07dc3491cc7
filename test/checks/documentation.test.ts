import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHECKS } from '../../src/checks/index.ts'
import { caseFilesOf, ONLY_CASE, ONLY_CHECK, pageOf, testDocumentedCases } from '../support/documentation-tests.ts'

const HEADINGS = ['What it finds', 'Why it matters', 'Bad', 'Fixed', 'Near miss', 'How to fix', 'Limits']

describe('every check', () => {
  test.each(CHECKS.filter((c) => !ONLY_CHECK || c.id === ONLY_CHECK).map((c) => [c.id, c] as const))(
    '%s has a page with its headings in order',
    (_id, check) => {
      expect(existsSync(pageOf(check))).toBe(true)
      const headings = [...readFileSync(pageOf(check), 'utf8').matchAll(/^## (.+)$/gm)].map((m) => m[1])
      expect(headings.filter((h) => HEADINGS.includes(h as string))).toEqual(HEADINGS)
    },
  )

  test.each(CHECKS.map((c) => [c.id, c] as const))('%s closes every block before the next heading', (_id, check) => {
    const open = caseFilesOf(check)
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .reduce<{ block: boolean; headings: string[] }>(
        ({ block, headings }, line) => ({
          block: line.startsWith('```') ? !block : block,
          headings: block && (line.startsWith('### ') || /^## [A-Z]/.test(line)) ? [...headings, line] : headings,
        }),
        { block: false, headings: [] },
      )
    expect(open).toEqual({ block: false, headings: [] })
  })

  test('has a page that can be read at one go: further cases stand beside the tests, and each of their files belongs to a check', () => {
    for (const check of CHECKS) expect(readFileSync(pageOf(check), 'utf8').split('\n').length, check.id).toBeLessThan(1000)
    const known = new Set(CHECKS.flatMap((c) => caseFilesOf(c).map((file) => file.pathname)))
    const folder = new URL('./cases/', import.meta.url)
    expect(globSync('**/*.md', { cwd: folder }).filter((path) => !known.has(new URL(path, folder).pathname))).toEqual([])
  })

  test('belongs to a folder whose cases are run: one file for each, so that they run side by side', () => {
    const folders = new Set(CHECKS.map((c) => c.id.split('/')[0]))
    const files = readdirSync(new URL('./documentation', import.meta.url)).map((f) => /^([a-z]+)(?:\.(\d)of(\d))?\.test\.ts$/.exec(f))
    expect(new Set(files.map((f) => f?.[1]))).toEqual(folders)
    for (const folder of folders) {
      const parts = files.filter((f) => f?.[1] === folder)
      expect(parts.map((f) => f?.[2] ?? '1').sort()).toEqual(Array.from({ length: Number(parts[0]?.[3] ?? 1) }, (_, i) => `${i + 1}`))
    }
  })
})

// Chosen cases run from here too: `CHECK=rls/enabled vitest run test/checks/documentation.test.ts`.
if (ONLY_CHECK || ONLY_CASE) testDocumentedCases('')
