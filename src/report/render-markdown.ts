import { codeBlock, escapeMarkdown, inlineCode } from '../lib/escape-markdown.ts'
import type { Report, ReportCheck, ReportFinding } from './report.ts'

const MARK = { failed: '❌', passed: '✅', 'not-applicable': '➖', unverified: '❔' } as const

/** The whole report as Markdown, for a file or a wiki page (the pull-request comment is in `annotations`). */
export function renderMarkdown(report: Report): string {
  const s = report.summary
  const out = [
    '# Prelaunch audit',
    '',
    `${report.audit.repository ? `${escapeMarkdown(report.audit.repository)} at ` : ''}${inlineCode(report.audit.commit.slice(0, 12))}: **${s.critical} Critical, ${s.high} High, ${s.medium} Medium**; ${s.passed} checks passed, ${s.failed} failed, ${s.unverified} unverified, ${s.notApplicable} not applicable.`,
    '',
  ]
  if (!report.audit.complete) out.push('**The audit is not complete:** not every file could be listed.', '')
  if (report.comparison)
    out.push(
      `Compared with the base: ${report.comparison.introduced.length} introduced, ${report.comparison.existing.length} existing, ${report.comparison.fixed.length} fixed.`,
      '',
    )
  const findings = report.checks.flatMap((c) => c.findings.map((f) => ({ c, f })))
  for (const severity of ['Critical', 'High', 'Medium'] as const) {
    const level = findings.filter(({ f }) => f.severity === severity)
    if (level.length) out.push(`## ${severity}`, '', ...level.flatMap(({ c, f }) => renderFinding(c, f)))
  }
  out.push('## The 25 checks', '', '| # | check | result | why |', '| --- | --- | --- | --- |')
  for (const c of report.checks) out.push(`| ${c.number} | ${c.id} | ${MARK[c.status]} ${c.status} | ${why(c)} |`)
  const open = report.checks.filter((c) => c.status === 'unverified' && c.howToVerify)
  if (open.length)
    out.push(
      '',
      '## To look at yourself',
      '',
      ...open.map(
        (c) => `- **${c.number} ${c.id}**: look at ${escapeMarkdown(c.howToVerify?.where ?? '')}; then attest: ${escapeMarkdown(c.howToVerify?.attest ?? '')}`,
      ),
    )
  if (report.gaps.length)
    out.push(
      '',
      '## Not understood',
      '',
      ...report.gaps.slice(0, 100).map((g) => `- ${inlineCode(`${g.path}${g.line ? `:${g.line}` : ''}`)} ${escapeMarkdown(g.because, 300)}`),
    )
  if (report.suppressed.length)
    out.push(
      '',
      '## Suppressed',
      '',
      ...report.suppressed.map((x) => `- ${x.finding.check} ${inlineCode(x.finding.subject)}: ${escapeMarkdown(x.reason)} (${inlineCode(x.where)})`),
    )
  return `${out.join('\n')}\n`
}

function renderFinding(c: ReportCheck, f: ReportFinding): string[] {
  return [
    `### ${escapeMarkdown(f.subject, 200)}`,
    '',
    `${inlineCode(`${f.path}:${f.line}`)}, check ${c.number} [${c.id}](${f.help})${f.state === 'introduced' ? ', **introduced**' : ''}`,
    '',
    escapeMarkdown(f.message),
    '',
    `**What an attacker does:** ${escapeMarkdown(f.attack)}`,
    '',
    `**Fix:** ${escapeMarkdown(f.fix.text)}`,
    '',
    ...(f.fix.code ? [codeBlock(f.fix.code, f.fix.language), ''] : []),
    ...(f.related.length ? [...f.related.slice(0, 20).map((r) => `- ${inlineCode(`${r.path}:${r.line}`)} ${escapeMarkdown(r.what, 200)}`), ''] : []),
  ]
}

function why(c: ReportCheck): string {
  if (c.status === 'failed') return c.findings.length ? `${c.findings.length} finding${c.findings.length > 1 ? 's' : ''}` : 'reported under another check'
  return escapeMarkdown(c.because ?? c.evidence.join('; '), 300)
}
