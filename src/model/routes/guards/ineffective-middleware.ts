import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Condition, Step, Value } from '../../behaviour/types.ts'
import { matcherCovers } from '../../frameworks/next/next-middleware.ts'
import { samplePath } from '../../frameworks/path-pattern.ts'
import { decided, type Imagined, imagineConditions } from '../request/partial-evaluation.ts'
import type { MiddlewareModel, Route } from '../routes.ts'
import { guardOfConditions } from './guard.ts'
import { libraryGuard } from './library-guard.ts'

/**
 * Pages in front of which a middleware would ask who comes, if it ever got that far: it lies where the framework does not look for it, its matcher covers
 * nothing (`matcher: []`), or its own list of public paths lets every path through (`'/'` in a list of beginnings).
 */
export function withIdleGuards(routes: readonly Route[], middleware: readonly MiddlewareModel[]): readonly Route[] {
  const idle = middleware.filter((m) => !m.behaviour?.rewrites && guards(m) && !routes.some((r) => isOf(r, m) && getsToRefuse(m, r)))
  if (!idle.length) return routes
  return routes.map((r): Route => {
    const m = r.kind === 'page' && !r.guard && !r.idleGuard ? idle.find((x) => isOf(r, x)) : undefined
    return m ? { ...r, idleGuard: { at: whereLetPast(m, r), ...whyIdle(m, r) } } : r
  })
}

/**
 * Pages without a guard in front of which a middleware refuses strangers elsewhere: those that it lists as open are open by decision, and those that it
 * refuses unless the request brings something that anybody can send (`?code=x`) are behind a guard with a way past.
 */
export function withDecidedPages(routes: readonly Route[], middleware: readonly MiddlewareModel[]): readonly Route[] {
  // one that never gets as far as to refuse lists nothing: it is no guard
  const asking = middleware.filter(
    (m) => !m.behaviour?.rewrites && !neverRuns(m) && refusals(m.behaviour).length > 0 && routes.some((r) => isOf(r, m) && getsToRefuse(m, r)),
  )
  if (!asking.length) return routes
  return routes.map((r): Route => {
    const m = r.kind === 'page' && !r.guard ? asking.find((x) => isOf(r, x) && runsFor(x, r)) : undefined
    if (!m) return r
    if (isListedOpen(m, r)) return listedOpen(r)
    const at = wayPast(m, r)
    return at ? { ...r, idleGuard: { at, because: 'request' } } : r
  })
}

/** One object for as long as the route is the same: what was judged of it stays judged. */
const listedOpen = rememberFor((route: Route): Route => ({ ...route, listedOpen: true }))

/** Every refusal is ruled out by a test of the path that this path passes and others do not: `if (!user && !PUBLIC.includes(pathname))`. */
function isListedOpen(m: MiddlewareModel, route: Route): boolean {
  const request = requestFor(route)
  const ofStrangers = refusals(m.behaviour).filter((s) => !s.under.some(isSomebody))
  return ofStrangers.length > 0 && ofStrangers.every((s) => s.under.some((c) => c.negated && decided(c, request) === false && isOfList(c, s)))
}

/** Whoever is signed in is led elsewhere: to the page of the own role, or away for being banned. */
const isSomebody = ({ test, negated }: Condition): boolean => !negated && test.v === 'caller'

/** One of several tests that stand together, or a test of a list: what is written down as open, not one way through among others. */
const isOfList = (c: Condition, { under }: Step): boolean =>
  under.some((other) => other !== c && other.negated && other.at.line === c.at.line && mentions(other.test, isPath)) ||
  mentions(c.test, (v) => v.v === 'array' && v.items.length > 1)

const isPath = (v: Value): boolean => v.v === 'request' && v.part === 'url'

