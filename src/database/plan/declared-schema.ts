import type { FactsIndex } from '../../facts/facts.ts'
import type { SqlFile } from '../database.ts'

/** DDL made from Drizzle and Prisma schema files, for tables that no SQL creates. */
export function declaredSchema(_facts: FactsIndex, _written: readonly SqlFile[]): SqlFile[] {
  return []
}
