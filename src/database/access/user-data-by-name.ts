import type { Table } from '../database.ts'

const PERSONAL_TABLE = /booking|order|customer|client|user|profile|member|patient|reservation|appointment|invoice|payment|message|chat|conversation|ticket|application|submission|subscri|account|contact|lead|guest|employee|student|note|document/i

/** A table that only the dashboard created shows no columns; its name has to do. */
export function withUserData(table: Table): Table {
  if (table.userData || !table.stub || !PERSONAL_TABLE.test(table.name)) return table
  return { ...table, userData: { because: 'its name says so; no SQL in the repository shows its columns', ownerColumns: [], tenantColumns: [], personalColumns: [], powerColumns: [] } }
}
