import type { SqlFunction, Table } from '../../database.ts'
import { bases } from '../expression/predicate.ts'
import type { Routine } from '../expression/routine.ts'
import type { Instance } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'

/** Where it is written down how often somebody tried. */
const ATTEMPTS = /attempt|throttl|rate_?limit|lock_?out|failed_(?:log_?in|sign_?in)/i

/** It compares what the caller says with a hash. */
const HASH_COMPARISON_SQL = /\bcrypt\s*\(/i

/**
 * Tables in which a function writes down for itself how often somebody tried, and where it looks before it does what it is for: it takes a
 * form, or compares a password of the application's own. Who has no session yet writes there by trying; whoever says which user it was that tried
 * uses up that user's attempts.
 */
export function limitersOf(fn: SqlFunction, { effects }: Routine, tables: ReadonlyMap<string, Table>, instances: readonly Instance[]): ReadonlySet<string> {
  const written = new Set(effects.filter((e) => ATTEMPTS.test(e.table)).map((e) => e.table))
  if (!written.size) return written
  if (!HASH_COMPARISON_SQL.test(fn.body) && effects.every((e) => written.has(e.table))) return new Set()
  const changed = new Set(effects.map((e) => e.instance))
  const named = new Set(effects.filter((e) => namesUser(e, tables.get(e.table))).map((e) => e.table))
  return new Set([...written].filter((table) => !named.has(table) && instances.some((i) => i.table === table && !changed.has(i.id))))
}

const namesUser = (effect: Effect, table: Table | undefined): boolean =>
  (table?.userData?.ownerColumns ?? []).some((c) => effect.writes.get(c)?.some((v) => bases(v.term).some((t) => t.t === 'argument')))
