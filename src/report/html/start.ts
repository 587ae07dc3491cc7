import { firstSentence } from '../first-sentence.ts'
import { type Item, reportItems } from '../items.ts'
import type { Report } from '../report.ts'
import { stakesSentence } from '../stakes.ts'
import { startItems, startTitle, stepsByHand } from '../start-with.ts'
import { nameHtml, textHtml } from './text.ts'

/** What to begin with: a short card for each problem, which leads to the finding with its fix. */
export function renderStart(report: Report): string {
  const start = startItems(reportItems(report))
  if (!start.length) return ''
  return `<section aria-labelledby="start"><h2 id="start">${startTitle(start.length)}</h2><ol class="start">${start.map((item) => card(report, item)).join('')}</ol></section>`
}

function card(report: Report, item: Item): string {
  return `<li><a href="#f-${nameHtml(item.fingerprint)}"><b>${textHtml(item.title, 200)}</b></a>
<p class="where"><span class="tag ${item.severity}">${item.severity}</span><code>${nameHtml(item.path)}:${item.line}</code></p>
<p>${textHtml(stakesSentence(report, item))}</p><p><b>Fix:</b> ${textHtml(firstSentence(item.fix.text, 300))}</p></li>`
}

/** What only a person can do; an address is shown as text, because the report leads nowhere by itself. */
export function renderByHand(report: Report): string {
  const steps = stepsByHand(reportItems(report))
  if (!steps.length) return ''
  const rows = steps.slice(0, 50).map((s) => `<li>${textHtml(s.what, 300)}<br><span class="meta">${textHtml(s.where, 300)}</span></li>`)
  return `<section aria-labelledby="yourself"><h2 id="yourself">Do this yourself</h2><p class="meta">No change of the code does this.</p><ul class="plain todo">${rows.join('')}</ul></section>`
}
