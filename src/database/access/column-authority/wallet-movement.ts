import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf } from '../policies/read-policies.ts'

/** Money that comes into a purse, or leaves it. */
const WALLET_MOVEMENT_TABLE = /transa[ck]|deposit|withdraw|transfer|top_?up|pay_?in|payout/i
const PURSE = /wallet|(^|_)purses?$/i
const BALANCE_COLUMN = /(^|_)balance$/i
/** Columns that hold how much money moves. */
export const AMOUNT_COLUMN = /^(?:amount|value|total|monto|importe|valor)(?:_|$)/i
const KIND = /^(?:type|kind|direction|transaction_type|tx_type|tipo)$/i
const MOVEMENT_STATE_COLUMN = /^(?:(?:transaction|deposit|withdrawal|transfer|payment)_)?(?:status|state)$/i
const PENDING_MOVEMENT_DEFAULT = /^'(?:pending|processing|unconfirmed|awaiting_\w{1,20}|waiting|pendente|pendiente)'/i
/** How somebody keeps books of what he spends: nobody has to confirm that. */
const KEPT_BOOKS = /categor|^(?:tags?|merchant|vendor|payee|budget_id|recurring|is_recurring|receipt_url)$/i

const WALLET_AMOUNT_TYPE = /^(?:int|bigint|numeric|real|double|money)/

/**
 * The state of money that moves into a user's purse or out of it, which waits at first: that it has arrived, whoever keeps the purses says. `purse`: a table of
 * wallets with a balance, to which the row belongs.
 */
export function bookedMoves(table: Table, ways: readonly Way[], { tables }: Pick<Catalog, 'tables'>): readonly string[] {
  const has = (name: RegExp, type = /./) => table.columns.some((c) => name.test(c.name) && type.test(c.type))
  if (!WALLET_MOVEMENT_TABLE.test(table.name) || has(KEPT_BOOKS) || !has(AMOUNT_COLUMN, WALLET_AMOUNT_TYPE) || !has(KIND)) return []
  if (!ways.some((w) => w.outcome === 'owner' && !w.needsRole)) return []
  const isPurse = (name: string) => tables.some((t) => nameOf(t) === name && PURSE.test(t.name) && t.columns.some((c) => BALANCE_COLUMN.test(c.name)))
  if (!table.foreignKeys.some((k) => k.columns.length === 1 && isPurse(k.references))) return []
  return table.columns.filter((c) => !c.generated && MOVEMENT_STATE_COLUMN.test(c.name) && PENDING_MOVEMENT_DEFAULT.test(c.default ?? '')).map((c) => c.name)
}
