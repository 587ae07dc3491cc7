import { isMeantToBeSeen } from '../../database/access/meant-to-be-seen.ts'
import type { AccessMatrix, Table } from '../../database/database.ts'
import type { Place } from '../../lib/place.ts'
import type { SchemaModel } from '../../model/app-model.ts'
import type { Behaviour, Effect, Step, Value } from '../../model/behaviour/behaviour.ts'
import { isCallers, mentions, requestName } from '../../model/behaviour/values.ts'
import { guardOfStep } from '../../model/routes/guard.ts'
import type { Guard, Route } from '../../model/routes/routes.ts'
import type { Severity } from '../define-check.ts'
import { Ties } from './ties.ts'

/** One thing that a handler does for somebody who does not own it. */
export interface OwnershipBreach {
  readonly kind:
    | 'row'
    | 'rls'
    | 'admin'
    | 'listing'
    | 'forged-owner'
    | 'mass-assignment'
    | 'power'
    | 'state'
    | 'editable'
    | 'email-lookup'
    | 'file'
    | 'function'
    | 'payment'
  readonly severity: Severity
  readonly at: Place
  /** For the list of places: "deletes invoices by body `id`". */
  readonly what: string
  readonly table?: string
  readonly verb?: string
  /** What of the request chooses the object. */
  readonly by?: string
  /** The column that holds the owner, when the schema or custom tells. */
  readonly ownerColumn?: string
  /** The schema says which column that is. */
  readonly ownerKnown?: true
  readonly callerAs?: string
  readonly library?: string
  /** The only tie lets rows without an owner through. */
  readonly ownerless?: true
  /** How it is reached by people without an account. */
  readonly open?: true
}

export interface Judged {
  readonly breaches: readonly OwnershipBreach[]
  /** Queries by an id of the request. */
  readonly resources: number
  /** Some of them stand behind no guard at all: check 16 reports the handler. */
  readonly unguarded: boolean
  readonly looked: boolean
  readonly because: string
}

type Query = Extract<Effect, { kind: 'db' }>

const OWNER = /^(?:user_?id|owner_?id|author_?id|created_?by|profile_?id|account_?id|customer_?id|member_?id|uid|user|owner|user_?email)$/i
const FORGEABLE = /^(?:user_?id|owner_?id|author_?id|created_?by|profile_?id|uid|sender_?id)$/i
const PERSONAL_NAME =
  /(^|_)(users?|profiles?|accounts?|customers?|orders?|payments?|subscriptions?|invoices?|messages?|conversations?|chats?|sessions?|tickets?|bookings?|reservations?|appointments?|members?|memberships?|teams?|organi[sz]ations?|credits?|wallets?|transactions?|notes?|documents?|files?|uploads?|contacts?|patients?|leads?|addresses|carts?|returns?|refunds?|api_?keys?|tokens?|notifications?|employees?|students?|projects?|tasks?|todos?|subscribers?|reports?|scans?|workspaces?)(_|$)/i
const NOT_AN_ID =
  /^(?:status|state|type|kind|category|locale|lang|language|role|plan|is_\w+|published|active|visible|page|limit|sort|order|slug|country|currency|month|year|date|level|name|title|code|token|share_token|invite_code|secret|key|hash|session_id|stripe_\w+|provider)$/i
/** Columns that hold something unguessable: who knows it may. */
const CAPABILITY = /token|secret|hash|nonce|share|invite|code|api_?key|session_?id|checkout|payment_?intent|unsubscribe|verification/i
const USER_TABLE = /(^|\.)(users?|profiles?|accounts?)$/i

