import type { Framework } from '../entry.ts'
import { toEntry } from './express.ts'
import type { RouterDialect } from './router.ts'
import { collectorFor } from './routers.ts'

const FASTIFY: RouterDialect = {
  name: 'Fastify',
  packages: ['fastify', 'fastify-plugin'],
  calling: 'fastify',
  creates: (from, name, isNew) => from === 'fastify' && !isNew && /^(default|\*|fastify|Fastify|default\.default)$/.test(name),
  conventional: /^(app|fastify|server|instance|f)$/,
  contextual: true,
}

const routersOf = collectorFor(FASTIFY)

/** Fastify: hooks of the context, plug-ins with prefixes, decorators, `route({...})`. */
export const fastify: Framework = {
  name: 'Fastify',
  entries: (program) =>
    routersOf(program)
      .routes()
      .map((r) => toEntry('Fastify', r, 'fastify')),
  unfollowed: (program) => routersOf(program).unfollowed(),
}
