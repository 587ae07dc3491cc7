/**
 * Whether a query by an id of the request is a breach of ownership. The reasons why it is none are collected, since a check that passes says what it rests
 * on.
 */
import { holdsCallersId } from '../../../database/access/owners/caller-id-column.ts'
import { isDirectory } from '../../../database/access/row-audience/public-content.ts'
import type { AccessMatrix, Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { figuresOf } from '../../../model/routes/exposure/aggregate-columns.ts'
import { bringsPeople, readsPublished } from '../../../model/routes/exposure/public-rows.ts'
import { countsVisits } from '../../../model/routes/operations/view-counter.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { unprotectedUse } from '../binding/check-after-load.ts'
import { chosenByModel, MODEL_SAYS } from '../binding/llm-output-source.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { rlsState, shownByRls } from '../binding/rls-outcome.ts'
import { isPartOfTransfer, transfersTo } from '../exceptions/balanced-transfer.ts'
import { choosesNothing, isTakenByCaller, takesWhatIsOpen } from '../exceptions/claimable-row.ts'
import { keepsTally, makesRoom } from '../exceptions/counter-update.ts'
import { booksWith, hasJoined, isBookableOffer, isOfWhoeverMatched, isRecounted, takesSlot } from '../exceptions/counterparty.ts'
import { isPayee } from '../exceptions/payment-recipient.ts'
import { shownToOthers, showsAnyway, showsWares } from '../exceptions/public-content.ts'
import { queuesUp } from '../exceptions/queue-position.ts'
import { replacesSentCode } from '../exceptions/superseded-code.ts'
import { isProvenAddress } from '../exceptions/verified-address.ts'
import { isOnlyTold, isOnlyWeighed, isWrittenFrom, reachesResponse, saysRelation } from '../exposure/row-flow-to-response.ts'
import { actsForPayer, isOpenByPolicy } from '../payment-integrity/billing-portal-of-other.ts'
import { aboutQuery, type OwnershipBreach, refersToNobodys, tableOf, verbOf } from '../shared/violation.ts'
import { broughtAlong } from './embedded-relation.ts'

/** The column that holds the owner: the schema's, else one that the handler compares with something of the session, else what the library would call it. */
function ownersOf(
  e: Query,
  callerAs: string | undefined,
  behaviour: Behaviour,
  schema: Pick<SchemaModel, 'tables'>,
): Pick<OwnershipBreach, 'ownerColumn' | 'callerAs' | 'ownerUnknown'> & { readonly ownerColumn: string } {
  const table = tableOf(e, schema)
  const ofSession = (x: { readonly column: string; readonly field: string }) => ({
    ownerColumn: x.column,
    callerAs: besideId(callerAs ?? 'user.id', x.field),
  })
  const beside = table && fieldOfSession(table, behaviour, (name) => name === e.table)
  if (beside) return ofSession(beside)
  const known = table?.userData?.ownerColumns[0]
  if (known) return { ownerColumn: known }
  const usual = e.client.library === 'prisma' || e.client.library === 'mongoose' || e.client.library === 'drizzle' ? 'userId' : 'user_id'
  if (!table || table.stub || table.columns.some((c) => c.name === usual)) return { ownerColumn: usual }
  const session = fieldOfSession(table, behaviour, () => true)
  return session ? ofSession(session) : { ownerColumn: usual, ownerUnknown: true }
}

/** What of the session the handler itself puts into a column of that name, or asks of it: `campaignId: session.user.activeCampaignId`. */
function fieldOfSession(
  table: Table,
  { steps }: Behaviour,
  isAsked: (table: string) => boolean,
): { readonly column: string; readonly field: string } | undefined {
  for (const { effect: x } of steps) {
    if (x.kind !== 'db' || !isAsked(x.table)) continue
    const written = x.payload?.v === 'object' ? Object.entries(x.payload.props) : []
    for (const [name, v] of [...x.filters.filter((f) => f.op === 'eq').map((f) => [f.column, f.value] as const), ...written]) {
      const column = v.v === 'caller' && v.field && !PRINCIPAL_CLAIM.test(v.field) ? columnFor(table, name, x.table) : undefined
      if (column && v.v === 'caller' && v.field) return { column, field: v.field }
    }
  }
  return undefined
}

/** The column of a table that holds what a column of another is asked for; the key of a campaign is what the rows of a campaign name. */
function columnFor(table: Table, column: string, of: string): string | undefined {
  if (!/^_?id$/.test(column)) return table.columns.find((c) => c.name === column)?.name
  const name = lastPart(of).toLowerCase()
  const names = new RegExp(`^${name.replace(/\W/g, '')}_?id$`, 'i')
  return (
    table.columns.find((c) => names.test(c.name))?.name ??
    table.foreignKeys.find((k) => k.columns.length === 1 && lastPart(k.references).toLowerCase() === name)?.columns[0]
  )
}

/** Another field of what has the id: `session.user.id` is `session.user.campaignId`. */
const besideId = (caller: string, field: string): string => `${caller.slice(0, caller.lastIndexOf('.') + 1)}${field}`

/** What of a session says who somebody is, and not for whom they act. */
const PRINCIPAL_CLAIM = /(?:^|\.)(?:id|sub|uid|e_?mail|name|role|user_?id|phone)$/i

/** The breach that a query makes whose rows the request chooses by `column` = `value`; undefined, and why added to `reasons`, where it makes none. */
export function rowBreach(
  step: Step,
  index: number,
  e: Query,
  value: Value,
  column: string,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  access: AccessMatrix,
  reasons: Set<string>,
): OwnershipBreach | undefined {
  if (ties.byFilter(e)) {
    reasons.add(`${e.table} is filtered by the caller`)
    return undefined
  }
  if (ties.bySource(value)) {
    reasons.add(`what ${e.table} is found by was compared with the caller first`)
    return undefined
  }
  if (isProvenAddress(value, step, behaviour)) {
    reasons.add(`what ${e.table} is found by, the caller has just proved to be theirs`)
    return undefined
  }
  if (e.op === 'select' && asksWhetherThere(e, column) && isOnlyTold(index, behaviour)) {
    reasons.add(`of ${e.table} only whether there is one is asked`)
    return undefined
  }
  if (e.unread) {
    reasons.add(`the conditions on ${e.table} could not be read whole`)
    return undefined
  }
  if (ties.byCondition(step)) {
    reasons.add(`${e.table} is compared with the caller first`)
    return undefined
  }
  if (countsVisits(e)) {
    reasons.add(`of ${e.table} only how often it was looked at changes`)
    return undefined
  }
  if (keepsTally(e, behaviour, ties)) {
    reasons.add(`of ${e.table} only a tally changes, with a row of the caller's own`)
    return undefined
  }
  if (makesRoom(e, behaviour)) {
    reasons.add(`rows of ${e.table} only give way to a new one of the caller's own`)
    return undefined
  }
  if (isOfWhoeverMatched(e, behaviour, schema)) {
    reasons.add(`whose rows of ${e.table} they are, rows say that the application matched`)
    return undefined
  }
  const model = chosenByModel(value, behaviour)
  const by = model ? MODEL_SAYS : (requestName(value) ?? 'a value of the request')
  const about = aboutQuery(step, e, behaviour)
  const of = ownersOf(e, about.callerAs, behaviour, schema)
  const base = {
    ...about,
    by,
    ...(e.filters.some((f) => f.column === column && f.op === 'eq') ? { column } : {}),
    ...of,
    ...(tableOf(e, schema)?.userData?.ownerColumns.length === 1 ? { ownerKnown: true as const } : {}),
    what: `${verbOf(e)} ${e.table} by ${column} = ${by}`,
    library: e.client.library,
  }
  if (e.client.rights === 'caller' || e.client.rights === 'anon') {
    const state = rlsState(e, schema, access, e.client.rights === 'anon' ? 'anon' : 'A')
    const harmless =
      e.op === 'select' && (shownByRls(e, schema, access) || isOnlyWeighed(index, behaviour, ties) || unprotectedUse(index, behaviour, ties) === 'none')
    if (state === 'open' && !harmless)
      return { ...base, kind: 'rls', severity: 'High', ...(namesOthers(e, base.ownerColumn, schema) ? { indirect: true as const } : {}) }
    const paid = state === 'open' || (state === 'unknown' && isOpenByPolicy(e, schema, access)) ? actsForPayer(step, index, e, by, behaviour, ties) : undefined
    if (paid) return { ...paid, ownerColumn: base.ownerColumn }
    reasons.add(
      `${e.table} is reached with the ${e.client.rights === 'anon' ? 'anon' : "caller's own"} client${state === 'holds' ? ' and its row level security holds' : ''}`,
    )
    return undefined
  }
  if (e.client.rights !== 'service') {
    reasons.add(`whose rights the client for ${e.table} has could not be seen`)
    return undefined
  }
  if (
    e.op === 'select' &&
    (shownToOthers(e, schema) ||
      showsWares(e, schema) ||
      (showsAnyway(e, schema, access) && !isWrittenFrom(index, behaviour, ties)) ||
      (rlsState(e, schema, access, 'A') === 'open' && shownByRls(e, schema, access)))
  ) {
    reasons.add(`${e.table} is meant to be seen by others`)
    return undefined
  }
  if (e.op === 'select' && isPutUp(e, schema) && !(bringsPeople(e.columns ?? []) && reachesResponse(index, behaviour))) {
    reasons.add(`${e.table} is read as its authors have put it up`)
    return undefined
  }
  if (hasJoined(index, column, value, behaviour)) {
    reasons.add(`the caller has joined what ${e.table} belongs to`)
    return undefined
  }
  if (e.op === 'select' && !reachesResponse(index, behaviour) && booksWith(value, behaviour)) {
    reasons.add(`whose rows of ${e.table} they are, the caller books with`)
    return undefined
  }
  if (e.op === 'select' && !reachesResponse(index, behaviour) && queuesUp(index, behaviour)) {
    reasons.add(`the caller lines up in what ${e.table} says`)
    return undefined
  }
  if (e.op === 'select' && !reachesResponse(index, behaviour) && isPayee(index, behaviour)) {
    reasons.add(`${e.table} says whom the caller pays`)
    return undefined
  }
  if (e.op === 'update' ? takesSlot(e) : e.op === 'select' && isBookableOffer(e, schema)) {
    reasons.add(`${e.table} is there to be booked`)
    return undefined
  }
  if (replacesSentCode(e, index, behaviour)) {
    reasons.add(`a new one takes the place of what is deleted from ${e.table}`)
    return undefined
  }
  if (takesWhatIsOpen(step, e, behaviour) || ((e.op === 'select' ? !reachesResponse(index, behaviour) : choosesNothing(e)) && isTakenByCaller(e, behaviour))) {
    reasons.add(`${e.table} is there to be taken`)
    return undefined
  }
  if (isPartOfTransfer(step, behaviour) || (e.op === 'select' && !reachesResponse(index, behaviour) && transfersTo(value, behaviour))) {
    reasons.add(`${e.table} gets what the caller's own row gives`)
    return undefined
  }
  if (e.op === 'update' && isRecounted(e)) {
    reasons.add(`what ${e.table} is set to is counted from other rows`)
    return undefined
  }
  const listed = tableOf(e, schema)
  if (e.op === 'select' && listed && refersToNobodys(listed, column, schema) && !reachesResponse(index, behaviour, figuresOf(e, schema))) {
    reasons.add(`${e.table} is looked through by what is nobody's, and not answered with`)
    return undefined
  }
  if (e.op === 'select') {
    const use = unprotectedUse(index, behaviour, ties)
    if (use === 'none') {
      reasons.add(`${e.table} is compared with the caller after loading`)
      return undefined
    }
    if (use === 'ownerless') return { ...base, kind: 'row', severity: 'High', ownerless: true }
  }
  const own = tableOf(e, schema)
  const along = own && !own.stub && !own.userData ? broughtAlong(e, own, schema) : undefined
  if (along) {
    // it is what comes along that is somebody's, and only where the answer says it
    if (!saysRelation(index, along.relation, behaviour)) return undefined
    return { ...base, kind: 'row', severity: 'High', ownerColumn: along.ownerColumn, brings: along.relation }
  }
  // a model may be talked into it, but does not do everything that it is told
  return { ...base, kind: 'row', severity: model ? 'High' : 'Critical' }
}

/** Rows in the state in which they are shown, or the entry of somebody who wants to be found. */
function isPutUp(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const table = tableOf(e, schema)
  return table !== undefined && !table.stub && (isDirectory(table) || readsPublished(table, e.columns ?? [], e.filters))
}

/** Nothing is selected but the key of a row and what it was found by, which whoever calls knows already: whether somebody has an account at an address. */
const asksWhetherThere = (e: Query, column: string): boolean =>
  /(?:^|_)(?:e?mail|phone)(?:_?(?:address|number))?$/i.test(column) &&
  (e.columns?.length ?? 0) > 0 &&
  (e.columns ?? []).every((c) => c === column || c === 'id' || c === '_id')

/** The owner column refers to rows that have ids of their own (`customer_id`), not to users. */
function namesOthers(e: Query, column: string, schema: Pick<SchemaModel, 'tables'>): boolean {
  const table = tableOf(e, schema)
  if (!table?.columns.some((c) => c.name === column)) return false
  return !holdsCallersId(table, column, { tables: schema.tables, policies: [], functions: [] })
}
