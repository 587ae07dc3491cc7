import type { AccessCell, AccessObject } from '../../database/database.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { escapeHtml } from '../../lib/escape-html.ts'

const COMMANDS = ['select', 'insert', 'update', 'delete'] as const
const COLUMNS = [
  { role: 'anon', title: 'A stranger', row: 'other' },
  { role: 'A', title: 'Another signed-in user', row: 'other' },
  { role: 'A', title: 'The owner', row: 'own' },
] as const

/** The access matrix as a picture: who can read, add, change and remove rows of whom, as tried in the database. */
export function renderMatrix(objects: readonly AccessObject[]): string {
  const shown = objects.filter((o) => o.cells.length && o.kind !== 'function')
  if (!shown.length) return ''
  const head = COLUMNS.map((c) => `<th colspan="4" scope="colgroup">${c.title}</th>`).join('')
  const verbs = COLUMNS.map(() => '<th scope="col">read</th><th scope="col">add</th><th scope="col">change</th><th scope="col">remove</th>').join('')
  return `<section aria-labelledby="access"><h2 id="access">Who can reach which rows</h2>
<p class="meta">Not read from the policies: the database was rebuilt from the repository's SQL and every cell was tried with two made-up users.</p>
<div class="scroll"><table class="matrix"><thead><tr><th rowspan="2" scope="col">Table, view or bucket</th>${head}</tr><tr>${verbs}</tr></thead><tbody>
${shown.map(renderObject).join('\n')}
</tbody></table></div></section>`
}

function renderObject(o: AccessObject): string {
  const cells = COLUMNS.flatMap((c) => COMMANDS.map((command) => renderCell(cellOf(o, c.role, command, c.row), c.row)))
  const rls =
    o.kind === 'table' && o.rls === false ? ' <span class="tag Critical">RLS off</span>' : o.kind === 'table' ? '' : ` <span class="tag plain">${o.kind}</span>`
  return `<tr><th scope="row"><code>${escapeHtml(cleanLine(o.object))}</code>${rls}</th>${cells.join('')}</tr>`
}

/** The worst of the trials that one cell of the picture stands for: `forged` and `tenant` rows are somebody else's. */
function cellOf(o: AccessObject, role: 'anon' | 'A', command: string, row: 'own' | 'other'): AccessCell | undefined {
  const wanted = o.cells.filter(
    (c) => c.role === role && c.command === command && c.column === undefined && (row === 'own' ? c.row === 'own' : c.row !== 'own' || role === 'anon'),
  )
  return wanted.find((c) => c.result === 'allowed') ?? wanted.find((c) => c.result === 'error') ?? wanted[0]
}

function renderCell(cell: AccessCell | undefined, row: 'own' | 'other'): string {
  if (!cell) return '<td><span class="cell shut">–</span></td>'
  if (cell.result === 'error')
    return `<td><span class="cell error" title="${escapeHtml(cleanLine(cell.because ?? 'could not be tried', 200))}">unclear</span></td>`
  if (cell.result === 'refused') return '<td><span class="cell shut">no</span></td>'
  return `<td><span class="cell ${row === 'own' ? 'own' : 'open'}">yes</span></td>`
}
