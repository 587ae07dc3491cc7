import type { Expr, FunctionId } from '../../facts/javascript.ts'
import type { Given } from '../behaviour/behaviour.ts'
import type { Code } from './entry.ts'
import type { Program } from './program.ts'

/** Collects what the functions that register routes are called with: `setupRoutes(app, storage)`. */
export class Givens {
  /** By `path:id`; null when calls give different things, and nothing is known of any of them. */
  readonly #calls = new Map<string, Given | null>()

  /** Notes a call. Routers among the arguments are followed where routes are registered, and stay out. */
  note(path: string, fn: FunctionId, from: Given['from'], args: readonly Expr[], routers: readonly unknown[] = []): void {
    const key = `${path}:${fn}`
    const known = this.#calls.get(key)
    if (known === null || args.some((a) => a.k === 'spread')) return
    const given = args.map((a, i) => (routers[i] ? undefined : a))
    if (!given.some((a) => a)) return
    if (known) this.#calls.set(key, known.args.every((a, i) => a === given[i]) ? known : null)
    else this.#calls.set(key, { path, fn, from, args: given })
  }

  /** What the functions were given that these pieces of code stand in, and those in which they were called. */
  around(program: Program, codes: readonly Code[]): readonly Given[] {
    const found = new Map<string, Given>()
    const climb = (path: string, scope: FunctionId | undefined): void => {
      for (let id = scope, hops = 0; id !== undefined && id !== 0 && hops < 64; hops++) {
        const key = `${path}:${id}`
        const given = this.#calls.get(key)
        if (given && !found.has(key)) {
          found.set(key, given)
          climb(given.from.path, given.from.scope)
        }
        id = program.fn(path, id)?.parent
      }
    }
    for (const code of codes) climb(code.path, code.k === 'fn' ? code.fn : code.scope)
    return [...found.values()]
  }
}
