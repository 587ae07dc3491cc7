import { cleanLine } from '../../lib/clean-text.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import type { Report, ReportCheck, ReportFinding } from '../report.ts'

/** Lines around a finding, already redacted; `first` is the number of the first line. */
export interface Excerpt {
  readonly first: number
  readonly lines: readonly string[]
}

/** Excerpts by `path:line` of the finding. */
export type Excerpts = ReadonlyMap<string, Excerpt>

const text = (t: string, max = 4000): string => escapeHtml(cleanLine(t, max))
/** Code keeps its line breaks and nothing else that is not printable. */
const code = (t: string): string =>
  t
    .split('\n')
    .slice(0, 120)
    .map((l) => escapeHtml(cleanLine(l.replace(/\t/g, '  '), 400)))
    .join('\n')
const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** The answer in one box: may this go in front of users? */
export function renderVerdict(report: Report): string {
  const { critical, high, medium } = report.summary
  const introduced = report.comparison ? report.checks.flatMap((c) => c.findings).filter((f) => f.state === 'introduced') : undefined
  const worst = introduced?.filter((f) => f.severity === 'Critical').length ?? critical
  if (!report.audit.complete)
    return box('bad', 'The audit is not complete', 'Not every file of the repository could be listed, so nothing below is a clean bill.')
  if (worst)
    return box(
      'bad',
      `Not safe: ${plural(worst, 'critical hole')}`,
      introduced
        ? 'This change opens the holes below. Close them before merging.'
        : 'Today, anyone can read or change other people’s data, forge a payment, or use a secret. Close the critical findings first.',
    )
  if (introduced?.length)
    return box('warn', `${plural(introduced.length, 'finding')} introduced, none critical`, 'Nothing below hands out data by itself; read them before merging.')
  if (introduced) return box('ok', 'This change introduces nothing', `${plural(critical + high + medium, 'older finding')} remain.`)
  if (high) return box('warn', `No critical hole, ${plural(high, 'serious finding')}`, 'A control is missing or wrong; fix these before launch.')
  if (medium) return box('warn', `No critical hole, ${plural(medium, 'smaller finding')}`, 'Nothing leaks by these alone.')
  return box('ok', 'No holes found', `${plural(report.summary.unverified, 'check')} could not be decided from the repository: see what to look at below.`)
}

function box(kind: string, headline: string, sentence: string): string {
  return `<section class="verdict ${kind}" aria-label="Verdict"><strong>${escapeHtml(headline)}</strong><p>${escapeHtml(sentence)}</p></section>`
}

/** Counts at a glance. */
export function renderTiles(report: Report): string {
  const s = report.summary
  const tiles: [number, string][] = [
    [s.critical, 'Critical'],
    [s.high, 'High'],
    [s.medium, 'Medium'],
    [s.passed, 'checks passed'],
    [s.failed, 'checks failed'],
    [s.unverified, 'to look at'],
    [s.notApplicable, 'not applicable'],
  ]
  return `<ul class="tiles">${tiles.map(([n, label]) => `<li><b>${n}</b>${label}</li>`).join('')}</ul>`
}

/** Every finding, most severe first. */
export function renderFindings(report: Report, excerpts: Excerpts): string {
  const order = { Critical: 0, High: 1, Medium: 2 }
  const shown = new Set<string>()
  const all = report.checks.flatMap((c) => c.findings.map((f) => ({ c, f }))).sort((a, b) => order[a.f.severity] - order[b.f.severity])
  const cards = all.flatMap(({ c, f }) => {
    const cause = `${f.subject} ${f.path}:${f.line}`
    if (f.alsoFails.length && shown.has(cause)) return []
    shown.add(cause)
    return [renderFinding(c, f, excerpts.get(`${f.path}:${f.line}`))]
  })
  return cards.length ? `<section aria-labelledby="findings"><h2 id="findings">Findings</h2>${cards.join('\n')}</section>` : ''
}

function renderFinding(check: ReportCheck, f: ReportFinding, excerpt: Excerpt | undefined): string {
  const also = f.alsoFails.length ? `, also ${f.alsoFails.join(', ')}` : ''
  const state = f.state === 'introduced' ? '<span class="tag Critical">introduced</span>' : ''
  const proof = f.proof === 'executed' ? '<span class="tag plain">tried: it works</span>' : ''
  return `<article class="finding ${f.severity}" id="f-${f.fingerprint}"><h3><span class="tag ${f.severity}">${f.severity}</span>${state}${proof}${text(f.subject)}</h3>
<p class="where"><code>${text(f.path)}:${f.line}</code> · check ${check.number} ${text(check.id)}${also}${f.workspace ? ` · ${text(f.workspace)}` : ''}</p>
<p>${text(f.message)}</p><p class="attack"><b>What an attacker does:</b> ${text(f.attack)}</p>
${excerpt ? renderExcerpt(excerpt, f) : ''}<p><b>Fix:</b> ${text(f.fix.text)}${f.fix.proved ? ' <span class="tag passed">proved: closes the hole</span>' : ''}</p>${f.fix.code ? `<pre>${code(f.fix.code)}</pre>` : ''}
${f.assumes ? `<p class="meta">Assumes: ${text(f.assumes)}</p>` : ''}${renderRelated(f)}</article>`
}

