import type { CheckResult } from './checks/run-checks.ts'
import type { DatabaseResult, ReplayInput } from './database/database.ts'
import type { Gathered } from './facts/gather.ts'
import type { Finding } from './findings/finding.ts'
import type { AppModel } from './model/app-model.ts'
import type { HostedSettings } from './model/auth/hosted-settings.ts'
import type { AdvisoryData } from './model/dependencies/advisory.ts'
import type { History, Snapshot } from './source/source.ts'

/** Everything established about one commit. */
export interface Audited extends Outside {
  readonly snapshot: Snapshot
  readonly gathered: Gathered
  readonly plan: ReplayInput
  readonly model: AppModel
  readonly results: readonly CheckResult[]
  readonly findings: readonly Finding[]
  readonly history: History
}

/** What the facts of a commit do not say by themselves, and what may be another answer at another time. */
export interface Outside {
  readonly database: DatabaseResult | undefined
  readonly advisories: AdvisoryData
  readonly hosted: HostedSettings | undefined
}
