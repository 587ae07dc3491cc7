import { cutBytes, plain } from '../lib/escape-markdown.ts'
import type { ReportFinding } from '../report/report.ts'
import { certaintyOf } from '../report/stakes.ts'

/** A Check Run annotation as GitHub's API takes it. */
export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: 'failure' | 'warning' | 'notice'
  readonly title: string
  readonly message: string
  readonly raw_details?: string
}

export const ANNOTATION_LEVEL_BY_SEVERITY = { Critical: 'failure', High: 'warning', Medium: 'notice' } as const

/** Annotations of one run; the findings beyond are in the run's text. */
export const MAX_ANNOTATIONS = 200
/** Lines that one annotation covers at most: a file-long marking hides the diff. */
const MAX_LINES = 20
const MAX_MESSAGE = 60_000

/** One annotation for each place, most important first; several findings of a place share it. `left` counts findings that did not fit. */
export function toAnnotations(findings: readonly ReportFinding[], limit = MAX_ANNOTATIONS): { annotations: Annotation[]; left: number } {
  const places = new Map<string, ReportFinding[]>()
  for (const f of findings) {
    const key = `${f.path}\0${f.line}`
    const at = places.get(key)
    if (at) at.push(f)
    else places.set(key, [f])
  }
  const groups = [...places.values()]
  const kept = groups.slice(0, limit)
  return { annotations: kept.map(toAnnotation), left: groups.slice(limit).reduce((sum, g) => sum + g.length, 0) }
}

function toAnnotation(findings: readonly ReportFinding[]): Annotation {
  const first = findings[0] as ReportFinding
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more here)` : ''
  const details = findings.flatMap((f) => (f.fix.code ? [`${replaced(f.fix.replaces)}${plain(f.fix.code, { max: 20_000, lines: true })}`] : []))
  const line = Math.max(1, first.line)
  return {
    path: first.path,
    start_line: line,
    end_line: Math.min(Math.max(line, first.endLine), line + MAX_LINES - 1),
    annotation_level: ANNOTATION_LEVEL_BY_SEVERITY[first.severity],
    title: clip(`${first.severity}: ${plain(first.title)}${more}`, 255),
    message: cutBytes(findings.map(describe).join('\n\n— — —\n\n'), MAX_MESSAGE),
    ...(details.length ? { raw_details: cutBytes(`Fix, ready to paste:\n\n${details.join('\n\n')}`, MAX_MESSAGE) } : {}),
  }
}

function replaced(lines: ReportFinding['fix']['replaces']): string {
  if (!lines) return ''
  return `${plain(lines.path)}, ${lines.line === lines.endLine ? `line ${lines.line} becomes` : `lines ${lines.line} to ${lines.endLine} become`}:\n\n`
}

function describe(f: ReportFinding): string {
  return [
    plain(f.message, { lines: true }),
    `What an attacker does: ${plain(f.attack)}`,
    `Fix: ${plain(f.fix.text)}`,
    ...(f.assumes ? [`Assumes: ${plain(f.assumes)}`] : []),
    ...f.related.slice(0, 5).map((r) => `See also ${plain(r.path)}:${r.line} (${plain(r.what)})`),
    `${f.check} · ${certaintyOf(f)} · id ${f.fingerprint}`,
  ].join('\n')
}

function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text
}
