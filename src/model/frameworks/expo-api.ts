import type { Entry, Framework } from './entry.ts'
import { routeSubject } from './entry.ts'
import { exportedHandler, SHOWN_METHODS } from './exported-handlers.ts'
import { segmentsToRoute } from './file-routes.ts'

/** Expo Router API routes: `app/x+api.ts` exporting methods. */
export const expoApi: Framework = {
  name: 'Expo',
  entries: (program) =>
    program.paths.flatMap((path) => {
      const m = /(?:^|\/)(?:src\/)?app\/(.*)\+api\.[jt]sx?$/.exec(path)
      if (!m) return []
      const segments = (m[1] as string).split('/')
      if (segments.at(-1) === 'index') segments.pop()
      const route = segmentsToRoute(segments.filter((s) => s !== ''))
      return SHOWN_METHODS.flatMap((method): Entry[] => {
        const h = exportedHandler(program, path, method)
        return h
          ? [
              {
                framework: 'Expo',
                kind: 'api',
                method,
                route,
                subject: routeSubject(method, route),
                path,
                line: h.line,
                ...(h.endLine ? { endLine: h.endLine } : {}),
                ...(h.code ? { code: h.code } : {}),
                calling: 'fetch',
                before: [],
              },
            ]
          : []
      })
    }),
}
