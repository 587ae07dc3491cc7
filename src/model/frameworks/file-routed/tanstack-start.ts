import type { Expr, FunctionId, JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberByFile } from '../../../lib/memo/memoize-by-file.ts'
import type { Before, Component, Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { handlerEntry } from '../handler-entry.ts'
import { codeOf, type Program } from '../program.ts'
import { expressionsDeep, propOf, stringOf } from '../walk.ts'

const TANSTACK_PACKAGES = ['@tanstack/react-start', '@tanstack/start', '@tanstack/solid-start', '@tanstack/start-api-routes']

/** TanStack Start: server functions, server routes, pages with `beforeLoad` and `loader`. */
export const tanstackStart: Framework = {
  name: 'TanStack Start',
  entries: (program) =>
    program.paths.flatMap((path) =>
      TANSTACK_PACKAGES.some((p) => program.workspaces.uses(p, path)) || TANSTACK_PACKAGES.some((p) => program.importersOf(p).has(path))
        ? fileEntries(program, path)
        : [],
    ),
}

function fileEntries(program: Program, path: string): Entry[] {
  const js = program.js(path)
  if (!js) return []
  const out: Entry[] = []
  for (const { expr, scope, chain } of callsOf(path, js)) {
    if (chain.root === 'createServerFn' && chain.calls.at(-1)?.name === 'handler') out.push(...serverFunction(program, path, scope, expr, chain))
    else if (/^create(Server|API)FileRoute$/.test(chain.root) && /^(methods)$/.test(chain.calls.at(-1)?.name ?? ''))
      out.push(...serverRoute(program, path, scope, chain.calls.at(-1)?.args[0], routeOf(path, stringOf(chain.args[0]))))
    else if (chain.root === 'createFileRoute' || chain.root === 'createAPIFileRoute') out.push(...fileRoute(program, path, scope, expr, chain))
  }
  return out
}

/** Calls that begin with one of the functions that define routes and server functions. */
const callsOf = rememberByFile((_: string, js: JavaScriptFacts) => {
  const found: { readonly expr: Extract<Expr, { k: 'call' }>; readonly scope: FunctionId; readonly chain: Chain }[] = []
  for (const { expr, scope } of expressionsDeep(js, 0)) {
    if (expr.k !== 'call') continue
    const chain = unchain(expr)
    if (/^create(?:ServerFn|(?:Server|API)?FileRoute|RootRoute)/.test(chain.root)) found.push({ expr, scope, chain })
  }
  return found
})

interface Chain {
  readonly root: string
  readonly args: readonly Expr[]
  readonly calls: readonly { readonly name: string; readonly args: readonly Expr[] }[]
  /** `createFileRoute('/x')({...})`: arguments of the second call. */
  readonly applied?: readonly Expr[]
}

function unchain(e: Extract<Expr, { k: 'call' }>): Chain {
  const calls: { name: string; args: readonly Expr[] }[] = []
  let at: Expr = e
  let applied: readonly Expr[] | undefined
  for (let i = 0; i < 40; i++) {
    if (at.k !== 'call') break
    if (at.fn.k === 'mem') {
      calls.unshift({ name: at.fn.name, args: at.args })
      at = at.fn.of
    } else if (at.fn.k === 'id') return { root: at.fn.name, args: at.args, calls, ...(applied ? { applied } : {}) }
    else if (at.fn.k === 'call') {
      applied = at.args
      at = at.fn
    } else break
  }
  return { root: '', args: [], calls }
}

function serverFunction(program: Program, path: string, scope: FunctionId, e: Expr, chain: Chain): Entry[] {
  const handler = chain.calls.at(-1)?.args[0]
  const code = handler ? codeOf(program.meaning(path, scope, handler)) : undefined
  if (!code) return []
  const js = program.js(path)
  const named = js?.functions[0]?.body.find((s) => s.k === 'let' && s.init === e)
  const name = named?.k === 'let' && named.to.k === 'name' ? named.to.name : 'serverFn'
  const method = (stringOf(propOf(chain.args[0], 'method')) ?? 'GET').toUpperCase()
  const middleware = [
    ...globalMiddleware(program, path, 'requestMiddleware'),
    ...globalMiddleware(program, path, 'functionMiddleware'),
    ...chain.calls.filter((c) => c.name === 'middleware').flatMap((c) => middlewareOf(program, path, scope, c.args[0], 0)),
  ]
  return [
    {
      framework: 'TanStack Start',
      kind: 'action',
      method,
      route: `${path}#${name}`,
      subject: `action ${path}#${name}`,
      path,
      line: named?.l ?? e.l,
      ...(e.e ? { endLine: e.e } : {}),
      code,
      calling: 'tanstack',
      schemas: chain.calls.flatMap((c) =>
        /^(?:validator|inputValidator)$/.test(c.name) && c.args[0] ? [{ k: 'expr' as const, path, scope, expr: c.args[0] }] : [],
      ),
      before: middleware,
    },
  ]
}

/** `createMiddleware().middleware([first]).server(fn)`, first ones first. */
function middlewareOf(program: Program, path: string, scope: FunctionId, list: Expr | undefined, depth: number): Before[] {
  if (list?.k !== 'arr' || depth > 6) return []
  return list.items.flatMap((i): Before[] => {
    const m = program.meaning(path, scope, i)
    if (m?.k !== 'expr' || m.expr.k !== 'call') return []
    const chain = unchain(m.expr)
    const server = chain.calls.find((c) => c.name === 'server')?.args[0]
    const code = server ? codeOf(program.meaning(m.path, m.scope, server)) : undefined
    const first = chain.calls.filter((c) => c.name === 'middleware').flatMap((c) => middlewareOf(program, m.path, m.scope, c.args[0], depth + 1))
    return [
      ...first,
      ...(code
        ? [{ code, calling: 'tanstack-middleware' as const, at: { path: m.path, line: server?.l ?? m.expr.l }, what: 'middleware' as const, blocks: true }]
        : []),
    ]
  })
}

/** `createStart(() => ({ requestMiddleware, functionMiddleware }))`: what runs for all requests of the application, or for all its server functions. */
function globalMiddleware(program: Program, of: string, kind: 'requestMiddleware' | 'functionMiddleware'): Before[] {
  return startOptions(program, of).flatMap((o) => middlewareOf(program, o.path, o.scope, propOf(o.options, kind), 0))
}

/** What `createStart(() => ({ … }))` of the application is given. */
function startOptions(program: Program, of: string): OptionsOf[] {
  const { dir } = program.workspace(of)
  return TANSTACK_PACKAGES.flatMap((p) => [...program.importersOf(p)]).flatMap((path) => {
    const js = program.workspace(path).dir === dir ? program.js(path) : undefined
    if (!js) return []
    return startsOf(path, js).flatMap(({ expr, scope }) => {
      const made = program.meaning(path, scope, expr)
      const back = made?.k === 'fn' ? program.fn(made.path, made.fn)?.body.find((s) => s.k === 'return') : undefined
      return made?.k === 'fn' && back?.k === 'return' ? [{ path: made.path, scope: made.fn, options: back.value }] : []
    })
  })
}

const startsOf = rememberByFile((_: string, js: JavaScriptFacts) => {
  if (!js.imports.some((i) => i.bindings.some((b) => b.imported === 'createStart'))) return []
  return [...expressionsDeep(js, 0)].flatMap(({ expr, scope }) =>
    expr.k === 'call' && expr.fn.k === 'id' && expr.fn.name === 'createStart' && expr.args[0] ? [{ expr: expr.args[0], scope }] : [],
  )
})

function serverRoute(program: Program, path: string, scope: FunctionId, methods: Expr | undefined, route: string, before: readonly Before[] = []): Entry[] {
  if (methods?.k !== 'obj') return []
  return methods.props.flatMap((p): Entry[] => {
    if (!p.key || !/^(GET|POST|PUT|PATCH|DELETE|ANY)$/.test(p.key)) return []
    const handler = propOf(p.value, 'handler') ?? p.value
    const code = codeOf(program.meaning(path, scope, handler))
    const method = p.key === 'ANY' ? undefined : p.key
    const first = [...before, ...middlewareOf(program, path, scope, propOf(p.value, 'middleware'), 0)]
    return [handlerEntry({ framework: 'TanStack Start', route, path, calling: 'tanstack', before: first }, { line: p.l, code }, method)]
  })
}

function fileRoute(program: Program, path: string, scope: FunctionId, e: Expr, chain: Chain): Entry[] {
  if (!chain.applied) return []
  const given = stringOf(chain.args[0])
  const route = routeOf(path, given)
  const options = chain.applied[0]
  if (chain.root === 'createAPIFileRoute') return serverRoute(program, path, scope, options, route)
  const above = given !== undefined ? parentsOf(program, path, given) : []
  // middleware of all routes that match, for handlers and for pages that are asked for
  const middleware = [
    ...globalMiddleware(program, path, 'requestMiddleware'),
    ...[...above, { path, options, scope }].flatMap((o) => middlewareOf(program, o.path, o.scope, propOf(propOf(o.options, 'server'), 'middleware'), 0)),
  ]
  const handlers = handlersOf(program, path, scope, propOf(propOf(options, 'server'), 'handlers'))
  const out = handlers ? serverRoute(program, handlers.path, handlers.scope, handlers.expr, route, middleware) : []
  // A pathless route (`/_authed`, `/(members)`) is a layout, and so is one whose path an index answers; it is found as the parent of others.
  if (propOf(options, 'component') && given !== undefined && !/(^|\/)(?:_[^/]+|\([^)]*\))$/.test(given) && !hasIndex(program, path, given)) {
    // loaders of the routes above run beside this one; what they refuse is not rendered
    const beside = above.flatMap((o) => loaders(program, o.path, o.scope, o.options, 'loader', false))
    const matched = [...above, { path, options, scope }]
    const loads = [...matched.flatMap((o) => loaders(program, o.path, o.scope, o.options, 'beforeLoad', true)), ...beside]
    const inBrowser = matched.some((o) => isNo(propOf(o.options, 'ssr'))) || rendersNothing(program, path)
    const own = inBrowser ? undefined : propOf(options, 'loader')
    const code = own ? codeOf(program.meaning(path, scope, own)) : undefined
    const component = componentOf(program, { path, options, scope })
    out.push({
      framework: 'TanStack Start',
      kind: 'page',
      method: 'GET',
      route,
      subject: routeSubject('GET', route),
      path,
      line: e.l,
      ...(e.e ? { endLine: e.e } : {}),
      ...(code ? { code } : {}),
      calling: 'tanstack',
      before: inBrowser ? middleware : [...middleware, ...loads],
      page: {
        path,
        client: false,
        ...(inBrowser ? { static: true as const } : {}),
        ...(component ? { component } : {}),
        layouts: above.flatMap((o) => componentOf(program, o) ?? []),
      },
    })
  }
  return out
}

