import type { AccessMatrix } from '../../database/database.ts'
import type { Place } from '../../lib/place.ts'
import type { SchemaModel } from '../app-model.ts'
import type { Behaviour, Client, Condition, Effect, Step, Value } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'
import { fromRequest } from './from-request.ts'
import { fromProcessor, type Guard, guardOfConditions, guardOfStep } from './guard.ts'

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
  | 'paid-api'
  | 'admin'
  | 'command'

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
  /** What the caller chooses of it: the recipient, the amount, the owner column. */
  readonly chosen?: 'recipient' | 'amount' | 'owner'
  /** A file under a name that the server made up. */
  readonly fresh?: true
  readonly guard?: Guard
  /** For reads: no answer with content is given without a guard. */
  readonly hidden?: true
  /** A guard follows only later. */
  readonly guardedLater?: Guard
}

const LOGS =
  /(^|_)(rate_?limits?|logs?|audit|(?:banned|blocked)_?ips?|ip_?(?:bans?|blocks?|blocklist)|attempts?|analytics|metrics?|counters?|views?|events?|webhooks?|idempotency|telemetry)(_|$)/i
const BLOCKED = /(^|_)((banned|blocked)_?ips?|ip_?(bans?|blocks?|blocklist))(_|$)/i
const PERSONAL =
  /(^|_)(users?|profiles?|accounts?|customers?|clients?|orders?|payments?|subscriptions?|invoices?|messages?|conversations?|chats?|sessions?|tickets?|bookings?|reservations?|appointments?|members?|memberships?|teams?|organi[sz]ations?|credits?|wallets?|transactions?|notes?|documents?|files?|uploads?|contacts?|patients?|leads?|addresses|carts?|returns?|refunds?|api_?keys?|tokens?|notifications?|employees?|students?|projects?|tasks?|subscribers?|sales|purchases?|enroll?ments?|attendees?|participants?|withdrawals?|payouts?|guests?|recipients?)(_|$)/i
const SHOWN = /^(is_)?(published|public|active|visible|approved|enabled|status|state|visibility|archived|draft)$/i
const SHOWN_STATE = /^(published|public|active|visible|approved|live|open|available)$/i
const CAPABILITY = /token|secret|hash|nonce|share|invite|code|(licen[cs]e|api|access|activation)_?key|session_?id|checkout_?id|payment_?intent|unsubscribe/i
const PAID_HOSTS =
  /(^|\.)(openai\.com|anthropic\.com|googleapis\.com|replicate\.com|huggingface\.co|groq\.com|mistral\.ai|cohere\.(com|ai)|deepseek\.com|openrouter\.ai|perplexity\.ai|elevenlabs\.io|stability\.ai|together\.(ai|xyz)|fal\.(ai|run)|x\.ai|lovable\.dev|firecrawl\.dev|serpapi\.com|tavily\.com|deepgram\.com|assemblyai\.com)/i
const MAIL_HOSTS =
  /(^|\.)(resend\.com|sendgrid\.(com|net)|postmarkapp\.com|mailgun\.net|brevo\.com|sendinblue\.com|mailjet\.com|mailersend\.com|emailjs\.com|loops\.so|sparkpost\.com)/i
const SMS_HOSTS = /(^|\.)(twilio\.com|vonage\.com|nexmo\.com|messagebird\.com|graph\.facebook\.com|callmebot\.com|ultramsg\.com|telnyx\.com|plivo\.com)/i

/** Asked whether the caller is human, or told what happened: nothing is bought there. */
const FREE_HOSTS =
  /^((www\.)?(google\.com|recaptcha\.net)|recaptchaenterprise\.googleapis\.com|challenges\.cloudflare\.com|(api\.)?hcaptcha\.com|hooks\.slack\.com|discord(app)?\.com)$/i

