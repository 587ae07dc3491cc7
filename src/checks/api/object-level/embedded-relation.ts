import { isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import type { Query } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'

/** Rows of somebody that come along with a row of nobody's. */
export interface BroughtAlong {
  /** As the query calls them. */
  readonly relation: string
  readonly ownerColumn: string
}

const plain = (name: string): string => snakeCase(name).replace(/_/g, '').replace(/s$/, '')

/**
 * `prisma.quotation.findUnique({ where: { id }, include: { order: true } })`: a quotation names nobody, but the order that was made of it comes
 * along whole, and that is somebody's. Only what points at the row itself, and is between few by its name.
 */
export function broughtAlong(e: Query, table: Pick<Table, 'schema' | 'name'>, { tables }: Pick<SchemaModel, 'tables'>): BroughtAlong | undefined {
  if (e.op !== 'select' || !e.one || e.countOnly) return undefined
  for (const column of e.columns ?? []) {
    const relation = /^(\w+)\(\*\)$/.exec(column)?.[1]
    // some of them only, chosen by a filter of their own
    if (!relation || e.embedded?.some((f) => f.column.startsWith(`${relation}.`))) continue
    const along = tables.find(
      (t) =>
        !t.stub &&
        isPrivateByName(t.name) &&
        plain(t.name) === plain(relation) &&
        t.foreignKeys.some((k) => lastPart(k.references) === table.name) &&
        (t.userData?.ownerColumns.length ?? 0) > 0,
    )
    const ownerColumn = along?.userData?.ownerColumns[0]
    if (ownerColumn) return { relation, ownerColumn }
  }
  return undefined
}
