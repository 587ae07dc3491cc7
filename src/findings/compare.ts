import { SEVERITY_RANK } from '../checks/outcome.ts'
import type { Finding } from './finding.ts'

/** How the findings of a head differ from those of its base. */
export interface Comparison {
  readonly introduced: readonly Finding[]
  readonly existing: readonly Finding[]
  readonly fixed: readonly Finding[]
  /** Findings of the base whose file could not be read at the head: not fixed, just not seen. */
  readonly unreadable: readonly Finding[]
  /** Why the database could be judged at the base and no longer at the head: the change may hide anything. */
  readonly lost?: string
  /** Objects of the access matrix that the change touches. */
  readonly touched?: readonly string[]
}

/**
 * Compares by fingerprint. A finding that disappeared counts as fixed only when everything that could show it was read:
 * breaking the parser must not look like a repair.
 */
export function compareWithBase(base: readonly Finding[], head: readonly Finding[], stillReadable: (finding: Finding) => boolean): Comparison {
  const atBase = new Map(base.map((f) => [f.fingerprint, f]))
  const atHead = new Set(head.map((f) => f.fingerprint))
  const gone = base.filter((f) => !atHead.has(f.fingerprint))
  return {
    introduced: head.filter((f) => worse(f, atBase.get(f.fingerprint))),
    existing: head.filter((f) => !worse(f, atBase.get(f.fingerprint))),
    fixed: gone.filter(stillReadable),
    unreadable: gone.filter((f) => !stillReadable(f)),
  }
}

/** New, or more severe than it was: a Medium that a change turns into a Critical is introduced by that change. */
function worse(head: Finding, base: Finding | undefined): boolean {
  return !base || SEVERITY_RANK[head.severity] > SEVERITY_RANK[base.severity]
}
