import type { Expr } from '../../../facts/javascript.ts'
import type { Entry, Framework, Page } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { joinPaths, routerPath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import { expressionsDeep, propOf, stringOf } from '../walk.ts'
import { isBuiltByVite } from './vite-app.ts'

/** Frameworks that render on a server; where one is in use, `react-router` elements are not the whole application. */
const SERVER_FRAMEWORKS = [
  'next',
  '@remix-run/node',
  '@react-router/node',
  '@react-router/dev',
  '@tanstack/react-start',
  '@sveltejs/kit',
  'nuxt',
  'astro',
  'vike',
  'gatsby',
]

/** Pages of single-page applications: `<Route path element>`, `createBrowserRouter([...])`, Vue and TanStack routers. No server renders them. */
export const spa: Framework = {
  name: 'SPA',
  entries: (program) => {
    const files = ['react-router-dom', 'react-router', 'wouter', 'vue-router'].flatMap((p) => [...program.importersOf(p)])
    return [...new Set(files)]
      .sort()
      .flatMap((path) => (SERVER_FRAMEWORKS.some((s) => program.workspaces.uses(s, path)) && !isBuiltByVite(program, path) ? [] : fileRoutes(program, path)))
  },
}

const ROUTE_COMPONENT_PROP = /^(?:element|component|Component|render)$/
/** Components that by their names let nobody past who is not signed in. */
const GATE = /Protect|Private|Require|Guard|Authenticated|Authed|(?:Auth|Admin|User|Member|Session)(?:Only|Route|Gate|Wall|Layout)$/

/** Elements of the router itself. */
const ROUTER = /^(?:Route|Routes|Switch)$/

/** Gates for those who run the application: by their names, or by what they are told. */
const ADMIN_GATE_COMPONENT = /(?:^|[a-z])Admin|^Admin/
const ROLE_GATE_PROP = /^(?:required?_?|allowed_?|needs_?)?roles?$|^(?:require|need|only|is)?_?admin(?:_?only)?$/i

/** What stands around a page. */
type Gate = Pick<Page, 'gated' | 'administrators' | 'within'>
type Drawn = Pick<Page, 'draws'> & Gate

/** `<ProtectedRoute><Layout><Dashboard /></Layout></ProtectedRoute>`: the innermost is the page. */
function drawnBy(e: Expr | undefined): Drawn {
  const names: string[] = []
  let gate: Gate = {}
  for (let at = e; at; ) {
    if (at.k === 'id') names.push(at.name)
    if (at.k !== 'jsx') break
    if (typeof at.tag === 'object' && at.tag?.k === 'id') {
      names.push(at.tag.name)
      gate = inside(gate, gateOf(at, at.tag.name))
    }
    at = at.children.find((c) => c.k === 'jsx')
  }
  const shown = names.filter((n) => !GATE.test(n))
  const draws = shown.pop()
  return { ...(draws === undefined ? {} : { draws }), ...inside(gate, { within: shown }) }
}

const isGate = (e: Expr): boolean => e.k === 'jsx' && typeof e.tag === 'object' && e.tag?.k === 'id' && GATE.test(e.tag.name)

/** What one element asks of whoever is to see what is inside. */
function gateOf({ attrs }: Extract<Expr, { k: 'jsx' }>, name: string): Gate {
  if (!GATE.test(name)) return {}
  const told = attrs.some((a) => {
    if (!ROLE_GATE_PROP.test(a.key ?? '')) return false
    const only = a.value?.k === 'arr' ? (a.value.items.length === 1 ? a.value.items[0] : undefined) : a.value
    const said = stringOf(only)
    return said === undefined ? /admin/i.test(a.key ?? '') && (only === undefined || (only.k === 'lit' && only.v === true)) : /^(?:super_?)?admin$/i.test(said)
  })
  return { gated: true, ...(told || ADMIN_GATE_COMPONENT.test(name) ? { administrators: true } : {}) }
}

const inside = (outer: Gate, inner: Gate): Gate => ({
  ...(outer.gated || inner.gated ? { gated: true as const } : {}),
  ...(outer.administrators || inner.administrators ? { administrators: true as const } : {}),
  ...(outer.within?.length || inner.within?.length ? { within: [...(outer.within ?? []), ...(inner.within ?? [])] } : {}),
})

/** What is drawn by a route that has others inside stands around those: `<Route element={<AppLayout />}>`. */
const asLayout = (drawn: Drawn): Gate => inside(drawn, drawn.draws === undefined || ROUTER.test(drawn.draws) ? {} : { within: [drawn.draws] })

function fileRoutes(program: Program, path: string): Entry[] {
  const js = program.js(path)
  if (!js) return []
  const out: Entry[] = []
  const nested = new Set<Expr>()
  const add = (route: string, line: number, { draws, ...gate }: Drawn) =>
    out.push({
      framework: 'SPA',
      kind: 'page',
      method: 'GET',
      route,
      subject: routeSubject('GET', route),
      path,
      line,
      calling: 'component',
      before: [],
      page: { path, client: true, static: true, ...(draws === undefined ? {} : { draws }), ...gate },
    })
  const element = (e: Expr, prefix: string, depth: number, above: Gate = {}): void => {
    if (e.k !== 'jsx' || depth > 12) return
    nested.add(e)
    const isRoute = typeof e.tag === 'object' && e.tag?.k === 'id' && e.tag.name === 'Route'
    const given = isRoute ? stringOf(e.attrs.find((a) => a.key === 'path')?.value) : undefined
    const at = given !== undefined ? (given.startsWith('/') ? given : joinPaths(prefix, given)) : prefix
    const children = e.children.filter((c) => c.k === 'jsx')
    const drawn = isRoute ? drawnBy(e.attrs.find((a) => ROUTE_COMPONENT_PROP.test(a.key ?? ''))?.value) : drawnBy({ ...e, children: [] })
    const gate = inside(above, drawn)
    const around = inside(above, asLayout(drawn))
    if (
      isRoute &&
      (given !== undefined || e.attrs.some((a) => a.key === 'index')) &&
      given !== '*' &&
      e.attrs.some((a) => ROUTE_COMPONENT_PROP.test(a.key ?? '') || a.key === 'index') &&
      !(children.length && !given)
    )
      add(routerPath(at || '/'), e.l, { ...drawn, ...gate })
    for (const c of children) element(c, at, depth + 1, around)
  }
  const object = (e: Expr, prefix: string, depth: number, above: Gate = {}): void => {
    if (e.k !== 'obj' || depth > 12) return
    const given = stringOf(propOf(e, 'path'))
    const at = given === undefined ? prefix : given.startsWith('/') ? given : joinPaths(prefix, given)
    const children = propOf(e, 'children')
    const drawn = drawnBy(propOf(e, 'element') ?? propOf(e, 'component') ?? propOf(e, 'Component'))
    const gate = inside(above, drawn)
    if ((given !== undefined || propOf(e, 'index')) && given !== '*' && ['element', 'component', 'Component', 'lazy', 'redirect'].some((k) => propOf(e, k)))
      add(routerPath(at || '/'), e.l, { ...drawn, ...gate })
    if (children?.k === 'arr') for (const c of children.items) object(c, at, depth + 1, inside(above, asLayout(drawn)))
  }
  for (const { expr, scope } of expressionsDeep(js, 0)) {
    // a gate around a list of routes stands before each of them
    if (expr.k === 'jsx' && !nested.has(expr) && ((typeof expr.tag === 'object' && expr.tag?.k === 'id' && ROUTER.test(expr.tag.name)) || isGate(expr)))
      element(expr, '', 0)
    else if (expr.k === 'call' && expr.fn.k === 'id' && /^(createBrowserRouter|createHashRouter|useRoutes|createRouter)$/.test(expr.fn.name)) {
      const arg = expr.fn.name === 'createRouter' ? propOf(expr.args[0], 'routes') : expr.args[0]
      const m = arg ? program.meaning(path, scope, arg) : undefined
      const list = m?.k === 'expr' ? m.expr : arg
      if (list?.k === 'arr') for (const i of list.items) object(i, '', 0)
    }
  }
  return out
}
