import { grantsPower } from '../../../database/access/column-authority/privilege-columns.ts'
import { tablesCalled } from '../../../database/called-table.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { requestBodyExpression } from '../messages/object-level.ts'
import type { OwnershipBreach } from '../shared/violation.ts'
import { manners } from './code-conventions.ts'
import type { Known } from './fix-context.ts'

/** What the database or the code fills in, whoever writes the row. */
const SERVER_FILLED_COLUMN = /^(?:id|uuid|created_?at|updated_?at|deleted_?at|inserted_?at|search_vector|fts)$/i
/** More columns than these are told by their number. */
const MOST = 24

/**
 * The columns that a handler may take over from a request, as the table has them, out of what the handler has the request's values in. Code only where
 * the columns are known and few enough to be read.
 */
export function namedColumns(b: OwnershipBreach, fix: Fix, { all, schema, around }: Known, route: Route): Fix {
  if (b.kind !== 'mass-assignment' || !b.table) return fix
  const library = b.library ?? manners(route, all).library
  const table = tablesCalled(lastPart(b.table), schema.tables)[0]
  if ((library !== undefined && library !== 'supabase') || !table || table.stub) return fix
  const { ownerColumns = [], tenantColumns = [], powerColumns = [] } = table.userData ?? {}
  const kept = new Set([...ownerColumns, ...tenantColumns, ...powerColumns, ...table.primaryKey, ...(b.ownerColumn ? [b.ownerColumn] : [])])
  const free = table.columns.map((c) => c.name).filter((c) => /^[a-z_]\w*$/i.test(c) && !kept.has(c) && !SERVER_FILLED_COLUMN.test(c) && !grantsPower(c))
  if (!free.length || free.length > MOST) return fix
  const names = free.join(', ')
  return {
    ...fix,
    text: `${fix.text} Leave out below what users do not decide.`,
    language: 'ts',
    code: `const { ${names} } = ${valuesOf(b, route, around.parameters(route)[0])}\n// write only { ${names} }`,
  }
}

/** Where the handler has the values of the request. */
function valuesOf(b: OwnershipBreach, route: Route, parameter: string | undefined): string {
  const [, variable] = /^body `(\w{1,60})`$/.exec(b.by ?? '') ?? []
  if (variable !== undefined) return variable
  if (route.kind === 'action') return 'input // the argument'
  const body = requestBodyExpression(route)
  return parameter !== undefined && /^\w{1,40}$/.test(parameter) ? body.replace(/\brequest\.json\(\)/, `${parameter}.json()`) : body
}
