import { holdsCallersId } from '../../database/access/callers-id.ts'
import { isMeantToBeSeen } from '../../database/access/meant-to-be-seen.ts'
import type { AccessMatrix } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import { says } from '../../lib/snake-case.ts'
import type { SchemaModel } from '../../model/app-model.ts'
import type { Behaviour, Condition, Effect, Step, Value } from '../../model/behaviour/behaviour.ts'
import { partsOf } from '../../model/behaviour/mentions.ts'
import { isCallers, mentions, requestName } from '../../model/behaviour/values.ts'
import { guardOfStep } from '../../model/routes/guard.ts'
import { isShownAnyway, isWare } from '../../model/routes/on-show.ts'
import { isAdministrators } from '../../model/routes/proof.ts'
import { countsVisits } from '../../model/routes/visits.ts'
import { broughtAlong } from './brought-along.ts'
import { chosenByModel, MODEL_SAYS } from './model-answers.ts'
import { aboutQuery, fromRequest, type OwnershipBreach, type Query, refersToNobodys, tableOf, verbOf } from './ownership-breach.ts'
import { isPayee } from './payee.ts'
import { actsForPayer, isOpenByPolicy } from './payers-row.ts'
import { queuesUp } from './queues.ts'
import { choosesNothing, isOpenByState, isTakenByCaller, takesWhatIsOpen } from './row-state.ts'
import { replacesSentCode } from './sent-codes.ts'
import { keepsTally } from './tallies.ts'
import { alternatives, isSame, type Ties } from './ties.ts'
import { isPartOfTransfer, transfersTo } from './transfers.ts'
import { weighsWho } from './weighed.ts'

const NOT_AN_ID =
  /[a-z](?:Type|Status|Kind|Category|Role|Locale|Currency)$|_(?:type|status|kind|category|role|locale|currency)$|^(?:status|state|type|kind|category|locale|lang|language|role|plan|is_\w+|published|active|visible|page|limit|sort|order|slug|country|location|city|region|province|district|zip_?code|postal_?code|industry|currency|month|year|date|level|name|title|code|token|share_token|invite_code|secret|key|hash|session_id|stripe_\w+|provider)$/i

/** Columns that hold something unguessable: who knows it may. */
const CAPABILITY = /token|secret|hash|nonce|share|invite|code|api_?key|session_?id|checkout|payment_?intent|unsubscribe|verification|^endpoint$/i

/** The filter through which the request chooses the row. */
export function choosingFilter(e: Query, behaviour: Behaviour, under: readonly Condition[]): { column: string; value: Value } | undefined {
  // what leaves a row as it is where there is one changes nobody's
  if (e.op === 'insert' || (e.op === 'upsert' && e.ignoreDuplicates)) return undefined
  if (e.op === 'upsert' && e.payload?.v === 'object') {
    if ((e.onConflict ?? []).some((key) => e.payload?.v === 'object' && e.payload.props[key] && isCallers(e.payload.props[key] as Value, behaviour)))
      return undefined
    for (const key of e.onConflict ?? ['id']) {
      const value = e.payload.props[key]
      if (value && !CAPABILITY.test(key) && fromRequest(value, behaviour)) return { column: key, value }
    }
  }
  for (const f of e.filters) {
    const column = lastPart(f.column)
    if ((f.op === 'eq' || f.op === 'in') && !NOT_AN_ID.test(column) && !CAPABILITY.test(column) && fromRequest(f.value, behaviour) && !narrow(f.value, under))
      return { column, value: f.value }
  }
  return undefined
}

/** Whether the code says which values it takes, by a schema or by a list: nobody's id is among them. */
function narrow(value: Value, under: readonly Condition[]): boolean {
  if (value.v !== 'request') return false
  return value.as === 'enum' || value.as === 'boolean' || value.as === 'date' || under.some((c) => isOneOfListed(value, c.test, !c.negated, 0))
}

