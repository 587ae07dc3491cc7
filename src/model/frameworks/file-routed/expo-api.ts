import type { Entry, Framework } from '../entry.ts'
import { exportedHandler, SHOWN_METHODS } from '../exported-handlers.ts'
import { handlerEntry } from '../handler-entry.ts'
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
        return h ? [handlerEntry({ framework: 'Expo', route, path, calling: 'fetch', before: [] }, h, method)] : []
      })
    }),
}
