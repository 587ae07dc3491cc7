import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import { expressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { Route } from './routes.ts'
import { usersOf } from './unlinked-actions.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition' | 'side'>

/** The pages of an application of Next.js that use a server action or ask an address of its API, for whoever writes advice about the handler. */
export function pagesUsing(routes: readonly Route[], modules: Modules, sources: ReadonlyMap<string, JavaScriptFacts>): (route: Route) => readonly Route[] {
  const pages = pagesByFile(routes)
  return (route) => {
    if (route.framework !== 'Next.js' || route.kind === 'page') return []
    const users =
      route.kind === 'action'
        ? filesUsing(route, pages, modules, sources)
        : [...sources].flatMap(([path, js]) => (path !== route.path && addressesIn(js).some((a) => leadsTo(a, route.route)) ? [path] : []))
    return users ? pagesWith(users, modules, pages) : []
  }
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
function leadsTo(address: string, route: string): boolean {
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
