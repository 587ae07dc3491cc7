import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'

/** Things that are handed out as a code, in a table that says so by its name. */
const REDEEMABLE_CODE_COLUMN =
  /(^|_)(gift|redeem|redemption|voucher|coupon|promo|discount|invit(?:e|ation)|access|activation|licen[cs]e|unlock|prepaid|beta|sign_?up|registration)s?(_?(cards?|codes?|keys?|tokens?|links?))?$/i
const BEARER_CODE_COLUMN = /^(code|token|key|pin|serial(_number)?|secret)(_value)?$|_(code|token|key|pin|secret)(_value)?$/i
/** Codes that sort rows and open nothing. */
const SORTS = /^(country|currency|language|lang|locale|zip|postal|area|status|error|product|course|color|region|state|time_?zone)_code$/i

/** Whatever the codes are called: a table that counts how often each was used hands them out. */
const CODE_TABLE = /(^|_)codes$/i
const USE_COUNT_COLUMN = /^(max_uses|usage_limit|uses?_(left|remaining|count|limit)|used_(count|by|at)|times_used|redeemed_(by|at)|is_used)$/i
/** What takes something off a price, and is often made to be shown. */
const DISCOUNT_CODE_WORD = /promo|discount|coupon|referral/i

/** Whether a table's codes take something off a price: they are handed out to many, who may tell others. */
export const takesOff = (table: string): boolean => says(DISCOUNT_CODE_WORD, table)

const areHandedOut = ({ name, columns }: Pick<Table, 'name' | 'columns'>): boolean =>
  says(REDEEMABLE_CODE_COLUMN, name) || (says(CODE_TABLE, name) && columns.some((c) => says(USE_COUNT_COLUMN, c.name)))

/** Whether such codes let somebody in: that they are active makes nothing public of them. */
export const letSomebodyIn = (table: Pick<Table, 'name' | 'columns'>): boolean => !takesOff(table.name) && bearerColumns(table).length > 0

/** Columns that hold what works for whoever has it: the code of a gift, the token of an invitation. */
export function bearerColumns({ name, columns }: Pick<Table, 'name' | 'columns'>): readonly string[] {
  if (!areHandedOut({ name, columns })) return []
  return columns.filter((c) => says(BEARER_CODE_COLUMN, c.name) && !says(SORTS, c.name) && /^(text|uuid|char)/.test(c.type)).map((c) => c.name)
}
