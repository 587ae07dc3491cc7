import { codeSpan } from '../lib/escape-markdown.ts'
import type { Report } from '../report/report.ts'
import { SEE_MORE } from '../report/see-more.ts'
import {
  accessTable,
  affectedObjects,
  byHandList,
  bySeverity,
  checksTable,
  configProblems,
  existingCounts,
  routesTable,
  suppressedList,
  unverifiedList,
} from './blocks.ts'
import { details, prioritized } from './findings.ts'
import { pasteAll } from './paste-all.ts'
import { fitInto, type Section } from './sections.ts'
import { count, verdict } from './verdict.ts'
import { type Audience, shown } from './visible-findings.ts'

/** Identifies our comment; never shown. */
export const COMMENT_MARKER = '<!-- prelaunch:summary -->'
/** GitHub's limit is 65,536 characters; bytes are never fewer than characters. */
const MAX_COMMENT = 65_000

/** The summary comment of a pull request; undefined when the configuration wants none for this outcome. */
export function renderComment(report: Report, audience: Audience): string | undefined {
  const view = shown(report, audience)
  const { comment } = audience.config
  if (comment === 'never' || (comment === 'findings' && !view.introduced.length && report.audit.complete)) return undefined
  const { sentence, conclusion } = verdict(report, view, audience)
  const problems = configProblems(report)
  const quiet = conclusion === 'success' && !view.introduced.length && !view.fixed.length && !view.unreadable.length && !problems
  const link = audience.checkRunUrl ? ` [Full report](${audience.checkRunUrl})` : ''
  const footer = `<sub>Prelaunch audit of ${codeSpan(report.audit.commit.slice(0, 12))}${report.audit.mergeBase ? ` against ${codeSpan(report.audit.mergeBase.slice(0, 12))}` : ''}.${link}</sub>`
  if (quiet) {
    const { passed, notApplicable, unverified } = report.summary
    const existing = view.existing.length ? `; ${count(view.existing.length, 'older problem')} in the repository (${bySeverity(view.existing)})` : ''
    return `${COMMENT_MARKER}\n${sentence}\n<sub>${passed} of 25 checks passed, ${unverified} to check by hand, ${notApplicable} ${notApplicable === 1 ? 'does' : 'do'} not apply${existing}.${link} · ${codeSpan(report.audit.commit.slice(0, 12))}</sub>`
  }
  const { start, startShort, others } = prioritized(report, audience, view.introduced, SEE_MORE.comment)
  const touched = affectedObjects(report, view)
  const routes = audience.changedPaths ? routesTable(report, audience, audience.changedPaths) : ''
  const suppressed = suppressedList(report)
  const sections: Section[] = [
    { name: 'verdict', expendable: 0, text: `${COMMENT_MARKER}\n${sentence}` },
    { name: 'what to begin with', expendable: 1, text: start, short: startShort },
    { name: 'the other introduced findings', expendable: 2, text: others },
    { name: 'do this yourself', expendable: 3, text: byHandList(view.introduced) },
    ...pasteAll(view.introduced, 8, SEE_MORE.comment),
    {
      name: 'fixed',
      expendable: 4,
      text: view.fixed.length
        ? `**Fixed:** ${view.fixed
            .slice(0, 30)
            .map((f) => `${codeSpan(f.subject)} (${codeSpan(f.check)})`)
            .join(', ')}`
        : '',
    },
    {
      name: 'unreadable',
      expendable: 5,
      text: view.unreadable.length
        ? `**Could not be read again:** ${view.unreadable
            .slice(0, 20)
            .map((f) => codeSpan(f.subject))
            .join(', ')}. They do not count as fixed.`
        : '',
    },
    {
      name: 'existing',
      expendable: 2,
      text: view.existing.length ? `**There before, not blocking** (${bySeverity(view.existing)}): ${existingCounts(view.existing)}` : '',
    },
    { name: 'configuration problems', expendable: 2, text: problems ? `**The configuration has problems:**\n\n${problems}` : '' },
    {
      name: 'check by hand',
      expendable: 6,
      text: report.summary.unverified ? details(`Check by hand (${report.summary.unverified})`, unverifiedList(report)) : '',
    },
    { name: 'access matrix', expendable: 10, text: touched.length ? details('Who can do what (tried in a real database)', accessTable(touched)) : '' },
    { name: 'routes', expendable: 11, text: routes ? details('Routes in the changed files', routes) : '' },
    { name: 'the 25 checks', expendable: 12, text: details('The 25 checks', checksTable(report)) },
    { name: 'suppressed', expendable: 9, text: suppressed ? details(`Suppressed (${report.suppressed.length})`, suppressed) : '' },
    { name: 'footer', expendable: 0, text: footer },
  ]
  return fitInto(sections, MAX_COMMENT, SEE_MORE.comment)
}
