import { says } from '../../../lib/snake-case.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'

const CUSTOMER = /^(?:stripe|paddle|polar|lemon_?squeezy)_?customer_?id$/
const PROFILE_OR_USER_TABLE = /^(?:user_?)?(?:profiles?|users?)$/
const PAYMENT_EVENT_TABLE = /payment|invoice|charge|refund|dispute|transaction|(?:^|_)(?:events?|logs?|history|failed|attempts?)(?:_|$)/
const CUSTOMER_OWNER_COLUMN = /^(?:user|profile|auth|owner|account)_?id$/

/** Where the tables keep which customer of the payment processor a user is. */
export function customerColumn({
  tables,
}: Pick<SchemaModel, 'tables'>): { readonly table: string; readonly column: string; readonly user: string } | undefined {
  // the rows of what was paid, or was not, name the customer as well, and not everybody has one
  const kept = tables.filter((t) => !says(PAYMENT_EVENT_TABLE, t.name))
  for (const t of [...kept.filter((x) => says(PROFILE_OR_USER_TABLE, x.name)), ...kept]) {
    const column = t.columns.find((c) => says(CUSTOMER, c.name))?.name
    const user = column && (t.columns.find((c) => says(CUSTOMER_OWNER_COLUMN, c.name))?.name ?? (says(PROFILE_OR_USER_TABLE, t.name) ? 'id' : undefined))
    if (column && user) return { table: t.name, column, user }
  }
  return undefined
}
