import type { AuditPorts } from '../audit.ts'
import type { AdvisoryCache } from '../platform/github/advisories.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import type { TokenScope } from '../platform/github/installation-client.ts'
import type { AuditTarget } from '../store/audit-target.ts'
import type { Store } from '../store/store.ts'
import type { AuditedForApp, AuditRequestOfApp } from './audit-thread/protocol.ts'
import type { AuditPortsOfBroker } from './auditor/ports-of-broker.ts'

/** A newer commit, a closed pull request or the end of the process made the audit pointless. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
  readonly by: 'newer' | 'closed' | 'shutdown'

  constructor(by: Superseded['by']) {
    super(by)
    this.by = by
  }
}

export interface Log {
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}

export interface RunnerOptions {
  readonly store: Store
  /** A client whose token is good for one job. */
  readonly installation: (scope: TokenScope) => Promise<GitHubApi>
  /** Everything of the audit that does not depend on the repository. */
  readonly ports: {
    /** Audits elsewhere: what a repository holds is not read in this process. */
    readonly audit: (request: AuditRequestOfApp, ports: AuditPortsOfBroker, signal: AbortSignal) => Promise<AuditedForApp>
    readonly advisories?: (api: GitHubApi, onRequest: () => void, cache: AdvisoryCache) => AuditPorts['advisories']
    /** A reader of the hosted platform's settings for one audit; absent without a token. */
    readonly hosted?: () => NonNullable<AuditPortsOfBroker['hosted']>
  }
  readonly log: Log
  readonly onAudit?: (result: {
    kind: AuditTarget['kind']
    outcome: 'success' | 'failure' | 'superseded' | 'error'
    seconds: number
    apiRequests: number
  }) => void
  /** Seconds of waiting for GitHub that one audit may spend. */
  readonly patience?: number
  readonly backoffMs?: number
  /** Milliseconds after which one request to GitHub is given up. */
  readonly timeoutMs?: number
  readonly today?: () => string
}
