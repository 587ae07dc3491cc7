import type { Catalog, Command, Policy } from '../../database.ts'
import { BY_SOMEBODY } from './permission-helpers.ts'
import { nameOf, type Reading } from './read-policies.ts'

/** `has_role(auth.uid(), 'manager') or has_role(auth.uid(), 'clerk')`, or `role in ('manager', 'clerk')`: roles that a condition names. */
const ROLE_LITERAL_SQL = /'([^']{2,40})'(?:::[\w."]{1,80})?/g

/** What whoever signs up is. */
const EVERYBODY = /^(?:users?|customers?|clients?|members?|guests?|viewers?|students?|usuario|cliente|utente|public|authenticated|anon)$/i

/** `is_staff()`, `(select is_allowed_staff())`: whether the caller works here, whatever his role. */
const WORKS_HERE =
  /^\(*\s*(?:select\s+)?(?:"?public"?\.)?"?((?:\w{1,20}_)?(?:staff|employees?|team_?members?|internal(?:_user)?|funcionari\w{1,3}|colaborador\w{0,3}|empleados?)(?:_\w{1,10})?)"?\(\)(?:\s+as\s+\w{1,63})?\s*\)*$/i
const ELEVATED_ROLE_WORD = /admin|owner|super|manager/i

/** Whether a condition asks whether the caller works here, and nothing else. */
export const asksWhoWorksHere = (condition: string): boolean => {
  const [, name] = WORKS_HERE.exec(condition) ?? []
  return name !== undefined && !ELEVATED_ROLE_WORD.test(name)
}

const rolesIn = (condition: string): readonly string[] => [...new Set([...condition.matchAll(ROLE_LITERAL_SQL)].map((m) => m[1] as string))]

/** A policy that asks for a role and for nothing of the row: its condition, and what it lets do with which table. */
export interface RoleAsked {
  readonly table: string
  readonly text: string
  readonly command: Command
}

/** Whether people who do not work here have rows of their own: by a column that names whose a row is, not who entered it, and no profile. */
const hasOthers = ({ tables }: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): boolean =>
  [...readings].some(([name, list]) => {
    const table = tables.find((t) => nameOf(t) === name)
    const isOnesOwn = (c: string) => !BY_SOMEBODY.test(c) && !(table?.primaryKey.length === 1 && table.primaryKey[0] === c)
    return list.some((r) => r.ways.some((w) => w.outcome === 'owner' && !w.needsRole && w.ownerColumns.some(isOnesOwn)))
  })

/**
 * The condition by which an application that several kinds of staff work with opens its tables to them: one that asks whether somebody works here, or
 * names several roles, and asks nothing of the row, as policies of several tables have it: of those for reading, or for writing, the one that leaves
 * out fewest who work here.
 */
export function houseRoles(
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
  command: Policy['command'],
  asked: readonly RoleAsked[],
): string | undefined {
  const users = new Set(catalog.tables.filter((t) => t.userData).map(nameOf))
  const found = new Map<string, { readonly text: string; readonly roles: number; readonly tables: Set<string> }>()
  const wanted = (c: Command) => (command === 'select' ? c === 'select' : c !== 'select')
  const ofStaff = Map.groupBy(
    asked.filter((a) => asksWhoWorksHere(a.text)),
    (a) => a.text.replace(/\s+/g, ' '),
  )
  const staff = [...ofStaff.values()].find((all) => new Set(all.map((a) => a.table)).size > 1)?.find((a) => wanted(a.command))
  if (staff && !hasOthers(catalog, readings)) return staff.text
  for (const { table, text, command: asks } of asked) {
    const roles = rolesIn(text)
    if (!wanted(asks) || !users.has(table) || roles.length < 2 || roles.some((r) => EVERYBODY.test(r))) continue
    const key = text.replace(/\s+/g, ' ')
    const one = found.get(key) ?? { text, roles: roles.length, tables: new Set<string>() }
    one.tables.add(table)
    found.set(key, one)
  }
  const [widest] = [...found.values()].filter((f) => f.tables.size > 1).toSorted((a, b) => b.roles - a.roles || b.tables.size - a.tables.size)
  return widest?.text
}
