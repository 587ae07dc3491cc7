/**
 * Whoever buys without an account is known by the order alone: its id was drawn at random and told to nobody else. What a handler does with the order of
 * that id, it does for the guest.
 */
import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'

type Query = Extract<Effect, { kind: 'db' }>

/** What guests order or book, by the last word of the table. */
const ORDERED = /(?:^|_)(?:orders?|bookings?|reservations?|tickets?|purchases?|donations?|checkouts?)$/
const ORDER_TOTAL_COLUMN = /(?:^|_)(?:total|amount|price|subtotal)(?:_|$)/
/** Whose the row is, or may be. */
const OWNER_ID_COLUMN = /^(?:user|owner|profile|account|member|customer|client|clerk_user|auth_user|student|patient)_?(?:user_?)?id$/
const RANDOM_ID_GENERATOR = /gen_random_uuid|uuid_generate|nanoid|cuid|ulid/i

/** The tables whose rows visitors make, and their parts, that name no account and that nobody but who knows the id is shown. */
export const guestTables = rememberFor((routes: readonly Route[], tables: SchemaModel['tables']): ReadonlySet<Table> => {
  const made = new Set(routes.flatMap(({ work }) => work.flatMap((w) => (w.kind === 'insert' && !w.guard && w.table ? tablesCalled(w.table, tables) : []))))
  const listed = new Set(
    routes.flatMap(({ work }) => work.flatMap((w) => (w.kind === 'read' && !w.guard && w.whole && w.table ? tablesCalled(w.table, tables) : []))),
  )
  const ofNobodys = (t: Table) =>
    !t.stub &&
    hasDrawnKey(t) &&
    !listed.has(t) &&
    !t.columns.some((c) => says(OWNER_ID_COLUMN, c.name)) &&
    !t.userData?.ownerColumns.length &&
    !t.userData?.powerColumns.length
  const orders = new Set([...made].filter((t) => says(ORDERED, t.name) && ofNobodys(t)))
  const parts = tables.filter(
    (t) => !orders.has(t) && ofNobodys(t) && t.foreignKeys.some((k) => [...orders].some((o) => `${o.schema}.${o.name}` === k.references)),
  )
  return asBefore(orders.size ? new Set([...orders, ...parts]) : NO_COLUMNS)
})

const NO_COLUMNS: ReadonlySet<Table> = new Set()

/** What was judged beside the same tables stays judged. */
const asBefore = steady<ReadonlySet<Table>>()

/** The database draws the key, or Prisma's client does, which the generated schema does not show. */
function hasDrawnKey({ primaryKey, columns, at }: Table): boolean {
  const key = primaryKey.length === 1 ? columns.find((c) => c.name === primaryKey[0]) : undefined
  if (!key || key.identity) return false
  return key.default ? RANDOM_ID_GENERATOR.test(key.default) : key.type === 'uuid' || (key.type === 'text' && at.path.endsWith('.prisma'))
}

/** Whether a piece of work of a handler is done to the guest's own order, or because of it. */
export function isForGuest(work: Work, { behaviour }: Route, guests: ReadonlySet<Table>): boolean {
  if (!guests.size || !behaviour || work.chosen || work.whole || PROTECTED_OPERATIONS.has(work.kind)) return false
  const steps = behaviour.steps.filter((s) => s.at.path === work.at.path && s.at.line === work.at.line && isAlike(s, work))
  return steps.length > 0 && steps.every((s) => isOfGuest(s, behaviour, guests))
}

const PROTECTED_OPERATIONS: ReadonlySet<Work['kind']> = new Set(['delete', 'file-delete', 'file-read', 'admin', 'command', 'secret', 'sign'])

const isAlike = ({ effect: e, via }: Step, work: Work): boolean =>
  (e.kind !== 'db' || lastPart(e.table) === work.table) && via.length === work.via.length && via.every((p, i) => p.line === work.via[i]?.line)

function isOfGuest(step: Step, behaviour: Behaviour, guests: ReadonlySet<Table>): boolean {
  const e = step.effect
  if (e.kind === 'db' && (isByKey(e, guests) || isNewOrder(e, guests))) return saysNothingOfPayment(step, behaviour, guests)
  if (e.kind === 'db' && holdsPlace(e) && behaviour.steps.some((s) => s.effect.kind === 'db' && isNewOrder(s.effect, guests))) return true
  const found = (x: Value) => x.v === 'row' && x.step >= 0 && isKeyOf(behaviour.steps[x.step], guests)
  if (e.kind === 'db' && isOfHouse(e) && behaviour.steps.some((s) => isKeyOf(s, guests))) return true
  const restsOnOrder = step.under.some((c) => c.otherwise.ends && mentions(c.test, found))
  if (!restsOnOrder) return false
  if (e.kind !== 'db') return true
  return !e.filters.some((f) => isChosen(f.value, behaviour, guests)) && saysNothingOfPayment(step, behaviour, guests)
}