/** `['stripe', 'paypal'].includes(gateway)` and `gateway === 'stripe' || gateway === 'paypal'`. */
function isOneOfListed(value: Value, test: Value, truthy: boolean, depth: number): boolean {
  if (depth > 6) return false
  const next = (x: Value, t: boolean) => isOneOfListed(value, x, t, depth + 1)
  const isWord = (x: Value) => x.v === 'const' && typeof x.value === 'string'
  if (test.v === 'call')
    return truthy && test.name === 'includes' && test.args.some((x) => x.v === 'array' && x.items.every(isWord)) && test.args.some((x) => isSame(x, value))
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && next(test.of[0], !truthy)
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === truthy ? test.of.some((x) => next(x, truthy)) : test.of.every((x) => next(x, truthy))
  if (!/^[!=]==?$/.test(test.op) || test.op.startsWith('!') === truthy) return false
  return test.of.some(isWord) && test.of.some((x) => isSame(x, value))
}

/** What row level security was found to allow somebody on another user's row. */
export function rlsState(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix, role: 'A' | 'anon'): 'open' | 'holds' | 'unknown' {
  const table = tableOf(e, schema)
  if (!table) return e.op === 'select' && isOpenView(e, schema, access) ? 'open' : 'unknown'
  if (table.stub || (table.outlined && !table.rls.enabled)) return 'unknown'
  if (!table.rls.enabled) return 'open'
  const tried = access.objects.find((o) => o.kind === 'table' && (o.object === `${table.schema}.${table.name}` || o.object === table.name))
  const command = e.op === 'upsert' ? 'update' : e.op
  const cells =
    tried?.cells.filter((c) => c.command === command && (c.row === 'other' || c.row === 'forged') && (c.role === role || c.role === 'anon') && !c.column) ?? []
  if (cells.some((c) => c.result === 'allowed')) return 'open'
  return cells.some((c) => c.result === 'refused') ? 'holds' : 'unknown'
}

/** A view that shows everybody's rows of a table past its row level security; totals, and rows that others are meant to read, are nobody's. */
function isOpenView(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const name = e.table.includes('.') ? e.table : `public.${e.table}`
  const hole = access.holes?.find((h) => h.kind === 'view' && h.object === name)
  if (!hole || hole.because === 'grouped') return false
  return (hole.tables ?? []).some(({ table }) => {
    const known = schema.tables.find((t) => `${t.schema}.${t.name}` === table)
    return known?.userData !== undefined && !isMeantToBeSeen(known)
  })
}

function ownerColumn(e: Query, schema: Pick<SchemaModel, 'tables'>): string {
  const table = tableOf(e, schema)
  const known = table?.userData?.ownerColumns[0]
  if (known) return known
  return e.client.library === 'prisma' || e.client.library === 'mongoose' || e.client.library === 'drizzle' ? 'userId' : 'user_id'
}

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
  if (isOfWhoeverMatched(e, behaviour, schema)) {
    reasons.add(`whose rows of ${e.table} they are, rows say that the application matched`)
    return undefined
  }
  const model = chosenByModel(value, behaviour)
  const by = model ? MODEL_SAYS : (requestName(value) ?? 'a value of the request')
  const base = {
    ...aboutQuery(step, e, behaviour),
    by,
    ownerColumn: ownerColumn(e, schema),
    ...(tableOf(e, schema)?.userData?.ownerColumns.length === 1 ? { ownerKnown: true as const } : {}),
    what: `${verbOf(e)} ${e.table} by ${column} = ${by}`,
    library: e.client.library,
  }
  if (e.client.rights === 'caller' || e.client.rights === 'anon') {
    const state = rlsState(e, schema, access, e.client.rights === 'anon' ? 'anon' : 'A')
    const harmless = e.op === 'select' && (shownByRls(e, schema, access) || unprotectedUse(index, behaviour, ties) === 'none')
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
  if (hasJoined(index, column, value, behaviour)) {
    reasons.add(`the caller has joined what ${e.table} belongs to`)
    return undefined
  }
  if (e.op === 'select' && !isAnswered(index, behaviour) && booksWith(value, behaviour)) {
    reasons.add(`whose rows of ${e.table} they are, the caller books with`)
    return undefined
  }
  if (e.op === 'select' && !isAnswered(index, behaviour) && queuesUp(index, behaviour)) {
    reasons.add(`the caller lines up in what ${e.table} says`)
    return undefined
  }
  if (e.op === 'select' && !isAnswered(index, behaviour) && isPayee(index, behaviour)) {
    reasons.add(`${e.table} says whom the caller pays`)
    return undefined
  }
  if (e.op === 'update' ? takesSlot(e) : e.op === 'select' && isOnOffer(e, schema)) {
    reasons.add(`${e.table} is there to be booked`)
    return undefined
  }
  if (replacesSentCode(e, index, behaviour)) {
    reasons.add(`a new one takes the place of what is deleted from ${e.table}`)
    return undefined
  }
  if (takesWhatIsOpen(step, e, behaviour) || ((e.op === 'select' ? !isAnswered(index, behaviour) : choosesNothing(e)) && isTakenByCaller(e, behaviour))) {
    reasons.add(`${e.table} is there to be taken`)
    return undefined
  }
  if (isPartOfTransfer(step, behaviour) || (e.op === 'select' && !isAnswered(index, behaviour) && transfersTo(value, behaviour))) {
    reasons.add(`${e.table} gets what the caller's own row gives`)
    return undefined
  }
  if (e.op === 'update' && isRecounted(e)) {
    reasons.add(`what ${e.table} is set to is counted from other rows`)
    return undefined
  }
  const listed = tableOf(e, schema)
  if (e.op === 'select' && listed && refersToNobodys(listed, column, schema) && !isAnswered(index, behaviour)) {
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

/** The owner column refers to rows that have ids of their own (`customer_id`), not to users. */
function namesOthers(e: Query, column: string, schema: Pick<SchemaModel, 'tables'>): boolean {
  const table = tableOf(e, schema)
  if (!table?.columns.some((c) => c.name === column)) return false
  return !holdsCallersId(table, column, { tables: schema.tables, policies: [], functions: [] })
}

const BOOKING = /donat|pledge|invit|book|appointment|reserv|lesson|session|meeting|consultation|visit|agend|(^|_)citas?($|_)|termin/i

/** The handler writes a booking that names the caller in one column and whom the request names in another: the calendar and the address of the other party are needed for it. */
function booksWith(value: Value, behaviour: Behaviour): boolean {
  return behaviour.steps.some(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'insert' || !BOOKING.test(e.table)) return false
    const rows = e.payload?.v === 'array' ? e.payload.items : [e.payload]
    return rows.some((row) => {
      const values = row?.v === 'object' ? Object.values(row.props) : []
      return values.some((v) => isOne(v, value)) && values.some((v) => isCallers(v, behaviour))
    })
  })
}

