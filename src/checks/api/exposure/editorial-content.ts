import { tablesCalled } from '../../../database/called-table.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'

/** What only administrators write, and sign with who wrote it: announcements, articles of the house. Nobody's rows are in it. */
export function isEditorial(name: string, routes: readonly Route[], schema: Pick<SchemaModel, 'tables'>): boolean {
  const bare = lastPart(name).toLowerCase()
  const tables = tablesCalled(bare, schema.tables)
  const isNobodys = ({ userData: d }: (typeof tables)[number]) =>
    d !== undefined && !d.personalColumns.length && !d.tenantColumns.length && !d.powerColumns.length && d.ownerColumns.every((c) => EDITOR_COLUMN.test(c))
  if (!tables.length || !tables.every(isNobodys)) return false
  const writes = routes.flatMap((r) => r.work.filter((w) => w.kind !== 'read' && w.table?.toLowerCase() === bare))
  return writes.length > 0 && writes.every((w) => w.guard?.who === 'admin' && w.guard.trust === 'verified')
}

const EDITOR_COLUMN = /^(?:created|updated|published|posted|written|edited)_?by(?:_?(?:user_?)?id)?$|^(?:author|editor)(?:_?id)?$/i
