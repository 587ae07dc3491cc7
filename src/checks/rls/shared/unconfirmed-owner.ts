import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Effect } from '../../../model/behaviour/types.ts'

type Query = Extract<Effect, { kind: 'db' }>

/** Whether a query speaks of one of the columns: it asks for it, looks by it or writes it. */
const speaksOf = ({ columns: asked = [], filters, payload }: Query, columns: readonly string[]): boolean =>
  asked.some((c) => columns.includes(c)) ||
  filters.some((f) => columns.includes(lastPart(f.column))) ||
  (payload?.v === 'object' && columns.some((c) => c in payload.props))

/**
 * A table is created without an owner, and only policies of another generation of the schema compare a column of it with the caller. Where the code
 * that writes and reads the rows never speaks of that column either, there is none: the rows are nobody's.
 */
export function isOwnerOnlyGuessed({ routes }: Pick<AppModel, 'routes'>, table: Table): boolean {
  const data = table.userData
  if (!data || table.stub || data.personalColumns.length || data.tenantColumns.length) return false
  const owners = table.columns.filter((c) => data.ownerColumns.includes(c.name))
  if (!owners.length || owners.some((c) => !c.stub)) return false
  const names = [table.name, `${table.schema}.${table.name}`]
  const queries = routes.routes.flatMap((r) => (r.behaviour?.steps ?? []).flatMap(({ effect: e }) => (e.kind === 'db' && names.includes(e.table) ? [e] : [])))
  const guessed = owners.map((c) => c.name)
  return queries.some((e) => e.op === 'insert') && queries.some((e) => e.op === 'select') && !queries.some((e) => speaksOf(e, guessed))
}
