import type { AccessMatrix } from '../../database/database.ts'
import type { Place } from '../../lib/place.ts'
import type { SchemaModel } from '../app-model.ts'
import type { Behaviour, BehaviourGap, Client, Condition, Effect, Step, Value } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'
import { booksAsPaid } from './booked-as-paid.ts'
import { handedOut, isDrawn } from './disclosed.ts'
import { handsOutFixedSession, makesFixedAccount } from './fixed-account.ts'
import { fromProcessor } from './from-processor.ts'
import { fromRequest } from './from-request.ts'
import { findsSession, guardOfConditions, guardOfStep } from './guard.ts'
import { isKeptBack, isOnShow, isPublishedWhole, isShownAnyway } from './on-show.ts'
import { choosesRecipient, http, madeWithCallersKey, payment, speaksToWhomItNames } from './outside-work.ts'
import { peopleAlong } from './people-along.ts'
import type { Guard } from './proof.ts'
import { fillsCache, renewsOwnToken, replacesCode } from './upkeep.ts'
import { guardWithWayPast } from './way-past.ts'

export type WorkKind =
  | 'sign'
  | 'read'
  | 'insert'
  | 'update'
  | 'delete'
  | 'rpc'
  | 'file-read'
  | 'file-write'
  | 'file-delete'
  | 'mail'
  | 'sms'
  | 'payment'
  | 'payment-read'
  | 'secret'
  | 'paid-api'
  | 'admin'
  | 'command'

/** Changes of rows. */
const ROW_CHANGES: ReadonlySet<WorkKind> = new Set(['insert', 'update', 'delete'])

/** Something a handler does that should not be done for anybody: an effect, and what stood before it. */
export interface Work {
  readonly kind: WorkKind
  /** For people: "reads public.orders with the service role". */
  readonly what: string
  readonly at: Place
  readonly via: readonly Place[]
  readonly rights?: Client['rights']
  readonly table?: string
  /** True when the rows belong to somebody, or the table is unknown and named like one whose rows do. */
  readonly userData?: boolean
  /** The name of the library call. */
  readonly call?: string
  /** What the caller chooses of it: the recipient, the amount, the owner column, which file is replaced, that something is paid. */
  readonly chosen?: 'recipient' | 'amount' | 'owner' | 'file' | 'paid'
  /** Of what the payment processor keeps: it is about the application itself, not about who pays. */
  readonly ofTheHouse?: true
  /** Of a secret: all of it, not some letters. */
  readonly whole?: true
  /** Of a read: rows that the policies of their table keep between few. */
  readonly unveiled?: true
  /** Of a change: all rows in a state that the code names, whoever they belong to. */
  readonly many?: true
  /** A file under a name that the server made up. */
  readonly fresh?: true
  readonly guard?: Guard
  /** For reads: no answer with content is given without a guard. */
  readonly hidden?: true
  /** No guard was seen, but the interpreter lost track before: there may be one. */
  readonly unsure?: BehaviourGap
  /** A guard follows only later. */
  readonly guardedLater?: Guard
}

const LOGS =
  /(^|_)(rate_?limits?|logs?|audit|(?:banned|blocked)_?ips?|ip_?(?:bans?|blocks?|blocklist)|attempts?|analytics|webhooks?|idempotency|telemetry)(_|$)/i
