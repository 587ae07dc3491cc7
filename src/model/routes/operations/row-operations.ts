import { saysOnlyWhen } from '../../../database/access/row-audience/free-busy.ts'
import { tablesCalled } from '../../../database/called-table.ts'
import type { AccessMatrix, Table, UserData } from '../../../database/database.ts'
import { ELSEWHERE } from '../../../database/plan/ddl.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Client, Effect, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { isKeptBack, isOnShow, isPageOfBusiness, isPublishedWhole, isShownAnyway, isWare, namesNobody } from '../exposure/public-rows.ts'
import { tellsRecords, tellsWhatWasHeard } from '../exposure/records-about-people.ts'
import { isTainted } from '../request/request-taint.ts'
import { dropsDevice, fillsCache, renewsOwnToken } from './housekeeping.ts'
import type { Work } from './operation-model.ts'
import { asksForVisits, countsVisits } from './view-counter.ts'

const LOG_TABLE =
  /(^|_)(rate_?limits?|logs?|audit|(?:banned|blocked)_?ips?|ip_?(?:bans?|blocks?|blocklist)|attempts?|analytics|webhooks?|idempotency|telemetry|(?:security|fraud|threat|intrusion)_?alerts?)(_|$)/i
/** What is counted or kept in order: `page_views`, `email_events`. */
const COUNTER_TABLE = /(^|_)(metrics?|counters?|views?|events?)(_|$)/i
/** Of these, what may be somebody's: the events of a calendar, views that were saved, what was measured of a body. */
const MAY_BE_OWNED = /^(?:(?:calendar|user|my|team|saved|custom)_)?(?:events?|views?)$|(?:^|_)metrics?$/i

/** Of events, what says that people go there: what is counted has no day to come and no place. */
const PLANNED = /^(?:title|venue|location|capacity|max_?(?:participants|attendees|guests)|(?:starts?|ends?)(?:_?(?:at|on|date|time))?)$/i

/** What says afterwards who did what. */
const TRAIL = /(?:^|_)(?:audit|activity|access|admin|security)_?(?:logs?|trails?|events?|entries)?$/i

/** Who did what in an application, and who tried to get in: for those who run it, whatever its columns are called. */
const KEPT_ON_PEOPLE =
  /(?:^|_)(?:audit|admin|security|login|sign_?in|access)_?(?:logs?|trails?|events?|entries|history|attempts?)$|^audits?$|(?:^|_)activity_logs?$/i

/** A table that only remembers what happened. */
export const isLog = (table: string): boolean => LOG_TABLE.test(table)

/** Of these, what only says that something was sent or came in, and not who did what. */
export const isJournal = (table: string): boolean => isLog(table) && !TRAIL.test(table)

