import type { Place } from '../../lib/place.ts'
import { safeRegExp } from '../frameworks/path-pattern.ts'
import {
  array,
  type Cond,
  constant,
  type FunctionVal,
  isDigest,
  isNullish,
  native,
  type ObjectVal,
  object,
  op,
  stringOf,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Val,
} from './abstract-value.ts'
import { text } from './evaluate.ts'
import { raise } from './execute.ts'
import { host } from './host-value.ts'
import { type Interpreter, SIGNALS, type WayOut } from './interpreter.ts'
import { cryptoCall } from './libraries/crypto.ts'
import { mapCaller, mapEntry, mapWith } from './maps.ts'
import { elementOf, index, member, request } from './members.ts'
import { callFunction, callValue, maybe, settle } from './operations.ts'
import { answeredWith, statusIn } from './responses.ts'
import { Scope } from './scope.ts'
import { decodedToken } from './token-claims.ts'
import { matchUrl, urlPattern } from './url-pattern.ts'

const PASS_THROUGH = new Set([
  'decodeURIComponent',
  'encodeURIComponent',
  'decodeURI',
  'encodeURI',
  'atob',
  'btoa',
  'structuredClone',
  'Object.freeze',
  'Object.seal',
  'Array.from',
  'String',
  'Promise.resolve',
  'queueMicrotask',
  'Object',
  'escape',
  'unescape',
  'toRaw',
  'unref',
])
const CALLBACKS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'EdgeRuntime.waitUntil', 'process.nextTick'])

