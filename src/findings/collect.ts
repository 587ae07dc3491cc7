import { SEVERITIES } from '../checks/outcome.ts'
import type { CheckResult } from '../checks/run-checks.ts'
import type { Finding } from './finding.ts'
import { fingerprint } from './fingerprint.ts'
import { compareFindings } from './order.ts'
import { causeId } from './root-cause.ts'

/** The findings of one check: identified, one per fingerprint, in the order of all findings. */
export function collectFindings(result: CheckResult): Finding[] {
  if (result.outcome.status !== 'failed') return []
  const byPrint = new Map<string, Finding>()
  for (const issue of result.outcome.issues) {
    const print = fingerprint(result.check.id, issue)
    const earlier = byPrint.get(print)
    const finding: Finding = { ...issue, check: result.check.id, checkNumber: result.check.number, fingerprint: print, cause: causeId(result.check.id, issue) }
    byPrint.set(print, earlier ? merge(earlier, finding) : finding)
  }
  return [...byPrint.values()].sort(compareFindings)
}

/** Two issues with one identity: the more severe (then the first) speaks, the other becomes a related place. */
function merge(a: Finding, b: Finding): Finding {
  const [main, other] = SEVERITIES.indexOf(b.severity) < SEVERITIES.indexOf(a.severity) ? [b, a] : [a, b]
  if (main.at.path === other.at.path && main.at.line === other.at.line) return main
  return { ...main, related: [...(main.related ?? []), { ...other.at, subject: other.subject, what: other.title ?? 'the same defect' }] }
}
