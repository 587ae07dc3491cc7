import type { Place } from '../../lib/place.ts'
import type { Behaviour } from '../behaviour/types.ts'
import type { AccountField } from '../frameworks/account-fields.ts'
import type { Unfollowed } from '../frameworks/entry.ts'
import type { Surroundings } from './code-context/code-context-model.ts'
import type { Route } from './route.ts'
import type { SessionModel } from './sessions/session-storage.ts'

export type { Surroundings } from './code-context/code-context-model.ts'
export type { Guard } from './guards/guard-model.ts'
export type { Work } from './operations/operation-model.ts'
export type { Route } from './route.ts'
export { type SessionModel, storedInBrowser } from './sessions/session-storage.ts'

/** Every HTTP entry of the application, and the middleware in front of it. */
export interface RoutesModel {
  readonly routes: readonly Route[]
  readonly middleware: readonly MiddlewareModel[]
  /** Registrations from which no route could be read. */
  readonly unfollowed: readonly Unfollowed[]
  /** How sessions are kept, one entry for each workspace. */
  readonly sessions: readonly SessionModel[]
  /** What becomes of tokens when the browser asks to have its session updated. */
  readonly updates: readonly SessionUpdate[]
  /** What people set of their own account through a library that signs them up. */
  readonly accountFields: readonly AccountField[]
  /** What advice about a handler may name. */
  readonly surroundings: Surroundings
}

/** A callback of Auth.js that writes the token anew, run for somebody who is signed in and sends whatever they like; it answers with the new token. */
export interface SessionUpdate extends Place {
  readonly workspace?: string
  readonly behaviour: Behaviour
}

/** Middleware of the whole application: what it covers and what it does. */
export interface MiddlewareModel {
  readonly framework: string
  readonly workspace: string
  readonly at: Place
  readonly matcher?: { readonly sources: readonly string[]; readonly at: Place }
  /** The folder in which the framework would look for it, where it lies in another one and never runs. */
  readonly belongsIn?: string
  /** The framework in use is of a version that does not know files of this name, so it never runs. */
  readonly tooEarly?: true
  readonly external?: { readonly from: string; readonly name: string }
  readonly behaviour?: Behaviour
}