/** What a handler does with objects that the request names, and what ties them to the caller. */
export function breachesOf(route: Route, schema: Pick<SchemaModel, 'tables' | 'functions'>, access: AccessMatrix): Judged {
  const behaviour = route.behaviour as Behaviour
  const breaches: OwnershipBreach[] = []
  const ties = new Ties(behaviour, (q) => rlsState(q, schema, access, 'A') !== 'open')
  let resources = 0
  let unguarded = false
  let looked = false
  const reasons = new Set<string>()
  behaviour.steps.forEach((step, index) => {
    const guard = guardOfStep(step, behaviour) ?? libraryGuard(route, step)
    const e = step.effect
    const signedIn = guard?.who === 'user' && (guard.trust === 'verified' || guard.trust === 'unverified' || guard.trust === 'editable')
    if (e.kind === 'db') {
      looked = true
      const state = forgedState(step, e, behaviour)
      if (state && guard?.who !== 'signature' && guard?.who !== 'admin') {
        breaches.push(state)
        return
      }
      const chosen = choosingFilter(e, behaviour)
      const owned = belongsToSomebody(e, schema)
      if (chosen && owned) {
        if (!guard || guard.trust === 'claimed') {
          if (e.client.rights !== 'caller' && !isSignup(e))
            unguarded ||= route.work.some((w) => !w.guard && w.at.line === step.at.line && w.at.path === step.at.path && w.userData === true)
          return
        }
        resources++
        if (!signedIn) {
          reasons.add(`${guard.who} (${guard.how})`)
          return
        }
        const breach = rowBreach(step, index, e, chosen.value, chosen.column, behaviour, ties, schema, access, reasons)
        if (breach) {
          breaches.push(breach)
          return
        }
      }
      if (signedIn)
        breaches.push(
          ...payloadBreaches(step, e, behaviour, ties, schema),
          ...editableBreaches(step, e, behaviour),
          ...listingBreaches(step, index, e, behaviour, ties, schema, route),
        )
      return
    }
    if (!signedIn) return
    breaches.push(...otherBreaches(step, e, behaviour, ties, schema))
  })
  return { breaches: dedupe(breaches), resources, unguarded, looked, because: [...reasons].slice(0, 3).join('; ') || 'nothing is chosen by the request' }
}

/** A guard that a library's middleware is: nothing of it is followed. */
function libraryGuard(route: Route, step: Step): Guard | undefined {
  return route.before.some((b) => b.external && b.blocks) ? route.work.find((w) => w.at.path === step.at.path && w.at.line === step.at.line)?.guard : undefined
}

function dedupe(list: readonly OwnershipBreach[]): OwnershipBreach[] {
  const seen = new Set<string>()
  return list.filter((b) => {
    const key = `${b.kind} ${b.at.path}:${b.at.line} ${b.table ?? ''}`
    return seen.has(key) ? false : seen.add(key)
  })
}

const verbOf = (e: Query): string => ({ select: 'loads', insert: 'inserts into', update: 'changes', upsert: 'writes', delete: 'deletes' })[e.op]

/** The filter through which the request chooses the row. */
function choosingFilter(e: Query, behaviour: Behaviour): { column: string; value: Value } | undefined {
  if (e.op === 'insert') return undefined
  if (e.op === 'upsert' && e.payload?.v === 'object') {
    if ((e.onConflict ?? []).some((key) => e.payload?.v === 'object' && e.payload.props[key] && isCallers(e.payload.props[key] as Value, behaviour)))
      return undefined
    for (const key of e.onConflict ?? ['id']) {
      const value = e.payload.props[key]
      if (value && fromRequest(value, behaviour)) return { column: key, value }
    }
  }
  for (const f of e.filters) {
    const column = f.column.split('.').at(-1) ?? f.column
    if ((f.op === 'eq' || f.op === 'in') && !NOT_AN_ID.test(column) && !CAPABILITY.test(column) && fromRequest(f.value, behaviour) && !narrow(f.value))
      return { column, value: f.value }
  }
  return undefined
}

function narrow(value: Value): boolean {
  return value.v === 'request' && (value.as === 'enum' || value.as === 'boolean' || value.as === 'date')
}

/** The value comes from the request as it is (not through a row that was found). */
function fromRequest(value: Value, behaviour: Behaviour): boolean {
  if (isCallers(value, behaviour)) return false
  return mentions(value, (x) => x.v === 'request' && x.part !== 'ip' && x.part !== 'cookie')
}

