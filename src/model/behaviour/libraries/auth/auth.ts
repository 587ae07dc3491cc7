import { array, constantString, isNullish, object, op, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { keyOf } from '../../domain/structural-hash.ts'
import { decodedToken } from '../../identity/token-claims.ts'
import { native } from '../../native.ts'
import { callValue } from '../../operations.ts'
import type { Library, LibraryCall } from '../library.ts'
import { LEFT_PROVIDER } from './framework-provider.ts'
import { identify } from './identify.ts'
import { pageAuthRequired } from './page-auth-required.ts'
import { withAuthMiddleware } from './with-auth-middleware.ts'

/** NextAuth and Auth.js: the session is sealed or stored by the server, reading it verifies it. */
const nextAuth: Library = {
  packages: ['next-auth/', '@auth/', '#auth'],
  call(c) {
    if (c.root.v === 'lib' && c.root.pkg === 'next-auth/middleware') return withAuthMiddleware(c)
    // `NextAuth(config)`, whatever the default export of the package is called here
    if (c.name === '' && c.root.v === 'lib' && c.root.pkg === 'next-auth' && c.root.name === 'default')
      return { v: 'lib', pkg: 'next-auth/instance', name: '*' }
    switch (c.name) {
      case 'getServerSession':
      case 'unstable_getServerSession':
      case 'getSession':
      case 'auth': {
        const [handler] = c.args
        if (handler?.v === 'fn') return askedBefore(c, handler)
        const user = identify(c, c.name === 'auth' ? 'Auth.js auth()' : `next-auth ${c.name}`)
        return object({ user, expires: user }, user)
      }
      case 'getToken': {
        // `raw` hands out the cookie as it came
        const options = c.args[0]
        const raw = options?.v === 'object' ? options.props.raw : undefined
        return identify(c, 'next-auth getToken', raw?.v === 'const' && raw.value === true ? 'claimed' : undefined)
      }
      case 'decode':
        // of `next-auth/jwt`: opens what only the server can have sealed
        return c.chain.root.v === 'lib' && /\/jwt$/.test(c.chain.root.pkg) ? identify(c, 'next-auth decode()') : undefined
      case 'default.auth':
        return undefined
      case 'NextAuth':
      case 'default':
      case 'SvelteKitAuth': {
        // `export const { handlers, auth, signIn } = NextAuth(config)`
        return { v: 'lib', pkg: 'next-auth/instance', name: '*' }
      }
    }
    return undefined
  },
}

/** `auth(handler)` runs the handler for everybody; it leaves the session on the request, or nothing. */
function askedBefore(c: LibraryCall, handler: Val): Val {
  return native('auth', (it, args, at) => {
    const [request] = args
    const user = identify({ ...c, it, at }, 'Auth.js auth()')
    if (request?.v === 'host') it.write(request.props, 'auth', object({ user, expires: user }, user))
    return callValue(it, handler, args, at)
  })
}

/** What `NextAuth(config)` gives: `auth()` for the session, `auth(handler)` to wrap. */
const nextAuthInstance: Library = {
  packages: ['next-auth/instance'],
  call(c) {
    if (c.name === 'auth') {
      const [handler] = c.args
      if (handler?.v === 'fn') return askedBefore(c, handler)
      const user = identify(c, 'Auth.js auth()')
      return object({ user, expires: user }, user)
    }
    if (c.name === 'signIn' || c.name === 'signOut') {
      const step = c.it.emit(
        { kind: 'auth-call', library: 'next-auth', op: c.name === 'signIn' ? waySignedIn(c.args[0]) : 'sign-out', name: c.name, args: c.args },
        c.at,
      )
      return { v: 'result', step }
    }
    return undefined
  },
}

/** By the provider that is named: a password is looked at here, a link goes out by mail, or the browser is sent to somebody else. */
function waySignedIn(provider: Val | undefined): 'sign-in' | 'magic-link' | 'oauth' {
  const name = constantString(provider) ?? ''
  if (/^credentials$|password/i.test(name)) return 'sign-in'
  return /^(?:e?mail|resend|nodemailer|sendgrid|postmark|mailgun|magic-?link)$/i.test(name) ? 'magic-link' : 'oauth'
}

/** Better Auth: `auth.api.getSession({ headers })`. */
const betterAuth: Library = {
  packages: ['better-auth/'],
  call(c) {
    // the client, on a server: asks the handler of the same application with the headers it is given
    if (/^createAuthClient\.getSession$/.test(c.name)) {
      const user = identify(c, 'Better Auth getSession()')
      return object({ data: object({ user, session: user }, user) })
    }
    if (/^createAuthClient\.useSession$/.test(c.name) && c.args.length > 0) {
      const user = identify(c, 'Better Auth useSession()')
      return object({ data: object({ value: object({ user, session: user }, user) }) })
    }
    const established = /^(?:betterAuth\.)?api\.(getSession|getMcpSession|verifyApiKey|verifyJWT)$/.exec(c.name)?.[1]
    if (established) {
      const user = identify(c, `Better Auth ${established}()`)
      return object({ user, session: user }, user)
    }
    const op = /\.api\.(signInEmail|signUpEmail|forgetPassword|requestPasswordReset|resetPassword|signOut)$/.exec(c.name)?.[1]
    if (op) {
      const kind = op === 'signInEmail' ? 'sign-in' : op === 'signUpEmail' ? 'sign-up' : op === 'signOut' ? 'sign-out' : 'reset'
      const step = c.it.emit({ kind: 'auth-call', library: 'better-auth', op: kind, name: op, args: c.args }, c.at)
      return { v: 'result', step }
    }
    return undefined
  },
}

/** Lucia: `lucia.validateSession(id)`. */
const lucia: Library = {
  packages: ['lucia/', '@lucia-auth/', 'oslo/'],
  call(c) {
    if (/validateSession|validateSessionToken|validateRequest|validate$/.test(c.name)) {
      const user = identify(c, 'Lucia validateSession()')
      return object({ user, session: user }, user)
    }
    return undefined
  },
}

/** `, cookie admin_session`: an application may keep several sessions, each in a cookie of its own. */
function cookieOf(args: readonly Val[]): string {
  for (const a of args) {
    const name = a.v === 'object' ? constantString(a.props.cookieName) : a.v === 'request' && a.part === 'cookie' ? a.name : undefined
    if (name) return `, cookie ${name}`
  }
  return ''
}

/** Sealed cookies. */
const ironSession: Library = {
  packages: ['iron-session/', 'next-iron-session', '@hapi/iron', 'h3-session'],
  call(c) {
    if (/^(?:getIronSession|unsealData|unseal|default)$/.test(c.name)) return identify(c, `iron-session ${c.name}()${cookieOf(c.args)}`)
    if (/^withIronSession/.test(c.name)) return c.args[0] ?? UNKNOWN
    return undefined
  },
}

/** JSON Web Tokens: verifying throws when the signature is wrong, decoding believes anything. */
const jwt: Library = {
  packages: ['jsonwebtoken', 'jose/', 'jwt-decode', '@tsndr/cloudflare-worker-jwt', 'hono/jwt', 'djwt', 'djwt/', 'fast-jwt', 'jwt-simple', 'hono/utils/jwt'],
  call(c) {
    const name = c.name.replace(/^(?:default|jwt|jose)\./, '')
    // jose says the claims first: `new SignJWT(claims).setProtectedHeader(…).sign(key)`
    if (/^SignJWT\..*\bsign$/.test(name))
      return { v: 'call', name: 'signed-token', args: c.chain.links.flatMap((l) => (/^(?:new|setSubject)$/.test(l.name) ? (l.args ?? []) : [])), at: c.at }
    switch (name) {
      case 'verify':
      case 'jwtVerify':
      case 'compactVerify':
      case 'jwtDecrypt': {
        const kept = isKeptForClaimed(c)
        const user = identify(
          c,
          `${name}() of a JSON Web Token${kept ? ' that is kept for whom the request names' : cookieOf(c.args.slice(0, 1))}`,
          kept ? 'claimed' : undefined,
        )
        // `verify(token, key, [options], (err, payload) => …)` throws nothing: the callback is told
        const callback = name === 'verify' && c.args.length > 2 ? c.args[c.args.length - 1] : undefined
        if (callback && (callback.v === 'fn' || callback.v === 'native')) {
          callValue(c.it, callback, [op('!', user), user], c.at)
          return UNDEFINED
        }
        c.it.require(user, c.at)
        vouchFor(c)
        return name === 'verify' ? user : object({ payload: user, protectedHeader: UNKNOWN }, user)
      }
      case 'decode':
      case 'decodeJwt':
      case 'jwtDecode':
      case 'jwt_decode':
      case 'default': {
        const claims = c.args[0] && decodedToken(c.it, c.args[0])
        // djwt gives header, payload and signature
        if (claims) return name === 'decode' && /djwt/.test(c.chain.root.v === 'lib' ? c.chain.root.pkg : '') ? array([UNKNOWN, claims, UNKNOWN]) : claims
        if (!c.args[0] || isNullish(c.args[0])) return undefined
        // a library says of a token that it has run out only after its signature was right
        const signed = c.it.pc.some(({ test, negated }) => saysRunOut(test, !negated))
        const how = `${name === 'default' ? 'jwt-decode' : name}() of a JSON Web Token`
        const user = signed ? identify(c, `${how} that has run out`) : identify(c, `${how} without verification`, 'claimed')
        c.it.decoded.set(keyOf(c.args[0]), user.step ?? -1)
        return user
      }
      case 'sign':
        return { v: 'call', name: 'signed-token', args: c.args.slice(0, 1), at: c.at }
      case 'createRemoteJWKSet':
      case 'importSPKI':
      case 'importJWK':
        return { v: 'call', name, args: c.args, at: c.at }
    }
    return undefined
  },
}

/** The token lies in a row that was found by what the request claims: that the server signed it once says nothing of who calls. */
function isKeptForClaimed({ it, args }: LibraryCall): boolean {
  const [token] = args
  const found = token?.v === 'row' ? it.steps[token.step]?.effect : undefined
  return found?.kind === 'db' && found.filters.length > 0 && found.filters.every((f) => f.value.v === 'caller' && f.value.trust === 'claimed')
}

/** A token that was decoded before it is verified (its claims say with which key): from here on they are true. */
export function vouchFor(c: LibraryCall): void {
  const index = c.args[0] ? (c.it.decoded.get(keyOf(c.args[0])) ?? -1) : -1
  const step = c.it.steps[index]
  if (step?.effect.kind === 'identify') c.it.steps[index] = { ...step, effect: { ...step.effect, trust: 'verified' } }
}

/** Password hashes. */
const passwords: Library = {
  packages: ['bcrypt', 'bcryptjs', 'bcrypt-ts', 'argon2', '@node-rs/argon2', '@node-rs/bcrypt', 'bcrypt/', 'scrypt-js', 'oslo/password'],
  call(c) {
    const name = c.name.replace(/^default\./, '')
    if (/^(?:compare|compareSync|verify|verifySync|checkpw|Argon2id\.verify|Scrypt\.verify|Bcrypt\.verify)$/.test(name)) {
      const step = c.it.emit({ kind: 'hash-compare', name, args: c.args }, c.at)
      return { v: 'result', step }
    }
    if (/^(?:hash|hashSync|genSalt|genSaltSync)$/.test(name)) return { v: 'call', name: 'hash', args: c.args.slice(0, 1), at: c.at }
    return undefined
  },
}

/** Firebase's admin SDK as an identity provider. */
const firebaseAuth: Library = {
  packages: ['firebase-admin/auth', 'firebase-admin/', 'next-firebase-auth-edge'],
  call(c) {
    if (/(?:verifyIdToken|verifySessionCookie)$/.test(c.name)) {
      const user = identify(c, 'Firebase verifyIdToken()')
      c.it.require(user, c.at)
      return user
    }
    // `admin.firestore()`
    if (/^(?:\w{1,20}\.)?firestore$/.test(c.name)) return { v: 'client', client: { library: 'firebase', rights: 'service', at: c.at } }
    if (/createCustomToken$/.test(c.name)) return { v: 'call', name: 'signed-token', args: c.args.slice(0, 1), at: c.at }
    return undefined
  },
}

/** Other hosted identity providers. */
const hosted: Library = {
  packages: [
    '@kinde-oss/kinde-auth-nextjs/',
    '@auth0/nextjs-auth0',
    '@auth0/nextjs-auth0/',
    '@workos-inc/authkit-nextjs',
    '@stackframe/stack',
    '@stackframe/stack/',
    '@descope/nextjs-sdk/',
    '@propelauth/nextjs/',
    '@supabase/server',
    '@logto/next',
    '@logto/next/',
    'supertokens-node/',
    '@privy-io/server-auth',
    LEFT_PROVIDER,
  ],
  call(c) {
    const page = pageAuthRequired(c)
    if (page) return page
    // what only they call it: claims of a session that is there, or undefined
    if (/^(?:LogtoClient\.)?getLogtoContext$/.test(c.name)) {
      const user = identify(c, c.name)
      return object({ isAuthenticated: user, claims: user, userInfo: user }, user)
    }
    if (/^(?:getSSRSession|getSession|withSession|Session\.getSession)$/.test(c.name) && c.root.v === 'lib' && c.root.pkg.startsWith('supertokens-node')) {
      const user = identify(c, `SuperTokens ${c.name}`)
      return object({ accessTokenPayload: user, hasToken: user }, user)
    }
    if (/^PrivyClient\.(?:verifyAuthToken|verifyAccessToken)$/.test(c.name)) {
      const user = identify(c, c.name)
      c.it.require(user, c.at)
      return user
    }
    if (/(?:getSession|getUser|withAuth|currentUser|session|validateAccessToken|getUserProfile|getProfile|isAuthenticated)$/.test(c.name)) {
      const user = identify(c, c.name)
      const [options] = c.args
      // AuthKit's `withAuth({ ensureSignedIn: true })` goes on for who is signed in
      if (options?.v === 'object' && options.props.ensureSignedIn?.v === 'const' && options.props.ensureSignedIn.value === true)
        c.it.require(user, c.at, { ends: true, how: 'redirect', status: 307 })
      return object({ user, session: user }, user)
    }
    return undefined
  },
}

export const AUTH_LIBRARIES: readonly Library[] = [jwt, nextAuthInstance, nextAuth, betterAuth, lucia, ironSession, passwords, firebaseAuth, hosted]

/** `error.name === 'TokenExpiredError'`, `error instanceof TokenExpiredError`, `error.code === 'ERR_JWT_EXPIRED'`. */
function saysRunOut(test: Val, holds: boolean, depth = 0): boolean {
  if (test.v !== 'op' || depth > 3) return false
  if (test.op === '!') return test.of[0] !== undefined && saysRunOut(test.of[0], !holds, depth + 1)
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === holds && test.of.some((x) => saysRunOut(x, holds, depth + 1))
  if (/^[!=]==?$/.test(test.op)) return test.op.startsWith('!') !== holds && test.of.some((x) => x.v === 'const' && TOKEN_EXPIRED_ERROR.test(String(x.value)))
  return test.op === 'instanceof' && holds && test.of.some((x) => (x.v === 'lib' || x.v === 'call') && TOKEN_EXPIRED_ERROR.test(x.name))
}

const TOKEN_EXPIRED_ERROR = /^(?:\w{1,20}\.)?(?:TokenExpiredError|JWTExpired|ERR_JWT_EXPIRED|jwt expired)$/
