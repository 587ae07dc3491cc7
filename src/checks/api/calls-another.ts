import { isWithin } from '../../lib/place.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Issue } from '../define-check.ts'
import type { Cause } from './auth-issues.ts'

/**
 * The handlers that do nothing but what another handler of the same file does, each with that one: `POST = GET`, or a `POST` that only calls `GET`.
 * What is wrong there is wrong in one place.
 */
export function handlersCalled(all: readonly Route[]): ReadonlyMap<Route, Route> {
  const called = new Map<Route, Route>()
  for (const alike of Map.groupBy(all.filter(isHandler), (r) => `${r.path} ${r.route}`).values())
    for (const [i, route] of alike.entries()) {
      // of one function under two methods the first speaks
      const other = alike.find((o, k) => k !== i && !called.has(o) && callsOnly(route, o) && (k < i || !callsOnly(o, route)))
      if (other) called.set(route, other)
    }
  return called
}

const isHandler = ({ kind, method, behaviour }: Route): boolean => kind === 'api' && method !== undefined && behaviour?.complete === true

/** Whether whatever a handler does is done on the way through the other one. */
function callsOnly({ behaviour }: Route, other: Route): boolean {
  const steps = behaviour?.steps.filter((s) => !s.before && s.effect.kind !== 'log') ?? []
  return steps.length > 0 && steps.every((s) => isWithin(s.at, other) || s.via.some((at) => isWithin(at, other)))
}

/** Whether what is wrong with a handler is said of the one that it calls. */
export const isOfCalled = ({ what, severity }: Cause, called: Route | undefined, causes: readonly Cause[]): boolean =>
  called !== undefined && causes.some((c) => c.route === called && c.what === what && c.severity === severity)

/** The finding of a handler, with those beside it that only call it. */
export function withCallers(issue: Issue, called: ReadonlyMap<Route, Route>): Issue {
  const callers = [...called].flatMap(([route, { subject, path, line }]) =>
    subject === issue.subject && path === issue.at.path && line === issue.at.line
      ? [{ path: route.path, line: route.line, subject: route.subject, what: 'the same handler under another method' }]
      : [],
  )
  return callers.length ? { ...issue, related: [...(issue.related ?? []), ...callers] } : issue
}
