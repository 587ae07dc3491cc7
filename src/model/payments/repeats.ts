import type { SqlFunction, Table } from '../../database/database.ts'
import type { Place } from '../../lib/place.ts'
import type { SchemaModel } from '../app-model.ts'
import type { Behaviour, Condition, Step, Value } from '../behaviour/behaviour.ts'
import type { Route } from '../routes/routes.ts'
import { contains, namesIn, provesSignature } from './conditions.ts'
import type { RepeatProblem, Repeats } from './payments.ts'
import { describe, entryPlace } from './verification.ts'

type Schema = Pick<SchemaModel, 'tables' | 'functions' | 'policies'>

/** What a second delivery of the same event does again. `transactional` tells whether one of the files undoes its work as a whole, `invoked` what a function of the platform does. */
export function judgeRepeats(route: Route, behaviour: Behaviour, schema: Schema, { transactional, invoked }: Surroundings): Repeats {
  const { steps } = behaviour
  const found = eventClaim(steps, schema)
  const refused = found && isRefused(found, steps, schema)
  const claim = found && !refused ? { ...found, ends: endsHandler(steps, found) } : undefined
  const problems: RepeatProblem[] = []
  let effects = 0
  steps.forEach((step, index) => {
    if (index === claim?.insert || !isEffect(step) || step.under.some((c) => isSignedIn(c.test, !c.negated))) return
    effects++
    const problem = repeat(step, steps, schema, invoked)
    if (!problem || (claim && (isGuarded(step, claim) || (claim.ends && index > claim.look)))) return
    const at = entryPlace(step, route)
    problems.push({ ...problem, at })
  })
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
    acknowledgesFailure: [...acknowledgements(route, behaviour, claim), ...onlyLogged(route, steps, claim)],
    unreadErrors: unreadErrors(steps).map((s) => entryPlace(s, route)),
    ...(claim ? recordedTooEarly(route, steps, claim, transactional) : {}),
  }
}

/** The record stands before the work and stays when the work fails: the delivery that the handler then asks for finds it, and is skipped. */
function recordedTooEarly(
  route: Route,
  steps: readonly Step[],
  claim: Claim,
  transactional: (paths: ReadonlySet<string>) => boolean,
): Pick<Repeats, 'recordedTooEarly'> {
  const { insert, look } = claim
  const record = insert === undefined ? undefined : steps[insert]
  if (!record || insert === undefined || !claim.ends) return {}
  const after = steps.slice(insert + 1)
  const work = after.find((s) => isEffect(s) && !(s.effect.kind === 'db' && s.effect.table === claim.table))
  // Taken back, or only half a record: what the look-up asks for is written when the work is done.
  const takenBack = after.some((s) => s.effect.kind === 'db' && s.effect.table === claim.table && s.effect.op === 'delete')
  const lookUp = steps[look]?.effect
  const asksState =
    (lookUp?.kind === 'db' && look !== insert && lookUp.filters.some((f) => !contains(f.value, isEventId))) ||
    steps.some((s) => s.under.some((c) => contains(c.test, (v) => v.v === 'row' && v.table === claim.table && v.field !== undefined)))
  const asksAgain = after.some(
    (s) =>
      ((s.effect.kind === 'respond' && (s.effect.status ?? 200) >= 500) || (s.effect.kind === 'throw' && !s.effect.caught)) &&
      s.under.some((c) => failedWork(c, steps) && !(c.test.v === 'error' && (c.test.of === insert || c.test.of === look))),
  )
  if (!work || !asksAgain || takenBack || asksState || transactional(new Set([record.at.path, work.at.path, route.path]))) return {}
  return { recordedTooEarly: { ...entryPlace(record, route), work: describe(work) } }
}

/** True where somebody is signed in, as middleware before all routes asks: the processor has no session. */
function isSignedIn(test: Value, holds: boolean): boolean {
  if (test.v === 'caller') return holds
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && isSignedIn(test.of[0], !holds)
  return test.op === (holds ? '&&' : '||') && test.of.some((o) => isSignedIn(o, holds))
}

/** Writes through the platform's client, which reports a failure instead of throwing, where nothing looks at the report. */
function unreadErrors(steps: readonly Step[]): Step[] {
  return steps.filter(
    (s, i) =>
      s.effect.kind === 'db' &&
      s.effect.op !== 'select' &&
      s.effect.client.library === 'supabase' &&
      !steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'error' && v.of === i) || (v.v === 'row' && v.step === i)))),
  )
}

