import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { invitedTo, tenancyOf } from '../owners/tenancy.ts'
import type { Reading } from '../policies/read-policies.ts'

/** Who is invited; who invites is named otherwise. */
const INVITEE = /(?:^|_)e_?mail$|^(?:invitee|invited|invited_user|user|recipient)(?:_?id)?$/i

/** What an invitation says of as what and into what somebody comes, where whoever is invited may change the row: to accept it is one column. */
export function ownInvitation(table: Table, rows: readonly Way[], catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): readonly string[] {
  if (!/invit/i.test(table.name)) return []
  const invited = invitedTo(table, tenancyOf(catalog, readings))
  const own = rows.some((w) => w.outcome === 'owner' && !w.needsRole && w.ownerColumns.length > 0 && w.ownerColumns.every((c) => INVITEE.test(c)))
  return invited && own ? [...invited.standing, ...(table.userData?.tenantColumns ?? [])] : []
}
