import type { Guard, Route, Surroundings } from '../../../model/routes/routes.ts'

/** What has to come before any check, where the server knows nobody. */
export function noSessions(route: Route, all: readonly Route[]): string {
  const signIn = signInOf(route, all)
  return signIn
    ? ` Nothing on the server knows who is signed in so far: let ${signIn.method ?? 'POST'} ${signIn.route} issue a session that the server signs (an httpOnly cookie or a token), where it does not do so yet, verify that once in front of the handlers, and take who calls and their role from it, never from a header or a field that the caller fills in.`
    : ' Nothing on the server knows who is signed in so far: it takes sessions that the server verifies, or a gate in front of the address until there are some.'
}

/** A handler of the application's own by which people sign in. */
export const signInOf = ({ workspace }: Route, all: readonly Route[]): Route | undefined =>
  all.find((r) => r.kind !== 'page' && r.workspace === workspace && (r.method ?? 'POST') === 'POST' && SIGN_IN_ROUTE.test(r.route))

/** The database is there, and nobody signs in yet. */
export const withFirstSignIn = (code: SessionCode, around: Surroundings, guard: Guard | undefined): SessionCode =>
  guard || around.signsInWithSupabase
    ? code
    : {
        ...code,
        note: `${code.note ?? ''} Nothing in the repository signs anybody in so far: let people sign in with Supabase Auth first, or put a gate in front of the address until they can.`,
      }

const SIGN_IN_ROUTE = /(?:^|\/)(?:log-?in|sign-?in|authenticate)$/i

/** How a handler learns who calls, where nothing in the application shows it already. */
export interface SessionCode {
  readonly code?: string
  /** The id of whoever is signed in, in that code. */
  readonly caller?: string
  /** A client of Supabase that the code has made. */
  readonly db?: string
  /** Where the library of the sessions keeps a role. */
  readonly role?: string
  /** What has to be there for the code to work. */
  readonly note?: string
}