function tableOf(e: Query, schema: Pick<SchemaModel, 'tables'>): Table | undefined {
  const [a, b] = e.table.includes('.') ? e.table.split('.') : ['public', e.table]
  const same = schema.tables.filter((t) => t.name.toLowerCase() === (b as string).toLowerCase())
  return same.find((t) => t.schema === a) ?? same[0]
}

function belongsToSomebody(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  if (e.countOnly) return false
  const table = tableOf(e, schema)
  const shown = e.filters.some((f) => /^(?:is_)?(?:published|public|active|visible|approved|shared)$/i.test(f.column) && f.value.v === 'const')
  if (table && !table.stub) return table.userData !== undefined && !(e.op === 'select' && shown && !table.userData.personalColumns.length)
  return PERSONAL_NAME.test(e.table.split('.').at(-1) ?? '') && !(e.op === 'select' && shown)
}

const isSignup = (e: Query): boolean => e.op === 'select' && USER_TABLE.test(e.table)

/** What row level security was found to allow somebody on another user's row. */
function rlsState(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix, role: 'A' | 'anon'): 'open' | 'holds' | 'unknown' {
  const table = tableOf(e, schema)
  if (!table || table.stub) return 'unknown'
  if (!table.rls.enabled) return 'open'
  const tried = access.objects.find((o) => o.kind === 'table' && (o.object === `${table.schema}.${table.name}` || o.object === table.name))
  const command = e.op === 'upsert' ? 'update' : e.op
  const cells =
    tried?.cells.filter((c) => c.command === command && (c.row === 'other' || c.row === 'forged') && (c.role === role || c.role === 'anon') && !c.column) ?? []
  if (cells.some((c) => c.result === 'allowed')) return 'open'
  return cells.some((c) => c.result === 'refused') ? 'holds' : 'unknown'
}

function ownerColumn(e: Query, schema: Pick<SchemaModel, 'tables'>): string {
  const table = tableOf(e, schema)
  const known = table?.userData?.ownerColumns[0]
  if (known) return known
  return e.client.library === 'prisma' || e.client.library === 'mongoose' || e.client.library === 'drizzle' ? 'userId' : 'user_id'
}

