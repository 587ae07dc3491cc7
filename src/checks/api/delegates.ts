import { isWithin } from '../../lib/place.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Cause } from './auth-issues.ts'

/**
 * Handlers that only hand on to another one (`export const POST = GET`, `export { POST } from '../other/route'`), and one handler of several methods, are wrong
 * where that one is: its cause names the others.
 */
export function withoutDelegates(causes: readonly Cause[]): readonly Cause[] {
  const sameWork = Map.groupBy(causes.filter(isOfHandler), (c) => `${c.what} ${c.severity} ${c.work?.at.path}:${c.work?.at.line}`)
  const others = new Map<Cause, Route[]>()
  const gone = new Set<Cause>()
  for (const group of sameWork.values()) {
    for (const [i, cause] of group.entries()) {
      const real =
        group.slice(0, i).find((c) => !c.shared && !gone.has(c) && isSame(cause.route, c.route)) ??
        group.find((c) => c !== cause && !c.shared && !gone.has(c) && handsOn(cause, c))
      if (!real) continue
      gone.add(cause)
      others.set(real, [...(others.get(real) ?? []), cause.route, ...(others.get(cause) ?? [])])
    }
  }
  return gone.size ? causes.flatMap((c) => (gone.has(c) ? [] : others.has(c) ? [{ ...c, also: others.get(c) as Route[] }] : [c])) : causes
}

const isOfHandler = (c: Cause): boolean => c.what !== 'unlinked' && c.work !== undefined && c.route.kind === 'api'

/** Whatever one handler answers, the other one does; or both are the same one for several methods of a path. */
function handsOn({ route }: Cause, { route: real }: Cause): boolean {
  const answers = (route.behaviour?.steps ?? []).filter((s) => !s.before && s.effect.kind === 'respond')
  return answers.length > 0 && answers.every(({ at }) => isWithin(at, real) && !isWithin(at, route))
}

const isSame = (one: Route, other: Route): boolean => one.path === other.path && one.line === other.line && one.route === other.route
