import { codeSpan, plain, prose } from '../lib/escape-markdown.ts'
import { countBySeverity, reportItems } from '../report/items.ts'
import type { Report } from '../report/report.ts'
import { SEE_MORE } from '../report/see-more.ts'
import { type Annotation, toAnnotations } from './annotations.ts'
import {
  accessTable,
  affectedObjects,
  byHandList,
  checksTable,
  configProblems,
  existingCounts,
  gapsList,
  routesTable,
  suppressedList,
  unverifiedList,
} from './blocks.ts'
import { details, findingDetails, findingLine, prioritized } from './findings.ts'
import { pasteAll } from './paste-all.ts'
import { fitInto, type Section } from './sections.ts'
import { type Conclusion, count, verdict } from './verdict.ts'
import { type Audience, type Shown, shown } from './visible-findings.ts'

/** Everything that is written into the Check Run. */
export interface CheckRunOutput {
  readonly conclusion: Conclusion
  readonly title: string
  readonly summary: string
  readonly text?: string
  readonly annotations: readonly Annotation[]
}

/** GitHub's limit for summary and text, in bytes. */
export const MAX_OUTPUT_BYTES = 65_535

/** Renders the Check Run of an audit. */
export function renderCheckRun(report: Report, audience: Audience): CheckRunOutput {
  const view = shown(report, audience)
  const decision = verdict(report, view, audience)
  const listed = [...view.introduced, ...(view.existingInFull ? view.existing : [])]
  const { annotations, left } = toAnnotations(listed)
  const text = textOf(report, audience, view, left)
  return {
    conclusion: decision.conclusion,
    title: plain(decision.title).slice(0, 200),
    summary: fitInto(summarySections(report, audience, view, decision.sentence, decision.conclusion), MAX_OUTPUT_BYTES, SEE_MORE.checkRun),
    ...(text ? { text } : {}),
    annotations,
  }
}

function summarySections(report: Report, audience: Audience, view: Shown, sentence: string, conclusion: Conclusion): Section[] {
  const { passed, failed, notApplicable, unverified } = report.summary
  const { Critical, High, Medium } = countBySeverity(reportItems(report))
  const listed = [...view.introduced, ...(view.existingInFull ? view.existing : [])]
  const { start, startShort, others } = prioritized(report, audience, listed, SEE_MORE.checkRunText)
  const title = view.introduced.length ? '## Introduced\n\n' : ''
  const problems = configProblems(report)
  const gaps = gapsList(report)
  const touched = affectedObjects(report, view)
  const routes = audience.changedPaths ? routesTable(report, audience, audience.changedPaths) : ''
  const suppressed = suppressedList(report)
  return [
    { name: 'verdict', expendable: 0, text: sentence },
    {
      name: 'hint',
      expendable: 0,
      text: [requiredHint(audience, conclusion), configurationChange(audience), newSuppressions(report)].filter(Boolean).join('\n\n'),
    },
    { name: 'what to begin with', expendable: 3, text: start && `${title}${start}`, short: `${title}${startShort}` },
    { name: 'the other findings', expendable: 4, text: others },
    { name: 'do this yourself', expendable: 5, text: byHandList(listed) },
    ...pasteAll(view.introduced, 11, SEE_MORE.checkRun),
    { name: 'accepting a risk', expendable: 0, text: acceptHint(audience, view) },
    { name: 'configuration problems', expendable: 2, text: problems ? `## The configuration has problems\n\n${problems}` : '' },
    {
      name: 'the 25 checks',
      expendable: 1,
      text: `## The 25 checks\n\n${passed} passed, ${failed} failed, ${unverified} to check by hand, ${notApplicable} ${notApplicable === 1 ? 'does' : 'do'} not apply. Problems in the repository: ${Critical} Critical, ${High} High, ${Medium} Medium.\n\n${checksTable(report)}`,
    },
    { name: 'what to check by hand', expendable: 4, text: unverified ? details(`Check by hand (${unverified})`, unverifiedList(report)) : '' },
    { name: 'access matrix', expendable: 7, text: touched.length ? details('Who can do what (tried in a real database)', accessTable(touched)) : '' },
    { name: 'routes', expendable: 8, text: routes ? details('Routes in the changed files', routes) : '' },
    {
      name: 'fixed findings',
      expendable: 9,
      text: view.fixed.length
        ? `## Fixed\n\n${view.fixed
            .slice(0, 50)
            .map((f) => `- ~~${codeSpan(f.subject)}~~ ${plain(f.check)}`)
            .join('\n')}${more(view.fixed.length, 50)}`
        : '',
    },
    {
      name: 'unreadable findings',
      expendable: 5,
      text: view.unreadable.length
        ? `## Could not be read again\n\nThese do not count as fixed:\n\n${view.unreadable
            .slice(0, 30)
            .map((f) => findingLine(report, audience, f))
            .join('\n')}`
        : '',
    },
    { name: 'existing findings', expendable: 6, text: existingSection(report, view) },
    { name: 'suppressed findings', expendable: 12, text: suppressed ? details(`Suppressed (${report.suppressed.length})`, suppressed) : '' },
    { name: 'what could not be read', expendable: 13, text: gaps ? details('What could not be read', gaps) : '' },
  ]
}

