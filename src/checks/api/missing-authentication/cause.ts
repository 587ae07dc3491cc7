import type { Place } from '../../../lib/place.ts'
import type { Step } from '../../../model/behaviour/types.ts'
import type { Guard, Route, Work } from '../../../model/routes/routes.ts'
import type { Severity } from '../../define-check.ts'
import type { UnprovenSignIn } from '../broken-authentication/sign-in-without-proof.ts'
import type { IdleMiddleware } from './ineffective-middleware.ts'

/** A reason why a route fails; equal keys of several routes are one cause. */
export interface Cause {
  readonly route: Route
  readonly severity: Severity
  readonly what: 'open' | 'unlinked' | 'fail-open' | 'trust' | 'status' | 'late' | 'spelling' | 'sign-in' | 'password'
  readonly work?: Work
  readonly guard?: Guard
  /** A form that visitors fill in: nobody has to sign in for it, but how often it is sent has to be limited. */
  readonly sentIn?: true
  /** The same handler under other methods and addresses, and handlers that do nothing but hand on to it. */
  readonly also?: readonly Route[]
  /** Whom somebody is signed in as. */
  readonly signIn?: UnprovenSignIn
  /** What sets the password of an account that the request names. */
  readonly password?: Step
  /** What stands in front of the handler and lets everybody past. */
  readonly idle?: IdleMiddleware
  /** The place of a shared cause in another file (or function) than the route. */
  readonly shared?: Place
}

/** The variable without which a guard lets everybody in. */
export const opener = (guard: Guard | undefined): string | undefined => guard?.opensWithout ?? guard?.equalsUnset ?? guard?.roleless?.without

/** The refusal looks like an answer. */
export const saysMalformed = (guard: Guard | undefined): boolean => guard?.refusal.status === 400

/** The refusal is an answer that the code gives, no exception that something else answers. */
export const refusesWithServerError = (guard: Guard | undefined): boolean => guard?.refusal.how === 'respond' && (guard.refusal.status ?? 0) > 500

export const saysFine = (guard: Guard | undefined): boolean => (guard?.refusal.status ?? (guard?.refusal.nothing ? 200 : 500)) < 300

/** What an unset variable opens is the question for administrators, behind one for who is signed in. */
export const asksNoRole = (guard: Guard | undefined): boolean =>
  guard?.roleless !== undefined && guard.opensWithout === undefined && guard.equalsUnset === undefined
