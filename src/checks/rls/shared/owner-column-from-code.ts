import type { Table } from '../../../database/database.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import { qualifiedName } from '../messages/rls.ts'

/** A column by which code keeps people's rows apart, and where it does. */
interface Kept {
  readonly table: string
  readonly column: string
  readonly at: Place
}

/**
 * The column of a table that code compares with the caller although the SQL knows of no owner: it was added in the dashboard, and rows
 * that look like everybody's are somebody's.
 */
export function keptByCode({ routes }: Pick<AppModel, 'routes'>, table: Table): Kept | undefined {
  if (table.userData?.ownerColumns.length || table.userData?.tenantColumns.length) return undefined
  const names = [table.name, qualifiedName(table)]
  for (const { behaviour } of routes.routes) {
    const kept = behaviour && keptIn(behaviour).find((k) => names.includes(k.table))
    if (kept) return kept
  }
  return undefined
}

/** Rows asked for by the caller's id; the key of the row itself says nothing of others. */
const keptIn = rememberFor((behaviour: Behaviour): readonly Kept[] =>
  behaviour.steps.flatMap(({ effect: e, at }) => {
    if (e.kind !== 'db') return []
    const filter = e.filters.find((f) => f.op === 'eq' && /^\w{1,60}_(?:id|uid)$/.test(f.column) && isCallersId(f.value))
    return filter ? [{ table: e.table, column: filter.column, at }] : []
  }),
)

/** The caller's id itself; what stands in a row of the caller's may be a tenant. */
const isCallersId = (v: Value): boolean => v.v === 'caller' && /^(?:id|sub)$/.test(v.field ?? '')
