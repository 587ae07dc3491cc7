import { SEVERITIES, type Severity } from '../checks/outcome.ts'
import { codeSpan, fence, linkPath, prose, summaryCode, summaryText } from '../lib/escape-markdown.ts'
import { promptFor } from '../report/prompt.ts'
import type { Report, ReportFinding } from '../report/report.ts'
import { type Audience, isAtLeast } from './visible-findings.ts'

const MARK_BY_SEVERITY = { Critical: '🔴', High: '🟠', Medium: '🟡' } as const

/** A link to a line of a file at the audited commit. */
export function placeLink(report: Report, audience: Audience, path: string, line: number): string {
  const label = codeSpan(`${path}:${line}`, 160)
  return `[${label}](${audience.repositoryUrl}/blob/${report.audit.commit}/${linkPath(path)}#L${line})`
}

/** A collapsed part. `summary` is HTML of ours. */
export function details(summary: string, body: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>\n\n${body}\n\n</details>`
}

/** Findings under one heading per severity, each a line that unfolds to what is wrong, how it is used, and the fix. */
export function findingsByLevel(report: Report, audience: Audience, findings: readonly ReportFinding[], max: number): string {
  const shown = findings.slice(0, max)
  const open = findings.length <= 2
  return SEVERITIES.flatMap((severity) => {
    const level = shown.filter((f) => f.severity === severity)
    const all = findings.filter((f) => f.severity === severity).length
    return level.length ? [heading(severity, all, audience), ...level.map((f) => findingDetails(report, audience, f, open))] : []
  }).join('\n\n')
}

function heading(severity: Severity, count: number, audience: Audience): string {
  const when = isAtLeast(severity, audience.config.failOn) ? 'fix before merging' : severity === 'Medium' ? 'fix when you can' : 'fix before real users come'
  return `### ${MARK_BY_SEVERITY[severity]} ${count} ${severity}: ${when}`
}

/** One finding for a reader who does not know security: what, how it is used, what to paste. */
export function findingDetails(report: Report, audience: Audience, f: ReportFinding, open: boolean): string {
  return details(`${MARK_BY_SEVERITY[f.severity]} <b>${summaryText(f.title, 160)}</b> · ${summaryCode(label(f), 140)}`, findingBody(report, audience, f), open)
}

/** What tells findings with the same headline apart: the object, or the place when the headline names the object already. */
function label(f: ReportFinding): string {
  const object = /(?<![^\s."])([^\s."]+)"?$/.exec(f.subject)?.[1] ?? ''
  return (object && f.title.includes(object)) || f.subject.startsWith('app ') ? `${f.path}:${f.line}` : f.subject
}

function findingBody(report: Report, audience: Audience, f: ReportFinding): string {
  const proof = f.proof === 'executed' ? '**tried in a sandbox: the attack works**' : 'read from the code'
  return [
    `${placeLink(report, audience, f.path, f.line)} · ${codeSpan(f.subject)} · check ${codeSpan(f.check)} · ${proof}`,
    `**What is wrong:** ${prose(f.message)}`,
    `**What an attacker does:** ${prose(f.attack)}`,
    `**Fix:** ${prose(f.fix.text)}${f.fix.proved ? ' _(tried in the sandbox: it closes the hole)_' : ''}`,
    ...(f.fix.replaces ? [replacesLine(report, audience, f.fix.replaces)] : []),
    ...(f.fix.code ? [fence(f.fix.code, f.fix.language ?? '')] : []),
    ...(f.assumes ? [`_Assumes:_ ${prose(f.assumes)}`] : []),
    ...(f.related.length
      ? [
          `_See also:_ ${f.related
            .slice(0, 5)
            .map((r) => `${placeLink(report, audience, r.path, r.line)} (${prose(r.what, 120)})`)
            .join(', ')}`,
        ]
      : []),
    details('Prompt for your AI builder', fence(promptFor(f), 'text', Number.POSITIVE_INFINITY)),
    `<sub>id ${codeSpan(f.fingerprint)}</sub>`,
  ].join('\n\n')
}

function replacesLine(report: Report, audience: Audience, { path, line, endLine }: NonNullable<ReportFinding['fix']['replaces']>): string {
  return `This takes the place of ${placeLink(report, audience, path, line)}${endLine > line ? ` to line ${endLine}` : ''}:`
}

/** A finding in one line of a list. */
export function findingLine(report: Report, audience: Audience, f: ReportFinding): string {
  return `- ${MARK_BY_SEVERITY[f.severity]} **${f.severity}** ${prose(f.title, 160)}: ${codeSpan(f.subject)} at ${placeLink(report, audience, f.path, f.line)}`
}
