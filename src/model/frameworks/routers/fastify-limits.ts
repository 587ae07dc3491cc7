/**
 * Where @fastify/rate-limit takes hold: in routes that are added after it was loaded, all of them or, with `global: false`, those that name a limit
 * (https://github.com/fastify/fastify-rate-limit#options). It is loaded once `register` was waited for, or before the plug-ins registered behind it.
 */
import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import { FASTIFY_LIMITERS } from '../../../lexicon/libraries/limiters.ts'
import type { Before, Calling } from '../entry.ts'
import { packageOf } from '../program.ts'
import { propOf } from '../walk.ts'

const FASTIFY_LIMITER = '@fastify/rate-limit'

/** The name of what a route has in front of it that turns the limit off for itself. */
export const LIMIT_OFF = 'rateLimit: false'

/** Whether a specifier is that of the limiter, under its old name too. */
export const isFastifyLimiter = (from: string): boolean => FASTIFY_LIMITERS.has(packageOf(from) ?? '')

/** Whether a limiter was registered for all routes. */
export function isGlobal(options: Expr | undefined): boolean {
  const global = propOf(options, 'global')
  return !(global?.k === 'lit' && global.v === false)
}

/** What the options of a route say about the limit: `config: { rateLimit: { max: 5 } }`, or `false`. */
export function limitOfRoute(options: Expr, path: string, scope: FunctionId, calling: Calling): readonly Before[] {
  const limit = propOf(propOf(options, 'config'), 'rateLimit')
  if (!limit) return []
  const isOff = limit.k === 'lit' && limit.v === false
  return [
    {
      code: { k: 'expr', path, scope, expr: limit },
      calling,
      at: { path, line: limit.l },
      what: 'hook',
      blocks: true,
      external: { from: FASTIFY_LIMITER, name: isOff ? LIMIT_OFF : 'config.rateLimit' },
    },
  ]
}

/** `preHandler: app.rateLimit({ max: 5 })`, with which a route brings a limit of its own. */
export const isOwnLimit = (x: Expr, calling: Calling): boolean => calling === 'fastify' && x.k === 'call' && x.fn.k === 'mem' && x.fn.name === 'rateLimit'

/** The limiter as what stands in front of a route. */
export const FASTIFY_RATE_LIMIT = { from: FASTIFY_LIMITER, name: 'default' } as const
