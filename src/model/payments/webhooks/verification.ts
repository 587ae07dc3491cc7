import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { type Behaviour, type Condition, HIDDEN_LITERAL, type Step, type Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains, looksAtType, namesIn, provesSignature, unprovedBranches } from '../conditions.ts'
import type { Webhook } from '../payments.ts'
import { parsedBody } from './raw-body.ts'
import { refusesToStart } from './required-secret.ts'

type Verification = Pick<Webhook, 'verification' | 'verifiedAt' | 'maybeVerifiedBy'>

/** Every condition of a behaviour once: steps share them. */
const conditionsOf = ({ steps }: Behaviour): readonly Condition[] => [...new Set(steps.flatMap((s) => s.under))]

/** The condition that compares a message authentication code. */
const macIn = rememberFor((behaviour: Behaviour): Condition | undefined =>
  conditionsOf(behaviour).find((c) => contains(c.test, (v) => v.v === 'call' && /hmac/i.test(v.name))),
)

/** The condition that compares a plain hash over secret and body. */
const plainHashIn = rememberFor((behaviour: Behaviour): Condition | undefined => conditionsOf(behaviour).find((c) => contains(c.test, isPrefixHash)))

/** How a webhook endpoint verifies, and what is wrong with it. `runtimeIsAsync` says that synchronous crypto cannot work there. */
export function judgeVerification(route: Route, behaviour: Behaviour, runtimeIsAsync: boolean, sources: ReadonlyMap<string, JavaScriptFacts>): Verification {
  const steps = behaviour.steps
  const problems: Webhook['verification'][number][] = []
  const verifies = steps.filter((s) => s.effect.kind === 'verify-signature')
  const first = verifies[0]
  const mac = first ? undefined : macIn(behaviour)
  let maybe: Webhook['maybeVerifiedBy']
  for (const step of steps) {
    if (!trusts(step)) continue
    const proof = provesSignature(step.under, steps)
    if (proof.proved) continue
    if (proof.maybe) {
      maybe ??= proof.maybe
      continue
    }
    const trusted = { ...entryPlace(step, route), what: describe(step) }
    const secret = first || mac ? undefined : halfProved(step, steps)
    problems.push({ ...whySkipped(step, first, mac ?? secret, steps), trusted, at: first?.at ?? (mac ?? secret)?.at ?? { path: route.path, line: route.line } })
    break
  }
  for (const s of verifies) {
    if (s.effect.kind !== 'verify-signature') continue
    const { payload, secret, sync, library } = s.effect
    const at = entryPlace(s, route)
    if (contains(payload, isSerialised)) problems.push({ kind: 'reserialised', at })
    const because = parsedBody(route, payload, sources)
    if (because) problems.push({ kind: 'parsed-body', at, because })
    const fallback = emptyFallback(secret)
    // Asking whether the secret is there helps against an empty fallback, not against a text.
    const guarded = fallback?.variable !== undefined && fallback.value === '' && s.under.some((c) => !c.negated && mentionsEnv(c.test, fallback.variable))
    const refusal = fallback ? refusesToStart(route.path, fallback.variable, sources) : undefined
    if (fallback && !guarded && refusal !== 'always' && !(fallback.value === '' && REFUSES_EMPTY.test(library)))
      problems.push({
        kind: fallback.value === '' ? 'empty-secret' : 'literal-secret',
        at,
        ...(fallback.variable ? { variable: fallback.variable } : {}),
        ...(refusal ? { refusedInProduction: true as const } : {}),
      })
    if (sync && library === 'stripe' && runtimeIsAsync) problems.push({ kind: 'synchronous', at })
  }
  const forgeable = mac && forgeableKey(mac, steps)
  if (mac && forgeable && refusesToStart(route.path, forgeable.variable, sources) !== 'always')
    problems.push({
      kind: forgeable.value === '' ? 'empty-secret' : 'literal-secret',
      at: mac.at,
      ...(forgeable.variable ? { variable: forgeable.variable } : {}),
    })
  if (mac && contains(mac.test, (v) => v.v === 'call' && /hmac/i.test(v.name) && v.args.some((a) => contains(a, isSerialised))))
    problems.push({ kind: 'reserialised', at: mac.at })
  const plain = mac ? undefined : plainHashIn(behaviour)
  if (plain) problems.push({ kind: 'plain-hash', at: plain.at })
  const verifiedAt = first?.at ?? mac?.at ?? plain?.at
  return { verification: dedupe(problems), ...(verifiedAt ? { verifiedAt } : {}), ...(maybe ? { maybeVerifiedBy: maybe } : {}) }
}

/** A shared secret that is compared only where there is one: `if (TOKEN) { if (header !== TOKEN) return 401 }`. */
const halfProved = ({ under }: Step, steps: readonly Step[]): Condition | undefined =>
  under.find((c) => !c.negated && unprovedBranches(c.test, steps).some((o) => absences(o, false).some((v) => v.v === 'env')))

