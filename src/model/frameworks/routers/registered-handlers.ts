import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Before, Calling } from '../entry.ts'
import type { Code } from '../program.ts'
import { codeOf, type Meaning, type Program } from '../program.ts'
import { calleeText } from '../walk.ts'
import { FASTIFY_RATE_LIMIT, isOwnLimit, limitOfRoute } from './fastify-limits.ts'
import type { Router } from './router.ts'

/** Reads what the arguments of registrations run. */
export class RegisteredHandlers {
  readonly #program: Program
  readonly #calling: Calling
  readonly #decorations = new Map<string, Code>()

  constructor(program: Program, calling: Calling) {
    this.#program = program
    this.#calling = calling
  }

  /** `app.decorate(name, fn)`: what a plug-in adds is there for everybody who comes later. */
  decorate(router: Router, name: string, code: Code): void {
    router.decorated.set(name, code)
    this.#decorations.set(name, code)
  }

  /** What an argument of a registration runs: handlers, middleware and hooks, in order. */
  of(path: string, scope: FunctionId, x: Expr, router: Router): Before[] {
    if (x.k === 'arr') return x.items.flatMap((i) => this.of(path, scope, i, router))
    if (x.k === 'spread') return this.of(path, scope, x.of, router)
    // @fastify/auth: `app.auth([app.verifyToken])`; Hono: `factory.createHandlers(auth, handler)`
    if (x.k === 'call' && x.fn.k === 'mem' && x.fn.name === 'auth' && x.args[0]?.k === 'arr') return this.of(path, scope, x.args[0], router)
    if (x.k === 'call' && x.fn.k === 'mem' && x.fn.name === 'createHandlers') return x.args.flatMap((a) => this.of(path, scope, a, router))
    if (x.k === 'obj') {
      // Fastify options: { schema, preHandler, onRequest, preValidation }
      const own = this.#calling === 'fastify' ? limitOfRoute(x, path, scope, this.#calling) : []
      const hooks = x.props.flatMap((p) =>
        p.key && /^(onRequest|preParsing|preValidation|preHandler)$/.test(p.key)
          ? this.of(path, scope, p.value, router).map((b): Before => ({ ...b, what: 'hook' }))
          : [],
      )
      return [...own, ...hooks]
    }
    if (isOwnLimit(x, this.#calling))
      return [
        {
          code: { k: 'expr', path, scope, expr: x },
          calling: this.#calling,
          at: { path, line: x.l },
          what: 'hook',
          blocks: true,
          external: FASTIFY_RATE_LIMIT,
        },
      ]
    const m: Meaning | undefined = this.#program.meaning(path, scope, x)
    if (m?.k === 'expr' && m.expr.k === 'arr') return m.expr.items.flatMap((i) => this.of(m.path, m.scope, i, router))
    if (m?.k === 'expr' && m.expr !== x && m.expr.k === 'call' && m.expr.fn.k === 'mem' && m.expr.fn.name === 'createHandlers')
      return this.of(m.path, m.scope, m.expr, router)
    const at: Place = { path, line: x.l, ...(x.e ? { endLine: x.e } : {}) }
    const decorated = x.k === 'mem' ? (router.decorated.get(x.name) ?? this.#decorations.get(x.name)) : undefined
    if (decorated && m?.k !== 'fn') return [{ code: decorated, calling: this.#calling, at, what: 'middleware', blocks: true }]
    if (m?.k === 'external')
      return [
        {
          code: { k: 'expr', path, scope, expr: x },
          calling: this.#calling,
          at,
          what: 'middleware',
          blocks: true,
          external: { from: m.from, name: m.name },
        },
      ]
    const callee =
      x.k === 'call'
        ? this.#program.external(path, scope, x.fn)
        : m?.k === 'expr' && m.expr.k === 'call'
          ? this.#program.external(m.path, m.scope, m.expr.fn)
          : undefined
    // `controller.list` belongs to `new Controller(storage)`: with its object it is what it is
    const object = m?.k === 'fn' && x.k === 'mem' ? this.#program.meaning(path, scope, x.of) : undefined
    const bound = object?.k === 'expr' && object.expr.k === 'new'
    const code = (bound ? undefined : codeOf(m)) ?? { k: 'expr', path, scope, expr: x }
    const name = x.k === 'id' || x.k === 'mem' ? calleeText(x) : undefined
    return [{ code, calling: this.#calling, at, what: 'middleware', blocks: true, ...(name ? { name } : {}), ...(callee ? { external: callee } : {}) }]
  }
}
