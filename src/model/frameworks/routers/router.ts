import type { Place } from '../../../lib/place.ts'
import type { Given } from '../../behaviour/types.ts'
import type { Before, Calling } from '../entry.ts'
import type { Code, Program } from '../program.ts'

/** Methods of routers that register a route, and for which method of HTTP. */
export const ROUTER_METHODS: Readonly<Record<string, string | undefined>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  del: 'DELETE',
}

/** What a library's routers are called and how they are told apart. */
export interface RouterDialect {
  readonly name: string
  readonly packages: readonly string[]
  readonly calling: Calling
  /** True when an expression makes a router: `express()`, `Router()`, `new Hono()`. */
  creates(from: string, name: string, isNew: boolean): boolean
  /** True when what `creates` makes answers nothing by itself, only where another one mounts it: `Router()`. */
  readonly isPart?: (name: string) => boolean
  /** Names of parameters that carry a router into a function nobody calls by name. */
  readonly conventional: RegExp
  /** The options of a router in which its prefix stands, by the position of the argument (Koa). */
  readonly prefixIn?: number
  /** Whether what `use(pattern)` of a file registers runs for a route, where that is not decided by the first segments alone. */
  readonly covers?: (pattern: string, route: string, program: Program, path: string) => boolean
  /** Hooks belong to the whole context, whatever the order (Fastify). */
  readonly contextual?: true
}

/** One route as registered, with what runs before it. */
export interface RegisteredRoute {
  readonly method?: string
  readonly route: string
  readonly at: Place
  readonly code?: Code
  readonly before: readonly Before[]
  readonly given?: readonly Given[]
}

/** What was registered on a router by one call. */
export type Registration =
  | { readonly k: 'route'; readonly methods: readonly (string | undefined)[]; readonly path: string; readonly handlers: readonly Before[]; readonly at: Place }
  | {
      readonly k: 'use'
      readonly paths: readonly string[]
      readonly befores: readonly Before[]
      /** Of a context of Fastify, whose hooks hold for all: this one holds from where it stands, or from the next plug-in on. */
      readonly from?: 'here' | 'next-plugin'
    }
  /** What was registered so far on a context of Fastify was waited for. */
  | { readonly k: 'loaded' }
  | { readonly k: 'mount'; readonly paths: readonly string[]; readonly router: Router; readonly befores: readonly Before[]; readonly upTo: number }

/** A router object with what is registered on it, in order. */
export class Router {
  readonly registrations: Registration[] = []
  readonly decorated = new Map<string, Code>()
  mounted = false
  /** It answers only where another one mounts it. */
  part = false
  /** Stands before all of its own paths. */
  prefix = ''
  /** Set for `router.route(path)`: registrations go to `of` under that path. */
  readonly of?: Router
  readonly fixed?: string
  readonly at: Place
  constructor(at: Place, of?: Router, fixed?: string) {
    this.at = at
    if (of) this.of = of
    if (fixed !== undefined) this.fixed = fixed
  }
}