/** `where id = params.id`: the key of an order, or the order of a part. */
function isByKey(e: Query, guests: ReadonlySet<Table>): boolean {
  const table = [...guests].find((t) => isCalled(e, t))
  if (!table || e.unread || e.client.rights !== 'service' || (e.op !== 'select' && e.op !== 'update')) return false
  const keys = [...table.primaryKey, ...table.foreignKeys.flatMap((k) => ([...guests].some((o) => `${o.schema}.${o.name}` === k.references) ? k.columns : []))]
  return e.filters.some((f) => f.op === 'eq' && !f.sometimes && keys.includes(lastPart(f.column)) && f.value.v === 'request')
}

const isCalled = ({ table }: Query, t: Table): boolean => tablesCalled(lastPart(table), [t]).length > 0

const isKeyOf = (step: Step | undefined, guests: ReadonlySet<Table>): boolean => step?.effect.kind === 'db' && isByKey(step.effect, guests)

/** An order that is paid for, at a price that the server says. */
function isNewOrder(e: Query, guests: ReadonlySet<Table>): boolean {
  const table = e.op === 'insert' ? [...guests].find((t) => isCalled(e, t)) : undefined
  if (!table?.columns.some((c) => says(ORDER_TOTAL_COLUMN, c.name)) || e.payload?.v !== 'object' || e.payload.rest) return false
  return !Object.entries(e.payload.props).some(([name, v]) => says(ORDER_TOTAL_COLUMN, name) && v.v === 'request')
}

/** What is still there to be sold is counted on or back: `{ sold: { increment: quantity } }`. */
function holdsPlace({ op, payload }: Query): boolean {
  if (op !== 'update' || payload?.v !== 'object' || payload.rest) return false
  const changes = Object.values(payload.props)
  return changes.length > 0 && changes.every((v) => v.v === 'object' && Object.keys(v.props).every((k) => k === 'increment' || k === 'decrement'))
}

/** One row that nobody chooses: what the application itself needs for the answer. */
const isOfHouse = (e: Query): boolean => e.op === 'select' && e.one === true && !e.filters.some((f) => isTainted(f.value))

/** Something of the request chooses it, beside the key of the order. */
const isChosen = (value: Value, behaviour: Behaviour, guests: ReadonlySet<Table>): boolean =>
  mentions(value, (x) => x.v === 'request') &&
  !behaviour.steps.some(
    ({ effect: e }) =>
      e.kind === 'db' &&
      isByKey(e, guests) &&
      value.v === 'request' &&
      e.filters.some((f) => f.value.v === 'request' && f.value.name === value.name && f.value.part === value.part),
  )

const PAYMENT_PROGRESS_COLUMN = /(?:^|_)(?:status|state|paid|paid_at|is_paid|payment_status|approved|verified|confirmed|checked_in)$/
const GRANTED_STATE_WORD = /paid|complete|confirm|approv|success|active|deliver|fulfil|ship|check.?in|refund|valid/i

/** What somebody ordered is paid for where the processor says so, or where it costs nothing; the guest may not say it. */
function saysNothingOfPayment({ effect: e, under }: Step, behaviour: Behaviour, guests: ReadonlySet<Table>): boolean {
  if (e.kind !== 'db' || !e.payload) return true
  const free = under.some((c) =>
    mentions(
      c.test,
      (x) => x.v === 'row' && says(ORDER_TOTAL_COLUMN, lastPart(x.field ?? '')) && [...guests].some((t) => tablesCalled(x.table, [t]).length > 0),
    ),
  )
  const said = under.some((c) => mentions(c.test, (x) => x.v === 'result' && /payment|http/.test(behaviour.steps[x.step]?.effect.kind ?? '')))
  return payloadRows(e.payload).every((row) => {
    if (row.v !== 'object' || (row.rest && isTainted(row.rest))) return false
    return Object.entries(row.props).every(([name, v]) => {
      if (says(ORDER_TOTAL_COLUMN, name) && e.op === 'update') return !isTainted(v)
      if (!says(PAYMENT_PROGRESS_COLUMN, name)) return true
      return !isTainted(v) && (free || said || (v.v === 'const' && !GRANTED_STATE_WORD.test(String(v.value)) && v.value !== true) || e.op === 'insert')
    })
  })
}
