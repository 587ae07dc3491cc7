import type { Catalog, Policy, Table } from '../../database.ts'
import { holdsCallersId } from '../owners/caller-id-column.ts'
import { BY_SOMEBODY, reachedBy } from '../policies/permission-helpers.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { readable, readableName } from '../sql.ts'
import type { AskParent } from './owner-of-parent.ts'

/** The caller's id as the column's type has it. */
export function caller(table: Table, column: string): string {
  const type = table.columns.find((c) => c.name === column)?.type ?? 'uuid'
  return /text|char/.test(type) ? '(select auth.uid())::text' : '(select auth.uid())'
}

/** The owner column that can hold the caller's id. */
function ownColumn(table: Table, catalog: Catalog): string | undefined {
  return table.userData?.ownerColumns.find(
    (c) => /uuid|text|char/.test(table.columns.find((x) => x.name === c)?.type ?? '') && holdsCallersId(table, c, catalog),
  )
}

/** What ties a row to the caller: its owner column, its parent's, or membership of its tenant. */
export function ownerCondition(
  table: Table,
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
  command: Policy['command'],
  ask: AskParent,
): string | undefined {
  const isNew = command === 'insert'
  const own = ownColumn(table, catalog)
  const mine = own && `${caller(table, own)} = ${readable(own)}`
  if (mine && !BY_SOMEBODY.test(own)) return mine
  // what several people work with is not alone that one's who entered it
  const reached = reachedBy(table, catalog, readings, command)
  if (mine && reached && command !== 'select') return isNew ? `${mine} and ${reached}` : mine
  if (reached) return reached
  if (mine) return mine
  for (const reference of table.foreignKeys) {
    const parent = catalog.tables.find((t) => nameOf(t) === reference.references)
    const owner = parent && ownColumn(parent, catalog)
    const [column] = reference.columns
    if (!parent || !owner || !column || reference.columns.length !== 1 || nameOf(parent) === nameOf(table)) continue
    const key = reference.referencedColumns[0] ?? 'id'
    const own = `p.${readable(owner)} = ${caller(parent, owner)}`
    const query = `exists (\n    select 1 from ${readableName(nameOf(parent))} p\n    where p.${readable(key)} = ${readable(table.name)}.${readable(column)} and ${own}\n  )`
    return ask({ parent, key, column, own }, query)
  }
  // what a sibling policy already uses; nothing can refer to a row before it is there
  const refers = (name: string) => isNew && catalog.tables.some((t) => nameOf(t) === name && t.foreignKeys.some((f) => f.references === nameOf(table)))
  const bound = (readings.get(nameOf(table)) ?? []).find(
    (r) => r.ways.length > 0 && r.ways.every((w) => (w.outcome === 'owner' || w.outcome === 'via') && !w.tables.some(refers)),
  )
  return bound?.policy.using ? bound.policy.using.trim() : undefined
}
