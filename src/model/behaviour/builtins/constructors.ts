import type { Place } from '../../../lib/place.ts'
import { SIGNALS } from '../control-flow/completion.ts'
import { raise } from '../control-flow/throw.ts'
import { array, constant, type FunctionVal, isDigestValue, isNullish, object, Scope, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { leavesOf } from '../domain/object-literal.ts'
import { identityIn } from '../identity/token-claims.ts'
import type { Interpreter, WayOut } from '../interpreter.ts'
import { native } from '../native.ts'
import { callFunction, settle } from '../operations.ts'
import { host } from '../platform/host-value.ts'
import { answeredWith } from '../platform/responses.ts'
import { urlPattern } from '../platform/url-pattern.ts'

/** `new Name(…)` of names that the runtime defines. */
export function builtinConstruct(it: Interpreter, name: string, args: readonly Val[], at: Place): Val {
  const first = args[0] ?? UNDEFINED
  switch (name) {
    case 'Response':
    case 'NextResponse': {
      const { status } = answeredWith(args[1], 200)
      return {
        v: 'response',
        how: status !== undefined && status >= 300 && status < 400 ? 'redirect' : first.v === 'call' && first.name === 'JSON.stringify' ? 'json' : 'other',
        ...(status === undefined ? {} : { status }),
        ...(isNullish(first) ? {} : { body: first.v === 'call' && first.name === 'JSON.stringify' ? (first.args[0] ?? first) : first }),
        at,
      }
    }
    case 'URL':
      it.hazards++
      if (first.v === 'request' || first.v === 'host') return seedlessUrl()
      return { v: 'call', name: 'URL', args, at }
    case 'URLPattern':
      return urlPattern(args[0])
    case 'URLSearchParams':
      // a body may be written like a query
      if (first.v === 'request' && (first.part === 'raw-body' || first.part === 'body')) return host('search-params', 'body')
      return identityIn(it, first) ?? (first.v === 'request' ? host('search-params', 'query') : { v: 'call', name: 'URLSearchParams', args, at })
    case 'Headers':
      if (first.v === 'host' && first.host === 'headers') return { ...first, props: new Scope('', first.props) }
      return first.v === 'host' || first.v === 'request' ? host('headers', 'header') : object(first.v === 'object' ? first.props : {})
    case 'Request':
      return derivedRequest(first, args[1]) ?? { v: 'call', name: 'Request', args, at }
    case 'Date':
    case 'FormData':
    case 'Map':
    case 'WeakMap':
    case 'AbortController':
      return { v: 'call', name, args, at }
    case 'Array':
      return newArray(args)
    case 'Set':
      if (first.v === 'array' || (first.v === 'any' && leavesOf(first).every(({ value }) => value.v === 'array'))) return first
      return isNullish(first) ? array([]) : { v: 'call', name, args, at }
    case 'Promise':
      return first.v === 'fn' ? promised(it, first, at) : UNKNOWN
    case 'Proxy': {
      // lazy clients: `new Proxy({}, { get: (_, key) => getClient()[key] })` behaves as what the getter reads from
      const get = args[1]?.v === 'object' ? args[1].props.get : undefined
      if (get?.v === 'fn') {
        const ir = it.program.function(get.path, get.id)
        const made = ir ? proxied(it, get, at) : undefined
        return made ?? UNKNOWN
      }
      return first
    }
    case 'Function':
      it.emit({ kind: 'exec', name: 'new Function', args }, at)
      it.gap(at, 'a text is run as code, which is not followed')
      return UNKNOWN
  }
  if (/Error$/.test(name)) {
    const options = args[1]?.v === 'object' ? args[1].props : {}
    return object({ ...options, message: first, name: constant(name), $error: constant(name) })
  }
  if (name === 'Uint8Array' && args[0] && isDigestValue(args[0])) return args[0]
  if (name === 'WebSocket' || name === 'TextEncoder' || name === 'TextDecoder' || name === 'Uint8Array')
    return { v: 'call', name, args: name === 'Uint8Array' ? args : [], at }
  return { v: 'call', name, args, at }
}

/** What a promise gives that is never fulfilled. */
export const NEVER_FULFILLED: Val = { v: 'call', name: 'never', args: [] }

/**
 * `new Promise((resolve, reject) => …)`, read as awaited where it is made: code after it runs only on the paths that
 * resolve, and a rejection throws. A promise that nothing is seen to resolve (timers that only reject) changes nothing.
 */
function promised(it: Interpreter, executor: FunctionVal, at: Place): Val {
  const settled: WayOut[] = []
  const outer = it.tries
  // the first settlement counts: what the executor does afterwards is left out, as after a return
  const resolve = native('resolve', (run, args, place) => {
    const value = settle(run, args[0] ?? UNDEFINED, place)
    settled.push({ value, pc: run.pc, narrowed: run.narrowed, writes: [] })
    run.ending({ ends: true, how: 'return' })
    throw SIGNALS.throw
  })
  const reject = native('reject', (run, args, place) => {
    run.tries = outer
    return raise(run, args[0] ?? UNKNOWN, place)
  })
  const { tries } = it
  const state = it.branch(undefined, () => {
    try {
      callFunction(it, executor, [resolve, reject], at)
    } finally {
      it.tries = tries
    }
  })
  it.keep(state.writes)
  return settled.length ? it.comeBack(settled) : NEVER_FULFILLED
}

function seedlessUrl(): Val {
  return host('url', 'url')
}

/** `new Request(request, { headers })`: the request, with headers that the server set. */
export function derivedRequest(first: Val, init: Val | undefined): Val | undefined {
  const headers = init?.v === 'object' ? init.props.headers : undefined
  if (headers?.v === 'host') return host('request', 'whole', { headers })
  return first.v === 'host' ? first : undefined
}

/** The object that a proxy's getter reads its key from. */
function proxied(it: Interpreter, get: Extract<Val, { v: 'fn' }>, at: Place): Val | undefined {
  const marker: Val = constant('\u0000key')
  const out = callFunction(it, get, [object({}), marker, UNKNOWN], at)
  const candidates = out.v === 'any' ? out.alts.map((a) => a.value) : [out]
  for (const c of candidates) {
    if (c.v === 'chain' && c.links.at(-1)?.name === '\u0000key') return c.links.length === 1 ? c.root : { ...c, links: c.links.slice(0, -1) }
    if (c.v === 'call' && c.args[0] && c.args[0].v === 'chain' && c.args[0].links[0]?.name === '\u0000key') return c.args[0].root
  }
  return undefined
}

/** `Array(24)` has as many empty places, whatever is written into them later. */
export function newArray(args: readonly Val[]): Val {
  const [first] = args
  return args.length === 1 && first && !(first.v === 'const' && typeof first.value !== 'number') ? array([], UNDEFINED) : array(args)
}
