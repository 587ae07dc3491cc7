import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { renderComment } from '../../src/annotations/comment.ts'
import { CHECKS } from '../../src/checks/index.ts'
import { answerOf } from '../../src/report/answer.ts'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import type { Report } from '../../src/report/report.ts'
import { audience } from '../annotations/sample-report.ts'
import { complaints, sentencesOf } from '../support/plain-language.ts'
import { reportFinding, sampleReport } from '../support/sample-report.ts'

/** The wording of the rules is given; what is measured is ours. */
const RULES = CHECKS.map((c) => c.rule)

const findings = (state?: 'introduced' | 'existing') =>
  CHECKS.map((c, i) =>
    reportFinding({
      subject: `table public.t${i}`,
      fingerprint: i.toString(16).padStart(16, '0'),
      check: c.id,
      severity: (['Critical', 'High', 'Medium'] as const)[i % 3] as 'Critical',
      title: 'Anyone can read t',
      aliases: [],
      proof: i % 2 ? 'executed' : 'inferred',
      fix: { text: 'Turn it on.', byHand: { what: `Replace key ${i}`, where: 'https://example.com/keys' } },
      ...(state ? { state } : {}),
    }),
  )
const prints = findings().map((f) => f.fingerprint)
const none = { introduced: [], existing: [], fixed: [], unreadable: [] }
const base = sampleReport()
const REPORTS: Readonly<Record<string, Report>> = {
  'one finding': base,
  'a finding of every check': sampleReport(findings()),
  'nothing found': sampleReport([]),
  'a change that introduces': sampleReport(findings('introduced'), { comparison: { ...none, introduced: prints } }),
  'a change beside older holes': sampleReport(findings('existing'), { comparison: { ...none, existing: prints } }),
  'a change that fixes': sampleReport([], { comparison: { ...none, fixed: findings(), unreadable: findings() } }),
  'a change after which the SQL fails': sampleReport([], { comparison: { ...none, lost: 'a syntax error' } }),
  'a broken configuration': sampleReport([], {
    audit: { ...base.audit, config: { problems: [{ path: '.github/prelaunch.yml', line: 3, message: 'unknown key' }] } },
  }),
  'an incomplete audit': sampleReport([], { audit: { ...base.audit, complete: false } }),
  'an empty folder': sampleReport([], { audit: { ...base.audit, auditable: 0 } }),
}
const RENDERINGS: Readonly<Record<string, (report: Report) => string>> = {
  terminal: (r) => renderTerminal(r, { color: false, width: 140 }),
  'terminal with details': (r) => renderTerminal(r, { color: false, width: 140, details: true }),
  Markdown: renderMarkdown,
  HTML: (r) => renderHtml(r, new Map(), '2026-11-20'),
  comment: (r) => renderComment(r, audience({ checkRunUrl: 'https://example.com/1' })) ?? '',
  'check run': (r) =>
    Object.values(renderCheckRun(r, audience()))
      .filter((v) => typeof v === 'string')
      .join('\n\n'),
}

describe.each(Object.entries(RENDERINGS))('the %s speaks plainly', (_name, render) => {
  test.each(Object.entries(REPORTS))('of %s', (_case, report) => {
    expect(complaints(render(report), RULES)).toEqual([])
  })
})

test('the README speaks plainly', () => {
  const readme = readFileSync('README.md', 'utf8').replace(/<!-- checks:begin -->[\s\S]*?<!-- checks:end -->/, '')
  expect(complaints(readme)).toEqual([])
})

test('the measure finds what it is for', () => {
  expect(sentencesOf('<p>One. Two</p>\n| a | b |\n`code. more` three')).toEqual(['One.', 'Two', 'a', 'b', 'x three'])
  expect(complaints(`${'word '.repeat(26)}.`)).toHaveLength(1)
  expect(complaints('Whoever reads it gets his key.')).toHaveLength(2)
  expect(complaints('The other page shows the sheer hero of history.')).toEqual([])
})

test('no verdict speaks of payments where nothing is paid', () => {
  for (const report of Object.values(REPORTS).filter((r) => !r.checks.some((c) => c.category === 'Payments' && c.findings.length)))
    expect(Object.values(answerOf(report)).join(' ')).not.toMatch(/pay/i)
})
