import type { Expr, FunctionId } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'

/**
 * What an entry of the application does when a request comes in: the effects in the order in which they happen, each with
 * the conditions that must hold to get there. Established by following calls through the module graph (bounded), with
 * abstract values instead of real ones. Names hint, behaviour decides.
 */
export interface Behaviour {
  readonly steps: readonly Step[]
  /** False when a bound was hit or a call that receives the request could not be followed; then absence proves nothing. */
  readonly complete: boolean
  /** Why it is not complete, with the first places. */
  readonly gaps?: readonly BehaviourGap[]
  /** Calls of packages that nothing is known of, which by their names reach stored data and are given what the request brought. */
  readonly sinks?: readonly UnknownSink[]
  /** What `Entry.through` did, each time that it was reached; steps that are referred to are those of `steps`. */
  readonly through?: readonly Step[]
  /** The form of a path's parameter decided something: with a number or an id in its place the code may go elsewhere. */
  readonly restsOnForm?: true
  /** It asks whether it runs on the server or in the browser. */
  readonly restsOnSide?: true
  /** Headers and parameters that are not sent are undefined, as in Node, where those of the web are null. */
  readonly unsent?: 'undefined'
  /** Where each header that is asked for by name is read first. */
  readonly headersRead?: Readonly<Record<string, Place>>
  /** What middleware, followed for no path in particular, puts in front of the path that is requested. */
  readonly rewrites?: readonly Rewrite[]
}

/** A call of a package that is not followed, with request data in it. */
export interface UnknownSink {
  readonly at: Place
  /** The call as written, from the package on. */
  readonly name: string
  readonly from: string
}

/** A place where the interpreter lost track. */
export interface BehaviourGap {
  readonly at: Place
  readonly because: string
  /** The first step that comes after it; what holds for earlier steps is certain. */
  readonly step: number
  /** Something that by its name asks who calls: it may refuse the request, and does nothing else that is missed. */
  readonly only?: 'check'
}

/** What `analyse` starts from: a function of a file (with what its parameters are bound to), after the middleware that runs before it. */
export interface Entry extends Runnable {
  /** Run first, in this order; `next()` (or `resolve(event)`) of each runs what follows it. */
  readonly before?: readonly Runnable[]
  /** Run beside whatever the entry answers wherever it lets pass, as it would be behind middleware: its steps show what it takes to get through. */
  readonly through?: Runnable
  /** The request that is imagined: tests of its path and method in middleware and handlers are decided by it. */
  readonly request?: ImaginedRequest
  /** What the functions were called with in which the entry and its middleware are written. */
  readonly given?: readonly Given[]
}

/** What a function is given when the application is put together: `setupRoutes(app, storage)`. */
export interface Given {
  readonly path: string
  readonly fn: FunctionId
  /** Where the call is written. */
  readonly from: { readonly path: string; readonly scope: FunctionId }
  /** By position; undefined for what is not followed. */
  readonly args: readonly (Expr | undefined)[]
}

/** What is known of the request before it comes. */
export interface ImaginedRequest {
  readonly path?: string
  /** The page that is asked about, where middleware has to rewrite the request to get there; functions in `answering` never do. */
  readonly page?: { readonly path: string; readonly answering: readonly string[] }
  readonly method?: string
  /** The parameters that its path has, where the framework gives no others. */
  readonly parameters?: readonly string[]
  /** Code that runs on both sides is followed as it runs in the browser; on the server when absent. */
  readonly side?: 'browser'
  /** The platform has verified the token in the Authorization header, so what it says can be believed. */
  readonly tokenVerified?: true
  /** What decorators say of the handler, by key; a key that is not there was not set. */
  readonly metadata?: Readonly<Record<string, Value>>
}

/** A function of the repository: by id, by name in the module (an export or a local), or as the expression that yields it. */
export interface Runnable {
  readonly path: string
  readonly functionId?: FunctionId
  /** An exported or module-level name; `default` for the default export. Dots reach into object literals and classes: `api.get`. */
  readonly name?: string
  readonly expression?: Expr
  /** The function in which `expression` is written; the module body when absent. */
  readonly scope?: FunctionId
  /** What each parameter is, by position. */
  readonly seeds: readonly Seed[]
  /** It answers yes or no: what is not truthy refuses the request with 403. */
  readonly gate?: true
  /** It loads what a page shows: an answer with content lets the page render. */
  readonly loads?: true
  /** It is a schema that the input of the handler has to pass. */
  readonly schema?: true
  /** Its value is what the context that the handler shares with its middleware carries under this name. */
  readonly carried?: string
  /** It runs before every request of the application, whatever is asked for. */
  readonly everywhere?: true
}

