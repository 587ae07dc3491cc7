/** Limiters whose options are followed: what they do for a request is in the behaviour of its handler. */
export const FOLLOWED_LIMITERS: ReadonlySet<string> = new Set(['express-rate-limit', 'hono-rate-limiter'])

/** The limiter of Fastify, under its old name too. */
export const FASTIFY_LIMITERS: ReadonlySet<string> = new Set(['@fastify/rate-limit', 'fastify-rate-limit'])