function rowBreach(
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
  if (e.unread) {
    reasons.add(`the conditions on ${e.table} could not be read whole`)
    return undefined
  }
  if (ties.byCondition(step)) {
    reasons.add(`${e.table} is compared with the caller first`)
    return undefined
  }
  const by = requestName(value) ?? 'a value of the request'
  const base = {
    at: step.at,
    table: e.table,
    verb: verbOf(e),
    by,
    ownerColumn: ownerColumn(e, schema),
    ...(tableOf(e, schema)?.userData?.ownerColumns.length === 1 ? { ownerKnown: true as const } : {}),
    what: `${verbOf(e)} ${e.table} by ${column} = ${by}`,
    callerAs: callerOf(behaviour),
    library: e.client.library,
  }
  if (e.client.rights === 'caller' || e.client.rights === 'anon') {
    const state = rlsState(e, schema, access, e.client.rights === 'anon' ? 'anon' : 'A')
    const harmless = e.op === 'select' && (shownByRls(e, schema, access) || unprotectedUse(index, behaviour, ties) === 'none')
    if (state === 'open' && !harmless) return { ...base, kind: 'rls', severity: 'High' }
    reasons.add(
      `${e.table} is reached with the ${e.client.rights === 'anon' ? 'anon' : "caller's own"} client${state === 'holds' ? ' and its row level security holds' : ''}`,
    )
    return undefined
  }
  if (e.client.rights !== 'service') {
    reasons.add(`whose rights the client for ${e.table} has could not be seen`)
    return undefined
  }
  if (e.op === 'select' && shownToOthers(e, schema)) {
    reasons.add(`${e.table} is meant to be seen by others`)
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
  return { ...base, kind: 'row', severity: 'Critical' }
}

/** Profiles and posts that others look at: read only, and nothing personal is known to be in them. */
function shownToOthers(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const name = (e.table.split('.').at(-1) ?? '').toLowerCase()
  if (!/^(?:(?:public_?)?profiles?|posts?|comments?|reviews?|likes?|articles?|users?)$/.test(name)) return false
  const personal = tableOf(e, schema)?.userData?.personalColumns ?? []
  if (e.columns?.length && !e.columns.includes('*'))
    return !e.columns.some((c) => personal.includes(c) || /mail|phone|address|password|token|birth|stripe/i.test(c))
  return personal.length === 0 && !/^users?$/.test(name)
}

/** Rows that others are meant to read, or that only a published state of theirs opens: no hole of a policy shows more. */
function shownByRls(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  if (!table?.rls.enabled) return false
  const holes = (access.holes ?? []).filter((h) => h.object === `${table.schema}.${table.name}` && h.command === 'select')
  return access.holes !== undefined && holes.every((h) => isMeantToBeSeen(table, h.policy))
}

/** Whether what a loaded row is used for stands behind a comparison with the caller; rows that are loaded by it (its parent's) are followed. */
function unprotectedUse(index: number, behaviour: Behaviour, ties: Ties, depth = 0): 'none' | 'some' | 'ownerless' {
  const ofRow = (x: Value) => (x.v === 'row' && x.step === index) || (x.v === 'error' && x.of === index)
  let verdict: 'none' | 'some' | 'ownerless' = 'none'
  for (const [i, s] of behaviour.steps.entries()) {
    const e = s.effect
    if (i <= index || e.kind === 'log' || e.kind === 'throw' || e.kind === 'identify') continue
    if (e.kind === 'respond' && ((e.status ?? 200) >= 400 || e.how === 'redirect')) continue
    if (!usesValue(e, (x) => x.v === 'row' && x.step === index) && !(isWork(e) && s.under.some((c) => mentions(c.test, ofRow)))) continue
    if (ties.byCondition(s) || asksAboutCaller(e, behaviour)) continue
    if (s.under.some((c) => nearTie(c.test, !c.negated, ties))) {
      if (verdict === 'none') verdict = 'ownerless'
      continue
    }
    const further = e.kind === 'db' && e.op === 'select' && depth < 4 ? unprotectedUse(i, behaviour, ties, depth + 1) : 'some'
    if (further === 'some') return 'some'
    if (further === 'ownerless') verdict = 'ownerless'
  }
  return verdict
}

/** The question itself whether the caller may: a membership looked up by both, a function given both. */
function asksAboutCaller(e: Effect, behaviour: Behaviour): boolean {
  if (e.kind === 'rpc') return mentions(e.args, (x) => isCallers(x, behaviour)) || e.client.rights === 'caller'
  if (e.kind === 'db') return e.op === 'select' && (e.client.rights === 'caller' || e.filters.some((f) => isCallers(f.value, behaviour)))
  return e.kind === 'limit' || e.kind === 'kv' || e.kind === 'hash-compare'
}

/** `!row.user_id || row.user_id === user.id`: the comparison is there, but rows without an owner pass. */
function nearTie(test: Value, truthy: boolean, ties: Ties): boolean {
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && nearTie(test.of[0], !truthy, ties)
  if ((test.op === '||') === truthy && (test.op === '||' || test.op === '&&'))
    return test.of.some((x) => ties.holds(x, truthy, 0)) && test.of.some((x) => ownerUnset(x, truthy))
  return false
}

function ownerUnset(x: Value, truthy: boolean): boolean {
  if (x.v === 'row') return !truthy
  if (x.v === 'op' && x.op === '!' && x.of[0]) return ownerUnset(x.of[0], !truthy)
  return false
}

const isWork = (e: Effect): boolean => (e.kind === 'db' ? e.op !== 'select' : ['mail', 'sms', 'payment', 'storage', 'rpc', 'http', 'invoke'].includes(e.kind))

function usesValue(e: Effect, predicate: (x: Value) => boolean): boolean {
  return Object.values(e).some((x) => usesIn(x, predicate))
}

function usesIn(x: unknown, predicate: (x: Value) => boolean): boolean {
  if (Array.isArray(x)) return x.some((i) => usesIn(i, predicate))
  if (typeof x !== 'object' || x === null) return false
  if ('v' in x) return mentions(x as Value, predicate)
  return 'value' in x && 'column' in x ? usesIn((x as { value: unknown }).value, predicate) : false
}

/** An expression for the caller's id, as this handler gets it. */
function callerOf(behaviour: Behaviour): string {
  const how = behaviour.steps.find((s) => s.effect.kind === 'identify')?.effect
  const name = how?.kind === 'identify' ? how.how : ''
  return /clerk/i.test(name) ? 'userId' : /next-auth|Auth\.js|Better Auth/i.test(name) ? 'session.user.id' : 'user.id'
}

/** The owner taken from the request, and whole bodies written with rights above the caller's. */
function payloadBreaches(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || e.op === 'delete' || e.op === 'select') return []
  if (ties.byCondition(step)) return []
  const table = tableOf(e, schema)
  const out: OwnershipBreach[] = []
  for (const payload of rowsOf(e.payload)) {
    const owners = new Set(table?.userData?.ownerColumns ?? [])
    if (payload.v === 'object') {
      for (const [column, value] of Object.entries(payload.props)) {
        if ((owners.has(column) && OWNER.test(column)) || FORGEABLE.test(column)) {
          if (fromRequest(value, behaviour) && directly(value))
            out.push({
              kind: 'forged-owner',
              severity: 'Critical',
              at: step.at,
              table: e.table,
              verb: verbOf(e),
              by: requestName(value) ?? 'the request',
              ownerColumn: column,
              callerAs: callerOf(behaviour),
              what: `${verbOf(e)} ${e.table} with ${column} = ${requestName(value) ?? 'a value of the request'}`,
            })
        } else if (grantsPower(column, e.table, table) && chosenByCaller(value, behaviour))
          out.push({
            kind: 'power',
            severity: 'Critical',
            at: step.at,
            table: e.table,
            verb: verbOf(e),
            by: requestName(value) ?? "the user's own metadata",
            ownerColumn: column,
            what: `${verbOf(e)} ${e.table} with ${column} = ${requestName(value) ?? "the user's own metadata"}`,
          })
      }
    }
    const whole = payload.v === 'request' ? payload : payload.v === 'object' && payload.rest?.v === 'request' ? payload.rest : undefined
    if (whole?.v === 'request' && !whole.as && (whole.part === 'body' || whole.part === 'form') && (!whole.name || !payloadIsScalar(whole.name))) {
      const bound = payload.v === 'object' ? new Set(Object.keys(payload.props)) : new Set<string>()
      const power = table?.userData?.powerColumns.filter((c) => !bound.has(c)) ?? []
      const owner = [...owners].filter((c) => !bound.has(c))
      if (table && !table.stub && !power.length && (!owner.length || e.op === 'update') && !(e.op === 'update' && owner.length)) continue
      out.push({
        kind: 'mass-assignment',
        severity: power.length ? 'Critical' : 'High',
        at: step.at,
        table: e.table,
        verb: verbOf(e),
        by: requestName(whole) ?? 'the request body',
        ...((power[0] ?? owner[0]) ? { ownerColumn: (power[0] ?? owner[0]) as string } : {}),
        what: `${verbOf(e)} ${e.table} with the whole request body`,
      })
    }
  }
  return out
}