/** The record is written with nobody's rights, and no policy lets nobody in: the insert fails each time, and nothing is remembered. */
function isRefused(claim: Claim, steps: readonly Step[], schema: Schema): boolean {
  const e = claim.insert === undefined ? undefined : steps[claim.insert]?.effect
  const t = tableNamed(claim.table, schema)
  if (e?.kind !== 'db' || e.client.library !== 'supabase' || (e.client.rights !== 'anon' && e.client.rights !== 'caller') || !t?.rls.enabled || t.stub)
    return false
  return !schema.policies.some(
    (p) =>
      p.schema === t.schema &&
      p.table === t.name &&
      p.permissive &&
      (p.command === 'insert' || p.command === 'all') &&
      p.roles.some((r) => r === 'anon' || r === 'public') &&
      (p.check ?? p.using) !== 'false',
  )
}

/** The record of processed events: where it is looked up and inserted. */
interface Claim {
  readonly table: string
  readonly insert?: number
  readonly look: number
  /** Undefined when the schema does not show the table. */
  readonly unique: boolean | undefined
  /** An event that is recorded ends the handler: what comes later is not reached again. */
  readonly ends?: boolean
}

function eventClaim(steps: readonly Step[], schema: Pick<SchemaModel, 'tables'>): Claim | undefined {
  for (const [i, s] of steps.entries()) {
    const e = s.effect
    if (
      e.kind === 'rpc' &&
      contains(e.args, isEventId) &&
      steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'result' && v.step === i) || (v.v === 'error' && v.of === i))))
    ) {
      return { table: `the database function ${e.function}`, look: i, unique: true }
    }
    if (
      e.kind === 'kv' &&
      e.args.some((a) => contains(a, isEventId)) &&
      steps.some((x) => x.under.some((c) => contains(c.test, (v) => v.v === 'result' && v.step === i)))
    )
      return { table: e.name, look: i, unique: true }
    if (e.kind !== 'db') continue
    const column = eventIdColumn(e.payload) ?? e.filters.find((f) => contains(f.value, isEventId))?.column
    if (!column) continue
    const conditioned = steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'row' && v.step === i) || (v.v === 'error' && v.of === i))))
    if (e.op === 'select' && conditioned) {
      const insert = steps.findIndex(
        (x) => x.effect.kind === 'db' && x.effect.op !== 'select' && x.effect.table === e.table && eventIdColumn(x.effect.payload) !== undefined,
      )
      const marks = insert === -1 ? steps.findIndex((x) => x.effect.kind === 'db' && x.effect.op !== 'select' && x.effect.table === e.table) : insert
      if (marks === -1) continue
      return { table: e.table, look: i, ...(insert === -1 ? {} : { insert }), unique: isUnique(e.table, [column], schema) }
    }
    if ((e.op === 'insert' || e.op === 'upsert') && conditioned) return { table: e.table, look: i, insert: i, unique: isUnique(e.table, [column], schema) }
  }
  return undefined
}

function endsHandler(steps: readonly Step[], claim: Claim): boolean {
  const about = (c: Condition) =>
    contains(
      c.test,
      (v) =>
        ((v.v === 'row' || v.v === 'result') && (v.step === claim.look || v.step === claim.insert)) ||
        (v.v === 'error' && (v.of === claim.insert || v.of === claim.look)),
    )
  return steps.some(
    (s) => s.under.some((c) => about(c) && c.otherwise.ends) || (s.effect.kind === 'respond' && (s.effect.status ?? 200) < 300 && s.under.some(about)),
  )
}

/** Where processors carry it in the body. */
const EVENT_ID = /^(?:event\.|notification\.|payload\.)?(?:id|event_id|eventId|notification_id)$/

/** The id of the event itself. */
function isEventId(v: Value): boolean {
  return (
    (v.v === 'event' && v.field === 'id') ||
    (v.v === 'request' && v.part === 'body' && v.name !== undefined && EVENT_ID.test(v.name)) ||
    (v.v === 'request' && v.part === 'header' && v.name !== undefined && /webhook-id|svix-id|event-id/.test(v.name))
  )
}

