/**
 * What one call of a method on a router registers: routes, middleware, mounted routers, hooks, plug-ins. One reading for Express, Fastify and Hono, whose
 * methods have few names in common that mean different things.
 */
import type { Expr } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { describedRoute } from '../described-route.ts'
import type { Before } from '../entry.ts'
import { codeOf } from '../program.ts'
import { propOf, stringOf, stringsOf } from '../walk.ts'
import { registerPlugin } from './fastify-plugins.ts'
import type { Following, Here } from './registration-context.ts'
import { ROUTER_METHODS, Router } from './router.ts'
import { writtenPaths } from './written-paths.ts'

/** A call of a method on a router. */
interface RegisteringCall {
  readonly follow: Following
  readonly here: Here
  /** What the method is called on. */
  readonly on: Router
  /** What it registers on: the router of which `on` is a path. */
  readonly target: Router
  readonly args: readonly Expr[]
  readonly at: Place
}

/** Registers what a method call on a router says. Gives what the call returns when that is a router again. */
export function register(follow: Following, here: Here, on: Router, method: string, e: Extract<Expr, { k: 'call' }>): Router | undefined {
  const call: RegisteringCall = { follow, here, on, target: on.of ?? on, args: e.args, at: placeOf(e, here.path) }
  if (method in ROUTER_METHODS || method === 'all' || method === 'any') return route(call, method)
  if (method === 'on' && stringsOf(e.args[0]).length) return routeOfMethods(call)
  switch (method) {
    case 'route':
      return routeOrPath(call)
    case 'openapi':
      return documentedRoute(call)
    case 'use':
    case 'mount':
      return use(call)
    case 'param':
      return useForParameter(call)
    case 'addHook':
      return addHook(call)
    case 'decorate':
      return decorate(call)
    case 'register':
      registerPlugin(follow, here, call.target, e)
      return on
    case 'after':
    case 'ready':
      call.target.registrations.push({ k: 'loaded' })
      return on
    case 'basePath':
      return belowPath(call)
    case 'prefix':
      return follow.dialect.calling === 'koa' ? prefixed(call) : undefined
    case 'routes':
    case 'middleware':
      return follow.dialect.calling === 'koa' ? on : undefined
    default:
      return configure(call, method)
  }
}

/** With chained calls, the line of the method name is where the reader looks; the IR has it as the last line of what it is called on. */
function placeOf(e: Extract<Expr, { k: 'call' }>, path: string): Place {
  const first = e.args[0]
  const chained = e.fn.k === 'mem' && e.fn.of.k === 'call'
  return { path, line: (chained ? first?.l : undefined) ?? e.l, ...(e.e ? { endLine: e.e } : {}) }
}

/** What an argument runs. */
const code = ({ follow, here, target }: RegisteringCall, x: Expr): Before[] => follow.handlers.of(here.path, here.scope, x, target)

/** The paths that an argument says. */
const written = ({ follow, here }: RegisteringCall, x: Expr | undefined): readonly string[] => writtenPaths(follow.program, here.path, here.scope, x)

/** The router that an argument means. */
const routerIn = ({ follow, here }: RegisteringCall, x: Expr): Router | undefined => follow.router({ ...here, depth: here.depth + 1 }, x)

/** Mounts a router, with what was registered on it so far. */
function mount(target: Router, paths: readonly string[], router: Router, befores: readonly Before[]): void {
  router.mounted = true
  target.registrations.push({ k: 'mount', paths, router, befores, upTo: router.registrations.length })
}

/** `app.get('/orders', requireUser, list)` */
function route(call: RegisteringCall, method: string): Router {
  const { on, target, args, at } = call
  const first = on.fixed === undefined ? args[0] : undefined
  // a regular expression may match any address
  const said = on.fixed !== undefined ? [on.fixed] : first?.k === 'regex' ? ['*'] : written(call, first)
  const after = on.fixed !== undefined ? args : args.slice(1)
  // Koa: `router.get('order', '/orders/:id', show)` gives the route a name
  const named = call.follow.dialect.calling === 'koa' && stringOf(after[0]) !== undefined ? stringOf(after[0]) : undefined
  const paths = named !== undefined ? [named] : said
  const rest = named !== undefined ? after.slice(1) : after
  // `app.get('setting')` of Express reads a setting.
  if (!rest.length) return on
  if (!paths.length) {
    call.follow.unfollowed(call.here, at, 'a route whose address is not written there')
    return on
  }
  const handlers = rest.flatMap((x) => code(call, x))
  for (const path of paths) target.registrations.push({ k: 'route', methods: [ROUTER_METHODS[method]], path, handlers, at })
  return on
}

/** Hono: `app.on(['GET', 'POST'], '/orders', handler)` */
function routeOfMethods(call: RegisteringCall): Router {
  const { on, target, args, at } = call
  const methods = stringsOf(args[0]).filter((m) => /^[A-Z]+$/.test(m))
  for (const path of written(call, args[1]))
    if (methods.length) target.registrations.push({ k: 'route', methods, path, handlers: args.slice(2).flatMap((x) => code(call, x)), at })
  return on
}