/** The key of a comparison in the code itself, where everybody knows it when its variable is unset; nothing asks before whether it is there. */
function forgeableKey(mac: Condition, steps: readonly Step[]): ReturnType<typeof emptyFallback> {
  const keys: Value[] = []
  contains(mac.test, (v) => {
    if (v.v === 'call' && v.name === 'hmac' && v.args[0]) keys.push(v.args[0])
    return false
  })
  const known = keys.flatMap((key) => emptyFallback(key) ?? [])[0]
  const isMac = (v: Value) => v.v === 'call' && /hmac/i.test(v.name)
  const asked = steps.some((s) => s.under.some((c) => known?.variable !== undefined && mentionsEnv(c.test, known.variable) && !contains(c.test, isMac)))
  return known && !(asked && known.value === '') ? known : undefined
}

/** Standard Webhooks, and what is built on it, throws for a secret that is empty. */
const REFUSES_EMPTY = /^(?:polar|svix|standardwebhooks)$/

function dedupe(problems: Webhook['verification']): Webhook['verification'] {
  return [...new Map(problems.map((p) => [p.kind, p])).values()]
}

/** The body of the request, parsed and written out again. A part of it, or its keys in order, is what some processors sign. */
function isSerialised(v: Value): boolean {
  if (v.v !== 'call' || !/JSON\.stringify$/.test(v.name) || (v.args[1] && v.args[1].v !== 'const')) return false
  return contains(v.args[0], (x) => x.v === 'request' && x.name === undefined)
}

/** A digest of the secret with the whole body behind it: no processor signs so, and whoever has seen one can lengthen the body. */
function isPrefixHash(v: Value): boolean {
  if (v.v !== 'call' || v.name !== 'hash') return false
  const secretFirst = (parts: readonly Value[]) => parts[0]?.v === 'env' && parts.slice(1).some(isWholeBody)
  return secretFirst(v.args) || contains(v, (x) => x.v === 'text' && secretFirst(x.parts))
}

const isWholeBody = (v: Value): boolean => v.v === 'request' && (v.part === 'body' || v.part === 'raw-body') && v.name === undefined

/** An effect that takes the event's word: a change that depends on the kind of event or on what the body says. */
export function trusts(step: Step): boolean {
  const e = step.effect
  const changes =
    (e.kind === 'db' && e.op !== 'select') ||
    e.kind === 'rpc' ||
    e.kind === 'invoke' ||
    e.kind === 'mail' ||
    e.kind === 'sms' ||
    e.kind === 'enqueue' ||
    (e.kind === 'auth-call' && e.op === 'admin') ||
    (e.kind === 'payment' && /\.(create|update|cancel|del|refund|capture)$/.test(e.name))
  if (!changes) return false
  if (step.under.some((c) => namesIn(c.test).size > 0)) return true
  if (e.kind === 'db' && /log|webhook|event|audit/i.test(e.table)) return false
  return effectValues(step).some((v) => contains(v, (x) => (x.v === 'request' && ['body', 'raw-body', 'form'].includes(x.part)) || x.v === 'event'))
}

/** The values that an effect works with. */
export function effectValues(step: Step): readonly Value[] {
  const e = step.effect
  switch (e.kind) {
    case 'db':
      return [...(e.payload ? [e.payload] : []), ...e.filters.map((f) => f.value)]
    case 'rpc':
      return [e.args]
    case 'auth-call':
      return e.args
    default:
      return 'args' in e ? e.args : []
  }
}

/** Why an effect is reached without a valid signature: from the branches that stand in for the proof, otherwise from every condition. */
function whySkipped(
  step: Step,
  verify: Step | undefined,
  mac: Condition | undefined,
  steps: readonly Step[],
): Pick<Webhook['verification'][number], 'kind' | 'variable'> {
  if (!verify && !mac) return { kind: 'none' }
  const open = step.under.filter((c) => !c.negated).flatMap((c) => unprovedBranches(c.test, steps))
  // a secret that is set helps nobody where leaving the header out is enough
  const header = open.flatMap(eachOf).flatMap((o) => {
    const absent = absences(o, false)
    return absent.some((v) => v.v === 'env') || mentionsEnv(o, undefined, STAGE_OR_BYPASS_VARIABLE)
      ? []
      : absent.filter((v) => v.v === 'request' && v.part === 'header')
  })[0]
  if (header) return reasonIn([header], []) as Pick<Webhook['verification'][number], 'kind' | 'variable'>
  const found = open.length
    ? reasonIn(
        open.flatMap((o) => absences(o, false)),
        open,
      )
    : undefined
  if (found) return found
  const absent = step.under.flatMap((c) => absences(c.test, c.negated)).filter((v) => v.v !== 'env' || /SECRET|WEBHOOK|SIGN/.test(v.name))
  return (
    reasonIn(
      absent,
      step.under.map((c) => c.test),
    ) ?? (step.under.some((c) => contains(c.test, (v) => v.v === 'error')) ? { kind: 'goes-on-after-failure' } : { kind: 'skipped' })
  )
}

