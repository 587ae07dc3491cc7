import type { AccessObject } from '../database/database.ts'
import type { Finding } from '../findings/finding.ts'
import type { Gap } from '../model/gap.ts'

export type CheckStatus = 'failed' | 'passed' | 'not-applicable' | 'unverified'

/** The report document, version 1; `schema/report-v1.json` is its JSON schema. */
export interface Report {
  readonly version: 1
  readonly tool: { readonly name: 'prelaunch'; readonly version: string }
  readonly audit: {
    readonly repository?: string
    readonly commit: string
    readonly base?: string
    readonly mergeBase?: string
    readonly pullRequest?: number
    readonly complete: boolean
    readonly files: number
    /** How many of the files are of a kind that a check reads; 0 when there is nothing to audit. Reports of older versions do not say. */
    readonly auditable?: number
    readonly history: { readonly commits: number; readonly complete: boolean }
    readonly advisories: { readonly source: 'github' | 'snapshot' | 'none'; readonly asOf?: string }
    readonly config: { readonly commit?: string; readonly problems: readonly { readonly path: string; readonly line: number; readonly message: string }[] }
  }
  readonly checks: readonly ReportCheck[]
  readonly routes: readonly ReportRoute[]
  readonly access: readonly AccessObject[]
  /** Fingerprints of the (at most three) problems to begin with, in this order. Reports of older versions do not say. */
  readonly startWith?: readonly string[]
  /** What only a person can do, with the page to open. Reports of older versions do not say. */
  readonly doYourself?: readonly { readonly what: string; readonly where: string }[]
  readonly summary: {
    readonly critical: number
    readonly high: number
    readonly medium: number
    readonly failed: number
    readonly passed: number
    readonly notApplicable: number
    readonly unverified: number
  }
  readonly comparison?: {
    readonly introduced: readonly string[]
    readonly existing: readonly string[]
    readonly fixed: readonly ReportFinding[]
    readonly unreadable: readonly ReportFinding[]
    /** Objects of `access` that the change creates, or that somebody reaches more or less of because of it. */
    readonly touched?: readonly string[]
    /** Why the database could be judged at the base and no longer at the head. */
    readonly lost?: string
  }
  /** `state` of a finding here: introduced when it or its suppression came with the change. */
  readonly suppressed: readonly { readonly finding: ReportFinding; readonly reason: string; readonly where: string }[]
  readonly gaps: readonly Gap[]
}

export interface ReportCheck {
  readonly number: number
  readonly id: string
  readonly category: string
  readonly rule: string
  readonly status: CheckStatus
  readonly because?: string
  readonly howToVerify?: { readonly where: string; readonly attest: string }
  readonly attested?: { readonly by: string; readonly date: string; readonly expires?: string }
  /** Fingerprints of findings of other checks that report this check's violations. */
  readonly reportedUnder?: readonly string[]
  readonly evidence: readonly string[]
  /** What the check looked at, for checks that judge handlers, pages or modules one by one; reports of older versions do not say. */
  readonly coverage?: ReportCoverage
  readonly findings: readonly ReportFinding[]
}

/** How many things a check judged, how many of them were followed to their end, and each one that was not. */
export interface ReportCoverage {
  readonly judged: number
  readonly followed: number
  readonly not: readonly { readonly subject: string; readonly path: string; readonly line: number; readonly because: string }[]
}

export interface ReportFinding {
  readonly fingerprint: string
  readonly check: string
  readonly severity: Finding['severity']
  readonly subject: string
  readonly title: string
  readonly message: string
  readonly attack: string
  readonly fix: Omit<Finding['fix'], 'rewrite' | 'from' | 'stops'>
  readonly path: string
  readonly line: number
  readonly endLine: number
  readonly related: readonly { readonly path: string; readonly line: number; readonly subject?: string; readonly what: string }[]
  readonly alsoFails: readonly number[]
  /** Id of what one change repairs: findings with one id are one item for people. Absent in reports of older versions. */
  readonly cause?: string
  readonly aliases: readonly string[]
  readonly help: string
  readonly proof: Finding['proof']
  readonly assumes?: string
  readonly workspace?: string
  readonly state?: 'introduced' | 'existing' | 'unreadable'
}

export interface ReportRoute {
  readonly method?: string
  readonly route: string
  readonly subject: string
  readonly kind: string
  readonly framework: string
  readonly guard: { readonly who: string; readonly path: string; readonly line: number } | null
  readonly client?: string
  readonly tables: readonly string[]
  readonly limit?: { readonly path: string; readonly line: number }
  readonly path: string
  readonly line: number
  readonly workspace?: string
}

/** What depends on the run and not on the repository; outside the byte-for-byte comparison. */
export interface RunInfo {
  readonly durationMs: number
  readonly cacheHits: number
  readonly cacheMisses: number
  readonly bytesRead: number
  readonly apiRequests?: number
  readonly phases: Readonly<Record<string, number>>
}
