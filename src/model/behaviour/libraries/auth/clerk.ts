import type { Place } from '../../../../lib/place.ts'
import { object, op, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { Interpreter } from '../../interpreter.ts'
import { native } from '../../native.ts'
import { respond } from '../../platform/responses.ts'
import type { Library, LibraryCall } from '../library.ts'
import { identify } from './identify.ts'

type Caller = ReturnType<typeof identify>

/** A field of an identity. */
const field = (user: Caller, name: string): Val => ({ ...user, field: name })

/** Clerk: sessions that its middleware verified, `protect()` that ends a request, and matchers of paths for the middleware. */
export const clerk: Library = {
  packages: ['@clerk/', '@hono/clerk-auth'],
  call(c) {
    switch (c.name) {
      case 'auth':
      case 'getAuth':
        return session(identify(c, `Clerk ${c.name}()`))
      case 'auth.protect':
        return protect(c.it, identify(c, 'Clerk auth.protect()'), c.args, c.at)
      case 'currentUser':
        return identify(c, 'Clerk currentUser()')
      case 'verifyToken':
        return identify(c, 'Clerk verifyToken()')
      case 'redirectToSignIn':
      case 'redirectToSignUp':
        return respond(c.it, 'redirect', 307, undefined, c.at)
      case 'createRouteMatcher':
        return routeMatcher(c)
    }
    if (/^(?:clerkClient|createClerkClient)?\.?authenticateRequest$/.test(c.name)) {
      const user = identify(c, 'Clerk authenticateRequest()')
      return object({ isSignedIn: user, toAuth: native('toAuth', () => session(user)) }, user)
    }
    const [of] = c.args
    // the account of whoever calls, with what only Clerk writes into it
    if (/users\.getUser$/.test(c.name) && of?.v === 'caller') return { ...of, field: 'user' }
    if (/users\.(?:update|delete|create|ban|lock)/.test(c.name)) {
      const step = c.it.emit({ kind: 'auth-call', library: 'clerk', op: 'admin', name: c.name, args: c.args }, c.at)
      return { v: 'result', step }
    }
    return undefined
  },
  settle(c, next) {
    if (c.name !== 'afterAuth') return undefined
    // `authMiddleware({ publicRoutes })` is in front of the other routes
    return next === 'isPublicRoute' || next === 'isApiRoute'
      ? object({ [next]: next === 'isPublicRoute' ? { v: 'const', value: false } : UNKNOWN })
      : session(identify(c, 'Clerk authMiddleware()'))
  },
}

/** What `auth()` gives, also when nobody is signed in. */
function session(user: Caller): Val {
  return object(
    {
      userId: field(user, 'id'),
      orgId: field(user, 'org_id'),
      orgRole: field(user, 'org_role'),
      sessionId: field(user, 'session_id'),
      sessionClaims: field(user, 'claims'),
      has: { v: 'call', name: 'has', args: [field(user, 'role')] },
      isAuthenticated: user,
      user,
      redirectToSignIn: native('redirectToSignIn', (it, _args, at) => respond(it, 'redirect', 307, undefined, at)),
      redirectToSignUp: native('redirectToSignUp', (it, _args, at) => respond(it, 'redirect', 307, undefined, at)),
      // before version 6: `auth().protect()`
      protect: native('protect', (it, args, at) => protect(it, user, args, at)),
    },
    user,
  )
}

/** `protect()` goes on for who is signed in; `protect({ role })` and `protect((has) => …)` for who may do more. */
function protect(it: Interpreter, user: Caller, args: readonly Val[], at: Place): Val {
  const end = { ends: true, how: 'redirect', status: 307 } as const
  it.require(user, at, end)
  const [asked] = args
  const role = asked?.v === 'object' ? (asked.props.role ?? asked.props.permission) : asked?.v === 'fn' ? UNKNOWN : undefined
  if (role) it.require(op('===', field(user, 'role'), role), at, end)
  return object({ userId: field(user, 'id') }, user)
}

/** `createRouteMatcher(['/', '/blog(.*)'])` makes a test of requests: the patterns stay with what the test gives. */
function routeMatcher(c: LibraryCall): Val {
  const [patterns = UNKNOWN] = c.args
  return native('createRouteMatcher', (_it, args, at) => ({ v: 'call', name: 'createRouteMatcher', args: [patterns, ...args.slice(0, 1)], at }))
}
