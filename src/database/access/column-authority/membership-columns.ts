import type { Command, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'

/**
 * Columns of the caller's own row by which policies of other tables let in: where `profiles.org_id` says whose notes somebody sees, whoever
 * writes it chooses. By table.
 */
export function joiningColumns(readings: ReadonlyMap<string, readonly Reading[]>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [name, list] of readings)
    for (const way of list.flatMap((r) => r.ways)) {
      if (way.outcome !== 'via') continue
      for (const link of way.links) {
        const [table, column] = [link.slice(0, link.lastIndexOf('.')), link.slice(link.lastIndexOf('.') + 1)]
        if (table !== name) found.set(table, (found.get(table) ?? new Set()).add(column))
      }
    }
  return found
}

/**
 * Columns by which rows of a table that the user writes himself let him change or delete rows of another one: by table. Whom somebody follows
 * decides what he reads; nobody changes a row because he follows it.
 */
export function admittingColumns(readings: ReadonlyMap<string, readonly Reading[]>): ReadonlyMap<string, ReadonlySet<string>> {
  return joiningColumns(new Map([...readings].map(([name, list]) => [name, list.filter((r) => r.command === 'update' || r.command === 'delete')])))
}

const ID_COLUMN = /(^|_)(id|uuid|uid)$/i
const CONTACT_OR_HANDLE_COLUMN = /(^|_)(?:(e_?mail|phone|mobile)(_?(address|number))?|user_?name|handle|gamer_?tag|nick_?name|screen_?name|player_?name)$/i

/** By what somebody is known elsewhere: policies may show rows that carry the address, or the name there, to whoever says that it is his. */
export const isOwnAddress = (column: string): boolean => CONTACT_OR_HANDLE_COLUMN.test(column)

/**
 * Those of them that say where the user belongs. Rows of which somebody has as many as he likes (whom he follows) are his to point where he
 * wants; one row for each user is not, and neither is a membership.
 */
export function belongingColumns(table: Table, ways: readonly Way[], joining: ReadonlySet<string> | undefined): readonly string[] {
  const user = table.userData
  if (!user || !joining) return []
  const bound = new Set(ways.flatMap((w) => (w.outcome === 'owner' ? w.ownerColumns : [])))
  const keys = [table.primaryKey, ...table.uniques.filter((u) => !u.partial).map((u) => u.columns)].flatMap((k) => (k.length === 1 ? k : []))
  const onePerUser = [...bound].some((c) => keys.includes(c))
  return table.columns
    .map((c) => c.name)
    .filter(
      (c) => joining.has(c) && !bound.has(c) && !keys.includes(c) && (user.tenantColumns.includes(c) || (onePerUser && (ID_COLUMN.test(c) || isOwnAddress(c)))),
    )
}

/** Those of them that name somebody else's row and stand in no key: what a new row of the user's own may say freely. */
export function admittedBy(table: Table, admitting: ReadonlySet<string> | undefined): readonly string[] {
  const user = table.userData
  if (!user || !admitting) return []
  return [...admitting].filter(
    (c) =>
      !user.ownerColumns.includes(c) &&
      !(table.primaryKey.length === 1 && table.primaryKey[0] === c) &&
      table.foreignKeys.some((f) => f.columns.length === 1 && f.columns[0] === c && f.references !== 'auth.users'),
  )
}

/** Tables whose policies let in by a column of another table, for people. */
export function openedBy(
  table: Table,
  column: string,
  readings: ReadonlyMap<string, readonly Reading[]>,
  commands: readonly Command[] = ['select', 'insert', 'update', 'delete'],
): readonly string[] {
  const link = `${nameOf(table)}.${column}`
  return [...readings].flatMap(([name, list]) =>
    name !== nameOf(table) && list.some((r) => commands.includes(r.command) && r.ways.some((w) => w.outcome === 'via' && w.links.includes(link))) ? [name] : [],
  )
}
