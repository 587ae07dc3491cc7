import { grantsPower } from '../../database/access/power-columns.ts'
import { tablesCalled } from '../../database/called-table.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'
import type { Known } from './known.ts'
import { manners } from './manners.ts'
import type { OwnershipBreach } from './ownership-breach.ts'

/** What the database or the code fills in, whoever writes the row. */
const FILLED_IN = /^(?:id|uuid|created_?at|updated_?at|deleted_?at|inserted_?at|search_vector|fts)$/i
/** More columns than these are told by their number. */
const MOST = 24

/** The columns that a handler may take over from a request, as the table has them, out of what the handler has the request's values in. */
export function namedColumns(b: OwnershipBreach, fix: Fix, { all, schema, around }: Known, route: Route): Fix {
  if (b.kind !== 'mass-assignment' || !b.table || !fix.code?.startsWith('const { title, description } = ')) return fix
  const [, source] = /^body `(\w{1,60})`$/.exec(b.by ?? '') ?? []
  const first = around.parameters(route)[0]
  const code =
    source !== undefined
      ? fix.code.replace(/ = .*/, ` = ${source}`)
      : first !== undefined && /^\w{1,40}$/.test(first)
        ? fix.code.replace(/\brequest\.json\(\)/, `${first}.json()`)
        : fix.code
  const table = tablesCalled(lastPart(b.table), schema.tables)[0]
  const library = b.library ?? manners(route, all).library
  if (library !== undefined && library !== 'supabase') return { ...fix, code }
  if (!table || table.stub || !table.columns.length) return { ...fix, code }
  const { ownerColumns = [], tenantColumns = [], powerColumns = [] } = table.userData ?? {}
  const kept = new Set([...ownerColumns, ...tenantColumns, ...powerColumns, ...table.primaryKey, ...(b.ownerColumn ? [b.ownerColumn] : [])])
  const free = table.columns.map((c) => c.name).filter((c) => /^[a-z_]\w*$/i.test(c) && !kept.has(c) && !FILLED_IN.test(c) && !grantsPower(c))
  if (!free.length) return { ...fix, code }
  const some = free.slice(0, MOST).join(', ')
  const names = free.length > MOST ? `${some} /* and ${free.length - MOST} more columns of ${table.name} */` : some
  return {
    ...fix,
    text: `${fix.text} Leave out below what users do not decide.`,
    code: code.replace('{ title, description } =', `{ ${names} } =`).replace('// write only { title, description }', `// write only { ${names} }`),
  }
}
