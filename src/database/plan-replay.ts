import type { FactsIndex } from '../facts/facts.ts'
import type { ReplayInput } from './database.ts'

/** Which SQL is replayed, in which order. */
export function planReplay(facts: FactsIndex, _paths: readonly string[]): ReplayInput {
  return { files: [...facts.of('sql')].map(([path, sql]) => ({ path, text: sql.text, role: 'migration' as const })), exposedSchemas: ['public'], exposedToBrowsers: true }
}
