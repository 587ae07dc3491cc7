import type { Framework } from '../entry.ts'
import { toEntry } from './express.ts'
import type { RouterDialect } from './router.ts'
import { collectorFor } from './routers.ts'

const KOA: RouterDialect = {
  name: 'Koa',
  packages: ['koa', '@koa/router', 'koa-router'],
  calling: 'koa',
  creates: (from, name) =>
    (from === 'koa' && /^(default|\*|default\.default)$/.test(name)) ||
    (/^(?:@koa\/router|koa-router)$/.test(from) && /^(default|\*|Router|default\.default)$/.test(name)),
  conventional: /^(app|router|server|koa)$/,
  prefixIn: 0,
}

const routersOf = collectorFor(KOA)

/** Koa with its router: middleware in the order of `use`, routers mounted by `routes()`, prefixes. */
export const koa: Framework = {
  name: 'Koa',
  entries: (program) =>
    routersOf(program)
      .routes()
      .map((r) => toEntry('Koa', r, 'koa')),
  unfollowed: (program) => routersOf(program).unfollowed(),
}
