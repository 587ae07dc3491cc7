import type { SqlFunction } from '../../../database/database.ts'
import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { type Lookups, rememberLookups } from '../../../lib/memo/memoize-lookups.ts'
import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { contains, namesIn } from '../conditions.ts'
import type { RepeatProblem, Repeats } from '../payments.ts'
import { endsHandler, eventClaim, isEffect, isEventId, isGuarded, isRefused, isUnique, type Schema, tableNamed } from './event-claim.ts'
import { acknowledgements, isOfSession, onlyLogged, recordedTooEarly, turnedAway, unreadErrors } from './lost-events.ts'
import { isBehindTransition } from './state-claim.ts'
import { swallowed } from './swallowed-errors.ts'
import { unheardFailures } from './unreported-failures.ts'
import { entryPlace } from './verification.ts'

/** What a second delivery of the same event does again. */
export const judgeRepeats = (route: Route, behaviour: Behaviour, { tables, functions, policies }: Schema, around: Surroundings): Repeats =>
  repeatsOf(route, around, behaviour, tables, functions, policies)

type PartsOfSchema = [tables: Schema['tables'], functions: Schema['functions'], policies: Schema['policies']]

const repeatsOf = rememberLookups((route: Route, around: Surroundings, behaviour: Behaviour, ...[tables, functions, policies]: PartsOfSchema): Repeats => {
  const schema: Schema = { tables, functions, policies }
  const { steps } = behaviour
  const found = eventClaim(steps, schema)
  const refused = found && isRefused(found, steps, schema)
  const claim = found && !refused ? { ...found, ends: endsHandler(steps, found) } : undefined
  const problems: RepeatProblem[] = []
  const late: RepeatProblem[] = []
  let effects = 0
  steps.forEach((step, index) => {
    if (index === claim?.insert || !isEffect(step) || isOfSession(step, steps)) return
    effects++
    if (isBehindTransition(step, steps)) return
    const problem = repeat(step, steps, schema, around.invoked)
    if (!problem) return
    const at = entryPlace(step, route)
    const remembered = claim && (isGuarded(step, claim) || (claim.ends && index > claim.look))
    if (!remembered) problems.push({ ...problem, at })
    // only the record's own insert, made before the work, keeps a second delivery at the same time out
    else if (claim.insert !== undefined && claim.insert !== claim.look && index < claim.insert)
      late.push({ ...problem, kind: 'look-up-then-act', severe: false, at })
  })
  problems.push(...late)
  if (claim?.unique === false)
    problems.push({
      kind: 'no-unique-constraint',
      at: entryPlace(steps[claim.insert ?? claim.look] as Step, route),
      what: `the record of processed events (${claim.table})`,
      severe: false,
      table: claim.table,
    })
  // Where nothing has to be remembered, it does no harm that nothing is.
  if (found && refused && problems.length)
    problems.push({
      kind: 'refused-record',
      at: entryPlace(steps[found.insert ?? found.look] as Step, route),
      what: `the record of processed events (${found.table}) is refused by row level security`,
      severe: false,
      table: found.table,
    })
  return {
    repeats: dedupe(problems),
    effects,
    ...(claim && claim.unique !== false ? { guard: `the event id is recorded in ${claim.table}` } : {}),
    acknowledgesFailure: [
      ...acknowledgements(route, behaviour, claim),
      ...onlyLogged(route, steps, claim),
      ...unheardFailures(route, steps, around.code),
      ...swallowed(route, steps, around.code(route.path)),
    ],
    unreadErrors: unreadErrors(steps).map((s) => entryPlace(s, route)),
    ...turnedAway(steps),
    ...(claim ? recordedTooEarly(route, steps, claim, around.transactional) : {}),
  }
})

