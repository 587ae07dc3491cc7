import type { Expr } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before, Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn } from '../exported-handlers.ts'
import { routerPath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import { stringOf, subExpressions } from '../walk.ts'

const REMIX_PACKAGES = [
  '@remix-run/react',
  '@remix-run/node',
  '@remix-run/server-runtime',
  '@react-router/node',
  '@react-router/dev',
  '@react-router/serve',
  '@react-router/cloudflare',
  '@remix-run/cloudflare',
  '@remix-run/deno',
]

interface RouteModule {
  readonly path: string
  readonly route: string
  /** Modules of the routes above, root first. */
  readonly parents: readonly string[]
}

/** Remix and React Router 7: loaders and actions of flat routes, nested folders and `routes.ts`. */
export const remix: Framework = {
  name: 'Remix',
  entries: (program) =>
    program.workspaces.all.flatMap((w) => {
      const prefix = folderPrefix(w.dir)
      if (w.manifest && !REMIX_PACKAGES.some((p) => program.workspaces.uses(p, `${prefix}app/root.tsx`))) return []
      if (!w.manifest && !frameworkIn(program, prefix, REMIX_PACKAGES)) return []
      if (!program.paths.some((p) => p.startsWith(`${prefix}app/routes/`) || p.startsWith(`${prefix}app/routes.`))) return []
      const configured = fromConfig(program, `${prefix}app`)
      const modules = configured.length ? configured : fromFiles(program, `${prefix}app`)
      return modules.filter((m) => !isOnlyFrame(program, m, modules)).flatMap((m) => moduleEntries(program, m))
    }),
}

/** A layout without code of its own, whose path an index below it answers. */
function isOnlyFrame(program: Program, m: RouteModule, modules: readonly RouteModule[]): boolean {
  if (!modules.some((below) => below.route === m.route && below.parents.includes(m.path))) return false
  return !exportedHandler(program, m.path, 'loader') && !exportedHandler(program, m.path, 'action')
}

function moduleEntries(program: Program, m: RouteModule): Entry[] {
  const loader = exportedHandler(program, m.path, 'loader')
  const action = exportedHandler(program, m.path, 'action')
  const component = exportedHandler(program, m.path, 'default')
  const common = { framework: 'Remix', route: m.route, path: m.path, calling: 'remix' as const }
  const out: Entry[] = []
  // Loaders of parents run beside it: they redirect the page, but the loader's data can be asked for alone.
  const parents = m.parents.flatMap((p): Before[] => {
    const h = exportedHandler(program, p, 'loader')
    return h?.code ? [{ code: h.code, calling: 'remix', at: { path: p, line: h.line }, what: 'loader', blocks: false }] : []
  })
  const middleware = [...m.parents, m.path].flatMap((p) => exportedMiddleware(program, p))
  if (component)
    out.push({
      ...common,
      kind: 'page',
      method: 'GET',
      subject: routeSubject('GET', m.route),
      line: loader?.line ?? component.line,
      ...((loader?.endLine ?? component.endLine) ? { endLine: loader?.endLine ?? component.endLine } : {}),
      ...(loader?.code ? { code: loader.code } : {}),
      before: [...middleware, ...parents],
      page: { path: m.path, client: false },
    } as Entry)
  else if (loader)
    out.push({
      ...common,
      kind: 'api',
      method: 'GET',
      subject: routeSubject('GET', m.route),
      line: loader.line,
      ...(loader.endLine ? { endLine: loader.endLine } : {}),
      ...(loader.code ? { code: loader.code } : {}),
      before: middleware,
    })
  if (action)
    out.push({
      ...common,
      kind: component ? 'action' : 'api',
      method: 'POST',
      otherMethods: true,
      subject: routeSubject('POST', m.route),
      line: action.line,
      ...(action.endLine ? { endLine: action.endLine } : {}),
      ...(action.code ? { code: action.code } : {}),
      before: middleware,
    })
  return out
}

/** `export const middleware = [auth]` (React Router 7). */
function exportedMiddleware(program: Program, path: string): Before[] {
  for (const name of ['middleware', 'unstable_middleware']) {
    const m = program.exported(path, name)
    if (m?.k !== 'expr' || m.expr.k !== 'arr') continue
    return m.expr.items.flatMap((i): Before[] => {
      const v = program.meaning(m.path, m.scope, i)
      if (v?.k === 'fn')
        return [
          {
            code: { k: 'fn', path: v.path, fn: v.fn },
            calling: 'remix',
            at: { path: v.path, line: program.fn(v.path, v.fn)?.l ?? i.l },
            what: 'middleware',
            blocks: true,
          },
        ]
      return [
        { code: { k: 'expr', path: m.path, scope: m.scope, expr: i }, calling: 'remix', at: { path: m.path, line: i.l }, what: 'middleware', blocks: true },
      ]
    })
  }
  return []
}

/** `app/routes/**`: dots are slashes, `_x` is pathless, `$x` a parameter, a trailing `_` leaves the parent's layout; a folder `x+` is a segment (remix-flat-routes). */
function fromFiles(program: Program, app: string): RouteModule[] {
  const found: { path: string; id: string }[] = []
  // A folder is a route through its `route` file; other files in it are its own business.
  const folders = new Set(
    program.paths.flatMap((path) => {
      const folder = path.startsWith(`${app}/routes/`) ? /^([^/]+)\/route\.[jt]sx?$/.exec(path.slice(app.length + '/routes/'.length))?.[1] : undefined
      return folder ?? []
    }),
  )
  for (const path of program.paths) {
    if (!path.startsWith(`${app}/routes/`)) continue
    let id = path.slice(app.length + '/routes/'.length)
    const dot = /\.[jt]sx?$/.exec(id)
    if (!dot || /\.(server|client|test|spec)\.[jt]sx?$/.test(id)) continue
    id = id.slice(0, dot.index)
    // `admin+/` is `admin.`, and its `_layout` the layout of all that is in it
    if (id.includes('+/')) id = id.replaceAll('+/', '.').replace(/\._layout$/, '')
    const parts = id.split('/')
    if (parts.length > 1 && folders.has(parts[0] as string) && !(parts.length === 2 && parts[1] === 'route')) continue
    if (parts.length === 2 && /^(route|index|_layout|_route)$/.test(parts[1] as string) && /[.$_]|^[a-z]/.test(parts[0] as string))
      id = parts[1] === 'index' && !(parts[0] as string).includes('.') ? `${parts[0]}.index` : (parts[0] as string)
    else if (parts.length > 1) {
      if (parts.some((p, i) => i < parts.length - 1 && /^(components?|utils|lib|hooks)$/.test(p))) continue
      id = parts.join('.')
    }
    const js = program.js(path)
    if (js?.exports.some((e) => /^(default|loader|action|clientLoader)$/.test(e.name))) found.push({ path, id })
  }
  const ids = new Set(found.map((f) => f.id))
  const root = ['tsx', 'jsx', 'ts', 'js'].map((x) => `${app}/root.${x}`).find((p) => program.js(p))
  return found.map(({ path, id }) => {
    const segments = id.split(/\.(?![^[]{0,200}\])/)
    const parents = segments.slice(0, -1).flatMap((_, i) => {
      const parent = segments.slice(0, i + 1).join('.')
      return ids.has(parent) ? [found.find((f) => f.id === parent)?.path as string] : []
    })
    return { path, route: flatRoute(segments), parents: [...(root ? [root] : []), ...parents] }
  })
}

function flatRoute(segments: readonly string[]): string {
  const out = segments.flatMap((s) => {
    if (s === '_index' || s === 'index' || /^_|^__/.test(s) || s === 'route') return []
    const plain = s.replace(/_$/, '').replace(/^\((.*)\)$/, '$1')
    if (plain === '$') return ['[...splat]']
    if (plain.startsWith('$')) return [`[${plain.slice(1)}]`]
    return [plain.replace(/\[([^[\]]*)\]/g, '$1')]
  })
  return out.length ? `/${out.join('/')}` : '/'
}

/** `app/routes.ts` of React Router 7: `route(path, file, children)`, `index(file)`, `layout(file, children)`, `prefix(path, children)`. */
function fromConfig(program: Program, app: string): RouteModule[] {
  const path = ['ts', 'js', 'tsx'].map((x) => `${app}/routes.${x}`).find((p) => program.js(p))
  const m = path ? program.exported(path, 'default') : undefined
  if (!path || m?.k !== 'expr') return []
  const out: RouteModule[] = []
  const file = (f: string) => `${app}/${f.replace(/^\.\//, '')}`
  const visit = (e: Expr, prefix: string, parents: readonly string[], depth: number): void => {
    if (depth > 12) return
    if (e.k === 'arr') for (const i of e.items) visit(i, prefix, parents, depth + 1)
    else if (e.k === 'spread' || e.k === 'await') visit(e.of, prefix, parents, depth + 1)
    else if (e.k === 'call' && e.fn.k === 'id') {
      const [a, b, c] = e.args
      const list = e.args.find((x) => x.k === 'arr')
      if (e.fn.name === 'prefix') {
        if (b) visit(b, `${prefix}/${stringOf(a) ?? ''}`, parents, depth + 1)
      } else if (e.fn.name === 'index') {
        const f = stringOf(a)
        if (f) out.push({ path: file(f), route: routerPath(prefix || '/'), parents })
      } else if (e.fn.name === 'layout') {
        const f = stringOf(a)
        if (list) visit(list, prefix, f ? [...parents, file(f)] : parents, depth + 1)
      } else if (e.fn.name === 'route') {
        const p = stringOf(a)
        const f = stringOf(b)
        const at = p ? `${prefix}/${p}` : prefix
        if (f) out.push({ path: file(f), route: routerPath(at || '/').replace(/(.)\/$/, '$1'), parents })
        if (c?.k === 'arr') visit(c, at, f ? [...parents, file(f)] : parents, depth + 1)
      }
    }
  }
  for (const e of subExpressions(m.expr))
    if (e.k === 'arr') {
      visit(e, '', [], 0)
      break
    }
  return out.filter((r) => program.js(r.path))
}
