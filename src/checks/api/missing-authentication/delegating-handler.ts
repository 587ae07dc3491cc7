/**
 * One handler under several methods or addresses: `POST = GET`, a `POST` that only calls `GET`, `export { POST } from '../other/route'`. What is wrong with
 * it is wrong in one place, and one missing check must not be as many findings as it has addresses.
 */
import { isWithin } from '../../../lib/place.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Cause } from './cause.ts'

/** Causes without those of handlers that do nothing of their own: the cause of the handler that does the work for them names them beside itself. */
export function withoutDelegates(causes: readonly Cause[], all: readonly Route[]): readonly Cause[] {
  const called = handlersCalled(all)
  const delegates = new Map<Cause, Route[]>()
  const gone = new Set<Cause>()
  for (const alike of Map.groupBy(causes.filter(isOfApi), ({ what, severity }) => `${what} ${severity}`).values())
    for (const [i, cause] of alike.entries()) {
      const find = (does: (real: Cause, k: number) => boolean) => alike.find((real, k) => k !== i && !gone.has(real) && does(real, k))
      const callee = called.get(cause.route)
      const real =
        (callee && find(({ route }) => route === callee)) ??
        find((c, k) => k < i && !c.shared && isSameWork(cause, c) && isSameHandler(cause.route, c.route)) ??
        find((c) => !c.shared && isSameWork(cause, c) && handsOn(cause.route, c.route))
      if (!real) continue
      gone.add(cause)
      delegates.set(real, [...(delegates.get(real) ?? []), cause.route, ...(delegates.get(cause) ?? [])])
    }
  return gone.size ? causes.flatMap((c) => (gone.has(c) ? [] : delegates.has(c) ? [{ ...c, also: delegates.get(c) as Route[] }] : [c])) : causes
}

const isOfApi = ({ route }: Cause): boolean => route.kind === 'api'

/**
 * The handlers that do nothing but what another handler of the same address does, each with that one. Their causes may be shared with still other
 * handlers: under one address both are, and one of them is enough. Handlers elsewhere that hand on are told by their work, and a shared cause is told at
 * its own place already.
 */
function handlersCalled(all: readonly Route[]): ReadonlyMap<Route, Route> {
  const called = new Map<Route, Route>()
  for (const alike of Map.groupBy(all.filter(isFollowed), (r) => `${r.path} ${r.route}`).values())
    for (const [i, route] of alike.entries()) {
      // of one function under two methods the first speaks
      const other = alike.find((o, k) => k !== i && !called.has(o) && callsOnly(route, o) && (k < i || !callsOnly(o, route)))
      if (other) called.set(route, other)
    }
  return called
}

/** Everything that the handler of one method does is known. */
const isFollowed = ({ kind, method, behaviour }: Route): boolean => kind === 'api' && method !== undefined && behaviour?.complete === true

/** Whether whatever a handler does is done on the way through the other one. */
function callsOnly({ behaviour }: Route, other: Route): boolean {
  const steps = behaviour?.steps.filter((s) => !s.before && s.effect.kind !== 'log') ?? []
  return steps.length > 0 && steps.every((s) => isWithin(s.at, other) || s.via.some((at) => isWithin(at, other)))
}

/** Whether two causes are about one place of the code. */
const isSameWork = ({ work: one }: Cause, { work: other }: Cause): boolean =>
  one !== undefined && other !== undefined && one.at.path === other.at.path && one.at.line === other.at.line

/** One handler for several methods of an address. */
const isSameHandler = (one: Route, other: Route): boolean => one.path === other.path && one.line === other.line && one.route === other.route

/** Whether whatever one handler answers, the other one does. */
function handsOn(route: Route, real: Route): boolean {
  const answers = (route.behaviour?.steps ?? []).filter((s) => !s.before && s.effect.kind === 'respond')
  return answers.length > 0 && answers.every(({ at }) => isWithin(at, real) && !isWithin(at, route))
}
