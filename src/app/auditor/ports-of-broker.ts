import type { AuditPorts } from '../../audit.ts'
import type { HostedSettings } from '../../model/auth/hosted-settings.ts'
import type { PackedFacts } from '../../store/facts-store.ts'

/** What one audit needs of the broker, each bound to the repository that is audited. */
export interface AuditPortsOfBroker extends Pick<AuditPorts, 'source' | 'advisories'> {
  readonly facts: PackedFacts
  /** Settings of the first of the hosted projects that can be read; absent without a token. */
  readonly hosted?: (projects: readonly string[]) => Promise<HostedSettings | undefined>
}
