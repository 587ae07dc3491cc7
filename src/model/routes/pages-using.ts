import type { FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { inEdgeFunctions } from '../../lib/edge-function.ts'
import { lazily } from '../../lib/lazily.ts'
import type { Place } from '../../lib/place.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import type { Program } from '../frameworks/program.ts'
import { expressions, stringOf } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import { pageSigns } from './client-pages.ts'
import type { Route } from './routes.ts'
import { usersOf } from './unlinked-actions.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition' | 'side'>

/** The pages that use a server action, ask an address of the application's API or call an edge function, for whoever writes advice about the handler. */
export function pagesUsing(routes: readonly Route[], program: Program, callersOf: (name: string) => readonly Place[]): (route: Route) => readonly Route[] {
  const { modules, sources } = program
  const pages = pagesByFile(routes)
  const drawn = lazily(() => drawnPages(routes, program))
  // several parts of one finding ask the same
  return rememberFor((route: Route): readonly Route[] => {
    if (route.kind === 'edge-function') return pagesWith(filesCalling(callersOf(route.subject.replace(/^function /, ''))), modules, drawn())
    if (route.framework !== 'Next.js' || route.kind === 'page') return []
    const users =
      route.kind === 'action'
        ? filesUsing(route, pages, modules, sources)
        : [...sources].flatMap(([path, js]) => (path !== route.path && addressesIn(js).some((a) => leadsTo(a, route.route)) ? [path] : []))
    return users ? pagesWith(users, modules, pages) : []
  })
}

/** Components that call a function; what a helper calls, any of those who import it may call or not. */
function filesCalling(callers: readonly Place[]): readonly string[] {
  const files = [...new Set(callers.map((c) => c.path).filter((path) => !inEdgeFunctions(path)))]
  return files.every((path) => /x$/.test(path)) ? files : []
}

/**
 * The pages of a single-page application by the files of what its router draws, with what their components say about whom they are for. Where no page is
 * drawn inside of a gate, who is signed in is asked elsewhere, and nothing is told by a page that has none.
 */
function drawnPages(routes: readonly Route[], program: Program): ReadonlyMap<string, readonly Route[]> {
  const pages = routes.filter((r) => r.kind === 'page' && r.page?.draws !== undefined)
  if (!pages.some((r) => r.page?.gated)) return new Map()
  const found = pages.flatMap((page) => {
    const file = fileDrawn(page, program)
    if (file === undefined) return []
    const component = program.exported(file, 'default')
    const signs = component?.k === 'fn' ? pageSigns(program, component.path, component.fn) : undefined
    return [{ file, page: signs ? { ...page, signs } : page }]
  })
  return new Map([...Map.groupBy(found, (f) => f.file)].map(([file, list]) => [file, list.map((f) => f.page)]))
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
export function pagesWith(users: readonly string[], modules: Modules, pages: ReadonlyMap<string, readonly Route[]>): readonly Route[] {
  const found = new Set<Route>()
  const seen = new Set(users)
  for (const file of seen) {
    for (const page of pages.get(file) ?? []) found.add(page)
    const folder = LAYOUT.exec(file)?.[1]
    if (folder !== undefined && /(?:^|\/)app\//.test(folder))
      for (const [at, below] of pages) if (at.startsWith(folder)) for (const page of below) found.add(page)
    for (const importer of modules.importers(file)) seen.add(importer.path)
  }
  return [...found]
}

/** Addresses of the application itself that a file writes out, with `…` for what is put in. */
const addressesIn = rememberFor((js: JavaScriptFacts): readonly string[] => {
  const found = new Set<string>()
  for (const fn of js.functions)
    for (const e of expressions(fn)) {
      const address = e.k === 'tpl' ? e.quasis.join('…') : e.k === 'lit' && typeof e.v === 'string' ? e.v : ''
      if (address.startsWith('/') && address.length < 200) found.add(address.split(/[?#]/, 1)[0] as string)
    }
  return [...found]
})

/** Whether an address is that of a route: what is put in takes the place of a parameter, or follows as a query. */
export function leadsTo(address: string, route: string): boolean {
  const asked = address.replace(/(?<=.)\/$/, '').split('/')
  const parts = route.split('/')
  return (
    asked.length === parts.length &&
    asked.every((part, i) => {
      const of = parts[i] as string
      return part === of || (part.includes('…') && of.startsWith('[')) || (i === parts.length - 1 && part === `${of}…`)
    })
  )
}