/** Asked for by name, from a table that the SQL does not show or through one that is embedded: `owner:users (id, email)`. */
const CONTACT_OR_SECRET_COLUMN = /(?:^|[^a-z])(?:e_?mail|phone|address|password|auth_?token|access_?token|api_?key|secret)(?:[^a-z]|$)/i
/** Whoever offers something says how to be reached: `populate('seller', 'name email')`. */
const WANTS_CALLS = /^(?:seller|vendor|merchant|shop|store|restaurant|host|landlord|agent|provider|organi[sz]er)s?(?:_?id)?\((?!\*)/i
const EXPIRY_COLUMN = /^(?:expir\w*|valid_?(?:until|to)|\w*expires?_?(?:at|on)?)$/i
/** Where a limiter keeps how often somebody came: it asks there before it lets him in. */
const RATE_LIMITER_TABLE = /(?:^|_)rate_?limit(?:s|er|ing|_\w{1,20})?$/i
/** Of these, and of what else is counted so that it is not tried too often. */
const RATE_LIMIT_TABLE =
  /(?:^|_)(?:rate_?limit(?:s|er|ing|_\w{1,20})?|throttl\w{1,10}|(?:login|sign_?in|otp|reset|request)_attempts?|(?:api|request)_(?:counts?|hits))$/i
const BLOCKED = /(^|_)((banned|blocked)_?ips?|ip_?(bans?|blocks?|blocklist))(_|$)/i
const USER_RECORD_TABLE =
  /(^|_)(users?|profiles?|accounts?|customers?|clients?|orders?|payments?|subscriptions?|invoices?|messages?|conversations?|chats?|sessions?|tickets?|bookings?|reservations?|appointments?|members?|memberships?|teams?|organi[sz]ations?|credits?|wallets?|transactions?|notes?|documents?|files?|uploads?|contacts?|patients?|leads?|addresses|carts?|returns?|refunds?|(?:api|licen[cs]e)_?keys?|tokens?|notifications?|employees?|students?|projects?|tasks?|subscribers?|sales?|purchases?|enroll?ments?|attendees?|participants?|withdrawals?|payouts?|guests?|recipients?)(_|$)/i
/** What is on offer, whatever of: `subscription_plans`. */
const PLAN_OR_CATEGORY_TABLE = /(?:^|_)(?:plan|tier|package|price|type)s?$|(?:^|_)categor(?:y|ies)$/i
const SHOWN = /^(is_?)?(published|public|active|visible|approved|enabled|status|state|visibility|archived|draft|hidden)$/i
const SHOWN_STATE = /^(published|public|active|visible|approved|live|open|available)$/i

/** Whether a query asks for rows in a state in which they are shown. */
const asksForShown = (e: Extract<Effect, { kind: 'db' }>): boolean =>
  !e.filters.some((f) => SHOWN.test(lastPart(f.column)) && statesOf(f.value).some((state) => UNPUBLISHED_STATE.test(state))) &&
  e.filters.some(
    (f) => SHOWN.test(lastPart(f.column)) && f.value.v === 'const' && (typeof f.value.value === 'boolean' || SHOWN_STATE.test(String(f.value.value))),
  )

/** The states that a query asks for by name. */
const statesOf = (v: Value): readonly string[] =>
  v.v === 'array' ? v.items.flatMap(statesOf) : v.v === 'const' && typeof v.value === 'string' ? [v.value] : []
const UNPUBLISHED_STATE = /^(?:draft|pending(?:_\w{1,20})?|private|rejected)$/i

/** The work of a query; nothing when it is none that anybody should mind. */
export function rowWork(e: Extract<Effect, { kind: 'db' }>, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): Omit<Work, 'at' | 'via'> | undefined {
  const name = lastPart(e.table)
  // A query that was not understood names no operation.
  if (!['select', 'insert', 'update', 'upsert', 'delete'].includes(e.op)) return undefined
  const table = tablesCalled(name, schema.tables).find(
    (t) => t.schema === 'public' || !schema.tables.some((o) => o !== t && o.name === t.name && o.schema === 'public'),
  )
  const shown = asksForShown(e)
  // a table that only the dashboard created shows some of its columns; its name has to do for the rest
  const columns = e.columns ?? []
  // no policy of a database that browsers do not reach says what is shown: what is read there is told by its name
  const readElsewhere = e.op === 'select' && table?.schema === ELSEWHERE
  const userData =
    ((table?.userData !== undefined && !readElsewhere) ||
      (e.op === 'select' &&
        !e.countOnly &&
        e.client.rights === 'service' &&
        (says(KEPT_ON_PEOPLE, name) || (table !== undefined && tellsWhatWasHeard(e, table)))) ||
      (readElsewhere && ofDocuments(e) && ((table.userData !== undefined && tellsOfSomebody(e, table.userData)) || tellsRecords(e, table))) ||
      ((!table || table.stub === true || (readElsewhere && (table.userData || !PLAN_OR_CATEGORY_TABLE.test(name)))) &&
        ((isPersonal(name, e) && !isOnlyOne(e)) ||
          (!table && e.client.rights === 'service' && !OF_EVERYBODY.test(name) && namesUser(e)) ||
          columns.some((c) => CONTACT_OR_SECRET_COLUMN.test(c) && !WANTS_CALLS.test(c))))) &&
    // when something is taken says nothing of who took it
    !(e.op === 'select' && saysOnlyWhen(columns))
  const words = rightsWords(e.client.rights)
  const told = name || 'a table whose name is put together'
  // A table that anybody may read by its policies is public (checks 1 and 2 judge whether it should be).
  const open =
    e.client.rights !== 'service' &&
    access.objects.some(
      (o) =>
        o.kind === 'table' &&
        o.object === `${table?.schema ?? 'public'}.${table?.name ?? name}` &&
        o.cells.some((c) => c.role === 'anon' && c.command === 'select' && c.result === 'allowed'),
    )
  const shownAnyway = e.client.rights === 'service' && table !== undefined && isShownAnyway(table, columns, access)
  const unveiled = e.op === 'select' && e.client.rights === 'service' && !e.countOnly && table !== undefined && isKeptBack(table, e.filters, access)
  if (
    e.op === 'select' &&
    !unveiled &&
    ((table && (isOnShow(table, columns) || isWare(table, columns) || isReviewOfWares(table, columns))) ||
      isPageOfBusiness(table ?? { name }, columns, e.filters))
  )
    return { kind: 'read', what: `reads ${told} ${words}`, rights: e.client.rights, table: name, userData: false }
  if (e.op === 'select' && (asksForVisits(columns) || RATE_LIMITER_TABLE.test(name))) return undefined
  // whether one address is blocked is asked before anything else
  if (e.op === 'select' && e.one && BLOCKED.test(name)) return undefined
  if (e.op === 'select' && (open || shownAnyway)) return { kind: 'read', what: `reads ${told} ${words}`, rights: e.client.rights, table: name, userData: false }
  if (e.op === 'select')
    return {
      kind: 'read',
      what: `reads ${told} ${words}`,
      rights: e.client.rights,
      table: name,
      userData: userData && !e.countOnly && !(shown && (table?.userData ? isPublishedWhole(table, e.columns ?? []) : true)),
      ...(unveiled ? { unveiled } : {}),
      ...(table && !table.stub && namesNobody(table, columns) ? { impersonal: true as const } : {}),
      ...(!e.filters.length && !e.one && !e.unread ? { whole: true as const } : {}),
    }
  // sessions and codes that have run out open nothing any more, whoever has them swept out
  if (e.op === 'delete' && e.filters.length > 0 && e.filters.every((f) => f.op !== 'eq' && EXPIRY_COLUMN.test(f.column) && !isTainted(f.value)))
    return undefined
  // and what a limiter has counted long ago says nothing any more
  if (
    e.op === 'delete' &&
    says(RATE_LIMIT_TABLE, name) &&
    e.filters.length > 0 &&
    e.filters.every((f) => f.op !== 'eq' && f.op !== 'in' && !isTainted(f.value))
  )
    return undefined
  // what is deleted of a list of blocked addresses by the row that was just found is a block that has run out
  const ended = e.op === 'delete' && BLOCKED.test(name) && e.filters.some((f) => f.op === 'eq' && f.value.v === 'row')
  // a log grows; whoever says which of somebody's rows to change writes no log, unless it is his own visit, which he was given a cookie for
  const rewritten =
    e.op === 'update' && table?.userData !== undefined && e.filters.some((f) => f.op === 'eq' && f.column === 'id' && isTainted(f.value) && !isCookie(f.value))
  const owners = new Set((table?.userData?.ownerColumns ?? ['user_id', 'owner_id', 'profile_id']).map(snakeCase))
  const ownersWritten = rowsOf(e.payload).flatMap((row) => (row.v === 'object' ? Object.entries(row.props).filter(([k]) => owners.has(snakeCase(k))) : []))
  // beside whoever calls, where somebody is signed in, the other one is whom the row is for: the shop of an order
  const forAnybody = !ownersWritten.some(([, v]) => mentions(v, (x) => x.v === 'caller' && x.trust === 'verified'))
  const forged =
    e.payload !== undefined &&
    ((forAnybody && ownersWritten.some(([, v]) => isTainted(v))) ||
      rowsOf(e.payload).some((row) => row.v === 'object' && letsOwnerThrough(row, table?.userData?.ownerColumns ?? [])))
  const written = LOG_TABLE.test(name) || isCounted(snakeCase(name), e, table)
  // whoever says himself who did what writes no log, but somebody else's name into one
  const falsified = forged && e.op === 'insert' && TRAIL.test(name)
  if (written && !rewritten && !falsified && (e.op !== 'delete' || ended) && !table?.userData?.powerColumns.length) return undefined
  if (renewsOwnToken(e, table) || fillsCache(e) || dropsDevice(e)) return undefined
  if (e.op === 'update' && e.payload?.v === 'object' && !e.payload.rest && countsAttempts(Object.keys(e.payload.props))) return undefined
  if (countsVisits(e)) return undefined
  const kind = e.op === 'insert' || addsOnly(e) ? 'insert' : e.op === 'delete' ? 'delete' : 'update'
  return {
    kind,
    what: `${{ insert: 'inserts into', upsert: 'writes', update: 'changes', delete: 'deletes from' }[e.op]} ${told} ${words}`,
    rights: e.client.rights,
    table: name,
    userData,
    ...(forged && !falsified ? { chosen: 'owner' as const } : {}),
    ...(kind === 'update' && changesMany(e) ? { many: true as const } : {}),
  }
}

/** What buyers say of what is sold is for everybody; what is said of somebody's work is nobody else's. Whom it takes along is told apart. */
const isReviewOfWares = ({ name, userData }: Table, columns: readonly string[]): boolean =>
  columns.length > 0 && says(OF_WARES, name) && !userData?.personalColumns.length

const OF_WARES = /^(?:product|item|course|book|movie|film|game|shop|store|seller|vendor|service|hotel|restaurant|venue|place|recipe|tour|property)_reviews?$/

/** Whole rows with what opens an account, or those of whomever the request names as their owner. */
function tellsOfSomebody(e: Extract<Effect, { kind: 'db' }>, { ownerColumns, personalColumns }: UserData): boolean {
  const read = (column: string) => !e.columns?.length || e.columns.includes(column)
  if (personalColumns.some((c) => says(CREDENTIAL_COLUMN, c) && read(c))) return true
  return namesUser(e) && e.filters.some((f) => ownerColumns.includes(f.column) && says(READER_ID_COLUMN, f.column))
}

/** The rows of whoever the request says. */
const namesUser = (e: Extract<Effect, { kind: 'db' }>): boolean =>
  e.filters.some((f) => f.op === 'eq' && says(READER_ID_COLUMN, f.column) && isTainted(f.value))

const CREDENTIAL_COLUMN =
  /(?:^|_)(?:password|passwd|pwd)(?:_?(?:hash|digest))?$|(?:^|_)(?:access|refresh|auth|api|secret|private|session)_(?:token|key)$|(?:^|_)secret$/
/** Who reads rather than who wrote: what an author or a seller has put up is there for others, and clients are applications too. */
const READER_ID_COLUMN = /^(?:user|account|member|student|patient|buyer|usuario)(?:_?(?:id|uid))?$/

/** Collections are called by words without a line between them: `ContactForm`. */
const isPersonal = (name: string, e: Extract<Effect, { kind: 'db' }>): boolean =>
  USER_RECORD_TABLE.test(name) || (ofDocuments(e) && says(USER_RECORD_TABLE, name))

const ofDocuments = (e: Extract<Effect, { kind: 'db' }>): boolean => /^(?:mongoose|firebase)$/.test(e.client.library)

/** What others are to see of somebody, in a table that the SQL does not show. */
const OF_EVERYBODY =
  /post|comment|review|like|follow|badge|achievement|rank|score|rating|listing|portfolio|article|photo|video|project|skill|event|recipe|product|plan|course/i

/** The document of which there is one: the settings of the site, with its own address. */
const isOnlyOne = (e: Extract<Effect, { kind: 'db' }>): boolean => e.client.library === 'mongoose' && e.one === true && e.filters.length === 0

const isCookie = (v: Value): boolean => v.v === 'request' && v.part === 'cookie'

const isCounted = (name: string, e: Extract<Effect, { kind: 'db' }>, table: Table | undefined): boolean =>
  COUNTER_TABLE.test(name) && !isPlanned(e) && (e.op === 'insert' || !table?.userData || !MAY_BE_OWNED.test(name))

/** The rows of a payload: one, or several. */
const rowsOf = (payload: Value | undefined): readonly Value[] => (payload?.v === 'array' ? payload.items : payload ? [payload] : [])

/** An event that people go to is made or changed as the request says; the pages that were looked at have titles as well, and a server says itself when something started. */
function isPlanned({ op, payload }: Extract<Effect, { kind: 'db' }>): boolean {
  const columns = rowsOf(payload).flatMap((row) => (row.v === 'object' ? Object.entries(row.props).flatMap(([c, v]) => (isTainted(v) ? [c] : [])) : []))
  return columns.filter((c) => PLANNED.test(c)).length >= (op === 'update' ? 1 : 2)
}

/** Its conditions are written in the code, and none of them lets only what has run out through. */
function changesMany(e: Extract<Effect, { kind: 'db' }>): boolean {
  return e.op === 'update' && !e.unread && e.filters.length > 0 && e.filters.every((f) => f.value.v === 'const' && !EXPIRY_COLUMN.test(f.column))
}

/** An upsert that leaves a row that is there as it was: it is told to, or writes nothing but the key. */
function addsOnly(e: Extract<Effect, { kind: 'db' }>): boolean {
  const { payload, onConflict } = e
  if (e.op === 'upsert' && e.ignoreDuplicates) return true
  if (e.op !== 'upsert' || payload?.v !== 'object' || payload.rest) return false
  if (Object.keys(payload.props).length === 1) return true
  if (!onConflict?.length) return false
  return Object.keys(payload.props).every((column) => onConflict.includes(column)) || (ON_A_LIST.test(e.table) && onConflict.some((c) => /^e_?mail$/i.test(c)))
}

/** Whoever puts an address down twice is on the list once: nobody has more there than the address and where it came from. */
const ON_A_LIST = /(?:^|[_.])(?:subscribers?|wait_?lists?|newsletters?|mailing_?lists?|early_?access)(?:_(?:entries|signups?|subscribers?|emails?|list))?$/i

/** Columns that count how often a code or password was tried: writing them down is part of the check. */
function countsAttempts(columns: readonly string[]): boolean {
  return columns.some((c) => /attempt|locked|lock_?out/i.test(c)) && columns.every((c) => /attempt|lock|last_|failed|updated_?at/i.test(c))
}

/** All that is sent, past a schema made from the table that leaves the column which says whose the row is. */
function letsOwnerThrough({ props, rest }: Extract<Value, { v: 'object' }>, owners: readonly string[]): boolean {
  if (rest?.v !== 'request' || rest.part !== 'body' || rest.name || !rest.without) return false
  const bound = new Set([...Object.keys(props), ...rest.without].map(snakeCase))
  return owners.some((c) => !bound.has(snakeCase(c)))
}

/** With whose rights something is done, as a part of a sentence. */
export function rightsWords(rights: Client['rights']): string {
  return rights === 'service'
    ? 'with the service role or a direct connection'
    : rights === 'caller'
      ? "with the caller's client"
      : rights === 'anon'
        ? 'with the anon client'
        : ''
}