/** Fastify: `route({ method, url, handler, preHandler })`; Hono: `route(path, app)`; Express: `route(path)` */
function routeOrPath(call: RegisteringCall): Router {
  const { on, target, args, at } = call
  if (args[0]?.k === 'obj') {
    routeOfOptions(call, args[0])
    return on
  }
  const [path] = written(call, args[0])
  if (path === undefined) return on
  const mounted = args[1] ? routerIn(call, args[1]) : undefined
  if (!mounted) return new Router(at, target, path)
  mount(target, [path], mounted, [])
  return on
}

/** The route that an object describes. */
function routeOfOptions(call: RegisteringCall, options: Expr): void {
  const [url] = written(call, propOf(options, 'url') ?? propOf(options, 'path'))
  const handler = propOf(options, 'handler')
  const methods = stringsOf(propOf(options, 'method')).map((m) => m.toUpperCase())
  if (url === undefined || !handler) return
  call.target.registrations.push({
    k: 'route',
    methods: methods.length ? methods : [undefined],
    path: url,
    handlers: [...code(call, options), ...code(call, handler)],
    at: call.at,
  })
}

/** `app.openapi(createRoute({ method, path }), handler)` of @hono/zod-openapi */
function documentedRoute(call: RegisteringCall): Router {
  const { follow, here, on, target, args, at } = call
  const described = describedRoute(follow.program, here.path, here.scope, args[0])
  if (!described || !args[1]) return on
  const before = described.middleware ? follow.handlers.of(described.path, described.scope, described.middleware, target) : []
  target.registrations.push({ k: 'route', methods: [described.method], path: described.route, handlers: [...before, ...code(call, args[1])], at })
  return on
}

/** `app.use('/admin', requireAdmin, adminRouter)` */
function use(call: RegisteringCall): Router {
  const { on, target, args } = call
  const said = written(call, args[0])
  const paths = said.length ? said : ['/']
  const befores: Before[] = []
  for (const x of (said.length ? args.slice(1) : args).flatMap((a) => (a.k === 'arr' ? a.items : [a]))) {
    const mounted = routerIn(call, x)
    if (mounted && mounted !== target) mount(target, paths, mounted, [...befores])
    else befores.push(...code(call, x))
  }
  if (befores.length) target.registrations.push({ k: 'use', paths, befores })
  return on
}

/** Express: `app.param('id', load)`. It runs for routes with that parameter; which ones those are is decided by the name in the path. */
function useForParameter(call: RegisteringCall): Router {
  const { on, target, args } = call
  const befores = args[1] ? code(call, args[1]).map((b): Before => ({ ...b, calling: 'express-param' })) : []
  if (stringOf(args[0]) && befores.length) target.registrations.push({ k: 'use', paths: ['/'], befores })
  return on
}

/** Fastify: `app.addHook('preHandler', requireUser)` */
function addHook(call: RegisteringCall): Router {
  const { on, target, args } = call
  const hook = stringOf(args[0])
  if (hook && /^(onRequest|preParsing|preValidation|preHandler)$/.test(hook) && args[1])
    target.registrations.push({ k: 'use', paths: ['/'], befores: code(call, args[1]).map((b) => ({ ...b, what: 'hook' })) })
  return on
}

/** Fastify: `app.decorate('verifyToken', verifyToken)` */
function decorate({ follow, here, on, target, args }: RegisteringCall): Router {
  const name = stringOf(args[0])
  const decoration = args[1] ? codeOf(follow.program.meaning(here.path, here.scope, args[1])) : undefined
  if (name && decoration) follow.handlers.decorate(target, name, decoration)
  return on
}

/** Hono: `app.basePath('/api')` */
function belowPath(call: RegisteringCall): Router {
  const { on, target, args, at } = call
  const [path] = written(call, args[0])
  if (path === undefined) return on
  const below = new Router(at)
  mount(target, [path], below, [])
  return below
}

/** Koa: `router.prefix('/api')` stands for all routes of the router. */
function prefixed({ follow, here, on, args }: RegisteringCall): Router {
  const [path] = writtenPaths(follow.program, here.path, here.scope, args[0])
  if (path !== undefined) on.prefix = path
  return on
}

/** What configures a router gives it back, so that calls can be chained; what `app.set('db', db)` keeps is for handlers to ask for. */
function configure({ follow, here, on, args }: RegisteringCall, method: string): Router | undefined {
  const kept = method === 'set' ? stringOf(args[0]) : undefined
  if (kept !== undefined && args[1]) follow.givens.keep(`\0app ${kept}`, { path: here.path, scope: here.scope }, args[1])
  return /^(allowedMethods|onError|notFound|set|enable|disable|setErrorHandler|setNotFoundHandler|withTypeProvider|doc|doc31)$/.test(method) ? on : undefined
}
