import type { Report, ReportFinding } from '../../src/report/report.ts'

/** What a check found, by its number. */
export const findingsOfCheck = (report: Report, check: number): readonly ReportFinding[] => report.checks.find((c) => c.number === check)?.findings ?? []

/** What a check found of a subject; the test fails where it found nothing, and says what there is. */
export function findingOfCheck(report: Report, check: number, subject: string): ReportFinding {
  const all = findingsOfCheck(report, check)
  const found = all.find((f) => f.subject === subject)
  if (!found) throw new Error(`no finding of check ${check} for ${subject}: ${all.map((f) => f.subject).join('; ')}`)
  return found
}
