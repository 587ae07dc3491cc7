import { minimatch } from 'minimatch'
import { lastPart } from '../../../lib/last-part.ts'
import { keptList } from '../../../lib/memo/list-by-key.ts'
import type { Condition, Value } from '../../behaviour/types.ts'
import { askOf, matchesSource, type PathNotes, safeRegExp } from '../../frameworks/path-pattern.ts'

/** The request that is imagined: its path, and its method when the entry is for one. */
export interface Imagined {
  readonly path: string
  /** Whatever path below this one the caller chooses: tests of it are left as they are, where one of those could pass. */
  readonly anyPath?: string
  readonly method?: string
  /** The name of the route as the framework's own code sees it (`event.route.id`), groups included. */
  readonly routeId?: string
}

/** What was computed for one imagined request: by value and depth, and by list of conditions. Behaviours share their values. */
interface Computed extends PathNotes {
  readonly values: Map<Value, (Value | undefined)[]>
  readonly conditions: Map<Condition, Condition | boolean>
  readonly paths: Map<readonly Condition[], { readonly under: readonly Condition[] | undefined }>
}

const computed = new WeakMap<Imagined, Computed>()

function computedFor(request: Imagined): Computed {
  let known = computed.get(request)
  if (!known) {
    known = { values: new Map(), conditions: new Map(), paths: new Map(), restsOnForm: false }
    computed.set(request, known)
  }
  return known
}

/** Whether what was imagined so far rests on the form of a parameter of the path: another one in its place may lead elsewhere. */
export const restsOnForm = (request: Imagined): boolean => computed.get(request)?.restsOnForm ?? false

const MAX_DEPTH = 14

/**
 * The value for one imagined request: what depends on path and method alone is computed, the rest stays as it is. Path tests
 * of middleware (`startsWith`, `some`, regular expressions, lists) become true or false for the route at hand.
 */
export function imagine(value: Value, request: Imagined, depth = 0): Value {
  if (depth > MAX_DEPTH) return value
  switch (value.v) {
    case 'request':
    case 'text':
    case 'array':
    case 'any':
    case 'op':
    case 'call': {
      const known = keptList(computedFor(request).values, value)
      known[depth] ??= unlessSame(value, compute(value, request, depth))
      return known[depth]
    }
    default:
      return value
  }
}

/** The value itself when nothing of it was decided: behaviours keep sharing it. */
function unlessSame(value: Value, made: Value): Value {
  const same = (a: readonly Value[], b: readonly Value[]) => a.length === b.length && a.every((x, i) => x === b[i])
  if (value.v === 'op') return made.v === 'op' && made.op === value.op && same(made.of, value.of) ? value : made
  if (value.v === 'call') return made.v === 'call' && made.name === value.name && same(made.args, value.args) ? value : made
  if (value.v === 'text') return made.v === 'text' && same(made.parts, value.parts) ? value : made
  if (value.v === 'array') return made.v === 'array' && same(made.items, value.items) ? value : made
  return made
}

function compute(value: Value, request: Imagined, depth: number): Value {
  const next = (v: Value) => imagine(v, request, depth + 1)
  switch (value.v) {
    case 'request':
      if (value.part !== 'url') return value
      if (value.name === 'route.id') return request.routeId === undefined ? value : { v: 'const', value: request.routeId }
      if (request.anyPath !== undefined) return value
      if (value.name === undefined || /(^|\.)(pathname|path|fullPath|href)$/.test(value.name)) return { v: 'const', value: request.path }
      return value
    case 'text': {
      const parts = value.parts.map(next)
      return parts.every((p) => p.v === 'const')
        ? { v: 'const', value: parts.map((p) => (p.v === 'const' ? String(p.value ?? '') : '')).join('') }
        : { v: 'text', parts }
    }
    case 'array':
      return { v: 'array', items: value.items.map(next) }
    case 'any': {
      const of = value.of.map(next)
      const first = of[0]
      // Alternatives that the imagined request rules out are gone.
      const possible = value.under ? of.filter((_, i) => !(value.under?.[i] ?? []).some((c) => decided(c, request) === false)) : of
      if (possible.length === 1 && possible[0]) return possible[0]
      if (first?.v === 'const' && possible.length && possible.every((p) => p.v === 'const' && p.value === first.value)) return first
      return { v: 'any', of: possible.length ? possible : of }
    }
    case 'op':
      return operation(value.op, value.op === 'some' || value.op === 'every' ? value.of : value.of.map(next), request)
    case 'call':
      return call(value.name, value.args.map(next), value, request)
    default:
      return value
  }
}

