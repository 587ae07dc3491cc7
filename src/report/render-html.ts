import { cleanLine } from '../lib/clean-text.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { type Excerpts, renderFindings } from './html/findings.ts'
import { renderMatrix } from './html/matrix.ts'
import {
  renderChecks,
  renderComparison,
  renderConfiguration,
  renderFinePrint,
  renderRoutes,
  renderTiles,
  renderUnverified,
  renderVerdict,
} from './html/sections.ts'
import { renderByHand, renderStart } from './html/start.ts'
import { STYLE } from './html/style.ts'
import { plural } from './plural.ts'
import type { Report } from './report.ts'

/** The report as one HTML file that works from the disk: no scripts, no external requests, nothing unescaped. */
export function renderHtml(report: Report, excerpts: Excerpts = new Map(), date?: string): string {
  const { audit } = report
  const name = escapeHtml(cleanLine(audit.repository ?? 'repository'))
  const commit = escapeHtml(audit.commit.slice(0, 12))
  const sections = [
    renderByHand(report),
    renderComparison(report),
    renderFindings(report, excerpts),
    renderMatrix(report.access),
    renderRoutes(report),
    renderChecks(report),
    renderUnverified(report),
  ].filter(Boolean)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="robots" content="noindex">
<title>Prelaunch audit of ${name} at ${commit}</title><style>${STYLE}</style></head>
<body><main>
<header><h1>Prelaunch audit · ${name} at <code>${commit}</code></h1>
<p class="meta">${date ? `${escapeHtml(date)} · ` : ''}${plural(audit.files, 'file')}, ${plural(audit.history.commits, 'commit')} of history${audit.history.complete ? '' : ' (not all)'} · ${advisoryWords(audit.advisories)}</p></header>
${renderContents(sections)}
${renderConfiguration(report)}
${renderVerdict(report)}
${renderStart(report)}
${renderTiles(report)}
${sections.join('\n')}
${renderFinePrint(report)}
<footer>Prelaunch ${escapeHtml(report.tool.version)}. This report is yours. What an audit of the code cannot see is listed under “Check by hand”, never as passed.</footer>
</main></body></html>
`
}

/** The sections that there are, by the id and the text of their headings; folded, so that it can stay in view on a phone. */
function renderContents(sections: readonly string[]): string {
  const links = sections.flatMap((s) => {
    const [, id, title] = /<h2 id="(\w+)">([^<]*)<\/h2>/.exec(s) ?? []
    return id ? [`<li><a href="#${id}">${title}</a></li>`] : []
  })
  return `<nav class="contents" aria-label="Contents"><details><summary>Contents</summary><ul>${links.join('')}</ul></details></nav>`
}

/** Whether packages were compared with known vulnerabilities; never that there are none where nothing was asked. */
function advisoryWords({ source, asOf }: Report['audit']['advisories']): string {
  if (source === 'none') return 'vulnerable packages: not checked'
  return `vulnerable packages: checked${asOf ? ` as of ${escapeHtml(asOf)}` : ''}`
}
