import { codeSpan, fence, prose } from '../lib/escape-markdown.ts'
import { allowedVerbs, callableFunctions, callWords, rowObjects, shownViewers, trialOf, VIEWERS } from './access-words.ts'
import { answerOf } from './answer.ts'
import { coverageLine } from './coverage-line.ts'
import { firstSentence } from './first-sentence.ts'
import { changesOf, countBySeverity, type Item, reportItems } from './items.ts'
import { migrationFor } from './migration.ts'
import { plural } from './plural.ts'
import { promptFor, promptForAll } from './prompt.ts'
import type { Report, ReportCheck } from './report.ts'
import { SEE_MORE } from './see-more.ts'
import { stakesSentence } from './stakes.ts'
import { startItems, startTitle, stepsByHand } from './start-with.ts'
import { STATUS_WORDS } from './status-words.ts'

const MARKDOWN_MARK_BY_OUTCOME = { failed: '❌', passed: '✅', 'not-applicable': '➖', unverified: '❔' } as const

/** The whole report as Markdown, for a file or a wiki page (the pull-request comment is in `annotations`). */
export function renderMarkdown(report: Report): string {
  const s = report.summary
  const items = reportItems(report)
  const { Critical, High, Medium } = countBySeverity(items)
  const { headline, sentence } = answerOf(report)
  const out = [
    '# Prelaunch audit',
    '',
    `**${prose(headline)}.** ${prose(sentence)}`,
    '',
    ...renderConfiguration(report),
    `${report.audit.repository ? `${prose(report.audit.repository)} at ` : ''}${codeSpan(report.audit.commit.slice(0, 12))}: **${Critical} Critical, ${High} High, ${Medium} Medium**; ${plural(s.passed, 'check')} passed, ${s.failed} failed, ${s.unverified} to check by hand, ${s.notApplicable} not needed.`,
    '',
    ...renderStart(report, items),
    ...renderByHand(items),
  ]
  if (!report.audit.complete) out.push('**The audit is not complete:** not every file could be listed.', '')
  if (report.comparison) {
    const { introduced, existing, fixed } = changesOf(report)
    out.push(`Compared with the base: ${introduced.length} introduced, ${existing.length} existing, ${fixed.length} fixed.`, '')
  }
  if (report.comparison?.lost) out.push(`**We could rebuild the database before this change, and now we cannot:** ${prose(report.comparison.lost, 200)}`, '')
  const migration = migrationFor(items)
  const prompt = promptForAll(items, { budget: 20_000, seeMore: SEE_MORE.report })
  if (items.length > 1 && prompt) out.push('## One prompt for your AI builder', '', fence(prompt.text, 'text', Number.POSITIVE_INFINITY), '')
  if (migration && migration.fixes.length > 1) out.push('## Database fixes as one migration', '', fence(migration.sql, 'sql', Number.POSITIVE_INFINITY), '')
  for (const severity of ['Critical', 'High', 'Medium'] as const) {
    const level = items.filter((i) => i.severity === severity)
    if (level.length) out.push(`## ${severity}`, '', ...level.flatMap((i) => renderItem(report, i)))
  }
  out.push('## The 25 checks', '', '| # | check | result | why |', '| --- | --- | --- | --- |')
  for (const c of report.checks) out.push(`| ${c.number} | ${c.id} | ${MARKDOWN_MARK_BY_OUTCOME[c.status]} ${STATUS_WORDS[c.status]} | ${why(c)} |`)
  const coverage = coverageLine(report)
  if (coverage) out.push('', prose(coverage, 600))
  out.push(...renderAccess(report))
  const open = report.checks.filter((c) => c.status === 'unverified' && c.howToVerify)
  if (open.length)
    out.push(
      '',
      '## Check by hand',
      '',
      ...open.map((c) => `- **${c.number} ${c.id}**: look at ${prose(c.howToVerify?.where ?? '')}; then attest: ${prose(c.howToVerify?.attest ?? '')}`),
    )
  if (report.gaps.length)
    out.push(
      '',
      '## Not understood',
      '',
      ...report.gaps.slice(0, 100).map((g) => `- ${codeSpan(`${g.path}${g.line ? `:${g.line}` : ''}`)} ${prose(g.because, 300)}`),
    )
  if (report.suppressed.length)
    out.push(
      '',
      '## Suppressed',
      '',
      ...report.suppressed.map((x) => `- ${x.finding.check} ${codeSpan(x.finding.subject)}: ${prose(x.reason)} (${codeSpan(x.where)})`),
    )
  return `${out.join('\n')}\n`
}

