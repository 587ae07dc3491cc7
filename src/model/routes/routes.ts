import type { Place } from '../../lib/place.ts'
import type { Behaviour, Trust } from '../behaviour/behaviour.ts'
import type { Before, EntryKind } from '../frameworks/entry.ts'

/** Every HTTP entry of the application, and the middleware in front of it. */
export interface RoutesModel {
  readonly routes: readonly Route[]
  readonly middleware: readonly MiddlewareModel[]
}

/** Who is let in, and where that is decided. */
export interface Guard {
  readonly who: Who
  /** The place of the decision. */
  readonly at: Place
  readonly trust: Trust
  /** How the caller was established (`supabase.auth.getUser`), for people. */
  readonly how: string
  /** Where the caller was established, when that is known. */
  readonly identifiedAt?: Place
  /** What somebody without rights is answered. */
  readonly refusal: { readonly status?: number; readonly how?: 'respond' | 'throw' | 'redirect' | 'not-found' | 'return' | 'next' }
  /** The guard lets everyone in when this environment variable is unset. */
  readonly opensWithout?: string
}

/**
 * `user`: a signed-in user; `admin`: one with a role; `secret`: who knows a server secret or API key; `signature`: a signed
 * message; `token`: who knows an unguessable value; `check`: something that could not be followed but refuses.
 */
export type Who = 'user' | 'admin' | 'secret' | 'signature' | 'token' | 'check'

export interface Route {
  /** `GET`, …; undefined when the handler takes every method. */
  readonly method?: string
  /** With parameters as `[param]`. */
  readonly route: string
  readonly kind: EntryKind
  readonly subject: string
  readonly path: string
  readonly line: number
  readonly endLine?: number
  readonly framework: string
  readonly workspace?: string
  /** What it does; absent when there is no code on the server, or none that could be read. */
  readonly behaviour?: Behaviour
  /** What must hold before anything of interest happens; undefined when nothing guards. */
  readonly guard?: Guard
  /** A call of the handler that limits how often it can be used. */
  readonly limit?: Place
  /** Whose rights its data access has: the strongest first. */
  readonly client?: string
  readonly tables: readonly string[]
  readonly before: readonly Before[]
  /** Handled by a library of its own (Auth.js, Better Auth, uploads): its package. */
  readonly library?: string
  readonly page?: { readonly path: string; readonly client: boolean; readonly static?: true }
  readonly platformJwt?: { readonly on: boolean; readonly at?: Place }
  /** Where the framework declares it open (`@Public`). */
  readonly declared?: 'public' | 'guarded'
}

/** Middleware of the whole application: what it covers and what it does. */
export interface MiddlewareModel {
  readonly framework: string
  readonly workspace: string
  readonly at: Place
  readonly matcher?: { readonly sources: readonly string[]; readonly at: Place }
  readonly external?: { readonly from: string; readonly name: string }
  readonly behaviour?: Behaviour
}
