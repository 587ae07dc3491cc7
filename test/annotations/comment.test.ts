import { describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { COMMENT_MARKER, renderComment } from '../../src/annotations/comment.ts'
import { suggestionsFor } from '../../src/annotations/suggestions.ts'
import { migrationFor } from '../../src/report/migration.ts'
import { promptFor } from '../../src/report/prompt.ts'
import { audience, finding, report } from './sample-report.ts'

describe('the comment', () => {
  test('is two lines after the marker when all is well', () => {
    const lines = (renderComment(report([]), audience()) ?? '').split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(COMMENT_MARKER)
    expect(lines[1]).toContain('Safe to merge')
  })

  test.each([
    ['always', 0, true],
    ['always', 1, true],
    ['findings', 0, false],
    ['findings', 1, true],
    ['never', 1, false],
  ] as const)('with comment: %s and %i introduced findings is written: %s', (comment, n, written) => {
    const body = renderComment(report(n ? [finding()] : []), audience({ config: { failOn: 'critical', comment } }))
    expect(body !== undefined).toBe(written)
  })

  test('stays below GitHub’s limit with 500 long findings', () => {
    const findings = Array.from({ length: 500 }, (_, i) =>
      finding({ fingerprint: String(i), path: `${i}.sql`, message: 'm'.repeat(5000), fix: { text: 'f', code: 'c\n'.repeat(4000) } }),
    )
    const body = renderComment(report(findings), audience()) ?? ''
    expect(body.length).toBeLessThanOrEqual(65_536)
    expect(body).toContain('Do not merge yet')
  })
})

describe('what a reader copies', () => {
  const sql = (name: string, code: string, changes = {}) =>
    finding({
      fingerprint: name.padEnd(16, '0'),
      subject: `table public.${name}`,
      path: `${name}.sql`,
      fix: { text: 'Close it.', language: 'sql', code, proved: true },
      ...changes,
    })
  const notes = sql('notes', 'create policy "own" on public.notes using (true);')
  const rows = sql('rows', 'alter table public.rows enable row level security;')

  test.each([
    ['the comment', (list: Parameters<typeof report>[0]) => renderComment(report(list), audience()) ?? ''],
    ['the summary', (list: Parameters<typeof report>[0]) => renderCheckRun(report(list), audience()).summary],
  ])('stands in %s: a prompt for each finding, one for all, and the proved SQL as one migration, before the findings', (_name, render) => {
    const text = render([notes, rows])
    expect(text.match(/Prompt for your AI builder/g)).toHaveLength(2)
    const [all, migration, first] = ['Fix all 2 at once', '2 database fixes as one migration', '### 🔴 2 Critical: fix before merging'].map((part) =>
      text.indexOf(part),
    )
    expect([all, migration, first].every((at) => (at ?? -1) > 0)).toBe(true)
    expect((all ?? 0) < (migration ?? 0) && (migration ?? 0) < (first ?? 0)).toBe(true)
    expect(text).toContain('-- Row level security is off: table public.notes\n-- Close it.\ncreate policy "own" on public.notes using (true);\n\n-- Row')
    const single = render([notes])
    expect(single).not.toContain('at once')
    expect(single).not.toContain('as one migration')
    expect(single).toContain('<details open><summary>🔴 <b>')
  })

  test('the migration holds each fix once, none that was not proved, and none that would collide', () => {
    const collides = sql('other', 'create policy "own" on public.notes using (false);')
    const unproved = sql('guess', 'drop table x;', { fix: { text: 'f', language: 'sql', code: 'drop table x;' } })
    const migration = migrationFor([notes, { ...notes, fingerprint: 'again' }, rows, collides, unproved])
    expect(migration?.fixes.map((f) => f.subject)).toEqual(['table public.notes', 'table public.notes', 'table public.rows'])
    expect(migration?.left.map((f) => f.subject)).toEqual(['table public.other'])
    expect(migration?.sql.match(/create policy/g)).toHaveLength(1)
    expect(migration?.sql).not.toContain('drop table')
    expect(migrationFor([unproved])).toBeUndefined()
  })

  test('the prompt names the lines that an exact change replaces', () => {
    const exact = finding({ path: 'a.ts', fix: { text: 'Do.', code: 'x\ny', replaces: { path: 'a.ts', line: 3, endLine: 4 } } })
    expect(promptFor(exact)).toContain('Lines 3 to 4 become:\nx\ny')
    expect(promptFor(finding())).toContain('Put it into a new migration')
  })
})

describe('suggestions', () => {
  const fix = { text: 'Check the owner.', code: 'const a = 1', replaces: { path: 'app/a.ts', line: 4, endLine: 5 } }
  test('are made for lines that the diff shows', () => {
    const [suggestion] = suggestionsFor([finding({ fix })], new Map([['app/a.ts', new Set([3, 4, 5])]]))
    expect(suggestion).toMatchObject({ path: 'app/a.ts', startLine: 4, line: 5 })
    expect(suggestion?.body).toContain('```suggestion\nconst a = 1\n```')
  })
  test('are not made outside the diff, and two never overlap', () => {
    expect(suggestionsFor([finding({ fix })], new Map([['app/a.ts', new Set([4])]]))).toEqual([])
    expect(suggestionsFor([finding({ fix }), finding({ fix, fingerprint: 'other' })], new Map([['app/a.ts', new Set([4, 5])]]))).toHaveLength(1)
  })
})
