import { prose } from '../lib/escape-markdown.ts'
import { plural } from '../lib/plural.ts'
import { withCapital } from '../lib/with-capital.ts'
import { hasNothingToAudit, NOTHING_TO_AUDIT } from '../report/answer.ts'
import { countBySeverity, countWithPlaces } from '../report/items.ts'
import type { Report } from '../report/report.ts'
import type { Audience, Shown } from './visible-findings.ts'

export type Conclusion = 'success' | 'failure'

/** What the run concludes and the one line that everybody reads. */
export interface Verdict {
  readonly conclusion: Conclusion
  /** Plain text, for the title of the Check Run. */
  readonly title: string
  /** One Markdown paragraph: is the merge safe? */
  readonly sentence: string
}

/** Concludes: failure when a finding at or above the configured level is introduced, or when the audit could not be completed. */
export function verdict(report: Report, shown: Shown, audience: Audience): Verdict {
  const { introduced, blocking } = shown
  const unverified = report.summary.unverified
  const doubt = unverified ? `, ${count(unverified, 'check')} to check by hand` : ''
  if (!report.audit.complete) {
    return {
      conclusion: 'failure',
      title: 'The audit is not complete',
      sentence: '❌ **The audit could not see the whole repository.** We do not know yet whether this is safe. What could not be read is listed below.',
    }
  }
  if (hasNothingToAudit(report))
    return { conclusion: 'success', title: 'Nothing to audit', sentence: `📭 **Nothing to audit.** ${withCapital(NOTHING_TO_AUDIT)}.` }
  if (!blocking.length && report.comparison?.lost) {
    return {
      conclusion: 'failure',
      title: 'The SQL can no longer be replayed',
      sentence: `❌ **Do not merge yet.** We could rebuild the database before this change, and now we cannot: ${prose(report.comparison.lost, 200)}. Run the audit again. If it ends the same way, look at the SQL of this change.`,
    }
  }
  if (blocking.length) {
    const what = countWithPlaces(blocking, `${levelName(blocking)} problem`)
    const verb =
      audience.kind === 'push' ? 'This push introduces' : audience.kind === 'merge_group' ? 'This merge group introduces' : 'This pull request introduces'
    return {
      conclusion: 'failure',
      title: `${what} introduced${doubt}`,
      sentence: `❌ **Do not merge yet.** ${verb} ${what}. Fixes are below, the worst first.`,
    }
  }
  if (introduced.length) {
    const what = countWithPlaces(introduced, 'problem')
    return {
      conclusion: 'success',
      title: `${what} introduced, none blocks${doubt}`,
      sentence: `⚠️ **You can merge this, but read these first.** ${what} introduced, none at the level that blocks (${audience.config.failOn === 'never' ? 'blocking is switched off' : `\`fail_on: ${audience.config.failOn}\``}).`,
    }
  }
  if (!report.comparison) {
    const { Critical, High, Medium } = countBySeverity(shown.existing)
    const total = countWithPlaces(shown.existing, 'problem')
    if (shown.existing.length)
      return {
        conclusion: 'success',
        title: `${total} in the repository (${Critical} Critical)${doubt}`,
        sentence: `📋 **First look at this commit.** ${total}: ${Critical} Critical, ${High} High, ${Medium} Medium. There is no earlier commit to compare with, so nothing is blocked.`,
      }
    return { conclusion: 'success', title: `No findings${doubt}`, sentence: `✅ **Nothing found.** ${passedSentence(report)}` }
  }
  return nothingNew(report, shown, doubt)
}

/** Nothing is introduced. That is no praise for what was there before: an older Critical problem comes first. */
function nothingNew(report: Report, shown: Shown, doubt: string): Verdict {
  const fixed = shown.fixed.length ? ` ${count(shown.fixed.length, 'problem')} fixed – thank you.` : ''
  const title = `Nothing new introduced${shown.fixed.length ? `, ${shown.fixed.length} fixed` : ''}`
  const { Critical: older } = countBySeverity(shown.existing)
  if (older)
    return {
      conclusion: 'success',
      title: `${title}, ${older} older Critical${doubt}`,
      sentence: `⚠️ **This change adds no problem, but the repository has ${count(older, 'older Critical problem')}.** Merging is not blocked. Fix ${older === 1 ? 'it' : 'them'} before real users come.${fixed}`,
    }
  return {
    conclusion: 'success',
    title: `${title}${doubt}`,
    sentence: `✅ **Safe to merge as far as the ${report.checks.length} checks can tell.** No new problem is introduced.${fixed}`,
  }
}

function passedSentence(report: Report): string {
  const { passed, notApplicable, unverified } = report.summary
  return `${passed} of 25 checks passed, ${notApplicable} ${notApplicable === 1 ? 'does' : 'do'} not apply, ${unverified} to check by hand.`
}

function levelName(blocking: Shown['blocking']): string {
  return blocking.every((f) => f.severity === 'Critical') ? 'Critical' : 'blocking'
}

/** `1 problem`, `2 problems`. */
export const count = plural
