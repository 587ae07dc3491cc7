import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Before, Entry, Framework } from '../entry.ts'
import { nextMiddlewareFor } from '../next/next-middleware.ts'
import type { Code } from '../program.ts'
import { codeOf, type Meaning, type Program } from '../program.ts'
import { expressionsDeep } from '../walk.ts'
import { databasesInContext } from './trpc-context.ts'

interface Procedure {
  readonly name: string
  readonly expr: Extract<Expr, { k: 'call' }>
  readonly path: string
  readonly scope: FunctionId
}

interface Router {
  readonly path: string
  readonly scope: FunctionId
  readonly expr: Extract<Expr, { k: 'call' }>
}

/** tRPC: procedures of the routers, named by their place in the application router, with the middleware of their base procedure. */
export const trpc: Framework = {
  name: 'tRPC',
  entries: (program) => {
    const files = [...program.importersOf('@trpc/server')]
    if (!files.length) return []
    const routers: Router[] = []
    for (const path of program.paths) {
      const js = program.js(path)
      if (!js?.imports.some((i) => /trpc/i.test(i.from) || i.bindings.some((b) => /router|procedure/i.test(b.imported)))) continue
      for (const { expr, scope } of expressionsDeep(js, 0))
        if (expr.k === 'call' && expr.args[0]?.k === 'obj' && isRouterCall(program, path, scope, expr)) routers.push({ path, scope, expr })
    }
    const mount = mountedAt(program)
    const seen = new Set<Expr>()
    return (servedRouters(program, files) ?? outermost(program, routers))
      .flatMap((r) => procedures(program, r, '', seen, 0))
      .map((p) => toEntry(program, p, mount))
  },
}

/** Routers that stand in no other one. */
function outermost(program: Program, routers: readonly Router[]): readonly Router[] {
  const nested = new Set(routers.flatMap((r) => subRouters(program, r).map((sub) => sub.expr)))
  return routers.filter((r) => !nested.has(r.expr))
}

/**
 * The routers that adapters answer for (`fetchRequestHandler({ router: appRouter })`): one that is mounted in none of them is served nowhere. Undefined where
 * an adapter's router, or something mounted in it, is not known.
 */
function servedRouters(program: Program, files: readonly string[]): readonly Router[] | undefined {
  const given = files.flatMap((path) => {
    const js = program.js(path)
    if (!js?.imports.some((i) => ADAPTERS.test(i.from))) return []
    return [...expressionsDeep(js, 0)].flatMap(({ expr, scope }) =>
      expr.k === 'obj' ? expr.props.filter((p) => p.key === 'router').map((p) => program.meaning(path, scope, p.value)) : [],
    )
  })
  const roots = given.map((m) => routerOf(program, m))
  const known = roots.filter((r) => r !== undefined)
  return known.length && known.length === roots.length && known.every((r) => isKnownThroughout(program, r, 0)) ? known : undefined
}

const ADAPTERS = /^(?:@trpc\/server\/adapters\/|@hono\/trpc-server)/

/** Whether each of what a router holds is a procedure or a router that is found: nothing from elsewhere is spread into it, merged or loaded later. */
function isKnownThroughout(program: Program, r: Router, depth: number): boolean {
  return depth <= 8 && isKnown(program, r, r.expr.args[0], depth)
}

function isKnown(program: Program, r: Router, object: Expr | undefined, depth: number): boolean {
  // `...(development ? { session } : {})`
  if (object?.k === 'cond') return isKnown(program, r, object.then, depth) && isKnown(program, r, object.else, depth)
  if (object?.k !== 'obj') return false
  return object.props.every((p) => {
    if (p.spread) return isKnown(program, r, p.value, depth)
    const m = p.key ? program.meaning(r.path, r.scope, p.value) : undefined
    const router = routerOf(program, m)
    return router ? isKnownThroughout(program, router, depth + 1) : m?.k === 'expr' && m.expr.k === 'call' && m.expr.fn.k === 'mem'
  })
}

interface Mount {
  readonly path: string
  /** `/api/trpc`. */
  readonly route: string
}

/** The one route handler of Next.js that answers for the procedures: the middleware of the application stands before it. */
function mountedAt(program: Program): Mount | undefined {
  const found = [...program.importersOf('@trpc/server')].flatMap((path): Mount[] => {
    if (!program.js(path)?.imports.some((i) => /^@trpc\/server\/adapters\/(?:fetch|next)/.test(i.from))) return []
    const [, folder] = /(?:^|\/)(?:app|pages)\/((?:[^/]+\/)*)\[[\w.]+\](?:\/route)?\.[cm]?[jt]sx?$/.exec(path) ?? []
    return folder === undefined ? [] : [{ path, route: `/${folder.replace(/\([^()/]{0,80}\)\//g, '').replace(/\/$/, '')}` }]
  })
  return found.length === 1 ? found[0] : undefined
}

/** `router({...})`, `t.router({...})`, and what a module calls that function: `createTRPCRouter({...})`, `trpc.createRouter({...})`. */
function isRouterCall(program: Program, path: string, scope: FunctionId, { fn }: Extract<Expr, { k: 'call' }>): boolean {
  if (fn.k !== 'id' && fn.k !== 'mem') return false
  if (fn.name === 'router' || (fn.k === 'id' && /^(createRouter|createTRPCRouter|trpcRouter)$/.test(fn.name))) return true
  const m = /router/i.test(fn.name) ? program.meaning(path, scope, fn) : undefined
  return m?.k === 'expr' && m.expr.k === 'mem' && m.expr.name === 'router'
}

