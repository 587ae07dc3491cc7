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
}

/** One effect. */
export interface Step {
  readonly effect: Effect
  readonly at: Place
  /** Call sites from the entry to `at`, outermost first; empty when it is written in the entry itself. */
  readonly via: readonly Place[]
  /** What must hold to get here, in the order in which it was decided. */
  readonly under: readonly Condition[]
}

/** A condition on the path, already normalised: `negated` is true on the branch where the test is false. */
export interface Condition {
  readonly test: Value
  readonly negated: boolean
  readonly at: Place
  /** What happens on the other branch: it ends the handler (with a status), or goes on. */
  readonly otherwise: { readonly ends: boolean; readonly status?: number; readonly how?: 'respond' | 'throw' | 'redirect' | 'not-found' | 'return' | 'next' }
}

/** A client of a data platform or database, and whose rights it has. */
export interface Client {
  readonly library: 'supabase' | 'prisma' | 'drizzle' | 'pg' | 'mongoose' | 'kysely' | 'knex' | 'other'
  /** `service`: bypasses RLS or is a direct connection; `caller`: the caller's session decides; `anon`: nobody's session. */
  readonly rights: 'service' | 'caller' | 'anon' | 'unknown'
  readonly at?: Place
}

/** `column op value` on a query. */
export interface Filter {
  readonly column: string
  readonly op: 'eq' | 'in' | 'neq' | 'like' | 'other'
  readonly value: Value
}

export type Effect =
  | { readonly kind: 'db'; readonly client: Client; readonly op: 'select' | 'insert' | 'update' | 'upsert' | 'delete'; readonly table: string; readonly filters: readonly Filter[]; readonly columns?: readonly string[]; readonly payload?: Value; readonly onConflict?: readonly string[]; readonly countOnly?: true }
  | { readonly kind: 'rpc'; readonly client: Client; readonly function: string; readonly args: Value }
  /** Text that reaches a query engine: raw SQL, PostgREST filter strings, Mongo `$where`. */
  | { readonly kind: 'query-text'; readonly client: Client; readonly sink: string; readonly text: Value; readonly language: 'sql' | 'postgrest' | 'mongo' }
  | { readonly kind: 'storage'; readonly client: Client; readonly bucket: string; readonly op: 'read' | 'write' | 'delete' | 'list' | 'sign'; readonly object: Value }
  /** The platform's own authentication calls: signInWithPassword, signUp, resetPasswordForEmail, verifyOtp, … */
  | { readonly kind: 'auth-call'; readonly library: string; readonly op: 'sign-in' | 'sign-up' | 'otp' | 'magic-link' | 'reset' | 'verify' | 'update-user' | 'sign-out' | 'oauth' | 'exchange-code' | 'admin' | 'refresh'; readonly name: string; readonly args: readonly Value[] }
  /** Establishing who calls. The value is a `caller`. */
  | { readonly kind: 'identify'; readonly how: string; readonly trust: Trust }
  | { readonly kind: 'verify-signature'; readonly library: string; readonly payload: Value; readonly secret: Value; readonly sync: boolean }
  | { readonly kind: 'mail' | 'sms' | 'ai' | 'payment' | 'http' | 'limit' | 'invoke' | 'enqueue' | 'log' | 'exec' | 'file' | 'hash-compare' | 'cookie'; readonly name: string; readonly args: readonly Value[] }
  /** Ends (or would end) the handler with an answer. */
  | { readonly kind: 'respond'; readonly status?: number; readonly how: 'json' | 'redirect' | 'next' | 'not-found' | 'other'; readonly body?: Value }
  | { readonly kind: 'throw'; readonly value: Value; readonly caught: boolean }

/** How far an identity can be believed: `editable` is what the user may change (user_metadata), `claimed` comes from the request. */
export type Trust = 'verified' | 'unverified' | 'editable' | 'claimed'

export type Value =
  | { readonly v: 'const'; readonly value: string | number | boolean | null | undefined }
  /** Anything the request carries; `name` is the dotted path inside the part, when known. */
  | { readonly v: 'request'; readonly part: 'body' | 'query' | 'params' | 'header' | 'cookie' | 'form' | 'url' | 'raw-body' | 'ip' | 'whole'; readonly name?: string }
  /** The caller, or a field of it (`id`, `email`, `role`, …). */
  | { readonly v: 'caller'; readonly how: string; readonly trust: Trust; readonly field?: string; readonly at?: Place }
  | { readonly v: 'env'; readonly name: string; readonly fallback?: Value }
  /** A row (or rows) that a query gave, or a field of it. `step` is the index of the query in `Behaviour.steps`. */
  | { readonly v: 'row'; readonly table: string; readonly step: number; readonly field?: string; readonly many?: true }
  /** The error or success half of a result: truthy when the operation failed. */
  | { readonly v: 'error'; readonly of: number }
  | { readonly v: 'client'; readonly client: Client }
  | { readonly v: 'object'; readonly props: Readonly<Record<string, Value>>; readonly rest?: Value }
  | { readonly v: 'array'; readonly items: readonly Value[] }
  /** Concatenation or template: constant and other parts in order. */
  | { readonly v: 'text'; readonly parts: readonly Value[] }
  /** A comparison or logical combination. */
  | { readonly v: 'op'; readonly op: string; readonly of: readonly Value[] }
  /** A verified event of a payment processor, or a field of it (`type`, `data.object.metadata.userId`). `verified` is false when parsed without a signature check. */
  | { readonly v: 'event'; readonly processor: string; readonly verified: boolean; readonly field?: string }
  /** Result of a call that is not known: its callee as written, its arguments (taint flows through). */
  | { readonly v: 'call'; readonly name: string; readonly args: readonly Value[]; readonly at?: Place }
  /** One of several, after a join. */
  | { readonly v: 'any'; readonly of: readonly Value[] }
  | { readonly v: 'unknown' }
