import { describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { renderComment } from '../../src/annotations/comment.ts'
import { renderSarif } from '../../src/annotations/sarif.ts'
import { compareFindings } from '../../src/findings/order.ts'
import { byImportance, countWithPlaces, itemsOf, membersOf, reportItems } from '../../src/report/items.ts'
import { migrationFor } from '../../src/report/migration.ts'
import { promptForAll } from '../../src/report/prompt.ts'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { SEE_MORE } from '../../src/report/see-more.ts'
import { audience, finding, report } from '../annotations/sample-report.ts'
import { assertReport } from '../support/report-schema.ts'

const id = (n: number) => n.toString(16).padStart(16, '0')
const FIX = {
  text: 'Bind the policy to the owner.',
  language: 'sql',
  code: 'alter policy "all" on public.notes using (user_id = auth.uid());',
  proved: true,
} as const
const policy = { subject: 'policy public.notes "all"', path: 'supabase/migrations/1.sql', line: 9, endLine: 9, cause: id(100), fix: FIX }
const verb = (n: number, method: string) =>
  finding({
    fingerprint: id(n),
    check: 'api/auth',
    subject: `route ${method} /api/items`,
    title: 'Nobody checks who calls',
    message: `${method} /api/items asks nobody.`,
    path: 'app/api/items/route.ts',
    line: n,
    endLine: n,
    cause: id(101),
    proof: 'inferred',
    aliases: ['CWE-306'],
    fix: { text: 'Ask who calls.', code: `const user = await currentUser() // ${method}` },
  })

const FINDINGS = [
  finding({ ...policy, fingerprint: id(1), check: 'rls/select-owner', title: 'Everybody can read notes', alsoFails: [3, 4] }),
  finding({ ...policy, fingerprint: id(2), check: 'rls/insert-owner', title: 'Rows in notes can be forged', severity: 'Medium', alsoFails: [2, 4] }),
  finding({ ...policy, fingerprint: id(3), check: 'rls/write-owner', title: 'Anyone can change notes', alsoFails: [2, 3] }),
  verb(10, 'GET'),
  verb(20, 'PUT'),
  verb(30, 'DELETE'),
  finding({ fingerprint: id(40), check: 'auth/session-refresh', severity: 'Medium', title: 'Sessions end', subject: 'app ', cause: id(102), path: 'proxy.ts' }),
]
const SAMPLE = report(FINDINGS)
const TITLES = ['Anyone can change notes', 'Nobody checks who calls', 'Sessions end']

/** How often a text has another in it. */
const times = (text: string, part: string): number => text.split(part).length - 1

describe('items', () => {
  test('are one for each cause: the worst speaks, the others are named with headline or place', () => {
    const [first, second, third] = itemsOf(FINDINGS)
    expect([first?.title, second?.title, third?.title]).toEqual(TITLES)
    expect(first?.message).toMatch(/The same fix also closes: Everybody can read notes; Rows in notes can be forged\.$/)
    expect(first?.alsoFails).toEqual([2, 3, 4])
    expect(first?.fix).toEqual(FIX)
    expect(second?.related.map((r) => `${r.path}:${r.line} ${r.subject}`)).toEqual([
      'app/api/items/route.ts:20 route PUT /api/items',
      'app/api/items/route.ts:30 route DELETE /api/items',
    ])
    expect(
      membersOf(itemsOf(FINDINGS))
        .map((f) => f.fingerprint)
        .sort(),
    ).toEqual(FINDINGS.map((f) => f.fingerprint).sort())
  })

  test('are no fewer than findings where reports name no cause', () => {
    expect(itemsOf(FINDINGS.map(({ cause: _, ...f }) => f))).toHaveLength(FINDINGS.length)
  })

  test('name five places and count the rest', () => {
    const [item] = itemsOf(Array.from({ length: 62 }, (_, i) => verb(i + 1, `M${i}`)))
    expect(item?.related).toHaveLength(61)
    expect(item?.message).toMatch(/, and 56 more\.$/)
    expect(countWithPlaces(item ? [item] : [], 'problem')).toBe('1 problem in 62 places')
  })

  test('keep what a change introduced apart from what was there, and put it first', () => {
    const [old, ...rest] = FINDINGS.slice(0, 3)
    const sample = report([{ ...old, state: 'existing' } as never, ...rest.map((f) => ({ ...f, state: 'introduced' as const }))])
    expect(reportItems(sample).map((i) => [i.state, i.members.length])).toEqual([
      ['introduced', 2],
      ['existing', 1],
    ])
  })
})

describe('every rendering shows three items for seven findings, in one order', () => {
  const texts: Readonly<Record<string, string>> = {
    terminal: renderTerminal(SAMPLE, { color: false, width: 140, details: true }).replace(/\nThe 25 checks[\s\S]*/, ''),
    markdown: renderMarkdown(SAMPLE).replace(/## One prompt[\s\S]*?\n## (?=Critical)/, '## '),
    html: renderHtml(SAMPLE).replace(/^[\s\S]*?<article/, '<article'),
    'check run': renderCheckRun(SAMPLE, audience()).summary.replace(/^[\s\S]*?## Introduced/, ''),
    comment: (renderComment(SAMPLE, audience()) ?? '').replace(/^[\s\S]*?### Start/, ''),
    prompt: promptForAll(itemsOf(FINDINGS), { budget: 20_000, seeMore: SEE_MORE.report })?.text ?? '',
  }

  test.each(Object.keys(texts))('%s', (name) => {
    const text = texts[name] ?? ''
    const said = name === 'prompt' ? ['policy public.notes "all"', 'route GET /api/items', 'proxy.ts'] : TITLES
    const at = said.map((part) => text.indexOf(part))
    expect(at.every((n) => n >= 0)).toBe(true)
    expect([...at].sort((a, b) => a - b)).toEqual(at)
    expect(times(text, 'The same fix also closes')).toBeGreaterThanOrEqual(1)
    expect(text).toContain('route.ts:20')
    expect(text).not.toContain('currentUser() // PUT')
  })

  test('counts are those of items, with the places beside them', () => {
    expect(renderTerminal(SAMPLE, { color: false })).toContain('Problems  2 Critical, 0 High, 1 Medium\n')
    expect(renderMarkdown(SAMPLE)).toContain('**2 Critical, 0 High, 1 Medium**')
    expect(renderHtml(SAMPLE)).toContain('<b>2</b>Critical</li>')
    expect(texts['check run']).toContain('Problems in the repository: 2 Critical, 0 High, 1 Medium.')
    const { title, annotations } = renderCheckRun(SAMPLE, audience())
    expect(title).toBe('2 Critical problems in 4 places introduced')
    expect(annotations.map((a) => a.path)).toEqual(['supabase/migrations/1.sql', 'app/api/items/route.ts', 'proxy.ts'])
    expect(renderComment(SAMPLE, audience())).toContain('This pull request introduces 2 Critical problems in 4 places.')
  })

  test('the first look at a commit counts the same', () => {
    const { comparison: _, ...first } = SAMPLE
    expect(renderCheckRun(first, audience()).title).toBe('3 problems in 5 places in the repository (2 Critical)')
  })

  test('the migration has the statements of a policy once', () => {
    expect(times(migrationFor(itemsOf(FINDINGS))?.sql ?? '', 'alter policy')).toBe(1)
  })

  test('code scanning gets an alert for each place, and one for what several checks find there', () => {
    const results = renderSarif(SAMPLE).runs[0]?.results ?? []
    expect(results.map((r) => r.locations?.[0]?.physicalLocation?.region?.startLine)).toEqual([9, 10, 20, 30, 3])
    expect(results[0]?.properties?.['cause']).toBe(id(100))
  })

  test('links to a finding that another one speaks for lead to its card', () => {
    const html = renderHtml(SAMPLE)
    for (const f of FINDINGS) expect(html).toContain(`id="f-${f.fingerprint}"`)
  })

  test('what blocks is what blocked before: one member at the level is enough', () => {
    const mixed = report([
      finding({ ...policy, fingerprint: id(1), severity: 'Medium' }),
      finding({ ...policy, fingerprint: id(2), severity: 'Critical', check: 'rls/write-owner' }),
    ])
    expect(renderCheckRun(mixed, audience()).conclusion).toBe('failure')
    const lower = report([finding({ ...policy, fingerprint: id(1), severity: 'Medium' }), finding({ ...policy, fingerprint: id(2), severity: 'High' })])
    expect(renderCheckRun(lower, audience()).conclusion).toBe('success')
  })
})

describe('the order of findings', () => {
  const order = (...all: Parameters<typeof finding>[0][]) =>
    all
      .map((f) => finding(f))
      .sort(byImportance)
      .map((f) => f.fingerprint)

  test('is severity first, whatever the check', () => {
    expect(order({ fingerprint: 'b', severity: 'High', check: 'rls/enabled' }, { fingerprint: 'a', check: 'payments/idempotency' })).toEqual(['a', 'b'])
  })

  test('then what an attacker gets: everything, accounts, changes, reads, a step', () => {
    const checks = ['api/rate-limit', 'rls/select-owner', 'payments/signature', 'auth/oauth-redirect', 'env/committed']
    expect(order(...checks.map((check) => ({ fingerprint: check, check, aliases: [] })))).toEqual([...checks].reverse())
  })

  test('a weakness says more than the check that found it', () => {
    expect(
      order({ fingerprint: 'reads', check: 'rls/enabled', aliases: ['CWE-755'] }, { fingerprint: 'takes', check: 'api/auth', aliases: ['CWE-287'] }),
    ).toEqual(['takes', 'reads'])
  })

  test('then what was tried before what was read, and the place last', () => {
    expect(
      order({ fingerprint: 'read', proof: 'inferred', path: 'a.sql' }, { fingerprint: 'tried, later', path: 'c.sql' }, { fingerprint: 'tried', path: 'b.sql' }),
    ).toEqual(['tried', 'tried, later', 'read'])
  })

  test('is the same for every order in which findings come', () => {
    const ranked = FINDINGS.map((f) => ({ ...f, at: f }))
    const sorted = ranked.toSorted(compareFindings).map((f) => f.fingerprint)
    expect(
      ranked
        .toReversed()
        .sort(compareFindings)
        .map((f) => f.fingerprint),
    ).toEqual(sorted)
  })
})

test('a report with causes is valid', () => {
  assertReport(SAMPLE)
})