const JOINED = /enrol|member|participa|attend|registration|follow/i

/** Before, the same handler enrolled the caller in what the query names, which is open to everybody: what belongs to it is theirs to see. */
function hasJoined(index: number, column: string, value: Value, behaviour: Behaviour): boolean {
  return behaviour.steps.slice(0, index).some(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'insert' || !JOINED.test(e.table) || e.payload?.v !== 'object') return false
    const named = e.payload.props[column]
    return named !== undefined && isOne(named, value) && Object.values(e.payload.props).some((v) => isCallers(v, behaviour))
  })
}

/** The arguments of an action have no names: one is itself only. */
const isOne = (a: Value, b: Value): boolean => a === b || ((a.v !== 'request' || a.name !== undefined) && isSame(a, b))

/** The row keeps figures over rows of another table (the average of its ratings, how many there are): nothing of what is written is the caller's choice. */
function isRecounted(e: Query): boolean {
  if (e.payload?.v !== 'object' || e.payload.rest) return false
  const values = Object.values(e.payload.props)
  return values.length > 0 && values.every((v) => mentions(v, (x) => x.v === 'row' && x.table !== e.table) && !mentions(v, (x) => x.v === 'request'))
}

const BOOKABLE = /(?:^|_)(?:slots?|time_?slots?|availabilit(?:y|ies)|seats?|openings?)$/i
const BOOKED =
  /^(?:is_?)?(?:booked|reserved|available|taken|held|status)$|^(?:reserved|booked|held)_(?:until|at|by(?:_id)?)$|^(?:booking|appointment|reservation|hold)_id$|^updated_at$/i

/** A customer takes a time that somebody offers: what is set says so and nothing else, and none of it is the request's to choose. */
function takesSlot(e: Query): boolean {
  if (!BOOKABLE.test(e.table) || e.payload?.v !== 'object' || e.payload.rest) return false
  const columns = Object.entries(e.payload.props)
  return columns.length > 0 && columns.every(([name, v]) => BOOKED.test(name) && !mentions(v, (x) => x.v === 'request'))
}

