import type { Catalog, Grant, Table } from '../database.ts'
import { isRoleGate, type JudgeWorld, type Way } from './expression/judge.ts'
import type { Hole } from './hole.ts'
import { type BrowserRole, nameOf, type Reading } from './policies.ts'
import { decidesAccess, powerColumnsOf } from './power-columns.ts'
import { protectedByTrigger } from './triggers.ts'

/** What a policy is judged against beside its own table. */
export interface WriteContext {
  readonly catalog: Catalog
  /** Tables through which others' policies let members in. */
  readonly memberships: ReadonlySet<string>
  /** Columns of the caller's own row that policies ask for before they let in, by table. */
  readonly asked: ReadonlyMap<string, ReadonlySet<string>>
}

/** What users choose for themselves when they sign up, although policies ask for it. */
const SELF_CHOSEN = /type|kind|onboard|complete|position|level/i

/** Columns of users' own rows that open something when they hold a certain value: whoever may write them lets himself in. */
export function askedColumns(readings: ReadonlyMap<string, readonly Reading[]>, world: JudgeWorld): ReadonlyMap<string, ReadonlySet<string>> {
  const asked = new Map<string, Set<string>>()
  for (const way of [...readings.values()].flat().flatMap((r) => r.ways)) {
    for (const gate of way.gates) {
      if (!gate.own || !isRoleGate(gate, world) || gate.column.includes('.') || SELF_CHOSEN.test(gate.column)) continue
      asked.set(gate.table, (asked.get(gate.table) ?? new Set()).add(gate.column))
    }
  }
  return asked
}

/** Columns that a role may write; undefined when it may write all. */
function writableColumns(grants: readonly Grant[], role: BrowserRole, privilege: 'insert' | 'update'): readonly string[] | undefined {
  const own = grants.filter((g) => g.privilege === privilege && (g.role === role || g.role.toLowerCase() === 'public'))
  return own.some((g) => !g.columns) ? undefined : own.flatMap((g) => g.columns ?? [])
}

/** Tables in which the owner of the parent rightly names other people. */
const NAMES_OTHERS = /invit|member|participant|attend|assign|share|collaborat|follow|permission|guest|enrol|recipient|access|seat|player|roster/i

const isFixed = (column: string, ways: readonly Way[]) =>
  ways.every((w) => w.states.some((s) => s.column === column && s.op === '=') || w.tiedColumns.includes(column) || w.ownerColumns.includes(column))

/** What a policy that binds the owner of a new row leaves free all the same. */
export function readInsert(table: Table, reading: Reading, { catalog, memberships, asked }: WriteContext): Hole[] {
  const user = table.userData
  const bound = reading.ways.filter((w) => w.outcome === 'owner' || w.outcome === 'via')
  if (!user || !bound.length) return []
  const writable = writableColumns(table.grants, 'authenticated', 'insert')
  const free = (c: string) => (!writable || writable.includes(c)) && !isFixed(c, bound) && !protectedByTrigger(catalog, nameOf(table), c, 'insert')
  const base = {
    object: nameOf(table),
    command: 'insert' as const,
    policy: reading.policy.name,
    who: 'authenticated' as const,
    at: reading.policy.at,
    proof: 'inferred' as const,
  }
  // whoever administers the parent may write for others; colleagues of one tenant assign work to each other
  const tied = [...user.ownerColumns, ...user.tenantColumns]
  const unboundAuthor = bound.filter((w) => w.outcome === 'via' && !w.needsRole && !w.tiedColumns.some((c) => tied.includes(c)))
  const authors = user.ownerColumns.filter((c) => free(c) && !isParent(table, c))
  const power = powerOf(table, asked).filter((c) => free(c) && (decidesAccess(table.name, [c]) || asked.get(nameOf(table))?.has(c)) && !isParent(table, c))
  if (unboundAuthor.length && authors.length && !NAMES_OTHERS.test(table.name)) return [{ ...base, kind: 'author-free', columns: [...authors, ...power] }]
  const forgeable = namesOfOthers(user.ownerColumns, bound).filter((c) => AUTHOR.test(c) && free(c))
  if (forgeable.length) return [{ ...base, kind: 'author-free', columns: forgeable, because: 'either' }]
  const tenants = memberships.has(nameOf(table)) && bound.some((w) => w.outcome === 'owner') ? user.tenantColumns.filter(free) : []
  if (tenants.length) return [{ ...base, kind: 'self-grant', columns: [...tenants, ...power], because: 'membership' }]
  if (power.length && bound.some((w) => w.outcome === 'owner') && !appointsOthers(table, bound) && !createdAtSignUp(table, catalog))
    return [{ ...base, kind: 'self-grant', columns: power, ...askedOnly(power, table, asked) }]
  return []
}

const APPOINTER = /owner|admin|invit|grant|host|manager|(^|_)by(_|$)|creator|parent/i
const APPOINTED =
  /(^|_)(user|member|contributor|collaborator|invitee|invited|guest|delegate|employee|staff|grantee|viewer|editor|recipient)(_user|_profile)?(_?id|_?email)$|^email$/i

