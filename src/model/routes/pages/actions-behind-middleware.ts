import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import type { MiddlewareModel, Route } from '../routes.ts'
import { filesUsing, pagesByFile, pagesWith } from './handler-usage.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition' | 'side'>

/**
 * Server actions whose every page is behind middleware, marked with whom that lets past. Next.js runs an action where a page that uses it is: a request for
 * it that is sent elsewhere is handed on to the address of such a page, middleware included (`createForwardedActionResponse` in Next.js'
 * `action-handler.ts`). What a layout or a page asks is not asked of actions.
 */
export function withActionsBehind(
  routes: readonly Route[],
  modules: Modules,
  javascript: ReadonlyMap<string, JavaScriptFacts>,
  middleware: readonly MiddlewareModel[],
): readonly Route[] {
  const files = new Set(middleware.filter((m) => m.framework === 'Next.js').map((m) => m.at.path))
  if (!files.size) return routes
  const pages = pagesByFile(routes)
  return routes.map((route) => {
    if (route.kind !== 'action' || route.framework !== 'Next.js' || route.guard || route.unlinked) return route
    const users = filesUsing(route, pages, modules, javascript)
    const behind = users?.length ? behindWhat(pagesWith(users, modules, pages), files) : undefined
    return behind ? marked(route, behind) : route
  })
}

/** One object for as long as the route is the same: what was judged of it stays judged. */
const marked = rememberFor((route: Route, behind: Route['behind']): Route => ({ ...route, ...(behind ? { behind } : {}) }))

/** Whom the middleware lets past that asks the least; undefined where a page is open, or guarded by something else. */
function behindWhat(pages: readonly Route[], middleware: ReadonlySet<string>): Route['behind'] {
  if (!pages.length) return undefined
  const guards = pages.map((p) => p.guard)
  if (!guards.every((g) => g && g.trust === 'verified' && !g.opensWithout && (g.who === 'user' || g.who === 'admin') && isOf(g.at.path, middleware)))
    return undefined
  return guards.every((g) => g?.who === 'admin') ? 'administrators' : 'people'
}

/** The middleware itself or a helper that by its name is part of it (`lib/supabase/middleware.ts`). */
const isOf = (path: string, middleware: ReadonlySet<string>): boolean => middleware.has(path) || /(?:^|\/)(?:middleware|proxy)\.[cm]?[jt]s$/.test(path)