/** What to begin with: what an attacker gets, and the beginning of the fix. */
function renderStart(report: Report, items: readonly Item[]): string[] {
  const start = startItems(items)
  if (!start.length) return []
  const each = start.map(
    (f, i) =>
      `${i + 1}. **${f.severity}: ${prose(f.title, 200)}** at ${codeSpan(`${f.path}:${f.line}`)}. ${prose(stakesSentence(report, f))} **Fix:** ${prose(firstSentence(f.fix.text, 300))}`,
  )
  return [`## ${startTitle(start.length)}`, '', ...each, '']
}

/** What no change of the code does. */
function renderByHand(items: readonly Item[]): string[] {
  const steps = stepsByHand(items)
  return steps.length ? ['## Do this yourself', '', ...steps.map((s) => `- [ ] ${prose(s.what, 300)}: ${prose(s.where, 300)}`), ''] : []
}

function renderConfiguration({ audit }: Report): string[] {
  const { problems } = audit.config
  if (!problems.length) return []
  return [
    `**The configuration has ${plural(problems.length, 'problem')}:**`,
    '',
    ...problems.map((p) => `- ${codeSpan(`${p.path}:${p.line}`)} ${prose(p.message, 300)}`),
    '',
  ]
}

/** At most so many rows of the access matrix; the JSON has all. */
const MAX_OBJECTS = 200

/** Who can reach which rows, and which functions anybody may call. */
function renderAccess({ access }: Report): string[] {
  const [objects, functions] = [rowObjects(access), callableFunctions(access)]
  const out: string[] = []
  if (objects.length) {
    const viewers = shownViewers(objects)
    out.push('', '## Who can reach which rows', '', 'We rebuilt the database from your SQL and tried this.', '')
    out.push(`| table, view or bucket | RLS | ${viewers.map((v) => v.title).join(' | ')} |`, `| --- | --- |${viewers.map(() => ' --- |').join('')}`)
    for (const o of objects.slice(0, MAX_OBJECTS))
      out.push(
        `| ${codeSpan(o.object)}${o.kind === 'table' ? '' : ` (${o.kind})`} | ${o.rls === undefined ? '' : o.rls ? 'on' : '**off**'} | ${viewers.map((v) => allowedVerbs(o, v) || '–').join(' | ')} |`,
      )
  }
  if (functions.length) {
    const [stranger, other] = VIEWERS
    out.push('', '## Functions that a browser may call', '', 'Called with the ids of another user.', '')
    out.push(`| function | past RLS | ${stranger.title} | ${other.title} |`, '| --- | --- | --- | --- |')
    for (const o of functions.slice(0, MAX_OBJECTS))
      out.push(
        `| ${codeSpan(o.object)} | ${o.definer ? 'yes' : ''} | ${prose(callWords(trialOf(o, stranger, 'execute')), 120)} | ${prose(callWords(trialOf(o, other, 'execute')), 120)} |`,
      )
  }
  return out
}

function renderItem(report: Report, f: Item): string[] {
  const failed = report.checks.filter((c) => f.members.some((m) => m.check === c.id))
  const help = (c: ReportCheck) => `${c.number} [${c.id}](${f.members.find((m) => m.check === c.id)?.help})`
  return [
    `### ${prose(f.title, 200)}`,
    '',
    `${codeSpan(f.subject)} at ${codeSpan(`${f.path}:${f.line}`)}, check ${failed.map(help).join(', ')}${f.state === 'introduced' ? ', **introduced**' : ''}`,
    '',
    prose(f.message),
    '',
    `**What an attacker does:** ${prose(f.attack)}`,
    '',
    prose(stakesSentence(report, f)),
    '',
    `**Fix:** ${prose(f.fix.text)}${f.fix.proved ? ' _(tried: it closes the hole)_' : ''}`,
    '',
    ...(f.fix.code ? [fence(f.fix.code, f.fix.language), ''] : []),
    '<details><summary>Prompt for your AI builder</summary>',
    '',
    fence(promptFor(f), 'text', Number.POSITIVE_INFINITY),
    '',
    '</details>',
    '',
    ...(f.related.length ? [...f.related.slice(0, 20).map((r) => `- ${codeSpan(`${r.path}:${r.line}`)} ${prose(r.what, 200)}`), ''] : []),
  ]
}

function why(c: ReportCheck): string {
  if (c.status === 'failed') return c.findings.length ? plural(c.findings.length, 'finding') : 'reported under another check'
  return prose(c.because ?? c.evidence.join('; '), 300)
}
