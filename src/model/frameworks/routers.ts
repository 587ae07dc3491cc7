import type { Expr, FunctionId, Pattern, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { describedRoute } from './described-route.ts'
import type { Before } from './entry.ts'
import { autoloaded } from './fastify-autoload.ts'
import { Givens } from './givens.ts'
import { joinPaths } from './path-pattern.ts'
import { codeOf, type Meaning, type Program, packageOf } from './program.ts'
import { RegisteredHandlers } from './registered-handlers.ts'
import { RouteList } from './route-list.ts'
import { callsIn, fieldsOf, fitting, ofRow, readsRow, rowsOf, textOfRow, type Written } from './route-tables.ts'
import type { RegisteredRoute, RouterDialect } from './router.ts'
import { Router } from './router.ts'
import { type RouterFiles, routerFiles } from './router-files.ts'
import { isLeftBehind, isNeverAskedFor } from './unmounted.ts'
import { blocksOf, childrenOf, exprsOf, propOf, statements, stringOf, stringsOf } from './walk.ts'
import { writtenPaths } from './written-paths.ts'

const VERBS: Readonly<Record<string, string | undefined>> = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', del: 'DELETE' }
const MAX_DEPTH = 12
/** Calls of one function that makes routers. */
const MAX_CALLS = 500

/** Follows router objects through an application and lists its routes in the order of registration. */
export class RouterCollector {
  readonly #program: Program
  readonly #dialect: RouterDialect
  readonly #created = new Map<unknown, Router>()
  /** What was made in a function, for calls of it that make another one. */
  readonly #madeIn = new Map<string, Set<Expr>>()
  readonly #factories = new Map<string, number>()
  readonly #fields = new Map<string, Router>()
  readonly #visited = new Set<string>()
  readonly #inProgress = new Set<string>()
  readonly #entered = new Set<string>()
  readonly #givens = new Givens()
  readonly #handlers: RegisteredHandlers
  readonly #list: RouteList
  readonly #read = new Set<string>()
  readonly #files: RouterFiles
  /** `app.onError(…)` stands somewhere. */
  catchesErrors = false
  /** Routers in the order of creation, with the file that made each. */
  readonly routers: { readonly router: Router; readonly path: string }[] = []

  constructor(program: Program, dialect: RouterDialect) {
    this.#program = program
    this.#dialect = dialect
    this.#handlers = new RegisteredHandlers(program, dialect.calling)
    this.#list = new RouteList(program, this.#givens, dialect.contextual === true)
    this.#files = routerFiles(program, dialect)
  }

  /** Reads every file that can have a router, then the conventional registration functions that nothing called. */
  collect(): void {
    for (const path of this.#files.paths) this.#file(path)
    for (const path of this.#program.paths) this.#conventionalFunctions(path)
  }

  /** All routes of top-level routers (those that no other router mounts); `keep` by the file that makes the router. */
  routes(keep: (path: string) => boolean = () => true): readonly RegisteredRoute[] {
    return this.#list.routes(this.routers.filter(({ path }) => keep(path)))
  }

  /** Routes of the router that an expression means, for applications served by something else (edge functions). */
  routesOf(path: string, scope: FunctionId, expr: Expr): readonly RegisteredRoute[] | undefined {
    const router = this.#router(path, scope, expr, new Map(), 0)
    return router && this.#list.of(router)
  }

  #file(path: string): void {
    const js = this.#program.js(path)
    if (!js || this.#read.has(path)) return
    this.#read.add(path)
    for (const imported of this.#files.before(path)) this.#file(imported)
    this.#classFields(path, js.functions[0]?.body ?? [])
    for (const fn of js.functions) this.#body(path, fn.id, new Map(), 0)
  }

  /** `export function registerRoutes(app)` and plug-ins that a loader finds by folder. */
  #conventionalFunctions(path: string): void {
    const js = this.#program.js(path)
    if (!js || !this.#dialect.packages.some((p) => this.#program.workspaces.uses(p, path))) return
    const workspace = this.#program.workspace(path).dir
    const assembled = this.routers.some((r) => r.router.registrations.length > 0 && this.#program.workspace(r.path).dir === workspace && r.path !== path)
    if (assembled && isLeftBehind(this.#program, path)) return
    for (const fn of js.functions) {
      const first = fn.params[0]
      if (fn.id === 0 || first?.k !== 'name' || !this.#dialect.conventional.test(first.name) || this.#entered.has(`${path}:${fn.id}`)) continue
      if (fn.parent !== undefined && fn.parent !== 0) continue
      if (assembled && isNeverAskedFor(this.#program, path, fn.id)) continue
      const router = new Router({ path, line: fn.l })
      this.#enter(path, fn.id, [router], 0)
      if (router.registrations.some((r) => r.k === 'route')) this.routers.push({ router, path })
    }
  }

  #enter(path: string, fn: FunctionId, args: readonly (Router | undefined)[], depth: number): void {
    const ir = this.#program.fn(path, fn)
    const key = `${path}:${fn}`
    if (!ir || depth > MAX_DEPTH || this.#inProgress.has(key)) return
    this.#entered.add(key)
    const env = new Map<string, Router>()
    ir.params.forEach((p, i) => {
      const router = args[i]
      if (p.k === 'name' && router) env.set(`${key}:${p.name}`, router)
      // `({ app })`, `{ router }` given as an object is not followed.
    })
    // `registerRoutes(app)` of `registerRoutes(httpServer, app)`, whose caller was left behind: the application is meant all the same
    const conventional = (p: Pattern | undefined): boolean => p?.k === 'name' && this.#dialect.conventional.test(p.name)
    const meant = args.length === 1 && args[0] && !conventional(ir.params[0]) ? ir.params.find((p, i) => i < 3 && conventional(p)) : undefined
    if (meant?.k === 'name' && args[0]) env.set(`${key}:${meant.name}`, args[0])
    this.#inProgress.add(key)
    this.#statements(path, fn, ir.body, env, depth)
    this.#inProgress.delete(key)
  }

  #body(path: string, fn: FunctionId, env: Map<string, Router>, depth: number): void {
    const key = `${path}:${fn}`
    if (this.#visited.has(key) || this.#entered.has(key)) return
    this.#visited.add(key)
    const ir = this.#program.fn(path, fn)
    if (ir) this.#statements(path, fn, ir.body, env, depth)
  }

  #statements(path: string, scope: FunctionId, body: readonly Stmt[], env: Map<string, Router>, depth: number): void {
    for (const s of body) {
      if (s.k === 'loop' && s.how === 'of' && s.to && s.over && this.#table({ path, scope, expr: s.over }, scope, s.to, s.body, env, depth)) continue
      for (const e of exprsOf(s)) this.#expression(path, scope, e, env, depth)
      for (const b of blocksOf(s)) this.#statements(path, scope, b, env, depth)
    }
  }

  /** Evaluates an expression for the registrations in it. */
  #expression(path: string, scope: FunctionId, e: Expr, env: Map<string, Router>, depth: number): void {
    // `app.locals.db = …`
    if (e.k === 'assign' && e.to.k === 'expr' && e.to.expr.k === 'mem' && e.to.expr.of.k === 'mem' && e.to.expr.of.name === 'locals')
      if (this.#router(path, scope, e.to.expr.of.of, env, depth)) this.#givens.keep(`\0locals ${e.to.expr.name}`, { path, scope }, e.value)
    if (e.k === 'assign' && e.to.k === 'expr' && e.to.expr.k === 'mem' && e.to.expr.of.k === 'this') {
      const router = this.#router(path, scope, e.value, env, depth)
      if (router) this.#fields.set(`${path}:${e.to.expr.name}`, router)
      else this.#expression(path, scope, e.value, env, depth)
      return
    }
    if (e.k === 'new') {
      const of = this.#program.meaning(path, scope, e.fn)
      if (of?.k === 'class') this.#givens.noteObject(of.path, of.class, { path, scope }, e.args)
    }
    if (e.k === 'call' && this.#forEach(path, scope, e, env, depth)) return
    if (e.k === 'call' && e.fn.k === 'mem' && /^(?:forEach|map)$/.test(e.fn.name) && e.args[0]?.k === 'fn') {
      const { fn } = e.args[0]
      const ir = this.#program.fn(path, fn)
      const [to] = ir?.params ?? []
      if (ir && to && this.#table({ path, scope, expr: e.fn.of }, fn, to, ir.body, env, depth)) {
        this.#visited.add(`${path}:${fn}`)
        return
      }
    }
    if (e.k === 'call' || e.k === 'new') {
      if (this.#router(path, scope, e, env, depth)) return
      if (this.#call(path, scope, e, env, depth)) return
    }
    for (const c of childrenOf(e)) this.#expression(path, scope, c, env, depth)
  }

  /** Registers each row of a table of routes as the body of a loop over it says; false where it says nothing of the kind. */
  #table(over: Written, scope: FunctionId, to: Pattern, body: readonly Stmt[], env: Map<string, Router>, depth: number): boolean {
    const { path } = over
    const fields = fieldsOf(to, body)
    const groups = new Map<string, { on: Router; calls: Extract<Expr, { k: 'call' }>[] }>()
    for (const call of callsIn(body)) {
      const { fn } = call
      const verb = fn.k === 'idx' ? '' : fn.k === 'mem' && (fn.name in VERBS || fn.name === 'all' || fn.name === 'use') ? fn.name : undefined
      if (verb === undefined || (fn.k !== 'idx' && fn.k !== 'mem') || !(call.args[0] && readsRow(call.args[0], fields))) continue
      const on = this.#router(path, scope, fn.of, env, depth + 1)
      if (on) groups.set(verb, { on, calls: [...(groups.get(verb)?.calls ?? []), call] })
    }
    const rows = groups.size ? rowsOf(this.#program, over, (w) => this.#argument(w)) : undefined
    for (const row of rows ?? [])
      for (const { on, calls } of groups.values()) {
        const call = fitting(calls, row, fields)
        if (call) this.#row(on, call, row, fields, { path, scope }, env, depth)
      }
    return rows !== undefined
  }

  /** What the one call of a function gives for its parameter. */
  #argument({ path, scope, expr }: Written): Written | undefined {
    const m = this.#program.meaning(path, scope, expr)
    return m?.k === 'param' ? this.#givens.argument(m.path, m.scope, m.index) : undefined
  }

  #row(
    on: Router,
    call: Extract<Expr, { k: 'call' }>,
    row: Written,
    fields: ReadonlyMap<string, string>,
    here: Omit<Written, 'expr'>,
    env: Map<string, Router>,
    depth: number,
  ): void {
    const target = on.of ?? on
    const method = call.fn.k === 'idx' ? textOfRow(call.fn.index, row, fields, here)?.toLowerCase() : call.fn.k === 'mem' ? call.fn.name : undefined
    const url = call.args[0] && textOfRow(call.args[0], row, fields, here)
    if (method === undefined || url === undefined) return
    const rest = call.args.slice(1).flatMap((a) => ofRow(a, row, fields, here) ?? [])
    const befores: Before[] = []
    for (const w of rest) {
      const sub = method === 'use' ? this.#router(w.path, w.scope, w.expr, env, depth + 1) : undefined
      if (sub && sub !== target) {
        sub.mounted = true
        target.registrations.push({ k: 'mount', paths: [url], router: sub, befores: [...befores], upTo: sub.registrations.length })
        return
      }
      befores.push(...this.#handlers.of(w.path, w.scope, w.expr, target))
    }
    const at: Place = { path: row.path, line: row.expr.l, ...(row.expr.e ? { endLine: row.expr.e } : {}) }
    if (method === 'use') {
      if (befores.length) target.registrations.push({ k: 'use', paths: [url], befores })
    } else if ((method in VERBS || method === 'all') && befores.length)
      target.registrations.push({ k: 'route', methods: [VERBS[method]], path: url, handlers: befores, at })
  }

  #repeating = 0

  /** `routes.forEach((route) => app.route('/', route))` over a list of routers. */
  #forEach(path: string, scope: FunctionId, e: Extract<Expr, { k: 'call' }>, env: Map<string, Router>, depth: number): boolean {
    if (e.fn.k !== 'mem' || !/^(?:forEach|map)$/.test(e.fn.name) || e.args[0]?.k !== 'fn' || depth > MAX_DEPTH) return false
    const list = this.#program.meaning(path, scope, e.fn.of)
    const fn = this.#program.fn(path, e.args[0].fn)
    const [each] = fn?.params ?? []
    if (list?.k !== 'expr' || list.expr.k !== 'arr' || !fn || each?.k !== 'name') return false
    const routers = list.expr.items.map((item) => this.#router(list.path, list.scope, item, env, depth + 1))
    if (!routers.some((r) => r)) return false
    this.#repeating++
    for (const router of routers) if (router) this.#statements(path, fn.id, fn.body, new Map([...env, [`${path}:${fn.id}:${each.name}`, router]]), depth + 1)
    this.#repeating--
    this.#visited.add(`${path}:${fn.id}`)
    return true
  }

  /** A call of a function of the application that is given a router. */
  #call(path: string, scope: FunctionId, e: Extract<Expr, { k: 'call' | 'new' }>, env: Map<string, Router>, depth: number): boolean {
    const args = e.args.map((a) => (a.k === 'id' || a.k === 'mem' || a.k === 'call' ? this.#router(path, scope, a, env, depth) : undefined))
    if (!args.some((a) => a)) return false
    const m = this.#program.meaning(path, scope, e.fn)
    const fn = m?.k === 'fn' ? m : m?.k === 'expr' && m.expr.k === 'fn' ? { path: m.path, fn: m.expr.fn } : undefined
    if (fn) {
      this.#givens.note(fn.path, fn.fn, { path, scope }, e.args, args)
      this.#enter(fn.path, fn.fn, args, depth + 1)
    } else if (m?.k === 'class') this.#constructed(m, args, depth)
    return true
  }

  /** An object of a class that is given a router: its methods register on the field that keeps it. */
  #constructed(of: Extract<Meaning, { k: 'class' }>, args: readonly (Router | undefined)[], depth: number): void {
    const make = of.class.members.find((x) => x.how === 'constructor')
    if (make?.fn === undefined) return
    this.#program.fn(of.path, make.fn)?.params.forEach((p, i) => {
      const router = args[i]
      if (p.k === 'name' && router) this.#fields.set(`${of.path}:${p.name}`, router)
    })
    this.#enter(of.path, make.fn, args, depth + 1)
    for (const m of of.class.members) {
      const fn = m.fn ?? (m.value?.k === 'fn' ? m.value.fn : undefined)
      if (fn !== undefined && m !== make) this.#enter(of.path, fn, [], depth + 1)
    }
  }

  /** `class App { app = express() }` */
  #classFields(path: string, body: readonly Stmt[]): void {
    for (const s of statements(body))
      if (s.k === 'class')
        for (const m of s.class.members) {
          const router = m.how === 'field' && m.value ? this.#router(path, 0, m.value, new Map(), 0) : undefined
          if (router) this.#fields.set(`${path}:${m.name}`, router)
        }
  }

  /** The router that an expression means; registers what chained calls register on the way. */
  #router(path: string, scope: FunctionId, e: Expr, env: Map<string, Router>, depth: number): Router | undefined {
    if (depth > MAX_DEPTH * 4) return undefined
    switch (e.k) {
      case 'await':
        return this.#router(path, scope, e.of, env, depth + 1)
      case 'id':
        return this.#named(path, scope, e.name, env, depth)
      case 'mem': {
        if (e.of.k === 'this') return this.#fields.get(`${path}:${e.name}`)
        const m = this.#program.meaning(path, scope, e)
        return m?.k === 'expr' && m.expr !== e ? this.#router(m.path, m.scope, m.expr, env, depth + 1) : undefined
      }
      case 'new':
      case 'call': {
        const made = this.#creation(path, scope, e)
        if (made) return made
        if (e.k === 'call' && e.fn.k === 'mem') {
          const on = this.#router(path, scope, e.fn.of, env, depth + 1)
          if (on) return this.#register(path, scope, on, e.fn.name, e, env, depth)
        }
        // `require('./routes/orders')`, written where it is used
        const m = e.k === 'call' ? this.#program.meaning(path, scope, e) : undefined
        if (m?.k === 'expr' && m.expr !== e) {
          const router = this.#router(m.path, m.scope, m.expr, env, depth + 1)
          if (router && m.path !== path) this.#file(m.path)
          return router
        }
        // A function that makes and returns a router: `createRouter()`.
        return e.k === 'call' ? this.#returned(path, scope, e, env, depth) : undefined
      }
      default:
        return undefined
    }
  }

  #named(path: string, scope: FunctionId, name: string, env: Map<string, Router>, depth: number): Router | undefined {
    for (let id: FunctionId | undefined = scope, hops = 0; id !== undefined && hops < 64; hops++) {
      const bound = env.get(`${path}:${id}:${name}`)
      if (bound) return bound
      id = this.#program.fn(path, id)?.parent
    }
    const m = this.#program.lookup(path, scope, name)
    if (m?.k !== 'expr') return undefined
    if (m.expr.k === 'id' && m.expr.name === name && m.path === path) return undefined
    const made = this.#router(m.path, m.scope, m.expr, env, depth + 1)
    // The file that makes the router may not have been read yet: its registrations come with it.
    if (made && m.path !== path) this.#file(m.path)
    return made
  }

  #creation(path: string, scope: FunctionId, e: Extract<Expr, { k: 'call' | 'new' }>): Router | undefined {
    const known = this.#created.get(e)
    // the same call again, on the next of a list
    if (known && !(this.#repeating > 0 && e.fn.k === 'mem')) return known
    const from = this.#program.external(path, scope, e.fn)
    if (!from || !this.#dialect.creates(packageOf(from.from) ?? from.from, from.name, e.k === 'new')) return undefined
    const router = new Router({ path, line: e.l })
    router.part = this.#dialect.isPart?.(from.name) === true
    this.#note(path, scope, e, router)
    this.routers.push({ router, path })
    return router
  }

  #returned(path: string, scope: FunctionId, e: Extract<Expr, { k: 'call' }>, env: Map<string, Router>, depth: number): Router | undefined {
    const m = this.#program.meaning(path, scope, e.fn)
    if (m?.k !== 'fn' || depth > MAX_DEPTH) return undefined
    const known = this.#created.get(e)
    if (known) return known
    const key = `${m.path}:${m.fn}`
    if (this.#inProgress.has(key)) return undefined
    const ir = this.#program.fn(m.path, m.fn)
    if (!ir) return undefined
    const last = ir.body.findLast((s) => s.k === 'return')
    if (last?.k !== 'return' || !last.value || !['id', 'call', 'new'].includes(last.value.k)) return undefined
    const calls = this.#factories.get(key) ?? 0
    if (calls > MAX_CALLS) return undefined
    this.#factories.set(key, calls + 1)
    // each call makes one of its own
    const earlier = calls ? [...(this.#madeIn.get(key) ?? [])].map((x) => [x, this.#created.get(x)] as const) : []
    for (const [x] of earlier) this.#created.delete(x)
    this.#inProgress.add(key)
    const router = this.#router(m.path, m.fn, last.value, env, depth + 1)
    this.#inProgress.delete(key)
    if (router) {
      this.#givens.note(m.path, m.fn, { path, scope }, e.args)
      if (calls) this.#statements(m.path, m.fn, ir.body, env, depth + 1)
      else this.#body(m.path, m.fn, env, depth + 1)
    }
    for (const [x, made] of earlier) if (made) this.#created.set(x, made)
    if (router) this.#note(path, scope, e, router)
    return router
  }

  #note(path: string, scope: FunctionId, e: Expr, router: Router): void {
    this.#created.set(e, router)
    const key = `${path}:${scope}`
    this.#madeIn.set(key, (this.#madeIn.get(key) ?? new Set()).add(e))
  }

  /** A method call on a router. Gives what the call returns when that is a router again. */
  #register(
    path: string,
    scope: FunctionId,
    on: Router,
    method: string,
    e: Extract<Expr, { k: 'call' }>,
    env: Map<string, Router>,
    depth: number,
  ): Router | undefined {
    if (this.#repeating === 0 && this.#created.has(e)) return this.#created.get(e)
    const target = on.of ?? on
    const args = e.args
    const at: Place = { path, line: e.fn.k === 'mem' ? (this.#lineOf(e) ?? e.l) : e.l, ...(e.e ? { endLine: e.e } : {}) }
    const done = (router: Router): Router => {
      this.#note(path, scope, e, router)
      return router
    }
    const code = (x: Expr): Before[] => this.#handlers.of(path, scope, x, target)
    const written = (x: Expr | undefined) => writtenPaths(this.#program, path, scope, x)
    if (method in VERBS || method === 'all' || method === 'any') {
      const verb = VERBS[method]
      const paths = on.fixed !== undefined ? [on.fixed] : written(args[0])
      const rest = on.fixed !== undefined ? args : args.slice(1)
      // `app.get('setting')` of Express reads a setting.
      if (!paths.length || !rest.length) return done(on)
      const handlers = rest.flatMap(code)
      for (const p of paths) target.registrations.push({ k: 'route', methods: [verb], path: p, handlers, at })
      return done(on)
    }
    if (method === 'on' && stringsOf(args[0]).length) {
      const methods = stringsOf(args[0]).filter((m) => /^[A-Z]+$/.test(m))
      for (const p of written(args[1]))
        if (methods.length) target.registrations.push({ k: 'route', methods, path: p, handlers: args.slice(2).flatMap(code), at })
      return done(on)
    }
    if (method === 'route') {
      // Fastify: route({ method, url, handler, preHandler }); Hono: route(path, app); Express: route(path)
      if (args[0]?.k === 'obj') {
        this.#routeObject(path, scope, target, args[0], at)
        return done(on)
      }
      const [p] = written(args[0])
      if (p === undefined) return done(on)
      const sub = args[1] ? this.#router(path, scope, args[1], env, depth + 1) : undefined
      if (sub) {
        sub.mounted = true
        target.registrations.push({ k: 'mount', paths: [p], router: sub, befores: [], upTo: sub.registrations.length })
        return done(on)
      }
      return done(new Router(at, target, p))
    }
    if (method === 'openapi') {
      const described = describedRoute(this.#program, path, scope, args[0])
      if (!described || !args[1]) return done(on)
      const handlers = [...(described.middleware ? this.#handlers.of(described.path, described.scope, described.middleware, target) : []), ...code(args[1])]
      target.registrations.push({ k: 'route', methods: [described.method], path: described.route, handlers, at })
      return done(on)
    }
    if (method === 'use' || method === 'mount') {
      const withPath = written(args[0])
      const paths = withPath.length ? withPath : ['/']
      const rest = withPath.length ? args.slice(1) : args
      const befores: Before[] = []
      for (const x of rest.flatMap((a) => (a.k === 'arr' ? a.items : [a]))) {
        const sub = this.#router(path, scope, x, env, depth + 1)
        if (sub && sub !== target) {
          sub.mounted = true
          target.registrations.push({ k: 'mount', paths, router: sub, befores: [...befores], upTo: sub.registrations.length })
        } else befores.push(...code(x))
      }
      if (befores.length) target.registrations.push({ k: 'use', paths, befores })
      return done(on)
    }
    if (method === 'param') {
      const fn = args[1] ? code(args[1]).map((b): Before => ({ ...b, calling: 'express-param' })) : []
      // It runs for routes with that parameter; which ones those are is decided by the name in the path.
      const name = stringOf(args[0])
      if (name && fn.length) target.registrations.push({ k: 'use', paths: ['/'], befores: fn })
      return done(on)
    }
    if (method === 'addHook') {
      const hook = stringOf(args[0])
      if (hook && /^(onRequest|preParsing|preValidation|preHandler)$/.test(hook) && args[1])
        target.registrations.push({ k: 'use', paths: ['/'], befores: code(args[1]).map((b) => ({ ...b, what: 'hook' })) })
      return done(on)
    }
    if (method === 'decorate') {
      const name = stringOf(args[0])
      const m = args[1] ? codeOf(this.#program.meaning(path, scope, args[1])) : undefined
      if (name && m) this.#handlers.decorate(target, name, m)
      return done(on)
    }
    if (method === 'register') {
      this.#plugin(path, scope, target, e, env, depth)
      return done(on)
    }
    if (method === 'basePath') {
      const [p] = written(args[0])
      if (p === undefined) return done(on)
      const sub = new Router(at)
      sub.mounted = true
      target.registrations.push({ k: 'mount', paths: [p], router: sub, befores: [], upTo: sub.registrations.length })
      return done(sub)
    }
    const kept = method === 'set' ? stringOf(args[0]) : undefined
    if (kept !== undefined && args[1]) this.#givens.keep(`\0app ${kept}`, { path, scope }, args[1])
    if (method === 'onError') this.catchesErrors = true
    if (/^(onError|notFound|set|enable|disable|setErrorHandler|setNotFoundHandler|withTypeProvider|doc|doc31)$/.test(method)) return done(on)
    return undefined
  }

  /** With chained calls, the line of the method name is where the reader looks; the IR has it as the last line of what it is called on. */
  #lineOf(e: Extract<Expr, { k: 'call' }>): number | undefined {
    if (e.fn.k !== 'mem') return undefined
    const first = e.args[0]
    return first && e.fn.of.k === 'call' ? first.l : undefined
  }

  #routeObject(path: string, scope: FunctionId, target: Router, options: Expr, at: Place): void {
    const [url] = writtenPaths(this.#program, path, scope, propOf(options, 'url') ?? propOf(options, 'path'))
    const handler = propOf(options, 'handler')
    const methods = stringsOf(propOf(options, 'method')).map((m) => m.toUpperCase())
    if (url === undefined || !handler) return
    target.registrations.push({
      k: 'route',
      methods: methods.length ? methods : [undefined],
      path: url,
      handlers: [...this.#handlers.of(path, scope, options, target), ...this.#handlers.of(path, scope, handler, target)],
      at,
    })
  }

  /** Fastify plug-ins: a context of their own under a prefix, or the same context through `fastify-plugin`. */
  #plugin(path: string, scope: FunctionId, target: Router, e: Extract<Expr, { k: 'call' }>, env: Map<string, Router>, depth: number): void {
    const plugin = e.args[0]
    if (!plugin || depth > MAX_DEPTH) return
    const [prefix = '/'] = writtenPaths(this.#program, path, scope, propOf(e.args[1], 'prefix'))
    const given = this.#program.meaning(path, scope, plugin)
    if (given?.k === 'external' && packageOf(given.from) === '@fastify/autoload') {
      for (const file of autoloaded(this.#program, path, e.args[1]))
        this.#context(path, e.l, target, file.meaning, joinPaths(stringOf(propOf(propOf(e.args[1], 'options'), 'prefix')) ?? '/', file.prefix), env, depth)
      return
    }
    this.#context(path, e.l, target, given, prefix, env, depth, plugin, scope, e.args[1])
  }

  /** Enters a plug-in; one of a package is kept as it is. */
  #context(
    path: string,
    line: number,
    target: Router,
    plugin: Meaning | undefined,
    prefix: string,
    env: Map<string, Router>,
    depth: number,
    written?: Expr,
    scope: FunctionId = 0,
    options?: Expr,
  ): void {
    let m = plugin
    let shared = false
    if (m?.k === 'expr' && m.expr.k === 'call') {
      const wrapper = this.#program.external(m.path, m.scope, m.expr.fn)
      if (wrapper && /fastify-plugin$/.test(packageOf(wrapper.from) ?? '') && m.expr.args[0]) {
        shared = true
        m = this.#program.meaning(m.path, m.scope, m.expr.args[0])
      }
    }
    if (m?.k === 'external' && written) {
      target.registrations.push({
        k: 'use',
        paths: ['/'],
        befores: [
          {
            code: { k: 'expr', path, scope, expr: written },
            calling: this.#dialect.calling,
            at: { path, line },
            what: 'middleware',
            blocks: true,
            external: { from: m.from, name: m.name },
          },
        ],
      })
      return
    }
    if (m?.k !== 'fn') return
    const context = shared ? target : new Router({ path, line })
    if (!shared) {
      context.mounted = true
      for (const [name, code] of target.decorated) context.decorated.set(name, code)
      target.registrations.push({ k: 'mount', paths: [prefix], router: context, befores: [], upTo: context.registrations.length })
    }
    if (options) this.#givens.note(m.path, m.fn, { path, scope }, [options, options], [true])
    const bound = new Map(env)
    const first = this.#program.fn(m.path, m.fn)?.params[0]
    if (first?.k === 'name') bound.set(`${m.path}:${m.fn}:${first.name}`, context)
    this.#enter(m.path, m.fn, [context], depth + 1)
  }
}
