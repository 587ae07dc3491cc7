import { cleanLine } from '../lib/clean-text.ts'
import { withCapital } from '../lib/with-capital.ts'
import { countBySeverity, reportItems } from './items.ts'
import { plural } from './plural.ts'
import type { Report } from './report.ts'

/** The answer of a whole report, for somebody who reads nothing else. */
export interface Answer {
  readonly kind: 'bad' | 'warn' | 'ok'
  readonly headline: string
  readonly sentence: string
}

/** Why there is no verdict where there is no application; continues a sentence. */
export const NOTHING_TO_AUDIT = 'no code, SQL or configuration was found that Prelaunch can read'

/** Whether nothing of an application was there to look at: neither in the files, nor in what the history or other texts gave away. */
export function hasNothingToAudit(report: Report): boolean {
  const { audit, checks, comparison, gaps } = report
  return (
    audit.auditable === 0 &&
    audit.complete &&
    checks.every((c) => c.status === 'not-applicable' || c.status === 'passed') &&
    gaps.every((g) => g.touches.length === 0) &&
    report.suppressed.length === 0 &&
    !comparison?.fixed.length &&
    !comparison?.unreadable.length
  )
}

/** May this go in front of users? The first thing that every rendering says. */
export function answerOf(report: Report): Answer {
  const items = reportItems(report)
  const { Critical: critical, High: high, Medium: medium } = countBySeverity(items)
  const introduced = report.comparison ? items.filter((f) => f.state === 'introduced') : undefined
  const worst = introduced?.filter((f) => f.severity === 'Critical').length ?? critical
  if (!report.audit.complete)
    return answer('bad', 'The audit is not complete', 'Not every file of the repository could be listed, so nothing below is a clean bill.')
  if (hasNothingToAudit(report)) return answer('warn', 'Nothing to audit', `${withCapital(NOTHING_TO_AUDIT)}.`)
  if (!worst && report.comparison?.lost)
    return answer(
      'bad',
      'The SQL can no longer be replayed',
      `Before this change the database could be rebuilt and tried; now it cannot (${cleanLine(report.comparison.lost, 200)}), so nobody knows what the change opens.`,
    )
  if (worst)
    return answer(
      'bad',
      `Not safe: ${plural(worst, 'critical hole')}`,
      introduced
        ? 'This change opens the holes below. Close them before merging.'
        : 'Today, anyone can read or change other people’s data, forge a payment, or use a secret. Close the critical findings first.',
    )
  if (introduced?.length)
    return answer(
      'warn',
      `${plural(introduced.length, 'finding')} introduced, none critical`,
      'Nothing below hands out data by itself; read them before merging.',
    )
  if (introduced) return answer('ok', 'This change introduces nothing', olderFindings(critical + high + medium))
  if (high) return answer('warn', `No critical hole, ${plural(high, 'serious finding')}`, 'A control is missing or wrong; fix these before launch.')
  if (medium) return answer('warn', `No critical hole, ${plural(medium, 'smaller finding')}`, 'Nothing leaks by these alone.')
  return answer('ok', 'No holes found', openChecks(report.summary.unverified))
}

function olderFindings(n: number): string {
  return `${plural(n, 'older finding')} ${n === 1 ? 'remains' : 'remain'}.`
}

function openChecks(unverified: number): string {
  return unverified ? `${plural(unverified, 'check')} could not be decided from the repository: see what to look at below.` : 'Every check could be decided.'
}

function answer(kind: Answer['kind'], headline: string, sentence: string): Answer {
  return { kind, headline, sentence }
}
