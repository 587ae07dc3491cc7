import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Filter, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { isSame } from '../binding/value-equality.ts'
import { aboutQuery, type OwnershipBreach, referredTo, tableOf } from '../shared/violation.ts'

type Tables = Pick<SchemaModel, 'tables'>

/**
 * What was bought is asked for by one id of the request, and a part of it (a lesson, its film) is loaded by another: nothing says that the part belongs to
 * what was bought, so one purchase opens the parts of all.
 */
export function boughtBreaches(step: Step, e: Query, behaviour: Behaviour, schema: Tables): OwnershipBreach[] {
  if (e.op !== 'select' || e.client.rights !== 'service' || e.unread || e.countOnly) return []
  const chosen = e.filters.filter((f) => f.value.v !== 'const')
  const [key] = chosen
  const table = tableOf(e, schema)
  if (!key || chosen.length > 1 || key.op !== 'eq' || key.value.v !== 'request' || !table || table.stub) return []
  for (const { bought, by } of purchasesAsked(step, behaviour)) {
    const whole = tableOf(bought, schema)
    const sold = whole && referredTo(whole, lastPart(by.column), schema)
    if (!sold || isSame(by.value, key.value) || !isPartOf(table, lastPart(key.column), sold, schema)) continue
    if (areTied(key.value, by.value, behaviour)) continue
    return [
      {
        kind: 'bought',
        severity: 'High',
        ...aboutQuery(step, e, behaviour),
        by: requestName(key.value) ?? key.column,
        within: requestName(by.value) ?? by.column,
        ownerColumn: lastPart(by.column),
        ownedBy: bought.table,
        what: `loads ${e.table} by ${lastPart(key.column)} = ${requestName(key.value) ?? 'a value of the request'}`,
      },
    ]
  }
  return []
}

const PURCHASE_TABLE = /purchase|enrol|subscription|order|access|membership|entitlement|licen[cs]e/i

/** The purchases of the caller that decide whether the step is reached, and the filter by which the request says of what. */
function purchasesAsked({ under }: Step, { steps }: Behaviour): readonly { readonly bought: Query; readonly by: Filter }[] {
  const found = new Set(under.flatMap((c) => rowsNeeded(c.test, !c.negated)))
  return [...found].flatMap((index) => {
    const e = steps[index]?.effect
    if (e?.kind !== 'db' || e.op !== 'select' || !PURCHASE_TABLE.test(e.table)) return []
    const by = e.filters.find((f) => f.op === 'eq' && f.value.v === 'request')
    return by && e.filters.some((f) => f.op === 'eq' && f.value.v === 'caller') ? [{ bought: e, by }] : []
  })
}

/** The rows that are there where a test has this truth value, or may have made it so. */
function rowsNeeded(test: Value, truthy: boolean, depth = 0): readonly number[] {
  if (depth > 8) return []
  if (test.v === 'row') return truthy && test.step >= 0 ? [test.step] : []
  if (test.v === 'op' && test.op === '!') return test.of[0] ? rowsNeeded(test.of[0], !truthy, depth + 1) : []
  return test.v === 'op' && /^(?:&&|\|\|)$/.test(test.op) ? test.of.flatMap((x) => rowsNeeded(x, truthy, depth + 1)) : []
}

/** A row of what is sold in parts, found by its own key or by that of the part that it hangs on. */
function isPartOf(table: Table, column: string, sold: Table, schema: Tables): boolean {
  const names = (t: Table) => t.foreignKeys.some((k) => k.references === `${sold.schema}.${sold.name}`)
  if (table === sold) return false
  const parent = table.primaryKey.includes(column) ? table : referredTo(table, column, schema)
  return parent !== undefined && parent !== sold && names(parent)
}

/** Something looks one up by the other, or compares what one of them found with the other. */
function areTied(part: Value, whole: Value, behaviour: Behaviour): boolean {
  const { steps } = behaviour
  const foundBy = (key: Value) => (x: Value) => isSame(x, key) || (x.v === 'row' && x.step >= 0 && isFoundBy(steps[x.step]?.effect, key))
  const compares = (x: Value): boolean =>
    (x.v === 'op' && /^[!=]==?$/.test(x.op) && x.of.some((y) => mentions(y, foundBy(part))) && x.of.some((y) => mentions(y, foundBy(whole)))) ||
    (x.v === 'call' && x.args.some((y) => mentions(y, foundBy(part))) && x.args.some((y) => mentions(y, foundBy(whole))))
  return steps.some(({ effect: e, under }) => {
    if (under.some((c) => mentions(c.test, compares))) return true
    if (e.kind !== 'db' || e.filters.some((f) => isCallers(f.value, behaviour))) return false
    const filters = [...e.filters, ...(e.embedded ?? [])].filter((f) => f.op === 'eq' && !/\.(?:gte?|lte?|not)$/.test(f.column))
    return filters.some((f) => mentions(f.value, (x) => isSame(x, part))) && filters.some((f) => mentions(f.value, foundBy(whole)))
  })
}

const isFoundBy = (e: Effect | undefined, key: Value): boolean => e?.kind === 'db' && e.filters.some((f) => f.op === 'eq' && isSame(f.value, key))
