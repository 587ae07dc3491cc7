/**
 * Rows of somebody else that the caller deals with: what they join, book, are matched with or take. Not to be the owner is the point of such a handler, and
 * no breach.
 */
import { lastPart } from '../../../lib/last-part.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { isSame } from '../binding/value-equality.ts'
import { isPersons } from '../principal/human-caller.ts'
import { isRequestControlled, refersToNobodys, tableOf } from '../shared/violation.ts'

/** Tables of what two people agree upon. */
const BOOKING =
  /donat|pledge|invit|book|appointment|reserv|lesson|session|meeting|consultation|visit|agend|(^|_)citas?($|_)|termin|contract|agreement|(^|_)mous?$|collaborat/i

/** The handler writes a booking that names the caller in one column and whom the request names in another: the calendar and the address of the other party are needed for it. */
export function booksWith(value: Value, behaviour: Behaviour): boolean {
  return behaviour.steps.some(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'insert' || !BOOKING.test(e.table)) return false
    const rows = e.payload?.v === 'array' ? e.payload.items : [e.payload]
    return rows.some((row) => {
      const values = row?.v === 'object' ? Object.values(row.props) : []
      return values.some((v) => isOneValue(v, value)) && values.some((v) => isPersons(v, behaviour))
    })
  })
}

/** Tables that say who takes part in what. */
const PARTICIPATION_TABLE = /enrol|member|participa|attend|registration|follow/i

/** Before, the same handler enrolled the caller in what the query names, which is open to everybody: what belongs to it is theirs to see. */
export function hasJoined(index: number, column: string, value: Value, behaviour: Behaviour): boolean {
  return behaviour.steps.slice(0, index).some(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'insert' || !PARTICIPATION_TABLE.test(e.table) || e.payload?.v !== 'object') return false
    const named = e.payload.props[column]
    return named !== undefined && isOneValue(named, value) && Object.values(e.payload.props).some((v) => isCallers(v, behaviour))
  })
}

/** Whether two values are one value of the request. The arguments of an action have no names: one is itself only. */
const isOneValue = (a: Value, b: Value): boolean => a === b || ((a.v !== 'request' || a.name !== undefined) && isSame(a, b))

/** The row keeps figures over rows of another table (the average of its ratings, how many there are): nothing of what is written is the caller's choice. */
export function isRecounted(e: Query): boolean {
  if (e.payload?.v !== 'object' || e.payload.rest) return false
  const values = Object.values(e.payload.props)
  return values.length > 0 && values.every((v) => mentions(v, (x) => x.v === 'row' && x.table !== e.table) && !mentions(v, (x) => x.v === 'request'))
}

/** Tables of what somebody offers until it is taken. */
const BOOKABLE_TABLE = /(?:^|_)(?:slots?|time_?slots?|availabilit(?:y|ies)|seats?|openings?)$/i

/** Columns that say that it is taken, until when and by which booking. */
const BOOKED =
  /^(?:is_?)?(?:booked|reserved|available|taken|held|status)$|^(?:reserved|booked|held)_(?:until|at|by(?:_id)?)$|^(?:booking|appointment|reservation|hold)_id$|^updated_at$/i

/** A customer takes a time that somebody offers: what is set says so and nothing else, and none of it is the request's to choose. */
export function takesSlot(e: Query): boolean {
  if (!BOOKABLE_TABLE.test(e.table) || e.payload?.v !== 'object' || e.payload.rest) return false
  const columns = Object.entries(e.payload.props)
  return columns.length > 0 && columns.every(([name, v]) => BOOKED.test(name) && !mentions(v, (x) => x.v === 'request'))
}

/** What somebody offers and for how much, as long as the row says nothing of who took it. */
export function isBookableOffer(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  if (!BOOKABLE_TABLE.test(e.table) && !/(?:^|_)(?:prices?|pricing)$/i.test(e.table)) return false
  const personal = tableOf(e, schema)?.userData?.personalColumns ?? []
  return personal.length === 0 && !(e.columns ?? []).some((c) => /mail|phone|address|password|token|birth|[(:]/i.test(c))
}

/**
 * The owner is taken from rows that were looked up by something that is nobody's: the offers for a share, the waiters for a place. What the request
 * names is the share, and the other party is whoever matched.
 */
export function isOfWhoeverMatched(e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): boolean {
  const owners = tableOf(e, schema)?.userData?.ownerColumns ?? []
  return e.filters.some(({ op, column, value }) => {
    if (op !== 'eq' || !owners.includes(lastPart(column)) || value.v !== 'row') return false
    const found = behaviour.steps[value.step]?.effect
    const table = found?.kind === 'db' ? tableOf(found, schema) : undefined
    if (found?.kind !== 'db' || !table) return false
    const chosen = found.filters.filter((f) => (f.op === 'eq' || f.op === 'in') && isRequestControlled(f.value, behaviour))
    return chosen.length > 0 && chosen.every((f) => refersToNobodys(table, lastPart(f.column), schema))
  })
}
