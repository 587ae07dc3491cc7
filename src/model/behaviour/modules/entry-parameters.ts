import type { Place } from '../../../lib/place.ts'
import { type HostVal, object, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { request } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { native } from '../native.ts'
import { host } from '../platform/host-value.ts'
import { respond, statusIn } from '../platform/responses.ts'
import type { Seed } from '../types.ts'

/** The value of a handler's parameter. `next` runs what follows in the chain of middleware. */
export function seedValue(seed: Seed, next?: (it: Interpreter, args: readonly Val[], at: Place) => Val, shared: Map<string, HostVal> = new Map()): Val {
  if (typeof seed !== 'string') return seed as Val
  const same = shared.get(seed)
  if (same) return same
  const made = makeSeed(seed, next, shared)
  if (made.v === 'host' && seed !== 'next-function') shared.set(seed, made)
  return made
}

function makeSeed(
  seed: Extract<Seed, string>,
  next: ((it: Interpreter, args: readonly Val[], at: Place) => Val) | undefined,
  shared: Map<string, HostVal>,
): Val {
  const webRequest = () => shared.get('web-request') ?? seedValue('web-request', next, shared)
  const goOn = native('next', (it, args, at) => {
    if (next && !(args[0] && args[0].v !== 'const' && args[0].v !== 'host' && args[0].v !== 'request')) return next(it, args, at)
    if (args[0] && args[0].v !== 'const' && args[0].v !== 'host') return respond(it, 'other', errorStatus(args[0]) ?? 500, args[0], at)
    return respond(it, 'next', undefined, undefined, at)
  })
  // `next({ ctx })`: what is handed on is what the handler sees. What follows runs once, when the middleware is through, however many ways lead on.
  const goOnWith = (name: string) =>
    native('next', (it, args, at) => {
      const given = args[0]?.v === 'object' ? args[0].props[name] : undefined
      const bagged = sharedBag(name, shared)
      if (given?.v === 'object') for (const [n, v] of Object.entries(given.props)) it.write(bagged.props, n, v)
      return next ? { v: 'response', how: 'next', at, sent: true } : respond(it, 'next', undefined, undefined, at)
    })
  switch (seed) {
    case 'web-request':
      return host('request', 'whole')
    case 'next-context':
      return object({ params: request('params'), searchParams: request('query') })
    case 'express-req':
    case 'fastify-request':
      return host('express-req', 'whole')
    case 'express-res':
      return host('express-res')
    case 'fastify-reply':
      return host('express-res')
    case 'next-function':
      return goOn
    case 'hono-context':
      return host('hono-context', 'whole', { next: goOn })
    case 'koa-context':
      return host('koa-context', 'whole')
    case 'kit-event':
      return host('kit-event', 'whole', { request: webRequest(), locals: bag('locals'), cookies: host('kit-cookies', 'cookie') })
    case 'kit-handle':
      return object({ event: seedValue('kit-event', next, shared), resolve: goOn })
    case 'h3-event':
      return host('h3-event', 'whole', { context: bag('context') })
    case 'astro-context':
      return host('astro-context', 'whole', { request: webRequest(), locals: bag('locals'), cookies: host('cookies', 'cookie') })
    case 'remix-args':
      return object({ request: webRequest(), params: request('params'), context: bag('context') })
    case 'pages-context':
      return object({
        req: seedValue('express-req', next, shared),
        res: seedValue('express-res', next, shared),
        params: request('params'),
        query: request('query'),
      })
    case 'trpc-options':
      return object({ ctx: sharedBag('ctx', shared), input: acceptedInput(shared), next: goOnWith('ctx'), getRawInput: UNKNOWN })
    case 'server-fn-options':
      return object({
        data: acceptedInput(shared),
        context: sharedBag('context', shared),
        next: goOnWith('context'),
        request: webRequest(),
        pathname: request('url', 'pathname'),
        params: request('params'),
      })
    case 'form-data':
      return host('form-data', 'form')
    case 'input':
      return request('body')
    case 'lambda-event':
      return host('lambda-event', 'whole')
    case 'nest-context':
      return host('nest-context', undefined, { $request: seedValue('express-req', next, shared) })
    case 'unknown':
      return UNKNOWN
  }
}

/** The status that an error carries: a field of it, or a number given to its constructor. */
function errorStatus(error: Val): number | undefined {
  const field =
    error.v === 'instance'
      ? (error.fields.vars.get('statusCode') ?? error.fields.vars.get('status'))
      : error.v === 'object'
        ? (error.props.statusCode ?? error.props.status)
        : undefined
  const given = error.v === 'call' ? error.args.find((a) => a.v === 'const' && typeof a.value === 'number') : undefined
  const status = statusIn(field) ?? statusIn(given)
  return status !== undefined && status >= 400 && status < 600 ? status : undefined
}

/** The input of a procedure or server function: the request's, in the form that its schemas let through. */
export function acceptedInput(shared: ReadonlyMap<string, HostVal>): Val {
  return shared.get('input')?.props.vars.get('accepted') ?? request('body')
}

/** The context that middleware and procedure of one call share. */
export function sharedBag(name: string, shared: Map<string, HostVal>): HostVal {
  const known = shared.get(`bag:${name}`)
  if (known) return known
  const made = bag(name)
  shared.set(`bag:${name}`, made)
  return made
}

/** An object on which middleware leaves things for handlers; what nothing left there is a call that could not be followed. */
export function bag(name: string): HostVal {
  return { ...host('bag'), host: `bag:${name}` }
}
