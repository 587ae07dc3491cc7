import { says } from '../../../lib/snake-case.ts'
import { ENTERED_BY_COLUMN } from '../../access/row-audience/for-sale.ts'
import type { Column, Policy, Table, UserData } from '../../database.ts'

/** What few share, by the name of the table. */
const PRIVATE_RECORD_TABLE =
  /order|payment|invoice|message|chat|document|note|booking|reservation|appointment|(?:^|_)logs?(?:$|_)|submission|private|receipt|contract|report|task/i
/** The condition of a policy that shows what is switched on, and asks nothing else. */
const SWITCHED_ON =
  /^[\s(]{0,10}(?:is_)?(?:active|enabled|available|bookable)(?:\s*=\s*true)?[\s)]{0,10}$|^[\s(]{0,10}status\s*=\s*'(?:active|available|open)'::\w{1,60}[\s)]{0,10}$/i

/**
 * What an application has on offer (opening hours, packages): everybody may see what of it is switched on, nothing in it is personal, and
 * that its rows say who entered them is bookkeeping, because no policy ever asks for that.
 */
export function isEnteredByStaff(table: Table, data: UserData, policies: readonly Policy[]): boolean {
  if (!data.ownerColumns.length || data.tenantColumns.length || data.personalColumns.length || data.powerColumns.length) return false
  const columns = data.ownerColumns.map((name) => table.columns.find((c) => c.name === name))
  if (table.stub || PRIVATE_RECORD_TABLE.test(table.name) || !columns.every(isNote)) return false
  const own = policies.filter((p) => p.schema === table.schema && p.table === table.name)
  const shown = own.some(
    (p) => p.permissive && p.command === 'select' && SWITCHED_ON.test(p.using ?? '') && p.roles.some((r) => r === 'anon' || r.toLowerCase() === 'public'),
  )
  return shown && !own.some((p) => data.ownerColumns.some((c) => `${p.using ?? ''} ${p.check ?? ''}`.includes(c)))
}

const isNote = (column: Column | undefined): boolean =>
  column !== undefined && says(ENTERED_BY_COLUMN, column.name) && !column.notNull && column.default === undefined
