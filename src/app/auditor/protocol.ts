import type { LayersReport } from '../../database/isolation/report.ts'
import type { AuditedForApp, AuditRequestOfApp } from '../audit-thread/protocol.ts'

/** What the auditor may ask of the broker: one JSON argument, one JSON answer. Maps are lists of entries, contents of files base64. */
export interface BrokerPorts {
  readonly snapshot: string
  readonly read: readonly string[]
  readonly mergeBase: readonly [base: string, head: string]
  readonly envFileHistory: string
  readonly getFacts: readonly string[]
  readonly putFacts: readonly (readonly [key: string, value: string])[]
  readonly advisories: readonly string[]
  readonly hosted: readonly string[]
}

export type BrokerPort = keyof BrokerPorts

/** What the broker tells. `audit` is the number of a running audit, `id` that of a question of it. */
export type ToAuditor =
  | { readonly type: 'audit'; readonly audit: number; readonly request: AuditRequestOfApp; readonly hasAdvisories: boolean; readonly hasHosted: boolean }
  /** Some entries of an answer that is a map; the answer itself follows. */
  | { readonly type: 'part'; readonly audit: number; readonly id: number; readonly entries: readonly (readonly [key: string, value: string])[] }
  | { readonly type: 'answer'; readonly audit: number; readonly id: number; readonly value?: unknown }
  | { readonly type: 'failed'; readonly audit: number; readonly id: number; readonly message: string }
  | { readonly type: 'stop'; readonly audit: number }
  | { readonly type: 'ping' }

/** What the auditor says. `asked` names the question whose error ended the audit; `forUsers` marks a sentence that may be shown. */
export type FromAuditor =
  | { readonly type: 'ask'; readonly audit: number; readonly id: number; readonly port: BrokerPort; readonly argument: unknown }
  | { readonly type: 'done'; readonly audit: number; readonly result: AuditedForApp }
  | {
      readonly type: 'failed'
      readonly audit: number
      readonly message: string
      readonly asked?: number | undefined
      readonly forUsers?: boolean | undefined
      readonly stack?: string | undefined
    }
  | { readonly type: 'pong' }
  /** Which layers hold around the sandboxes that it starts; said once, at the start. */
  | { readonly type: 'layers'; readonly report: LayersReport }

/** Bytes of one message. The broker's carry one file at most, of 64 MiB; the auditor's a report, or a batch of facts. */
export const MAX_TO_AUDITOR = 128 << 20
export const MAX_FROM_AUDITOR = 64 << 20
/** Characters of entries after which a list of them is divided among messages. */
export const PART_CHARACTERS = 8 << 20

/** Entries in parts of about `PART_CHARACTERS`. */
export function* inParts<T extends readonly [key: string, value: string]>(entries: Iterable<T>): Generator<T[]> {
  let part: T[] = []
  let size = 0
  for (const entry of entries) {
    const length = entry[0].length + entry[1].length
    if (part.length && size + length > PART_CHARACTERS) {
      yield part
      part = []
      size = 0
    }
    part.push(entry)
    size += length
  }
  if (part.length) yield part
}