function reasonIn(absent: readonly Value[], tests: readonly Value[]): Pick<Webhook['verification'][number], 'kind' | 'variable'> | undefined {
  if (tests.some((t) => contains(t, (v) => v.v === 'env' && STAGE_OR_BYPASS_VARIABLE.test(v.name)))) return { kind: 'skipped-outside-production' }
  const secret = absent.find((v) => v.v === 'env')
  if (secret?.v === 'env') return { kind: 'skipped-without-secret', variable: secret.name }
  const header = absent.find((v) => v.v === 'request' && v.part === 'header')
  return header?.v === 'request' ? { kind: 'skipped-without-header', ...(header.name ? { variable: header.name } : {}) } : undefined
}

const STAGE_OR_BYPASS_VARIABLE = /NODE_ENV|_MODE$|^MODE$|STAGE|^ENV|ENVIRONMENT|VERCEL_ENV|SKIP|DISABLE|TESTING|^DEV|DEBUG|BYPASS/

/** The alternatives of a condition, of which any is enough. */
const eachOf = (v: Value): readonly Value[] => (v.v === 'op' && v.op === '||' ? v.of.flatMap(eachOf) : [v])

/** Values that a condition says are missing. */
function absences(v: Value, negated: boolean): Value[] {
  if (v.v === 'env' || v.v === 'request') return negated ? [v] : []
  if (v.v !== 'op') return []
  if (v.op === '!') return v.of.flatMap((o) => absences(o, !negated))
  if (v.op === '&&' || v.op === '||') return v.of.flatMap((o) => absences(o, negated))
  return []
}

function mentionsEnv(v: Value, name?: string, pattern?: RegExp): boolean {
  return contains(v, (x) => x.v === 'env' && (name === undefined || x.name === name) && (!pattern || pattern.test(x.name)))
}

/** A secret that becomes a known text when its variable is not set. */
function emptyFallback(secret: Value): { readonly variable?: string; readonly value: string } | undefined {
  if (secret.v === 'env') {
    const value = secret.fallback && textOf(secret.fallback)
    return value === undefined ? undefined : { variable: secret.name, value }
  }
  if (secret.v === 'const') return typeof secret.value === 'string' && !secret.value.includes('…') ? { value: secret.value } : undefined
  // Alternatives inside alternatives come from helpers that check and throw as well; only the plain choice is certain.
  if (secret.v === 'any' && !secret.of.some((o) => o.v === 'any')) {
    const variable = secret.of.find((o) => o.v === 'env')
    const value = secret.of.map(textOf).find((t) => t !== undefined)
    if (variable?.v === 'env' && value !== undefined) return { variable: variable.name, value }
  }
  return undefined
}

/** A text in the code, also one that is hidden since it looks like a secret; a real signing secret is check 25's. */
function textOf(v: Value): string | undefined {
  if (v.v === 'const') return typeof v.value === 'string' ? v.value : undefined
  return v.v === 'call' && v.name.startsWith(HIDDEN_LITERAL) && v.name !== `${HIDDEN_LITERAL}webhook-secret` ? '…' : undefined
}

/** Where a step is, seen from the route's own file: the call that leads to it. */
export function entryPlace(step: Step, route: Pick<Route, 'path'>): { readonly path: string; readonly line: number } {
  if (step.at.path === route.path) return { path: step.at.path, line: step.at.line }
  const via = step.via.filter((p) => p.path === route.path).at(-1) ?? step.via.at(-1)
  return via ? { path: via.path, line: via.line } : { path: step.at.path, line: step.at.line }
}

/** An effect in words. */
export function describe(step: Step): string {
  const e = step.effect
  switch (e.kind) {
    case 'db':
      return `${e.op} on ${e.table}`
    case 'rpc':
      return `database function ${e.function}`
    case 'invoke':
      return `call of the function ${e.name}`
    case 'mail':
      return 'a mail'
    case 'sms':
      return 'a text message'
    case 'auth-call':
      return `auth.${e.name}`
    default:
      return 'name' in e ? e.name : e.kind
  }
}

/** The first condition that looks at the kind of event. */
export const typePlace = rememberFor((behaviour: Behaviour, path: string): Webhook['typeAt'] => {
  const tests = behaviour.steps.flatMap((s) => s.under).filter((c) => namesIn(c.test).size > 0 && looksAtType(c.test))
  const own = tests.filter((c) => c.at.path === path)
  return (own.length ? own : tests).map((c) => c.at).sort((a, b) => a.line - b.line)[0]
})
