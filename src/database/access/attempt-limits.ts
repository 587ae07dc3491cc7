import type { SqlFunction } from '../database.ts'
import type { Routine } from './expression/routine.ts'
import type { Instance } from './expression/scope.ts'

/** Where it is written down how often somebody tried. */
const ATTEMPTS = /attempt|throttl|rate_?limit|lock_?out|failed_(?:log_?in|sign_?in)/i

/** It compares what the caller says with a hash. */
const COMPARES = /\bcrypt\s*\(/i

/**
 * Tables in which a function writes down for itself how often somebody tried, and where it looks before it does what it is for: it takes a
 * form, or compares a password of the application's own. Who has no session yet writes there by trying.
 */
export function limitersOf(fn: SqlFunction, { effects }: Routine, instances: readonly Instance[]): ReadonlySet<string> {
  const written = new Set(effects.filter((e) => ATTEMPTS.test(e.table)).map((e) => e.table))
  if (!written.size) return written
  if (!COMPARES.test(fn.body) && effects.every((e) => written.has(e.table))) return new Set()
  const changed = new Set(effects.map((e) => e.instance))
  return new Set([...written].filter((table) => instances.some((i) => i.table === table && !changed.has(i.id))))
}
