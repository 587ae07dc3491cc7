import { describe, expect, it } from 'vitest'
import { parseBaseline, withBaseline, writeBaseline } from '../../src/report/baseline.ts'
import { auditFiles } from '../support/audit-files.ts'

const open = (name: string) => `create table public.${name} (id uuid primary key, user_id uuid references auth.users, body text);\n`
const report = await auditFiles({ 'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}', 'supabase/migrations/1.sql': open('notes') })
const prints = report.checks.flatMap((c) => c.findings.map((f) => f.fingerprint))
const baseline = parseBaseline(writeBaseline(report)) ?? { version: 1, findings: [] }

describe('a baseline', () => {
  it('of a report accepts all of its findings', () => {
    expect(prints.length).toBeGreaterThan(1)
    const { report: judged, gone } = withBaseline(report, baseline)
    expect([judged.comparison?.introduced, judged.comparison?.existing, gone]).toEqual([[], prints, 0])
    expect(new Set(judged.checks.flatMap((c) => c.findings.map((f) => f.state)))).toEqual(new Set(['existing']))
  })

  it('leaves introduced what it does not hold, and counts what is gone', () => {
    const [first, ...others] = baseline.findings
    const stranger = { ...(first as (typeof baseline.findings)[0]), fingerprint: '0123456789abcdef' }
    const { report: judged, gone } = withBaseline(report, { version: 1, findings: [...others, stranger] })
    expect([judged.comparison?.introduced, gone]).toEqual([[first?.fingerprint], 1])
  })

  it('does not accept what is more severe now', () => {
    const milder = baseline.findings.map((f) => ({ ...f, severity: 'Medium' as const }))
    const worse = report.checks.flatMap((c) => c.findings.filter((f) => f.severity !== 'Medium').map((f) => f.fingerprint))
    expect(worse.length).toBeGreaterThan(0)
    expect(withBaseline(report, { version: 1, findings: milder }).report.comparison?.introduced).toEqual(worse)
  })

  it('never makes a finding of before the change new', () => {
    const compared = { ...report, comparison: { introduced: prints.slice(0, 1), existing: prints.slice(1), fixed: [], unreadable: [] } }
    expect(withBaseline(compared, { version: 1, findings: [] }).report.comparison).toEqual(compared.comparison)
  })

  it('is written in one order', () => {
    const shuffled = { checks: report.checks.toReversed() }
    expect(writeBaseline(shuffled)).toBe(writeBaseline(report))
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"version":2,"findings":[]}',
    '{"version":1,"findings":[{"fingerprint":"x"}]}',
    `{"version":1,"findings":[],"x":"${'x'.repeat(5 << 20)}"}`,
  ])('is not %.40s', (text) => {
    expect(parseBaseline(text)).toBeUndefined()
  })
})