/** What grants rights or money to the person whose row it is; a `role` of a chat message is none. */
function grantsPower(column: string, name: string, table: Table | undefined): boolean {
  if (!/(?:^|[._])(?:users?|profiles?|accounts?|members?|memberships?|\w+_members|user_roles|subscriptions?|wallets?|credits|\w+_credits)$/i.test(name))
    return false
  return table && !table.stub ? (table.userData?.powerColumns.includes(column) ?? false) : PLAINLY_POWER.test(column)
}

const PLAINLY_POWER = /^(?:role|is_?admin|admin|is_?premium|is_?pro|plan|tier|credits?|balance|subscription_?status|permissions?)$/i

/** The value is the request's own, or a claim that the user edits; one of a fixed list may leave out what grants something. */
function chosenByCaller(value: Value, behaviour: Behaviour): boolean {
  if (value.v === 'any') return value.of.some((x) => chosenByCaller(x, behaviour))
  if (value.v === 'caller') return value.trust === 'editable'
  return value.v === 'request' && value.as !== 'enum' && fromRequest(value, behaviour)
}

const payloadIsScalar = (name: string): boolean => /(?:^|[._])(?:id|name|title|status|text|content|email|url)$/i.test(name)

/** The request's value itself, not something computed from it by an unknown function. */
function directly(value: Value): boolean {
  if (value.v === 'request') return true
  if (value.v === 'any') return value.of.some(directly)
  return value.v === 'text' && value.parts.length === 1
}