/** Whether a condition holds for the imagined request; undefined when it depends on more. */
export function decided(condition: Condition, request: Imagined): boolean | undefined {
  const t = truthOf(imagine(condition.test, request))
  return t === undefined ? undefined : t !== condition.negated
}

/** The conditions of a path for the imagined request, simplified; undefined when the path cannot be taken. */
export function imagineConditions(under: readonly Condition[], request: Imagined): readonly Condition[] | undefined {
  const { paths, conditions } = computedFor(request)
  let known = paths.get(under)
  if (!known) {
    known = { under: simplified(under, request, conditions) }
    paths.set(under, known)
  }
  return known.under
}

function simplified(under: readonly Condition[], request: Imagined, known: Computed['conditions']): readonly Condition[] | undefined {
  const out: Condition[] = []
  for (const c of under) {
    let result = known.get(c)
    if (result === undefined) {
      const test = imagine(c.test, request)
      const t = truthOf(test)
      result = t === undefined ? (test === c.test ? c : { ...c, test }) : t !== c.negated
      known.set(c, result)
    }
    if (result === false) return undefined
    if (result !== true) out.push(result)
  }
  return out
}

/** The truth value of what is known; undefined when it depends. */
export function truthOf(v: Value): boolean | undefined {
  switch (v.v) {
    case 'const':
      return Boolean(v.value)
    case 'object':
    case 'array':
    case 'function':
    case 'response':
    case 'client':
      return true
    case 'any': {
      const each = v.of.map(truthOf)
      return each.every((t) => t === true) ? true : each.every((t) => t === false) ? false : undefined
    }
    default:
      return undefined
  }
}

const bool = (value: boolean): Value => ({ v: 'const', value })

function operation(op: string, of: readonly Value[], request: Imagined): Value {
  const [a, b] = of
  if (TEXT_PREDICATES.has(op) && a) return call(op, of, { v: 'call', name: op, args: of }, request, { v: 'op', op, of })
  if (op === 'matches' && a && b) {
    const re = regexOf(b)
    return re && a.v === 'const' ? bool(askOf(String(a.value), computedFor(request), (x) => re.test(x))) : { v: 'op', op, of }
  }
  if ((op === 'some' || op === 'every') && a?.v === 'array' && b && a.items.length <= 60) {
    const each = a.items.map((item) => truthOf(imagine(substitute(b, a.items, item, 0), request)))
    if (op === 'some') return each.some((t) => t === true) ? bool(true) : each.every((t) => t === false) ? bool(false) : { v: 'op', op, of }
    return each.every((t) => t === true) ? bool(true) : each.some((t) => t === false) ? bool(false) : { v: 'op', op, of }
  }
  if (op === '!' && a) {
    const t = truthOf(a)
    return t === undefined ? { v: 'op', op, of } : bool(!t)
  }
  if (op === '&&' || op === '||') {
    const stop = op === '||'
    const rest: Value[] = []
    for (const x of of) {
      const t = truthOf(x)
      if (t === stop) return stop && rest.length === 0 ? x : bool(stop)
      if (t === undefined) rest.push(x)
    }
    if (!rest.length) return bool(!stop)
    return rest.length === 1 && rest[0] ? rest[0] : { v: 'op', op, of: rest }
  }
  if (/^[!=]==?$/.test(op) && request.anyPath !== undefined && isNotBelow(a, b, request.anyPath)) return bool(op.startsWith('!'))
  if (/^[!=]==?$/.test(op) && a?.v === 'const' && b?.v === 'const') {
    const same = a.value === b.value
    return bool(op.startsWith('!') ? !same : same)
  }
  if (a?.v === 'const' && b?.v === 'const' && typeof a.value === 'number' && typeof b.value === 'number') {
    if (op === '>') return bool(a.value > b.value)
    if (op === '>=') return bool(a.value >= b.value)
    if (op === '<') return bool(a.value < b.value)
    if (op === '<=') return bool(a.value <= b.value)
  }
  if (op === '+' && a?.v === 'const' && b?.v === 'const') return { v: 'const', value: `${a.value ?? ''}${b.value ?? ''}` }
  if (op === 'length' && a?.v === 'const' && typeof a.value === 'string') return { v: 'const', value: askOf(a.value, computedFor(request), (x) => x.length) }
  if (op === 'in' && a?.v === 'const' && b?.v === 'object' && !b.rest) return bool(String(a.value) in b.props)
  return { v: 'op', op, of }
}

