import type { FunctionId } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import type { Given, Seed, Value } from '../behaviour/types.ts'
import type { Code } from './program.ts'

/** How a framework calls the code: which parameter is the request, where parameters and session state are found. */
export type Calling =
  | 'next-route' // (request, { params })
  | 'next-middleware' // (request, event)
  | 'clerk-middleware' // (auth, request)
  | 'clerk-5-middleware' // the same before version 6, where `auth()` answers at once
  | 'clerk-after-auth' // (auth, request, event), the state of sign-in already read
  | 'next-api' // (req, res)
  | 'next-props' // ({ params, query, req, res })
  | 'next-page' // ({ params, searchParams })
  | 'action' // (...values from the caller)
  | 'fetch' // (request) -> Response: Deno, workers
  | 'express' // (req, res, next)
  | 'express-param' // (req, res, next, value)
  | 'fastify' // (request, reply)
  | 'hono' // (c, next)
  | 'koa' // (ctx, next)
  | 'nest' // decorated method
  | 'nest-guard' // canActivate(context)
  | 'remix' // ({ request, params, context })
  | 'tanstack' // ({ data, context, request, params })
  | 'tanstack-middleware' // ({ next, context })
  | 'sveltekit' // ({ locals, params, request, url, cookies })
  | 'sveltekit-handle' // ({ event, resolve })
  | 'sveltekit-remote' // (argument), the event through getRequestEvent()
  | 'nitro' // (event)
  | 'nuxt-middleware' // (to, from)
  | 'astro' // (context)
  | 'astro-middleware' // (context, next)
  | 'astro-page' // module body, Astro.*
  | 'astro-action' // (input, context)
  | 'lambda' // (event, context)
  | 'trpc' // ({ ctx, input })
  | 'trpc-middleware' // ({ ctx, next })
  | 'component' // a page component rendered on the server

/** Code that runs before the handler, in the order in which the framework runs it. */
export interface Before {
  readonly code: Code
  readonly calling: Calling
  readonly at: Place
  /** What it is, for people: `middleware`, `hook`, `layout`, `router`, `guard`. */
  readonly what: 'middleware' | 'hook' | 'layout' | 'guard' | 'loader' | 'context'
  /** False when the framework runs it beside the handler (layout loads of SvelteKit): it redirects pages, but guards no data. */
  readonly blocks: boolean
  /** What it is called where it is put in front of a handler. */
  readonly name?: string
  /** It runs before every request of the application, so what it writes is no work of a handler. */
  readonly everywhere?: true
  /** Paths that the library's own middleware leaves open (`publicRoutes`). */
  readonly open?: readonly string[]
  /** A library middleware that is known by its import (`clerkMiddleware`, `express-jwt`): nothing to follow. */
  readonly external?: { readonly from: string; readonly name: string }
}

export type EntryKind = 'api' | 'page' | 'action' | 'edge-function' | 'procedure'

/** One thing that answers requests, as a framework finds it. */
export interface Entry {
  readonly framework: string
  readonly kind: EntryKind
  /** Undefined: every method. */
  readonly method?: string
  /** It is called by the method's name and serves others too (an action of Remix: POST, PUT, PATCH and DELETE). */
  readonly otherMethods?: true
  /** `/path/[param]`, with optional and rest parameters as `[...param]`. */
  readonly route: string
  readonly subject: string
  /** The path that visitors request, where middleware rewrites it to that of the route. */
  readonly requested?: { readonly path: string; readonly answering: readonly string[] }
  /** Middleware sees the path of whatever page the caller says it is called from: tests of the path guard nothing. */
  readonly anyPage?: true
  /** It answers whatever stands below this path as well, and tells one from another itself: a router within one function. */
  readonly anyPath?: string
  /** What the framework calls the route in code that asks (`event.route.id`), groups included. */
  readonly routeId?: string
  readonly path: string
  readonly line: number
  readonly endLine?: number
  /** Undefined for pages without code on the server. */
  readonly code?: Code
  readonly calling: Calling
  /** What the handler's parameters are, where the way of calling does not say it (decorated parameters). */
  readonly args?: readonly Seed[]
  /** Schemas that the framework checks the handler's input with before it runs (`.input(schema)`). */
  readonly schemas?: readonly Code[]
  /** What the framework's context carries from the start, by name. */
  readonly carried?: ReadonlyMap<string, Code>
  readonly before: readonly Before[]
  /** What the functions are called with in which its code is written. */
  readonly given?: readonly Given[]
  readonly page?: Page
  /** The platform verifies a token before the handler runs (`verify_jwt` of edge functions): true, false or undefined when it has no such thing. */
  readonly platformJwt?: { readonly on: boolean; readonly at?: Place }
  /** What decorators say of the handler, for guards that ask (`@SetMetadata` of NestJS). */
  readonly metadata?: Readonly<Record<string, Value>>
  /** Nothing in the application turns an exception into an answer: it ends in 500. */
  readonly uncaught?: true
  /** It answers the one way to sign in that the configuration of a library lists. */
  readonly onlySignIn?: true
  /** Declared by the framework to be open or guarded (`@Public`, route rules); a name for people. */
  readonly declared?: 'public' | 'guarded'
}

/** What a page renders. */
export interface Page {
  /** The file of its component. */
  readonly path: string
  /** It runs only in the browser. */
  readonly client: boolean
  /** No server renders it: a page of a static single-page application, or one that is rendered in the browser alone. */
  readonly static?: true
  /** What the router of a single-page application draws there, by its name in the file of the router. */
  readonly draws?: string
  /** Components inside of which the router draws it, outermost first, by their names there; those that by their names ask who is signed in are `gated`. */
  readonly within?: readonly string[]
  /** The router draws it inside of a component that by its name asks who is signed in. */
  readonly gated?: true
  /** That component asks for an administrator. */
  readonly administrators?: true
  /** Its component, where that is no default export of the file. */
  readonly component?: Component
  /** Components that are rendered around it, outermost first, where the framework names them elsewhere than by the names of files. */
  readonly layouts?: readonly Component[]
}

export interface Component {
  readonly path: string
  readonly fn: FunctionId
}

/** Code that a framework runs for many routes (`middleware.ts`, `hooks.server.ts`, `server/middleware`). */
export interface Middleware extends Before {
  readonly framework: string
  readonly workspace: string
  /** Which paths it runs on; absent: all. */
  readonly matcher?: { readonly sources: readonly string[]; readonly at: Place }
  /** The folder in which the framework would look for it, where it lies in another one and never runs. */
  readonly belongsIn?: string
  /** The framework in use is of a version that does not know files of this name, so it never runs. */
  readonly tooEarly?: true
}

/** A registration that says no route, or a handler that is not where it is said to be: something answers requests there and was not judged. */
export interface Unfollowed extends Place {
  readonly because: string
}

/** What a framework file gives. */
export interface Framework {
  readonly name: string
  /** The entries that this framework serves; empty when it is not in use. */
  entries(program: import('./program.ts').Program): readonly Entry[]
  /** What it serves and could not be read as an entry. */
  unfollowed?(program: import('./program.ts').Program): readonly Unfollowed[]
  /** Middleware of the whole application. */
  middleware?(program: import('./program.ts').Program): readonly Middleware[]
}

/** `route GET /x`, or `route /x` when every method is handled. */
export function routeSubject(method: string | undefined, route: string): string {
  return method ? `route ${method} ${route}` : `route ${route}`
}
