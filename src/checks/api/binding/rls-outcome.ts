/**
 * What the replayed database says of a query through the caller's own client: there it is row level security that has to refuse the rows of others, not the
 * handler.
 */
import { isMeantToBeSeen } from '../../../database/access/row-audience/public-content.ts'
import type { AccessMatrix } from '../../../database/database.ts'
import type { Query } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { tableOf } from '../shared/violation.ts'

/** What row level security was found to allow somebody on another user's row. */
export function rlsState(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix, role: 'A' | 'anon'): 'open' | 'holds' | 'unknown' {
  const table = tableOf(e, schema)
  if (!table) return e.op === 'select' && isOpenView(e, schema, access) ? 'open' : 'unknown'
  if (table.stub || (table.outlined && !table.rls.enabled)) return 'unknown'
  if (!table.rls.enabled) return 'open'
  const tried = access.objects.find((o) => o.kind === 'table' && (o.object === `${table.schema}.${table.name}` || o.object === table.name))
  const command = e.op === 'upsert' ? 'update' : e.op
  const cells =
    tried?.cells.filter((c) => c.command === command && (c.row === 'other' || c.row === 'forged') && (c.role === role || c.role === 'anon') && !c.column) ?? []
  if (cells.some((c) => c.result === 'allowed')) return 'open'
  return cells.some((c) => c.result === 'refused') ? 'holds' : 'unknown'
}

/** A view that shows everybody's rows of a table past its row level security; totals, and rows that others are meant to read, are nobody's. */
function isOpenView(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const name = e.table.includes('.') ? e.table : `public.${e.table}`
  const hole = access.holes?.find((h) => h.kind === 'view' && h.object === name)
  if (!hole || hole.because === 'grouped') return false
  return (hole.tables ?? []).some(({ table }) => {
    const known = schema.tables.find((t) => `${t.schema}.${t.name}` === table)
    return known?.userData !== undefined && !isMeantToBeSeen(known)
  })
}

/** Rows that others are meant to read, or that only a state of theirs opens (check 2 speaks of it): no hole of a policy shows more. */
export function shownByRls(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  if (!table?.rls.enabled) return false
  const holes = (access.holes ?? []).filter((h) => h.object === `${table.schema}.${table.name}` && h.command === 'select')
  return access.holes !== undefined && holes.every((h) => h.cause === 'row-state' || isMeantToBeSeen(table, h.policy))
}