const TEXT_PREDICATES = new Set(['includes', 'startsWith', 'endsWith', 'has', 'indexOf'])

/** The test of `list.some(test)` for one item: the interpreter evaluated it for "any of the items". */
function substitute(v: Value, items: readonly Value[], item: Value, depth: number): Value {
  if (depth > 8) return v
  const next = (x: Value) => substitute(x, items, item, depth + 1)
  switch (v.v) {
    case 'any':
      return isAnyOf(v.of, items) ? item : { v: 'any', of: v.of.map(next), ...(v.under ? { under: v.under } : {}) }
    case 'op':
      return { v: 'op', op: v.op, of: v.of.map(next) }
    case 'call':
      return { ...v, args: v.args.map(next) }
    case 'text':
      return { v: 'text', parts: v.parts.map(next) }
    default:
      return v
  }
}

/** A whole path is compared with one that no request to the function has: `pathname === '/health'` in `/functions/v1/status`. */
function isNotBelow(a: Value | undefined, b: Value | undefined, below: string): boolean {
  const [path, other] = a?.v === 'request' ? [a, b] : [b, a]
  if (path?.v !== 'request' || path.part !== 'url' || path.name !== 'pathname' || other?.v !== 'const' || typeof other.value !== 'string') return false
  return !other.value.startsWith(below) && !other.value.startsWith(`/functions/v1${below}`)
}

function isAnyOf(of: readonly Value[], items: readonly Value[]): boolean {
  return of.length > 0 && of.every((x) => x.v === 'const' && items.some((i) => i.v === 'const' && i.value === x.value))
}

