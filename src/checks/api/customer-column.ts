import { says } from '../../lib/snake-case.ts'
import type { SchemaModel } from '../../model/app-model.ts'

const CUSTOMER = /^(?:stripe|paddle|polar|lemon_?squeezy)_?customer_?id$/
const USER = /^(?:user|profile|auth|owner|account)_?id$/

/** Where the tables keep which customer of the payment processor a user is. */
export function customerColumn({
  tables,
}: Pick<SchemaModel, 'tables'>): { readonly table: string; readonly column: string; readonly user: string } | undefined {
  for (const t of tables) {
    const column = t.columns.find((c) => says(CUSTOMER, c.name))?.name
    const user = column && (t.columns.find((c) => says(USER, c.name))?.name ?? (/^(?:user_?)?(?:profiles?|users?)$/i.test(t.name) ? 'id' : undefined))
    if (column && user) return { table: t.name, column, user }
  }
  return undefined
}