function rowsOf(payload: Value): readonly Value[] {
  if (payload.v === 'array') return payload.items.slice(0, 4)
  if (payload.v === 'any') return payload.of
  if (payload.v === 'object' && payload.props.create?.v === 'object' && payload.props.update) return [payload.props.create, payload.props.update]
  return [payload]
}

/** Rows chosen by a claim that the user edits (`user_metadata`). */
function editableBreaches(step: Step, e: Query, behaviour: Behaviour): OwnershipBreach[] {
  if (e.client.rights !== 'service' || e.filters.some((f) => isCallers(f.value, behaviour))) return []
  const f = e.filters.find((x) => x.op === 'eq' && mentions(x.value, (v) => v.v === 'caller' && v.trust === 'editable'))
  if (!f) return []
  const field = f.value.v === 'caller' ? (f.value.field ?? 'user_metadata') : 'user_metadata'
  return [
    {
      kind: 'editable',
      severity: 'Critical',
      at: step.at,
      table: e.table,
      verb: verbOf(e),
      by: field,
      what: `${verbOf(e)} ${e.table} by ${f.column} = ${field}, which the user edits`,
    },
  ]
}

/** Every row of a personal table for anybody who is signed in. */
function listingBreaches(
  step: Step,
  index: number,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  route: Route,
): OwnershipBreach[] {
  if (e.client.rights !== 'service' || e.countOnly || e.unread) return []
  if (e.filters.some((f) => f.value.v !== 'const') || ties.byCondition(step)) return []
  const admin = /(?:^|[/_-])(?:admin|backoffice|internal|management)(?:[/_-]|$)/i.test(route.route) || /(?:^|\/)admin(?:\/|$)/i.test(route.path)
  const table = tableOf(e, schema)
  if (e.op === 'select') {
    const personal = table && !table.stub ? (table.userData?.personalColumns ?? []) : undefined
    const columns = e.columns
    const shows = personal ? personal.some((c) => !columns || columns.includes('*') || columns.includes(c)) : admin && PERSONAL_NAME.test(e.table)
    if (!shows || !belongsToSomebody(e, schema) || e.one) return []
    const shown = behaviour.steps
      .slice(index + 1)
      .some(
        (s) =>
          s.effect.kind === 'respond' &&
          (s.effect.status ?? 200) < 400 &&
          s.effect.body !== undefined &&
          mentions(s.effect.body, (x) => x.v === 'row' && x.step === index && x.field !== 'length'),
      )
    return shown ? [{ kind: 'listing', severity: 'Critical', at: step.at, table: e.table, verb: verbOf(e), what: `answers with all rows of ${e.table}` }] : []
  }
  if (!admin || e.op === 'insert') return []
  return [{ kind: 'admin', severity: 'Critical', at: step.at, table: e.table, verb: verbOf(e), what: `${verbOf(e)} ${e.table}` }]
}