/** Whether a row is how its owner gives a standing to somebody else whom it names: what he grants is his to grant. */
function appointsOthers(table: Table, ways: readonly Way[]): boolean {
  const bound = new Set(ways.filter((w) => w.outcome === 'owner').flatMap((w) => w.ownerColumns))
  return bound.size > 0 && [...bound].every((c) => APPOINTER.test(c)) && table.columns.some((c) => APPOINTED.test(c.name) && !bound.has(c.name))
}

/** Columns that say who wrote or asked; whom a row is for is not among them. */
const AUTHOR =
  /^(user|sender|author|creator|owner|requester|from|poster|reviewer|uploader)(_(user|profile))?_?(id|uid)?$|^(created|posted|sent|submitted|uploaded|requested)_by(_id|_user_id)?$/i

/**
 * Owner columns that one way in compares with the caller and another leaves free: `sender_id = auth.uid() or user_id = auth.uid()` takes a
 * row whose sender is somebody else.
 */
function namesOfOthers(owners: readonly string[], ways: readonly Way[]): string[] {
  const own = ways.filter((w) => w.outcome === 'owner')
  const named = (w: Way, c: string) => w.ownerColumns.includes(c) || w.tiedColumns.includes(c) || w.states.some((s) => s.column === c)
  return owners.filter((c) => own.some((w) => w.ownerColumns.includes(c)) && own.some((w) => !w.needsRole && !named(w, c)))
}

function powerOf(table: Table, asked: WriteContext['asked']): readonly string[] {
  const known = powerColumnsOf(table)
  const keys = new Set([...known, ...table.primaryKey, ...(table.userData?.ownerColumns ?? []), ...(table.userData?.tenantColumns ?? [])])
  return [...known, ...table.columns.map((c) => c.name).filter((c) => asked.get(nameOf(table))?.has(c) && !keys.has(c))]
}

/** Marks what only the policies' own questions show to grant something. */
function askedOnly(columns: readonly string[], table: Table, asked: WriteContext['asked']): { readonly because?: 'asked' } {
  return columns.some((c) => asked.get(nameOf(table))?.has(c)) && !decidesAccess(table.name, columns) ? { because: 'asked' } : {}
}

/** A row per user that a trigger creates at sign-up cannot be inserted a second time. */
function createdAtSignUp(table: Table, catalog: Catalog): boolean {
  const owners = table.userData?.ownerColumns ?? []
  const single = owners.some(
    (o) =>
      (table.primaryKey.length === 1 && table.primaryKey[0] === o) || table.uniques.some((u) => !u.partial && u.columns.length === 1 && u.columns[0] === o),
  )
  if (!single) return false
  const name = new RegExp(`insert\\s+into\\s+(?:"?${table.schema}"?\\.)?"?${table.name.replace(/[^\w]/g, '.')}"?[\\s(]`, 'i')
  return catalog.functions.some((f) => f.isTrigger && name.test(f.body))
}

/** A column that points at another table than the users' own ones is a parent, not an author. */
function isParent(table: Table, column: string): boolean {
  return (
    table.foreignKeys.some(
      (f) => f.columns.length === 1 && f.columns[0] === column && !/(^|\.)(users?|profiles?|accounts?|members?|customers?)$/.test(f.references),
    ) && !/user|owner|author|created_by|profile/.test(column)
  )
}

/** What a policy that binds the owner of a row lets him change all the same. */
export function readUpdate(table: Table, reading: Reading, { catalog, asked }: WriteContext): Hole[] {
  const user = table.userData
  const base = {
    object: nameOf(table),
    command: 'update' as const,
    policy: reading.policy.name,
    who: 'authenticated' as const,
    at: reading.policy.at,
    proof: 'inferred' as const,
  }
  const holes: Hole[] = []
  const rows = reading.ways.filter((w) => w.outcome === 'owner' || w.outcome === 'via')
  if (!user || !rows.length) return holes
  const after = (reading.newRow ?? reading.ways).filter((w) => w.outcome !== 'role')
  const writable = writableColumns(table.grants, 'authenticated', 'update')
  const free = (c: string) => (!writable || writable.includes(c)) && !protectedByTrigger(catalog, nameOf(table), c, 'update')
  const moved = reading.newRow?.some((w) => w.outcome === 'open') ? user.ownerColumns.filter(free) : []
  const either = namesOfOthers(user.ownerColumns, after).filter(free)
  if (moved.length) holes.push({ ...base, kind: 'owner-change', columns: moved })
  else if (either.length) holes.push({ ...base, kind: 'owner-change', columns: either, because: 'either' })
  const selfService = rows.filter((w) => w.outcome === 'owner' || !w.gates.some((g) => /role|admin|owner|type|level/i.test(g.column)))
  const power = selfService.length && !appointsOthers(table, rows) ? powerOf(table, asked).filter((c) => free(c) && !isFixed(c, after)) : []
  if (power.length) holes.push({ ...base, kind: 'escalation', columns: power, ...askedOnly(power, table, asked) })
  return holes
}
