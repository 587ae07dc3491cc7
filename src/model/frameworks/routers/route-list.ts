import type { Before } from '../entry.ts'
import { covers, joinPaths, routerPath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import type { Givens } from './registration-arguments.ts'
import type { RegisteredRoute, Router, RouterDialect } from './router.ts'
import { isListOnly, isNeverImported } from './unmounted.ts'

const MAX_DEPTH = 12
const MAX_ROUTES = 5_000

/** Something that runs before the handlers below some paths, prefixes included. */
interface InFront {
  readonly paths: readonly string[]
  readonly before: Before
  /** It was registered as a route (`app.all(path, requireUser)`): for this method, or all, and for these paths as they are. */
  readonly asRoute?: { readonly method: string | undefined }
  /** The context whose own routes it does not hold for yet. */
  readonly notYet?: Router
}

/** A router, and the file that made it. */
interface Made {
  readonly router: Router
  readonly path: string
}

/** Lists the routes that routers and those mounted on them serve, each with what runs before it. */
export class RouteList {
  readonly #program: Program
  readonly #givens: Givens
  readonly #dialect: RouterDialect
  /** Hooks belong to the whole context, whatever the order. */
  readonly #contextual: boolean

  constructor(program: Program, givens: Givens, dialect: RouterDialect) {
    this.#program = program
    this.#givens = givens
    this.#dialect = dialect
    this.#contextual = dialect.contextual === true
  }

  /** All routes of top-level routers (those that no other router mounts), flattened. `routers`: in the order of creation. */
  routes(routers: readonly Made[]): readonly RegisteredRoute[] {
    const out: RegisteredRoute[] = []
    const listed = routers.filter(({ router }) => !router.of)
    const assembled = new Set(routers.flatMap(({ router, path }) => (router.part ? [] : [this.#program.workspace(path).dir])))
    const isUnused = ({ router, path }: Made) => router.part && assembled.has(this.#program.workspace(path).dir) && isNeverImported(this.#program, path)
    const tops = listed.filter((made) => !made.router.mounted && !isUnused(made))
    const spare = tops.filter(({ router, path }) => router.registrations.every((r) => r.k !== 'route') && isListOnly(this.#program, path))
    for (const top of tops) if (!spare.includes(top)) this.#flatten(top.router, '', [], out, [])
    const served = new Set(out.map(handlerOf))
    for (const { router } of spare) {
      const own = this.of(router)
      // a list of routers that nothing mounts any more, while each of them is mounted elsewhere, serves nothing
      if (!own.every((r) => served.has(handlerOf(r)))) out.push(...own)
    }
    // what stands under nothing but itself is reached where it was made
    const reached = new Set<Router>()
    for (const { router } of listed) if (!router.mounted) addMounted(router, reached)
    for (const made of listed)
      if (!reached.has(made.router) && !isUnused(made)) {
        out.push(...deepest(this.of(made.router)))
        addMounted(made.router, reached)
      }
    return out
  }

  /** The routes of one router, asked for by its own paths. */
  of(router: Router): readonly RegisteredRoute[] {
    const out: RegisteredRoute[] = []
    this.#flatten(router, '', [], out, [])
    return out
  }

  /**
   * `above`: the routers under which this one is mounted. `upTo`: how much was registered when it was mounted below itself. Gives what it leaves in front
   * of whatever is registered later: who asks for a path below a mounted router passes its middleware, also where another one answers.
   */
  #flatten(
    router: Router,
    mountedAt: string,
    inherited: readonly InFront[],
    out: RegisteredRoute[],
    above: readonly Router[],
    upTo?: number,
  ): readonly InFront[] {
    if (above.length > MAX_DEPTH) return []
    const prefix = router.prefix ? joinPaths(mountedAt, routerPath(router.prefix)) : mountedAt
    let running: InFront[] = [...inherited]
    const run = (paths: readonly string[], befores: readonly Before[], notYet?: Router) => {
      const at = paths.map((p) => joinPaths(prefix, p))
      // whatever is asked of this router
      const everywhere = paths.some((p) => covers(p, '/'))
      for (const before of befores) running.push({ paths: at, before: everywhere ? { ...before, everywhere } : before, ...(notYet ? { notYet } : {}) })
    }
    if (this.#contextual) for (const r of router.registrations) if (r.k === 'use' && !r.from) run(r.paths, r.befores)
    // what stands in front of a part of a mounted router is asked for by the whole path
    const active = (route: string, method: string | undefined) =>
      running.filter((u) => u.notYet !== router && this.#runsFor(u, route, method)).map((u) => u.before)
    for (const r of router.registrations.slice(0, upTo)) {
      if (out.length > MAX_ROUTES) return []
      if (r.k === 'use') {
        if (!this.#contextual || r.from) run(r.paths, r.befores, r.from === 'next-plugin' ? router : undefined)
      } else if (r.k === 'loaded') {
        running = running.map(({ notYet: _, ...loaded }) => loaded)
      } else if (r.k === 'mount') {
        for (const p of r.paths) {
          const at = joinPaths(prefix, routerPath(p))
          const front = [...running, ...r.befores.map((before) => ({ paths: [at], before }))]
          const left = this.#flatten(r.router, at, front, out, [...above, router], above.includes(r.router) || r.router === router ? r.upTo : undefined)
          if (!this.#contextual) running.push(...left)
        }
      } else {
        const route = joinPaths(prefix, routerPath(r.path))
        const handler = r.handlers.at(-1)
        for (const method of r.methods) {
          const before = [...active(route, method), ...r.handlers.slice(0, -1)]
          const given = this.#givens.around(
            this.#program,
            [...before, ...(handler ? [handler] : [])].map((b) => b.code),
          )
          out.push({
            ...(method ? { method } : {}),
            route,
            at: r.at,
            ...(handler ? { code: handler.code } : {}),
            before,
            ...(given.length ? { given } : {}),
          })
          if (!this.#contextual && (method === undefined || route.includes('[...')) && r.handlers.every((h) => mayGoOn(this.#program, h)))
            for (const passed of r.handlers) running.push({ paths: [route], before: passed, asRoute: { method } })
        }
      }
    }
    return running.slice(inherited.length)
  }

  #runsFor({ paths, before, asRoute }: InFront, route: string, method: string | undefined): boolean {
    if (asRoute) return (asRoute.method === undefined || asRoute.method === method) && paths.some((p) => matchesWhole(p, route))
    const { covers: own } = this.#dialect
    return paths.some((p) => (own ? own(p, route, this.#program, before.at.path) : covers(p, route)))
  }
}

/** Whether whatever asks for one route asks for the other one too: `/api/[...rest]` for `/api/orders`, `/[id]` for `/me`. */
function matchesWhole(pattern: string, route: string): boolean {
  const wanted = pattern.split('/')
  const asked = route.split('/')
  const rest = wanted.findIndex((s) => s.startsWith('[...'))
  if (rest < 0 ? wanted.length !== asked.length : asked.length <= rest) return false
  return wanted.slice(0, rest < 0 ? undefined : rest).every((s, i) => s === asked[i] || /^\[[^\]]+\]$/.test(s))
}

/** Whether a handler may leave the answer to the next one: it takes `next`, or a library made it for that. */
function mayGoOn(program: Program, { code, calling, external }: Before): boolean {
  if (code.k !== 'fn') return external !== undefined
  return (program.fn(code.path, code.fn)?.params.length ?? 0) > (calling === 'hono' ? 1 : 2)
}

/** Adds a router and all that is mounted on it. */
function addMounted(router: Router, into: Set<Router>): void {
  if (into.has(router)) return
  into.add(router)
  for (const r of router.registrations) if (r.k === 'mount') addMounted(r.router, into)
}

const handlerOf = (r: RegisteredRoute): string => `${r.method} ${r.at.path}:${r.at.line}`

/** Of the paths that lead to one handler the longest, which is the one that was meant. */
function deepest(routes: readonly RegisteredRoute[]): RegisteredRoute[] {
  const best = new Map<string, RegisteredRoute>()
  for (const r of routes) {
    const key = handlerOf(r)
    const known = best.get(key)
    if (!known || r.route.split('/').length > known.route.split('/').length) best.set(key, r)
  }
  return [...best.values()]
}