/** What a framework passes to a handler; or any value. */
export type Seed =
  /** A web `Request` (Next route handlers, edge functions, Remix, Astro's `request`); the Next middleware's `NextRequest` too. */
  | 'web-request'
  /** Next's second argument `{ params }`, page and layout props `{ params, searchParams }`. */
  | 'next-context'
  /** `(req, res)` of Next API routes, Vercel functions, Express and Connect; Fastify's. */
  | 'express-req'
  | 'express-res'
  | 'fastify-request'
  | 'fastify-reply'
  /** `next` of middleware, and `resolve` of SvelteKit's `handle`. */
  | 'next-function'
  /** The single context objects: Hono `c`, Koa `ctx`, SvelteKit's event, h3's event, Astro's context, Remix' `{ request, params, context }`. */
  | 'hono-context'
  | 'koa-context'
  | 'kit-event'
  | 'h3-event'
  | 'astro-context'
  | 'remix-args'
  /** `{ event, resolve }` of SvelteKit's `handle`. */
  | 'kit-handle'
  /** `getServerSideProps` and `getInitialProps`: `{ req, res, params, query }`. */
  | 'pages-context'
  /** `{ ctx, input }` of a tRPC procedure; `{ data, context }` of a TanStack server function. */
  | 'trpc-options'
  | 'server-fn-options'
  /** FormData of a form action. */
  | 'form-data'
  /** An argument that the caller chooses freely: a server action's parameter. */
  | 'input'
  /** `event` of AWS/Netlify functions (`event.body`, `event.headers`). */
  | 'lambda-event'
  /** `ExecutionContext` of NestJS guards. */
  | 'nest-context'
  | 'unknown'
  | Value

/** One effect. */
export interface Step {
  readonly effect: Effect
  readonly at: Place
  /** Call sites from the entry to `at`, outermost first; empty when it is written in the entry itself. */
  readonly via: readonly Place[]
  /** What must hold to get here, in the order in which it was decided. */
  readonly under: readonly Condition[]
  /** It happens in middleware or a guard, before the handler. */
  readonly before?: true
  /** It happens before every request of the application, so it is no work of this handler. */
  readonly everywhere?: true
}

/**
 * A condition on the path, already normalised: `negated` is true on the branch where the test is false. A test
 * `{v:'op', op:'||', of:[…]}` that is not negated is a disjunction left by a join (`if (SECRET) { if (h !== SECRET) return 401 }`
 * leaves "SECRET is unset, or h equals it"); its parts may be `!`, `&&`, and comparisons.
 */
export interface Condition {
  readonly test: Value
  readonly negated: boolean
  readonly at: Place
  /** What happens on the other branch. */
  readonly otherwise: Otherwise
}

/** The other branch of a condition: it ends the handler (with a status, when known), or goes on. */
export interface Otherwise {
  readonly ends: boolean
  readonly status?: number
  readonly how?: 'respond' | 'throw' | 'redirect' | 'not-found' | 'return' | 'next'
  /** It leaves by an exception, through all callers, up to the handler of a `try` (after which it goes on when it does not end); otherwise it only leaves the function. */
  readonly thrown?: true
}

/** A client of a data platform or database, and whose rights it has. */
export interface Client {
  readonly library: 'supabase' | 'prisma' | 'drizzle' | 'pg' | 'mongoose' | 'sequelize' | 'typeorm' | 'kysely' | 'knex' | 'firebase' | 'other'
  /** `service`: bypasses RLS or is a direct connection; `caller`: the caller's session decides; `anon`: nobody's session. */
  readonly rights: 'service' | 'caller' | 'anon' | 'unknown'
  /** Of direct connections: the package of the driver. */
  readonly driver?: string
  readonly at?: Place
}

