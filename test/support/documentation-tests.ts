import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/checks/define-check.ts'
import { CHECKS } from '../../src/checks/index.ts'
import type { Report, ReportFinding } from '../../src/report/report.ts'
import { applyFix } from './apply-fix.ts'
import { auditFiles } from './audit-files.ts'
import { type DocumentationCase, documentationCases } from './documentation-cases.ts'
import { MemorySource } from './memory-source.ts'

/** CHECK=rls/enabled runs one page, CASE=text the cases whose title holds the text. */
export const ONLY_CHECK = process.env['CHECK']
export const ONLY_CASE = process.env['CASE']

/** The page of a check, where it must be. */
export function pageOf(check: Pick<Check, 'id'>): URL {
  return new URL(`../../src/checks/${check.id}.md`, import.meta.url)
}

/** The files with cases of a check: its page, and what stands beside the tests (`cases/<id>.md`, or by topic in `cases/<id>/`). */
export function caseFilesOf(check: Pick<Check, 'id'>): URL[] {
  const folder = new URL('../checks/cases/', import.meta.url)
  return [
    pageOf(check),
    ...globSync([`${check.id}.md`, `${check.id}/*.md`], { cwd: folder })
      .sort()
      .map((path) => new URL(path, folder)),
  ]
}

/** One test for each case of the pages whose check id begins with `folder` (`rls/`; all when empty), or for every second, third, … of them: files run side by side. */
export function testDocumentedCases(folder: string, share: { readonly part: number; readonly of: number } = { part: 1, of: 1 }): void {
  const checks = CHECKS.filter((c) => c.id.startsWith(folder) && (!ONLY_CHECK || c.id === ONLY_CHECK) && existsSync(pageOf(c)))
  for (const check of checks) {
    describe(`documentation of ${check.number} ${check.id}`, () => {
      const cases = caseFilesOf(check)
        .flatMap((file) => documentationCases(readFileSync(file, 'utf8')).map((c) => ({ ...c, name: `${c.title} (${basename(file.pathname)}:${c.line})` })))
        .filter((c, i) => (!ONLY_CASE || c.title.includes(ONLY_CASE)) && i % share.of === share.part - 1)
      test.each(cases.map((c) => [c.name, c] as const))('%s', (_name, c) => testCase(check, c))
    })
  }
  // Vitest takes a file without tests for a mistake; CHECK may have chosen another folder.
  if (!checks.length) test.skip('chosen by CHECK: nothing here', () => {})
}

async function testCase(check: Pick<Check, 'id'>, c: DocumentationCase): Promise<void> {
  const report = await auditCase(c, c.files)
  const result = report.checks.find((r) => r.id === check.id)
  const found = (result?.findings ?? []).map((f) => `${f.severity} ${f.subject} @ ${f.path}:${f.line}`)
  expect(found.sort(), JSON.stringify({ status: result?.status, because: result?.because, gaps: report.gaps }, null, 1)).toEqual([...c.expected].sort())
  if (c.status) expect(result?.status).toBe(c.status)
  for (const f of result?.findings ?? []) if (f.fix.replaces) await testExactFix(c, report, f)
}

/** A suggestion that does not take its finding away, or brings a worse one, must not be made. */
async function testExactFix(c: DocumentationCase, before: Report, finding: ReportFinding): Promise<void> {
  const path = finding.fix.replaces?.path ?? ''
  const repaired = await auditCase(c, { ...c.files, [path]: applyFix(c.files[path] ?? '', finding.fix) })
  const after = repaired.checks.flatMap((r) => r.findings.map((f) => f.fingerprint))
  expect(after, `after the suggestion for ${finding.subject}:\n${finding.fix.code}`).not.toContain(finding.fingerprint)
  expect(repaired.summary.critical).toBeLessThanOrEqual(before.summary.critical)
}

function auditCase(c: DocumentationCase, files: DocumentationCase['files']): Promise<Report> {
  const history = [
    { name: 'earlier', files: c.earlier ?? {} },
    { name: 'head', files },
  ]
  return auditFiles(
    files,
    {},
    {
      ...(c.earlier || c.authors ? { source: new MemorySource(history, c.authors) } : {}),
      ...(c.advisories ? { advisories: async () => ({ source: 'github', advisories: c.advisories ?? [] }) } : {}),
      ...(c.hosted ? { hosted: async () => c.hosted } : {}),
    },
  )
}
