import type { FactsIndex } from '../../facts/facts.ts'
import type { TableHint } from '../database.ts'

/** What code says of the tables it queries. */
export function tableHints(_facts: FactsIndex): readonly TableHint[] {
  return []
}
