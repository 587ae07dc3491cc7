import type { Table } from '../../database.ts'

/** What many rows have in common: kinds, states, days. */
const SHARED =
  /(^|_)(status|state|type|kind|category|level|plan|tier|role|language|locale|country|currency|source|platform|device|gender|severity|event|action|provider|day|week|month|year|date|hour|bucket|period)(_name|_at)?$/i

/** Whether a column tells one row, or one person's rows, from others; groups by a day or a status are about nobody. */
export function singlesOut(column: string, table: Table | undefined): boolean {
  const known = table?.columns.find((c) => c.name === column)
  if (!table?.userData || !known) return true
  const { ownerColumns, personalColumns } = table.userData
  if (table.primaryKey.includes(column) || ownerColumns.includes(column) || personalColumns.includes(column)) return true
  if (table.uniques.some((u) => u.columns.length === 1 && u.columns[0] === column)) return true
  // free text may hold anything that one row says
  return !/^(boolean|date|timestamp|time)/.test(known.type) && !SHARED.test(column) && /^(text|character|citext|jsonb?|uuid)/.test(known.type)
}

/** Whether groups by these columns are the rows of a table, one by one: its key is among them. */
export const tellsEachRow = (columns: Iterable<string>, table: Table | undefined): boolean => {
  const among = new Set(columns)
  const keys = table ? [table.primaryKey, ...table.uniques.filter((u) => !u.partial).map((u) => u.columns)] : []
  return keys.some((key) => key.length > 0 && key.every((c) => among.has(c)))
}
