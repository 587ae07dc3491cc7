import type { SqlFunction, Table } from '../../database.ts'
import { grantsPower } from '../column-authority/privilege-columns.ts'
import { bases, type Term } from '../expression/predicate.ts'
import type { Instance } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'
import { isFounded } from './propagated-write.ts'

const TEMPORARY = /\bcreate\s+(?:(?:local|global)\s+)?temp(?:orary)?\s+table\s+(?:if\s+not\s+exists\s+)?(?:pg_temp\.)?"?(\w+)/gi

/**
 * Finds what a function does with rows that it has made itself for its caller: who founds an account gets a project in it, and the copies of
 * a template's rows, which a temporary table of old and new ids ties to each other.
 */
export function freshRows(
  fn: SqlFunction,
  effects: readonly Effect[],
  own: readonly Effect[],
  tables: ReadonlyMap<string, Table>,
  instances: readonly Instance[],
): (effect: Effect) => boolean {
  const temporary = new Set([...fn.body.matchAll(TEMPORARY)].map((m) => (m[1] as string).toLowerCase()))
  const isTemporary = (table: string | undefined) => table !== undefined && !tables.has(table) && temporary.has(table.slice(table.lastIndexOf('.') + 1))
  const made = new Set(effects.filter((e) => isFounded(e, own)).map((e) => e.instance))
  if (!made.size) return (effect) => isTemporary(effect.table)
  const isGenerated = (table: string, column: string) => {
    const written = effects.filter((e) => e.command === 'insert' && e.table === table).map((e) => e.writes.get(column) ?? [])
    return written.length > 0 && written.every((values) => values.length > 0 && values.every((v) => v.term.t === 'expression' && !bases(v.term).length))
  }
  const isFresh = (term: Term): boolean => {
    if (term.t !== 'column') return false
    const table = instances[term.instance]?.table
    return made.has(term.instance) || (table !== undefined && isTemporary(table) && isGenerated(table, term.column))
  }
  // what hangs on a row stands after it
  for (const effect of effects) if (effect.command === 'insert' && hangsOn(effect, tables.get(effect.table), isFresh)) made.add(effect.instance)
  return (effect) => {
    if (isTemporary(effect.table)) return true
    return effect.command === 'insert' ? made.has(effect.instance) : changesOnly(effect, isFresh)
  }
}

/** Whether a new row belongs to one that was made before it, and the caller chooses neither another that it belongs to nor what it grants. */
function hangsOn(effect: Effect, table: Table | undefined, isFresh: (term: Term) => boolean): boolean {
  if (effect.upsert || !table) return false
  const decides = new Set([...(table.userData?.ownerColumns ?? []), ...(table.userData?.tenantColumns ?? []), ...table.foreignKeys.flatMap((f) => f.columns)])
  let hangs = false
  for (const [column, values] of effect.writes) {
    if (!decides.has(column) && !grantsPower(column)) continue
    if (values.some((v) => bases(v.term).some((t) => t.t === 'argument' || t.t === 'unknown'))) return false
    if (decides.has(column) && values.length > 0 && values.every((v) => bases(v.term).length > 0 && bases(v.term).every(isFresh))) hangs = true
  }
  return hangs
}

/** Whether only rows are changed that were made before. */
function changesOnly(effect: Effect, isFresh: (term: Term) => boolean): boolean {
  return (
    effect.when.length > 0 &&
    effect.when.every((way) =>
      way.some((atom) => {
        if (atom.a !== 'compare' || atom.op !== '=') return false
        const sides = [atom.left, atom.right]
        return sides.some((t) => t.t === 'column' && t.instance === effect.instance) && sides.some(isFresh)
      }),
    )
  )
}
