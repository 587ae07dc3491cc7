import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { isKeptSession } from '../../behaviour/identity/signed-token.ts'
import { KEPT } from '../../behaviour/idioms/in-memory-counter.ts'
import type { Behaviour, Condition, Effect, Value } from '../../behaviour/types.ts'

const RATE_LIMIT_NAME = /rate|limit|attempt|throttl|too_?many|quota|lock(ed)?_?(out|until)|cooldown|window|bucket/i

/** A column of an account that says how often sign-in failed, or until when it is locked. */
const LOCKOUT = /(login|sign_?in|failed|invalid)\w*attempts?|attempts?_?(count|left)?$|locked?_?(until|out|at)|lockout|cooldown/i

/** Where a handler limits how often it is used and really refuses: a library's limiter, an own counter, an answer 429. */
export function limitOf(behaviour: Behaviour): Place | undefined {
  // steps of one path share their conditions
  const passed = new Set<Condition>()
  for (const step of behaviour.steps) {
    const e = step.effect
    if ((e.kind === 'respond' || e.kind === 'throw') && e.status === 429) {
      // Relaying the 429 of another service limits nothing, whatever was asked on the way there.
      const last = step.under.at(-1)
      if (last && !relays(last.test, behaviour)) return last.at
    }
    for (const c of step.under) {
      if (passed.has(c)) continue
      if (refuses(c, behaviour)) return c.at
      passed.add(c)
    }
    if (
      e.kind === 'limit' &&
      /consume|protect|check/.test(e.name) &&
      behaviour.steps.some((s) => s.under.some((c) => mentions(c.test, behaviour.steps.indexOf(step))))
    )
      return step.at
  }
  return undefined
}

/** The conditions under which somebody is told to come back later. */
const tooOften = rememberFor((behaviour: Behaviour): readonly Condition[] =>
  behaviour.steps.flatMap(({ effect: e, under }) => ((e.kind === 'respond' || e.kind === 'throw') && e.status === 429 ? under : [])),
)

/** Whether a function of the database is asked how often something was done: what it answers turns people away. */
export const countsCalls = (index: number, behaviour: Behaviour): boolean =>
  behaviour.steps[index]?.effect.kind === 'rpc' && tooOften(behaviour).some((c) => mentions(c.test, index) && !relays(c.test, behaviour))

function refuses(c: Condition, behaviour: Behaviour): boolean {
  if (!c.otherwise.ends) return false
  if (c.otherwise.status === 429 && !relays(c.test, behaviour)) return true
  return limiterIn(c.test, behaviour, 0)
}

/** True when a test depends on the result of a limiter or of an own counter. */
function limiterIn(v: Value, behaviour: Behaviour, depth: number): boolean {
  if (depth > 8) return false
  switch (v.v) {
    case 'result': {
      const e = behaviour.steps[v.step]?.effect
      if (e?.kind === 'db') return v.field === 'count' && isCounter(e)
      return e?.kind === 'limit' || (e?.kind === 'kv' && counts(e) && !isKeptSession(e)) || (e?.kind === 'rpc' && RATE_LIMIT_NAME.test(e.function))
    }
    case 'row': {
      const e = behaviour.steps[v.step]?.effect
      if (LOCKOUT.test(v.field ?? '')) return true
      return e?.kind === 'db' && isCounter(e)
    }
    case 'op':
    case 'any':
      return v.of.some((x) => limiterIn(x, behaviour, depth + 1))
    case 'call':
      if (isCountInMap(v)) return true
      return (/rate_?limit|isLimited|throttle|tooMany/i.test(v.name) && !/header/i.test(v.name)) || v.args.some((x) => limiterIn(x, behaviour, depth + 1))
    default:
      return false
  }
}

/** How often, as an entry of a map or of an object in memory says: `attempts.get(email).count`, `attempts[email].count`. */
function isCountInMap({ name, args: [entry] }: Extract<Value, { v: 'call' }>): boolean {
  if (!/^(count|hits|tries|requests|attempts?)$/i.test(name) || entry?.v !== 'call') return false
  return entry.name === 'get' ? entry.args[0]?.v === 'call' && entry.args[0].name === 'Map' : isOfKept(entry)
}

/** An entry of an object in which the module counts, under a name that is written down or computed. */
function isOfKept(entry: Extract<Value, { v: 'call' }>): boolean {
  const [of] = entry.args
  return (of?.v === 'call' && of.name === KEPT) || (entry.name === 'index' && of?.v === 'object' && of.rest?.v === 'call')
}

/** Rows that were written down to be counted. */
function isCounter(e: Extract<Effect, { kind: 'db' }>): boolean {
  return (RATE_LIMIT_NAME.test(e.table) || e.countOnly === true) && RATE_LIMIT_NAME.test(`${e.table} ${e.filters.map((f) => f.column).join(' ')}`)
}

/** Reads or raises a counter; a `get` of a fixed name is a setting. */
function counts(e: { readonly name: string; readonly args: readonly Value[] }): boolean {
  const key = e.args[0]
  if (/incr|eval|zcard/i.test(e.name)) return true
  return /get/i.test(e.name) && !(key?.v === 'const' && !RATE_LIMIT_NAME.test(String(key.value)))
}

const asksLimiter = rememberFor((behaviour: Behaviour): boolean => behaviour.steps.some(({ effect: e }) => e.kind === 'limit'))

/** A status or error of another service's answer. */
function relays(v: Value, behaviour: Behaviour, depth = 0): boolean {
  if (depth > 8) return false
  switch (v.v) {
    case 'error':
      // what was caught a limiter may have thrown, where one is asked
      return v.of >= 0 ? behaviour.steps[v.of]?.effect.kind !== 'limit' : !asksLimiter(behaviour)
    case 'result': {
      const kind = behaviour.steps[v.step]?.effect.kind
      return kind === 'http' || kind === 'auth-call' || kind === 'ai' || kind === 'mail'
    }
    case 'op':
    case 'any':
      return v.of.some((x) => relays(x, behaviour, depth + 1))
    case 'call':
      return v.args.some((x) => relays(x, behaviour, depth + 1))
    default:
      return false
  }
}

function mentions(v: Value, step: number, depth = 0): boolean {
  if (depth > 8) return false
  if (v.v === 'result') return v.step === step
  if (v.v === 'error') return v.of === step
  if (v.v === 'op' || v.v === 'any') return v.of.some((x) => mentions(x, step, depth + 1))
  if (v.v === 'call') return v.args.some((x) => mentions(x, step, depth + 1))
  return false
}
