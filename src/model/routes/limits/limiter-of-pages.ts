import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import type { Route } from '../routes.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition'>

/** More modules than this between an action and its pages are not followed. */
const MAX_MODULES = 400

/**
 * Server actions with the limiter that stands in front of the pages that use them. The browser posts an action to the path of the page, and
 * Next.js passes what comes to another path on to that page: middleware that limits all of them limits the action.
 */
export function withLimitsOfPages(routes: readonly Route[], modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): readonly Route[] {
  const pages = Map.groupBy(
    routes.filter((r) => r.kind === 'page' && r.framework === 'Next.js'),
    (r) => r.path,
  )
  if (![...pages.values()].some((list) => list.some((p) => p.limit))) return routes
  return routes.map((route) => {
    if (route.kind !== 'action' || route.framework !== 'Next.js' || route.limit) return route
    const from = pagesOf(route, pages, modules, javascript)
    const limit = from.length && from.every((p) => p.limit) ? from[0]?.limit : undefined
    return limit ? limited(route, limit) : route
  })
}

/** One object for as long as the route and its limiter are the same: what was judged of it stays judged. */
const limited = rememberFor((route: Route, limit: Place): Route => ({ ...route, limit }))

/** The pages that use an action; none when something else does as well, such as a layout. */
function pagesOf(route: Route, pages: ReadonlyMap<string, readonly Route[]>, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): Route[] {
  const name = route.subject.slice(route.subject.lastIndexOf('#') + 1)
  const users = modules.importers(route.path).flatMap(({ path }) => (usesExport(path, route.path, name, modules, javascript) ? [path] : []))
  const queue = pages.has(route.path) ? [route.path, ...users] : users
  const seen = new Set(queue)
  const found: Route[] = []
  for (let i = 0; i < queue.length; i++) {
    if (i > MAX_MODULES) return []
    const path = queue[i] as string
    const own = pages.get(path)
    if (own) {
      found.push(...own)
      continue
    }
    if (/(^|\/)(layout|template|error|not-found|loading)\.[jt]sx?$/.test(path)) return []
    for (const importer of modules.importers(path)) {
      if (seen.has(importer.path)) continue
      seen.add(importer.path)
      queue.push(importer.path)
    }
  }
  return found
}

/** Whether a file imports an export of another, through a barrel too; whoever imports all of a module may use each. */
export function usesExport(
  path: string,
  of: string,
  name: string,
  modules: Pick<Modules, 'resolve' | 'definition'>,
  javascript: ReadonlyMap<string, JavaScriptFacts>,
): boolean {
  const imports = javascript.get(path)?.imports ?? []
  return imports.some((i) => {
    const file = modules.resolve(path, i.from)
    return (
      file !== undefined &&
      i.bindings.some((b) =>
        b.imported === '*' ? file === of : (file === of && b.imported === name) || isThrough(modules.definition(file, b.imported), of, name),
      )
    )
  })
}

const isThrough = (definition: ReturnType<Modules['definition']>, of: string, name: string): boolean => definition?.path === of && definition.local === name