/** What somebody offers and for how much, as long as the row says nothing of who took it. */
function isOnOffer(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  if (!BOOKABLE.test(e.table) && !/(?:^|_)(?:prices?|pricing)$/i.test(e.table)) return false
  const personal = tableOf(e, schema)?.userData?.personalColumns ?? []
  return personal.length === 0 && !(e.columns ?? []).some((c) => /mail|phone|address|password|token|birth|[(:]/i.test(c))
}

/**
 * The owner is taken from rows that were looked up by something that is nobody's: the offers for a share, the waiters for a place. What the request
 * names is the share, and the other party is whoever matched.
 */
function isOfWhoeverMatched(e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): boolean {
  const owners = tableOf(e, schema)?.userData?.ownerColumns ?? []
  return e.filters.some(({ op, column, value }) => {
    if (op !== 'eq' || !owners.includes(lastPart(column)) || value.v !== 'row') return false
    const found = behaviour.steps[value.step]?.effect
    const table = found?.kind === 'db' ? tableOf(found, schema) : undefined
    if (found?.kind !== 'db' || !table) return false
    const chosen = found.filters.filter((f) => (f.op === 'eq' || f.op === 'in') && fromRequest(f.value, behaviour))
    return chosen.length > 0 && chosen.every((f) => refersToNobodys(table, lastPart(f.column), schema))
  })
}

/** An answer with content holds something of the rows that a step found. */
function isAnswered(index: number, behaviour: Behaviour): boolean {
  return behaviour.steps.some(
    ({ effect: e }, i) =>
      i > index && e.kind === 'respond' && (e.status ?? 200) < 400 && e.body !== undefined && mentions(e.body, (x) => x.v === 'row' && x.step === index),
  )
}

/** The row goes out whole, or what came along with it does. */
function saysRelation(index: number, relation: string, behaviour: Behaviour): boolean {
  return behaviour.steps.some(
    ({ effect: e }, i) =>
      i > index &&
      e.kind === 'respond' &&
      (e.status ?? 200) < 400 &&
      e.body !== undefined &&
      mentions(e.body, (x) => x.v === 'row' && x.step === index && (x.field === undefined || x.field === relation)),
  )
}

/** Profiles and posts that others look at: read only, and nothing personal is known to be in them. */
function shownToOthers(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const name = lastPart(e.table).toLowerCase()
  if (
    !/^(?:(?:public_?)?profiles?|posts?|comments?|reviews?|likes?|users?|articles?|(?:blog|news|help|knowledge|kb|wiki)_(?:posts?|articles?|sections?|categories)|marketplace_\w{1,40}|\w{1,40}_(?:gallery|showcase)|news|announcements?|faqs?)$/.test(
      name,
    )
  )
    return false
  const personal = tableOf(e, schema)?.userData?.personalColumns ?? []
  if (e.columns?.length && !e.columns.includes('*'))
    return !e.columns.some((c) => personal.includes(c) || /mail|phone|address|password|token|birth|stripe/i.test(c))
  return personal.length === 0 && !/^users?$/.test(name)
}

/** Products and the like, where no policy says who may see them. */
function showsWares(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const table = tableOf(e, schema)
  return table !== undefined && isWare(table, e.columns ?? [])
}

/** Columns that say nothing personal, of rows that every signed-in user can read without the handler. */
function showsAnyway(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  return table?.rls.enabled === true && isShownAnyway(table, e.columns ?? [], access, true)
}

/** What is written later names the row that was found or carries something of it: finding it was half of the change. */
const isWrittenFrom = (index: number, { steps }: Behaviour, ties: Ties): boolean =>
  steps.some(({ effect: e }, i) => i > index && e.kind === 'db' && e.op !== 'select' && usesValue(e, (x) => x.v === 'row' && x.step === index, ties))

/** Rows that others are meant to read, or that only a state of theirs opens (check 2 speaks of it): no hole of a policy shows more. */
function shownByRls(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  if (!table?.rls.enabled) return false
  const holes = (access.holes ?? []).filter((h) => h.object === `${table.schema}.${table.name}` && h.command === 'select')
  return access.holes !== undefined && holes.every((h) => h.cause === 'row-state' || isMeantToBeSeen(table, h.policy))
}

/** Whether what a loaded row is used for stands behind a comparison with the caller; rows that are loaded by it (its parent's) are followed. */
function unprotectedUse(index: number, behaviour: Behaviour, ties: Ties, depth = 0): 'none' | 'some' | 'ownerless' {
  const ofRow = (x: Value) => (x.v === 'row' && x.step === index) || (x.v === 'error' && x.of === index)
  const ofShown = (x: Value) => ofRow(x) || (x.v === 'row' && isFoundAlike(x.step, index, behaviour))
  let verdict: 'none' | 'some' | 'ownerless' = 'none'
  for (const [i, s] of behaviour.steps.entries()) {
    const e = s.effect
    if (i <= index || e.kind === 'log' || e.kind === 'throw' || e.kind === 'identify') continue
    if (e.kind === 'respond' && ((e.status ?? 200) >= 400 || e.how === 'redirect')) continue
    const carried = usesValue(e.kind === 'respond' ? withoutTests(e) : e, (x) => x.v === 'row' && x.step === index, ties)
    if (
      !carried &&
      !(
        isWork(e) &&
        !addsOwnMark(e, behaviour) &&
        !(e.kind === 'db' && keepsTally(e, behaviour, ties)) &&
        s.under.some((c) => mentions(c.test, ofRow) && needsRow(c, ofRow))
      )
    )
      continue
    // an address of the caller's own row is asked for, and nothing of the other goes there
    if (!carried && e.kind === 'http' && e.args.some((x) => isCallers(x, behaviour)) && !e.args.some((x) => mentions(x, (y) => y.v === 'request'))) continue
    // that it is there lets the caller at rows of the own
    if (!carried && e.kind === 'db' && (e.op === 'update' || e.op === 'delete') && ties.byFilter(e)) continue
    if (ties.byCondition(s, behaviour.steps[index]) || asksAboutCaller(e, behaviour) || (e.kind === 'rpc' && ties.refusesServer(e.function))) continue
    // what an administrator may do with it is no other caller's
    if (isForAdmin(s, behaviour)) continue
    if (s.under.some((c) => missingOrTied(c.test, !c.negated, ties)) || isPartOfTransfer(s, behaviour)) continue
    const looks = e.kind === 'respond' || (e.kind === 'db' && (e.op === 'select' || e.op === 'insert'))
    if (looks && s.under.some((c) => openOrTied(c.test, !c.negated, ofShown, ties) || (!c.negated && weighsWho(c.test, ofShown, ties)))) continue
    if (e.kind === 'db' && takesWhatIsOpen(s, e, behaviour)) continue
    if (s.under.some((c) => nearTie(c.test, !c.negated, ties))) {
      if (verdict === 'none') verdict = 'ownerless'
      continue
    }
    const further = e.kind === 'db' && e.op === 'select' && depth < 4 ? unprotectedUse(i, behaviour, ties, depth + 1) : 'some'
    if (further === 'some') return 'some'
    if (further === 'ownerless') verdict = 'ownerless'
  }
  return verdict === 'none' && depth === 0 && isShownByPage(index, behaviour, ties) ? 'some' : verdict
}

/** An answer without what it says of yes and no (`{ isOwner: rows.length > 0 }`): whether somebody may, and not what a row holds. */
const withoutTests = (e: Extract<Effect, { kind: 'respond' }>): Effect =>
  e.body?.v === 'object' ? { ...e, body: { ...e.body, props: onlyTold(e.body.props) } } : e

const onlyTold = (props: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => !isYesOrNo(value)))