/** `column op value` on a query. */
export interface Filter {
  readonly column: string
  readonly op: 'eq' | 'in' | 'neq' | 'like' | 'other'
  readonly value: Value
  /** The query has it in some runs alone: `where: user ? eq(carts.userId, user.id) : eq(carts.sessionId, visit)`. */
  readonly sometimes?: true
}

export type DbOp = 'select' | 'insert' | 'update' | 'upsert' | 'delete'

export type Effect =
  | {
      readonly kind: 'db'
      readonly client: Client
      readonly op: DbOp
      readonly table: string
      /** What names the table where the code does not, and `table` is empty. */
      readonly tableBy?: Value
      readonly filters: readonly Filter[]
      /** Which of the related rows come along (`members.userId`); the row itself is found without any. */
      readonly embedded?: readonly Filter[]
      readonly columns?: readonly string[]
      /** Tables whose whole rows come along, each under its name. */
      readonly joined?: readonly string[]
      /** Relations whose whole rows come along, each by its path: `user`, `reviews.author`; with its model where that is known (`author:User`). */
      readonly taken?: readonly string[]
      readonly payload?: Value
      readonly onConflict?: readonly string[]
      readonly ignoreDuplicates?: true
      readonly countOnly?: true /** `.single()`, `findUnique`: one row. */
      readonly one?: true /** It throws where the key that it asks for is undefined. */
      readonly byKey?: true /** `.single()`: that no row is there is an error. */
      readonly failsWithout?: true /** `.throwOnError()`: a failure is an exception, where it would else be reported beside the rows. */
      readonly throws?: true /** The query's own conditions could not all be read; absence of a filter proves nothing. */
      readonly unread?: true
    }
  | {
      readonly kind: 'rpc'
      readonly client: Client
      /** Empty where it is not written down. */
      readonly function: string
      /** What of the request names it. */
      readonly functionBy?: Value
      readonly args: Value
    }
  /** Text that reaches a query engine: raw SQL, PostgREST filter strings, Mongo `$where`. */
  | {
      readonly kind: 'query-text'
      readonly client: Client
      readonly sink: string
      readonly text: Value
      readonly language: 'sql' | 'postgrest' | 'mongo' /** The name of the function in which it is written. */
      readonly inside?: string
    }
  | {
      readonly kind: 'storage'
      readonly client: Client
      readonly bucket: string
      /** `manage` makes a bucket, or changes what it takes and who sees it. */
      readonly op: 'read' | 'write' | 'delete' | 'list' | 'sign' | 'manage'
      readonly object: Value
      /** A file that is there under that name is replaced. */
      readonly replaces?: true
    }
  /** The platform's own authentication calls: signInWithPassword, signUp, resetPasswordForEmail, verifyOtp, …; `admin` for auth.admin.*. */
  | {
      readonly kind: 'auth-call'
      readonly library: string
      readonly op:
        | 'sign-in'
        | 'sign-up'
        | 'otp'
        | 'magic-link'
        | 'reset'
        | 'verify'
        | 'update-user'
        | 'sign-out'
        | 'oauth'
        | 'exchange-code'
        | 'admin'
        | 'refresh'
      readonly name: string
      readonly args: readonly Value[]
    }
  /** Establishing who calls. The value is a `caller` whose `step` is this one. */
  | { readonly kind: 'identify'; readonly how: string; readonly trust: Trust }
  | { readonly kind: 'verify-signature'; readonly library: string; readonly payload: Value; readonly secret: Value; readonly sync: boolean }
  | {
      readonly kind:
        | 'mail'
        | 'sms'
        | 'ai'
        | 'payment'
        | 'http'
        | 'limit'
        | 'invoke'
        | 'enqueue'
        | 'log'
        | 'exec'
        | 'file'
        | 'hash-compare'
        | 'cookie'
        | 'kv'
        | 'render'
        | 'refresh-session'
      readonly name: string
      readonly args: readonly Value[]
      /** What the client of a model was made with: `new OpenAI(settings)`. */
      readonly settings?: Value
      /** Whose rights the client has that calls another function of the project. */
      readonly rights?: Client['rights']
    }
  /** Ends (or would end) the handler with an answer. `next` goes on to what follows a middleware. */
  | { readonly kind: 'respond'; readonly status?: number; readonly how: 'json' | 'redirect' | 'next' | 'not-found' | 'other'; readonly body?: Value }
  | { readonly kind: 'throw'; readonly value: Value; readonly caught: boolean; readonly status?: number }

