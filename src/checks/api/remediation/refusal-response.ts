import type { Route } from '../../../model/routes/routes.ts'
import { isLayoutLoad } from '../shared/layout-load.ts'

/** How a handler of this framework turns somebody away. */
export function refusal(route: Route, status: 400 | 401 | 403 | 404 | 429 | 500): string {
  const word = { 400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'Too many attempts', 500: 'InternalServerError' }[status]
  if (route.kind === 'action') return route.framework === 'SvelteKit' ? `return fail(${status})` : `throw new Error('${status === 404 ? 'Not found' : word}')`
  if (isLayoutLoad(route)) return `throw error(${status})`
  if (route.answers) return route.answers === 'res' ? `return res.status(${status}).end()` : `return { statusCode: ${status}, body: '' }`
  switch (route.framework) {
    case 'Express':
      return `return res.status(${status}).end()`
    case 'Fastify':
      return `return reply.code(${status}).send()`
    case 'Hono':
      return `return c.body(null, ${status})`
    case 'Nuxt':
      return `throw createError({ statusCode: ${status} })`
    case 'NestJS':
      return status === 429 ? "throw new HttpException('Too many attempts', 429)" : `throw new ${word}Exception()`
    case 'tRPC':
      return `throw new TRPCError({ code: '${{ 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'TOO_MANY_REQUESTS', 500: 'INTERNAL_SERVER_ERROR' }[status]}' })`
    default:
      return `return new Response(null, { status: ${status} })`
  }
}
