import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHECKS } from '../../src/checks/index.ts'
import { auditFiles } from '../support/audit-files.ts'
import { documentationCases } from '../support/documentation-cases.ts'
import { MemorySource } from '../support/memory-source.ts'

const HEADINGS = ['What it finds', 'Why it matters', 'Bad', 'Fixed', 'Near miss', 'How to fix', 'Limits']
/** CHECK=rls/enabled runs one page, CASE=text the cases whose title holds the text. */
const only = process.env.CHECK
const onlyCase = process.env.CASE

for (const check of CHECKS.filter((c) => !only || c.id === only)) {
  const page = new URL(`../../src/checks/${check.id}.md`, import.meta.url)
  describe(`documentation of ${check.number} ${check.id}`, () => {
    test('the page exists and has its headings in order', () => {
      expect(existsSync(page)).toBe(true)
      const headings = [...readFileSync(page, 'utf8').matchAll(/^## (.+)$/gm)].map((m) => m[1])
      expect(headings.filter((h) => HEADINGS.includes(h as string))).toEqual(HEADINGS)
    })
    if (!existsSync(page)) return
    for (const c of documentationCases(readFileSync(page, 'utf8')).filter((c) => !onlyCase || c.title.includes(onlyCase))) {
      test(`${c.title} (line ${c.line})`, async () => {
        const report = await auditFiles(
          c.files,
          {},
          {
            ...(c.earlier || c.authors
              ? {
                  source: new MemorySource(
                    [
                      { name: 'earlier', files: c.earlier ?? {} },
                      { name: 'head', files: c.files },
                    ],
                    c.authors,
                  ),
                }
              : {}),
            ...(c.advisories ? { advisories: async () => ({ source: 'github', advisories: c.advisories ?? [] }) } : {}),
            ...(c.hosted ? { hosted: async () => c.hosted } : {}),
          },
        )
        const result = report.checks.find((r) => r.id === check.id)
        const found = (result?.findings ?? []).map((f) => `${f.severity} ${f.subject} @ ${f.path}:${f.line}`)
        expect(found.sort(), JSON.stringify({ status: result?.status, because: result?.because, gaps: report.gaps }, null, 1)).toEqual([...c.expected].sort())
        if (c.status) expect(result?.status).toBe(c.status)
      })
    }
  })
}
