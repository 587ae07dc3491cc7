import type { Table } from '../database.ts'

/** Things that are handed out as a code, in a table that says so by its name. */
const HANDED_OUT =
  /(^|_)(gift|redeem|redemption|voucher|coupon|promo|discount|invit(?:e|ation)|access|activation|licen[cs]e|unlock|prepaid|beta|sign_?up|registration)s?(_?(cards?|codes?|keys?|tokens?|links?))?$/i
const CODE = /^(code|token|key|pin|serial(_number)?|secret)$|_(code|token|key|pin|secret)$/i
/** Codes that sort rows and open nothing. */
const SORTS = /^(country|currency|language|lang|locale|zip|postal|area|status|error|product|course|color|region|state|time_?zone)_code$/i

/** Columns that hold what works for whoever has it: the code of a gift, the token of an invitation. */
export function bearerColumns({ name, columns }: Pick<Table, 'name' | 'columns'>): readonly string[] {
  if (!HANDED_OUT.test(name)) return []
  return columns.filter((c) => CODE.test(c.name) && !SORTS.test(c.name) && /^(text|uuid|char)/.test(c.type)).map((c) => c.name)
}