const routerOf = (program: Program, m: Meaning | undefined): Router | undefined =>
  m?.k === 'expr' && m.expr.k === 'call' && isRouterCall(program, m.path, m.scope, m.expr) ? { path: m.path, scope: m.scope, expr: m.expr } : undefined

function subRouters(program: Program, r: Router): readonly Router[] {
  const object = r.expr.args[0]
  if (object?.k !== 'obj') return []
  return object.props.flatMap((p) => {
    const router = routerOf(program, program.meaning(r.path, r.scope, p.value))
    return router ? [router] : []
  })
}

function procedures(program: Program, r: Router, prefix: string, seen: Set<Expr>, depth: number): Procedure[] {
  const object = r.expr.args[0]
  if (object?.k !== 'obj' || depth > 8 || seen.has(r.expr)) return []
  seen.add(r.expr)
  return object.props.flatMap((p): Procedure[] => {
    if (!p.key) return []
    const m = program.meaning(r.path, r.scope, p.value)
    const router = routerOf(program, m)
    if (router) return procedures(program, router, `${prefix}${p.key}.`, seen, depth + 1)
    if (m?.k !== 'expr' || m.expr.k !== 'call') return []
    return m.expr.fn.k === 'mem' && /^(query|mutation|subscription)$/.test(m.expr.fn.name)
      ? [{ name: `${prefix}${p.key}`, expr: m.expr, path: m.path, scope: m.scope }]
      : []
  })
}

function toEntry(program: Program, p: Procedure, mount: Mount | undefined): Entry {
  const how = p.expr.fn.k === 'mem' ? p.expr.fn.name : 'query'
  const method = how === 'mutation' ? 'POST' : 'GET'
  const resolver = p.expr.args[0]
  const code = resolver ? codeOf(program.meaning(p.path, p.scope, resolver)) : undefined
  const route = `/api/trpc/${p.name}`
  const line = lineOfStart(p.expr)
  return {
    framework: 'tRPC',
    kind: 'procedure',
    method,
    route,
    subject: `route ${method} ${route}`,
    path: p.path,
    line,
    ...(p.expr.e && p.expr.e > line ? { endLine: p.expr.e } : {}),
    ...(code ? { code } : {}),
    calling: 'trpc',
    carried: databasesInContext(program),
    schemas: p.expr.fn.k === 'mem' ? schemas(p, p.expr.fn.of) : [],
    before: [
      ...(mount ? nextMiddlewareFor(program, mount.path, `${mount.route}/${p.name}`) : []),
      ...(p.expr.fn.k === 'mem' ? middleware(program, p.path, p.scope, p.expr.fn.of, 0) : []),
    ],
  }
}

function lineOfStart(e: Expr): number {
  let at: Expr = e
  for (let i = 0; i < 60; i++) {
    if (at.k === 'call') at = at.fn
    else if (at.k === 'mem') at = at.of
    else break
  }
  return Math.min(e.l, at.l)
}

/** The schemas of `.input(a).input(b)`, first ones first. */
function schemas(p: Procedure, e: Expr): Code[] {
  const out: Code[] = []
  for (let at: Expr = e; at.k === 'call' && at.fn.k === 'mem' && out.length < 8; at = at.fn.of)
    if (at.fn.name === 'input' && at.args[0]) out.unshift({ k: 'expr', path: p.path, scope: p.scope, expr: at.args[0] })
  return out
}

/** The middleware of `base.use(a).use(b).input(…)`, through the names of base procedures. */
function middleware(program: Program, path: string, scope: FunctionId, e: Expr, depth: number): Before[] {
  if (depth > 30) return []
  if (e.k === 'call' && e.fn.k === 'mem') {
    const above = middleware(program, path, scope, e.fn.of, depth + 1)
    if (e.fn.name !== 'use' && e.fn.name !== 'concat' && e.fn.name !== 'unstable_concat') return above
    return [...above, ...e.args.flatMap((a) => used(program, path, scope, a, depth + 1))]
  }
  const name = e.k === 'id' || e.k === 'mem' ? { name: e.name } : {}
  if (e.k === 'id' || e.k === 'mem') {
    const m = program.meaning(path, scope, e)
    if (m?.k === 'expr' && m.expr !== e && (m.expr.k === 'call' || m.expr.k === 'mem'))
      return middleware(program, m.path, m.scope, m.expr, depth + 1).map((b) => ({ ...name, ...b }))
  }
  return []
}

function used(program: Program, path: string, scope: FunctionId, a: Expr, depth: number): Before[] {
  const m: Meaning | undefined = program.meaning(path, scope, a)
  // t.middleware(fn)
  if (m?.k === 'expr' && m.expr.k === 'call' && m.expr.fn.k === 'mem' && /^(middleware|unstable_pipe|pipe)$/.test(m.expr.fn.name))
    return m.expr.args.flatMap((x) => used(program, m.path, m.scope, x, depth + 1))
  const code = codeOf(m)
  if (!code) return []
  const line = m?.k === 'fn' ? (program.fn(m.path, m.fn)?.l ?? a.l) : a.l
  return [{ code, calling: 'trpc-middleware', at: { path: code.path, line }, what: 'middleware', blocks: true }]
}
