import type { AccessCell, AccessObject } from '../../database/database.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { COMMAND_VERBS, callableFunctions, callWords, ROW_COMMANDS, rowObjects, shownViewers, trialOf, VIEWERS, type Viewer } from '../access-words.ts'
import { plural } from '../plural.ts'

const [STRANGER, OTHER] = VIEWERS

/** The access matrix as a picture: who can read, add, change and remove rows of whom, as tried in the database. */
export function renderMatrix(objects: readonly AccessObject[]): string {
  const shown = rowObjects(objects).toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)))
  const open = shown.filter(isOpen).length
  const rows = shown.length ? renderRows(shown) : ''
  const calls = renderCalls(callableFunctions(objects))
  if (!rows && !calls) return ''
  return `<section aria-labelledby="access"><h2 id="access">Who can reach which rows</h2>
<p class="meta">We rebuilt the database from your SQL and tried every cell with made-up users. ${plural(shown.length, 'table, view or bucket', 'tables, views and buckets')}, ${open} open to strangers.</p>
<details><summary>Show all, the open ones first</summary>${rows}${calls}</details></section>`
}

/** Whether a stranger got at anything of it when it was tried. */
const isOpen = (o: AccessObject): boolean => ROW_COMMANDS.some((command) => trialOf(o, STRANGER, command)?.result === 'allowed')

function renderRows(objects: readonly AccessObject[]): string {
  const viewers = shownViewers(objects)
  const head = viewers.map((v) => `<th colspan="4" scope="colgroup">${v.title}</th>`).join('')
  const verbs = viewers.map(() => ROW_COMMANDS.map((c) => `<th scope="col">${COMMAND_VERBS[c]}</th>`).join('')).join('')
  return `<div class="scroll" role="region" aria-labelledby="access" tabindex="0"><table class="matrix"><thead><tr><th rowspan="2" scope="col">Table, view or bucket</th>${head}</tr><tr>${verbs}</tr></thead><tbody>
${objects.map((o) => renderObject(o, viewers)).join('\n')}
</tbody></table></div>`
}

function renderObject(o: AccessObject, viewers: readonly Viewer[]): string {
  const cells = viewers.flatMap((v) => ROW_COMMANDS.map((command) => renderCell(trialOf(o, v, command), v.role === 'A' && !isForeign(v))))
  const rls =
    o.kind === 'table' && o.rls === false ? ' <span class="tag Critical">RLS off</span>' : o.kind === 'table' ? '' : ` <span class="tag plain">${o.kind}</span>`
  return `<tr><th scope="row">${name(o)}${rls}</th>${cells.join('')}</tr>`
}

/** Rows of people who have nothing to do with the viewer; a team's rows are its members' business. */
function isForeign(viewer: Viewer): boolean {
  return viewer.rows.includes('other')
}

function renderCell(cell: AccessCell | undefined, expected: boolean): string {
  if (!cell) return '<td><span class="cell shut">–</span></td>'
  if (cell.result === 'error')
    return `<td><span class="cell error" title="${escapeHtml(cleanLine(cell.because ?? 'could not be tried', 200))}">unclear</span></td>`
  if (cell.result === 'refused') return '<td><span class="cell shut">no</span></td>'
  return `<td><span class="cell ${expected ? 'own' : 'open'}">yes</span></td>`
}

/** Functions that the data API offers: a call with somebody else's id, as a stranger and as another user. */
function renderCalls(functions: readonly AccessObject[]): string {
  if (!functions.length) return ''
  const rows = functions.map(
    (o) =>
      `<tr><th scope="row">${name(o)}${o.definer ? ' <span class="tag High">past RLS</span>' : ''}</th>${[STRANGER, OTHER].map((v) => renderCall(trialOf(o, v, 'execute'), o)).join('')}</tr>`,
  )
  return `<h3>Functions that a browser may call</h3>
<p class="meta">Each was called with the ids of another user; the call was undone. Past RLS: it runs with its owner's rights (SECURITY DEFINER).</p>
<div class="scroll" role="region" aria-label="Functions" tabindex="0"><table class="calls"><thead><tr><th scope="col">Function</th><th scope="col">${STRANGER.title}</th><th scope="col">${OTHER.title}</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`
}

function renderCall(cell: AccessCell | undefined, o: AccessObject): string {
  const kind = !cell || cell.result === 'refused' ? 'shut' : cell.result === 'error' ? 'error' : cell.because && o.definer ? 'open' : 'own'
  const why = cell && cell.result !== 'allowed' && cell.because ? ` title="${escapeHtml(cleanLine(cell.because, 200))}"` : ''
  return `<td><span class="cell ${kind}"${why}>${escapeHtml(cleanLine(callWords(cell), 120))}</span></td>`
}

function name(o: AccessObject): string {
  return `<code>${escapeHtml(cleanLine(o.object))}</code>`
}
