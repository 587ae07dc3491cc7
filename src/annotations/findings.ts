import type { Severity } from '../checks/outcome.ts'
import { bytes, codeSpan, fence, linkPath, prose, summaryCode, summaryText } from '../lib/escape-markdown.ts'
import type { Item } from '../report/items.ts'
import { promptFor } from '../report/prompt.ts'
import type { Report, ReportFinding } from '../report/report.ts'
import { stakesSentence } from '../report/stakes.ts'
import { startItems, startTitle } from '../report/start-with.ts'
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

/** What to begin with, each in full and open, then one line for each of the others. */
export interface Prioritized {
  readonly start: string
  /** The same problems as lines, where there is no room for more. */
  readonly startShort: string
  readonly others: string
}

/** Bytes for the lines of all findings after the first ones: half of what a comment or a summary may have. */
const MAX_LINES_BYTES = 32_000

/** The problems to begin with in full, and the others as lines; what has no room is counted, and `seeMore` says where it is. */
export function prioritized(report: Report, audience: Audience, items: readonly Item[], seeMore: string): Prioritized {
  const first = startItems(items)
  const rest = items.filter((i) => !first.includes(i))
  const blocks = first.map((f) => findingDetails(report, audience, f, true))
  const heading = `### ${startTitle(first.length)}`
  return {
    start: first.length ? [heading, ...blocks].join('\n\n') : '',
    startShort: `${heading}\n\n${findingLines(report, audience, first, MAX_LINES_BYTES, seeMore)}`,
    others: rest.length ? `### Then fix these (${rest.length})\n\n${findingLines(report, audience, rest, MAX_LINES_BYTES, seeMore)}` : '',
  }
}

/** One line for each finding, as many as fit into `max` bytes. */
export function findingLines(report: Report, audience: Audience, items: readonly ReportFinding[], max: number, seeMore: string): string {
  const lines: string[] = []
  let room = max
  for (const item of items) {
    const line = findingLine(report, audience, item)
    room -= bytes(line) + 1
    if (room < 0) break
    lines.push(line)
  }
  const left = items.length - lines.length
  return lines.join('\n') + (left ? `\n\n… and ${left} more. ${seeMore}` : '')
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

function fixWhen(severity: Severity, audience: Audience): string {
  return isAtLeast(severity, audience.config.failOn) ? 'fix before merging' : severity === 'Medium' ? 'fix when you can' : 'fix before real users come'
}

function findingBody(report: Report, audience: Audience, f: ReportFinding): string {
  return [
    `${placeLink(report, audience, f.path, f.line)} · ${codeSpan(f.subject)} · check ${codeSpan(f.check)} · ${fixWhen(f.severity, audience)}`,
    prose(stakesSentence(report, f)),
    `**What is wrong:** ${prose(f.message)}`,
    `**What an attacker does:** ${prose(f.attack)}`,
    `**Fix:** ${prose(f.fix.text)}${f.fix.proved ? ' _(tried: it closes the hole)_' : ''}`,
    ...(f.fix.replaces ? [replacesLine(report, audience, f.fix.replaces)] : []),
    ...(f.fix.code ? [fence(f.fix.code, f.fix.language ?? '')] : []),
    ...(f.fix.byHand ? [`**Do this yourself:** ${prose(f.fix.byHand.what)}, at ${prose(f.fix.byHand.where)}`] : []),
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

/** A finding in one line of a list; its title leads to the full text. */
export function findingLine(report: Report, audience: Audience, f: ReportFinding): string {
  const title = prose(f.title, 160)
  return `- ${MARK_BY_SEVERITY[f.severity]} **${f.severity}** ${audience.checkRunUrl ? `[${title}](${audience.checkRunUrl})` : title}: ${codeSpan(f.subject, 160)} at ${placeLink(report, audience, f.path, f.line)}`
}
