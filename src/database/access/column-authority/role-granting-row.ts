import type { Table } from '../../database.ts'
import type { RowState, Way } from '../expression/disjunct.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'

/** What nobody is by signing up; teachers and drivers may enter themselves. */
const ADMIN_ROLE_WORD = /admin|super_?user|moderator|staff/i
/** A table that can be nothing but the list of those who run the place. */
const LISTS_THEM = /^(?:super_?)?(?:admin(?:istrator)?|moderator)(?:_?user)?s?$/i

/** Whether whoever stands in a table runs the application, whatever the row says. */
export const listsThoseInCharge = (table: Table | undefined): boolean =>
  table?.userData !== undefined && LISTS_THEM.test(table.name) && table.userData.ownerColumns.length > 0 && !table.userData.tenantColumns.length

/** What a row of a list opens: tables whose policies let in whoever has one of his own, and what they ask of that row. */
interface LetIn {
  readonly tables: readonly string[]
  /** Whether one of them asks nothing of the row but that it is there. */
  readonly byRowAlone: boolean
  readonly asked: readonly RowState[]
}

function letIn(list: string, readings: ReadonlyMap<string, readonly Reading[]>): LetIn {
  const tables = new Set<string>()
  let byRowAlone = false
  const asked: RowState[] = []
  for (const [name, read] of readings) {
    if (name === list) continue
    for (const way of read.flatMap((r) => r.ways)) {
      if (way.outcome !== 'role' || way.because !== undefined || way.tables.join() !== list) continue
      tables.add(name)
      const gates = way.gates.filter((g) => g.table === list)
      if (!gates.length) byRowAlone = true
      asked.push(...gates)
    }
  }
  return { tables: [...tables].sort(), byRowAlone, asked }
}

/** Nothing but that the row is the caller's own is asked of a new one. */
const asksOwnerOnly = (way: Way): boolean =>
  way.outcome === 'owner' && !way.needsRole && !way.tables.length && !way.capability && !way.bySecret && !way.bySetting && !way.limited

/**
 * Where a row by itself is a role (`exists (select from admin_users where id = auth.uid())`), whoever may insert his own appoints himself: the
 * columns that name him, the tables that this opens to him, and whether what the row says does not matter for one of them. Undefined where more is asked
 * of the row than he may write.
 */
export function appointsItself(
  table: Table,
  bound: readonly Way[],
  readings: ReadonlyMap<string, readonly Reading[]>,
  free: (column: string) => boolean,
): ({ readonly columns: readonly string[] } & Pick<LetIn, 'tables' | 'byRowAlone'>) | undefined {
  if (!ADMIN_ROLE_WORD.test(table.name) || table.userData?.tenantColumns.length) return undefined
  const own = bound.filter(asksOwnerOnly)
  const columns = [...new Set(own.flatMap((w) => w.ownerColumns))].sort()
  if (!columns.length) return undefined
  const { tables, byRowAlone, asked } = letIn(nameOf(table), readings)
  if (!tables.length && !LISTS_THEM.test(table.name)) return undefined
  return asked.every((g) => free(g.column)) ? { columns, tables, byRowAlone } : undefined
}