/** What is counted or kept in order: `page_views`, `email_events`. */
const COUNTED = /(^|_)(metrics?|counters?|views?|events?)(_|$)/i
/** Of these, what may be somebody's: the events of a calendar, views that were saved, what was measured of a body. */
const MAY_BE_OWNED = /^(?:(?:calendar|user|my|team|saved|custom)_)?(?:events?|views?)$|(?:^|_)metrics?$/i
/** A table that only remembers what happened. */
export const isLog = (table: string): boolean => LOGS.test(table)
/** Asked for by name, from a table that the SQL does not show or through one that is embedded: `owner:users (id, email)`. */
const PERSONAL_COLUMN = /(?:^|[^a-z])(?:e_?mail|phone|address|password|auth_?token|access_?token|api_?key|secret)(?:[^a-z]|$)/i
const SCHEDULE =
  /^(?:id|date|day|time|hour|status|(?:start|end|from|until)s?(?:_?(?:at|time|date|hour))?|slot(?:_?(?:id|date|time|start|end))?|duration(?:_?\w+)?|(?:scheduled|booking|booked|appointment|reservation)_?(?:at|date|time|for)|time_?zone|capacity|(?:created|updated)_?at)$/i
/** Of a schedule, what makes it one: every row has an id, a status and the time it was made. */
const TIME_SLOT = /^(?!(?:id|status|(?:created|updated)_?at)$)/i
const RUN_OUT = /^(?:expir\w*|valid_?(?:until|to)|\w*expires?_?(?:at|on)?)$/i
const BLOCKED = /(^|_)((banned|blocked)_?ips?|ip_?(bans?|blocks?|blocklist))(_|$)/i
const PERSONAL =
  /(^|_)(users?|profiles?|accounts?|customers?|clients?|orders?|payments?|subscriptions?|invoices?|messages?|conversations?|chats?|sessions?|tickets?|bookings?|reservations?|appointments?|members?|memberships?|teams?|organi[sz]ations?|credits?|wallets?|transactions?|notes?|documents?|files?|uploads?|contacts?|patients?|leads?|addresses|carts?|returns?|refunds?|(?:api|licen[cs]e)_?keys?|tokens?|notifications?|employees?|students?|projects?|tasks?|subscribers?|sales|purchases?|enroll?ments?|attendees?|participants?|withdrawals?|payouts?|guests?|recipients?)(_|$)/i
const SHOWN = /^(is_)?(published|public|active|visible|approved|enabled|status|state|visibility|archived|draft)$/i
const SHOWN_STATE = /^(published|public|active|visible|approved|live|open|available)$/i
const CAPABILITY = /token|secret|hash|nonce|share|invite|code|(licen[cs]e|api|access|activation)_?key|session_?id|checkout_?id|payment_?intent|unsubscribe/i
const FIXED_SESSION: Omit<Work, 'at' | 'via'> = {
  kind: 'secret',
  what: 'hands out the session of an account whose password the application holds itself',
  call: 'session',
  whole: true,
}

/** The work of a behaviour, in order. */
export function workOf(behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): readonly Work[] {
  const out: Work[] = []
  const answered = disclosure(behaviour)
  behaviour.steps.forEach((step, index) => {
    const found = classify(step, schema, access) ?? (handsOutFixedSession(step, behaviour) ? FIXED_SESSION : undefined)
    if (!found) return
    const people = found.kind === 'read' ? peopleAlong(step, index, behaviour, schema) : undefined
    const work = people ? { ...found, what: found.what.replace(/(?= with )/, ` and all of ${people}`), table: people, userData: true } : found
    // what is written down before every request, whatever it asks for, is done by nobody's choice
    if (step.everywhere && ROW_CHANGES.has(work.kind)) return
    if (takesBack(step, behaviour) || replacesCode(step, behaviour, index)) return
    const before = guardOfStep(step, behaviour)
    const guard = !before || before.trust === 'claimed' ? (capability(step, behaviour) ?? guardWithWayPast(step, behaviour) ?? before) : before
    // asking who a token belongs to, with the server's own key, is part of the check
    if (step.effect.kind === 'db' && (!guard || guard.trust === 'claimed') && looksForToken(step.effect, behaviour, index)) return
    if (step.effect.kind === 'http' && (!guard || guard.trust === 'claimed') && decides(behaviour, index)) return
    const later = guard && guard.trust !== 'claimed' ? undefined : laterGuard(behaviour, index)
    // a guard looks keys and sessions up to compare them
    const looksUp = step.before === true && /api_?keys?|tokens?|sessions?|credentials?/i.test(work.table ?? '')
    const hidden =
      (!guard || guard.trust === 'claimed') &&
      (work.kind === 'read' || work.kind === 'file-read' || work.kind === 'payment-read') &&
      (!answered || looksUp || !isShown(behaviour, index) || (isAside(work, step) && !isRepeated(behaviour, index)))
    const unsure = guard && guard.trust !== 'claimed' ? undefined : behaviour.gaps?.find((g) => g.step <= index)
    const named = (work.kind === 'mail' || work.kind === 'sms') && !work.chosen && speaksToWhomItNames(step.effect, behaviour)
    out.push({
      ...work,
      ...(named ? { chosen: 'recipient' as const } : {}),
      ...(work.kind === 'insert' && booksAsPaid(step.effect, behaviour) ? { chosen: 'paid' as const } : {}),
      at: step.at,
      via: step.via,
      ...(guard ? { guard } : {}),
      ...(unsure ? { unsure } : {}),
      ...(hidden ? { hidden: true as const } : {}),
      ...(later ? { guardedLater: later } : {}),
    })
  })
  return out
}

