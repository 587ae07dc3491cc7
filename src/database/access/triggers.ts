import type { Catalog } from '../database.ts'

/** Whether a BEFORE trigger of the table watches a column: refuses its change or puts the old value back. */
export function protectedByTrigger(catalog: Catalog, table: string, column: string, event: 'insert' | 'update'): boolean {
  return catalog.triggers.some((trigger) => {
    if (trigger.table !== table || trigger.timing !== 'before' || !trigger.enabled || !trigger.events.includes(event)) return false
    const fn = catalog.functions.find(
      (f) =>
        trigger.function === `${f.schema}.${f.identity}` || trigger.function === f.identity || trigger.function.replace(/\(.*/, '') === `${f.schema}.${f.name}`,
    )
    if (!fn) return false
    const name = column.replace(/[^\w]/g, '.')
    const assigned = new RegExp(`new\\.\\s*"?${name}"?\\s*:?=(?!=)`, 'i').test(fn.body)
    const refused = new RegExp(`(new|old)\\.\\s*"?${name}"?\\b`, 'i').test(fn.body) && /raise\s+(exception|insufficient|sqlstate|using)/i.test(fn.body)
    // putting the row back as a whole protects every column
    return assigned || refused || /\bnew\s*:?=\s*old\b|return\s+old\b/i.test(fn.body)
  })
}
