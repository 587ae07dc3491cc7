import { describe, expect, test } from 'vitest'
import { toAnnotations } from '../../src/annotations/annotations.ts'
import { MAX_OUTPUT_BYTES, renderCheckRun } from '../../src/annotations/check-run.ts'
import { audience, finding, report } from './sample-report.ts'

const many = (n: number, changes = {}) =>
  Array.from({ length: n }, (_, i) =>
    finding({ fingerprint: i.toString(16).padStart(16, '0'), path: `supabase/migrations/${i}.sql`, subject: `table public.t${i}`, ...changes }),
  )

describe('the conclusion', () => {
  test.each([
    ['critical', 'Critical', 'failure'],
    ['critical', 'High', 'success'],
    ['high', 'High', 'failure'],
    ['high', 'Medium', 'success'],
    ['medium', 'Medium', 'failure'],
    ['never', 'Critical', 'success'],
  ] as const)('with fail_on %s and an introduced %s finding is %s', (failOn, severity, conclusion) => {
    const output = renderCheckRun(report([finding({ severity })]), audience({ config: { failOn, comment: 'always' } }))
    expect(output.conclusion).toBe(conclusion)
  })

  test('of existing findings alone is success', () => {
    expect(renderCheckRun(report([finding()], { introduced: [] }), audience()).conclusion).toBe('success')
  })

  test('of an audit that did not see the whole tree is failure', () => {
    const sample = report([])
    expect(renderCheckRun({ ...sample, audit: { ...sample.audit, complete: false } }, audience())).toMatchObject({
      conclusion: 'failure',
      title: 'The audit is not complete',
    })
  })
})

describe('annotations', () => {
  test('come Critical first, one for each place, with the level of the worst', () => {
    const output = renderCheckRun(
      report([
        finding({ fingerprint: '1', severity: 'Medium', check: 'env/committed' }),
        finding({ fingerprint: '2', severity: 'High', path: 'b.sql' }),
        finding({ fingerprint: '3' }),
      ]),
      audience(),
    )
    expect(output.annotations.map((a) => [a.path, a.annotation_level])).toEqual([
      ['supabase/migrations/001.sql', 'failure'],
      ['b.sql', 'warning'],
    ])
    expect(output.annotations[0]?.title).toBe('Critical: Row level security is off (and 1 more here)')
    expect(output.annotations[0]?.message).toContain('What an attacker does: Anybody reads every message')
  })

  test('stop at 200, and the text lists the rest', () => {
    const output = renderCheckRun(report(many(260)), audience())
    expect(output.annotations).toHaveLength(200)
    expect(output.text).toContain('table public.t249')
    expect(toAnnotations(many(260)).left).toBe(60)
  })

  test('keep within GitHub’s limits for hostile sizes', () => {
    const [annotation] = toAnnotations([
      finding({ message: 'x'.repeat(10_000_000), title: 'y'.repeat(1000), attack: '\u{1F600}'.repeat(500_000), endLine: 100_000 }),
    ]).annotations
    expect(Buffer.byteLength(annotation?.message ?? '')).toBeLessThanOrEqual(65_536)
    expect(annotation?.title.length).toBeLessThanOrEqual(255)
    expect((annotation?.end_line ?? 0) - (annotation?.start_line ?? 0)).toBeLessThan(20)
  })
})

describe('the summary', () => {
  test('begins with the verdict, then what was introduced, its attack and its fix', () => {
    const { summary } = renderCheckRun(report([finding()]), audience())
    const positions = [
      'Do not merge yet',
      '## Introduced',
      '**What an attacker does:**',
      'alter table public.messages enable row level security;',
      '## The 25 checks',
    ].map((part) => summary.indexOf(part))
    expect(positions.every((p) => p >= 0)).toBe(true)
    expect([...positions].sort((a, b) => a - b)).toEqual(positions)
  })

  test.each([1, 50, 400, 3000])('with %i findings of long texts fits, keeps the verdict and the 25 checks, and cuts no table', (n) => {
    const { summary, text } = renderCheckRun(
      report(many(n, { message: `long ${'text '.repeat(200)}`, fix: { text: 'do', code: 'code\n'.repeat(300) } })),
      audience(),
    )
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(MAX_OUTPUT_BYTES)
    expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(MAX_OUTPUT_BYTES)
    expect(summary.startsWith('❌ **Do not merge yet.**')).toBe(true)
    expect(summary.split('\n').filter((l) => /^\| \d+ \|/.test(l))).toHaveLength(25)
    expect(summary.match(/<details(?: open)?>/g)?.length ?? 0).toBe(summary.match(/<\/details>/g)?.length ?? 0)
  })

  test('of a public repository counts existing findings and describes none of them', () => {
    const sample = report([finding({ fingerprint: 'aaaa' }), finding({ fingerprint: 'bbbb', subject: 'table public.hidden', path: 'hidden.sql' })], {
      introduced: ['aaaa'],
    })
    const open = renderCheckRun(sample, audience({ private: false }))
    expect(JSON.stringify(open)).not.toContain('hidden')
    expect(open.summary).toContain('1 problem already existed and does not block: `rls/enabled` 1')
    expect(JSON.stringify(renderCheckRun(sample, audience({ private: true })))).toContain('table public.hidden')
    expect(JSON.stringify(renderCheckRun(sample, audience({ private: false, config: { failOn: 'critical', comment: 'always', publish: 'all' } })))).toContain(
      'table public.hidden',
    )
  })

  test('shows one policy that fails three checks once', () => {
    const policy = { subject: 'policy public.notes "all"', path: 'p.sql', line: 9, cause: 'c'.repeat(16) }
    const sample = report([
      finding({ ...policy, fingerprint: '1', check: 'rls/select-owner', alsoFails: [3, 4] }),
      finding({ ...policy, fingerprint: '2', check: 'rls/insert-owner', alsoFails: [2, 4] }),
      finding({ ...policy, fingerprint: '3', check: 'rls/write-owner', alsoFails: [2, 3] }),
    ])
    const { summary, title, annotations } = renderCheckRun(sample, audience())
    expect(title).toMatch(/^1 Critical problem introduced/)
    expect(summary.match(/^### /gm)).toHaveLength(1)
    expect(annotations).toHaveLength(1)
  })

  test('shows the access matrix of the objects that the findings speak of, and no other', () => {
    const cell = { role: 'anon' as const, command: 'select' as const, row: 'other' as const, result: 'allowed' as const }
    const sample = report([finding()], {
      access: [
        { kind: 'table', object: 'public.messages', rls: false, cells: [cell] },
        { kind: 'table', object: 'public.messages_archive', rls: true, cells: [cell] },
      ],
    })
    const { summary } = renderCheckRun(sample, audience())
    expect(summary).toContain('| `public.messages` (table) | **off** | select | nothing | nothing |')
    expect(summary).not.toContain('messages_archive')
  })
})
