import { withoutSqlComments } from '../../lib/sql-comments.ts'
import type { Catalog } from '../database.ts'
import { CONDITION, setsItself, WHO } from './trigger-assignments.ts'

/** Whether a BEFORE trigger of the table watches a column: refuses its change or puts the old value back. */
export function protectedByTrigger(catalog: Catalog, table: string, column: string, event: 'insert' | 'update'): boolean {
  return catalog.triggers.some((trigger) => {
    if (trigger.table !== table || trigger.timing !== 'before' || !trigger.enabled || !trigger.events.includes(event)) return false
    if (event === 'update' && !watches(trigger.when, column)) return false
    const fn = catalog.functions.find(
      (f) =>
        trigger.function === `${f.schema}.${f.identity}` || trigger.function === f.identity || trigger.function.replace(/\(.*/, '') === `${f.schema}.${f.name}`,
    )
    if (!fn) return false
    const name = column.replace(/[^\w]/g, '.')
    const body = withoutSqlComments(fn.body)
    const refused =
      new RegExp(`(new|old)\\.\\s*"?${name}"?\\b`, 'i').test(body) &&
      /raise\s+(exception|insufficient|sqlstate|using)|return\s+null\b/i.test(body) &&
      !onlyAgrees(body, name)
    // putting the row back as a whole protects every column
    return setsItself(body, name) || refused || /\bnew\s*:?=\s*old\b|return\s+old\b/i.test(body)
  })
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
  if (WHO.test(body) || new RegExp(`\\bold\\.\\s*"?${name}"?\\b`, 'i').test(body)) return false
  const mine = new RegExp(`\\bnew\\.\\s*"?${name}"?(?!\\w)`, 'i')
  const conditions = [...body.matchAll(CONDITION)].map((m) => m[1] ?? '').filter((text) => mine.test(text))
  const columns = (text: string) => new Set([...text.matchAll(/\bnew\.\s*"?(\w+)/gi)].map((m) => m[1]?.toLowerCase()))
  // what is looked up in another table has to be there already, as it is
  return conditions.length > 0 && conditions.every((text) => /\band\b/i.test(text) && !/\bor\b|\bselect\b/i.test(text) && columns(text).size > 1)
}