/** How far an identity can be believed: `editable` is what the user may change (user_metadata), `claimed` comes from the request. */
export type Trust = 'verified' | 'unverified' | 'editable' | 'claimed'

/** How the call that stands for a literal that looks like a secret begins; the text itself is never kept. */
export const HIDDEN_LITERAL = 'secret:'

/** The shape that a validator established for a value of the request; `plain`: letters, digits and the like, nothing that has a meaning in a query. */
export type Narrowed = 'uuid' | 'enum' | 'number' | 'boolean' | 'email' | 'date' | 'url' | 'plain'

export type Value =
  | { readonly v: 'const'; readonly value: string | number | boolean | null | undefined }
  /** Anything the request carries; `name` is the dotted path inside the part, when known. */
  | {
      readonly v: 'request'
      readonly part: 'body' | 'query' | 'params' | 'header' | 'cookie' | 'form' | 'url' | 'raw-body' | 'ip' | 'whole'
      readonly name?: string
      readonly as?: Narrowed
      /** Of an `enum` that is written out: its texts. */
      readonly choices?: readonly string[]
      /** Of an `enum` that generated code exports (`nativeEnum(UserRole)`): its name, which is the one in the schema of the database. */
      readonly listed?: string
      /** Let through by a schema made from a table: every column of it but these. */
      readonly without?: readonly string[]
    }
  /** The caller, or a field of it (`id`, `email`, `role`, `user_metadata.role`, …). `step` is the index of the `identify` step. */
  | { readonly v: 'caller'; readonly how: string; readonly trust: Trust; readonly field?: string; readonly at?: Place; readonly step?: number }
  | { readonly v: 'env'; readonly name: string; readonly fallback?: Value }
  /** A row (or rows) that a query gave, or a field of it. `step` is the index of the query in `Behaviour.steps`. */
  | { readonly v: 'row'; readonly table: string; readonly step: number; readonly field?: string; readonly many?: true }
  /** The error half of the result of step `of`: truthy when the operation failed. `of` is -1 for "an exception was caught". */
  | { readonly v: 'error'; readonly of: number }
  /** The result of step `step` (limit, rpc, http, payment, hash-compare, …), or a field of it. */
  | { readonly v: 'result'; readonly step: number; readonly field?: string }
  | { readonly v: 'client'; readonly client: Client }
  | { readonly v: 'object'; readonly props: Readonly<Record<string, Value>>; readonly rest?: Value }
  | { readonly v: 'array'; readonly items: readonly Value[] }
  /** Concatenation or template: constant and other parts in order. */
  | { readonly v: 'text'; readonly parts: readonly Value[] }
  /** A comparison or logical combination. */
  | { readonly v: 'op'; readonly op: string; readonly of: readonly Value[] }
  /** A verified event of a payment processor, or a field of it (`type`, `data.object.metadata.userId`). `verified` is false when parsed without a signature check. */
  | { readonly v: 'event'; readonly processor: string; readonly verified: boolean; readonly field?: string }
  /** An answer that a function made and that is returned. */
  | {
      readonly v: 'response'
      readonly how: 'json' | 'redirect' | 'next' | 'not-found' | 'other'
      readonly status?: number
      readonly body?: Value
      readonly at?: Place
    }
  | { readonly v: 'function'; readonly name?: string; readonly at?: Place }
  /** Result of a call that is not known: its callee as written, its arguments (taint flows through). */
  | { readonly v: 'call'; readonly name: string; readonly args: readonly Value[]; readonly at?: Place }
  /** One of several, after a join; `under[i]` is what must hold for `of[i]`, when known. */
  | { readonly v: 'any'; readonly of: readonly Value[]; readonly under?: readonly (readonly Condition[])[] }
  | { readonly v: 'unknown' }

/** What middleware puts in front of the path that is requested, and which functions have no part in it. */
export interface Rewrite {
  readonly front: string
  /** Functions that answer all by themselves and rewrite to nothing below `front`: who gets there was not answered by them. */
  readonly answering: readonly string[]
}

/** A query that a handler makes. */
export type Query = Extract<Effect, { kind: 'db' }>