function renderExcerpt(excerpt: Excerpt, f: ReportFinding): string {
  const rows = excerpt.lines.map((line, i) => {
    const no = excerpt.first + i
    const hit = no >= f.line && no <= Math.min(f.endLine, f.line + 7)
    const body = `<span class="no">${no}</span>${code(line)}`
    return hit ? `<span class="hit">${body}</span>` : `${body}\n`
  })
  return `<pre class="lines" aria-label="Source">${rows.join('')}</pre>`
}

function renderRelated(f: ReportFinding): string {
  if (!f.related.length) return ''
  const rows = f.related.slice(0, 40).map((r) => `<li><code>${text(r.path)}:${r.line}</code> ${text(r.what)}</li>`)
  return `<details><summary>${plural(f.related.length, 'related place')}</summary><ul class="plain">${rows.join('')}</ul></details>`
}

/** The 25 checks, by category. */
export function renderChecks(report: Report): string {
  const rows = report.checks.map((c, i) => {
    const heading = report.checks[i - 1]?.category === c.category ? '' : `<tr><th colspan="4" scope="colgroup">${text(c.category)}</th></tr>`
    return `${heading}<tr><td>${c.number}</td><td><code>${text(c.id)}</code></td><td><span class="tag ${c.status}">${c.status.replace('-', ' ')}</span></td><td>${text(why(c), 400)}</td></tr>`
  })
  return `<section aria-labelledby="checks"><h2 id="checks">The 25 checks</h2><div class="scroll"><table><thead><tr><th scope="col">#</th><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Why</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div></section>`
}

function why(c: ReportCheck): string {
  if (c.status === 'failed') return c.findings.length ? plural(c.findings.length, 'finding') : 'its violations are reported under another check'
  return c.because ?? c.evidence.join('; ')
}

/** What a person has to look at, and where. */
export function renderUnverified(report: Report): string {
  const open = report.checks.filter((c) => c.status === 'unverified')
  if (!open.length) return ''
  const rows = open.map(
    (c) =>
      `<li><b>${c.number} <code>${text(c.id)}</code></b>: ${text(c.because ?? '')}${c.howToVerify ? `<br>Look at: ${text(c.howToVerify.where)}<br>Then attest: ${text(c.howToVerify.attest)}` : ''}</li>`,
  )
  return `<section aria-labelledby="unverified"><h2 id="unverified">To look at yourself</h2><ul class="plain">${rows.join('')}</ul></section>`
}

/** Every entry of the application and who is let in. */
export function renderRoutes(report: Report): string {
  if (!report.routes.length) return ''
  const rows = report.routes.map((r) => {
    const guard = r.guard
      ? `${text(r.guard.who)} <span class="meta"><code>${text(r.guard.path)}:${r.guard.line}</code></span>`
      : '<span class="tag plain">nobody asks</span>'
    return `<tr><td>${text(r.method ?? (r.kind === 'page' ? 'page' : 'any'))}</td><td><code>${text(r.route)}</code><br><span class="meta">${text(r.path)}:${r.line}</span></td><td>${guard}</td><td>${text(r.client ?? '')}</td><td>${text(r.tables.join(', '), 300)}</td></tr>`
  })
  return `<section aria-labelledby="routes"><h2 id="routes">Entries of the application</h2><div class="scroll"><table><thead><tr><th scope="col">Method</th><th scope="col">Route</th><th scope="col">Who is let in</th><th scope="col">Client</th><th scope="col">Tables</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div></section>`
}

/** What changed against the base. */
export function renderComparison(report: Report): string {
  const c = report.comparison
  if (!c) return ''
  const list = (title: string, findings: readonly ReportFinding[]) =>
    findings.length
      ? `<h3>${title}</h3><ul class="plain">${findings.map((f) => `<li><span class="tag ${f.severity}">${f.severity}</span>${text(f.subject)} <code>${text(f.path)}</code></li>`).join('')}</ul>`
      : ''
  return `<section aria-labelledby="changes"><h2 id="changes">What this change does</h2><p>${plural(c.introduced.length, 'finding')} introduced, ${c.existing.length} were there before, ${c.fixed.length} fixed.</p>${list('Fixed', c.fixed)}${list('Could not be read again (not counted as fixed)', c.unreadable)}</section>`
}

/** Gaps, suppressed findings and problems of the configuration: what the reader must know before trusting the rest. */
export function renderFinePrint(report: Report): string {
  const parts: string[] = []
  if (report.gaps.length)
    parts.push(
      `<details><summary>${plural(report.gaps.length, 'place')} not understood</summary><ul class="plain">${report.gaps
        .slice(0, 200)
        .map((g) => `<li><code>${text(g.path)}${g.line ? `:${g.line}` : ''}</code> ${text(g.because, 300)}</li>`)
        .join('')}</ul></details>`,
    )
  if (report.suppressed.length)
    parts.push(
      `<details><summary>${plural(report.suppressed.length, 'suppressed finding')}</summary><ul class="plain">${report.suppressed.map((s) => `<li>${text(s.finding.check)} ${text(s.finding.subject)}: ${text(s.reason)} (<code>${text(s.where)}</code>)</li>`).join('')}</ul></details>`,
    )
  if (report.audit.config.problems.length)
    parts.push(
      `<ul class="plain">${report.audit.config.problems.map((p) => `<li><code>${text(p.path)}:${p.line}</code> ${text(p.message)}</li>`).join('')}</ul>`,
    )
  return parts.length ? `<section aria-labelledby="fine"><h2 id="fine">Fine print</h2>${parts.join('\n')}</section>` : ''
}