function eventIdColumn(payload: Value | undefined): string | undefined {
  const object = payload?.v === 'array' ? payload.items[0] : payload
  if (object?.v !== 'object') return undefined
  return Object.entries(object.props).find(([, v]) => isEventId(v))?.[0]
}

/** True when getting to the step depends on the claim's outcome. */
function isGuarded(step: Step, claim: Claim): boolean {
  return step.under.some((c) =>
    contains(c.test, (v) =>
      v.v === 'row' || v.v === 'result' ? v.step === claim.look || v.step === claim.insert : v.v === 'error' && (v.of === claim.look || v.of === claim.insert),
    ),
  )
}

function isEffect(s: Step): boolean {
  const e = s.effect
  return (e.kind === 'db' && e.op !== 'select') || ['rpc', 'mail', 'sms', 'invoke', 'payment', 'http', 'auth-call', 'enqueue'].includes(e.kind)
}

function repeat(step: Step, steps: readonly Step[], schema: Schema, invoked: Invoked): Omit<RepeatProblem, 'at'> | undefined {
  const e = step.effect
  const looked = looksUpFirst(step, steps)
  const soften = (p: Omit<RepeatProblem, 'at'>): Omit<RepeatProblem, 'at'> => (looked && p.severe ? { ...p, kind: 'look-up-then-act', severe: false } : p)
  switch (e.kind) {
    case 'db': {
      if (e.op === 'update' && counts(e.table, e.payload))
        return soften({ kind: 'counter', what: `adds to a value in ${e.table}`, severe: true, table: e.table })
      if (e.op === 'upsert') return upsertProblem(e.table, e.payload, e.onConflict, schema)
      if (e.op === 'insert') {
        const p = insertProblem(e.table, e.payload, schema)
        return p && soften(p)
      }
      return undefined
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
export interface Surroundings {
  readonly transactional: (paths: ReadonlySet<string>) => boolean
  readonly invoked: Invoked
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
function looksUpFirst(step: Step, steps: readonly Step[]): boolean {
  return step.under.some((c) => stateTest(c.test, c.negated, steps))
}

/** Fields that say who somebody is, not what was done. */
const WHO = /(^|\.)(id|uuid|e?mail|phone|(display_|full_|first_)?name|user_id|customer_id|role|locale|language|push_token)$/

function stateTest(v: Value, negated: boolean, steps: readonly Step[]): boolean {
  if (v.v === 'row') return (v.field !== undefined && !WHO.test(v.field)) || (negated && !isUserLookup(v.step, steps))
  if (v.v === 'result') return steps[v.step]?.effect.kind === 'rpc'
  if (v.v === 'op') {
    if (v.op === '!') return v.of[0] !== undefined && stateTest(v.of[0], !negated, steps)
    if (v.op === '&&' || v.op === '||') return v.of.some((o) => stateTest(o, negated, steps))
    if (/^([!=]==?|[<>]=?)$/.test(v.op)) return v.of.some((o) => contains(o, (x) => x.v === 'row' && x.field !== undefined && !WHO.test(x.field)))
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
function counts(table: string, payload: Value | undefined): boolean {
  if (payload?.v !== 'object') return false
  const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const isBefore = (column: string, v: Value) =>
    v.v === 'row' && v.table === table && (v.field === undefined || letters(v.field.slice(v.field.lastIndexOf('.') + 1)) === letters(column))
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

function insertProblem(table: string, payload: Value | undefined, schema: Pick<SchemaModel, 'tables'>): Omit<RepeatProblem, 'at'> | undefined {
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
  // Without the schema only the absence of any id of the processor is certain.
  const keyed = Object.entries(props).some(([, v]) => isStable(v) && contains(v, isProcessorId))
  return keyed ? undefined : problem(`inserts into ${table} without any id of the event`)
}

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

function rpcProblem(name: string, args: Value, functions: readonly SqlFunction[]): Omit<RepeatProblem, 'at'> | undefined {
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

function tableNamed(name: string, schema: Pick<SchemaModel, 'tables'>): Table | undefined {
  const plain = (n: string) =>
    n
      .replace(/^public\./, '')
      .replace(/[_"]/g, '')
      .toLowerCase()
  return (
    schema.tables.find((t) => t.name === name && t.schema === 'public') ??
    schema.tables.find((t) => plain(t.name) === plain(name)) ??
    schema.tables.find((t) => plain(t.name) === `${plain(name)}s`)
  )
}

/** Undefined when the schema does not hold the table. */
function isUnique(table: string, columns: readonly string[], schema: Pick<SchemaModel, 'tables'>): boolean | undefined {
  const t = tableNamed(table, schema)
  if (!t || t.stub) return undefined
  const wanted = columns.map((c) => c.trim().toLowerCase())
  return [t.primaryKey, ...t.uniques.filter((u) => !u.partial).map((u) => u.columns)].some(
    (k) => k.length > 0 && k.every((c) => wanted.includes(c.toLowerCase())),
  )
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

/** Answers of success on the way of an error after the event was accepted. */
function acknowledgements(route: Route, { steps }: Behaviour, claim: Claim | undefined): Repeats['acknowledgesFailure'] {
  return steps
    .filter(
      (s) =>
        // Elsewhere than in the handler's file an answer is made by a helper, whose status is seldom certain.
        s.at.path === route.path &&
        s.effect.kind === 'respond' &&
        (s.effect.status ?? 200) >= 200 &&
        (s.effect.status ?? 200) < 300 &&
        s.effect.how !== 'next' &&
        s.effect.how !== 'redirect',
    )
    .filter(
      (s) =>
        s.under.some((c) => failedWork(c, steps) && !(c.test.v === 'error' && (c.test.of === claim?.insert || c.test.of === claim?.look))) &&
        (provesSignature(s.under, steps).proved || s.under.some((c) => namesIn(c.test).size > 0)),
    )
    .map((s) => entryPlace(s, route))
}

/** Failed writes that are logged, after which the handler goes on to an answer of success: nothing throws, nothing answers otherwise. */
function onlyLogged(route: Route, steps: readonly Step[], claim: Claim | undefined): Place[] {
  return steps.flatMap((s, i): Place[] => {
    const e = s.effect
    if (e.kind !== 'db' || e.op === 'select' || i === claim?.insert || /log|audit|(^|_)events?$|webhook|notification/i.test(e.table)) return []
    const failed = (x: Step) => x.under.some((c) => !c.negated && c.test.v === 'error' && c.test.of === i)
    const logged = steps.find((x) => x.effect.kind === 'log' && failed(x))
    if (!logged || !provesSignature(s.under, steps).proved) return []
    const told = steps.some((x) => answersOtherwise(x, i))
    return told ? [] : [entryPlace(logged, route)]
  })
}

/** The step shows that a failure of step `of` ends in an exception or in an answer that asks for another delivery. */
function answersOtherwise(step: Step, of: number): boolean {
  const ends = step.effect.kind === 'throw' || (step.effect.kind === 'respond' && (step.effect.status ?? 500) >= 400)
  return step.under.some((c) => {
    if (ends && (dependsOn(c.test, of) || c.test.v === 'unknown')) return true
    const { thrown, how, status } = c.otherwise
    return c.negated && c.test.v === 'error' && c.test.of === of && (thrown === true || (status ?? 0) >= 400 || (how === 'respond' && status === undefined))
  })
}

/** A test of whether step `of` failed, also through what a helper gave back in that case. */
function dependsOn(test: Value, of: number): boolean {
  return contains(
    test,
    (v) =>
      (v.v === 'error' && v.of === of) ||
      (v.v === 'any' && (v.under?.some((branch) => branch.some((c) => contains(c.test, (x) => x.v === 'error' && x.of === of))) ?? false)),
  )
}

function failedWork(c: Condition, steps: readonly Step[]): boolean {
  if (c.negated || c.test.v !== 'error') return false
  if (c.test.of === -1) return true
  const e = steps[c.test.of]?.effect
  return e?.kind === 'rpc' || (e?.kind === 'db' && e.op !== 'select')
}

function dedupe(problems: readonly RepeatProblem[]): RepeatProblem[] {
  return [...new Map(problems.map((p) => [`${p.kind} ${p.at.path}:${p.at.line} ${p.what}`, p])).values()].sort(
    (a, b) => Number(b.severe) - Number(a.severe) || (a.at.path < b.at.path ? -1 : a.at.path > b.at.path ? 1 : a.at.line - b.at.line),
  )
}
