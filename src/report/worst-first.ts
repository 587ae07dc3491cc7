import { SEVERITIES } from '../checks/outcome.ts'
import type { ReportFinding } from './report.ts'

/** What a change introduced before what was there, then Critical, High, Medium; otherwise in the order given. */
export function worstFirst(findings: readonly ReportFinding[]): ReportFinding[] {
  const rank = (f: ReportFinding) => (f.state === undefined || f.state === 'introduced' ? 0 : SEVERITIES.length) + SEVERITIES.indexOf(f.severity)
  return findings.toSorted((a, b) => rank(a) - rank(b))
}
