import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Table } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import type { World } from '../expression/scope.ts'
import { nameOf, readPolicies } from '../policies/read-policies.ts'

/** Columns that say as what somebody works here. */
const JOB_ROLE_COLUMN = /(^|_)(role|role_id|position|job_title|department)$|^is_(admin|manager|staff)$|permission/i

/**
 * Tables that list who works here, whatever they are called: each row is a user with a role, signing up makes none, and nobody adds or changes
 * one but those who have a role already. A policy that asks for such a row asks for a colleague. One list for each company is a membership.
 */
function staffLists(catalog: Catalog, world: World & JudgeWorld): ReadonlySet<string> {
  const signUp = insertedAtSignUp(catalog)
  const candidates = catalog.tables.filter((t) => !signUp.has(nameOf(t)))
  return new Set([
    // without anything that signing up is seen to make, the server may make these rows at sign-up
    ...(signUp.size ? candidates.filter((t) => isStaffList(t, catalog, world)).map(nameOf) : []),
    ...candidates.filter((t) => isListOfAdmitted(t, catalog, world)).map(nameOf),
  ])
}

/** A table with one row for each of some users. */
function listsUsers(table: Table, catalog: Catalog): boolean {
  const user = table.userData
  if (!user?.ownerColumns.length || user.tenantColumns.length || table.stub || !table.rls.enabled || table.extension) return false
  const keys = [table.primaryKey, ...table.uniques.filter((u) => !u.partial).map((u) => u.columns)]
  return keys.some((k) => k.length === 1 && user.ownerColumns.includes(k[0] as string)) && !catalog.functions.some((f) => insertsInto(f.body, table))
}

function isStaffList(table: Table, catalog: Catalog, world: World & JudgeWorld): boolean {
  const user = table.userData
  if (!user?.ownerColumns.length || user.tenantColumns.length || table.stub || !table.rls.enabled || table.extension) return false
  if (!table.columns.some((c) => JOB_ROLE_COLUMN.test(c.name))) return false
  // one row for each user
  const keys = [table.primaryKey, ...table.uniques.filter((u) => !u.partial).map((u) => u.columns)]
  if (!table.foreignKeys.some((f) => f.references === 'auth.users') || keys.every((k) => k.length !== 1)) return false
  if (catalog.functions.some((f) => insertsInto(f.body, table))) return false
  const amongStaff = { ...world, isStaffList: (name: string) => name === nameOf(table) }
  return readPolicies(table, catalog, amongStaff)
    .filter((r) => r.command === 'insert' || r.command === 'update')
    .every((r) => [...r.ways, ...(r.newRow ?? [])].every((w) => w.needsRole || (r.command === 'update' && w.outcome === 'owner')))
}

/** What is called after letting somebody in, or says when that was granted. */
const ACCESS_LIST_TABLE = /(?:^|_)(?:access|allow_?list|white_?list|(?:allowed|authori[sz]ed|approved)_\w+|acessos?|accesos?|accessi)$/i
/** What anybody may pay for. */
const PURCHASED_ACCESS_TABLE = /premium|paid|purchas|subscri|course|product|trial|plan|member/i
const ADMITTED = /^(?:granted|authori[sz]ed|approved|admitted)_(?:by|at)$/i

/** A list of those whom an administrator has let in, one by one: a policy lets administrators add to it, and nobody else adds or changes a row. */
function isListOfAdmitted(table: Table, catalog: Catalog, world: World & JudgeWorld): boolean {
  if (
    !says(ACCESS_LIST_TABLE, table.name) ||
    says(PURCHASED_ACCESS_TABLE, table.name) ||
    !table.columns.some((c) => says(ADMITTED, c.name)) ||
    !listsUsers(table, catalog)
  )
    return false
  const written = readPolicies(table, catalog, world).filter((r) => r.command === 'insert' || r.command === 'update')
  return written.some((r) => r.command === 'insert' && r.ways.length > 0) && written.every((r) => [...r.ways, ...(r.newRow ?? [])].every((w) => w.needsRole))
}

/** The world with these tables in it. */
export function withStaffLists(world: World & JudgeWorld, catalog: Catalog): World & JudgeWorld {
  const lists = staffLists(catalog, world)
  return lists.size ? { ...world, isStaffList: (name) => lists.has(name) } : world
}

/** Tables into which the triggers on new accounts write. */
function insertedAtSignUp(catalog: Catalog): ReadonlySet<string> {
  const bodies = catalog.triggers
    .filter((t) => t.table === 'auth.users' && t.enabled && t.events.includes('insert'))
    .flatMap((t) => catalog.functions.filter((f) => `${f.schema}.${f.name}` === t.function.replace(/\(.*/, '')).map((f) => f.body))
  return new Set(catalog.tables.filter((t) => bodies.some((body) => insertsInto(body, t))).map(nameOf))
}

function insertsInto(body: string, table: Table): boolean {
  return new RegExp(`insert\\s+into\\s+(?:"?${table.schema}"?\\.)?"?${table.name.replace(/[^\w]/g, '.')}"?[\\s(]`, 'i').test(body)
}
