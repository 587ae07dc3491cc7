import { SEVERITIES } from '../checks/outcome.ts'
import type { CheckResult } from '../checks/run-checks.ts'
import { comparePlaces } from '../lib/place.ts'
import type { Finding } from './finding.ts'
import { fingerprint } from './fingerprint.ts'

/** The findings of one check: identified, one per fingerprint, most severe first, then by place. */
export function collectFindings(result: CheckResult): Finding[] {
  if (result.outcome.status !== 'failed') return []
  const byPrint = new Map<string, Finding>()
  for (const issue of result.outcome.issues) {
    const print = fingerprint(result.check.id, issue)
    const earlier = byPrint.get(print)
    const finding: Finding = { ...issue, check: result.check.id, checkNumber: result.check.number, fingerprint: print }
    byPrint.set(print, earlier ? merge(earlier, finding) : finding)
  }
  return [...byPrint.values()].sort(compareFindingsForDisplay)
}

/** Two issues with one identity: the more severe (then the first) speaks, the other becomes a related place. */
function merge(a: Finding, b: Finding): Finding {
  const [main, other] = SEVERITIES.indexOf(b.severity) < SEVERITIES.indexOf(a.severity) ? [b, a] : [a, b]
  if (main.at.path === other.at.path && main.at.line === other.at.line) return main
  return { ...main, related: [...(main.related ?? []), { ...other.at, subject: other.subject, what: other.title ?? 'the same defect' }] }
}

/** Critical first, then by place, then by subject. */
export function compareFindingsForDisplay(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    a.checkNumber - b.checkNumber ||
    comparePlaces(a.at, b.at) ||
    (a.subject < b.subject ? -1 : 1)
  )
}
