import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { lazily } from '../../../lib/memo/lazy.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { Program } from '../../frameworks/program.ts'
import { expressions, stringOf } from '../../frameworks/walk.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import { OwnAddresses } from '../code-context/internal-urls.ts'
import type { Route } from '../routes.ts'
import { pageSigns } from './client-side-signals.ts'
import { componentsUsing } from './component-usage.ts'
import { usersOf } from './unreferenced-actions.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition' | 'side'>

/** Which pages have to do with something, as far as the repository shows. */
export interface PagesUsing {
  /** The pages that use a server action, ask an address of the application's API or call an edge function. */
  handler(route: Route): readonly Route[]
  /** The pages of a single-page application that a file is part of. */
  file(path: string): readonly Route[]
}

/** The pages that use handlers and files, for whoever writes advice about them. */
export function pagesUsing(routes: readonly Route[], program: Program, callersOf: (name: string) => readonly Place[]): PagesUsing {
  const { modules, sources } = program
  const pages = pagesByFile(routes)
  const drawn = lazily(() => drawnPages(routes, program))
  const writing = lazily(() => new OwnAddresses(sources, addressesIn))
  // several parts of one finding ask the same
  const handler = rememberFor((route: Route): readonly Route[] => {
    if (route.kind === 'edge-function')
      return pagesWith(componentsUsing(callersOf(route.subject.replace(/^function /, '')), modules, sources), modules, drawn().pages, drawn().routers)
    if (route.framework !== 'Next.js' || route.kind === 'page') return []
    const users =
      route.kind === 'action'
        ? filesUsing(route, pages, modules, sources)
        : [...Map.groupBy(writing().of(route.route), (a) => a.path)].flatMap(([path, found]) =>
            path === route.path ? [] : asking(path, found, modules, sources),
          )
    return users ? pagesWith(users, modules, pages) : []
  })
  return { handler, file: (path) => pagesWith([path], modules, drawn().pages, drawn().routers) }
}

/**
 * The pages of a single-page application by the files of what its router draws, with what their components say about whom they are for. Where no page is
 * drawn inside of a gate, who is signed in is asked elsewhere, and nothing is told by a page that has none.
 */
function drawnPages(
  routes: readonly Route[],
  program: Program,
): { readonly pages: ReadonlyMap<string, readonly Route[]>; readonly routers: ReadonlySet<string> } {
  const pages = insideOfGates(
    routes.filter((r) => r.kind === 'page' && r.page?.draws !== undefined),
    program,
  ).map((r) => insideOfLayouts(r, program))
  const routers = new Set(pages.map((p) => p.path))
  // nor where one gate stands around all that has an address of its own inside
  if (!pages.some((r) => r.page?.gated) || routes.some((r) => holdsOthers(r, routers, program))) return { pages: new Map(), routers }
  const found = pages.flatMap((page) => {
    const file = fileDrawn(page, program)
    // what has addresses of its own inside is no page: each of those is one
    if (file === undefined || (file !== page.path && routers.has(file) && page.route.includes('[...'))) return []
    const component = program.exported(file, 'default')
    const signs = component?.k === 'fn' ? pageSigns(program, component.path, component.fn) : undefined
    return [{ file, page: signs ? { ...page, signs } : page }]
  })
  return { pages: new Map([...Map.groupBy(found, (f) => f.file)].map(([file, list]) => [file, list.map((f) => f.page)])), routers }
}

/** `<Route path="/*" element={<Gate><Routes>…</Routes></Gate>} />`, where what has the addresses inside is not seen. */
const holdsOthers = (r: Route, routers: ReadonlySet<string>, program: Program): boolean =>
  r.kind === 'page' &&
  r.page !== undefined &&
  r.route.includes('[...') &&
  (r.page.draws === undefined || (r.page.gated === true && !routers.has(fileDrawn(r, program) ?? '')))

/** `<Route path="/admin/*" element={<Gate><AdminRoutes /></Gate>} />`: the gate stands before every page that the router of that file draws. */
function insideOfGates(pages: readonly Route[], program: Program): readonly Route[] {
  const gates = new Map<string, NonNullable<Route['page']>>()
  for (const r of pages) {
    const file = r.page?.gated && r.route.includes('[...') ? fileDrawn(r, program) : undefined
    if (file !== undefined && r.page && file !== r.path) gates.set(file, r.page)
  }
  if (!gates.size) return pages
  return pages.map((r) => {
    const gate = gates.get(r.path)
    if (!gate || !r.page) return r
    return { ...r, page: { ...r.page, gated: true, ...(gate.administrators ? { administrators: true as const } : {}) } }
  })
}

/** A layout that turns away who is not signed in is a gate, whatever it is called. */
function insideOfLayouts(route: Route, program: Program): Route {
  const { page, path, line } = route
  if (!page?.within || page.gated) return route
  return page.within.some((name) => isGate(program, path, { k: 'id', name, l: line })) ? { ...route, page: { ...page, gated: true } } : route
}

/** It shows nothing, or leads on, where nobody is signed in; or it leads to sign-in by itself and looks who there is (`!profile`). */
function isGate(program: Program, path: string, name: Expr): boolean {
  const component = program.meaning(path, 0, name)
  if (component?.k !== 'fn') return false
  const { turnsAway, redirects, readsUser } = pageSigns(program, component.path, component.fn)
  return turnsAway !== undefined || (readsUser !== undefined && redirects?.path === component.path)
}

