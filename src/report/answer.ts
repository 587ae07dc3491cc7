import { cleanLine } from '../lib/clean-text.ts'
import { withCapital } from '../lib/with-capital.ts'
import { countBySeverity, type Item, reportItems } from './items.ts'
import { plural } from './plural.ts'
import type { Report } from './report.ts'
import { stakesOf } from './stakes.ts'

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
  if (!report.audit.complete) return answer('bad', 'The audit is not complete', 'Some files could not be listed, so problems may be missing below.')
  if (hasNothingToAudit(report)) return answer('warn', 'Nothing to audit', `${withCapital(NOTHING_TO_AUDIT)}.`)
  if (!worst && report.comparison?.lost)
    return answer(
      'bad',
      'The SQL can no longer be replayed',
      `We could rebuild the database before this change, and now we cannot: ${cleanLine(report.comparison.lost, 200)}. So we do not know what the change opens.`,
    )
  if (worst)
    return answer(
      'bad',
      `Not safe: ${plural(worst, 'critical hole')}`,
      introduced ? 'This change opens the holes below. Close them before merging.' : `${worstGains(report, items)}Fix the Critical problems first.`,
    )
  if (introduced?.length) return answer('warn', `${plural(introduced.length, 'finding')} introduced, none critical`, 'Read them before you merge.')
  if (introduced && critical)
    return answer(
      'warn',
      `This change adds no problem, but ${plural(critical, 'critical hole')} ${critical === 1 ? 'was' : 'were'} there before`,
      'Fix the Critical problems before real users come.',
    )
  if (introduced) return answer('ok', 'This change introduces nothing', olderFindings(high + medium))
  if (high) return answer('warn', `No critical hole, ${plural(high, 'serious finding')}`, 'Fix these before launch.')
  if (medium) return answer('warn', `No critical hole, ${plural(medium, 'smaller finding')}`, 'Fix these when you can.')
  return answer('ok', 'No holes found', openChecks(report.summary.unverified))
}

function olderFindings(n: number): string {
  return n ? `${plural(n, 'older problem')} ${n === 1 ? 'remains' : 'remain'}.` : 'No older problem remains.'
}

function openChecks(unverified: number): string {
  return unverified ? `${plural(unverified, 'check')} to do by hand: the repository does not show the answer.` : 'Every check gave an answer.'
}

/** What the first Critical problems give to an attacker: two things at most, so that the sentence stays short. */
function worstGains(report: Report, items: readonly Item[]): string {
  const gains = items.filter((i) => i.severity === 'Critical').flatMap((i) => stakesOf(report, i).gets ?? [])
  const named = [...new Set(gains)].slice(0, 2).join(', and ')
  return named && `An attacker can get ${named}. `
}

function answer(kind: Answer['kind'], headline: string, sentence: string): Answer {
  return { kind, headline, sentence }
}