function repeat(step: Step, steps: readonly Step[], schema: Schema, invoked: Invoked): Omit<RepeatProblem, 'at'> | undefined {
  const e = step.effect
  const looked = looksUpFirst(step, steps)
  const soften = (p: Omit<RepeatProblem, 'at'>): Omit<RepeatProblem, 'at'> => (looked && p.severe ? { ...p, kind: 'look-up-then-act', severe: false } : p)
  switch (e.kind) {
    case 'db': {
      if (e.op === 'update' && counts(e.table, e.payload))
        return soften({ kind: 'counter', what: `adds to a value in ${e.table}`, severe: true, table: e.table })
      const p =
        e.op === 'upsert'
          ? upsertProblem(e.table, e.payload, e.onConflict, schema)
          : e.op === 'insert'
            ? insertProblem(e.table, e.payload, schema, step)
            : undefined
      return p && soften(p)
    }
    case 'rpc': {
      const p = rpcProblem(e.function, e.args, schema.functions)
      return p && soften(p)
    }
    case 'mail':
    case 'sms':
      return soften({ kind: 'mail', what: e.kind === 'mail' ? 'sends a mail' : 'sends a text message', severe: true })
    case 'http':
      return isMailHost(e.args[0]) || e.args.some((a) => contains(a, isMessage)) ? soften({ kind: 'mail', what: 'sends a mail', severe: true }) : undefined
    case 'invoke': {
      const p = callProblem(e, invoked)
      return p && soften(p)
    }
    case 'auth-call':
      return /^(inviteUserByEmail|signInWithOtp|resetPasswordForEmail)$/.test(e.name.replace(/^.*\./, ''))
        ? soften({ kind: 'mail', what: `sends a mail (${e.name})`, severe: true })
        : undefined
    case 'payment':
      return /(transfers|refunds|charges|subscriptions|invoiceItems|invoices|payouts|balanceTransactions)\.create$|createRefund/.test(e.name) &&
        !e.args.some((a) => contains(a, (v) => v.v === 'object' && 'idempotencyKey' in v.props))
        ? soften({ kind: 'call', what: `calls ${e.name} without an idempotency key`, severe: true })
        : undefined
    default:
      return undefined
  }
}

/** What the rest of the repository adds to a handler. */
export interface Surroundings extends Lookups {
  /** Whether a file undoes its work as a whole when some of it fails. */
  readonly transactional: (path: string) => boolean
  /** What a function of the platform does, by its name. */
  readonly invoked: Invoked
  /** What was read from a file. */
  readonly code: (path: string) => JavaScriptFacts | undefined
}

/** What a function of the repository does that is called by name. */
type Invoked = (name: string) => Behaviour | undefined

/** A call of another function counts as what that does, as far as the values that it is given lead there. */
function callProblem(e: { readonly name: string; readonly args: readonly Value[] }, invoked: Invoked): Omit<RepeatProblem, 'at'> | undefined {
  const words = e.args.slice(1).flatMap((a) => textsIn(a))
  const sends = (text: string) => /notif|mail|sms|message|send|remind/i.test(text)
  if (sends(e.name)) return { kind: 'mail', what: `calls ${e.name}`, severe: true }
  const told = words.find((w) => /^(send|notify)|notification|_(e?mail|sms)$/i.test(w))
  if (told) return { kind: 'mail', what: `calls ${e.name} (${told})`, severe: true }
  const reached = (invoked(e.name)?.steps ?? []).filter((s) => s.under.every((c) => c.negated || chosenBy(c.test, words)))
  const moved = reached.find(
    (s) =>
      s.effect.kind === 'mail' || s.effect.kind === 'sms' || (s.effect.kind === 'db' && s.effect.op === 'update' && counts(s.effect.table, s.effect.payload)),
  )
  if (!moved) return undefined
  return moved.effect.kind === 'db'
    ? { kind: 'counter', what: `calls ${e.name}, which adds to a value in ${moved.effect.table}`, severe: true, table: moved.effect.table }
    : { kind: 'mail', what: `calls ${e.name}, which sends a message`, severe: true }
}

/** False when a test asks the body for a word that was not given. */
function chosenBy(test: Value, words: readonly string[]): boolean {
  if (test.v !== 'op' || !/^={2,3}$/.test(test.op) || !test.of.some((o) => o.v === 'request' && o.part === 'body')) return true
  const word = test.of.find((o) => o.v === 'const')
  return word?.v !== 'const' || typeof word.value !== 'string' || words.includes(word.value)
}

function textsIn(v: Value, depth = 0): string[] {
  if (depth > 6) return []
  if (v.v === 'const') return typeof v.value === 'string' ? [v.value] : []
  if (v.v === 'object') return Object.values(v.props).flatMap((p) => textsIn(p, depth + 1))
  return v.v === 'any' ? v.of.flatMap((o) => textsIn(o, depth + 1)) : []
}

/** The step is reached only in a state of a row that this handler changes: `if (!order.email_sent_at)`, `if (existing) return`. */
export function looksUpFirst(step: Step, steps: readonly Step[]): boolean {
  return step.under.some((c) => stateTest(c.test, c.negated, steps))
}

