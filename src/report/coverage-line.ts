import { plural } from './plural.ts'
import type { Report } from './report.ts'

/** The checks whose coverage stands for the application: that of ownership, which looks at all handlers, and that of protected pages. */
const SPEAKS_FOR = [
  { id: 'api/ownership', unit: 'handler' },
  { id: 'auth/protected-routes', unit: 'page' },
] as const

const MOST_NAMED_GAPS = 3

/** How much of the application was followed to its end, in one line, with what was not; undefined where there was nothing to follow. Not escaped. */
export function coverageLine(report: Report): string | undefined {
  const parts = SPEAKS_FOR.flatMap(({ id, unit }) => {
    const coverage = report.checks.find((c) => c.id === id)?.coverage
    if (!coverage || (!coverage.judged && !coverage.not.length)) return []
    const { followed, not } = coverage
    const all = `${followed} of ${plural(followed + not.length, unit)} followed to the end`
    if (!not.length) return [all]
    const named = not.slice(0, MOST_NAMED_GAPS).map((n) => `${n.subject} (${n.path}:${n.line})`)
    return [`${all}; ${not.length} not: ${named.join(', ')}${not.length > MOST_NAMED_GAPS ? ` and ${not.length - MOST_NAMED_GAPS} more` : ''}`]
  })
  return parts.length ? `${parts.join('. ')}.` : undefined
}