/** `ssr: false`: neither its loaders nor its component run on the server, and neither do those of the routes below. */
const isNo = (e: Expr | undefined): boolean => e?.k === 'lit' && e.v === false

/** `createStart(() => ({ defaultSsr: false }))` */
const rendersNothing = (program: Program, of: string): boolean => startOptions(program, of).some((o) => isNo(propOf(o.options, 'defaultSsr')))

function componentOf(program: Program, { path, scope, options }: OptionsOf): Component | undefined {
  const component = propOf(options, 'component')
  const m = component ? program.meaning(path, scope, component) : undefined
  return m?.k === 'fn' ? { path: m.path, fn: m.fn } : undefined
}

/** `handlers: { GET }`, also as `({ createHandlers }) => createHandlers({ GET: { middleware, handler } })`. */
function handlersOf(
  program: Program,
  path: string,
  scope: FunctionId,
  handlers: Expr | undefined,
): { path: string; scope: FunctionId; expr: Expr } | undefined {
  const m = handlers ? program.meaning(path, scope, handlers) : undefined
  if (m?.k === 'expr') return m
  const made = m?.k === 'fn' ? program.fn(m.path, m.fn)?.body.find((s) => s.k === 'return') : undefined
  if (m?.k !== 'fn' || made?.k !== 'return') return undefined
  const expr = made.value?.k === 'call' ? made.value.args[0] : made.value
  return expr ? { path: m.path, scope: m.fn, expr } : undefined
}

