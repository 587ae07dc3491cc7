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

describe.each([1, 12, 50, 200])('with %i findings', (n) => {
  const findings = Array.from({ length: n }, (_, i) =>
    finding({
      fingerprint: i.toString(16).padStart(16, '0'),
      path: `supabase/migrations/2026010100000${i}_a_long_name_of_a_migration.sql`,
      subject: `policy public.some_table_${i} "Users can read what they wrote ${i}"`,
      message: `The policy lets every visitor read the rows of some_table_${i}. `.repeat(4),
      check: i % 2 ? 'rls/select-owner' : 'rls/enabled',
      severity: i % 3 ? 'High' : 'Critical',
      fix: { text: 'Bind the policy to the owner.', language: 'sql', code: `alter policy "x" on some_table_${i} using (user_id = auth.uid());\n`.repeat(6) },
    }),
  )
  const changed = report(findings, { gaps: [] })
  const body = renderComment(changed, audience({ checkRunUrl: 'https://github.com/octo/shop/runs/1', changedPaths: new Set(['app/a.ts']) })) ?? ''
  const shownFirst = Math.min(n, 3)

  test('fits, and no part is cut', () => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_000)
    expect(body.match(/<details(?: open)?>/g)?.length).toBe(body.match(/<\/details>/g)?.length)
  })

  test('says the verdict, then the first ones in full with their fixes', () => {
    const order = [
      'Do not merge yet',
      `### Start with ${['', 'this one', 'these two', 'these three'][shownFirst]}`,
      '**Fix:** Bind the policy',
      '<sub>Prelaunch audit of',
    ].map((p) => body.indexOf(p))
    expect(order.every((at) => at > 0)).toBe(true)
    expect(order.toSorted((a, b) => a - b)).toEqual(order)
    expect(body.match(/<details open>/g)).toHaveLength(shownFirst)
    expect(body.match(/An attacker gets /g)).toHaveLength(shownFirst)
  })

  test('then one line for each of the others, with a link to the full text', () => {
    const lines = body.split('\n').filter((l) => /^- (?:🔴|🟠) /.test(l))
    const counted = Number(/… and (\d+) more/.exec(body)?.[1] ?? 0)
    expect(lines.length + counted).toBe(n - shownFirst)
    expect(lines.every((l) => l.includes('](https://github.com/octo/shop/runs/1)'))).toBe(true)
    if (n <= 50) expect(counted).toBe(0)
  })

  test('keeps the explanations where tables have no room', () => {
    const left = /_Left out for size: ([^_]*)\. /.exec(body)?.[1] ?? ''
    expect(left).not.toMatch(/begin with|other introduced|verdict/)
    if (/prompt for all|migration/.test(left)) expect(left).toMatch(/the 25 checks/)
  })
})

describe('an older Critical problem', () => {
  const older = report([finding({ severity: 'Critical' })], { introduced: [] })
  test.each([true, false])('is never hidden behind “safe to merge” (private: %s)', (isPrivate) => {
    const at = audience({ private: isPrivate })
    for (const text of [renderComment(older, at) ?? '', renderCheckRun(older, at).summary, renderCheckRun(older, at).title]) {
      expect(text).not.toContain('Safe to merge')
      expect(text).toMatch(/1 older Critical/)
    }
    expect(renderCheckRun(older, at).conclusion).toBe('success')
  })

  test('that is the worst is needed: older High problems do not change the verdict', () => {
    expect(renderComment(report([finding({ severity: 'High' })], { introduced: [] }), audience())).toContain('Safe to merge')
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
  ])('stands in %s: a prompt for each finding, one for all, and the proved SQL as one migration, after what to begin with', (_name, render) => {
    const text = render([notes, rows])
    expect(text.match(/Prompt for your AI builder/g)).toHaveLength(2)
    const [first, all, migration] = ['### Start with these two', 'Fix all 2 at once', '2 database fixes as one migration'].map((part) => text.indexOf(part))
    expect([first, all, migration].every((at) => (at ?? -1) > 0)).toBe(true)
    expect((first ?? 0) < (all ?? 0) && (all ?? 0) < (migration ?? 0)).toBe(true)
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