/** Calls of names that the runtime defines; undefined for names that it does not. */
export function builtinCall(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
  const first = args[0] ?? UNDEFINED
  if (PASS_THROUGH.has(name)) {
    if (first.v === 'const' && name === 'String') return constant(String(first.value))
    if (/^(?:atob|decodeURI)/.test(name)) it.hazards++
    return /^(?:atob|btoa|decodeURIComponent)$/.test(name) && first.v !== 'const' ? first : settle(it, first, at)
  }
  if (CALLBACKS.has(name)) {
    if (first.v === 'fn') maybe(it, () => settle(it, callFunction(it, first, [], at), at))
    return UNKNOWN
  }
  if (name.startsWith('console.')) {
    it.emit({ kind: 'log', name, args }, at)
    return UNDEFINED
  }
  switch (name) {
    case 'Promise.all':
    case 'Promise.allSettled':
    case 'Promise.race':
    case 'Promise.any': {
      if (first.v !== 'array') return settle(it, first, at)
      const items = first.items.map((x) => settle(it, x, at))
      if (name === 'Promise.race' || name === 'Promise.any') {
        // a time limit gives no value: it only rejects
        const values = items.filter((x) => x !== NEVER)
        return values.length ? it.alternatives(values.map((value) => ({ value, under: [] }))) : UNKNOWN
      }
      return name === 'Promise.all'
        ? array(items, first.more)
        : array(
            items.map((value) => object({ value, status: UNKNOWN })),
            first.more,
          )
    }
    case 'fetch':
    case '$fetch':
    case 'useFetch':
      return fetchCall(it, name, args, at)
    case 'Number':
    case 'parseInt':
    case 'parseFloat':
    case 'BigInt':
    case 'Number.parseInt':
    case 'Number.parseFloat':
    case 'Math.floor':
    case 'Math.round':
    case 'Math.abs':
    case 'Math.trunc':
    case 'Math.ceil':
      if (first.v === 'const') return constant(typeof first.value === 'string' ? it.askOf(first.value, Number) : Number(first.value))
      return first.v === 'request' ? { ...first, as: 'number' } : { v: 'call', name: 'Number', args: [first], at }
    case 'Math.max':
    case 'Math.min':
      return { v: 'call', name: 'Number', args, at }
    case 'Boolean':
      return op('!', op('!', first))
    case 'Reflect.get':
      return index(it, first, args[1] ?? UNKNOWN, at)
    case 'Array.isArray':
      return first.v === 'array' ? constant(true) : first.v === 'object' || first.v === 'const' ? constant(false) : op('isArray', first)
    case 'Object.keys':
      if (first.v === 'object' && !first.rest) return array(Object.keys(first.props).map((k) => constant(k)))
      return { v: 'call', name, args, at }
    case 'Object.values':
      if (first.v === 'object' && !first.rest) return array(Object.values(first.props))
      return { v: 'call', name, args, at }
    case 'Object.entries':
      if (first.v === 'object' && !first.rest) return array(Object.entries(first.props).map(([k, x]) => array([constant(k), x])))
      return { v: 'call', name, args, at }
    case 'Object.fromEntries':
      return first.v === 'host' ? request(first.part ?? 'form') : first.v === 'request' ? first : { v: 'call', name, args, at }
    case 'Object.assign': {
      let props: Record<string, Val> = {}
      let rest: Val | undefined
      for (const a of args) {
        if (a.v === 'object') {
          props = { ...props, ...a.props }
          rest = a.rest ?? rest
        } else if (a.v === 'host' || a.v === 'instance') return a
        else if (a.v !== 'const') rest = a
      }
      return object(props, rest)
    }
    case 'JSON.parse': {
      it.hazards++
      const claims = decodedToken(it, first)
      if (claims) return claims
      // `JSON.parse(body ?? '{}')`: of what is written in the code only an empty form is left
      const sent = first.v === 'any' ? first.alts.map((a) => a.value).filter((x) => x.v !== 'const') : []
      if (sent.length === 1 && sent[0]?.v === 'request') return builtinCall(it, name, sent, at)
      return first.v === 'request' && first.part === 'raw-body'
        ? { v: 'request', part: 'body' }
        : first.v === 'call' && first.name === 'JSON.stringify'
          ? (first.args[0] ?? UNKNOWN)
          : first.v === 'const'
            ? UNKNOWN
            : first
    }
    case 'JSON.stringify':
      return { v: 'call', name, args: args.slice(0, 1), at }
    case 'Array':
      return newArray(args)
    case 'Buffer.from':
    case 'Uint8Array.from':
      return first.v === 'request' ? first : { v: 'call', name: 'Buffer.from', args, at }
    case 'Buffer.concat':
      return { v: 'call', name, args, at }
    case 'Deno.env.get':
    case 'Netlify.env.get': {
      const n = stringOf(first)
      return n === undefined ? { v: 'env', name: '*' } : { v: 'env', name: n }
    }
    case 'Deno.serve':
    case 'serve':
    case 'addEventListener':
      return UNDEFINED
    case 'Response.json':
      return { v: 'response', how: 'json', ...answeredWith(args[1], 200), body: first, at }
    case 'Response.redirect':
      return { v: 'response', how: 'redirect', status: statusIn(args[1]) ?? 302, body: first, at }
    case 'Response.error':
      return { v: 'response', how: 'other', status: 500, at }
    case 'Symbol':
    case 'Date.now':
    case 'Math.random':
    case 'performance.now':
      return { v: 'call', name, args: [], at }
    case 'require':
      return first.v === 'const' && typeof first.value === 'string' ? { v: 'lib', pkg: first.value.replace(/^node:/, ''), name: '*' } : UNKNOWN
    case 'process.exit':
      it.ending({ ends: true, how: 'throw' })
      return UNDEFINED
  }
  if (name.startsWith('crypto.') || name.startsWith('globalThis.crypto.'))
    return cryptoCall(it, name.replace(/^globalThis\./, '').slice('crypto.'.length), args, at)
  return nuxtAutoImport(it, name, args, at)
}

function fetchCall(it: Interpreter, name: string, args: readonly Val[], at: Place): Val {
  const step = it.emit({ kind: 'http', name, args }, at)
  return { v: 'result', step }
}

/** Functions that Nuxt and Nitro put in scope without an import. */
function nuxtAutoImport(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
  return NITRO.has(name) ? h3Call(it, name, args, at) : undefined
}