/** A comparison, a question whether something is among others, a column that says whether somebody may; nothing in place of them is read of a row. */
function isYesOrNo(v: Value, depth = 0): boolean {
  if (depth > 8) return false
  switch (v.v) {
    case 'any':
      return v.of.some((x) => x.v !== 'unknown' && x.v !== 'const') && v.of.every((x) => x.v === 'unknown' || x.v === 'const' || isYesOrNo(x, depth + 1))
    case 'op':
      return TESTS.test(v.op) || ((v.op === '&&' || v.op === '||') && v.of.every((x) => isYesOrNo(x, depth + 1)))
    case 'call':
      return /^(?:includes|has|some|every|Boolean)$/.test(v.name)
    case 'row':
      return v.field !== undefined && says(SAYS_WHETHER, v.field)
    default:
      return false
  }
}

const TESTS = /^(?:!|[!=]==?|[<>]=?|in|includes|has|some|every)$/
const SAYS_WHETHER = /^(?:is|has|can|may)_[a-z_]{1,40}$|^(?:allowed|permitted|granted)$/

/** What hangs on an object (`where: { spotId: params.id }`) beside the object itself, which the same value of the request chose. */
function isFoundAlike(one: number, other: number, { steps }: Behaviour): boolean {
  const [a, b] = [steps[one]?.effect, steps[other]?.effect]
  if (a?.kind !== 'db' || b?.kind !== 'db' || a.op !== 'select') return false
  return a.filters.some((f) => f.op === 'eq' && mentions(f.value, (x) => x.v === 'request') && b.filters.some((g) => g.op === 'eq' && isSame(f.value, g.value)))
}

