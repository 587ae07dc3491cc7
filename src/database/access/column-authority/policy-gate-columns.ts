import type { Table } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import { isAddress, isRoleGate } from '../expression/role-gates.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { decidesAccess, powerColumnsOf } from './privilege-columns.ts'

/** Columns of the caller's own row that policies ask for before they let in, by table. */
export type AskedColumns = ReadonlyMap<string, ReadonlySet<string>>

/** What users choose for themselves when they sign up, although policies ask for it. */
const SELF_CHOSEN = /type|kind|onboard|complete|position|level|private|hidden|visib|draft|anonym/i
/** What nobody chooses to be, whatever the column is called: `user_type = 'admin'`. */
const ADMIN_ROLE_VALUE = /^(?:(?:super|site|master|platform|system)[_-]?)?admin(?:istrator)?$|^(?:super_?user|moderator|staff)$/i

/** Columns of users' own rows that open something when they hold a certain value: whoever may write them lets himself in. */
export function askedColumns(readings: ReadonlyMap<string, readonly Reading[]>, world: JudgeWorld): AskedColumns {
  const asked = new Map<string, Set<string>>()
  for (const way of [...readings.values()].flat().flatMap((r) => r.ways)) {
    for (const gate of way.gates) {
      if (!gate.own || !isRoleGate(gate, world) || gate.column.includes('.')) continue
      if (SELF_CHOSEN.test(gate.column) && !ADMIN_ROLE_VALUE.test(String(gate.value))) continue
      asked.set(gate.table, (asked.get(gate.table) ?? new Set()).add(gate.column))
    }
  }
  return asked
}

/** Columns of a table that give something: by what they are called or paid for, and those that policies ask of the caller's own row. */
export function powerOf(table: Table, asked: AskedColumns): readonly string[] {
  const known = powerColumnsOf(table)
  const keys = new Set([...known, ...table.primaryKey, ...(table.userData?.ownerColumns ?? []), ...(table.userData?.tenantColumns ?? [])])
  return [...known, ...table.columns.map((c) => c.name).filter((c) => asked.get(nameOf(table))?.has(c) && !keys.has(c) && !isTaken(table, c))]
}

/** The address that a policy names is its owner's as long as no two rows may hold the same. */
const isTaken = (table: Table, column: string): boolean =>
  isAddress(column) && table.uniques.some((u) => !u.partial && u.columns.length === 1 && u.columns[0] === column)

/** Marks what only the policies' own questions show to grant something; `address`: they ask for one address, and whoever has it administers. */
export function askedOnly(columns: readonly string[], table: Table, asked: AskedColumns): { readonly because?: 'asked' | 'address' } {
  const found = columns.filter((c) => asked.get(nameOf(table))?.has(c))
  if (!found.length || decidesAccess(table.name, columns)) return {}
  return { because: found.some(isAddress) ? 'address' : 'asked' }
}
