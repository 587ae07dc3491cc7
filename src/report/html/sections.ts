import { escapeHtml } from '../../lib/escape-html.ts'
import { answerOf } from '../answer.ts'
import { coverageLine } from '../coverage-line.ts'
import { changesOf, countBySeverity, type Item, reportItems } from '../items.ts'
import { plural } from '../plural.ts'
import type { Report, ReportCheck } from '../report.ts'
import { STATUS_WORDS } from '../status-words.ts'
import { nameHtml, textHtml } from './text.ts'

/** The answer in one box: may this go in front of users? */
export function renderVerdict(report: Report): string {
  const { kind, headline, sentence } = answerOf(report)
  return `<section class="verdict ${kind}" aria-label="Verdict"><strong>${escapeHtml(headline)}</strong><p>${escapeHtml(sentence)}</p></section>`
}

/** Counts at a glance. */
export function renderTiles(report: Report): string {
  const s = report.summary
  const { Critical, High, Medium } = countBySeverity(reportItems(report))
  const tiles: [number, string, string][] = [
    [Critical, 'Critical', 'Critical'],
    [High, 'High', 'High'],
    [Medium, 'Medium', 'Medium'],
    [s.failed, s.failed === 1 ? 'check failed' : 'checks failed', ''],
    [s.passed, s.passed === 1 ? 'check passed' : 'checks passed', ''],
    [s.unverified, 'to check by hand', ''],
    [s.notApplicable, s.notApplicable === 1 ? 'does not apply' : 'do not apply', ''],
  ]
  return `<ul class="tiles" aria-label="Counts">${tiles.map(([n, label, kind]) => `<li${n && kind ? ` class="${kind}"` : ''}><b>${n}</b>${label}</li>`).join('')}</ul>`
}

/** The 25 checks: those that failed; the others are folded (what is to be checked by hand has a section of its own). */
export function renderChecks(report: Report): string {
  const quiet = report.checks.filter((c) => c.status !== 'failed')
  const coverage = coverageLine(report)
  const folded = quiet.length ? `<details><summary>${plural(quiet.length, 'check')} without a finding</summary>${checkTable(quiet)}</details>` : ''
  return `<section aria-labelledby="checks"><h2 id="checks">The 25 checks</h2>${checkTable(report.checks.filter((c) => c.status === 'failed'))}${folded}${coverage ? `<p class="meta">${textHtml(coverage, 600)}</p>` : ''}</section>`
}