/** True when an answer with content can be had without passing any guard. */
function disclosure(behaviour: Behaviour): boolean {
  const answers = behaviour.steps.filter(
    (s) =>
      s.effect.kind === 'respond' && s.effect.how !== 'redirect' && s.effect.how !== 'not-found' && s.effect.how !== 'next' && (s.effect.status ?? 200) < 400,
  )
  return answers.length === 0 || answers.some((s) => !guardOfStep(s, behaviour) || guardOfStep(s, behaviour)?.trust === 'claimed')
}

/** True when an answer that anybody can have may carry what this step read; markup that a page renders is no answer that can be looked into. */
function isShown(behaviour: Behaviour, index: number): boolean {
  const answers = behaviour.steps.filter((s) => s.effect.kind === 'respond' && (s.effect.status ?? 200) < 400 && s.effect.how !== 'redirect')
  if (!answers.length) return true
  return answers.some((s) => {
    if (s.effect.kind !== 'respond') return false
    const guard = guardOfStep(s, behaviour)
    return (!guard || guard.trust === 'claimed') && s.effect.body !== undefined && carries(s.effect.body, index, 0)
  })
}

/** Whether the processor answers is asked for the answer's own sake: by health checks, and by what runs before every request. */
const isAside = ({ kind, ofTheHouse }: Pick<Work, 'kind' | 'ofTheHouse'>, { everywhere }: Step): boolean =>
  kind === 'payment-read' && (ofTheHouse === true || everywhere === true)

/** True when what this step read stands in an answer that anybody can have, as far as it can be seen. */
const isRepeated = ({ steps }: Behaviour, index: number): boolean =>
  steps.some(({ effect }) => effect.kind === 'respond' && effect.body !== undefined && mentions(effect.body, (v) => v.v === 'result' && v.step === index))

/** How people appear to others: the author under a post, the names of a ranking. */
const DISPLAYED = /^(?:id|user_?name|display_?name|nick_?name|handle|(?:avatar|image|photo|picture|profile_?(?:image|photo|picture)|avatar_?image)(?:_?url)?)$/i
const OF_PEOPLE = /(^|[._])(?:users?|profiles?|authors?|members|accounts?)$/i

