import type { Route, Surroundings } from '../../../model/routes/routes.ts'
import { corsAt, registration } from './fix-context.ts'

/** A limiter in front of the handler, as its framework has it. */
export function limiterCode(route: Route, around: Surroundings): string {
  switch (route.framework) {
    case 'Express':
      return `import rateLimit from 'express-rate-limit'\n\n${around.trustsProxy ? '' : "// where the application is made: app.set('trust proxy', 1), as many as there are proxies in front\n"}const limiter = rateLimit({ windowMs: 15 * 60 * 1000, limit: 10 })\n${registration(route, 'limiter', around)}`
    case 'Fastify':
      return "await fastify.register(import('@fastify/rate-limit'))\n// in the route: config: { rateLimit: { max: 10, timeWindow: '15 minutes' } }"
    case 'Hono':
      return `import { rateLimiter } from 'hono-rate-limiter'\n\nconst limiter = rateLimiter({ windowMs: 15 * 60 * 1000, limit: 10, keyGenerator: (c) => c.req.header('cf-connecting-ip') ?? '' })\n${registration(route, 'limiter', around)}`
    case 'SvelteKit':
      return 'const { success } = await ratelimit.limit(event.getClientAddress())\nif (!success) return fail(429)'
    case 'Nuxt':
      return "const { success } = await ratelimit.limit(getRequestIP(event, { xForwardedFor: true }) ?? '')\nif (!success) throw createError({ statusCode: 429 })"
    case 'Astro':
      return 'const { success } = await ratelimit.limit(clientAddress)\nif (!success) return new Response(null, { status: 429 })'
    case 'Auth.js':
      // whatever authorize() returns is taken for the user, a response as well
      return `${store('', around.redis ?? 'Redis.fromEnv()')}\n\n// first in authorize(); what it returns is taken for the user, so refuse with null and never with a Response\nconst { success } = await ratelimit.limit(String(credentials?.email ?? credentials?.username ?? ''))\nif (!success) return null`
    case 'Supabase Edge Functions': {
      const [request = 'req'] = around.parameters(route)
      const cors = corsAt(route, around)
      return `${store('npm:', "new Redis({ url: Deno.env.get('UPSTASH_REDIS_REST_URL')!, token: Deno.env.get('UPSTASH_REDIS_REST_TOKEN')! })")}\n\nconst ip = ${request}.headers.get('x-forwarded-for')?.split(',')[0] ?? ''\nconst { success } = await ratelimit.limit(ip)\nif (!success) return new Response(null, { status: 429${cors} })`
    }
    default: {
      if (route.kind === 'action')
        return `${around.names(route.path).has('headers') ? '' : "import { headers } from 'next/headers'\n"}${store('', around.redis ?? 'Redis.fromEnv()')}\n\nconst ip = (await headers()).get('x-forwarded-for') ?? ''\nconst { success } = await ratelimit.limit(ip)\nif (!success) throw new Error('Too many attempts')`
      const [request = 'request'] = around.parameters(route)
      if (route.answers === 'res')
        return `${store('', around.redis ?? 'Redis.fromEnv()')}\n\nconst { success } = await ratelimit.limit(String(req.headers['x-forwarded-for'] ?? ''))\nif (!success) return res.status(429).end()`
      if (route.answers)
        return `${store('', around.redis ?? 'Redis.fromEnv()')}\n\nconst { success } = await ratelimit.limit(event.headers['x-forwarded-for'] ?? '')\nif (!success) return { statusCode: 429, body: '' }`
      return `${store('', around.redis ?? 'Redis.fromEnv()')}\n\nconst ip = ${request}.headers.get('x-forwarded-for') ?? ''\nconst { success } = await ratelimit.limit(ip)\nif (!success) return new Response(null, { status: 429 })`
    }
  }
}

/** A counter that all instances of the server share. */
const store = (registry: string, redis: string): string =>
  `import { Ratelimit } from '${registry}@upstash/ratelimit'\nimport { Redis } from '${registry}@upstash/redis'\n\nconst ratelimit = new Ratelimit({ redis: ${redis}, limiter: Ratelimit.slidingWindow(10, '15 m') })`
