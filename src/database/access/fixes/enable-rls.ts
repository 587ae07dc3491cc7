import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Table } from '../../database.ts'
import { dealColumns } from '../column-authority/counterparty-columns.ts'
import { powerColumnsOf } from '../column-authority/privilege-columns.ts'
import { mayGiveRights } from '../column-authority/rights-table.ts'
import { holdsCallersId } from '../owners/caller-id-column.ts'
import { ownAmong, participantsOf } from '../owners/participants.ts'
import { isOpenPolicy } from '../policies/open-policy.ts'
import { askedByWords, BY_SOMEBODY, reachedBy } from '../policies/permission-helpers.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { ident, readable, readableName } from '../sql.ts'
import { createPolicy, readableBy } from './create-policy.ts'

/** What is written down of somebody, or was paid, and nobody writes of himself. */
const LEDGER_OR_LOG_TABLE =
  /audit|(^|_)(logs?|history|events?|transactions?|payments?|payouts?|withdrawals?|invoices?|ledgers?|wallets?|credits?|balances?|subscriptions?|entitlements?|licen[cs]es?|purchases?|orders?|tickets?|pass|passes|coupons?|vouchers?|certificates?|certifications?|approvals?|verifications?|achievements?|badges?|enrol?lments?|scores?|leaderboards?|usage|quotas?|earnings?|commissions?|rewards?|progress)(_|$)/i

/** Tables of the server's own: codes it sent, jobs, what it wrote down, how it is set up. */
const SERVER_OWNED_TABLE =
  /verif|(^|_)otps?($|_)|nonce|passw|token|secret|credential|(^|_)sessions?$|queue|(^|_)jobs?$|webhook|audit|usage|(^|_)logs?($|_)|rate_?limit|setting|config|(^|_)pass(es)?$/i

/** Whether rows of a table are written down of somebody, by who runs the application and not by himself. */
export const isRecord = (table: Pick<Table, 'name'>): boolean => says(LEDGER_OR_LOG_TABLE, table.name)

/** Columns that name the people who share a row: `retailer_id` and `supplier_id`, not who entered it. */
function partiesOf(table: Table, catalog: Catalog): readonly string[] {
  const people = (table.userData?.ownerColumns ?? []).filter(
    (c) => table.columns.some((x) => x.name === c && x.type === 'uuid') && !/_by(?:_id)?$/.test(c) && !table.primaryKey.includes(c),
  )
  const one = people.some((c) => /^(?:user|owner|author|creator|profile|account)_?id$/.test(c))
  return one ? [] : people.filter((c) => holdsCallersId(table, c, catalog))
}

/** How code ends that leaves reading to a policy which the schema has nothing for. */
export const WHO_TAKES_PART = '-- who reads it needs a policy that knows who takes part, or the server'

/** What the policy is called by which people see what they may reach. */
export const SEE_REACHED = 'Users see rows of what they may reach'
/** How code begins that leaves the policies to whoever knows for whom the rows are. */
export const FOR_WHOM = '-- add policies for whom it is for; others ask '

/**
 * Whether rows are what several people work on, who entered them being one of them: `reached` by a function that other policies ask about what the
 * rows belong to, or `asked` where policies tell by words what somebody may do, and nothing says which words are for this table.
 */
export function ofWork(
  table: Table,
  catalog: Catalog,
  owner: string | undefined,
  readings: ReadonlyMap<string, readonly Reading[]>,
): 'reached' | 'asked' | undefined {
  const { ownerColumns = [] } = table.userData ?? {}
  if (ownerColumns.some((c) => !BY_SOMEBODY.test(c) && holdsCallersId(table, c, catalog))) return undefined
  if (owner !== undefined && owner === reachedBy(table, catalog, readings, 'select')) return 'reached'
  return askedByWords(catalog) ? 'asked' : undefined
}

/** Row level security on, and the policies without which the owners of rows would be locked out, as far as none of them lets somebody grant himself anything. */
export function enableFix(table: Table, catalog: Catalog, owner: string | undefined, readings: ReadonlyMap<string, readonly Reading[]>): string {
  const name = readableName(nameOf(table))
  const on = `alter table ${name} enable row level security;`
  if (table.kind === 'foreign') return `revoke all on ${name} from anon, authenticated;`
  const policies = catalog.policies.filter((p) => p.schema === table.schema && p.table === table.name)
  if (policies.length) return [on, ...policies.filter((p) => isOpenPolicy(p, table)).map((p) => `drop policy ${ident(p.name)} on ${name};`)].join('\n')
  // of what two people share each sees the row, and what each may change of it the SQL does not say
  const parties = partiesOf(table, catalog)
  if (parties.length > 1)
    return `${on}\n${createPolicy(table, 'Users see rows that name them', 'select', `(select auth.uid()) in (${parties.map(readable).join(', ')})`)}\n-- what each of them may write needs policies of its own, or the server`
  const work = ofWork(table, catalog, owner, readings)
  const asked = askedByWords(catalog)
  if (work === 'reached' && owner)
    return `${on}\n${createPolicy(table, SEE_REACHED, 'select', owner)}\n-- who of them may write it needs policies of its own, or the server`
  if (work === 'asked' && asked) return `${on}\n${FOR_WHOM}${asked.call}`
  const participants = participantsOf(table, catalog, readings)
  if (participants)
    return [
      on,
      ...(participants === 'unknown' ? [] : [createPolicy(table, 'Participants read', 'select', participants)]),
      ...(owner && participants !== owner ? [createPolicy(table, 'Users add their own rows', 'insert', ownAmong(table, owner, participants))] : []),
      participants === 'unknown' ? WHO_TAKES_PART : '-- who changes it needs policies of its own, or the server',
    ].join('\n')
  // own rows that grant power are read by their owner and changed by the server: the fix must not open check 4
  const power = [...new Set([...powerColumnsOf(table), ...dealColumns(table, readings.get(nameOf(table)) ?? [], catalog)])]
  if (owner && (power.length || mayGiveRights(table) || isRecord(table)))
    return `${on}\n${createPolicy(table, 'Users see their own rows', 'select', owner)}\n-- ${power.length ? power.map(readable).join(', ') : 'rows'}: changed by the server only, with the service role`
  if (owner) return `${on}\n${createPolicy(table, 'Users manage their own rows', 'all', owner)}`
  if (table.userData || says(SERVER_OWNED_TABLE, table.name) || mayGiveRights(table))
    return `${on}\n-- no policy: only the service role, that is your server, reads and writes it`
  return `${on}\n${readableBy(table, isOpenToVisitors(catalog))}`
}

/** A condition that looks at nobody. */
const ASKS_NOBODY = /^(?!.*(?:\bauth\.|current_setting|\bSELECT\b|\w\())/is
/** So many policies say for whom an application is. */
const MANY = 5

/** Whether visitors who are not signed in read anything at all: where many policies let in others and none lets in them, what is shown is shown after signing in. */
export function isOpenToVisitors({ policies }: Pick<Catalog, 'policies'>): boolean {
  const reading = policies.filter((p) => p.schema === 'public' && p.permissive && (p.command === 'select' || p.command === 'all') && p.using !== undefined)
  return reading.length < MANY || reading.some((p) => p.roles.some((r) => /^(?:public|anon)$/i.test(r)) && ASKS_NOBODY.test(p.using ?? ''))
}
