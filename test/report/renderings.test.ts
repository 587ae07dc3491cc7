import { describe, expect, test } from 'vitest'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { assertReport } from '../support/report-schema.ts'
import { HOSTILE, reportFinding, sampleReport } from '../support/sample-report.ts'

const hostile = sampleReport([
  reportFinding({
    subject: `table public.${HOSTILE}`,
    path: `a/${HOSTILE}.sql`,
    message: HOSTILE,
    attack: HOSTILE,
    fix: { text: HOSTILE, language: 'sql"><b>', code: `${HOSTILE}\n\`\`\`\n# not a heading` },
    related: [{ path: HOSTILE, line: 1, what: HOSTILE }],
    assumes: HOSTILE,
  }),
])

describe('renderTerminal', () => {
  test('without colour it has no escape sequence, whatever the repository says', () => {
    const text = renderTerminal(hostile, { color: false })
    expect(text).not.toMatch(/\u001b/)
    expect(text).not.toMatch(/[\u202a-\u202e]/)
  })

  test('says verdict, finding, place, attack, fix and every check', () => {
    const text = renderTerminal(sampleReport(), { color: false, details: true })
    expect(text).toContain(
      'Critical RLS is off check 1 rls/enabled, tried in a copy of your database\n  supabase/migrations/20260101_init.sql:3 table public.todos\n',
    )
    expect(text).toContain('  Fix: Enable it and let owners see their rows. (tried: it closes the hole)\n')
    expect(text).toContain('\nNot safe: 1 critical hole\nAn attacker can get every row of the table. Fix the Critical problems first.\n')
    expect(text).toContain('  Attack: Anyone with the anon key, which is in your web page, reads every row.\n')
    expect(text).toContain('    alter table public.todos enable row level security;\n')
    expect(text).toContain('  ? 11 auth/otp-expiry                check by hand: the hosted setting is not in the repository\n')
    expect(text).toContain('\nProblems  1 Critical, 0 High, 0 Medium\nChecks    1 failed (1)\n          1 to check by hand (11)\n          23 passed\n')
  })

  test('only colour adds escape sequences', () => {
    expect(renderTerminal(sampleReport(), { color: true }).replace(/\u001b\[\d+m/g, '')).toBe(renderTerminal(sampleReport(), { color: false }))
  })
})

describe('renderHtml', () => {
  test('nothing of the repository becomes markup', () => {
    const html = renderHtml(hostile, new Map([[`a/${HOSTILE}.sql:3`, { first: 2, lines: [HOSTILE, HOSTILE] }]]))
    expect(html.match(/<script/g)).toBeNull()
    expect(html.match(/<img/g)).toBeNull()
    expect(html).not.toMatch(/href="javascript/)
    expect(html).not.toMatch(/[\u202a-\u202e\u001b]/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  test('asks nothing of the network and runs no script', () => {
    const html = renderHtml(sampleReport())
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/\b(src|href)="https?:/)
    expect(html).not.toMatch(/@import|url\(/)
  })

  test.each([
    [sampleReport(), 'Not safe: 1 critical hole'],
    [sampleReport([reportFinding({ subject: 'x', severity: 'High' })]), 'No critical hole, 1 serious finding'],
    [sampleReport([]), 'No holes found'],
    [sampleReport([], { audit: { ...sampleReport().audit, complete: false } }), 'The audit is not complete'],
    [
      sampleReport([reportFinding({ subject: 'x', state: 'existing' })], {
        comparison: { introduced: [], existing: ['7800000000000000'], fixed: [], unreadable: [] },
      }),
      'This change adds no problem, but 1 critical hole was there before',
    ],
    [
      sampleReport([reportFinding({ subject: 'x', state: 'introduced' })], {
        comparison: { introduced: ['7800000000000000'], existing: [], fixed: [], unreadable: [] },
      }),
      'Not safe: 1 critical hole',
    ],
  ])('the verdict says what the report says (%#)', (report, headline) => {
    assertReport(report)
    expect(renderHtml(report)).toContain(`<strong>${headline}</strong>`)
  })

  test('the picture of the access matrix shows what was tried, not more', () => {
    const row = /<tr><th scope="row"><code>public\.todos<\/code>.*?<\/tr>/s.exec(renderHtml(sampleReport()))?.[0] ?? ''
    const cells = [...row.matchAll(/<span class="cell (\w+)"/g)].map((m) => m[1])
    expect(cells).toEqual(['open', 'shut', 'shut', 'shut', 'shut', 'shut', 'error', 'shut', 'own', 'shut', 'shut', 'shut'])
  })
})

describe('renderMarkdown', () => {
  test('answers first, and gives a prompt for each finding, one for all, and the migration', () => {
    const sql = (name: string) =>
      reportFinding({
        subject: `table public.${name}`,
        path: `${name}.sql`,
        fix: { text: 'Close it.', language: 'sql', code: `alter table ${name} enable row level security;`, proved: true },
      })
    const markdown = renderMarkdown(sampleReport([sql('a'), sql('b')]))
    expect(markdown.startsWith('# Prelaunch audit\n\n**Not safe: 2 critical holes.** ')).toBe(true)
    expect(markdown.match(/Prompt for your AI builder/g)).toHaveLength(2)
    expect(markdown).toContain('## One prompt for your AI builder')
    expect(markdown).toContain('## Database fixes as one migration\n\n```sql\n-- RLS is off: table public.a\n-- Close it.\nalter table a enable')
  })

  test('hostile text stays text: no HTML, no mention, no image, no table break', () => {
    const markdown = withoutCode(renderMarkdown(hostile))
    expect(markdown.match(/<script|<!--/g)).toBeNull()
    expect(markdown).not.toMatch(/(^|[^`])@everyone/m)
    for (const line of markdown.split('\n').filter((l) => l.startsWith('| ') && /^\| \d/.test(l))) expect(line.split(/(?<!\\)\|/)).toHaveLength(6)
  })
})

/** What a Markdown renderer interprets: blocks and spans of code are shown as they are. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '').replace(/(?<![`\\])(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '')
}
