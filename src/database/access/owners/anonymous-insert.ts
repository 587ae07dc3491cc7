import type { Policy, Table } from '../../database.ts'
import { powerColumnsOf } from '../column-authority/privilege-columns.ts'
import { narrow } from '../fixes/column-privileges.ts'
import { caller } from '../fixes/owner-condition.ts'
import type { Hole } from '../hole.ts'
import { SERVICE_POLICY_NAME } from '../policies/service-role-policy-name.ts'
import { ident, readable } from '../sql.ts'
import { isLookedAfter } from './assignee-not-owner.ts'

/** Whether a policy means to let people without an account add rows, which then belong to nobody. */
export function letsGuestsAdd(hole: Hole, policy: Policy, table: Table): boolean {
  const own = table.userData?.ownerColumns ?? []
  const nullable = own.length > 0 && own.every((o) => table.columns.some((c) => c.name === o && !c.notNull && !table.primaryKey.includes(o)))
  const meant = policy.roles.includes('anon') || /any(?:one|body)|every(?:one|body)|public|guests?|visitor|anonym|unauth/i.test(policy.name)
  return policy.command === 'insert' && hole.who === 'anon' && !isLookedAfter(table) && nullable && meant && !SERVICE_POLICY_NAME.test(policy.name)
}

/** New rows are nobody's or the caller's, and say nothing of what others decide. */
export function guestsOrOwn(table: Table, policy: Policy, on: string): string {
  const own = (table.userData?.ownerColumns ?? []).map((c) => `(${readable(c)} is null or ${readable(c)} = ${caller(table, c)})`)
  const power = powerColumnsOf(table).filter((c) => !table.userData?.ownerColumns.includes(c))
  // what the policy asks beside that (a length, an address that looks like one) it goes on asking
  const asked = policy.check && !/^\(?true\)?$/i.test(policy.check.trim()) ? [policy.check.trim()] : []
  const bound = `alter policy ${ident(policy.name)} on ${on} with check (${[...asked, ...own].join(' and ')});`
  const note = '-- rows of guests belong to nobody: the server limits how many, or adds them itself with the service role'
  return [bound, ...(power.length ? [narrow(table, power, 'insert', { granting: true, guests: true }) ?? ''] : []), note].join('\n')
}
