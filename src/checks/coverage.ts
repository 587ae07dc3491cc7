import type { Place } from '../lib/place.ts'
import type { AppModel } from '../model/app-model.ts'
import type { Gap } from '../model/gap.ts'
import type { Route } from '../model/routes/routes.ts'

/** What a check judges one by one: handlers, pages, modules of the browser, or endpoints for events of a payment processor. */
export type Covers = 'handlers' | 'guards' | 'pages' | 'browser' | 'events'

/** Something that a check could not judge, with the place and the reason. */
export interface NotFollowed extends Place {
  readonly subject: string
  readonly because: string
}

/** What a check looked at: how many things, how many of them to their end, and each that it did not. */
export interface Coverage {
  readonly judged: number
  readonly followed: number
  readonly not: readonly NotFollowed[]
}

/** What a check covers, and the part of `not` that could change its answer. */
export interface Covered {
  readonly coverage: Coverage
  readonly doubts: readonly NotFollowed[]
}

type Model = Pick<AppModel, 'routes' | 'files' | 'modules' | 'coverage'>

/** What a check looked at; `gaps` are those that touch it. */
export function coveredBy(covers: Covers, model: Model, gaps: readonly Gap[]): Covered {
  const all = looksAt(covers, model)
  const lost = all.flatMap((thing) => thing.not)
  const unread = gaps.map((g): NotFollowed => ({ subject: `file ${g.path}`, path: g.path, line: g.line ?? 1, because: g.because }))
  const reach = covers === 'pages' ? 'pages' : 'endpoints'
  const unseen = covers === 'browser' ? [] : model.coverage.unseen.filter((u) => u.reach === reach).map(({ reach: _, ...u }): NotFollowed => u)
  const not = once([...lost, ...unseen, ...unread])
  const doubts = covers === 'pages' || covers === 'browser' ? unseen : covers === 'events' ? unseen : once([...all.flatMap((t) => t.doubts), ...unseen])
  return { coverage: { judged: all.length, followed: all.filter((t) => !t.not.length && !t.unread).length, not }, doubts }
}

interface Looked {
  readonly unread?: boolean
  readonly not: readonly NotFollowed[]
  readonly doubts: readonly NotFollowed[]
}

function looksAt(covers: Covers, { routes, files, modules }: Model): readonly Looked[] {
  if (covers === 'browser') return modules.files.filter((f) => /^(?:client|both)$/.test(modules.side(f))).map(() => ({ not: [], doubts: [] }))
  return routes.routes
    .filter((r) => (r.kind === 'page') === (covers === 'pages') && files.role(r.path) === 'source' && !(r.kind === 'page' && r.page?.static))
    .map((r) => looked(r, covers))
}

/** A handler that was not followed to its end: the first reason. What stands behind a guard that was followed needs no other. */
function looked(route: Route, covers: Covers): Looked {
  if (route.lost) return { unread: true, not: [], doubts: [] }
  const gaps = route.behaviour?.gaps ?? []
  const gap = gaps.find((g) => !g.only)
  const lost = gap ? [{ subject: route.subject, path: gap.at.path, line: gap.at.line, because: gap.because }] : []
  const sinks = (route.behaviour?.sinks ?? []).map((s) => ({
    subject: route.subject,
    path: s.at.path,
    line: s.at.line,
    because: `${s.name}() of ${s.from} is given request data, and that package is not known`,
  }))
  const not = [...lost, ...sinks]
  const guarded = route.guard?.trust === 'verified' && (route.guard.who === 'user' || route.guard.who === 'admin')
  return { not, doubts: covers === 'guards' && guarded ? [] : not }
}

function once(all: readonly NotFollowed[]): readonly NotFollowed[] {
  const seen = new Set<string>()
  return all.filter((n) => {
    const key = `${n.subject}\0${n.path}:${n.line}\0${n.because}`
    return seen.has(key) ? false : seen.add(key)
  })
}
