/**
 * Follows routers through an application: where they are made, handed on, kept and mounted. Express, Fastify and Hono have no files for routes, so that
 * the routes are what is registered on the objects, in the order in which the code does it.
 */
import type { Expr, FunctionId, Pattern, Stmt } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { comparePlaces, type Place } from '../../../lib/place.ts'
import type { Unfollowed } from '../entry.ts'
import { type Meaning, type Program, packageOf } from '../program.ts'
import { blocksOf, childrenOf, exprsOf, propOf, statements } from '../walk.ts'
import { RegisteredHandlers } from './registered-handlers.ts'
import { Givens } from './registration-arguments.ts'
import { type Following, type Here, MAX_DEPTH } from './registration-context.ts'
import { register } from './registrations.ts'
import { RouteList } from './route-list.ts'
import { type RegisteredRoute, Router, type RouterDialect } from './router.ts'
import { type RouterFiles, routerFiles } from './router-files.ts'
import { registerCall, registerIndexed, registersParameters, registerTable } from './table-registrations.ts'
import { isLeftBehind, isNeverAskedFor } from './unmounted.ts'
import { writtenPaths } from './written-paths.ts'

/** Calls of one function that makes routers. */
const MAX_CALLS = 500

/** Lists the routes of an application in the order of registration. Bounded; a router that cannot be followed registers nothing. */
export class RouterCollector {
  readonly #program: Program
  readonly #dialect: RouterDialect
  /** The router that an expression made or gave back. */
  readonly #created = new Map<unknown, Router>()
  /** What was made in a function, for calls of it that make another one. */
  readonly #madeIn = new Map<string, Set<Expr>>()
  /** How often each function that makes routers was called. */
  readonly #factories = new Map<string, number>()
  /** Routers that objects keep, by `path:field`. */
  readonly #fields = new Map<string, Router>()
  /** Functions whose bodies were read where they stand, without routers for their parameters. */
  readonly #visited = new Set<string>()
  /** Functions that are being read now: one that calls itself ends there. */
  readonly #inProgress = new Set<string>()
  /** Calls whose promise is waited for. */
  readonly #awaited = new WeakSet<Expr>()
  /** Functions that were read with routers for their parameters. */
  readonly #entered = new Set<string>()
  readonly #givens = new Givens()
  readonly #handlers: RegisteredHandlers
  readonly #list: RouteList
  /** Files that were read. */
  readonly #read = new Set<string>()
  readonly #files: RouterFiles
  /** What the functions that read registrations ask of this one. */
  readonly #following: Following
  /** Above zero inside a loop over a list of routers: the same call registers on each of them. */
  #repeating = 0
  /** Registrations that say no route, by place, with the function in which they stand. */
  readonly #unfollowed = new Map<string, Place & { readonly because: string; readonly inside: string }>()
  /** Functions of which each call says what it registers. */
  readonly #calledWith = new Set<string>()
  /** `app.onError(…)` stands somewhere. */
  catchesErrors = false
  /** Routers in the order of creation, with the file that made each. */
  readonly routers: { readonly router: Router; readonly path: string }[] = []

  constructor(program: Program, dialect: RouterDialect) {
    this.#program = program
    this.#dialect = dialect
    this.#handlers = new RegisteredHandlers(program, dialect.calling)
    this.#list = new RouteList(program, this.#givens, dialect)
    this.#files = routerFiles(program, dialect)
    this.#following = {
      program,
      dialect,
      handlers: this.#handlers,
      givens: this.#givens,
      router: ({ path, scope, env, depth }, e) => this.#router(path, scope, e, env, depth),
      isAwaited: (e) => this.#awaited.has(e),
      enter: (path, fn, args, depth) => this.#enter(path, fn, args, depth),
      unfollowed: ({ path, scope }, at, because) => this.#unfollowed.set(`${at.path}:${at.line}`, { ...at, because, inside: `${path}:${scope}` }),
    }
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

