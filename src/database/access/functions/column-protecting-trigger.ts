import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { Catalog, SqlFunction } from '../../database.ts'
import { bodyInForce } from './current-user-in-definer.ts'
import { CALLER_AWARE_SQL, CONDITION, setsItself } from './trigger-assignment.ts'

/** Whether a BEFORE trigger of the table watches a column: refuses its change or puts the old value back. */
export const protectedByTrigger = (catalog: Catalog, table: string, column: string, event: 'insert' | 'update'): boolean =>
  watchersOf(catalog, table, column, event).some((fn) => protects(bodyInForce(fn), column))

/** The function of a trigger that would watch a column if it did not ask `current_user` while it runs as its owner. */
export const takenForOwner = (catalog: Catalog, table: string, column: string, event: 'insert' | 'update'): SqlFunction | undefined =>
  watchersOf(catalog, table, column, event).find((fn) => !protects(bodyInForce(fn), column) && protects(withoutSqlComments(fn.body), column))

/** What BEFORE triggers of a table run when a column is written. */
function watchersOf(catalog: Catalog, table: string, column: string, event: 'insert' | 'update'): readonly SqlFunction[] {
  return catalog.triggers.flatMap((trigger) => {
    if (trigger.table !== table || trigger.timing !== 'before' || !trigger.enabled || !trigger.events.includes(event)) return []
    if (event === 'update' && !watches(trigger.when, column)) return []
    const fn = catalog.functions.find(
      (f) =>
        trigger.function === `${f.schema}.${f.identity}` || trigger.function === f.identity || trigger.function.replace(/\(.*/, '') === `${f.schema}.${f.name}`,
    )
    return fn ? [fn] : []
  })
}

function protects(body: string, column: string): boolean {
  const name = column.replace(/[^\w]/g, '.')
  const refused =
    new RegExp(`(new|old)\\.\\s*"?${name}"?\\b`, 'i').test(body) &&
    /raise\s+(exception|insufficient|sqlstate|using)|return\s+null\b/i.test(body) &&
    !onlyAgrees(body, name)
  // putting the row back as a whole protects every column
  return setsItself(body, name) || refused || /\bnew\s*:?=\s*old\b|return\s+old\b/i.test(body)
}

/** Whether a trigger runs when a column is written: `BEFORE UPDATE OF rating` does not where another one is. */
function watches(definition: string, column: string): boolean {
  const only = definition.split(/ UPDATE OF /i)[1]?.split(/ (?:ON|OR) /i)[0]
  return !only || only.split(',').some((c) => c.trim().replaceAll('"', '') === column)
}

/**
 * Whether a function only looks that columns of the new row agree with each other (nothing is both cancelled and paid): who sets them both
 * as they go together writes what he likes.
 */
function onlyAgrees(body: string, name: string): boolean {
  if (CALLER_AWARE_SQL.test(body) || new RegExp(`\\bold\\.\\s*"?${name}"?\\b`, 'i').test(body)) return false
  const mine = new RegExp(`\\bnew\\.\\s*"?${name}"?(?!\\w)`, 'i')
  const conditions = [...body.matchAll(CONDITION)].map((m) => m[1] ?? '').filter((text) => mine.test(text))
  const columns = (text: string) => new Set([...text.matchAll(/\bnew\.\s*"?(\w+)/gi)].map((m) => m[1]?.toLowerCase()))
  // what is looked up in another table has to be there already, as it is
  return conditions.length > 0 && conditions.every((text) => /\band\b/i.test(text) && !/\bor\b|\bselect\b/i.test(text) && columns(text).size > 1)
}
