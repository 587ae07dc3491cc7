import type { Route } from '../../model/routes/routes.ts'

/** Handlers that get `(req, res)`. */
export const answersThroughResponse = (route: Route): boolean => route.path.includes('pages/api') || /Vercel|Netlify/.test(route.framework)

/** How a handler of this framework turns somebody away. */
export function refusal(route: Route, status: 403 | 404): string {
  if (route.kind === 'action')
    return route.framework === 'SvelteKit' ? `return fail(${status})` : `throw new Error('${status === 403 ? 'Forbidden' : 'Not found'}')`
  if (answersThroughResponse(route)) return `return res.status(${status}).end()`
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
      return `throw new ${status === 403 ? 'Forbidden' : 'NotFound'}Exception()`
    case 'tRPC':
      return `throw new TRPCError({ code: '${status === 403 ? 'FORBIDDEN' : 'NOT_FOUND'}' })`
    default:
      return `return new Response(null, { status: ${status} })`
  }
}