/** What everything is called, looks like and is found by. */
const NAMES = /^(?:(?:\w+_?)?id|slug|name|title|description|image|logo|icon|avatar)(?:_?url)?$/i

/** What a page loads on the server it shows to everybody who gets through it; components below it may refuse for themselves. */
function isShownByPage(index: number, behaviour: Behaviour, ties: Ties): boolean {
  const { through, steps } = behaviour
  const e = steps[index]?.effect
  if (!through || e?.kind !== 'db' || (e.columns?.length && e.columns.every((c) => NAMES.test(c)))) return false
  const chosen = e.filters.map((f) => requestName(f.value)).filter((n) => n !== undefined)
  const asked = steps.some(
    (s) =>
      s.under.some((c) => mentions(c.test, (x) => x.v === 'row') && mentions(c.test, (x) => isCallers(x, behaviour))) ||
      (asksAboutCaller(s.effect, behaviour) && s.effect.kind === 'db' && s.effect.filters.some((f) => chosen.includes(requestName(f.value) ?? ''))),
  )
  return (
    !asked &&
    through.some(
      (s) =>
        !ties.byCondition(s, steps[index]) &&
        !isForAdmin(s, behaviour) &&
        !s.under.some((c) => missingOrTied(c.test, !c.negated, ties) || nearTie(c.test, !c.negated, ties)),
    )
  )
}

const isForAdmin = (step: Step, behaviour: Behaviour): boolean => isAdministrators(guardOfStep(step, behaviour))

const MARKS =
  /favou?rite|(^|_)(user_?)?likes?$|bookmark|wish_?list|watch_?list|saved_|_saves?$|reactions?$|(up|down)?votes?$|_views?$|recently|_seen$|_reads?$|_?reviews?$|_?ratings?$/i

/** The caller's own mark on something (a favourite, a like): that it is there has to be asked, and the mark says nothing of whose it is. */
function addsOwnMark(e: Effect, behaviour: Behaviour): boolean {
  if (e.kind !== 'db' || (e.op !== 'insert' && e.op !== 'upsert') || e.payload?.v !== 'object') return false
  // Prisma's upsert says apart what is made and what is changed
  const { create } = e.payload.props
  const row = e.op === 'upsert' && create?.v === 'object' ? create : e.payload
  return says(MARKS, e.table) && Object.values(row.props).some((v) => isCallers(v, behaviour))
}

/** Whether a condition asks anything of the row but that it is not there (a name that is still free), whichever way it is met. */
function needsRow(condition: Condition, ofRow: (x: Value) => boolean): boolean {
  const needs = (test: Value, truthy: boolean): boolean => {
    if (test.v === 'row' && ofRow(test)) return truthy
    // a row that is put together anew is there, and what is not, is not: `row ? { id, ...row } : undefined`
    if (test.v === 'any' && !truthy && test.of.every((x) => x.v === 'object' || x.v === 'row' || x.v === 'const')) return false
    if (test.v !== 'op') return mentions(test, ofRow)
    const [a, b] = test.of
    if (test.op === '!') return a !== undefined && needs(a, !truthy)
    if (test.op === '&&' || test.op === '||')
      return (test.op === '&&') === truthy ? test.of.some((x) => needs(x, truthy)) : test.of.every((x) => needs(x, truthy))
    // how many were found: none is as good as not there
    if (a && test.op === 'length') return needs(a, truthy)
    if (a?.v === 'op' && a.op === 'length' && b?.v === 'const' && b.value === 0 && a.of[0]) {
      if (test.op === '>') return needs(a.of[0], truthy)
      if (/^[!=]==?$/.test(test.op)) return needs(a.of[0], test.op.startsWith('!') === truthy)
    }
    return mentions(test, ofRow)
  }
  return needs(condition.test, !condition.negated)
}

