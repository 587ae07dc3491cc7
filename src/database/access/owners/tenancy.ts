import type { Catalog, Table } from '../../database.ts'
import { BY_SOMEBODY } from '../policies/permission-helpers.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { SeedGuard } from '../seed-guard.ts'
import { ident, identOf, literal } from '../sql.ts'
import { type AccessSession, SqlFailure } from '../trials/access-session.ts'
import { type DroppedConstraint, insertRow, parentsFirst, putBack, rowValues, type Seeded, seedAccount } from '../trials/seed-rows.ts'
import { checkLiterals, enumLabels, type SeededRow } from '../trials/seed-values.ts'

/** A table whose rows make a user a member of a tenant, and by which policies let members in. */
export interface Membership {
  readonly table: Table
  /** The column that names the member. */
  readonly user: string
  /** The column that names the tenant. */
  readonly tenant: string
  /** Columns that say as what: a tenant whose members are all equal has none. */
  readonly standing: readonly string[]
}

/** Who belongs to which tenant, and by what. */
export interface Tenancy {
  readonly memberships: readonly Membership[]
  /** Tables whose rows are the tenants, with the membership tables that refer to them. */
  readonly tenants: ReadonlyMap<string, readonly Membership[]>
}

const TENANT_ROLE_COLUMN = /(^|_)(role|role_id|access|access_level|permissions?|rights|is_owner|is_admin|ruolo|rol|papel)$|^(role_?|permission_?)?level$/i
/** Who wrote a row is in nothing by it. */
const CREATED_BY_COLUMN = /^(created|made|added|posted|uploaded|written|logged|recorded)_by(_id)?$|^(author|creator)(_id)?$/i
const TOP = /owner|admin/i

/** The membership tables that the policies go through. */
export function tenancyOf(catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): Tenancy {
  const used = new Set(
    [...readings.values()].flatMap((list) => list.flatMap((r) => r.ways.flatMap((w) => (w.outcome === 'via' || w.outcome === 'role' ? w.tables : [])))),
  )
  const memberships = catalog.tables.flatMap((table): Membership[] => {
    const data = table.userData
    const people = data?.ownerColumns.filter((c) => !CREATED_BY_COLUMN.test(c) && /uuid|text|char/.test(typeOf(table, c))) ?? []
    // a row that is a person is of whom its key names, and not of who invited or checked him
    const user = people.find((c) => table.primaryKey.length === 1 && table.primaryKey[0] === c) ?? people.find((c) => !BY_SOMEBODY.test(c)) ?? people[0]
    const tenant = data?.tenantColumns.find((c) => c !== user)
    if (!used.has(nameOf(table)) || !user || !tenant) return []
    return [{ table, user, tenant, standing: standingOf(table) }]
  })
  const tenants = new Map<string, Membership[]>()
  for (const m of memberships) {
    const references = m.table.foreignKeys.find((f) => f.columns.length === 1 && f.columns[0] === m.tenant)?.references
    if (references) tenants.set(references, [...(tenants.get(references) ?? []), m])
  }
  return { memberships, tenants }
}

const standingOf = (table: Table): string[] => table.columns.filter((c) => TENANT_ROLE_COLUMN.test(c.name) && !c.generated).map((c) => c.name)

/** The memberships that an invitation becomes, and the columns of the invitation that say as what; undefined for other tables. */
export function invitedTo(table: Table, { memberships }: Tenancy): { readonly membership: Membership; readonly standing: readonly string[] } | undefined {
  const tenantOf = (t: Table, column: string) => t.foreignKeys.find((f) => f.columns.length === 1 && f.columns[0] === column)?.references
  const standing = /invit/i.test(table.name) ? standingOf(table) : []
  const membership = memberships.find(
    (m) =>
      m.table !== table && m.standing.length > 0 && table.userData?.tenantColumns.some((c) => c === m.tenant && tenantOf(table, c) === tenantOf(m.table, c)),
  )
  return standing.length && membership ? { membership, standing } : undefined
}

/** Whether a table's rows are tied to a tenant: by a column, by being the tenant, or by a policy that goes through memberships. */
export function isTenantTable(table: Table, tenancy: Tenancy, readings: readonly Reading[]): boolean {
  if (tenancy.tenants.has(nameOf(table)) || table.userData?.tenantColumns.length) return true
  const members = new Set(tenancy.memberships.map((m) => nameOf(m.table)))
  return readings.some((r) => r.ways.some((w) => w.tables.some((t) => members.has(t))))
}

