import type { Place } from '../../lib/place.ts'
import type { Behaviour } from '../behaviour/types.ts'
import type { EntryKind, Page } from '../frameworks/entry.ts'
import type { Guard } from './guards/guard-model.ts'
import type { Work } from './operations/operation-model.ts'
import type { PageSigns } from './pages/client-side-signals.ts'
import type { Bypass } from './request/path-variants.ts'

/** One HTTP entry, page or action: where it is, what guards it and what it does. */
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
  /** The function that answers, where it stands in another file than its registration. */
  readonly handler?: Place
  readonly framework: string
  /** How it answers where the framework alone does not tell: through `(req, res)`, or with an object that carries the status. */
  readonly answers?: 'res' | 'status-object'
  /** An exception ends in 500: nothing in the application catches it. */
  readonly uncaught?: true
  readonly workspace?: string
  /** Why its handler could not be read at all, where it has one. */
  readonly lost?: string
  /** What it does; absent when there is no code on the server, or none that could be read. */
  readonly behaviour?: Behaviour
  /** What must hold before anything of interest happens; undefined when nothing guards. */
  readonly guard?: Guard
  /** A spelling of the path that goes past the guard. */
  readonly bypass?: Bypass
  /** A call of the handler that limits how often it can be used. */
  readonly limit?: Place
  /** Whose rights its data access has: the strongest first. */
  readonly client?: string
  readonly tables: readonly string[]
  /** What it does that should not be done for anybody, in order, each with what stands before it. */
  readonly work: readonly Work[]
  /** What runs before the handler. */
  readonly before: readonly {
    readonly at: Place
    readonly what: string
    readonly blocks: boolean
    readonly name?: string
    readonly external?: { readonly from: string; readonly name: string }
    /** Where it is written, if that is another place than where it is put in front. */
    readonly written?: Place
  }[]
  /** For pages: what their code says about who they are for, and the guard in a client layout above them. */
  readonly signs?: PageSigns
  readonly clientLayout?: Place
  /** For pages without a guard: what runs before them and sends visitors to sign-in in the browser, and on the server lets everybody past. */
  readonly browserGuard?: Place
  /** For pages without a guard: middleware that would send visitors away, and for no path of the application gets that far. */
  readonly idleGuard?: { readonly at: Place; readonly because: 'matcher' | 'condition' | 'place' | 'version' | 'request'; readonly belongsIn?: string }
  /** For pages: the middleware that sends strangers away elsewhere lists it among those that are for everybody. */
  readonly listedOpen?: true
  /** For pages: what their own code reads for whoever asks for it alone, without the layouts whose guard runs beside it. */
  readonly beside?: Work
  /** For pages: false when everything before it always answers by itself. */
  readonly reachable?: boolean
  /** Handled by a library of its own (Auth.js, Better Auth, uploads): its package. */
  readonly library?: string
  readonly page?: Omit<Page, 'component' | 'layouts'>
  readonly platformJwt?: { readonly on: boolean; readonly at?: Place }
  /** A server action that only other server code calls, or nobody: no page holds its id. */
  readonly unlinked?: 'server' | 'nobody'
  /** A server action that only pages behind middleware use, by whom that lets past. */
  readonly behind?: 'administrators' | 'people'
  /** It answers the one way to sign in that the configuration of a library lists. */
  readonly onlySignIn?: true
  /** Where the framework declares it open (`@Public`). */
  readonly declared?: 'public' | 'guarded'
}