/** Account administration, files, functions and payments that the request points at somebody else. */
function otherBreaches(step: Step, e: Effect, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables' | 'functions'>): OwnershipBreach[] {
  if (ties.byCondition(step)) return []
  switch (e.kind) {
    case 'auth-call': {
      if (e.op !== 'admin') return []
      const target = e.args[0]
      if (target && isCallers(target, behaviour)) return []
      if (
        /deleteUser|updateUserById|generateLink|inviteUserByEmail|listUsers|users\.(?:delete|update|ban)/.test(e.name) &&
        (/listUsers/.test(e.name) || (target && mentions(target, (x) => x.v === 'request')))
      ) {
        if (
          /listUsers/.test(e.name) &&
          !behaviour.steps.some(
            (s) => s.effect.kind === 'respond' && s.effect.body && mentions(s.effect.body, (x) => x.v === 'row' && x.step === behaviour.steps.indexOf(step)),
          )
        )
          return []
        return [
          {
            kind: 'admin',
            severity: 'Critical',
            at: step.at,
            verb: e.name,
            ...(target ? { by: requestName(target) ?? 'a value of the request' } : {}),
            what: `${e.name} with the service role`,
          },
        ]
      }
      return []
    }
    case 'storage': {
      if (e.client.rights !== 'service' || !fromRequest(e.object, behaviour)) return []
      if (mentions(e.object, (x) => isCallers(x, behaviour))) return []
      return [
        {
          kind: 'file',
          severity: e.op === 'write' || e.op === 'list' ? 'High' : 'Critical',
          at: step.at,
          table: e.bucket,
          verb: e.op,
          by: requestName(e.object) ?? 'a value of the request',
          callerAs: callerOf(behaviour),
          what: `${e.op}s files of bucket ${e.bucket || '(computed)'} at ${requestName(e.object) ?? 'a path of the request'}`,
        },
      ]
    }
    case 'rpc': {
      if (e.client.rights !== 'service' || e.args.v !== 'object' || mentions(e.args, (x) => isCallers(x, behaviour))) return []
      const chosen =
        Object.entries(e.args.props).find(
          ([n, v]) => /(?:^|_)(?:user|owner|profile|account|customer|member|target)_?id$|^p?_?(?:user|uid|userid)$/i.test(n) && fromRequest(v, behaviour),
        ) ??
        Object.entries(e.args.props).find(
          ([n, v]) => /(?:^|_)ids?$/i.test(n) && fromRequest(v, behaviour) && !checkedBefore(step, v, behaviour) && handsOutRows(e.function, schema),
        )
      return chosen
        ? [
            {
              kind: 'function',
              severity: 'Critical',
              at: step.at,
              table: e.function,
              by: requestName(chosen[1]) ?? 'a value of the request',
              ownerColumn: chosen[0],
              callerAs: callerOf(behaviour),
              what: `calls ${e.function} with ${chosen[0]} = ${requestName(chosen[1]) ?? 'a value of the request'}`,
            },
          ]
        : []
    }
    case 'payment': {
      if (/customers\.(?:list|search)$/.test(e.name) && e.args.some((a) => mentions(a, (x) => x.v === 'caller' && (x.field ?? '').endsWith('email')))) {
        return [{ kind: 'email-lookup', severity: 'Medium', at: step.at, what: `${e.name} by the caller's e-mail address`, by: 'e-mail' }]
      }
      const target = e.args[0]
      if (
        /subscriptions\.(?:update|cancel|del)|billingPortal\.sessions\.create|customers\.(?:update|del)|paymentMethods\.(?:attach|detach)|refunds\.create|invoices\.(?:pay|voidInvoice|update)|subscriptionItems\./.test(
          e.name,
        ) &&
        target
      ) {
        const id = target.v === 'object' ? (target.props.customer ?? target.props.payment_intent ?? target.props.charge) : target
        if (id && fromRequest(id, behaviour) && directly(id))
          return [
            {
              kind: 'payment',
              severity: 'High',
              at: step.at,
              verb: e.name,
              by: requestName(id) ?? 'a value of the request',
              what: `${e.name} on ${requestName(id)}`,
            },
          ]
      }
      return []
    }
    default:
      return []
  }
}

