import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import type { Framework } from '../entry.ts'
import { toEntry } from './express.ts'
import { honoCovers } from './hono-patterns.ts'
import type { RouterDialect } from './router.ts'
import { collectorFor } from './routers.ts'

const HONO: RouterDialect = {
  name: 'Hono',
  packages: ['hono', '@hono/hono', '@hono/zod-openapi'],
  calling: 'hono',
  creates: (_from, name, isNew) => isNew && /^(Hono|OpenAPIHono|default|\*\.Hono)$/.test(name),
  conventional: /^(app|router|hono)$/,
  covers: honoCovers,
}

/** The routers of Hono applications; also asked by edge functions that serve one. */
export const honoRouters = collectorFor(HONO)

/** Hono: route groups, `app.use('/x/*', mw)`, chained registration, base paths. Edge functions report theirs themselves. */
export const hono: Framework = {
  name: 'Hono',
  entries: (program) => {
    const routers = honoRouters(program)
    return routers
      .routes((path) => !inEdgeFunctions(path))
      .map((r) => ({ ...toEntry('Hono', r, 'hono'), ...(routers.catchesErrors ? {} : { uncaught: true as const }) }))
  },
}
