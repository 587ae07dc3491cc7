import type { Route } from '../../model/routes/routes.ts'

/** A limiter in front of the handler, as its framework has it. */
export function limiterCode(route: Route): string {
  switch (route.framework) {
    case 'Express':
      return `import rateLimit from 'express-rate-limit'\n\nconst limiter = rateLimit({ windowMs: 15 * 60 * 1000, limit: 10 })\nrouter.${(route.method ?? 'use').toLowerCase()}('${written(route)}', limiter, handler)`
    case 'Fastify':
      return "await fastify.register(import('@fastify/rate-limit'))\n// in the route: config: { rateLimit: { max: 10, timeWindow: '15 minutes' } }"
    case 'Hono':
      return `import { rateLimiter } from 'hono-rate-limiter'\n\napp.use('${written(route)}', rateLimiter({ windowMs: 15 * 60 * 1000, limit: 10, keyGenerator: (c) => c.req.header('cf-connecting-ip') ?? '' }))`
    case 'SvelteKit':
      return 'const { success } = await ratelimit.limit(event.getClientAddress())\nif (!success) return fail(429)'
    case 'Nuxt':
      return "const { success } = await ratelimit.limit(getRequestIP(event, { xForwardedFor: true }) ?? '')\nif (!success) throw createError({ statusCode: 429 })"
    case 'Astro':
      return 'const { success } = await ratelimit.limit(clientAddress)\nif (!success) return new Response(null, { status: 429 })'
    default:
      return `import { Ratelimit } from '@upstash/ratelimit'\nimport { Redis } from '@upstash/redis'\n\nconst ratelimit = new Ratelimit({ redis: Redis.fromEnv(), limiter: Ratelimit.slidingWindow(10, '15 m') })\n\nconst ip = ${route.kind === 'action' ? "(await headers()).get('x-forwarded-for') ?? ''" : "request.headers.get('x-forwarded-for') ?? ''"}\nconst { success } = await ratelimit.limit(ip)\nif (!success) ${route.kind === 'action' ? "throw new Error('Too many attempts')" : 'return new Response(null, { status: 429 })'}`
  }
}

/** The path as routers take it. */
const written = ({ route }: Route): string => route.replace(/\[(?:\.\.\.)?([^[\]]+)\]/g, ':$1')