function checkTable(checks: readonly ReportCheck[]): string {
  if (!checks.length) return ''
  const rows = checks.map((c) => {
    const first = c.findings[0]
    const reason = first ? `<a href="#f-${nameHtml(first.fingerprint)}">${plural(c.findings.length, 'finding')}</a>` : textHtml(why(c), 400)
    return `<tr><td class="fit">${c.number}</td><td>${textHtml(c.rule, 300)} <span class="meta"><code>${nameHtml(c.id)}</code></span></td><td><span class="tag ${c.status}">${STATUS_WORDS[c.status]}</span></td><td>${reason}</td></tr>`
  })
  return `<div class="scroll" role="region" aria-label="Checks" tabindex="0"><table class="stack"><thead><tr><th scope="col">#</th><th scope="col" class="wide">Rule</th><th scope="col">Result</th><th scope="col" class="wide">Why</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function why(c: ReportCheck): string {
  if (c.status === 'failed') return c.findings.length ? plural(c.findings.length, 'finding') : 'reported under another check'
  return c.because ?? c.evidence.join('; ')
}

/** What a person has to look at, and where. */
export function renderUnverified(report: Report): string {
  const open = report.checks.filter((c) => c.status === 'unverified')
  if (!open.length) return ''
  const rows = open.map(
    (c) =>
      `<li><details><summary>${c.number}. ${textHtml(c.rule, 300)}</summary>${textHtml(c.because ?? '')}${c.howToVerify ? `<br>Look at: ${textHtml(c.howToVerify.where)}<br>Then write down under <code>attest</code> in <code>.github/prelaunch.yml</code>, for <code>${nameHtml(c.id)}</code>: ${textHtml(c.howToVerify.attest)}` : ''}</details></li>`,
  )
  return `<section aria-labelledby="unverified"><h2 id="unverified">Check by hand</h2><p class="meta">The repository does not show these. They have not passed.</p><ul class="plain">${rows.join('')}</ul></section>`
}

/** Whose rows the code of a route reaches. */
const ROWS_BY_AUTHORITY: Readonly<Record<string, string>> = { service: 'everyone’s', caller: 'the user’s own', anon: 'public ones' }

/** Every entry of the application and who is let in. */
export function renderRoutes(report: Report): string {
  if (!report.routes.length) return ''
  const findingOf = new Map(report.checks.flatMap((c) => c.findings.map((f) => [f.subject, f] as const)).reverse())
  const open = report.routes.filter((r) => !r.guard).length
  const rows = report.routes
    .toSorted((a, b) => Number(a.guard !== null) - Number(b.guard !== null))
    .map((r) => {
      const finding = findingOf.get(r.subject)
      const way = finding
        ? `<a class="tag ${finding.severity}" href="#f-${nameHtml(finding.fingerprint)}">no check</a>`
        : '<span class="tag plain">everyone</span>'
      const guard = r.guard ? `${textHtml(r.guard.who)} <span class="meta"><code>${nameHtml(r.guard.path)}:${r.guard.line}</code></span>` : way
      const rights = r.tables.length ? (ROWS_BY_AUTHORITY[r.client ?? ''] ?? nameHtml(r.client ?? '')) : ''
      return `<tr><td class="fit">${nameHtml(r.method ?? (r.kind === 'page' ? 'page' : 'any'))}</td><td><code>${nameHtml(r.route)}</code><br><span class="meta">${nameHtml(r.path)}:${r.line}</span></td><td>${guard}</td><td>${nameHtml(r.tables.join(', '), 300)}</td><td>${rights}</td></tr>`
    })
  return `<section aria-labelledby="routes"><h2 id="routes">Pages and endpoints</h2><p class="meta">${plural(report.routes.length, 'page or endpoint', 'pages and endpoints')}, ${open} without a sign-in check.</p><details><summary>Show all, the open ones first</summary><div class="scroll" role="region" aria-labelledby="routes" tabindex="0"><table><thead><tr><th scope="col">Method</th><th scope="col" class="wide">Route</th><th scope="col" class="wide">Who is let in</th><th scope="col">Tables</th><th scope="col">Whose rows</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div></details></section>`
}

/** What changed against the base. */
export function renderComparison(report: Report): string {
  if (!report.comparison) return ''
  const c = changesOf(report)
  const list = (title: string, findings: readonly Item[]) =>
    findings.length
      ? `<h3>${title}</h3><ul class="plain">${findings.map((f) => `<li><span class="tag ${f.severity}">${f.severity}</span>${textHtml(f.subject)} <code>${textHtml(f.path)}</code></li>`).join('')}</ul>`
      : ''
  return `<section aria-labelledby="changes"><h2 id="changes">What this change does</h2><p>${plural(c.introduced.length, 'problem')} introduced, ${c.existing.length} there before, ${c.fixed.length} fixed.</p>${list('Fixed', c.fixed)}${list('Could not be read again (not counted as fixed)', c.unreadable)}</section>`
}

/** Gaps and suppressed findings: what the reader must know before trusting the rest. */
export function renderFinePrint(report: Report): string {
  const parts: string[] = []
  if (report.gaps.length)
    parts.push(
      `<details><summary>${plural(report.gaps.length, 'place')} not understood</summary><ul class="plain">${report.gaps
        .slice(0, 200)
        .map((g) => `<li><code>${textHtml(g.path)}${g.line ? `:${g.line}` : ''}</code> ${textHtml(g.because, 300)}</li>`)
        .join('')}</ul></details>`,
    )
  if (report.suppressed.length)
    parts.push(
      `<details><summary>${plural(report.suppressed.length, 'suppressed finding')}</summary><ul class="plain">${report.suppressed.map((s) => `<li>${textHtml(s.finding.check)} ${textHtml(s.finding.subject)}: ${textHtml(s.reason)} (<code>${textHtml(s.where)}</code>)</li>`).join('')}</ul></details>`,
    )
  return parts.length ? `<section aria-labelledby="fine"><h2 id="fine">Fine print</h2>${parts.join('\n')}</section>` : ''
}

/** Problems of the configuration at their lines; before the verdict, because they change what it means. */
export function renderConfiguration({ audit }: Pick<Report, 'audit'>): string {
  const { problems } = audit.config
  if (!problems.length) return ''
  const rows = problems.map((p) => `<li><code>${textHtml(p.path)}:${p.line}</code> ${textHtml(p.message)}</li>`)
  return `<section class="verdict warn" aria-label="Configuration"><b>The configuration has ${plural(problems.length, 'problem')}</b><ul class="plain">${rows.join('')}</ul></section>`
}
