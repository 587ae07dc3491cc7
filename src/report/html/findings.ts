import { SEVERITIES } from '../../checks/outcome.ts'
import { type Item, reportItems } from '../items.ts'
import { migrationFor } from '../migration.ts'
import { plural } from '../plural.ts'
import { promptFor, promptForAll } from '../prompt.ts'
import type { Report, ReportFinding } from '../report.ts'
import { SEE_MORE } from '../see-more.ts'
import { stakesSentence } from '../stakes.ts'
import { renderFilters } from './filters.ts'
import { codeHtml, nameHtml, textHtml, wholeCode } from './text.ts'

/** Lines around a finding, already redacted; `first` is the number of the first line. */
export interface Excerpt {
  readonly first: number
  readonly lines: readonly string[]
}

/** Excerpts by `path:line` of the finding. */
export type Excerpts = ReadonlyMap<string, Excerpt>

/** Rows of a severity before the others are folded away. */
const MAX_ROWS = 8

/** Every finding: filters, what to paste once, then a row for each that unfolds. The worst severity is open, the others are folded. */
export function renderFindings(report: Report, excerpts: Excerpts): string {
  const all = reportItems(report)
  if (!all.length) return ''
  const levels = SEVERITIES.map((severity) => ({ severity, items: all.filter((i) => i.severity === severity) })).filter((l) => l.items.length)
  const groups = levels.map(({ severity, items }, i) => {
    const rows = items.map((item) => renderItem(report, item, excerpts.get(`${item.path}:${item.line}`), all.length <= 2))
    const rest = rows.slice(MAX_ROWS)
    const more = rest.length ? `<details class="more"><summary>${rest.length} more ${severity}</summary>${rest.join('\n')}</details>` : ''
    return `<details class="group"${i === 0 ? ' open' : ''}><summary><b>${items.length} ${severity}</b></summary>${rows.slice(0, MAX_ROWS).join('\n')}${more}</details>`
  })
  return `<section class="findings" aria-labelledby="findings"><h2 id="findings">Findings</h2>${all.length > 2 ? renderFilters(all, report.comparison !== undefined) : ''}${groups.join('\n')}${renderPasteAll(all)}</section>`
}

function renderPasteAll(findings: readonly ReportFinding[]): string {
  const migration = migrationFor(findings)
  const prompt = findings.length > 1 ? promptForAll(findings, { budget: 20_000, seeMore: SEE_MORE.report }) : undefined
  const parts = [
    prompt
      ? copyBox(
          `One prompt for your AI builder that fixes ${prompt.left ? `the worst ${prompt.included} of ${findings.length}` : `all ${findings.length}`}`,
          prompt.text,
        )
      : '',
    migration && migration.fixes.length > 1
      ? copyBox(`${plural(migration.fixes.length, 'database fix', 'database fixes')} as one migration: each was tried and closes its hole`, migration.sql)
      : '',
  ].filter(Boolean)
  return parts.length ? `<div class="paste">${parts.join('')}</div>` : ''
}

/** A text to copy, folded away, and not on paper. It wraps, because it is read as prose. */
function copyBox(title: string, body: string): string {
  return `<details class="copy"><summary>${title}</summary><pre class="wrap" tabindex="0">${wholeCode(body)}</pre></details>`
}

function renderItem(report: Report, f: Item, excerpt: Excerpt | undefined, open: boolean): string {
  const failed = report.checks.filter((c) => f.members.some((m) => m.check === c.id))
  // links from the table of checks and of routes lead here for each finding that the card stands for
  const anchors = f.members.slice(1).map((m) => `<a id="f-${nameHtml(m.fingerprint)}"></a>`)
  const state = f.state === 'introduced' ? '<span class="tag new">new</span>' : ''
  const id = nameHtml(f.fingerprint)
  return `<article class="finding ${f.severity} ${f.state ?? 'existing'}" id="f-${id}" aria-labelledby="t-${id}">${anchors.join('')}<details${open ? ' open' : ''}><summary><h3 id="t-${id}"><span class="tag ${f.severity}">${f.severity}</span>${textHtml(f.title, 300)}</h3><span class="where">${nameHtml(f.subject, 120)}</span></summary>
<p class="where">${state}<b>${nameHtml(f.subject)}</b> · <code>${nameHtml(f.path)}:${f.line}</code> · check ${failed.map((c) => `${c.number} ${nameHtml(c.id)}`).join(', ')}${f.workspace ? ` · ${nameHtml(f.workspace)}` : ''}</p>
<p>${textHtml(f.message)}</p><p class="attack"><b>What an attacker does:</b> ${textHtml(f.attack)}</p><p class="meta">${textHtml(stakesSentence(report, f))}</p>
${excerpt ? renderExcerpt(excerpt, f) : ''}${renderFix(f)}
${f.assumes ? `<p class="meta">Assumes: ${textHtml(f.assumes)}</p>` : ''}${copyBox('Prompt for your AI builder', promptFor(f))}${renderRelated(f)}</details></article>`
}

function renderFix({ fix }: ReportFinding): string {
  const proved = fix.proved ? ' <span class="tag passed">tried: closes the hole</span>' : ''
  const { replaces } = fix
  const lines = replaces
    ? `<p class="meta">${replaces.line === replaces.endLine ? `Line ${replaces.line}` : `Lines ${replaces.line} to ${replaces.endLine}`} of <code>${nameHtml(replaces.path)}</code> ${replaces.line === replaces.endLine ? 'becomes' : 'become'}:</p>`
    : ''
  return `<p><b>Fix:</b> ${textHtml(fix.text)}${proved}</p>${fix.code ? `${lines}<pre tabindex="0" aria-label="Fix">${codeHtml(fix.code)}</pre>` : ''}`
}

function renderExcerpt(excerpt: Excerpt, f: ReportFinding): string {
  const rows = excerpt.lines.map((line, i) => {
    const no = excerpt.first + i
    const hit = no >= f.line && no <= Math.min(f.endLine, f.line + 7)
    const body = `<span class="no">${no}</span>${codeHtml(line)}`
    return hit ? `<span class="hit">${body}</span>` : `${body}\n`
  })
  return `<pre class="lines" tabindex="0" aria-label="Source">${rows.join('')}</pre>`
}

function renderRelated(f: ReportFinding): string {
  if (!f.related.length) return ''
  const rows = f.related.slice(0, 40).map((r) => `<li><code>${nameHtml(r.path)}:${r.line}</code> ${textHtml(r.what)}</li>`)
  return `<details><summary>${plural(f.related.length, 'related place')}</summary><ul class="plain">${rows.join('')}</ul></details>`
}