function carries(v: Value, step: number, depth: number): boolean {
  if (depth > 8) return true
  const next = (x: Value) => carries(x, step, depth + 1)
  switch (v.v) {
    case 'const':
    case 'env':
    case 'request':
    case 'error':
      return false
    case 'row':
      return v.step === step && !(v.field !== undefined && DISPLAYED.test(v.field) && OF_PEOPLE.test(v.table))
    case 'result':
      return v.step === step
    case 'object':
      return Object.values(v.props).some(next) || (v.rest !== undefined && next(v.rest))
    case 'array':
      return v.items.some(next)
    case 'text':
      return v.parts.some(next)
    case 'op':
      // whether somebody is there, and how many there are, shows nobody's row
      return !ASKS.has(v.op) && v.of.some(next)
    case 'any':
      return v.of.some(next)
    case 'call':
      if (v.name === 'length') return false
      // what is put into a collection later is not seen
      if (!v.args.length && FILLED_LATER.test(v.name)) return true
      return v.name === 'jsx' || v.args.some(next) || (depth === 0 && isDrawn(v))
    default:
      return true
  }
}

/** Collections that are empty when they are made. */
const FILLED_LATER = /^(?:Map|Set)$/

/** Operators whose result says yes or no, or how many. */
const ASKS: ReadonlySet<string> = new Set(['!', '===', '!==', '==', '!=', '<', '>', '<=', '>=', 'in', 'instanceof', 'typeof', 'length'])

/** Deletes the row or account that the handler itself has just made: undoing half of a failed registration. */
function takesBack(step: Step, behaviour: Behaviour): boolean {
  const e = step.effect
  if (e.kind === 'auth-call' && e.op === 'admin' && /deleteUser/i.test(e.name))
    return behaviour.steps
      .slice(0, behaviour.steps.indexOf(step))
      .some(({ effect: made }) => made.kind === 'auth-call' && (made.op === 'sign-up' || /createUser|inviteUser/i.test(made.name)))
  if (e.kind !== 'db' || e.op !== 'delete') return false
  return e.filters.some((f) => {
    if (f.op !== 'eq' || f.value.v !== 'row') return false
    const made = behaviour.steps[f.value.step]?.effect
    return made?.kind === 'db' && made.op === 'insert' && made.table === e.table
  })
}

const TOKENS = /tokens?$|sessions?$|invit(?:e|ation)s?$/i

/** Tokens are kept as hashes and gone through until one is the hash of what was sent: that is the check itself. */
function looksForToken(e: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour, index: number): boolean {
  if (e.op !== 'select' || !TOKENS.test(e.table)) return false
  const isHash = (x: Value) => x.v === 'row' && x.step === index && /token|hash/i.test(x.field ?? '')
  return behaviour.steps.some((s) => s.effect.kind === 'hash-compare' && s.effect.args.some((a) => mentions(a, isHash)) && s.effect.args.some(fromRequest))
}

/** True when a guard further on depends on the answer of this step: a key that was looked up and is then compared. */
function decides(behaviour: Behaviour, index: number): boolean {
  const seen = new Set<Condition>()
  for (const s of behaviour.steps.slice(index + 1))
    for (const c of s.under) {
      if (seen.has(c) || !c.otherwise.ends) continue
      seen.add(c)
      if (dependsOn(c.test, index, behaviour, 0) && guardOfConditions([c], behaviour)?.trust === 'verified') return true
    }
  return false
}

function dependsOn(v: Value, step: number, behaviour: Behaviour, depth: number): boolean {
  if (depth > 8) return false
  const next = (x: Value) => dependsOn(x, step, behaviour, depth + 1)
  switch (v.v) {
    case 'result': {
      if (v.step === step) return true
      const e = behaviour.steps[v.step]?.effect
      // the hash that the row holds, compared with what was sent
      return e?.kind === 'hash-compare' && e.args.some((a) => next(a) || mentions(a, (x) => x.v === 'row' && x.step === step))
    }
    case 'any':
      return v.of.some(next) || (v.under ?? []).some((list) => list.some((c) => next(c.test)))
    case 'op':
      return v.of.some(next)
    case 'call':
      return v.args.some(next)
    default:
      return false
  }
}

/** `return { error: 'Not signed in' }`: what an action says instead of an answer. */
function saysNo(body: Value | undefined): boolean {
  return body?.v === 'object' && !body.rest && body.props.error !== undefined && !(body.props.error.v === 'const' && !body.props.error.value)
}