const NITRO = new Set([
  'defineEventHandler',
  'eventHandler',
  'defineCachedEventHandler',
  'cachedEventHandler',
  'defineCachedFunction',
  'cachedFunction',
  'defineRequestMiddleware',
  'defineResponseMiddleware',
  'defineLazyEventHandler',
  'lazyEventHandler',
  'toWebRequest',
  'readBody',
  'useBody',
  'readValidatedBody',
  'readRawBody',
  'readFormData',
  'readMultipartFormData',
  'getQuery',
  'getValidatedQuery',
  'getRouterParam',
  'getRouterParams',
  'getValidatedRouterParams',
  'getHeader',
  'getHeaders',
  'getRequestHeader',
  'getRequestHeaders',
  'getCookie',
  'parseCookies',
  'setCookie',
  'deleteCookie',
  'getRequestURL',
  'getRequestIP',
  'createError',
  'sendError',
  'sendRedirect',
  'navigateTo',
  'useRuntimeConfig',
  'setResponseStatus',
  'send',
  'sendNoContent',
  'setHeader',
  'setResponseHeader',
  'defineNitroPlugin',
  'defineNuxtRouteMiddleware',
  'getMethod',
  'useState',
  'ref',
  'shallowRef',
  'useSupabaseUser',
  'useUserSession',
  'getUserSession',
  'requireUserSession',
])

/** h3's functions, imported or not. */
export function h3Call(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
  const second = stringOf(args[1])
  switch (name) {
    case 'defineEventHandler':
    case 'eventHandler':
    case 'defineCachedEventHandler':
    case 'cachedEventHandler':
    case 'defineNuxtRouteMiddleware':
      return args[0]?.v === 'object' ? handlerWithHooks(args[0]) : (args[0] ?? UNKNOWN)
    case 'defineCachedFunction':
    case 'cachedFunction':
    case 'defineRequestMiddleware':
    case 'defineResponseMiddleware':
      return args[0] ?? UNKNOWN
    case 'defineLazyEventHandler':
    case 'lazyEventHandler':
      return args[0] ? settle(it, callValue(it, args[0], [], at), at) : UNKNOWN
    case 'toWebRequest':
      return host('request', 'whole')
    case 'readBody':
    case 'useBody':
      return request('body')
    case 'readValidatedBody':
      return validated(it, args[1], request('body'), at)
    case 'readRawBody':
      return request('raw-body')
    case 'readFormData':
    case 'readMultipartFormData':
      return host('form-data', 'form')
    case 'getQuery':
      return request('query')
    case 'getValidatedQuery':
      return validated(it, args[1], request('query'), at)
    case 'getRouterParam':
      return request('params', second)
    case 'getRouterParams':
      return request('params')
    case 'getValidatedRouterParams':
      return validated(it, args[1], request('params'), at)
    case 'getHeader':
    case 'getRequestHeader':
      return request('header', second)
    case 'getHeaders':
    case 'getRequestHeaders':
      return request('header')
    case 'getCookie':
      return request('cookie', second)
    case 'parseCookies':
      return request('cookie')
    case 'getRequestURL':
      return host('url', 'url')
    case 'getRequestIP':
      return request('ip')
    case 'getMethod':
      return it.request?.method === undefined ? { v: 'call', name: 'request.method', args: [] } : constant(it.request.method)
    case 'createError': {
      const status = args[0]?.v === 'object' ? (statusIn(member(it, args[0], 'statusCode', at)) ?? statusIn(member(it, args[0], 'status', at))) : undefined
      return { v: 'response', how: 'other', ...(status !== undefined ? { status } : { status: 500 }), ...(args[0] ? { body: args[0] } : {}), at }
    }
    case 'sendRedirect':
    case 'navigateTo':
      return {
        v: 'response',
        how: 'redirect',
        status: 302,
        ...(args[name === 'sendRedirect' ? 1 : 0] ? { body: args[name === 'sendRedirect' ? 1 : 0] as Val } : {}),
        at,
      }
    case 'sendError':
      return args[1] ?? UNKNOWN
    case 'useRuntimeConfig':
      return { v: 'env', name: 'runtimeConfig' }
    case 'ref':
    case 'shallowRef':
      return object({ value: args[0] ?? UNDEFINED })
    case 'useState': {
      const first = args.find((a) => a.v === 'fn' || a.v === 'native')
      return object({ value: first ? callValue(it, first, [], at) : UNDEFINED })
    }
    case 'useSupabaseUser': {
      const user: Val = { v: 'caller', how: name, trust: 'verified', step: it.emit({ kind: 'identify', how: name, trust: 'verified' }, at), at }
      return object({ value: user })
    }
    case 'useUserSession':
    case 'getUserSession':
    case 'requireUserSession': {
      // nuxt-auth-utils: the session is sealed in the cookie
      const user: Val = { v: 'caller', how: name, trust: 'verified', step: it.emit({ kind: 'identify', how: name, trust: 'verified' }, at), at }
      if (name === 'requireUserSession') it.require(user, at, { ends: true, how: 'throw', status: 401 })
      return name === 'useUserSession'
        ? object({ loggedIn: object({ value: user }), user: object({ value: user }), session: object({ value: user }) })
        : object({ user }, user)
    }
    case 'setResponseStatus':
      it.lastRespond = { how: 'respond', ...(statusIn(args[1]) !== undefined ? { status: statusIn(args[1]) as number } : {}) }
      return UNDEFINED
    default:
      return UNDEFINED
  }
}

