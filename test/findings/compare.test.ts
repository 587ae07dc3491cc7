import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/checks/define-check.ts'
import { failed, type Issue } from '../../src/checks/outcome.ts'
import { collectFindings } from '../../src/findings/collect.ts'
import { compareWithBase } from '../../src/findings/compare.ts'
import { fingerprint } from '../../src/findings/fingerprint.ts'
import { followRenames } from '../../src/findings/renames.ts'
import { finding } from '../support/findings.ts'

describe('fingerprint', () => {
  test('depends on check, subject, discriminator and workspace, and on nothing else', () => {
    const base = { subject: 'table public.todos' }
    expect(fingerprint('rls/enabled', base)).toMatch(/^[0-9a-f]{16}$/)
    expect(fingerprint('rls/enabled', { ...base, message: 'other words', at: { path: 'x', line: 9 } } as never)).toBe(fingerprint('rls/enabled', base))
    const all = [
      fingerprint('rls/enabled', base),
      fingerprint('rls/storage', base),
      fingerprint('rls/enabled', { ...base, discriminator: 'select' }),
      fingerprint('rls/enabled', { ...base, workspace: 'apps/web' }),
    ]
    expect(new Set(all).size).toBe(4)
  })
})

describe('compareWithBase', () => {
  const a = finding({ subject: 'table public.a' })
  const b = finding({ subject: 'table public.b' })
  const c = finding({ subject: 'table public.c', at: { path: 'gone.sql', line: 1 } })

  test('tells introduced, existing and fixed apart, also when lines move', () => {
    const moved = { ...a, at: { path: 'supabase/migrations/2.sql', line: 77 } }
    const result = compareWithBase([a, b], [moved, c], () => true)
    expect(result).toEqual({ introduced: [c], existing: [moved], fixed: [b], unreadable: [] })
  })

  test('a finding whose file cannot be read any more is not fixed', () => {
    expect(compareWithBase([c], [], (f) => f.at.path !== 'gone.sql')).toEqual({ introduced: [], existing: [], fixed: [], unreadable: [c] })
  })

  test('a finding that became more severe is introduced', () => {
    const before = { ...a, severity: 'Medium' as const }
    expect(compareWithBase([before], [a], () => true).introduced).toEqual([a])
    expect(compareWithBase([a], [before], () => true).introduced).toEqual([])
  })
})

describe('collectFindings', () => {
  test('two issues with one identity are one finding; the more severe speaks', () => {
    const issue = (severity: Issue['severity'], line: number): Issue => ({
      subject: 'file a.ts',
      severity,
      message: `line ${line}`,
      attack: 'x',
      fix: { text: 'y' },
      at: { path: 'a.ts', line },
      proof: 'inferred',
    })
    const check = { number: 25, id: 'code/hardcoded' } as Check
    const found = collectFindings({ check, outcome: failed([issue('Medium', 3), issue('Critical', 9)]) })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      severity: 'Critical',
      at: { path: 'a.ts', line: 9 },
      related: [{ path: 'a.ts', line: 3, subject: 'file a.ts', what: 'the same defect' }],
    })
  })
})

describe('followRenames', () => {
  const snapshot = (files: Record<string, string>) => ({
    commit: 'x',
    complete: true,
    blobs: Object.entries(files).map(([path, sha]) => ({ path, sha, size: 1, mode: 'file' as const })),
  })

  test('a moved file takes its findings along', () => {
    const follow = followRenames(snapshot({ 'a.ts': '1', 'b.ts': '2' }), snapshot({ 'lib/a.ts': '1', 'b.ts': '2' }))
    const before = finding({ check: 'code/hardcoded', subject: 'file a.ts', at: { path: 'a.ts', line: 4 } })
    const after = finding({ check: 'code/hardcoded', subject: 'file lib/a.ts', at: { path: 'lib/a.ts', line: 4 }, message: before.message })
    expect(follow([before])).toEqual([after])
  })

  test('a copy is no move, and two candidates are none', () => {
    const before = finding({ check: 'code/hardcoded', subject: 'file a.ts', at: { path: 'a.ts', line: 4 } })
    expect(followRenames(snapshot({ 'a.ts': '1' }), snapshot({ 'a.ts': '1', 'b.ts': '1' }))([before])).toEqual([before])
    expect(followRenames(snapshot({ 'a.ts': '1' }), snapshot({ 'b.ts': '1', 'c.ts': '1' }))([before])).toEqual([before])
  })
})
