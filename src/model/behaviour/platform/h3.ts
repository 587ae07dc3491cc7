import type { Place } from '../../../lib/place.ts'
import { constant, constantString, type ObjectVal, object, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { member, request } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { native } from '../native.ts'
import { callValue, settle } from '../operations.ts'
import { host } from './host-value.ts'
import { statusIn } from './responses.ts'

/** Functions that Nuxt and Nitro put in scope without an import. */
export function nuxtAutoImport(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
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
  const second = constantString(args[1])
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
      return second === undefined ? request('header') : it.header(second, at)
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