/** `import Join from './pages/join'`, or `const Join = lazy(() => import('./pages/join'))`. */
function fileDrawn({ path, page }: Route, program: Program): string | undefined {
  const router = program.js(path)
  const imported = router?.imports.find((i) => i.bindings.some((b) => b.local === page?.draws))
  if (imported) return program.modules.resolve(path, imported.from)
  const made = router?.functions[0]?.body.find((s) => s.k === 'let' && s.to.k === 'name' && s.to.name === page?.draws)
  const loader = made?.k === 'let' && made.init?.k === 'call' ? made.init.args.find((a) => a.k === 'fn') : undefined
  const loads = loader?.k === 'fn' ? expressions(router?.functions[loader.fn] as FunctionIR).find((e) => e.k === 'import') : undefined
  const from = loads?.k === 'import' ? stringOf(loads.from) : undefined
  return from === undefined ? undefined : program.modules.resolve(path, from)
}

export const pagesByFile = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
  Map.groupBy(
    routes.filter((r) => r.kind === 'page'),
    (r) => r.path,
  )

/** The files that use a server action, its own where that is a page: what is written in a page is for that page. */
export function filesUsing(
  route: Route,
  pages: ReadonlyMap<string, readonly Route[]>,
  modules: Modules,
  sources: ReadonlyMap<string, JavaScriptFacts>,
): readonly string[] | undefined {
  return pages.has(route.path) ? [route.path] : usersOf(route, modules, sources)
}

const LAYOUT = /^(.*?)(?:layout|template|error|loading|not-found|default)\.[cm]?[jt]sx?$/

/** Pages whose modules reach one of the files, through components and other files of actions; a layout is part of each page below it. */
export function pagesWith(
  users: readonly string[],
  modules: Modules,
  pages: ReadonlyMap<string, readonly Route[]>,
  /** Files that draw pages: who imports one of them (its client, a test) draws none of them. */
  routers: ReadonlySet<string> = new Set(),
): readonly Route[] {
  const found = new Set<Route>()
  const seen = new Set(users)
  for (const file of seen) {
    for (const page of pages.get(file) ?? []) found.add(page)
    const folder = LAYOUT.exec(file)?.[1]
    if (folder !== undefined && /(?:^|\/)app\//.test(folder))
      for (const [at, below] of pages) if (at.startsWith(folder)) for (const page of below) found.add(page)
    if (routers.has(file)) continue
    for (const importer of modules.importers(file)) seen.add(importer.path)
  }
  return [...found]
}

/** An address of the application itself that a file writes out, with `…` for what is put in, and the name under which it keeps it for others. */
interface Address {
  readonly address: string
  readonly kept?: { readonly name: string; readonly key: string }
}

/** The files that ask for a route whose address one file writes: that one, or those who take the very address out of a list of them that it keeps. */
function asking(path: string, found: readonly Address[], modules: Modules, sources: ReadonlyMap<string, JavaScriptFacts>): readonly string[] {
  if (found.some((a) => !a.kept)) return [path]
  const users = modules.importers(path).map((p) => p.path)
  return [path, ...users].filter((user) => {
    const code = sources.get(user)
    return code && found.some(({ kept }) => kept && takes(code, kept.name, kept.key, user === path))
  })
}

/** `API_ROUTES.reviews`, under whatever name the list was imported. */
function takes(js: JavaScriptFacts, name: string, key: string, own: boolean): boolean {
  const locals = own
    ? [name]
    : js.imports.flatMap((i) => i.bindings.flatMap((b) => (b.imported === name || b.imported === '*' || b.imported === 'default' ? [b.local] : [])))
  return js.functions.some((fn) =>
    expressions(fn).some((e) => (e.k === 'mem' && e.name === key && locals.includes(rootOf(e))) || (e.k === 'idx' && locals.includes(rootOf(e)))),
  )
}

function rootOf(e: Expr): string {
  let at = e
  for (let depth = 0; depth < 8 && (at.k === 'mem' || at.k === 'idx'); depth++) at = at.of
  return at.k === 'id' ? at.name : ''
}

const addressesIn = rememberFor((js: JavaScriptFacts): readonly Address[] => {
  const kept = keptIn(js)
  return js.functions.flatMap((fn) =>
    expressions(fn).flatMap((e) => {
      const address = e.k === 'tpl' ? e.quasis.join('…') : e.k === 'lit' && typeof e.v === 'string' ? e.v : ''
      if (!address.startsWith('/') || address.length >= 200) return []
      const under = kept.get(e)
      return [{ address: address.split(/[?#]/, 1)[0] as string, ...(under ? { kept: under } : {}) }]
    }),
  )
})

/** `export const API = { reviews: '/api/reviews', one: (id) => `/api/reviews/${id}`, admin: { … } }` */
function keptIn(js: JavaScriptFacts): ReadonlyMap<Expr, { readonly name: string; readonly key: string }> {
  const found = new Map<Expr, { readonly name: string; readonly key: string }>()
  const keep = (name: string, e: Expr, depth = 0): void => {
    if (e.k !== 'obj' || depth > 4) return
    for (const { key, value } of e.props) {
      if (typeof key !== 'string') continue
      if (value.k === 'fn') for (const x of expressions(js.functions[value.fn] as FunctionIR)) found.set(x, { name, key })
      else if (value.k === 'obj') keep(name, value, depth + 1)
      else found.set(value, { name, key })
    }
  }
  for (const s of js.functions[0]?.body ?? []) if (s.k === 'let' && s.to.k === 'name' && s.init) keep(s.to.name, s.init)
  return found
}