  /** Registrations from which no route could be read, in order of their places; what the callers of a function give it was followed there. */
  unfollowed(): readonly Unfollowed[] {
    return [...this.#unfollowed.values()]
      .filter(({ inside }) => !this.#calledWith.has(inside))
      .map(({ path, line, because }) => ({ path, line, because }))
      .sort(comparePlaces)
  }

  /** Routes of the router that an expression means, for applications served by something else (edge functions). */
  routesOf(path: string, scope: FunctionId, expr: Expr): readonly RegisteredRoute[] | undefined {
    const router = this.#router(path, scope, expr, new Map(), 0)
    return router && this.#list.of(router)
  }

  /** Reads a file, those first that it imports routers from. */
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

  /** Reads a function that is given routers for its parameters. */
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

  /** Reads a function where it stands, once. */
  #body(path: string, fn: FunctionId, env: Map<string, Router>, depth: number): void {
    const key = `${path}:${fn}`
    if (this.#visited.has(key) || this.#entered.has(key)) return
    this.#visited.add(key)
    const ir = this.#program.fn(path, fn)
    if (ir) this.#statements(path, fn, ir.body, env, depth)
  }

  #statements(path: string, scope: FunctionId, body: readonly Stmt[], env: Map<string, Router>, depth: number): void {
    for (const s of body) {
      if (
        s.k === 'loop' &&
        s.how === 'of' &&
        s.to &&
        s.over &&
        registerTable(this.#following, { path, scope, expr: s.over }, { path, scope, env, depth }, s.to, s.body)
      )
        continue
      if (s.k === 'loop' && registerIndexed(this.#following, { path, scope, env, depth }, s)) continue
      for (const e of exprsOf(s)) this.#expression(path, scope, e, env, depth)
      for (const b of blocksOf(s)) this.#statements(path, scope, b, env, depth)
    }
  }

  /** Evaluates an expression for the registrations in it. */
  #expression(path: string, scope: FunctionId, e: Expr, env: Map<string, Router>, depth: number): void {
    if (e.k === 'await') this.#awaited.add(e.of)
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
      if (ir && to && registerTable(this.#following, { path, scope, expr: e.fn.of }, { path, scope: fn, env, depth }, to, ir.body)) {
        this.#visited.add(`${path}:${fn}`)
        return
      }
    }
    if (e.k === 'call' || e.k === 'new') {
      // before it is asked for as a router: what registers a route may give the router back
      const helped = e.k === 'call' && this.#helper({ path, scope, env, depth }, e)
      if (!helped && this.#router(path, scope, e, env, depth)) return
      const indirect = e.k === 'call' && !helped && this.#indirect({ path, scope, env, depth }, e)
      if (this.#call(path, scope, e, env, depth) || helped || indirect) return
    }
    for (const c of childrenOf(e)) this.#expression(path, scope, c, env, depth)
  }

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

  /** A call of a function that registers its own parameters: `add(app, '/orders', list)`. */
  #helper(here: Here, e: Extract<Expr, { k: 'call' }>): boolean {
    if (!e.args.length || here.depth > MAX_DEPTH) return false
    const m = this.#program.meaning(here.path, here.scope, e.fn)
    const ir = m?.k === 'fn' ? this.#program.fn(m.path, m.fn) : undefined
    if (m?.k !== 'fn' || !ir || !registersParameters(ir)) return false
    const key = `${m.path}:${m.fn}`
    if (this.#inProgress.has(key)) return false
    const env = new Map(here.env)
    ir.params.forEach((p, i) => {
      const router = p.k === 'name' && e.args[i] ? this.#router(here.path, here.scope, e.args[i], here.env, here.depth + 1) : undefined
      if (p.k === 'name' && router) env.set(`${key}:${p.name}`, router)
    })
    const registered = registerCall(this.#following, e, here, ir, { path: m.path, scope: m.fn, env, depth: here.depth + 1 })
    if (registered) this.#calledWith.add(key)
    return registered
  }

  /** `app[method](path, handler)`, and `const post = app.post.bind(app)` where it is called. */
  #indirect(here: Here, e: Extract<Expr, { k: 'call' }>): boolean {
    const { path, scope, env, depth } = here
    if (e.fn.k === 'idx') {
      if (e.args.length < 2 || !this.#router(path, scope, e.fn.of, env, depth + 1)) return false
      this.#following.unfollowed(here, { path, line: e.l }, 'a route whose method is not written there')
      return true
    }
    const m = e.fn.k === 'id' ? this.#program.meaning(path, scope, e.fn) : undefined
    if (m?.k !== 'expr' || m.expr.k !== 'call' || m.expr.fn.k !== 'mem' || m.expr.fn.name !== 'bind' || m.expr.fn.of.k !== 'mem') return false
    const on = this.#router(m.path, m.scope, m.expr.fn.of.of, env, depth + 1)
    if (!on) return false
    this.#registered(here, on, m.expr.fn.of.name, e)
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
          if (on) return this.#registered({ path, scope, env, depth }, on, e.fn.name, e)
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

  /** The router that a name means: a parameter's, or what a variable or an import holds. */
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

  /** The router that an expression makes by a call of the library. */
  #creation(path: string, scope: FunctionId, e: Extract<Expr, { k: 'call' | 'new' }>): Router | undefined {
    const known = this.#created.get(e)
    // the same call again, on the next of a list
    if (known && !(this.#repeating > 0 && e.fn.k === 'mem')) return known
    const from = this.#program.external(path, scope, e.fn)
    if (!from || !this.#dialect.creates(packageOf(from.from) ?? from.from, from.name, e.k === 'new')) return undefined
    const router = new Router({ path, line: e.l })
    router.part = this.#dialect.isPart?.(from.name) === true
    const { prefixIn } = this.#dialect
    if (prefixIn !== undefined) router.prefix = writtenPaths(this.#program, path, scope, propOf(e.args[prefixIn], 'prefix'))[0] ?? ''
    this.#note(path, scope, e, router)
    this.routers.push({ router, path })
    return router
  }

  /** The router that a function of the application makes and gives back. */
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

  /** Remembers which router an expression made, and in which function. */
  #note(path: string, scope: FunctionId, e: Expr, router: Router): void {
    this.#created.set(e, router)
    const key = `${path}:${scope}`
    this.#madeIn.set(key, (this.#madeIn.get(key) ?? new Set()).add(e))
  }

  /** A method call on a router. Gives what the call returns when that is a router again. */
  #registered(here: Here, on: Router, method: string, e: Extract<Expr, { k: 'call' }>): Router | undefined {
    if (this.#repeating === 0 && this.#created.has(e)) return this.#created.get(e)
    if (method === 'onError') this.catchesErrors = true
    const router = register(this.#following, here, on, method, e)
    if (router) this.#note(here.path, here.scope, e, router)
    return router
  }
}

/** The routers of a dialect in an application, read once for all who ask. */
export function collectorFor(dialect: RouterDialect): (program: Program) => RouterCollector {
  return rememberFor((program: Program) => {
    const collector = new RouterCollector(program, dialect)
    collector.collect()
    return collector
  })
}
