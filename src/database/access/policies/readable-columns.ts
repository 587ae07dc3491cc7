import type { Hole, Table } from '../../database.ts'

/** Columns that whoever gets through the hole may select, where GRANT names columns; undefined when all of them are open. */
function selectable(table: Table, who: Hole['who']): ReadonlySet<string> | undefined {
  const roles = who === 'anon' ? ['anon', 'authenticated', 'public'] : ['authenticated', 'public']
  const grants = table.grants.filter((g) => g.privilege === 'select' && roles.includes(g.role.toLowerCase()))
  return grants.some((g) => !g.columns) ? undefined : new Set(grants.flatMap((g) => g.columns ?? []))
}

/** The table as the API shows it to them: personal columns whose privilege is revoked are none of it. */
export function asReadableBy(table: Table, who: Hole['who']): Table & { readonly partly?: true } {
  const open = selectable(table, who)
  if (!open || !table.userData || table.stub) return table
  return { ...table, partly: true, userData: { ...table.userData, personalColumns: table.userData.personalColumns.filter((c) => open.has(c)) } }
}
