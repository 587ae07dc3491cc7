import type { Table } from '../../database.ts'

/**
 * Whether browsers reach a table: through an exposed schema, or, for a message queue, through the functions of `pgmq_public`, which run with
 * the caller's rights.
 */
export function isExposed(table: Table, schemas: ReadonlySet<string>): boolean {
  if (schemas.has(table.schema)) return true
  const granted = table.grants.some((g) => g.role === 'anon' || g.role === 'authenticated' || g.role.toLowerCase() === 'public')
  return table.schema === 'pgmq' && schemas.has('pgmq_public') && table.name.startsWith('q_') && granted
}