/** The question itself whether the caller may: a membership looked up by both, a function given both. */
function asksAboutCaller(e: Effect, behaviour: Behaviour): boolean {
  if (e.kind === 'rpc') return mentions(e.args, (x) => isCallers(x, behaviour)) || e.client.rights === 'caller'
  if (e.kind === 'db') return e.op === 'select' && (e.client.rights === 'caller' || e.filters.some((f) => isCallers(f.value, behaviour)))
  return e.kind === 'limit' || e.kind === 'kv' || e.kind === 'hash-compare'
}

/** `!row || row.user_id === user.id`: nobody's name is taken, or it is the caller's own. */
const missingOrTied = (test: Value, truthy: boolean, ties: Ties): boolean => harmlessOrTied(test, truthy, ties, isMissing)

/** `row.public || row.user_id === user.id || user.role === 'admin'`: what its owner shows to others may be read by them. */
const openOrTied = (test: Value, truthy: boolean, ofRow: (x: Value) => boolean, ties: Ties): boolean =>
  harmlessOrTied(test, truthy, ties, (x, holds) => isMissing(x, holds) || isOpenByState(x, holds, ofRow) || ties.isByRole(x, holds))

/** One of several ways compares the row with the caller, and each of the others does no harm. */
function harmlessOrTied(test: Value, truthy: boolean, ties: Ties, harmless: (x: Value, holds: boolean) => boolean): boolean {
  const tied = (x: Value, holds: boolean) => ties.holds(x, holds, 0)
  return eitherOf(test, truthy, (of) => of.some(({ x, holds }) => tied(x, holds)) && of.every(({ x, holds }) => tied(x, holds) || harmless(x, holds)))
}

function isMissing(x: Value, truthy: boolean): boolean {
  if (x.v === 'op' && x.op === '!' && x.of[0]) return isMissing(x.of[0], !truthy)
  return x.v === 'row' && x.field === undefined && !truthy
}

/** `!row.user_id || row.user_id === user.id`: the comparison is there, but rows without an owner pass. */
function nearTie(test: Value, truthy: boolean, ties: Ties): boolean {
  return eitherOf(test, truthy, (of) => of.some(({ x, holds }) => ties.holds(x, holds, 0)) && of.some(({ x, holds }) => ownerUnset(x, holds)))
}

/** Asks about the parts of a test of which one is enough. */
function eitherOf(test: Value, truthy: boolean, ask: (of: readonly { x: Value; holds: boolean }[]) => boolean): boolean {
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && eitherOf(test.of[0], !truthy, ask)
  if ((test.op !== '||' && test.op !== '&&') || (test.op === '||') !== truthy) return false
  return ask(alternatives(test.of, test.op).map((x) => ({ x, holds: truthy })))
}

function ownerUnset(x: Value, truthy: boolean): boolean {
  if (x.v === 'row') return !truthy
  if (x.v === 'op' && x.op === '!' && x.of[0]) return ownerUnset(x.of[0], !truthy)
  return false
}

const isWork = (e: Effect): boolean => (e.kind === 'db' ? e.op !== 'select' : ['mail', 'sms', 'payment', 'storage', 'rpc', 'http', 'invoke'].includes(e.kind))

function usesValue(e: Effect, predicate: (x: Value) => boolean, ties: Ties): boolean {
  return Object.values(e).some((x) => usesIn(x, predicate, ties))
}

function usesIn(x: unknown, predicate: (x: Value) => boolean, ties: Ties): boolean {
  if (Array.isArray(x)) return x.some((i) => usesIn(i, predicate, ties))
  if (typeof x !== 'object' || x === null) return false
  if ('v' in x) return usesOpenly(x as Value, predicate, ties)
  return 'value' in x && 'column' in x ? usesIn((x as { value: unknown }).value, predicate, ties) : false
}

/** Whether a value has something in it that no filter compared with the caller: `rows.filter((r) => r.user_id === user.id)` leaves out what is not theirs. */
function usesOpenly(value: Value, predicate: (x: Value) => boolean, ties: Ties, depth = 0): boolean {
  if (predicate(value)) return true
  if (depth >= 8) return false
  const parts = value.v === 'any' ? value.of.filter((_, i) => !value.under?.[i]?.some((c) => ties.decides(c))) : partsOf(value)
  return parts.some((x) => usesOpenly(x, predicate, ties, depth + 1))
}