function loaders(program: Program, path: string, scope: FunctionId, options: Expr | undefined, name: 'beforeLoad' | 'loader', blocks: boolean): Before[] {
  const fn = propOf(options, name)
  const code = fn ? codeOf(program.meaning(path, scope, fn)) : undefined
  return code && fn ? [{ code, calling: 'tanstack', at: { path, line: fn.l }, what: 'loader', blocks }] : []
}

/** `/admin/` beside `/admin`: the index is the page. */
function hasIndex(program: Program, path: string, given: string): boolean {
  if (given.endsWith('/')) return false
  const { dir } = program.workspace(path)
  return routesById(program).some((r) => r.given === `${given}/` && program.workspace(r.path).dir === dir)
}

/** What a route or the application is configured with, where that is written. */
interface OptionsOf {
  readonly path: string
  readonly scope: FunctionId
  readonly options: Expr | undefined
}

/** Options of the routes above (`/_authed`, `/admin`), root first, by the ids that the files name themselves. */
function parentsOf(program: Program, path: string, id: string): { path: string; scope: FunctionId; options: Expr }[] {
  const all = routesById(program)
  const dir = program.workspace(path).dir
  const parts = id.split('/').filter((p) => p !== '')
  return ['__root__', ...parts.slice(0, -1).map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)].flatMap((p) =>
    all.filter((r) => r.id === p && program.workspace(r.path).dir === dir),
  )
}

const ids = new WeakMap<Program, { id: string; given?: string; path: string; scope: FunctionId; options: Expr }[]>()

function routesById(program: Program) {
  let found = ids.get(program)
  if (found) return found
  found = []
  for (const path of program.importersOf('@tanstack/react-router')) {
    const js = program.js(path)
    if (!js) continue
    for (const { scope, chain } of callsOf(path, js)) {
      const options = chain.applied?.[0] ?? (chain.root === 'createRootRoute' ? chain.args[0] : undefined)
      const id = chain.root === 'createFileRoute' ? stringOf(chain.args[0]) : /^createRootRoute/.test(chain.root) ? '__root__' : undefined
      if (id !== undefined && options) found.push({ id: id.length > 1 ? id.replace(/\/$/, '') : id, given: id, path, scope, options })
    }
  }
  ids.set(program, found)
  return found
}

function routeOf(path: string, given: string | undefined): string {
  const raw =
    given ??
    `/${path
      .replace(/^.*\/routes\//, '')
      .replace(/\.[jt]sx?$/, '')
      .replace(/\./g, '/')}`
  const out = raw
    .split('/')
    .filter((s) => s !== '' && !s.startsWith('_') && !/^\(.*\)$/.test(s) && s !== 'index')
    .map((s) => (s === '$' ? '[...splat]' : s.startsWith('$') ? `[${s.slice(1)}]` : s.replace(/_$/, '')))
  return out.length ? `/${out.join('/')}` : '/'
}