function call(name: string, args: readonly Value[], original: Extract<Value, { v: 'call' }>, request: Imagined, undecided?: Value): Value {
  const last = lastPart(name)
  if (last === 'method' && /^(request|req|event|c)\b/.test(name) && request.method) return { v: 'const', value: request.method }
  const [on, first, second] = args
  const s = on?.v === 'const' && typeof on.value === 'string' ? on.value : undefined
  const arg = first?.v === 'const' && typeof first.value === 'string' ? first.value : undefined
  const unknown: Value = undecided ?? { ...original, args }
  if (s !== undefined) {
    switch (last) {
      case 'startsWith':
        return arg === undefined ? unknown : bool(s.startsWith(arg))
      case 'endsWith':
        return arg === undefined ? unknown : bool(s.endsWith(arg))
      case 'includes':
        return arg === undefined ? unknown : bool(s.includes(arg))
      case 'indexOf':
        return arg === undefined ? unknown : { v: 'const', value: s.indexOf(arg) }
      case 'toLowerCase':
        return { v: 'const', value: s.toLowerCase() }
      case 'toUpperCase':
        return { v: 'const', value: s.toUpperCase() }
      case 'trim':
        return { v: 'const', value: s.trim() }
      case 'split': {
        if (arg === undefined) return unknown
        const parts = s.split(arg)
        if (second?.v === 'const' && typeof second.value === 'number') return { v: 'const', value: parts[second.value] }
        return { v: 'array', items: parts.slice(0, 20).map((value) => ({ v: 'const', value })) }
      }
      case 'replace': {
        const by = second?.v === 'const' && typeof second.value === 'string' ? second.value : undefined
        const re = regexOf(first)
        if (by === undefined) return unknown
        if (re) return { v: 'const', value: askOf(s, computedFor(request), (x) => re.test(x)) ? s.replace(re, by) : s }
        return arg === undefined ? unknown : { v: 'const', value: s.replace(arg, by) }
      }
      case 'slice':
      case 'substring': {
        const from = first?.v === 'const' && typeof first.value === 'number' ? first.value : undefined
        const to = second?.v === 'const' && typeof second.value === 'number' ? second.value : undefined
        return from === undefined ? unknown : { v: 'const', value: s.slice(from, to) }
      }
      case 'match': {
        const re = regexOf(first)
        return re ? bool(askOf(s, computedFor(request), (x) => re.test(x))) : unknown
      }
      default:
        break
    }
  }
  // micromatch.isMatch(path, patterns), picomatch.isMatch(path, pattern)
  if (last === 'isMatch' && s !== undefined && s.length < 200 && first) {
    const given = first.v === 'array' ? first.items : [first]
    const patterns = given.flatMap((i) => (i.v === 'const' && typeof i.value === 'string' && i.value.length < 200 ? [i.value] : []))
    if (askOf(s, computedFor(request), (x) => patterns.some((p) => minimatch(x, withBraces(p))))) return bool(true)
    return patterns.length === given.length ? bool(false) : unknown
  }
  if (last === 'test') {
    const re = regexOf(on)
    if (re && arg !== undefined) return bool(askOf(arg, computedFor(request), (x) => re.test(x)))
  }
  if ((last === 'includes' || last === 'has') && on?.v === 'array' && arg !== undefined) {
    if (on.items.some((i) => i.v === 'const' && i.value === arg)) return bool(true)
    return on.items.every((i) => i.v === 'const') ? bool(false) : unknown
  }
  if (last === 'has' && on?.v === 'call' && /Set$/.test(on.name) && arg !== undefined && on.args[0]?.v === 'array') {
    const items = on.args[0].items
    if (items.some((i) => i.v === 'const' && i.value === arg)) return bool(true)
    return items.every((i) => i.v === 'const') ? bool(false) : unknown
  }
  // Clerk's route matchers: patterns of path-to-regexp with `(.*)`, or regular expressions.
  const matched = name === 'createRouteMatcher' && on ? askOf(request.path, computedFor(request), (path) => matchesRoute(on, path)) : undefined
  return matched === undefined ? unknown : bool(matched)
}

/** `/dashboard(|/)`: alternatives of micromatch and picomatch, as minimatch writes them. */
const withBraces = (pattern: string): string =>
  pattern.replace(/(^|[^@!?*+\\])\(([^()]*)\)/g, (whole, before: string, of: string) => (of.includes('|') ? `${before}{${of.replaceAll('|', ',')}}` : whole))

/** Whether one of several patterns matches a path; undefined when one that might is not known. */
function matchesRoute(patterns: Value, path: string): boolean | undefined {
  const each = (patterns.v === 'array' ? patterns.items : [patterns]).map((p) =>
    p.v === 'const' && typeof p.value === 'string' ? matchesSource(p.value, path) : regexOf(p)?.test(path),
  )
  return each.includes(true) || (each.includes(undefined) ? undefined : false)
}

/** A regular expression as the interpreter shows it: `regex` with its text, or a `RegExp` call. */
function regexOf(v: Value | undefined): RegExp | undefined {
  if (v?.v === 'call' && v.name.startsWith('regex:')) {
    const own = /^\/(.*)\/([a-z]*)$/s.exec(v.name.slice('regex:'.length))
    return own ? safeRegExp(own[1] as string, own[2]) : safeRegExp(v.name.slice('regex:'.length))
  }
  if (v?.v !== 'call' || !/^(RegExp|new RegExp)$/i.test(v.name)) return undefined
  const source = v.args[0]?.v === 'const' ? String(v.args[0].value) : undefined
  if (source === undefined) return undefined
  const literal = /^\/(.*)\/([a-z]*)$/s.exec(source)
  const flags = v.args[1]?.v === 'const' ? String(v.args[1].value ?? '') : ''
  return literal ? safeRegExp(literal[1] as string, literal[2]) : safeRegExp(source, flags)
}