/** Fields that say who somebody is, not what was done. */
const IDENTIFYING_EVENT_FIELD = /(^|\.)(id|uuid|e?mail|phone|(display_|full_|first_|user_?)?name|user_id|customer_id|role|locale|language|push_token)$/

function stateTest(v: Value, negated: boolean, steps: readonly Step[]): boolean {
  if (v.v === 'row') return (v.field !== undefined && !IDENTIFYING_EVENT_FIELD.test(v.field)) || (negated && !isUserLookup(v.step, steps))
  if (v.v === 'result') return steps[v.step]?.effect.kind === 'rpc'
  if (v.v === 'op') {
    if (v.op === '!') return v.of[0] !== undefined && stateTest(v.of[0], !negated, steps)
    if (v.op === '&&' || v.op === '||') return v.of.some((o) => stateTest(o, negated, steps))
    if (/^([!=]==?|[<>]=?)$/.test(v.op))
      return v.of.some((o) => contains(o, (x) => x.v === 'row' && x.field !== undefined && !IDENTIFYING_EVENT_FIELD.test(x.field)))
  }
  if (v.v === 'call')
    return v.args.some((a) => contains(a, (x) => x.v === 'row' && x.field !== undefined && /status|state|sent|paid|processed|completed/.test(x.field)))
  return false
}

/** "There is no such user": an error, not a state that the handler leaves behind. */
function isUserLookup(index: number, steps: readonly Step[]): boolean {
  const e = steps[index]?.effect
  if (e?.kind !== 'db') return true
  // The state is left behind by an insert into the same table.
  return !steps.some((s) => s.effect.kind === 'db' && (s.effect.op === 'insert' || s.effect.op === 'upsert') && s.effect.table === e.table)
}

/** A column that becomes what it was before, and something added or taken. */
export function counts(table: string, payload: Value | undefined): boolean {
  if (payload?.v !== 'object') return false
  const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const isBefore = (column: string, v: Value) => v.v === 'row' && v.table === table && (v.field === undefined || letters(lastPart(v.field)) === letters(column))
  return Object.entries(payload.props).some(([column, value]) =>
    contains(
      value,
      (x) =>
        (x.v === 'op' && (x.op === '+' || x.op === '-') && x.of.some((o) => contains(o, (y) => isBefore(column, y)))) ||
        (x.v === 'object' && ('increment' in x.props || 'decrement' in x.props)),
    ),
  )
}

function upsertProblem(
  table: string,
  payload: Value | undefined,
  onConflict: readonly string[] | undefined,
  schema: Pick<SchemaModel, 'tables'>,
): Omit<RepeatProblem, 'at'> | undefined {
  if (counts(table, payload)) return { kind: 'counter', what: `adds to a value in ${table}`, severe: true, table }
  const t = tableNamed(table, schema)
  if (!t) return undefined
  if (onConflict?.length) {
    return isUnique(table, onConflict, schema) === false
      ? {
          kind: 'no-unique-constraint',
          what: `upsert on ${table} with onConflict ${onConflict.join(', ')}, for which there is no unique constraint`,
          severe: false,
          table,
        }
      : undefined
  }
  const object = payload?.v === 'array' ? payload.items[0] : payload
  if (object?.v !== 'object' || object.rest) return undefined
  const covers = t.primaryKey.length > 0 && t.primaryKey.every((c) => c in object.props)
  return covers
    ? undefined
    : { kind: 'insert', what: `upsert on ${table} without its key (${t.primaryKey.join(', ') || 'none'}), which inserts each time`, severe: true, table }
}

