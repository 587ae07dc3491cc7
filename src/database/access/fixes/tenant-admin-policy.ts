import type { Catalog, Policy, Table } from '../../database.ts'
import type { Hole } from '../hole.ts'
import { invitedTo, type Membership, type Tenancy, topLabels } from '../owners/tenancy.ts'
import { nameOf } from '../policies/read-policies.ts'
import { ident, literal, readable, readableName } from '../sql.ts'

/**
 * SQL that leaves to the tenant's administrators what a plain member should not do. The question is put into a function: a policy on the
 * membership table that looked into that table itself would recurse.
 */
export function narrowToAdministrators(hole: Hole, policy: Policy, catalog: Catalog, tenancy: Tenancy): string | undefined {
  const table = catalog.tables.find((t) => nameOf(t) === hole.object)
  const invited = table && invitedTo(table, tenancy)?.membership
  const membership =
    tenancy.memberships.find((m) => nameOf(m.table) === hole.object && m.standing.length) ??
    tenancy.tenants.get(hole.object)?.find((m) => m.standing.length) ??
    invited
  if (!table || !membership) return undefined
  const tenant = table === membership.table || membership === invited ? membership.tenant : referenced(membership, hole.object)
  const type = table.columns.find((c) => c.name === tenant)?.type
  if (!tenant || !type) return undefined
  const helper = `public.${readable(`administers_${bare(membership.tenant)}`)}`
  return [administers(helper, type, membership, catalog), ...narrowed(table, policy, `${helper}(${readable(tenant)})`)].join('\n')
}

function referenced(m: Membership, tenants: string): string | undefined {
  return m.table.foreignKeys.find((f) => f.references === tenants && f.columns.length === 1 && f.columns[0] === m.tenant)?.referencedColumns[0]
}

function bare(column: string): string {
  return column.replace(/_?(id|uuid)$/i, '') || column
}

/** A function that says whether the caller administers a tenant. */
function administers(name: string, type: string, m: Membership, catalog: Catalog): string {
  const user = m.table.columns.find((c) => c.name === m.user)?.type ?? 'uuid'
  const caller = /text|char/.test(user) ? 'auth.uid()::text' : 'auth.uid()'
  const conditions = m.standing.map((column) => {
    const of = m.table.columns.find((c) => c.name === column)?.type
    return of === 'boolean' ? `m.${readable(column)}` : `m.${readable(column)}::text in (${topLabels(m.table, column, catalog).map(literal).join(', ')})`
  })
  return `create function ${name}(tenant ${type}) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from ${readableName(nameOf(m.table))} m
    where m.${readable(m.tenant)} = tenant and m.${readable(m.user)} = ${caller} and (${conditions.join(' or ')})
  )
$$;`
}

/** The policy again, its changes left to administrators; reading stays as it was. */
function narrowed(table: Table, policy: Policy, administers: string): string[] {
  const on = readableName(nameOf(table))
  if (policy.command === 'insert') return [`alter policy ${ident(policy.name)} on ${on} with check (${administers});`]
  if (policy.command === 'update') return [`alter policy ${ident(policy.name)} on ${on} using (${administers}) with check (${administers});`]
  if (policy.command === 'delete') return [`alter policy ${ident(policy.name)} on ${on} using (${administers});`]
  const to = policy.roles.map((r) => (r.toLowerCase() === 'public' ? 'public' : readable(r))).join(', ') || 'authenticated'
  return [
    `drop policy ${ident(policy.name)} on ${on};`,
    `create policy ${ident(policy.name)} on ${on} for select to ${to} using (${policy.using ?? 'false'});`,
    `create policy ${ident('Administrators change rows')} on ${on} for all to ${to} using (${administers}) with check (${administers});`,
  ]
}