function existingSection(report: Report, view: Shown): string {
  if (!view.existing.length) return ''
  const what = report.comparison
    ? `${count(view.existing.length, 'problem')} already existed and ${view.existing.length === 1 ? 'does' : 'do'} not block`
    : count(view.existing.length, 'finding')
  const hidden = view.existingInFull ? '' : `\n\n_This repository is public, so existing findings are counted and not described. ${SEE_MORE.existing}_`
  return `## ${report.comparison ? 'Existing' : 'In the repository'}\n\n${what}: ${existingCounts(view.existing)}${hidden}`
}

/** Findings that the summary shows in full. */
const IN_SUMMARY = 3

function textOf(report: Report, audience: Audience, view: Shown, left: number): string | undefined {
  if (!view.existingInFull && !left && view.introduced.length <= IN_SUMMARY) return undefined
  const listed = [...view.introduced, ...(view.existingInFull ? view.existing : [])]
  if (!listed.length) return undefined
  const blocks = listed.map((f, i): Section => ({ name: `finding ${i + 1}`, expendable: 0, text: findingDetails(report, audience, f, false) }))
  const lines: Section = {
    name: 'list',
    expendable: 0,
    text: `## All findings shown here (${listed.length})\n\n${listed
      .slice(0, 250)
      .map((f) => findingLine(report, audience, f))
      .join('\n')}${more(listed.length, 250)}`,
  }
  const budget = MAX_OUTPUT_BYTES - 200
  let text = fitInto([lines], budget, SEE_MORE.checkRun)
  for (const [i, block] of blocks.entries()) {
    const longer = `${text}\n\n${block.text}`
    if (Buffer.byteLength(longer) > budget) return `${text}\n\n… and ${count(blocks.length - i, 'finding')} in the annotations only.`
    text = longer
  }
  return text
}

function more(total: number, shownCount: number): string {
  return total > shownCount ? `\n\n… and ${total - shownCount} more in the annotations and in the text below.` : ''
}

function requiredHint(audience: Audience, conclusion: Conclusion): string {
  if (audience.required !== false || conclusion !== 'failure' || audience.kind === 'push') return ''
  const branch = audience.baseBranch ? ` of ${codeSpan(audience.baseBranch)}` : ''
  return `> ⚠️ **This does not stop the merge yet**: the branch rules${branch} do not require the check ${codeSpan('Prelaunch audit')}. Settings → Rules → Rulesets → Require status checks to pass → add ${codeSpan('Prelaunch audit')}, source: this App.`
}

function configurationChange(audience: Audience): string {
  return audience.changedPaths?.has('.github/prelaunch.yml')
    ? '> ⚙️ This pull request changes `.github/prelaunch.yml`. The audit uses the version of the base branch; the new one applies after the merge.'
    : ''
}

function newSuppressions(report: Report): string {
  const added = report.suppressed.filter((s) => s.finding.state === 'introduced' && !s.where.startsWith('.github/prelaunch.yml'))
  if (!added.length) return ''
  const listed = added.slice(0, 5).map((s) => `${codeSpan(s.finding.check)} at ${codeSpan(s.where)} (${prose(s.reason, 120)})`)
  const rest = added.length > 5 ? ` and ${added.length - 5} more` : ''
  return `> 🙈 **This pull request hides ${count(added.length, 'finding')} by a comment in its code**: ${listed.join(', ')}${rest}. The reviewer should agree with the reason.`
}

function acceptHint(audience: Audience, view: Shown): string {
  if (!view.blocking.length || audience.kind !== 'pull_request') return ''
  return `<sub>Accepting a risk on purpose: a maintainer comments ${codeSpan(`/prelaunch accept ${view.blocking[0]?.fingerprint} REASON`)}; the App answers with the configuration entry. Merged into the base branch it lifts the block when the check is run again.</sub>`
}
