import type { Config } from '../config/config.ts'
import type { FactsIndex } from '../facts/facts.ts'
import type { History } from '../source/source.ts'
import type { HostedSettings } from './auth/hosted-settings.ts'
import type { AdvisoryData } from './dependencies/advisory.ts'
import type { Gap } from './gap.ts'
import type { ModelMemory } from './memory.ts'

/** Everything that the model is built from. */
export interface ModelInput {
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: string; readonly sha?: string }[]
  readonly facts: FactsIndex
  readonly database: import('../database/database.ts').DatabaseResult | undefined
  readonly history: History | undefined
  readonly historySecrets?: ReadonlyMap<string, import('../facts/kinds.ts').EnvFileFacts>
  readonly advisories: AdvisoryData
  readonly hosted?: HostedSettings
  readonly config: Config
  readonly gaps: readonly Gap[]
  /** What audits of the same repository before this one found out. */
  readonly memory?: ModelMemory
}