/** A function of the repository's SQL that returns rows of somebody's table and never looks at who asks. */
function handsOutRows(name: string, schema: Pick<SchemaModel, 'tables' | 'functions'>): boolean {
  const fn = schema.functions.find((f) => f.name.toLowerCase() === name.toLowerCase() && !f.stub)
  if (!fn || !/^(?:table|setof|record)\b/i.test(fn.returns) || /\bauth\s*\.\s*(?:uid|jwt)\s*\(/i.test(fn.body)) return false
  const words = new Set(fn.body.toLowerCase().match(/[a-z_]\w*/g))
  return schema.tables.some((t) => t.userData && !t.stub && words.has(t.name.toLowerCase()) && t.userData.ownerColumns.length > 0)
}

/** The ids were looked up among the caller's own rows before. */
function checkedBefore(step: Step, value: Value, behaviour: Behaviour): boolean {
  const name = requestName(value)
  return behaviour.steps
    .slice(0, behaviour.steps.indexOf(step))
    .some(
      ({ effect }) =>
        effect.kind === 'db' &&
        (effect.client.rights === 'caller' || effect.filters.some((f) => isCallers(f.value, behaviour))) &&
        effect.filters.some((f) => requestName(f.value) === name),
    )
}

/** A user id read out of an OAuth `state` that nothing signed or compared, used to write that user's row. */
function forgedState(step: Step, e: Query, behaviour: Behaviour): OwnershipBreach | undefined {
  if (e.op === 'select' || e.client.rights !== 'service') return undefined
  const fromState = (v: Value) => mentions(v, (x) => x.v === 'request' && x.part === 'query' && /^state(?:\.|$)/.test(x.name ?? ''))
  // a state that the server stored is looked up by itself, not by a user's id
  const filter = e.filters.find((f) => f.op === 'eq' && (OWNER.test(f.column) || f.column === 'id') && fromState(f.value))
  const column = e.payload?.v === 'object' ? Object.entries(e.payload.props).find(([n, v]) => (OWNER.test(n) || n === 'id') && fromState(v)) : undefined
  if (!filter && !column) return undefined
  const compared = step.under.some((c) => comparesState(c.test, fromState, behaviour, 0))
  if (compared) return undefined
  return {
    kind: 'state',
    severity: 'Critical',
    at: step.at,
    table: e.table,
    verb: verbOf(e),
    by: 'query parameter `state`',
    ownerColumn: filter?.column ?? column?.[0] ?? 'id',
    open: true,
    what: `${verbOf(e)} ${e.table} of the user that \`state\` names`,
  }
}

/** The state is compared with a cookie, a stored row, a signature or the caller. */
function comparesState(test: Value, fromState: (v: Value) => boolean, behaviour: Behaviour, depth: number): boolean {
  if (depth > 8) return false
  if (test.v === 'op' && /^[!=]==?$/.test(test.op))
    return (
      test.of.some(fromState) &&
      test.of.some((x) =>
        mentions(
          x,
          (y) => (y.v === 'request' && y.part === 'cookie') || y.v === 'row' || y.v === 'caller' || (y.v === 'call' && /hmac|hash|sign/i.test(y.name)),
        ),
      )
    )
  if (test.v === 'op') return test.of.some((x) => comparesState(x, fromState, behaviour, depth + 1))
  if (test.v === 'row') {
    const e = behaviour.steps[test.step]?.effect
    return e?.kind === 'db' && e.filters.some((f) => fromState(f.value))
  }
  return test.v === 'call' && /verif|valid/i.test(test.name) && test.args.some(fromState)
}
