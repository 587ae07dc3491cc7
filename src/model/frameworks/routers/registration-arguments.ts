import type { ClassIR, Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Given } from '../../behaviour/types.ts'
import type { Code, Program } from '../program.ts'

/** Collects what the functions that register routes are called with: `setupRoutes(app, storage)`. */
export class Givens {
  /** By `path:id`; null when calls give different things, and nothing is known of any of them. */
  readonly #calls = new Map<string, Given | null>()
  /** What applications keep for their handlers, by name; null when it is set to different things. */
  readonly #kept = new Map<string, Given | null>()
  /** The constructor of the class that a function is a method of, by `path:id`. */
  readonly #makers = new Map<string, FunctionId>()

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

  /** What a function was given at a position, where it is called. */
  argument(path: string, fn: FunctionId, index: number): { readonly path: string; readonly scope: FunctionId; readonly expr: Expr } | undefined {
    const given = this.#calls.get(`${path}:${fn}`)
    const expr = given?.args[index]
    return given && expr ? { ...given.from, expr } : undefined
  }

  /** Notes what the application keeps under a name for its handlers: `app.set('db', db)`. */
  keep(name: string, from: Given['from'], value: Expr): void {
    const key = `${name}:0`
    const known = this.#kept.get(key)
    this.#kept.set(key, known === undefined || known?.args[0] === value ? { path: name, fn: 0, from, args: [value] } : null)
  }

  /** Notes what an object of a class is made of. What its methods work with stands there. */
  noteObject(path: string, of: ClassIR, from: Given['from'], args: readonly Expr[]): void {
    const make = of.members.find((m) => m.how === 'constructor')?.fn
    if (make === undefined) return
    this.note(path, make, from, args)
    for (const m of of.members) if (m.fn !== undefined && m.fn !== make) this.#makers.set(`${path}:${m.fn}`, make)
  }

  /** What the functions were given that these pieces of code stand in, and those in which they were called. */
  around(program: Program, codes: readonly Code[]): readonly Given[] {
    const found = new Map<string, Given>()
    const take = (path: string, id: FunctionId): void => {
      const key = `${path}:${id}`
      const given = this.#calls.get(key)
      if (!given || found.has(key)) return
      found.set(key, given)
      climb(given.from.path, given.from.scope)
    }
    const climb = (path: string, scope: FunctionId | undefined): void => {
      for (let id = scope, hops = 0; id !== undefined && id !== 0 && hops < 64; hops++) {
        take(path, id)
        const maker = this.#makers.get(`${path}:${id}`)
        if (maker !== undefined) take(path, maker)
        id = program.fn(path, id)?.parent
      }
    }
    for (const code of codes) climb(code.path, code.k === 'fn' ? code.fn : code.scope)
    const dir = (path: string) => program.workspace(path).dir
    for (const kept of this.#kept.values()) if (kept && codes.some((c) => dir(c.path) === dir(kept.from.path))) found.set(`${kept.path}:0`, kept)
    return [...found.values()]
  }
}
