import { cleanLine } from '../lib/clean-text.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { type Excerpts, renderFindings } from './html/findings.ts'
import { renderMatrix } from './html/matrix.ts'
import { renderChecks, renderComparison, renderFinePrint, renderRoutes, renderTiles, renderUnverified, renderVerdict } from './html/sections.ts'
import { STYLE } from './html/style.ts'
import { plural } from './plural.ts'
import type { Report } from './report.ts'

/** The report as one HTML file that works from the disk: no scripts, no external requests, nothing unescaped. */
export function renderHtml(report: Report, excerpts: Excerpts = new Map()): string {
  const { audit } = report
  const name = escapeHtml(cleanLine(audit.repository ?? 'repository'))
  const commit = escapeHtml(audit.commit.slice(0, 12))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="robots" content="noindex">
<title>Prelaunch audit of ${name} at ${commit}</title><style>${STYLE}</style></head>
<body><main>
<header><h1>Prelaunch audit · ${name} at <code>${commit}</code></h1>
<p class="meta">${plural(audit.files, 'file')}, ${plural(audit.history.commits, 'commit')} of history${audit.history.complete ? '' : ' (not all)'}, advisories: ${audit.advisories.source}${audit.advisories.asOf ? ` as of ${escapeHtml(audit.advisories.asOf)}` : ''}.</p></header>
${renderVerdict(report)}
${renderTiles(report)}
${renderComparison(report)}
${renderFindings(report, excerpts)}
${renderMatrix(report.access)}
${renderRoutes(report)}
${renderChecks(report)}
${renderUnverified(report)}
${renderFinePrint(report)}
<footer>Prelaunch ${escapeHtml(report.tool.version)}. This report belongs to whoever ran the audit. What a static audit cannot see is listed as unverified, never as passed.</footer>
</main></body></html>
`
}
