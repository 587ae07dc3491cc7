import type { Place } from '../../../lib/place.ts'
import { raise } from '../control-flow/throw.ts'
import { array, constant, constantString, type HostVal, isNullish, object, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { member, request } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { LEFT_PROVIDER } from '../libraries/auth/framework-provider.ts'
import { bag } from '../modules/entry-parameters.ts'
import { native } from '../native.ts'
import { callValue, maybe, unknownCall } from '../operations.ts'
import { applicationOf } from './app-settings.ts'
import { forwardedHeader, headerSlot } from './forwarded-headers.ts'
import { host, type Part } from './host-value.ts'
import { responseCall } from './response-methods.ts'
import { respond, statusIn } from './responses.ts'
import { sessionCall, sessionHost, sessionMember } from './session-object.ts'

/** Names under which an identity is left on a request or context by convention. */
const IDENTITY_NAME_ON_REQUEST = /^(?:user|session|auth|userId|user_id|currentUser|account|token|jwt|supabaseUser|viewer|principal|uid)$/i

/** Clients of hosted identity providers that a framework's module leaves on the context: `event.context.kinde.getUserProfile()`. */
const PROVIDER = /^(?:kinde|logto|workos|auth0|descope|stytch|propelauth)(?:_?(?:client|auth))?$/i

/** The method of the request; a constant when the entry is for one. */
function requestMethod(it: Interpreter): Val {
  return it.request?.method === undefined ? { v: 'call', name: 'request.method', args: [] } : constant(it.request.method)
}

/** The path of the request; a constant when the entry says which. Other parts of the address stay the caller's choice. */
function requestUrl(it: Interpreter, name?: string): Val {
  return it.request?.path !== undefined && (name === undefined || name === 'pathname')
    ? constant(it.request.path)
    : name === undefined
      ? request('url')
      : request('url', name)
}

/** `of.name` of a framework's object. */
export function hostMember(it: Interpreter, of: HostVal, name: string, at: Place): Val {
  switch (of.host) {
    case 'request':
      switch (name) {
        case 'headers':
          return host('headers', 'header')
        case 'cookies':
          return host('cookies', 'cookie')
        case 'url':
          return request('url')
        case 'nextUrl':
          return host('url', 'url')
        case 'method':
          return requestMethod(it)
        case 'body':
          return request('raw-body')
        case 'ip':
        case 'geo':
          return request('ip')
        default:
          return { v: 'call', name: `request.${name}`, args: [request('whole')] }
      }
    case 'url':
      if (name === 'searchParams') return host('search-params', 'query')
      return requestUrl(it, name)
    case 'express-req':
      switch (name) {
        case 'body':
          return request('body')
        case 'query':
          return request('query')
        case 'params':
          return request('params')
        case 'headers':
        case 'header':
          return request('header')
        case 'cookies':
        case 'signedCookies':
          return request('cookie')
        case 'rawBody':
          return request('raw-body')
        case 'ip':
        case 'ips':
        case 'hostname':
          return request('ip')
        case 'url':
        case 'originalUrl':
        case 'path':
          return requestUrl(it)
        case 'method':
          return requestMethod(it)
        case 'file':
        case 'files':
          return request('form', name)
        case 'raw':
        case 'req':
          return of
        case 'app':
          return applicationOf(it)
        case 'server':
        case 'log':
          return UNKNOWN
        case 'session':
          return stored(of, name, () => sessionHost('req.session', 'verified'))
        case 'isAuthenticated':
          // passport's method, which is there for everybody: it has to be called
          return stored(of, name, () => native(name, (inner, args, place) => hostCall(inner, of, name, args, place) ?? UNKNOWN))
        default:
          // passport and own middleware that was not followed leave the identity here; where it is asked for before it is replaced, it was there
          return IDENTITY_NAME_ON_REQUEST.test(name) ? stored(of, name, () => left('req', name)) : { v: 'call', name: `req.${name}`, args: [] }
      }
    case 'express-res':
      if (name === 'locals') return stored(of, name, () => bag('locals'))
      return { v: 'chain', root: of, links: [{ name }], at }
    case 'hono-context':
      if (name === 'req') return stored(of, name, () => host('hono-req', 'whole'))
      if (name === 'env') return { v: 'global', name: 'process.env' }
      if (name === 'var') return stored(of, name, () => bag('c'))
      return { v: 'call', name: `c.${name}`, args: [] }
    case 'hono-req':
      if (name === 'raw') return host('request', 'whole')
      if (name === 'url' || name === 'path') return name === 'path' ? requestUrl(it) : request('url')
      if (name === 'method') return requestMethod(it)
      return { v: 'call', name: `c.req.${name}`, args: [] }
    case 'koa-context':
      if (name === 'request' || name === 'req') return host('express-req', 'whole')
      if (name === 'state') return stored(of, name, () => bag('state'))
      if (name === 'session') return stored(of, name, () => sessionHost('ctx.session', 'verified'))
      if (name === 'params' || name === 'query') return request(name)
      if (name === 'headers' || name === 'header') return request('header')
      return { v: 'call', name: `ctx.${name}`, args: [] }
    case 'kit-event':
    case 'astro-context':
      if (name === 'url') return host('url', 'url')
      if (name === 'params') return request('params')
      if (name === 'clientAddress' || name === 'getClientAddress') return request('ip')
      if (name === 'event') return of
      if (name === 'fetch' && of.host === 'kit-event') return { v: 'global', name: 'fetch' }
      if (name === 'route' && of.host === 'kit-event') return object({ id: request('url', 'route.id') })
      return { v: 'call', name: `event.${name}`, args: [] }
    case 'h3-event':
      if (name === 'headers') return host('headers', 'header')
      if (name === 'path') return requestUrl(it)
      if (name === 'node') return object({ req: host('express-req', 'whole'), res: host('express-res') })
      if (name === 'method') return requestMethod(it)
      return { v: 'call', name: `event.${name}`, args: [] }
    case 'lambda-event':
      switch (name) {
        case 'body':
          return request('raw-body')
        case 'headers':
        case 'multiValueHeaders':
          return request('header')
        case 'queryStringParameters':
        case 'multiValueQueryStringParameters':
          return request('query')
        case 'pathParameters':
          return request('params')
        case 'httpMethod':
          return requestMethod(it)
        default:
          return request('whole', name)
      }
    case 'headers':
      return it.header(name, at)
    case 'cookies':
      return request('cookie', name)
    case 'search-params':
    case 'form-data':
      return request(of.part ?? 'form', name)
    case 'session':
      return sessionMember(of, name, at)
    default:
      if (of.host.startsWith('bag:')) return bagMember(it, of, name)
      return { v: 'call', name: `${of.host}.${name}`, args: [] }
  }
}

function stored(of: HostVal, name: string, make: () => Val): Val {
  const known = of.props.vars.get(name)
  if (known) return known
  const made = make()
  of.props.vars.set(name, made)
  return made
}

/** `locals.user` that no followed middleware set: an identity by convention, established somewhere that was not followed. */
function bagMember(_it: Interpreter, of: HostVal, name: string): Val {
  const where = of.host.slice(4)
  // h3 leaves the parameters of the path there
  if (name === 'params') return request('params')
  // by custom the context of a procedure holds the request, or its headers
  if (where === 'ctx' && /^req(?:uest)?$/.test(name)) return host('request', 'whole')
  if (where === 'ctx' && name === 'headers') return host('headers', 'header')
  if (PROVIDER.test(name)) return { v: 'lib', pkg: LEFT_PROVIDER, name }
  return IDENTITY_NAME_ON_REQUEST.test(name) ? left(where, name) : { v: 'call', name: `${where}.${name}`, args: [] }
}

/** An identity that something left on a request or context. */
function left(where: string, name: string): Val {
  return { v: 'caller', how: `${where}.${name}`, trust: 'verified', ...(/id$/i.test(name) ? { field: 'id' } : {}) }
}

/** A method of a framework's object; undefined when it has no such method. */
export function hostCall(it: Interpreter, of: HostVal, name: string, args: readonly Val[], at: Place): Val | undefined {
  const key = () => constantString(args[0])
  const named = (part: Part) => request(part, key())
  switch (of.host) {
    case 'request':
      switch (name) {
        case 'json':
          return request('body')
        case 'formData':
          return host('form-data', 'form')
        case 'text':
        case 'arrayBuffer':
        case 'blob':
        case 'bytes':
          return request('raw-body')
        case 'clone':
          return of
      }
      return undefined
    case 'headers':
    case 'cookies':
    case 'kit-cookies':
      switch (name) {
        case 'get': {
          // what a wrapper put there for the handler (`headers.set('x-user-id', user.id)`)
          const slot = headerSlot(key() ?? '')
          const own = of.props.vars.get(slot) ?? of.props.parent?.vars.get(slot) ?? (of.host === 'headers' ? forwardedHeader(it, key()) : undefined)
          if (own) return of.host === 'cookies' ? object({ value: own }, own) : it.narrow(own)
          // SvelteKit's gives the text itself
          if (of.host === 'kit-cookies') return named('cookie')
          return of.host === 'cookies' ? object({ value: named('cookie'), name: args[0] ?? UNKNOWN }, named('cookie')) : headerCalled(it, key(), at)
        }
        case 'has':
          return named(of.part ?? 'header')
        case 'getAll':
          return array([], request(of.part ?? 'header'))
        case 'set':
        case 'delete':
        case 'append':
          if (key() && (name !== 'delete' || of.host === 'headers'))
            it.write(of.props, headerSlot(key() ?? ''), name === 'delete' ? UNDEFINED : (args[1] ?? UNDEFINED))
          if (of.host !== 'headers') it.emit({ kind: 'cookie', name: `cookies.${name}`, args }, at)
          return UNDEFINED
        case 'forEach': {
          const each = args[0]
          if (each?.v === 'fn') maybe(it, () => callValue(it, each, [request(of.part ?? 'header'), UNKNOWN], at))
          return UNDEFINED
        }
        case 'entries':
          return request(of.part ?? 'header')
      }
      return undefined
    case 'search-params':
    case 'form-data':
      if (name === 'get' || name === 'getAll' || name === 'has') return named(of.part ?? 'form')
      if (name === 'entries' || name === 'forEach' || name === 'keys' || name === 'values' || name === 'toString') return request(of.part ?? 'form')
      return UNDEFINED
    case 'url':
      return name === 'clone' ? of : request('url')
    case 'express-req':
      if (name === 'get' || name === 'header') return headerCalled(it, key(), at)
      if (name === 'json') return request('body')
      if (name === 'text') return request('raw-body')
      if (name === 'param') return request('params', key())
      if (name === 'jwtVerify') {
        const step = it.emit({ kind: 'identify', how: 'fastify-jwt', trust: 'verified' }, at)
        const user: Val = { v: 'caller', how: 'fastify-jwt', trust: 'verified', step, at }
        it.require(user, at)
        it.write(of.props, 'user', user)
        return user
      }
      if (name === 'isAuthenticated') {
        const step = it.emit({ kind: 'identify', how: 'passport', trust: 'verified' }, at)
        return { v: 'caller', how: 'passport', trust: 'verified', step, at }
      }
      return undefined
    case 'express-res':
      return ended(it, responseCall(it, of, name, args, at), at)
    case 'hono-context':
      switch (name) {
        case 'json':
        case 'text':
        case 'html':
        case 'body':
          return {
            v: 'response',
            how: name === 'json' ? 'json' : 'other',
            status: statusArgument(it, args[1], at) ?? statusIn(of.props.vars.get('$status')) ?? 200,
            ...(args[0] ? { body: args[0] } : {}),
            at,
          }
        case 'redirect':
          return { v: 'response', how: 'redirect', status: statusArgument(it, args[1], at) ?? 302, ...(args[0] ? { body: args[0] } : {}), at }
        case 'notFound':
          return { v: 'response', how: 'not-found', status: 404, at }
        case 'get': {
          const n = key()
          if (!n) return UNKNOWN
          const vars = stored(of, 'var', () => bag('c')) as HostVal
          return vars.props.vars.get(n) ?? hostMember(it, vars, n, at)
        }
        case 'set': {
          const n = key()
          const vars = stored(of, 'var', () => bag('c')) as HostVal
          if (n) it.write(vars.props, n, args[1] ?? UNDEFINED)
          return UNDEFINED
        }
        case 'status':
          // kept by the context until something answers
          it.write(of.props, '$status', args[0] ?? UNKNOWN)
          return UNDEFINED
        case 'header':
          return UNDEFINED
      }
      return undefined
    case 'hono-req':
      switch (name) {
        case 'json':
        case 'parseBody':
        case 'valid':
          return key() === 'query' ? request('query') : key() === 'param' ? request('params') : request('body')
        case 'text':
        case 'arrayBuffer':
          return request('raw-body')
        case 'param':
          return request('params', key())
        case 'query':
        case 'queries':
          return request('query', key())
        case 'header':
          return headerCalled(it, key(), at)
        case 'formData':
          return host('form-data', 'form')
      }
      return undefined
    case 'koa-context':
      if (name === 'throw') return throwResponse(it, args, at)
      if (name === 'get') return headerCalled(it, key(), at)
      if (name === 'redirect') return respond(it, 'redirect', 302, args[0], at)
      return undefined
    case 'kit-event':
    case 'astro-context':
      if (name === 'redirect')
        return { v: 'response', how: 'redirect', status: statusArgument(it, args[1], at) ?? 302, ...(args[0] ? { body: args[0] } : {}), at }
      if (name === 'getClientAddress') return request('ip')
      if (name === 'fetch') {
        const step = it.emit({ kind: 'http', name: 'fetch', args }, at)
        return { v: 'result', step }
      }
      return undefined
    case 'nest-context': {
      // `context.switchToHttp().getRequest()`, GraphQL's `getContext().req`
      const incoming = of.props.vars.get('$request') ?? UNKNOWN
      if (name === 'switchToHttp') return of
      if (name === 'getRequest') return incoming
      if (name === 'getContext') return object({ req: incoming, request: incoming })
      return name === 'getType' ? constant('http') : UNKNOWN
    }
    case 'session':
      return sessionCall(it, of, name, args, at)
    default:
      if (of.host.startsWith('bag:')) {
        const value = bagMember(it, of, name)
        if (value.v === 'caller') {
          // `locals.auth()`, `locals.safeGetSession()`
          const step = it.emit({ kind: 'identify', how: `${of.host.slice(4)}.${name}`, trust: 'verified' }, at)
          return { ...value, step, at }
        }
        if (/^(?:safe)?get(?:User|Session|Auth)$|^(?:validate|getSession|auth)/i.test(name)) {
          const step = it.emit({ kind: 'identify', how: `${of.host.slice(4)}.${name}`, trust: /^getSession$/.test(name) ? 'unverified' : 'verified' }, at)
          const user: Val = { v: 'caller', how: `${of.host.slice(4)}.${name}`, trust: /^getSession$/.test(name) ? 'unverified' : 'verified', step, at }
          return object({ user, session: user }, user)
        }
        return unknownCall(it, `${of.host.slice(4)}.${name}`, undefined, args, at)
      }
      return undefined
  }
}

const headerCalled = (it: Interpreter, name: string | undefined, at: Place): Val => (name === undefined ? request('header') : it.header(name.toLowerCase(), at))

function statusArgument(it: Interpreter, arg: Val | undefined, at: Place): number | undefined {
  if (!arg || isNullish(arg)) return undefined
  if (arg.v === 'const' && typeof arg.value === 'number') return arg.value
  if (arg.v === 'object') return statusIn(member(it, arg, 'status', at))
  return undefined
}

function throwResponse(it: Interpreter, args: readonly Val[], at: Place): Val {
  const status = statusIn(args[0])
  it.require(constant(false), at)
  return { v: 'response', how: 'other', ...(status !== undefined ? { status } : {}), at }
}

/** In a hook of Fastify, what has been answered is the end of the request. */
function ended(it: Interpreter, answer: Val | undefined, at: Place): Val | undefined {
  return it.sendingEnds && answer?.v === 'response' && answer.sent ? raise(it, answer, at) : answer
}