function laterGuard(behaviour: Behaviour, index: number): Guard | undefined {
  const here = behaviour.steps[index]?.under ?? []
  for (const s of behaviour.steps.slice(index + 1)) {
    // the other side of a test is no way on from here
    if (s.under.some((c) => here.some((d) => d.at.line === c.at.line && d.at.path === c.at.path && d.negated !== c.negated))) continue
    // A refusal is no work: what stands before it is the other side of a check.
    if (s.effect.kind === 'respond' && saysNo(s.effect.body)) continue
    if (s.effect.kind === 'respond' && ((s.effect.status ?? 200) >= 300 || s.effect.how === 'redirect' || s.effect.how === 'not-found')) continue
    if (s.effect.kind === 'log' || s.effect.kind === 'throw') continue
    const g = guardOfStep(s, behaviour)
    // that a row is found by what only few know says nothing of what is done where it is not
    if (g && g.trust !== 'claimed' && g.who !== 'token') return g
  }
  return undefined
}

/** A column that holds something unguessable: by its name, or the slug of a link that is shared. */
function namesCapability(table: string, column: string): boolean {
  const name = column.split('.').at(-1) ?? ''
  return CAPABILITY.test(name) || (/^slug$/i.test(name) && /share|invit/i.test(table)) || (/^state$/i.test(name) && /oauth|state/i.test(table))
}

/** A query that finds its row by something unguessable that the caller sent: who knows it may. */
function capability(step: Step, behaviour: Behaviour): Guard | undefined {
  const e = step.effect
  if (e.kind === 'rpc') return secretArgument(e, step)
  if (e.kind !== 'db') return undefined
  const f = e.filters.find(
    (x) =>
      x.op === 'eq' &&
      ((namesCapability(e.table, x.column) && fromRequest(x.value)) ||
        findsSession(e.table, x.value) ||
        isOwnVisit(x.value, behaviour) ||
        fromProcessor(x.value, behaviour)),
  )
  const visit =
    e.op === 'insert' && e.payload?.v === 'object' ? Object.entries(e.payload.props).find(([, value]) => isOwnVisit(value, behaviour))?.[0] : undefined
  if (visit !== undefined) return { who: 'token', at: step.at, trust: 'verified', how: `${e.table}.${visit}`, refusal: {} }
  return f ? { who: 'token', at: step.at, trust: 'verified', how: `${e.table}.${f.column}`, refusal: {} } : undefined
}

/** A cookie in which the application leaves the id of what a visitor has put together: `cartId`, `guest_id`. */
const VISIT_COOKIE = /^(?:[a-z]+[-_.])?(?:cart|basket|guest|visitor|anon(?:ymous)?)(?:[-_]?(?:cart|user|session))?[-_]?(?:u?u?id|token|key)$/i

/** The id of the session that express-session keeps for whoever calls, signed in or not: what hangs on it (a cart) is the visitor's own. */
function isOwnVisit(value: Value, behaviour: Behaviour, depth = 0): boolean {
  const next = (x: Value) => depth < 4 && isOwnVisit(x, behaviour, depth + 1)
  if (value.v === 'any') return value.of.some(next) && value.of.every((x) => x.v === 'const' || next(x))
  if (value.v === 'call') return value.name === 'req.sessionID'
  if (value.v === 'request') return value.part === 'cookie' && VISIT_COOKIE.test(value.name ?? '')
  const found = value.v === 'row' ? behaviour.steps[value.step]?.effect : undefined
  return found?.kind === 'db' && found.filters.some((f) => f.op === 'eq' && next(f.value))
}

