import { isForSale, isListing, isWhere } from '../../../database/access/row-audience/for-sale.ts'
import {
  ADVERTISED_PAY_COLUMN,
  isBookable,
  isContactOfBusiness,
  isJob,
  isMeantToBeSeen,
  isPrivateByName,
} from '../../../database/access/row-audience/public-content.ts'
import { isPublication } from '../../../database/access/row-audience/published-state.ts'
import type { AccessMatrix, Table } from '../../../database/database.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import type { Filter } from '../../behaviour/types.ts'

/** Where something takes place or stands. */
const LOCATION_COLUMN = /address|street|city|zip|postal|postcode|country|region|(^|_)(lat|lng|lon|latitude|longitude)$/i
const HAS_A_PLACE = /event|venue|place|listing|shop|store|restaurant|propert|location|hotel|meetup|tour|(?:^|_)(?:routes?|trails?|hikes?)(?:$|_)/i
const IDENTIFYING_COLUMN = /e_?mail|phone|contact|password|token|secret|api_?key/i

/** What people put up for others to see (an event, a listing), read by columns that say nothing of themselves. */
export function isOnShow(table: Table, columns: readonly string[]): boolean {
  const data = table.userData
  if (data && isScheduled(table)) return !columns.some((c) => /[(:]/.test(c) && !isPartOfSchedule(c))
  if (data && isBookable(table)) return !columns.some((c) => /[(:]/.test(c) && (bringsPeople([c]) || isPrivateByName(c.split(/[(:]/, 1)[0] ?? '')))
  // a nested selection (`author(email)`) shows what it does not name here
  if (!data || !columns.length || columns.some((c) => c === '*' || /[(:]/.test(c))) return false
  if (!isMeantToBeSeen({ ...table, userData: { ...data, personalColumns: [] } })) return false
  return !columns.some(
    (c) =>
      data.ownerColumns.includes(c) || data.powerColumns.includes(c) || IDENTIFYING_COLUMN.test(c) || (data.personalColumns.includes(c) && !isPlace(c, table)),
  )
}

/** What can be booked and when: rows that name nobody, and are only by what they belong to somebody's. When somebody is there for others may be under the own name. */
function isScheduled({ name, userData, columns }: Table): boolean {
  const called = snakeCase(name)
  const offered = OFFERED_TIMES.test(called)
  if (!(offered || TIMETABLE.test(called)) || isPrivateByName(called)) return false
  if (!userData || userData.personalColumns.length || userData.powerColumns.length) return false
  if (!offered && (userData.ownerColumns.length || userData.tenantColumns.length)) return false
  const booker = offered ? NAMES_GUEST : NAMES_BOOKER
  return !columns.some((c) => IDENTIFYING_COLUMN.test(c.name) || says(booker, c.name))
}

const TIMETABLE = /(?:^|_)(?:(?:time_?)?slots?|class(?:es)?|schedules?|timetables?)$/i
/** Of whoever offers something; `player_availability` says who comes. */
const OFFERED_TIMES =
  /^(?:(?:calculated|provider|doctor|therapist|teacher|tutor|mentor|coach|trainer|instructor|stylist|barber|professional|staff|host|venue|court|room|weekly|recurring|booking)_)*(?:availabilit(?:y|ies)|(?:opening|working|business)_hours|disponibilidades?)(?:_(?:slots?|rules?|windows?|exceptions?|overrides?))?$/
const NAMES_BOOKER = /^(?:(?:booked|reserved|taken|held)_(?:by|for)|(?:client|customer|guest|patient|student|attendee|user|member)(?:_\w+)?)$/
const NAMES_GUEST = /^(?:(?:booked|reserved|taken|held)_(?:by|for)|(?:client|customer|guest|patient|student|attendee)(?:_\w+)?)$/

/** What a query takes along of a schedule and says nothing of people: whose times they are by name, and the times themselves. */
function isPartOfSchedule(column: string): boolean {
  const [relation = '', taken = ''] = column.split(/[(:]/, 2)
  const whole = taken.startsWith('*')
  return whole ? /slots?$|^(?:location|room|service)s?$/i.test(relation) : !takesPeopleAlong(column) && !isPrivateByName(relation)
}

const isPlace = (column: string, table: Pick<Table, 'name'>): boolean => LOCATION_COLUMN.test(column) && HAS_A_PLACE.test(table.name)

/** How to reach somebody, among what a relation takes along: `organizer(name, email)`. */
const takesPeopleAlong = (column: string): boolean => column.includes('(') && /e_?mail|phone|password|token/i.test(column.slice(column.indexOf('(')))

/** Whether a query takes people along, whole or with how to reach them: `seller(*)`, `vendor(name,email)`. */
export const bringsPeople = (columns: readonly string[]): boolean => columns.some((c) => BRINGS_PEOPLE.test(c))
const BRINGS_PEOPLE =
  /(?:user|employer|recruiter|publisher|seller|owner|author|vendor|customer|member|profile|merchant|host)s?\(\*|\(.{0,400}(?:mail|phone|address|password|token)/i

/** Products and the like in a database without row level security, where nothing but their kind says who may see them. */
export function isWare(table: Table, columns: readonly string[]): boolean {
  if (table.stub || table.rls.enabled || !isForSale(table) || bringsPeople(columns)) return false
  return (table.userData?.personalColumns ?? []).every(isWhere)
}

/** What a page says of a business beside how to reach it. */
const SAID_OF_BUSINESS =
  /^(?:id|slug|(?:\w{1,20}_)?name|title|tagline|(?:short_)?description|about|bio|category|(?:business_|store_)?type|industry|currency|timezone|(?:opening_|business_)?hours|website|instagram|facebook|(?:\w{1,20}_)?(?:logo|image|cover|banner|photo|color|colour|theme)(?:_?url)?|is_active|active|(?:avg_)?rating|reviews?_?count)$/i

/** The page of a business, found by its public address (`slug`): its name, how to reach it and what is said of it, each column picked by itself. */
export const isPageOfBusiness = (table: Pick<Table, 'name'>, columns: readonly string[], filters: readonly Filter[]): boolean =>
  columns.length > 0 &&
  filters.some((f) => f.op === 'eq' && /^slug$/i.test(f.column)) &&
  columns.some((c) => isContactOfBusiness(table, c) || /name$/i.test(c)) &&
  columns.every((c) => says(SAID_OF_BUSINESS, c) || isContactOfBusiness(table, c))

/** Rows about people and what they have with each other: their other columns are theirs as well. */
const PEOPLE_RECORD_TABLE =
  /user|profile|customer|client|patient|member|student|employee|staff|contact|lead|subscri|guest|person|people|account|child|order|booking|reserv|appointment/i
/** Which town: it finds nobody. */
const TOWN = /^(?:city|town|state|province|county|region|country|cidade|ciudad|estado|pais|pa[ií]s)$/i

/**
 * What is read of rows in the state in which they are published says nothing personal: where something takes place is said of the thing. Columns
 * that are picked one by one say no more than they name.
 */
export function isPublishedWhole(table: Table, columns: readonly string[]): boolean {
  if (columns.some(takesPeopleAlong)) return false
  const things = !PEOPLE_RECORD_TABLE.test(table.name) && !isPrivateByName(table.name)
  const picked = things && columns.length > 0 && !columns.some((c) => c === '*' || /[(:]/.test(c))
  const personal = (table.userData?.personalColumns ?? []).filter((c) => !picked || columns.some((x) => snakeCase(x) === snakeCase(c)))
  return personal.every(
    (c) =>
      isPlace(c, table) ||
      (picked && (TOWN.test(c) || TO_BE_REACHED.test(c))) ||
      (isJob(table) && ADVERTISED_PAY_COLUMN.test(c)) ||
      (isAdvert(table) && says(TO_ANSWER, c)),
  )
}

/**
 * Whether a query asks for what its author has put up for others, in the state in which it is (published, approved), and for nothing personal of it.
 * Much is approved that nobody else is shown (a leave, an expense): that is told by what it is.
 */
export function readsPublished(table: Table, columns: readonly string[], filters: readonly Filter[]): boolean {
  if (PEOPLE_RECORD_TABLE.test(table.name) || isPrivateByName(table.name) || !isPublishedWhole(table, columns)) return false
  const putUp = isAdvert(table) || isForSale(table) || isListing(table)
  return filters.some(({ op, column, value }) => {
    if (op !== 'eq' || value.v !== 'const' || value.value === null || value.value === undefined) return false
    const state = { column: snakeCase(column), op: '=', value: value.value }
    return isPublication(state) && (putUp || says(PUBLIC_NAMED_TABLE, column) || says(PUBLIC_NAMED_TABLE, String(value.value)))
  })
}

const PUBLIC_NAMED_TABLE = /(?:^|_)(?:public|published|publicly_\w{1,20})$/

/** What somebody puts up so that others answer. */
const isAdvert = ({ name }: Pick<Table, 'name'>): boolean => isJob({ name }) || (says(ADVERTS, name) && !isPrivateByName(name))
const ADVERTS = /^(?:(?:job|classified|product|property|car|vehicle)_)?(?:ads?|adverts?|advertisements?|classifieds?|annonces?|anuncios?|anzeigen?|annunci)$/
/** Where the answers to an advertisement go: part of it, unlike where its author is reached otherwise. */
const TO_ANSWER = /^contact_(?:info|details?|e_?mail|phone|whatsapp|tel|telephone)(?:_?number)?$/

/** How to reach whom something is about: entered to be shown with it. */
const TO_BE_REACHED = /^(?:contact|public|business|booking|info)_(?:e_?mail|phone|whatsapp|tel|telephone)(?:_?number)?$/i
/** Rows that are no person's and tell of none: a tenant's, between nobody, with nothing of people taken along. */
export function namesNobody(table: Table, columns: readonly string[]): boolean {
  const data = table.userData
  if (!data || data.ownerColumns.length || data.personalColumns.length || data.powerColumns.length || isPrivateByName(table.name)) return false
  return !columns.some((c) => /[(:]/.test(c) && (c.includes('(*') || IDENTIFYING_COLUMN.test(c) || TAKES_NAMES.test(c)))
}

/** Who stands in what is taken along: `waits(id,customerId)`. */
const TAKES_NAMES = /[(,](?:client|customer|guest|patient|student|attendee|user|member|owner|author)_?id\b|[(,](?:first_|last_|full_)?name\b/i

/**
 * Columns that are nobody's secret (all of them, where the rows are meant to be seen), of rows that a policy shows to the whole world, or to
 * whoever is signed in where the handler asks for that.
 */
export function isShownAnyway(table: Table, columns: readonly string[], { holes = [] }: Pick<AccessMatrix, 'holes'>, signedIn = false): boolean {
  const data = table.userData
  if (!data || !columns.length) return false
  const name = `${table.schema}.${table.name}`
  return holes.some((h) => {
    if (h.kind !== 'policy' || h.command !== 'select' || h.object !== name || h.states?.length || !(signedIn || h.who === 'anon')) return false
    // what the policy asks of the row that this one belongs to (an active shop) was asked when that was read
    if (h.cause !== 'always' && h.cause !== 'no-caller') return false
    const kept = (c: string) =>
      /\(|:/.test(c) ||
      (c === '*'
        ? !isMeantToBeSeen(table, h.policy)
        : (data.personalColumns.includes(c) && !(h.cause === 'no-caller' && isContactOfBusiness(table, c))) || data.powerColumns.includes(c))
    return !columns.some(kept)
  })
}

/** States in which rows are shown: of a table that has such a column, what a made-up row was refused for is not known. */
const PUBLICATION_STATE_COLUMN = /^(?:is_?)?(?:published|public|active|visible|approved|enabled|status|state|visibility|archived|draft)(?:_?at)?$/i

/**
 * Rows that the policies keep between their people, whatever they are called (the owner gets at the own ones, and nobody else in any state), all read
 * at once. What belongs to a group is the group's by its id as well: `projects` of an organisation, unlike the menu of a restaurant.
 */
export function isKeptBack(
  table: Table,
  filters: readonly { readonly column: string }[],
  { objects, holes = [] }: Pick<AccessMatrix, 'objects' | 'holes'>,
): boolean {
  const name = `${table.schema}.${table.name}`
  const tried = objects.find((o) => o.kind === 'table' && o.object === name)
  if (
    !tried?.rls ||
    table.stub ||
    table.columns.some((c) => PUBLICATION_STATE_COLUMN.test(c.name)) ||
    holes.some((h) => h.object === name && h.command === 'select')
  )
    return false
  const selects = tried.cells.filter((c) => c.command === 'select')
  const allowed = (row: string) => selects.some((c) => c.row === row && c.result === 'allowed')
  if (!allowed('own') || selects.some((c) => c.row === 'other' && c.result !== 'refused')) return false
  return !filters.length || (allowed('tenant') && filters.every((f) => /(^|_)id$/i.test(f.column)))
}