/** The work of a behaviour, in order. */
export function workOf(behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): readonly Work[] {
  const out: Work[] = []
  const answered = disclosure(behaviour)
  behaviour.steps.forEach((step, index) => {
    const work = classify(step, schema, access)
    if (!work) return
    if (takesBack(step, behaviour)) return
    const before = guardOfStep(step, behaviour)
    const guard = !before || before.trust === 'claimed' ? (capability(step, behaviour) ?? before) : before
    // asking who a token belongs to, with the server's own key, is part of the check
    if (step.effect.kind === 'http' && (!guard || guard.trust === 'claimed') && decides(behaviour, index)) return
    const later = guard && guard.trust !== 'claimed' ? undefined : laterGuard(behaviour, index)
    const hidden =
      !guard &&
      (work.kind === 'read' || work.kind === 'file-read') &&
      (!answered || ((later?.who === 'token' || BLOCKED.test(work.table ?? '')) && !isShown(behaviour, index)))
    out.push({
      ...work,
      at: step.at,
      via: step.via,
      ...(guard ? { guard } : {}),
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

/** True when an answer that anybody can have may carry what this step read. */
function isShown(behaviour: Behaviour, index: number): boolean {
  return behaviour.steps.some((s) => {
    if (s.effect.kind !== 'respond' || (s.effect.status ?? 200) >= 400) return false
    const guard = guardOfStep(s, behaviour)
    return (!guard || guard.trust === 'claimed') && s.effect.body !== undefined && carries(s.effect.body, index, 0)
  })
}

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
    case 'result':
      return v.step === step
    case 'object':
      return Object.values(v.props).some(next) || (v.rest !== undefined && next(v.rest))
    case 'array':
      return v.items.some(next)
    case 'text':
      return v.parts.some(next)
    case 'op':
    case 'any':
      return v.of.some(next)
    case 'call':
      return v.args.some(next)
    default:
      return true
  }
}

/** Deletes the row that the handler itself has just inserted: undoing half of a failed registration. */
function takesBack(step: Step, behaviour: Behaviour): boolean {
  const e = step.effect
  if (e.kind !== 'db' || e.op !== 'delete') return false
  return e.filters.some((f) => {
    if (f.op !== 'eq' || f.value.v !== 'row') return false
    const made = behaviour.steps[f.value.step]?.effect
    return made?.kind === 'db' && made.op === 'insert' && made.table === e.table
  })
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
      return e?.kind === 'hash-compare' && e.args.some(next)
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

function laterGuard(behaviour: Behaviour, index: number): Guard | undefined {
  for (const s of behaviour.steps.slice(index + 1)) {
    // A refusal is no work: what stands before it is the other side of a check.
    if (s.effect.kind === 'respond' && ((s.effect.status ?? 200) >= 300 || s.effect.how === 'redirect' || s.effect.how === 'not-found')) continue
    if (s.effect.kind === 'log' || s.effect.kind === 'throw') continue
    const g = guardOfStep(s, behaviour)
    if (g && g.trust !== 'claimed') return g
  }
  return undefined
}

/** A query that finds its row by something unguessable that the caller sent: who knows it may. */
function capability(step: Step, behaviour: Behaviour): Guard | undefined {
  const e = step.effect
  if (e.kind !== 'db') return undefined
  const f = e.filters.find(
    (x) => x.op === 'eq' && ((CAPABILITY.test(x.column.split('.').at(-1) ?? '') && fromRequest(x.value)) || fromProcessor(x.value, behaviour)),
  )
  return f ? { who: 'token', at: step.at, trust: 'verified', how: `${e.table}.${f.column}`, refusal: {} } : undefined
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
      return {
        kind,
        what: `${{ read: 'reads', write: 'writes', delete: 'deletes', list: 'lists', sign: 'signs links to' }[e.op]} files of bucket ${e.bucket} ${rightsWords(e.client.rights)}`,
        rights: e.client.rights,
        ...(fresh && e.op === 'write' ? { fresh: true as const } : {}),
      }
    }
    case 'auth-call':
      return e.op === 'admin' && !/createUser|admin\.signOut/i.test(e.name)
        ? { kind: 'admin', what: `administers accounts (${e.name})`, call: e.name, rights: 'service' }
        : undefined
    case 'mail':
      return { kind: 'mail', what: `sends mail (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'sms':
      return { kind: 'sms', what: `sends a message (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'ai':
      return { kind: 'paid-api', what: `calls a paid model (${e.name})`, call: e.name }
    case 'payment':
      return payment(e)
    case 'http':
      return http(e)
    case 'file':
      if (/getSignedUrl|presigned|^put$|\.put$|upload|handleUpload/i.test(e.name))
        return { kind: 'file-write', what: `stores files (${e.name})`, call: e.name, rights: 'service' }
      return /destroy|^del$|\.del$|deleteObject/i.test(e.name)
        ? { kind: 'file-delete', what: `deletes files (${e.name})`, call: e.name, rights: 'service' }
        : undefined
    case 'respond': {
      const key = e.body ? signedWith(e.body, 0) : undefined
      return key && (e.status ?? 200) < 400 ? { kind: 'sign', what: `signs what the caller sends with ${key}`, call: key } : undefined
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
  const userData = table?.userData !== undefined || ((!table || table.stub === true) && PERSONAL.test(name))
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
  // Columns that are nobody's secret, of rows that a policy shows to the whole world anyway.
  const shownAnyway =
    e.client.rights === 'service' &&
    table?.userData !== undefined &&
    (e.columns ?? []).length > 0 &&
    !e.columns?.some((c) => c === '*' || /\(|:/.test(c) || table.userData?.personalColumns.includes(c) || table.userData?.powerColumns.includes(c)) &&
    (access.holes ?? []).some(
      (h) =>
        h.kind === 'policy' &&
        h.command === 'select' &&
        h.who === 'anon' &&
        h.cause === 'always' &&
        !h.states?.length &&
        h.object === `${table.schema}.${table.name}`,
    )
  // whether one address is blocked is asked before anything else
  if (e.op === 'select' && e.one && BLOCKED.test(name)) return undefined
  if (e.op === 'select' && (open || shownAnyway)) return { kind: 'read', what: `reads ${name} ${words}`, rights: e.client.rights, table: name, userData: false }
  if (e.op === 'select')
    return {
      kind: 'read',
      what: `reads ${name} ${words}`,
      rights: e.client.rights,
      table: name,
      userData: userData && !e.countOnly && !(shown && !table?.userData?.personalColumns.length),
    }
  // what is deleted of a list of blocked addresses by the row that was just found is a block that has run out
  const ended = e.op === 'delete' && BLOCKED.test(name) && e.filters.some((f) => f.op === 'eq' && f.value.v === 'row')
  if (LOGS.test(name) && (e.op !== 'delete' || ended) && !table?.userData?.powerColumns.length) return undefined
  const kind = e.op === 'insert' ? 'insert' : e.op === 'delete' ? 'delete' : 'update'
  const owners = new Set([...(table?.userData?.ownerColumns ?? ['user_id', 'owner_id', 'userId', 'ownerId', 'profile_id'])])
  const forged = e.payload?.v === 'object' && Object.entries(e.payload.props).some(([k, v]) => owners.has(k) && fromRequest(v))
  return {
    kind,
    what: `${{ insert: 'inserts into', upsert: 'writes', update: 'changes', delete: 'deletes from' }[e.op]} ${name} ${words}`,
    rights: e.client.rights,
    table: name,
    userData,
    ...(forged ? { chosen: 'owner' as const } : {}),
  }
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

function choosesRecipient(args: readonly Value[]): boolean {
  return args.some((a) => recipient(a, 0))
}

function recipient(v: Value, depth: number): boolean {
  if (depth > 3) return false
  if (v.v === 'object') {
    for (const key of ['to', 'To', 'recipient', 'recipients', 'email', 'phone', 'number', 'phoneNumber']) {
      const x = v.props[key]
      if (x && fromRequest(x)) return true
    }
    return Object.values(v.props).some((x) => x.v === 'object' && recipient(x, depth + 1))
  }
  return v.v === 'array' ? v.items.some((x) => recipient(x, depth + 1)) : false
}

function payment(e: Extract<Effect, { name: string }>): Omit<Work, 'at' | 'via'> | undefined {
  if (/retrieve|list|search|constructEvent|prices\.|products\./i.test(e.name)) return undefined
  return {
    kind: 'payment',
    what: `calls the payment processor (${e.name})`,
    call: e.name,
    ...(e.args.some((a) => choosesAmount(a, 0)) ? { chosen: 'amount' as const } : {}),
  }
}

function choosesAmount(v: Value, depth: number): boolean {
  if (depth > 6) return false
  if (v.v === 'object')
    return Object.entries(v.props).some(
      ([k, x]) => (/^(amount|unit_amount|unit_amount_decimal|currency|price_data|custom_price)$/.test(k) && fromRequestDeep(x)) || choosesAmount(x, depth + 1),
    )
  if (v.v === 'array') return v.items.some((x) => choosesAmount(x, depth + 1))
  if (v.v === 'any') return v.of.some((x) => choosesAmount(x, depth + 1))
  if (v.v === 'call') return v.args.some((x) => choosesAmount(x, depth + 1))
  return false
}

function fromRequestDeep(v: Value): boolean {
  if (v.v === 'object') return Object.entries(v.props).some(([k, x]) => /amount|currency/.test(k) && fromRequest(x))
  return fromRequest(v)
}

function http(e: Extract<Effect, { name: string }>): Omit<Work, 'at' | 'via'> | undefined {
  const host = hostOf(e.args[0])
  if (host && PAID_HOSTS.test(host)) return { kind: 'paid-api', what: `calls ${host} with the server's key`, call: host }
  if (host && MAIL_HOSTS.test(host))
    return {
      kind: 'mail',
      what: `sends mail through ${host}`,
      call: host,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  if (host && SMS_HOSTS.test(host))
    return {
      kind: 'sms',
      what: `sends a message through ${host}`,
      call: host,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  if (e.args.slice(1).some((a) => carriesKey(a, 0)) || (e.args[0] && carriesKey(e.args[0], 0) && fromRequestAnywhere(e.args)))
    return FREE_HOSTS.test(host ?? '') ? undefined : { kind: 'paid-api', what: `calls ${host ?? 'an API'} with a key of the server`, call: host ?? 'fetch' }
  return undefined
}

function fromRequestAnywhere(args: readonly Value[]): boolean {
  return args.some((a) => fromRequest(a))
}

function recipientInBody(v: Value, depth: number): boolean {
  if (depth > 5) return false
  if (recipient(v, 0)) return true
  if (v.v === 'object') return Object.values(v.props).some((x) => recipientInBody(x, depth + 1))
  if (v.v === 'call') return v.args.some((x) => recipientInBody(x, depth + 1))
  return false
}

function hostOf(v: Value | undefined): string | undefined {
  const text = leading(v)
  const m = text === undefined ? null : /^https?:\/\/([^/?#:\s]+)/i.exec(text)
  return m?.[1]
}

function leading(v: Value | undefined): string | undefined {
  if (!v) return undefined
  if (v.v === 'const') return typeof v.value === 'string' ? v.value : undefined
  if (v.v === 'text') return leading(v.parts[0])
  if (v.v === 'op' && v.op === '+') return leading(v.of[0])
  if (v.v === 'any') return v.of.map(leading).find((x) => x !== undefined)
  return undefined
}

const KEY = /key|secret|token|password|credential/i

/** A secret of the server in the headers or the address of a request. */
function carriesKey(v: Value, depth: number): boolean {
  if (depth > 6) return false
  switch (v.v) {
    case 'env':
      return KEY.test(v.name) && !/^(NEXT_PUBLIC_|VITE_|PUBLIC_|NUXT_PUBLIC_|EXPO_PUBLIC_)|ANON|PUBLISHABLE/i.test(v.name)
    case 'text':
      return v.parts.some((p) => carriesKey(p, depth + 1))
    case 'object':
      return Object.values(v.props).some((p) => carriesKey(p, depth + 1))
    case 'call':
      return v.args.some((p) => carriesKey(p, depth + 1))
    case 'any':
    case 'op':
      return v.of.some((p) => carriesKey(p, depth + 1))
    default:
      return false
  }
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
