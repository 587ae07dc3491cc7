import type { Table } from '../database.ts'

/** Whether a column tells one row, or one person's rows, from others; groups by anything else (a day, a status) are about nobody. */
export function singlesOut(column: string, table: Table | undefined): boolean {
  if (!table?.userData || column === '*') return true
  const { ownerColumns, personalColumns } = table.userData
  return (
    table.primaryKey.includes(column) ||
    ownerColumns.includes(column) ||
    personalColumns.includes(column) ||
    table.uniques.some((u) => u.columns.length === 1 && u.columns[0] === column)
  )
}
