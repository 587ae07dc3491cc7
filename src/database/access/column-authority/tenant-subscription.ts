import type { Catalog, Table } from '../../database.ts'
import { privilegeColumnsByName } from '../../sandbox/classification/user-data.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf } from '../policies/read-policies.ts'
import { decidesAccess, PROCESSOR_COLUMN_PREFIX, powerColumnsOf } from './privilege-columns.ts'

/** What somebody pays for; who may do what in a tenant is the tenant's own affair. */
const SUBSCRIPTION_COLUMN =
  /(^|_)(plan|tier|subscri\w*|premium|paid|licen[cs]e\w*|entitle\w*|credits?|seats)($|_)|^(billing|payment|trial)_(status|state|ends?_at|end)$/i

/**
 * Columns that say what a tenant has paid, in its own row or in one beside it, where those who administer the tenant get in: they are the
 * customers. A row that is also about a person (a student's membership of the school) is the tenant's to keep.
 */
export function paidByTenant(
  table: Table,
  ways: readonly Way[],
  { catalog, memberships }: { readonly catalog: Catalog; readonly memberships: ReadonlySet<string> },
): readonly string[] {
  const isTenant = catalog.tables.some(
    (t) =>
      memberships.has(nameOf(t)) &&
      t.userData?.tenantColumns.some((c) => t.foreignKeys.some((f) => f.columns.length === 1 && f.columns[0] === c && f.references === nameOf(table))),
  )
  if (!table.columns.some((c) => PROCESSOR_COLUMN_PREFIX.test(c.name)) && !(isTenant && isBilled(table))) return []
  const { ownerColumns = [], tenantColumns = [] } = table.userData ?? {}
  const people = ownerColumns.filter((c) => !/_by(_id)?$/i.test(c) && !table.foreignKeys.some((f) => f.columns.includes(c) && !isPerson(f.references)))
  const keys = isTenant ? table.primaryKey : people.length ? [] : tenantColumns
  // who works for a customer is let in by belonging there
  const administers = (w: Way) => w.needsRole || (isTenant && w.tables.some((t) => memberships.has(t)))
  if (!ways.some((w) => w.outcome === 'via' && administers(w) && w.tiedColumns.some((c) => keys.includes(c)))) return []
  // the row of a tenant that says nothing of any person is nobody's data, and its customers' all the same
  const power = table.userData ? powerColumnsOf(table) : privilegeColumnsByName(table)
  return power.filter(
    (c) => (SUBSCRIPTION_COLUMN.test(c) || (!isTenant && decidesAccess(table.name, [c]))) && !STANDING_OF_PEOPLE.test(c) && !PROCESSOR_COLUMN_PREFIX.test(c),
  )
}

/** What is kept of a subscription beside how it stands, by whichever processor: its id, and when what was paid for ends. */
const SUBSCRIBED_HERE = /^(?:subscription|billing)_?(?:customer_)?id$/i
const PAID_UNTIL =
  /^(?:current_|subscription_|billing_)?period_end(?:s_at)?$|^(?:subscription|trial|plan|premium|billing)_(?:ends?|ends_at|end_date|expires_at|until)$/i

const isBilled = ({ columns }: Table): boolean =>
  columns.some((c) => SUBSCRIPTION_COLUMN.test(c.name)) && columns.some((c) => SUBSCRIBED_HERE.test(c.name)) && columns.some((c) => PAID_UNTIL.test(c.name))

const STANDING_OF_PEOPLE = /role|permission|admin/i
/** Whether a table is one of the users' own. */
export const isPerson = (table: string): boolean => /(^|\.)(users?|profiles?|accounts?|members?|customers?)$/.test(table)
