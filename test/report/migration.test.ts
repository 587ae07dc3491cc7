import { expect, test } from 'vitest'
import { splitStatements } from '../../src/database/sandbox/statements/split-statements.ts'
import { migrationFor } from '../../src/report/migration.ts'
import type { ReportFinding } from '../../src/report/report.ts'
import { HOSTILE, reportFinding } from '../support/sample-report.ts'

const fix = (i: number, changes: Partial<ReportFinding> = {}, code = `create policy "p${i}" on public.t${i}\n  for select using (owner = auth.uid());`) =>
  reportFinding({
    subject: `table public.t${i}`,
    fingerprint: String(i).padStart(16, '0'),
    fix: { text: `Let owners see t${i}. Pages for guests stop working.`, language: 'sql', code, proved: true },
    ...changes,
  })

test.each([900, 2000, 20_000])('in %i characters every statement is whole, the worst first, and what is missing is told', (budget) => {
  const list = Array.from({ length: 60 }, (_, i) => fix(i, { severity: i < 30 ? 'High' : 'Critical' }))
  const migration = migrationFor(list, budget)
  if (!migration) throw new Error('not one fix fits')
  expect(migration.sql.length).toBeLessThanOrEqual(budget)
  const policies = [...migration.sql.matchAll(/^create policy "p(\d+)" on public\.t\1\n {2}for select using \(owner = auth\.uid\(\)\);$/gm)].map((m) =>
    Number(m[1]),
  )
  expect(policies).toEqual([...list.slice(30), ...list.slice(0, 30)].slice(0, migration.fixes.length).map((f) => Number(/\d+/.exec(f.subject)?.[0])))
  expect(migration.fixes.length + migration.tooLong.length).toBe(60)
  const note = `-- Left out: ${migration.tooLong.length} fixes for which there was no room. Each is shown at its finding.`
  expect(migration.sql.includes(note)).toBe(migration.tooLong.length > 0)
})

test('every part keeps what to know before it is run, for each finding that it closes', () => {
  const shared = 'alter table public.t1 enable row level security;'
  const migration = migrationFor([
    fix(1, { assumes: 'the table is exposed' }, shared),
    fix(2, { title: 'Rows can be deleted' }, shared),
    fix(3, {}, 'drop policy "x" on public.t3'),
  ])
  expect(migration?.sql).toBe(
    [
      '-- RLS is off: table public.t1',
      '-- Rows can be deleted: table public.t2',
      '-- Let owners see t1. Pages for guests stop working.',
      '-- Assumes: the table is exposed',
      '-- Let owners see t2. Pages for guests stop working.',
      shared,
      '',
      '-- RLS is off: table public.t3',
      '-- Let owners see t3. Pages for guests stop working.',
      'drop policy "x" on public.t3',
      ';',
    ].join('\n'),
  )
})

test('what would collide is left out and told', () => {
  const policy = (using: string) => `create policy "own" on public.a using (${using});`
  const migration = migrationFor([fix(1, {}, policy('true')), fix(2, {}, policy('false'))])
  expect(migration?.left.map((f) => f.subject)).toEqual(['table public.t2'])
  expect(migration?.sql).toContain('-- Left out: 1 fix that would collide with one of these. Audit again after applying them, or see its finding.')
})

test('names of the repository never leave their comment', async () => {
  const hostile = `${HOSTILE}\n; drop table public.users; --\u2028drop schema public;`
  const migration = migrationFor([
    fix(1, { title: hostile, subject: hostile, assumes: hostile, fix: { text: hostile, language: 'sql', code: 'select 1', proved: true } }),
  ])
  const { statements } = await splitStatements(migration?.sql ?? '')
  expect(statements.map((s) => s.text.replace(/^\s*--.*\n/gm, '').trim())).toEqual(['select 1'])
})
