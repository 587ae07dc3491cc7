import type { Audited } from './audited.ts'
import type { Config } from './config/config.ts'
import { FactsMemory } from './facts/facts-memory.ts'
import type { ModelMemory } from './model/memory.ts'

/**
 * What audits of one repository leave for the next one in this process. With it an audit costs what changed; the report is the same without it.
 * To be handed to one audit at a time, and never to audits of two repositories.
 */
export interface AuditMemory {
  readonly facts: FactsMemory
  readonly model: ModelMemory
  /** The last merge base. */
  base?: { readonly config: Config; readonly audited: Audited }
}

/** A memory that holds nothing yet. */
export const emptyMemory = (): AuditMemory => ({ facts: new FactsMemory(), model: {} })
