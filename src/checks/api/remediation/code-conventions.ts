import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { asksWithinOne, isOdd } from '../principal/role-source.ts'
import { isLayoutLoad } from '../shared/layout-load.ts'
import { refusal } from './refusal-response.ts'

/** How the application does what a fix needs. */
export interface Manners {
  /** The library that most of its queries are made with. */
  readonly library?: string
  /** A handler or page that asks for an administrator. */
  readonly admin?: Route
  /** The check of the pages beside a handler, which does not run for it. */
  readonly beside?: Route
}

/** How often a behaviour asks a database through each library. */
const queriesBy = rememberFor(({ steps }: Behaviour): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { effect } of steps) if (effect.kind === 'db') counts.set(effect.client.library, (counts.get(effect.client.library) ?? 0) + 1)
  return counts
})

/** What all issues of one audit ask of the other routes. */
const ofApplication = rememberFor((all: readonly Route[]): { readonly library?: string; readonly asking: readonly Route[] } => {
  const counts = new Map<string, number>()
  for (const { behaviour } of all) if (behaviour) for (const [name, count] of queriesBy(behaviour)) counts.set(name, (counts.get(name) ?? 0) + count)
  const library = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
  return {
    ...(library ? { library } : {}),
    asking: all.filter((r) => r.guard?.who === 'admin' && r.guard.trust === 'verified' && !isOdd(r, all) && !asksWithinOne(r)),
  }
})

/** Looked up in the other routes of the application. */
export function manners(route: Route, all: readonly Route[]): Manners {
  const { library, asking: anywhere } = ofApplication(all)
  const asking = anywhere.filter((r) => r !== route && r.framework === route.framework)
  const admin = asking.find((r) => r.kind === route.kind) ?? asking.find((r) => r.kind !== 'page') ?? asking[0]
  const folder = (r: Route) => r.path.slice(0, r.path.lastIndexOf('/') + 1)
  const beside = route.kind === 'page' ? undefined : asking.find((r) => r.kind === 'page' && folder(route).startsWith(folder(r)) && r.guard?.at.path !== r.path)
  return { ...(library ? { library } : {}), ...(admin ? { admin } : {}), ...(beside ? { beside } : {}) }
}

const ADMIN_PATH_SEGMENT = /(?:^|\/)(?:admin|administration|super-?admin|backoffice)(?:[-_/?]|$)/i

/** By its path a handler for administrators: acting on others is what it is for, and what has to be asked is the caller's role. */
export const isForAdministrators = (route: Route): boolean =>
  ADMIN_PATH_SEGMENT.test(route.route) || (route.kind === 'action' && FILE_OF_ADMINISTRATORS.test(route.path))

/** `actions/admin.ts`, `adminActions.ts`, `admin-products.actions.ts`: server actions have no path but that of their file. */
const FILE_OF_ADMINISTRATORS = /(?:^|\/)(?:[aA]dmin|admin(?:[A-Z_.-][\w.-]{0,60}))\.[cm]?[jt]sx?$/

/** Layouts run for pages; requests to the handlers beside them pass them by. */
export function besideWords(page: Route | undefined, route: Route): string {
  if (!page?.guard) return ''
  const { path, line } = page.guard.at
  if (isLayoutLoad(route)) return ` The check at ${path}:${line} stands before the pages there; it does not run where the data of this load alone is asked for.`
  const what = page.framework === 'SvelteKit' ? 'form actions and endpoints' : 'server actions and route handlers'
  return ` The check at ${path}:${line} stands before the pages there; it does not run for ${what}.`
}

/** Where the application asks for an administrator already. */
export function adminExample({ admin }: Manners): string {
  return admin?.guard ? ` ${admin.method ? `${admin.method} ` : ''}${admin.route} already does so (${admin.guard.at.path}:${admin.guard.at.line}).` : ''
}

/** A role that only the server sets, as the library of the sessions keeps it. */
export function roleCode(route: Route, callerAs: string | undefined): string {
  const roles: Readonly<Record<string, string>> = { userId: 'sessionClaims?.metadata?.role', 'session.user.id': 'session.user.role', own: 'user.role' }
  const role = roles[callerAs ?? ''] ?? 'user.app_metadata?.role'
  const ask = callerAs === 'userId' ? 'const { sessionClaims } = await auth()\n' : ''
  return `${ask}if (${role} !== 'admin') {\n  ${refusal(route, 403)}\n}`
}
