import type { AuditRequest, AuditResult } from '../../audit.ts'
import type { Config } from '../../config/config.ts'
import type { DatabaseResult, ReplayInput } from '../../database/database.ts'
import type { ExtractionJob } from '../../facts/extract.ts'
import type { HostedSettings } from '../../model/auth/hosted-settings.ts'
import type { AdvisoryData } from '../../model/dependencies/advisory.ts'
import type { BlobSha, History, Snapshot } from '../../source/source.ts'

/** What the App asks to audit. The configuration comes as it was written: the broker does not read what a repository holds. */
export interface AuditRequestOfApp extends Omit<AuditRequest, 'config' | 'configProblems'> {
  /** The text of the configuration file; absent when there is none. */
  readonly configText?: string
}

/** What an audit of the App gives: the result, and the configuration that it was made with. */
export interface AuditedForApp extends AuditResult {
  readonly config: Config
}

/** The ports of an audit as its thread asks for them: one argument and an answer, both of which can be copied between threads. */
export interface RemotePorts {
  snapshot(commit: string): Promise<Snapshot>
  read(shas: readonly BlobSha[]): Promise<Map<BlobSha, Uint8Array>>
  mergeBase(commits: readonly [base: string, head: string]): Promise<string | undefined>
  /** The history of environment files; which files are wanted is a function, and functions do not cross. */
  envFileHistory(commit: string): Promise<History>
  getFacts(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  putFacts(entries: ReadonlyMap<string, string>): Promise<void>
  /** For each job the JSON text of its extractions. */
  extract(jobs: readonly ExtractionJob[]): Promise<readonly string[]>
  replay(input: ReplayInput): Promise<DatabaseResult>
  advisories(packages: readonly string[]): Promise<AdvisoryData>
  /** Settings of the first of the hosted projects that can be read; the token stays on the other side. */
  hosted(projects: readonly string[]): Promise<HostedSettings | undefined>
}

export type PortName = keyof RemotePorts

/** What the thread is told. `failed` stands for an error that stayed on the other side. */
export type ToThread =
  | { readonly type: 'audit'; readonly request: AuditRequestOfApp; readonly hasAdvisories: boolean; readonly hasHosted: boolean }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** What the thread says. `failed` names the question whose error ended the audit, when one did. */
export type FromThread =
  | { readonly type: 'ask'; readonly id: number; readonly port: PortName; readonly argument: unknown }
  | { readonly type: 'done'; readonly result: AuditedForApp }
  | { readonly type: 'failed'; readonly asked?: number; readonly message: string; readonly stack?: string }
