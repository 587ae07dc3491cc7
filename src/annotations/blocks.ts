import type { AccessCell, AccessObject } from '../database/database.ts'
import { codeSpan, prose } from '../lib/escape-markdown.ts'
import { countBySeverity, type Item } from '../report/items.ts'
import type { Report, ReportCheck, ReportFinding } from '../report/report.ts'
import { stepsByHand } from '../report/start-with.ts'
import { STATUS_WORDS } from '../report/status-words.ts'
import { placeLink } from './findings.ts'
import { count } from './verdict.ts'
import type { Audience, Shown } from './visible-findings.ts'

const MARK_BY_OUTCOME = { failed: '❌', passed: '✅', 'not-applicable': '➖', unverified: '❓' } as const

/** The 25 checks, one row each. */
export function checksTable(report: Report): string {
  const rows = report.checks.map((c) => `| ${c.number} | ${MARK_BY_OUTCOME[c.status]} ${STATUS_WORDS[c.status]} | ${prose(c.rule, 400)} | ${reason(c)} |`)
  return ['| # | Result | Rule | On what evidence |', '| --: | :-- | :-- | :-- |', ...rows].join('\n')
}

function reason(check: ReportCheck): string {
  if (check.status === 'failed') {
    if (check.findings.length) return count(check.findings.length, 'finding')
    return check.reportedUnder?.length ? 'reported under another check' : ''
  }
  if (check.attested) return `attested by ${prose(check.attested.by, 80)} on ${prose(check.attested.date, 20)}`
  return prose(check.because ?? check.evidence[0] ?? '', 240)
}

/** Unverified checks with what a person looks at. */
export function unverifiedList(report: Report): string {
  return report.checks
    .filter((c) => c.status === 'unverified')
    .map(
      (c) =>
        `- **${c.number}. ${prose(c.rule, 160)}** ${prose(c.because ?? '', 300)}${c.howToVerify ? `\n  - Look at: ${prose(c.howToVerify.where, 300)}\n  - Then write into ${codeSpan('.github/prelaunch.yml')} under ${codeSpan('attest')}: check ${codeSpan(c.id)}, ${prose(c.howToVerify.attest, 300)}` : ''}`,
    )
    .join('\n')
}

/** Existing findings as counts per check: a list of open holes is no gift to publish. */
export function existingCounts(existing: readonly ReportFinding[]): string {
  const counts = new Map<string, number>()
  for (const f of existing) counts.set(f.check, (counts.get(f.check) ?? 0) + 1)
  return [...counts].map(([check, n]) => `${codeSpan(check)} ${n}`).join(' · ')
}

/** `1 Critical, 2 High`: only the severities that there are. */
export function bySeverity(items: readonly Item[]): string {
  return Object.entries(countBySeverity(items))
    .flatMap(([severity, n]) => (n ? [`${n} ${severity}`] : []))
    .join(', ')
}

/** What only a person can do, with the page to open; empty when there is nothing. */
export function byHandList(items: readonly Item[], max = 10): string {
  const steps = stepsByHand(items)
  if (!steps.length) return ''
  const rest = steps.length > max ? [`- … and ${steps.length - max} more`] : []
  return ['### Do this yourself', '', ...steps.slice(0, max).map((s) => `- ${prose(s.what, 200)}: ${prose(s.where, 200)}`), ...rest].join('\n')
}

const SHOWN_COMMANDS = ['select', 'insert', 'update', 'delete', 'execute'] as const

/** Who could do what when it was tried, for the given objects. */
export function accessTable(objects: readonly AccessObject[]): string {
  const rows = objects.map((o) => {
    const by = (role: AccessCell['role'], row: (r: AccessCell['row']) => boolean) =>
      SHOWN_COMMANDS.flatMap((command) => {
        const cells = o.cells.filter((c) => c.role === role && c.command === command && row(c.row) && c.column === undefined)
        return cells.some((c) => c.result === 'allowed') ? [command] : cells.some((c) => c.result === 'error') ? [`${command}?`] : []
      }).join(', ') || 'nothing'
    const columns = o.cells.filter((c) => c.column !== undefined && c.result === 'allowed').map((c) => c.column as string)
    return `| ${codeSpan(o.object, 80)} (${o.kind}) | ${o.rls === undefined ? '' : o.rls ? 'on' : '**off**'} | ${by('anon', () => true)} | ${by('A', (r) => r !== 'own' && r !== 'tenant')} | ${by('A', (r) => r === 'own')}${columns.length ? `, may set ${[...new Set(columns)].map((c) => codeSpan(c, 40)).join(' ')}` : ''} |`
  })
  return ['| Object | RLS | Visitors can | Signed-in users can, on rows of others | … on their own rows |', '| :-- | :-- | :-- | :-- | :-- |', ...rows].join(
    '\n',
  )
}

/** The routes of the given files with their guard. */
export function routesTable(report: Report, audience: Audience, paths: ReadonlySet<string>, max = 40): string {
  const routes = report.routes.filter((r) => paths.has(r.path))
  if (!routes.length) return ''
  const rows = routes
    .slice(0, max)
    .map(
      (r) =>
        `| ${codeSpan(`${r.method ?? 'any'} ${r.route}`, 120)} | ${r.guard ? `${prose(r.guard.who, 80)} (${placeLink(report, audience, r.guard.path, r.guard.line)})` : 'nobody checks'} | ${r.limit ? 'yes' : 'no'} | ${placeLink(report, audience, r.path, r.line)} |`,
    )
  return [
    '| Route | Guarded by | Rate limit | Where |',
    '| :-- | :-- | :-- | :-- |',
    ...rows,
    ...(routes.length > max ? [`\n${count(routes.length - max, 'more route')} in the full report.`] : []),
  ].join('\n')
}

/** Objects of the access matrix that the change touches, and those that introduced or fixed findings speak of. */
export function affectedObjects(report: Report, shown: Shown): AccessObject[] {
  const subjects = [...shown.introduced, ...shown.fixed, ...shown.unreadable].flatMap((f) => [f.subject, ...f.related.map((r) => r.subject ?? '')])
  const touched = new Set(report.comparison?.touched)
  return report.access.filter((o) => touched.has(o.object) || subjects.some((s) => mentions(s, o.object))).slice(0, 30)
}

function mentions(subject: string, object: string): boolean {
  const at = subject.indexOf(object)
  if (at < 0) return false
  const [before, after] = [subject[at - 1] ?? ' ', subject[at + object.length] ?? ' ']
  return !/[\w$]/.test(before) && !/[\w$]/.test(after)
}

/** What could not be read. */
export function gapsList(report: Report, max = 20): string {
  const gaps = report.gaps.filter((g) => g.touches.length)
  return [
    ...gaps.slice(0, max).map((g) => `- ${g.path ? codeSpan(g.line ? `${g.path}:${g.line}` : g.path) : 'the repository'}: ${prose(g.because, 300)}`),
    ...(gaps.length > max ? [`- … and ${gaps.length - max} more`] : []),
  ].join('\n')
}

/** Suppressed findings with their reasons. */
export function suppressedList(report: Report, max = 50): string {
  return report.suppressed
    .slice(0, max)
    .map((s) => `- ${codeSpan(s.finding.check)} ${codeSpan(s.finding.subject)}: ${prose(s.reason, 300)} (${prose(s.where, 120)})`)
    .join('\n')
}

/** Problems of the configuration file at their lines. */
export function configProblems(report: Report): string {
  return report.audit.config.problems.map((p) => `- ${codeSpan(`${p.path}:${p.line}`)} ${prose(p.message, 300)}`).join('\n')
}