export function insertProblem(
  table: string,
  payload: Value | undefined,
  schema: Pick<SchemaModel, 'tables'>,
  step: Step,
): Omit<RepeatProblem, 'at'> | undefined {
  const object = payload?.v === 'array' ? payload.items[0] : payload
  const props = object?.v === 'object' ? object.props : undefined
  const t = tableNamed(table, schema)
  const log = /log|audit|histor|(^|_)events?$|webhook|analytics|notification/i.test(table)
  const problem = (what: string): Omit<RepeatProblem, 'at'> =>
    log ? { kind: 'log-row', what, severe: false, table } : { kind: 'insert', what, severe: true, table }
  if (!props) return undefined
  const stable = (column: string) => column in props && isStable(props[column] as Value)
  if (t && !t.stub) {
    const keys = [t.primaryKey, ...t.uniques.filter((u) => !u.partial).map((u) => u.columns)].filter((k) => k.length > 0)
    return keys.some((k) => k.every(stable)) ? undefined : problem(`inserts into ${table}, where nothing unique is taken from the event`)
  }
  // Without the schema only the absence of any id of the processor is certain; a history has many rows of one subscription or customer.
  const ofMany = log && isAboutSubscriptions(step)
  const keyed = Object.entries(props).some(([, v]) => isStable(v) && contains(v, ofMany ? isOfOne : isProcessorId))
  return keyed ? undefined : problem(`inserts into ${table} without any id of the event`)
}

/** Whether a step is for events of which one subscription has many. */
function isAboutSubscriptions(step: Step): boolean {
  const names = step.under.flatMap((c) => (c.negated ? [] : [...namesIn(c.test)]))
  return names.length > 0 && names.every((n) => /subscription/.test(n))
}

/** What one event of a subscription has and the next has not. */
const isOfOne = (v: Value): boolean =>
  isEventId(v) || (v.v === 'event' && v.field !== undefined && /(^|\.)((latest_)?invoice|payment_intent|charge)$/.test(v.field))

/** The same on every delivery: nothing random, no clock. */
function isStable(v: Value): boolean {
  if (v.v === 'unknown') return false
  return !contains(v, (x) => x.v === 'call' && /^(random|uuid|nanoid|Date\.now|now|v4|cuid)/i.test(x.name) && x.args.length === 0)
}

function isProcessorId(v: Value): boolean {
  const field = v.v === 'event' || v.v === 'result' ? v.field : v.v === 'request' ? v.name : undefined
  return (
    field !== undefined &&
    /(^|\.)(id|subscription|payment_intent|invoice|customer|charge|session_id|order_id|transaction_id|subscription_id|identifier)$/.test(field)
  )
}

export function rpcProblem(name: string, args: Value, functions: readonly SqlFunction[]): Omit<RepeatProblem, 'at'> | undefined {
  const known = functions.find((f) => f.name === name)
  if (known) {
    const body = known.body.toLowerCase()
    if (/on\s+conflict[^;]{0,200}\bdo\s+nothing|for\s+update|if\s+(not\s+)?(exists|found)|already|is\s+(not\s+)?distinct|unique_violation/.test(body))
      return undefined
    if (/=\s*(coalesce\s*\(\s*)?[\w."]+(\s*,\s*0\s*\))?\s*[+-]\s*[\w$"]/.test(body))
      return { kind: 'rpc', what: `calls ${name}(), which adds to a value each time`, severe: true }
    // An upsert of absolute values stores the same again.
    if (/on\s+conflict/.test(body)) return undefined
    return /\binsert\s+into\b/.test(body) ? { kind: 'rpc', what: `calls ${name}(), which inserts each time`, severe: true } : undefined
  }

  if (!/(^|_)(add|incr|increment|increase|grant|deduct|decr|decrement|decrease|bump|topup|top_up|credit|charge)(_|$)|credits?$/i.test(name)) return undefined
  return contains(args, (v) => isEventId(v) || isProcessorId(v))
    ? undefined
    : { kind: 'rpc', what: `calls ${name}() without any id of the event`, severe: true }
}

/** `{ to, subject, html }` posted to whatever service sends it. */
function isMessage(v: Value): boolean {
  return v.v === 'object' && 'to' in v.props && ['subject', 'html', 'template_id', 'templateId', 'message'].some((key) => key in v.props)
}

function isMailHost(v: Value | undefined): boolean {
  return contains(
    v,
    (x) =>
      x.v === 'const' &&
      typeof x.value === 'string' &&
      /^https:\/\/api\.(resend\.com|sendgrid\.com|postmarkapp\.com|mailgun\.net|brevo\.com|mailersend\.com)/.test(x.value),
  )
}

function dedupe(problems: readonly RepeatProblem[]): RepeatProblem[] {
  return [...new Map(problems.map((p) => [`${p.kind} ${p.at.path}:${p.at.line} ${p.what}`, p])).values()].sort(
    (a, b) => Number(b.severe) - Number(a.severe) || (a.at.path < b.at.path ? -1 : a.at.path > b.at.path ? 1 : a.at.line - b.at.line),
  )
}