/** A database function that is given the digest of a secret to look its row up by. */
function secretArgument(e: Extract<Effect, { kind: 'rpc' }>, step: Step): Guard | undefined {
  if (e.args.v !== 'object') return undefined
  const name = Object.entries(e.args.props).find(([key, value]) => /token|secret|_hash$/i.test(key) && fromRequest(value))?.[0]
  return name ? { who: 'token', at: step.at, trust: 'verified', how: `${e.function}, ${name}`, refusal: {} } : undefined
}

function madeUp(v: Value, depth: number): boolean {
  if (depth > 4) return false
  if (v.v === 'call') return v.name === 'random'
  if (v.v === 'text') return v.parts.some((p) => madeUp(p, depth + 1))
  if (v.v === 'array') return v.items.length > 0 && v.items.every((p) => madeUp(p, depth + 1))
  if (v.v === 'any') {
    const named = v.of.filter((x) => !(x.v === 'const' && (x.value === null || x.value === undefined)))
    return named.length > 0 && named.every((p) => madeUp(p, depth + 1))
  }
  return false
}

function classify(step: Step, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): Omit<Work, 'at' | 'via'> | undefined {
  const e = step.effect
  switch (e.kind) {
    case 'db':
      return database(e, schema, access)
    case 'rpc':
      return { kind: 'rpc', what: `calls the database function ${e.function} ${rightsWords(e.client.rights)}`, rights: e.client.rights, call: e.function }
    case 'storage': {
      // a file under a name that the server has just made up: nobody else's can be meant
      const fresh = madeUp(e.object, 0)
      if (fresh && e.op === 'delete') return undefined
      const kind = e.op === 'delete' ? 'file-delete' : e.op === 'write' ? 'file-write' : 'file-read'
      const replaced = e.op === 'write' && e.replaces === true && fromRequest(e.object)
      const does = replaced ? 'replaces' : { read: 'reads', write: 'writes', delete: 'deletes', list: 'lists', sign: 'signs links to' }[e.op]
      return {
        kind,
        what: `${does} files of ${e.bucket ? `bucket ${e.bucket}` : 'a bucket'}${replaced ? ' that the request names' : ''} ${rightsWords(e.client.rights)}`,
        rights: e.client.rights,
        ...(fresh && e.op === 'write' ? { fresh: true as const } : {}),
        ...(replaced ? { chosen: 'file' as const } : {}),
      }
    }
    case 'auth-call':
      if (e.op === 'admin' && /admin\.(listUsers|getUser\w*)$/i.test(e.name))
        return {
          kind: 'read',
          what: `reads accounts (${e.name}) ${rightsWords('service')}`,
          call: e.name,
          rights: 'service',
          table: 'auth.users',
          userData: true,
        }
      if (makesFixedAccount(e))
        return { kind: 'admin', what: `makes an account with a password that stands in the code (${e.name})`, call: e.name, rights: 'service' }
      return e.op === 'admin' && !/createUser|admin\.signOut/i.test(e.name)
        ? { kind: 'admin', what: `administers accounts (${e.name})`, call: e.name, rights: 'service' }
        : undefined
    case 'mail':
      return { kind: 'mail', what: `sends mail (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'sms':
      return { kind: 'sms', what: `sends a message (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'ai':
      if (madeWithCallersKey(e.settings)) return undefined
      return { kind: 'paid-api', what: `calls a paid model (${e.name})`, call: e.name }
    case 'payment':
      return payment(e)
    case 'http':
      return http(e)
    case 'file':
      if (/getSignedUrl/i.test(e.name) && e.args.some((a) => mentions(a, (v) => v.v === 'call' && /^(?:Get|Head)Object/.test(v.name))))
        return { kind: 'file-read', what: `signs links to files (${e.name})`, call: e.name, rights: 'service' }
      if (/getSignedUrl|presigned|^put$|\.put$|upload|handleUpload/i.test(e.name))
        return { kind: 'file-write', what: `stores files (${e.name})`, call: e.name, rights: 'service' }
      return /destroy|^del$|\.del$|deleteObject/i.test(e.name)
        ? { kind: 'file-delete', what: `deletes files (${e.name})`, call: e.name, rights: 'service' }
        : undefined
    case 'respond': {
      if (!e.body || (e.status ?? 200) >= 400) return undefined
      const secret = handedOut(e.body)
      if (secret)
        return {
          kind: 'secret',
          what: `hands out ${secret.whole ? '' : 'a part of '}${secret.name}`,
          call: secret.name,
          ...(secret.whole ? { whole: true as const } : {}),
        }
      const key = signedWith(e.body, 0)
      return key ? { kind: 'sign', what: `signs what the caller sends with ${key}`, call: key } : undefined
    }
    case 'exec':
      // a command that is written in the code does what its author meant, whoever asks
      if (!e.args.some((a) => mentions(a, (v) => v.v !== 'const' && v.v !== 'text' && v.v !== 'array' && v.v !== 'object'))) return undefined
      return { kind: 'command', what: `runs a command (${e.name})`, call: e.name }
    default:
      return undefined
  }
}

function database(e: Extract<Effect, { kind: 'db' }>, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): Omit<Work, 'at' | 'via'> | undefined {
  const name = e.table.split('.').at(-1) ?? e.table
  // A query that was not understood names no operation.
  if (!['select', 'insert', 'update', 'upsert', 'delete'].includes(e.op)) return undefined
  const table = schema.tables.find(
    (t) =>
      t.name.toLowerCase() === name.toLowerCase() &&
      (t.schema === 'public' || !schema.tables.some((o) => o !== t && o.name === t.name && o.schema === 'public')),
  )
  const shown = e.filters.some(
    (f) => SHOWN.test(f.column) && f.value.v === 'const' && (typeof f.value.value === 'boolean' || SHOWN_STATE.test(String(f.value.value))),
  )
  // a table that only the dashboard created shows some of its columns; its name has to do for the rest
  const columns = e.columns ?? []
  const userData =
    (table?.userData !== undefined || ((!table || table.stub === true) && (PERSONAL.test(name) || columns.some((c) => PERSONAL_COLUMN.test(c))))) &&
    // when something is taken says nothing of who took it
    !(e.op === 'select' && columns.some((c) => TIME_SLOT.test(c)) && columns.every((c) => SCHEDULE.test(c)))
  const words = rightsWords(e.client.rights)
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
  if (e.op === 'select' && table && !unveiled && isOnShow(table, e.columns ?? []))
    return { kind: 'read', what: `reads ${name} ${words}`, rights: e.client.rights, table: name, userData: false }
  // whether one address is blocked is asked before anything else
  if (e.op === 'select' && e.one && BLOCKED.test(name)) return undefined
  if (e.op === 'select' && (open || shownAnyway)) return { kind: 'read', what: `reads ${name} ${words}`, rights: e.client.rights, table: name, userData: false }
  if (e.op === 'select')
    return {
      kind: 'read',
      what: `reads ${name} ${words}`,
      rights: e.client.rights,
      table: name,
      userData: userData && !e.countOnly && !(shown && (table?.userData ? isPublishedWhole(table, e.columns ?? []) : true)),
      ...(unveiled ? { unveiled } : {}),
    }
  // sessions and codes that have run out open nothing any more, whoever has them swept out
  if (e.op === 'delete' && e.filters.length > 0 && e.filters.every((f) => f.op !== 'eq' && RUN_OUT.test(f.column) && !fromRequest(f.value))) return undefined
  // what is deleted of a list of blocked addresses by the row that was just found is a block that has run out
  const ended = e.op === 'delete' && BLOCKED.test(name) && e.filters.some((f) => f.op === 'eq' && f.value.v === 'row')
  // a log grows; whoever says which of somebody's rows to change writes no log
  const rewritten = e.op === 'update' && table?.userData !== undefined && e.filters.some((f) => f.op === 'eq' && f.column === 'id' && fromRequest(f.value))
  const written = LOGS.test(name) || (COUNTED.test(name) && (e.op === 'insert' || !table?.userData || !MAY_BE_OWNED.test(name)))
  if (written && !rewritten && (e.op !== 'delete' || ended) && !table?.userData?.powerColumns.length) return undefined
  if (renewsOwnToken(e, table) || fillsCache(e)) return undefined
  if (e.op === 'update' && e.payload?.v === 'object' && !e.payload.rest && countsAttempts(Object.keys(e.payload.props))) return undefined
  const kind = e.op === 'insert' || addsOnly(e) ? 'insert' : e.op === 'delete' ? 'delete' : 'update'
  const owners = new Set([...(table?.userData?.ownerColumns ?? ['user_id', 'owner_id', 'userId', 'ownerId', 'profile_id'])])
  const forged = e.payload?.v === 'object' && Object.entries(e.payload.props).some(([k, v]) => owners.has(k) && fromRequest(v))
  return {
    kind,
    what: `${{ insert: 'inserts into', upsert: 'writes', update: 'changes', delete: 'deletes from' }[e.op]} ${name} ${words}`,
    rights: e.client.rights,
    table: name,
    userData,
    ...(forged ? { chosen: 'owner' as const } : {}),
    ...(kind === 'update' && changesMany(e) ? { many: true as const } : {}),
  }
}

/** Its conditions are written in the code, and none of them lets only what has run out through. */
function changesMany(e: Extract<Effect, { kind: 'db' }>): boolean {
  return e.op === 'update' && !e.unread && e.filters.length > 0 && e.filters.every((f) => f.value.v === 'const' && !RUN_OUT.test(f.column))
}

/** An upsert that leaves a row that is there as it was: it is told to, or writes nothing but the key. */
function addsOnly(e: Extract<Effect, { kind: 'db' }>): boolean {
  const { payload, onConflict } = e
  if (e.op === 'upsert' && e.ignoreDuplicates) return true
  if (e.op !== 'upsert' || !onConflict?.length || payload?.v !== 'object' || payload.rest) return false
  return Object.keys(payload.props).every((column) => onConflict.includes(column))
}

/** Columns that count how often a code or password was tried: writing them down is part of the check. */
function countsAttempts(columns: readonly string[]): boolean {
  return columns.some((c) => /attempt|locked|lock_?out/i.test(c)) && columns.every((c) => /attempt|lock|last_|failed|updated_?at/i.test(c))
}

function rightsWords(rights: Client['rights']): string {
  return rights === 'service'
    ? 'with the service role or a direct connection'
    : rights === 'caller'
      ? "with the caller's client"
      : rights === 'anon'
        ? 'with the anon client'
        : ''
}

/** The secret with which something of the request was signed, when a value holds such a signature. */
function signedWith(v: Value, depth: number): string | undefined {
  if (depth > 5) return undefined
  switch (v.v) {
    case 'object':
      return Object.values(v.props)
        .map((x) => signedWith(x, depth + 1))
        .find((x) => x)
    case 'any':
      return v.of.map((x) => signedWith(x, depth + 1)).find((x) => x)
    case 'call': {
      if (/digest|hmac|hash|sign/i.test(v.name) && v.args.some((a) => fromRequest(a))) return secretIn(v, 0)
      return v.args.map((x) => signedWith(x, depth + 1)).find((x) => x)
    }
    default:
      return undefined
  }
}

function secretIn(v: Value, depth: number): string | undefined {
  if (depth > 8) return undefined
  switch (v.v) {
    case 'env':
      return /SECRET|PRIVATE|SIGNING/i.test(v.name) ? v.name : undefined
    case 'call':
      return v.args.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'text':
      return v.parts.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'op':
    case 'any':
      return v.of.map((x) => secretIn(x, depth + 1)).find((x) => x)
    default:
      return undefined
  }
}
