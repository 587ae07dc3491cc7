import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import { partsOf } from '../behaviour/domain/contains.ts'
import type { Condition, Step, Value } from '../behaviour/types.ts'
import { TYPE_FIELDS } from './processors/processors.ts'

/** True, false, or undefined when the condition depends on something else. */
export type Truth = boolean | undefined

/** The field of an event (or of the unverified body) that says which event it is. */
export function isTypeField(v: Value): boolean {
  if (v.v === 'event') return v.field !== undefined && TYPE_FIELDS.has(v.field)
  if (v.v === 'request') return (v.part === 'body' || v.part === 'raw-body') && v.name !== undefined && TYPE_FIELDS.has(v.name)
  if (v.v === 'any') return v.of.some(isTypeField)
  return v.v === 'call' && v.args.length > 0 && /(^|\.)(type|event_name|event_type|eventType)$/.test(v.name)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Event names that a test compares the kind of event with. Tests share their parts: each is looked at once. */
export const namesIn: (v: Value) => ReadonlySet<string> = rememberFor((v: Value) => {
  const inside = v.v === 'op' || v.v === 'any' ? v.of.map(namesIn) : []
  const found = [comparedNames(v), ...inside].filter((names) => names.size > 0)
  return found.length > 1 ? new Set(found.flatMap((names) => [...names])) : (found[0] ?? NO_NAMES)
})

function comparedNames(v: Value): ReadonlySet<string> {
  if (v.v === 'op' && /^[!=]==?$/.test(v.op) && v.of.some(isTypeField))
    return new Set(v.of.flatMap((o) => (o.v === 'const' && typeof o.value === 'string' ? [o.value] : [])))
  if (v.v === 'call' && v.args.some(isTypeField)) return new Set(v.args.flatMap(constants))
  return NO_NAMES
}

function constants(v: Value): string[] {
  if (v.v === 'const') return typeof v.value === 'string' ? [v.value] : []
  if (v.v === 'array') return v.items.flatMap(constants)
  if (v.v === 'object') return Object.keys(v.props)
  if (v.v === 'any') return v.of.flatMap(constants)
  if (v.v === 'call') return v.args.flatMap(constants)
  return []
}

const truths = new WeakMap<Value, Map<string, Truth>>()

/** What a test is when the event is of the kind `name`. Steps share their conditions, so each is looked at once. */
export function truthFor(v: Value, name: string): Truth {
  let known = truths.get(v)
  if (!known) {
    known = new Map()
    truths.set(v, known)
  }
  if (!known.has(name)) known.set(name, findTruth(v, name, 0))
  return known.get(name)
}

/** What several tests come to of which one that is `decides` settles it. */
const settledBy = (decides: boolean, all: readonly Truth[]): Truth =>
  all.includes(decides) ? decides : all.every((t) => t === !decides) ? !decides : undefined

function findTruth(v: Value, name: string, depth: number): Truth {
  if (depth > 30) return undefined
  if (v.v === 'op') {
    const parts = () => v.of.map((o) => findTruth(o, name, depth + 1))
    switch (v.op) {
      case '!': {
        const t = parts()[0]
        return t === undefined ? undefined : !t
      }
      case '&&':
        return settledBy(false, parts())
      case '||':
        return settledBy(true, parts())
      case '===':
      case '==':
      case '!==':
      case '!=': {
        const type = v.of.find(isTypeField)
        const constant = v.of.find((o) => o.v === 'const')
        if (!type || constant?.v !== 'const') return undefined
        return (constant.value === name) === !v.op.startsWith('!')
      }
      default:
        return undefined
    }
  }
  if (v.v === 'call' && v.args.some(isTypeField)) {
    const given = v.args.filter((a) => !isTypeField(a)).flatMap(constants)
    if (/(^|\.)(has|includes|hasOwn|in)$/.test(v.name) && given.length) return given.includes(name)
    if (/(^|\.)startsWith$/.test(v.name) && given.length) return given.some((g) => name.startsWith(g))
    if (/(^|\.)endsWith$/.test(v.name) && given.length) return given.some((g) => name.endsWith(g))
  }
  return undefined
}

/** The name of no event. */
const NO_EVENT = ''

/** Whether a step is reached on an event of that kind, and whether a condition names the kind. */
export function reaches(step: Step, name: string): { readonly possible: boolean; readonly named: boolean } {
  let named = false
  for (const c of step.under) {
    const t = truthFor(c.test, name)
    if (t === c.negated) return { possible: false, named: false }
    if (c.negated || !names(c.test, name)) continue
    // Open, but never met by another event: `production && verified.type === x || !production && parsed.type === x`.
    if (t === true || truthFor(c.test, NO_EVENT) === false) named = true
  }
  return { possible: true, named }
}

function names(v: Value, name: string): boolean {
  const found = namesIn(v)
  return found.has(name) || [...found].some((n) => n.endsWith('.') && name.startsWith(n))
}

/** Does holding `test` (or its opposite) prove that the event carries a valid signature? `maybe` names a call that could not be followed. */
export interface Proof {
  readonly proved: boolean
  readonly maybe?: { readonly name: string; readonly at: Condition['at'] }
}

/** True when some condition on the way to a step proves the signature. */
export function provesSignature(under: readonly Condition[], steps: readonly Step[]): Proof {
  let maybe: Proof['maybe']
  const set = under.flatMap((c) => (c.test.v === 'env' && !c.negated ? [c.test.name] : []))
  for (const c of under) {
    if (proves(c.test, !c.negated, steps, set)) return { proved: true }
    if (c.negated) continue
    if (c.test.v === 'call' && /verif|signature|hmac/i.test(c.test.name)) maybe = { name: c.test.name, at: c.at }
    // of several processors behind one endpoint the others ask in ways that are not known
    const open = unprovedBranches(c.test, steps)
    if (open.length && open.every((o) => asksElsewhere(o, steps))) maybe ??= { name: 'fetch', at: c.at }
  }
  return maybe ? { proved: false, maybe } : { proved: false }
}

/** `set`: variables of which the way here has asked whether they are set. */
function proves(v: Value, holds: boolean, steps: readonly Step[], set: readonly string[] = [], depth = 0): boolean {
  if (depth > 30) return false
  if (v.v === 'event') return v.verified
  if (v.v === 'result') return holds && steps[v.step]?.effect.kind === 'verify-signature'
  if (v.v === 'any') return v.of.length > 0 && v.of.every((o) => proves(o, holds, steps, set, depth + 1))
  // `signatures.some((s) => equal(s, expected))`: what the callback gives is among the arguments
  if (v.v === 'call' && /(^|\.)some$/.test(v.name)) return holds && v.args.some((a) => proves(a, true, steps, set, depth + 1))
  if (v.v === 'call' && /(^|\.)(includes|has)$/.test(v.name)) return holds && isAmong(v.args)
  if (v.v !== 'op') return false
  const all = () => v.of.every((o) => proves(o, holds, steps, set, depth + 1))
  const some = () => v.of.some((o) => proves(o, holds, steps, set, depth + 1))
  if (v.op === '!') return v.of[0] !== undefined && proves(v.of[0], !holds, steps, set, depth + 1)
  if (v.op === '&&') return holds ? some() : all()
  if (v.op === '||') return holds ? all() : some()
  if (holds && saysSo(v, steps, ASKS_FOR_SIGNATURE)) return true
  const equal = /^={2,3}$/.test(v.op) ? holds : /^!={1,2}$/.test(v.op) ? !holds : undefined
  if (equal === undefined) return false
  // Nobody without the key gives a text that equals the MAC; with a constant it is never equal.
  if (equal && v.of.filter(isMac).length === 1) return true
  // Nothing equals a variable that is set: `(header ?? '') !== SECRET` behind `if (!SECRET) return`.
  if (equal && v.of.some((o) => o.v === 'const' && !o.value) && v.of.some((o) => o.v === 'env' && set.includes(o.name))) return true
  // A shared secret in a header (`Authorization: Bearer …`) keeps strangers out as well.
  if (equal && v.of.some((o) => contains(o, (x) => x.v === 'env')) && v.of.some((o) => contains(o, (x) => x.v === 'request' && x.part === 'header')))
    return true
  return v.of.some((o) => o.v === 'event' && o.verified)
}

/** The addresses at which processors say themselves whether an event is theirs. */
const ASKS_FOR_SIGNATURE = /verify-?(?:webhook-?)?signature/i

/** `answer.verification_status === 'SUCCESS'`: a text that another service answered, asked at such an address. */
function saysSo(v: Extract<Value, { v: 'op' }>, steps: readonly Step[], address: RegExp): boolean {
  if (!/^={2,3}$/.test(v.op) || !v.of.some((o) => o.v === 'const' && typeof o.value === 'string')) return false
  return v.of.some((o) => {
    const e = o.v === 'result' ? steps[o.step]?.effect : undefined
    return e?.kind === 'http' && contains(e.args[0], (x) => x.v === 'const' && typeof x.value === 'string' && address.test(x.value))
  })
}

/** A way in that another service has to say yes to, or that was not followed to its end. */
function asksElsewhere(way: Value, steps: readonly Step[]): boolean {
  if (way.v === 'unknown') return true
  if (way.v !== 'op') return false
  if (way.op !== '&&') return saysSo(way, steps, /^https?:/)
  return !way.of.some(isAbsence) && way.of.some((o) => asksElsewhere(o, steps))
}

const isAbsence = (v: Value): boolean => v.v === 'op' && v.op === '!' && (v.of[0]?.v === 'env' || v.of[0]?.v === 'request')

/** The MAC is one of the signatures that were sent, or the signature one of several MACs; `mac.includes(sent)` holds for an empty text too. */
function isAmong([list, one]: readonly Value[]): boolean {
  if (!list || !one) return false
  return isMac(one) ? !isMac(list) : list.v === 'array' && list.items.length > 0 && list.items.every(isMac)
}

/** Of a disjunction that proves the signature on some branches only: the branches that do not. */
export function unprovedBranches(v: Value, steps: readonly Step[]): readonly Value[] {
  if (v.v !== 'op' || v.op !== '||') return []
  const open = v.of.filter((o) => !proves(o, true, steps))
  return open.length < v.of.length ? open.flatMap((o) => [o, ...unprovedBranches(o, steps)]) : v.of.flatMap((o) => unprovedBranches(o, steps))
}

/** Whether a test looks at the kind of an event. */
export const looksAtType: (v: Value) => boolean = rememberFor((v: Value) => contains(v, isTypeField))

/** A keyed digest, or one of a text that ends in the server's secret. */
function isMac(v: Value): boolean {
  return contains(v, (x) => x.v === 'call' && (/hmac/i.test(x.name) || (x.name === 'hash' && contains(x, (key) => key.v === 'env'))))
}

/** True when a value, or a value inside it, satisfies the test. */
export function contains(v: Value | undefined, test: (v: Value) => boolean, seen: Set<Value> = new Set()): boolean {
  // Values share their parts: each is looked at once.
  if (!v || seen.has(v) || seen.size > 5000) return false
  seen.add(v)
  if (test(v)) return true
  return v.v !== 'response' && partsOf(v).some((x) => contains(x, test, seen))
}