/** Where a refusal of this page depends on what anybody can leave out of a request, or put into it. */
function wayPast(m: MiddlewareModel, route: Route): Place | undefined {
  const request = requestFor(route)
  for (const s of refusals(m.behaviour)) {
    const under = imagineConditions(s.under, request)
    const open = under?.find((c) => c.negated && isSent(c.test))
    if (open) return open.at
  }
  return undefined
}

/** Of the request's query or headers alone; what a cookie says is a session in most cases. */
const isSent = (test: Condition['test']): boolean =>
  mentions(test, (v) => v.v === 'request' && (v.part === 'query' || v.part === 'header')) &&
  !mentions(test, (v) => v.v === 'caller' || v.v === 'env' || v.v === 'result' || v.v === 'row' || (v.v === 'request' && v.part === 'cookie'))

function whyIdle(m: MiddlewareModel, route: Route): Omit<NonNullable<Route['idleGuard']>, 'at'> {
  if (m.tooEarly) return { because: 'version' }
  if (m.belongsIn !== undefined) return { because: 'place', belongsIn: m.belongsIn }
  return { because: runsFor(m, route) ? 'condition' : 'matcher' }
}

const isOf = (route: Route, m: MiddlewareModel): boolean => (route.workspace ?? '') === m.workspace && route.framework === m.framework

const requestFor = (route: Route): Imagined => ({ path: samplePath(route.route), ...(route.method ? { method: route.method } : {}) })

const runsFor = (m: MiddlewareModel, route: Route): boolean => matcherCovers(m.matcher?.sources, samplePath(route.route)) !== false

const guards = (m: MiddlewareModel): boolean => isLibrarys(m) || refusals(m.behaviour).length > 0 || (neverRuns(m) && asksInPassing(m.behaviour))

const neverRuns = (m: MiddlewareModel): boolean => m.belongsIn !== undefined || m.tooEarly === true

/** What it takes to get past it is that somebody is signed in, on some of its ways: `if (isProtected(request)) await auth.protect()`. */
const asksInPassing = (behaviour: Behaviour | undefined): boolean =>
  behaviour?.steps.some((s) => s.under.some((c) => c.otherwise.ends && mentions(c.test, (v) => v.v === 'caller' && v.trust === 'verified'))) ?? false

const isLibrarys = (m: MiddlewareModel): boolean =>
  m.external !== undefined && libraryGuard([{ ...m, code: EMPTY_FUNCTION, calling: 'next-middleware', what: 'middleware', blocks: true }]) !== undefined

const EMPTY_FUNCTION = { k: 'fn', path: '', fn: 0 } as const

const getsToRefuse = (m: MiddlewareModel, route: Route): boolean =>
  runsFor(m, route) && (isLibrarys(m) || refusals(m.behaviour).some((s) => imagineConditions(s.under, requestFor(route)) !== undefined))

/** The answers that turn away who is not signed in. */
const refusals = (behaviour: Behaviour | undefined): readonly Step[] => (behaviour ? refusalsOf(behaviour) : [])

const refusalsOf = rememberFor((behaviour: Behaviour): readonly Step[] =>
  behaviour.steps.filter((s) => turnsAway(s) && s.under.some((c) => asksWhoComes(c, behaviour))),
)

const turnsAway = ({ effect: e }: Step): boolean => e.kind === 'respond' && (e.how === 'redirect' || e.status === 401 || e.status === 403)

/** Whoever gets past the other side of the condition is known. */
function asksWhoComes(c: Condition, behaviour: Behaviour): boolean {
  const who = guardOfConditions([{ ...c, negated: !c.negated }], behaviour)?.who
  return who === 'user' || who === 'admin'
}

/** The line that lets the path past: the matcher, or the first condition that never holds for it. */
function whereLetPast(m: MiddlewareModel, route: Route): Place {
  if (!runsFor(m, route)) return m.matcher?.at ?? m.at
  const request = requestFor(route)
  return refusals(m.behaviour)[0]?.under.find((c) => decided(c, request) === false)?.at ?? m.at
}