/** `{ onRequest: [auth], handler }`: the hooks run first and refuse by throwing. */
function handlerWithHooks(options: ObjectVal): Val {
  const { handler = UNKNOWN, onRequest } = options.props
  if (!onRequest) return handler
  return native('handler', (it, args, at) => {
    for (const hook of onRequest.v === 'array' ? onRequest.items : [onRequest]) settle(it, callValue(it, hook, args, at), at)
    return callValue(it, handler, args, at)
  })
}

/** What a validator (`schema.parse`, a function of its own) gives for a value of the request. */
function validated(it: Interpreter, validator: Val | undefined, value: Val, at: Place): Val {
  if (!validator || (validator.v !== 'fn' && validator.v !== 'native' && validator.v !== 'chain')) return value
  const result = settle(it, callValue(it, validator, [value], at), at)
  return result.v === 'object' || result.v === 'array' || result.v === 'request' ? result : value
}

/** `Array(24)` has as many empty places, whatever is written into them later. */
function newArray(args: readonly Val[]): Val {
  const [first] = args
  return args.length === 1 && first && !(first.v === 'const' && typeof first.value !== 'number') ? array([], UNDEFINED) : array(args)
}

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
      return first.v === 'request' ? host('search-params', 'query') : { v: 'call', name: 'URLSearchParams', args, at }
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
      return first.v === 'array' ? first : isNullish(first) ? array([]) : { v: 'call', name, args, at }
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
      return UNKNOWN
  }
  if (/Error$/.test(name)) {
    const options = args[1]?.v === 'object' ? args[1].props : {}
    return object({ ...options, message: first, name: constant(name), $error: constant(name) })
  }
  if (name === 'Uint8Array' && args[0] && isDigest(args[0])) return args[0]
  if (name === 'WebSocket' || name === 'TextEncoder' || name === 'TextDecoder' || name === 'Uint8Array')
    return { v: 'call', name, args: name === 'Uint8Array' ? args : [], at }
  return { v: 'call', name, args, at }
}

/** What a promise gives that is never fulfilled. */
const NEVER: Val = { v: 'call', name: 'never', args: [] }

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
    settled.push({ value, pc: run.pc, narrowed: run.narrowed })
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
  return settled.length ? it.comeBack(settled) : NEVER
}

