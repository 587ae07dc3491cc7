import { type Entry, routeSubject } from './entry.ts'
import type { Code } from './program.ts'

type Where = Pick<Entry, 'framework' | 'route' | 'path' | 'calling' | 'before'>

/** Where a handler stands in the file, and what runs. */
interface Handler {
  readonly line: number
  readonly endLine?: number
  readonly code: Code | undefined
}

/** The entry of a handler that a file holds, for one method or, where none is given, for every one. */
export function handlerEntry({ framework, route, path, calling, before }: Where, h: Handler, method?: string): Entry {
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
