import type { Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import type { RegisteredRoute, RouterDialect } from './router.ts'
import { collectorFor } from './routers.ts'

const EXPRESS: RouterDialect = {
  name: 'Express',
  packages: ['express', 'express-promise-router', 'restify'],
  calling: 'express',
  creates: (from, name, isNew) =>
    (from === 'express' && !isNew && /^(default|\*|express|Router|default\.Router)$/.test(name)) ||
    (from === 'express' && name === 'Router') ||
    (from === 'express-promise-router' && !isNew),
  isPart: (name) => /(?:^|\.)Router$/.test(name),
  conventional: /^(app|router|server|express|r)$/,
}

const routersOf = collectorFor(EXPRESS)

/** Express: routers followed across files, mounts, the order of `use`, arrays of handlers, `router.route()`. */
export const express: Framework = {
  name: 'Express',
  entries: (program) =>
    routersOf(program)
      .routes()
      .map((r) => toEntry('Express', r, 'express')),
  unfollowed: (program) => routersOf(program).unfollowed(),
}

/** A registered route as an entry. */
export function toEntry(framework: string, r: RegisteredRoute, calling: Entry['calling'], prefix = ''): Entry {
  const route = prefix + r.route
  return {
    framework,
    kind: 'api',
    ...(r.method ? { method: r.method } : {}),
    route,
    subject: routeSubject(r.method, route),
    path: r.at.path,
    line: r.at.line,
    ...(r.at.endLine ? { endLine: r.at.endLine } : {}),
    ...(r.code ? { code: r.code } : {}),
    calling,
    before: r.before,
    ...(r.given ? { given: r.given } : {}),
  }
}
