import { type Entry, routeSubject } from './entry.ts'
import type { ExportedHandler } from './exported-handlers.ts'

type Where = Pick<Entry, 'framework' | 'route' | 'path' | 'calling' | 'before'>

/** The entry of a handler that a file exports, for one method or, where none is given, for every one. */
export function handlerEntry({ framework, route, path, calling, before }: Where, h: ExportedHandler, method?: string): Entry {
  return {
    framework,
    kind: 'api',
    ...(method ? { method } : {}),
    route,
    subject: routeSubject(method, route),
    path,
    line: h.line,
    ...(h.endLine ? { endLine: h.endLine } : {}),
    ...(h.code ? { code: h.code } : {}),
    calling,
    before,
  }
}