/** A value of a standing column that gives the most, as an SQL literal; undefined when the schema names none. */
export function topStanding(table: Table, column: string, catalog: Catalog): string | undefined {
  const type = typeOf(table, column)
  if (type === 'boolean') return 'true'
  const labels = labelsOf(table, column, catalog)
  const label = labels.find((l) => /owner/i.test(l)) ?? labels.find((l) => TOP.test(l))
  if (label !== undefined) return labels.length && isEnum(type, catalog) ? `${literal(label)}::${type}` : literal(label)
  return /text|char/.test(type) && !labels.length ? "'owner'" : undefined
}

/** Labels of a standing column that administer the tenant. */
export function topLabels(table: Table, column: string, catalog: Catalog): readonly string[] {
  const labels = labelsOf(table, column, catalog).filter((l) => TOP.test(l))
  return labels.length ? labels : ['owner', 'admin']
}

function plainStanding(table: Table, column: string, catalog: Catalog, granting: ReadonlySet<string>): string | undefined {
  const type = typeOf(table, column)
  if (type === 'boolean') return 'false'
  const labels = labelsOf(table, column, catalog)
  const plain = labels.find((l) => /^(member|user|viewer|guest|reader|read)$/i.test(l)) ?? labels.findLast((l) => !granting.has(l) && !TOP.test(l))
  if (plain !== undefined) return isEnum(type, catalog) ? `${literal(plain)}::${type}` : literal(plain)
  return /text|char/.test(type) && !labels.length ? "'member'" : undefined
}

const labelsOf = (table: Table, column: string, catalog: Catalog): readonly string[] =>
  enumLabels(typeOf(table, column), catalog) ?? checkLiterals(table, column)

const isEnum = (type: string, catalog: Catalog): boolean => enumLabels(type, catalog) !== undefined

function typeOf(table: Table, column: string): string {
  return table.columns.find((c) => c.name === column)?.type.toLowerCase() ?? ''
}

/**
 * Makes B the owner of B's tenant and C a plain member of it. The rows come on top of those of A and B, so that what was tried with
 * them alone stays true. In the result C's references lead to B's rows wherever C has none.
 */
export async function seedMember(session: AccessSession, catalog: Catalog, seeded: Seeded, tenancy: Tenancy): Promise<Seeded> {
  const members = new Map(tenancy.memberships.map((m) => [nameOf(m.table), m]))
  const rows = new Map([...seeded.rows].map(([name, row]) => [name, { ...row, ...(row.B ? { C: row.B } : {}) }]))
  const dropped: DroppedConstraint[] = []
  await session.exec('set session_replication_role = replica')
  const guard = await SeedGuard.begin(session, 'seed member')
  try {
    await seedAccount(session, 'C')
    for (const table of parentsFirst(catalog.tables)) {
      const name = nameOf(table)
      const membership = members.get(name)
      const isPerson = table.primaryKey.length === 1 && table.userData?.ownerColumns.includes(table.primaryKey[0] as string)
      if ((!membership && !isPerson) || !rows.has(name) || seeded.powerTables.has(name)) continue
      const values = rowValues(table, 'C', catalog, rows, seeded)
      for (const column of membership?.standing ?? []) {
        const [plain, top] = [plainStanding(table, column, catalog, seeded.granting), topStanding(table, column, catalog)]
        if (plain !== undefined) values[column] = plain
        const owner = rows.get(name)?.B
        if (top !== undefined && owner) rows.set(name, { ...rows.get(name), B: await promote(session, name, column, top, owner) })
      }
      const answer = await guard.around(table, () => insertRow(session, table, values, dropped))
      if (typeof answer !== 'string') rows.set(name, { ...rows.get(name), C: { ctid: answer.ctid, values } })
    }
    await guard.end()
  } finally {
    await putBack(session, dropped)
    await session.exec('set session_replication_role = origin')
  }
  return { ...seeded, rows }
}

/** B's own row says that B administers the tenant. */
async function promote(session: AccessSession, table: string, column: string, value: string, row: SeededRow): Promise<SeededRow> {
  try {
    const { rows } = await session.exec(`update ${identOf(table)} set ${ident(column)} = ${value} where ctid = '${row.ctid}' returning ctid::text as ctid`)
    return { ctid: String(rows[0]?.['ctid'] ?? row.ctid), values: { ...row.values, [column]: value } }
  } catch (error) {
    if (error instanceof SqlFailure) return row
    throw error
  }
}
