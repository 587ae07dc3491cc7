import { fence, plain, prose } from '../lib/escape-markdown.ts'
import type { ReportFinding } from '../report/report.ts'

/** A comment of a review whose block applies with one click. */
export interface Suggestion {
  readonly fingerprint: string
  readonly path: string
  readonly line: number
  readonly startLine?: number
  readonly body: string
}

/** Suggestions of one review. */
const MAX_SUGGESTIONS = 20

/** Fixes that replace lines which the pull request's diff shows; others cannot be applied there. */
export function suggestionsFor(findings: readonly ReportFinding[], shownLines: ReadonlyMap<string, ReadonlySet<number>>): Suggestion[] {
  const suggestions: Suggestion[] = []
  const taken = new Set<string>()
  for (const f of findings) {
    const { replaces, code } = f.fix
    if (!replaces || code === undefined || suggestions.length >= MAX_SUGGESTIONS) continue
    const lines = shownLines.get(replaces.path)
    const range = Array.from({ length: replaces.endLine - replaces.line + 1 }, (_, i) => replaces.line + i)
    if (!lines || range.length > 60 || !range.every((l) => lines.has(l) && !taken.has(`${replaces.path}\0${l}`))) continue
    for (const l of range) taken.add(`${replaces.path}\0${l}`)
    // A cleaned text would no longer be the fix: what cannot be shown as it is, is not offered.
    if (plain(code, { lines: true, max: 8000 }) !== code) continue
    suggestions.push({
      fingerprint: f.fingerprint,
      path: replaces.path,
      line: replaces.endLine,
      ...(replaces.line < replaces.endLine ? { startLine: replaces.line } : {}),
      body: `**${f.severity}: ${prose(f.title, 200)}** ${prose(f.fix.text)}\n\n${fence(code, 'suggestion')}`,
    })
  }
  return suggestions
}
