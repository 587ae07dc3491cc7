/**
 * Whether the request chooses which row a query touches, and by which filter. Only what names one row counts: a status or a page narrows a list, and who
 * knows an unguessable value may use it.
 */
import { lastPart } from '../../../lib/last-part.ts'
import { isCallers } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Value } from '../../../model/behaviour/types.ts'
import { isRequestControlled } from '../shared/violation.ts'
import { isSame } from './value-equality.ts'

/** Columns that say of what kind or where something is, and those that hold something unguessable: rows are narrowed by them, not named. */
const NOT_AN_ID =
  /[a-z](?:Type|Status|Kind|Category|Role|Locale|Currency)$|_(?:type|status|kind|category|role|locale|currency)$|^(?:status|state|type|kind|category|locale|lang|language|role|plan|is_\w+|published|active|visible|page|limit|sort|order|slug|country|location|city|region|province|district|zip_?code|postal_?code|industry|currency|month|year|date|level|name|title|code|token|share_token|invite_code|secret|key|hash|session_id|stripe_\w+|provider)$/i

/** Columns that say when something is, and what Prisma calls an order instead of a column: a span narrows a list. */
const SPAN = /[a-z](?:At|Date|Time|On)$|_(?:at|date|time|on)$|^(?:[gl]te?|contains|startsWith|endsWith|search)$/

/** Columns that hold something unguessable: who knows it may. */
const CAPABILITY_COLUMN = /token|secret|hash|nonce|share|invite|code|api_?key|session_?id|checkout|payment_?intent|unsubscribe|verification|^endpoint$/i

/** The filter through which the request chooses the row. */
export function choosingFilter(e: Query, behaviour: Behaviour, under: readonly Condition[]): { column: string; value: Value } | undefined {
  // what leaves a row as it is where there is one changes nobody's
  if (e.op === 'insert' || (e.op === 'upsert' && e.ignoreDuplicates)) return undefined
  if (e.op === 'upsert' && e.payload?.v === 'object') {
    if ((e.onConflict ?? []).some((key) => e.payload?.v === 'object' && e.payload.props[key] && isCallers(e.payload.props[key] as Value, behaviour)))
      return undefined
    for (const key of e.onConflict ?? ['id']) {
      const value = e.payload.props[key]
      if (value && !CAPABILITY_COLUMN.test(key) && isRequestControlled(value, behaviour)) return { column: key, value }
    }
  }
  for (const f of e.filters) {
    const column = lastPart(f.column)
    if (
      (f.op === 'eq' || f.op === 'in') &&
      !NOT_AN_ID.test(column) &&
      !SPAN.test(column) &&
      !CAPABILITY_COLUMN.test(column) &&
      isRequestControlled(f.value, behaviour) &&
      !isOfKnownValues(f.value, under)
    )
      return { column, value: f.value }
  }
  return undefined
}

/** Whether the code says which values it takes, by a schema or by a list: nobody's id is among them. */
function isOfKnownValues(value: Value, under: readonly Condition[]): boolean {
  if (value.v !== 'request') return false
  return value.as === 'enum' || value.as === 'boolean' || value.as === 'date' || under.some((c) => isOneOfWritten(value, c.test, !c.negated, 0))
}

/** Whether a test lets through only values that stand in the code: `['stripe', 'paypal'].includes(gateway)`, `gateway === 'stripe' || gateway === 'paypal'`. */
function isOneOfWritten(value: Value, test: Value, truthy: boolean, depth: number): boolean {
  if (depth > 6) return false
  const next = (x: Value, t: boolean) => isOneOfWritten(value, x, t, depth + 1)
  const isWord = (x: Value) => x.v === 'const' && typeof x.value === 'string'
  if (test.v === 'call')
    return truthy && test.name === 'includes' && test.args.some((x) => x.v === 'array' && x.items.every(isWord)) && test.args.some((x) => isSame(x, value))
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && next(test.of[0], !truthy)
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === truthy ? test.of.some((x) => next(x, truthy)) : test.of.every((x) => next(x, truthy))
  if (!/^[!=]==?$/.test(test.op) || test.op.startsWith('!') === truthy) return false
  return test.of.some(isWord) && test.of.some((x) => isSame(x, value))
}