/** What a filter leaves of a list written in the code: how many items there are is known only when every test is. */
function kept(it: Interpreter, items: readonly Val[], test: (item: Val) => Val): Val {
  const tests = items.map((x) => truth(mapOnce(it, () => test(x))))
  const sure = items.filter((_, i) => tests[i] === true)
  const open = items.filter((_, i) => tests[i] === undefined)
  return open.length ? array(sure, it.alternatives(open.map((value) => ({ value, under: [] })))) : array(sure)
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

const SAME = new Set([
  'toString',
  'trim',
  'trimStart',
  'trimEnd',
  'valueOf',
  'toLowerCase',
  'toUpperCase',
  'normalize',
  'toLocaleLowerCase',
  'toJSON',
  'at',
  'flat',
  'reverse',
  'sort',
  'toSorted',
  'copy',
  'unwrap',
  'values',
])
const TESTS = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'has',
  'equals',
  'hasOwnProperty',
  'some',
  'every',
  'indexOf',
  'localeCompare',
  'isAfter',
  'isBefore',
  'exists',
])

/** Methods of strings, arrays, maps and promises on abstract values; undefined when it is none of them. */
export function builtinMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place, changed?: (value: Val) => void): Val | undefined {
  const callback = args[0]
  const each = (value: Val) => settle(it, callValue(it, callback as Val, [value, UNKNOWN], at), at)
  const calls = callback?.v === 'fn' || callback?.v === 'native'
  if (of.v === 'const' && typeof of.value === 'string') {
    const folded = foldString(of.value, name, args)
    if (folded) return folded
  }
  if (of.v === 'call' && of.name.startsWith('regex:')) {
    if (name === 'test' || name === 'exec') {
      const text = args[0]?.v === 'const' && typeof args[0].value === 'string' ? args[0].value : undefined
      const literal = /^\/(.*)\/([a-z]*)$/s.exec(of.name.slice('regex:'.length))
      const re =
        text !== undefined && name === 'test' && text.length < 200
          ? literal
            ? safeRegExp(literal[1] as string, literal[2])
            : safeRegExp(of.name.slice('regex:'.length))
          : undefined
      if (!re || text === undefined) return op('matches', args[0] ?? UNKNOWN, of)
      return constant(it.askOf(text, (x) => re.test(x)))
    }
  }
  if (of.v === 'call' && of.name === 'URLPattern' && (name === 'test' || name === 'exec')) {
    const [url] = args
    const address = url?.v === 'request' && url.part === 'url' && url.name === undefined
    const matched = matchUrl(of, name, address && it.request?.path !== undefined ? constant(it.request.path) : url)
    if (matched) return matched
  }
  if (isNullish(of)) return UNDEFINED
  switch (name) {
    case 'map':
    case 'flatMap': {
      if (callback?.v === 'global' && /^(?:Number|parseInt|parseFloat|BigInt)$/.test(callback.name))
        return array([], { v: 'call', name: callback.name, args: [elementOf(it, of)], at })
      if (!calls) break
      if (of.v === 'array' && of.kept) {
        const { kept: asked, more = UNKNOWN } = of
        return {
          ...array(
            [],
            mapOnce(it, () => each(more), asked),
          ),
          kept: asked,
        }
      }
      if (of.v === 'array') {
        const items: Val[] = []
        if (of.items.length <= 12) for (const x of of.items) items.push(mapOnce(it, () => each(x)))
        else items.push(mapOnce(it, () => each(elementOf(it, of))))
        return array(items, of.more ? mapOnce(it, () => each(of.more as Val)) : undefined)
      }
      return array(
        [],
        mapOnce(it, () => each(elementOf(it, of))),
      )
    }
    case 'forEach':
      if (!calls) break
      maybe(it, () => each(elementOf(it, of)), of.v === 'array' ? of.kept : undefined)
      return UNDEFINED
    case 'filter': {
      const present = args[0]?.v === 'global' && args[0].name === 'Boolean'
      if ((calls || present) && of.v === 'array' && !of.more && of.items.length <= 40) return kept(it, of.items, present ? (x) => x : each)
      if (!calls) return of
      let test: Val = UNKNOWN
      const item = elementOf(it, of)
      maybe(it, () => {
        test = each(item)
      })
      if (of.v === 'array' && of.more) {
        const passed = it.assume(test, true, at)
        return passed ? { v: 'array', items: [], more: item, kept: [...(of.items.length ? [] : (of.kept ?? [])), ...passed.conds] } : array([])
      }
      // what is left of a list that the request carries is known by what was asked of each item
      return of.v === 'request' || (of.v === 'call' && /^(?:split|filter|slice)$/.test(of.name)) ? { v: 'call', name, args: [of, test], at } : of
    }
    case 'slice':
    case 'splice':
    case 'subarray':
      if (calls) maybe(it, () => each(elementOf(it, of)))
      return of.v === 'array' || of.v === 'row' ? of : { v: 'call', name, args: [of, ...args], at }
    case 'find':
    case 'findLast':
      if (calls) {
        let test: Val = UNKNOWN
        const item = elementOf(it, of)
        maybe(it, () => {
          test = each(item)
        })
        return it.alternatives([
          { value: item, under: [{ test, negated: false, at, otherwise: { ends: false } }] },
          { value: UNDEFINED, under: [] },
        ])
      }
      break
    case 'reduce':
      if (calls) {
        let value: Val = args[1] ?? UNKNOWN
        maybe(it, () => {
          value = settle(it, callValue(it, callback, [args[1] ?? UNKNOWN, elementOf(it, of), UNKNOWN], at), at)
        })
        return value
      }
      break
    case 'some':
    case 'every':
      if (calls && of.v === 'array' && !of.more && of.items.length <= 40 && of.items.every((x) => x.v === 'const' || x.v === 'call' || x.v === 'object')) {
        // a list written in the code: decided item by item, so that path tests of middleware have an answer
        const tests = of.items.map((x) => mapOnce(it, () => each(x)))
        const known = tests.map(truth)
        if (name === 'some' ? known.includes(true) : known.includes(false)) return constant(name === 'some')
        if (known.every((t) => t === (name !== 'some'))) return constant(name !== 'some')
        return tests.length === 1 ? (tests[0] as Val) : tests.reduce((a, b) => op(name === 'some' ? '||' : '&&', a, b))
      }
      if (calls) {
        let test: Val = UNKNOWN
        maybe(it, () => {
          test = each(elementOf(it, of))
        })
        // what no item can be, none is
        if (truth(test) === false && name === 'some') return constant(false)
        return { v: 'call', name, args: [of, test] }
      }
      break
    case 'push':
    case 'unshift':
    case 'add':
      if (of.v === 'array') {
        changed?.(array([...of.items, ...args].slice(0, 24), of.more))
        return UNKNOWN
      }
      if (name === 'add' && of.v === 'call' && of.name === 'Set') {
        changed?.({ ...of, args: [...(of.args.length ? of.args : [array([])]), ...args].slice(0, 24) })
        return UNKNOWN
      }
      break
    case 'fill':
      if (of.v === 'array') return array([], args[0] ?? UNDEFINED)
      break
    case 'concat':
      if (of.v === 'array') return array([...of.items, ...args.flatMap((a) => (a.v === 'array' ? a.items : [a]))], of.more)
      return text([of, ...args])
    case 'join':
      if (of.v === 'array') {
        const sep = args[0] ?? constant(',')
        const parts: Val[] = []
        of.items.forEach((x, i) => {
          parts.push(...(i ? [sep] : []), x)
        })
        if (of.more) parts.push({ v: 'call', name: 'join', args: [of.more], at })
        return text(parts)
      }
      return { v: 'call', name, args: [of, ...args], at }
    case 'split':
      return of.v === 'const' && typeof of.value === 'string' && args[0]?.v === 'const' && typeof args[0].value === 'string'
        ? array(of.value.split(args[0].value).map((x) => constant(x)))
        : { v: 'call', name, args: [of, ...args], at }
    case 'replace':
    case 'replaceAll':
      return { v: 'call', name, args: [of, ...args], at }
    case 'json':
      if (of.v === 'result' || of.v === 'response') return of.v === 'result' ? { ...of } : (of.body ?? UNKNOWN)
      break
    case 'get':
      if (of.v === 'object' && args[0]?.v === 'const') return member(it, of, String(args[0].value), at)
      if (of.v === 'request') return request(of.part, stringOf(args[0]) ?? of.name)
      if (of.v === 'call') return mapEntry(it, of, args[0]) ?? mapCaller(it, of, args[0], at)
      break
    case 'getAll':
      if (of.v === 'request') return of
      break
    case 'set':
    case 'append': {
      const filled = name === 'set' ? mapWith(of, args[0], args[1]) : undefined
      if (filled) changed?.(filled)
      if (filled) return filled
      if (of.v === 'call' && (of.name === 'Map' || of.name === 'FormData' || of.name === 'URLSearchParams')) return of
      break
    }
    case 'entries':
      return of
    case 'toISOString':
    case 'getTime':
    case 'toFixed':
      return { v: 'call', name, args: [of], at }
    case 'text':
    case 'blob':
    case 'arrayBuffer':
    case 'formData':
      if (of.v === 'result') return { ...of }
      if (of.v === 'request') return of
      break
  }
  if (TESTS.has(name)) {
    if (name === 'includes' && of.v === 'array' && args[0]?.v === 'const' && !of.more && of.items.every((x) => x.v === 'const'))
      return constant(of.items.some((x) => x.v === 'const' && x.value === (args[0] as { value: unknown }).value))
    if (name === 'equals') return op('===', of, args[0] ?? UNKNOWN)
    return { v: 'call', name, args: args.length ? [of, args[0] as Val] : [of] }
  }
  if (SAME.has(name)) return name === 'at' ? elementOf(it, of) : of
  if (
    of.v === 'request' ||
    of.v === 'row' ||
    of.v === 'caller' ||
    of.v === 'event' ||
    of.v === 'text' ||
    of.v === 'op' ||
    of.v === 'env' ||
    of.v === 'const' ||
    of.v === 'array' ||
    of.v === 'error'
  ) {
    if (calls) maybe(it, () => each(elementOf(it, of)))
    return { v: 'call', name, args: [of, ...args], at }
  }
  if (of.v === 'response') return name === 'set' || name === 'header' ? of : UNKNOWN
  if (of.v === 'result') return { v: 'call', name, args: [of, ...args], at }
  return undefined
}

/** Once for a representative element; what it writes may or may not have happened, and it always comes back. */
function mapOnce(it: Interpreter, run: () => Val, asked?: readonly Cond[]): Val {
  let value: Val = UNKNOWN
  maybe(
    it,
    () => {
      value = run()
    },
    asked,
  )
  return value
}

function foldString(value: string, name: string, args: readonly Val[]): Val | undefined {
  const all = args.every((a) => a.v === 'const')
  if (!all) return undefined
  const a = (args as readonly { value: unknown }[]).map((x) => x.value)
  switch (name) {
    case 'toLowerCase':
      return constant(value.toLowerCase())
    case 'toUpperCase':
      return constant(value.toUpperCase())
    case 'trim':
      return constant(value.trim())
    case 'startsWith':
      return constant(value.startsWith(String(a[0])))
    case 'endsWith':
      return constant(value.endsWith(String(a[0])))
    case 'includes':
      return constant(value.includes(String(a[0])))
    case 'replace':
      return typeof a[0] === 'string' && typeof a[1] === 'string' ? constant(value.replace(a[0], () => String(a[1]))) : undefined
    case 'toString':
      return constant(value)
    default:
      return undefined
  }
}
