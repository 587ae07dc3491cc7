import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Table } from '../../database.ts'
import { AMOUNT_COLUMN } from './wallet-movement.ts'

/** Where users ask to be paid what they have. */
const ASKS_FOR_MONEY = /(?:^|_)(?:withdraw(?:al)?s?|payouts?|cash_?outs?|saques?|retiros?)(?:_?(?:requests?|solicitudes|pedidos))?$/i
const STORED_VALUE_STATE_COLUMN = /(?:^|_)(?:status|state|estado|stato)$/i
const STORED_AMOUNT_TYPE = /^(?:int|bigint|smallint|numeric|real|double|money)/

const POINTS = /^(?:total_|reward_|loyalty_|available_|current_|redeemable_)?points(?:_(?:balance|earned|available|awarded|total))?$/i
const OF_A_USER = /profile|(?:^|_)users?(?:_|$)|(?:^|_)accounts?$|points|reward|loyalty/i

const BANK_ACCOUNT_TABLE = /(?:^|_)(?:bank_|user_|cash_)?accounts?$/i
const BALANCE = /(?:^|_)(?:balance|saldo)$/i
const FROM = /^(?:sender|from|payer|source)_/i
const TO = /^(?:recipient|receiver|to|payee|destination)_/i

const has = (table: Table, name: RegExp, type = /./): boolean => table.columns.some((c) => name.test(c.name) && type.test(c.type))

/** Whether the rows of a table are requests for money, which the user has and wants to be sent. */
export const asksForMoney = (table: Table): boolean =>
  says(ASKS_FOR_MONEY, table.name) && has(table, AMOUNT_COLUMN, STORED_AMOUNT_TYPE) && has(table, STORED_VALUE_STATE_COLUMN)

/** Whether money goes from one user to another there. */
function passesMoney(table: Table): boolean {
  const people = table.userData?.ownerColumns ?? []
  return people.some((c) => FROM.test(c)) && people.some((c) => TO.test(c)) && has(table, AMOUNT_COLUMN, STORED_AMOUNT_TYPE)
}

/**
 * Columns of a user's row that are money by what the application does with it: points that it pays out, and the balance of an account from
 * which users pay each other. What somebody notes down of an account elsewhere is his own to write.
 */
export function keptMoney(table: Table, { tables }: Pick<Catalog, 'tables'>): readonly string[] {
  if (!table.userData?.ownerColumns.length || asksForMoney(table) || passesMoney(table)) return []
  const numbers = table.columns.filter((c) => !c.generated && STORED_AMOUNT_TYPE.test(c.type)).map((c) => c.name)
  const points = says(OF_A_USER, table.name) ? numbers.filter((c) => POINTS.test(c)) : []
  const balances = says(BANK_ACCOUNT_TABLE, table.name) ? numbers.filter((c) => BALANCE.test(c)) : []
  return [
    ...(points.length && tables.some((t) => asksForMoney(t) && (t.userData?.ownerColumns.length ?? 0) > 0) ? points : []),
    ...(balances.length && tables.some(passesMoney) ? balances : []),
  ]
}
