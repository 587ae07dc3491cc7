import { isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Effect, Filter } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'

type Query = Extract<Effect, { kind: 'db' }>

/** What is traded at which price, who came in where (without who), and how far something is. */
const FIGURE =
  /(?:^|_)(?:price|prices|quantity|qty|volume|shares?(?:_entered)?|rank|ranking|placement|score|scores|points|payout|odds|side|status|bid|ask|(?:bid|ask)_size|buy_pressure|(?:executed|traded|filled|settled|matched|played)_at)$/
/** One figure that was made of many. */
const OF_MANY = /^(?:best|avg|average|min|max|median|mean)_\w{1,60}$/

/** What a shop or an agency takes in: figures that are its own business. */
const TAKINGS = /(?:^|_)(?:total|subtotal|tax|vat|shipping|currency|invoice|payment|amount|revenue|commission|fee|net|gross|paid)(?:_|$)/
const OF_TAKINGS = /(?:^|_)(?:sales?|invoices?|payments?|transactions?|purchases?|order_items?|bookings?|reservations?|expenses?|payrolls?|quotes?|deals?)$/
/** What is found out about a person: every column is about whom. */
const ABOUT_PERSON =
  /assessment|evaluation|survey|answer|response|credit|risk|lab_|test_result|grade|exam|attendance|vital|symptom|mood|screening|(?:^|_)(?:users?|profiles?|accounts?|customers?|patients?|students?|employees?|members?|leads?|contacts?)$/
/** Whom a filter means. */
const PERSON_FILTER_COLUMN =
  /(?:^|_)(?:user|account|member|owner|author|buyer|seller|customer|client|patient|student|employee|guest|e_?mail|phone|token|code)(?:_?(?:id|uid))?$/

/**
 * Columns of what a query reads that say nothing of anybody where they stand alone: the depth of an order book, a course of prices, places in a contest.
 * None where the request names whose rows or which row it is, where a column may be about a person, and where the figures are the takings of a business.
 */
export function figuresOf(e: Query, { tables }: Pick<SchemaModel, 'tables'>): ((field: string) => boolean) | undefined {
  const [table] = tablesCalled(lastPart(e.table), tables)
  if (e.op !== 'select' || e.unread || !table || table.stub || !hasFigures(table) || e.filters.some((f) => namesOne(f, table))) return undefined
  return (field) => isFigure(field, table, tables)
}

const hasFigures = rememberFor(
  (table: Table): boolean =>
    !says(OF_TAKINGS, table.name) &&
    !says(ABOUT_PERSON, table.name) &&
    (!isPrivateByName(table.name) || says(/(?:^|_)orders?$/, table.name)) &&
    !table.columns.some((c) => says(TAKINGS, c.name)),
)

function namesOne({ column, value }: Filter, { userData }: Table): boolean {
  if (!mentions(value, (x) => x.v === 'request')) return false
  const name = snakeCase(lastPart(column))
  const own = [...(userData?.ownerColumns ?? []), ...(userData?.tenantColumns ?? []), ...(userData?.personalColumns ?? [])]
  return /^_?id$/.test(name) || PERSON_FILTER_COLUMN.test(name) || own.some((c) => snakeCase(c) === name)
}

function isFigure(field: string, { userData }: Table, tables: readonly Table[]): boolean {
  const name = snakeCase(field)
  const own = [...(userData?.ownerColumns ?? []), ...(userData?.tenantColumns ?? []), ...(userData?.personalColumns ?? []), ...(userData?.powerColumns ?? [])]
  if (own.some((c) => snakeCase(c) === name)) return false
  if (FIGURE.test(name) || OF_MANY.test(name)) return true
  // `contestName`, of a table joined whose rows are nobody's
  const of = /^([a-z]{2,30})_(?:name|title|date|status)$/.exec(name)?.[1]
  return of !== undefined && tables.some((t) => !t.stub && !t.userData && (t.name === `${of}s` || t.name === of))
}
