import type { Expr, FunctionId } from '../../facts/javascript.ts'
import type { Program } from './program.ts'
import { propOf, stringOf } from './walk.ts'

/** A route that is described apart from its handler. */
export interface DescribedRoute {
  readonly method: string
  readonly route: string
  /** One middleware or a list of them, with where it is written. */
  readonly middleware?: Expr
  readonly path: string
  readonly scope: FunctionId
}

/** `createRoute({ method: 'get', path: '/orders/{id}', middleware: [auth] })` of `@hono/zod-openapi`, as `router.openapi(route, handler)` is given it. */
export function describedRoute(program: Program, path: string, scope: FunctionId, given: Expr | undefined): DescribedRoute | undefined {
  const m = given ? program.meaning(path, scope, given) : undefined
  if (m?.k !== 'expr') return undefined
  const options = m.expr.k === 'call' ? m.expr.args[0] : m.expr
  const written = options?.k === 'id' ? program.meaning(m.path, m.scope, options) : undefined
  const at = written?.k === 'expr' ? { path: written.path, scope: written.scope, expr: written.expr } : { path: m.path, scope: m.scope, expr: options }
  const method = stringOf(propOf(at.expr, 'method'))
  const route = stringOf(propOf(at.expr, 'path'))
  if (!method || route === undefined) return undefined
  const middleware = propOf(at.expr, 'middleware')
  return { method: method.toUpperCase(), route: route.replace(/\{(\w+)\}/g, ':$1'), ...(middleware ? { middleware } : {}), path: at.path, scope: at.scope }
}
