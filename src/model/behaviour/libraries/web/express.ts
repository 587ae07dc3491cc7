import { TOKEN_MIDDLEWARE } from '../../../../lexicon/libraries/token-middleware.ts'
import { choose } from '../../control-flow/short-circuit.ts'
import { constant, constantString, isNullish, object, op, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { request } from '../../domain/members.ts'
import { callMethod, callValue, settle } from '../../operations.ts'
import { respond } from '../../platform/responses.ts'
import { identify } from '../auth/identify.ts'
import type { Library, LibraryCall } from '../library.ts'
import { isLeftToCaller } from './limiter-options.ts'

/** Goes on to what follows a middleware. */
function next(c: LibraryCall, args: readonly Val[]): Val {
  const goOn = args[2]
  return goOn?.v === 'fn' || goOn?.v === 'native' ? callValue(c.it, goOn, [], c.at) : UNDEFINED
}

/** multer: `multer({ dest }).single('file')` writes what is uploaded before the handler runs; in memory nothing stays. */
const multer: Library = {
  packages: ['multer'],
  call(c) {
    const taken = c.links.find((l) => /^(?:single|array|fields|any)$/.test(l.name))
    if (!taken || c.links.at(-1)?.name !== 'call') return undefined
    const options = c.links.find((l) => l.args)?.args?.[0]
    const storage = options?.v === 'object' ? options.props.storage : undefined
    const kept =
      options?.v === 'object' &&
      (options.props.dest !== undefined || (storage !== undefined && !(storage.v === 'chain' && storage.links.some((l) => l.name === 'memoryStorage'))))
    if (kept) c.it.emit({ kind: 'file', name: 'multer upload', args: taken.args ?? [] }, c.at)
    return next(c, c.args)
  },
}

/** passport: `authenticate(strategy)` as middleware, or called by hand with a callback. With `local` it is sign-in itself. */
const passport: Library = {
  packages: ['passport'],
  call(c) {
    const link = c.links.find((l) => l.name === 'authenticate' && l.args)
    if (!link) return undefined
    const called = c.links.at(-1)?.name === 'call'
    // a middleware, which does nothing before it is called; neither does its callback
    if (!called) return c.chain
    const [strategy, options] = link.args ?? []
    const done = link.args?.findLast((a) => a.v === 'fn')
    if (strategy?.v === 'const' && strategy.value === 'local')
      c.it.emit({ kind: 'auth-call', library: 'passport', op: 'sign-in', name: 'passport local', args: [] }, c.at)
    const user = identify(c, 'passport')
    if (done?.v === 'fn') return callValue(c.it, done, [constant(null), user, UNKNOWN], c.at)
    if (strategy?.v === 'array' && strategy.items.some((s) => constantString(s) === 'anonymous')) return next(c, c.args)
    const failure = options?.v === 'object' ? options.props.failureRedirect : undefined
    c.it.require(user, c.at, failure && !isNullish(failure) ? { ends: true, how: 'redirect', status: 302 } : { ends: true, how: 'respond', status: 401 })
    const request = c.args[0]
    if (request?.v === 'host') c.it.write(request.props, 'user', user)
    const goOn = next(c, c.args)
    const success = options?.v === 'object' ? options.props.successRedirect : undefined
    return success && !isNullish(success) ? respond(c.it, 'redirect', 302, success, c.at) : goOn
  },
}

/** Strategies of passport: what they are given runs when somebody comes back from the provider or has sent a password, and says who that is. */
const strategies: Library = {
  packages: [
    ...['local', 'jwt', 'oauth2', 'openidconnect', 'custom', 'http-bearer', 'magic-login', 'apple', 'auth0', 'discord', 'facebook', 'twitter'],
    ...['github', 'github2', 'gitlab2', 'google-oauth20', 'google-oauth2', 'google-oidc', 'linkedin-oauth2', 'microsoft', 'azure-ad', 'saml'],
  ]
    .map((name) => `passport-${name}`)
    .concat('openid-client/passport', '@node-saml/passport-saml'),
  call: (c) => (/Strategy$|^$/.test(c.name) ? c.chain : undefined),
}

/** connect-ensure-login: passport's sign-in is asked for. */
const ensureLogin: Library = {
  packages: ['connect-ensure-login'],
  call(c) {
    if (!c.links.some((l) => /^ensureLoggedIn$/.test(l.name)) || c.links.at(-1)?.name !== 'call') return undefined
    const user = identify(c, 'passport')
    c.it.require(user, c.at, { ends: true, how: 'redirect', status: 302 })
    return next(c, c.args)
  },
}

/**
 * express-jwt: the token is verified and its claims are on the request, or the answer is 401. `unless` of express-unless leaves out paths: a text is the
 * whole path, an expression whatever it finds in it.
 */
const expressJwt: Library = {
  packages: TOKEN_MIDDLEWARE,
  call(c) {
    const [made, ...more] = c.links.filter((l) => l.args)
    if (c.links.at(-1)?.name !== 'call' || !made) return undefined
    const options = made.args?.[0]?.v === 'object' ? made.args[0].props : {}
    const paths = more.find((l) => l.name === 'unless')?.args?.[0]
    const isOptional = [options.credentialsRequired, options.authRequired].some((o) => o?.v === 'const' && o.value === false)
    const verified = (): Val => {
      const user = identify(c, 'express-jwt')
      if (!isOptional) c.it.require(user, c.at, { ends: true, how: 'respond', status: 401 })
      const request = c.args[0]
      const own = constantString(options.requestProperty ?? options.userProperty)
      if (request?.v === 'host') for (const name of ['auth', 'user', ...(own ? [own] : [])]) c.it.write(request.props, name, user)
      return next(c, c.args)
    }
    const open = paths?.v === 'object' ? isLeftOut(c, paths.props.path) : undefined
    return open ? choose(c.it, open, c.at, () => next(c, c.args), verified) : verified()
  },
}

/** The test whether the path of the request is one of those that `unless({ path })` names. */
function isLeftOut(c: LibraryCall, path: Val | undefined): Val | undefined {
  const asked = request('url', 'pathname')
  const tests = (path?.v === 'array' ? path.items : path ? [path] : []).flatMap((one): Val[] => {
    const of = one.v === 'object' ? (one.props.url ?? UNKNOWN) : one
    if (constantString(of) !== undefined) return [op('===', asked, of)]
    return of.v === 'call' && of.name.startsWith('regex:') ? [callMethod(c.it, of, 'test', [asked], c.at)] : []
  })
  return tests.length ? tests.reduce((a, b) => op('||', a, b)) : undefined
}

/** Middleware that counts how often somebody calls and then refuses, however the application comes by it: `makeLimiter({ max: 5 })`. */
const limiters: Library = {
  packages: ['express-rate-limit', 'hono-rate-limiter'],
  call(c) {
    if (c.links.at(-1)?.name !== 'call') return undefined
    const { at } = c.chain
    if (!isLeftToCaller(c, c.links.find((l) => l.args)?.args?.[0], c.args)) {
      const step = c.it.emit({ kind: 'limit', name: `${c.name || 'rateLimit'}.check`, args: [] }, at)
      c.it.require({ v: 'result', step }, at, { ends: true, how: 'respond', status: 429 })
    }
    const goOn = c.args.at(-1)
    return goOn?.v === 'fn' || goOn?.v === 'native' ? callValue(c.it, goOn, [], c.at) : UNDEFINED
  },
}

const REQUEST_PART_BY_VALIDATOR: Readonly<Record<string, 'body' | 'query' | 'params' | 'header' | 'cookie'>> = {
  check: 'body',
  body: 'body',
  query: 'query',
  param: 'params',
  header: 'header',
  cookie: 'cookie',
}

/**
 * express-validator: `param('id').custom(async (id, { req }) => { … })`. What the functions of an application throw there, `validationResult` refuses
 * later on; a field that `check` finds wherever it is, is taken for a parameter of the path where it is the id of something.
 */
const expressValidator: Library = {
  packages: ['express-validator', 'express-validator/'],
  call(c) {
    const [made] = c.links.filter((l) => l.args)
    const part = made && REQUEST_PART_BY_VALIDATOR[made.name]
    const name = constantString(made?.args?.[0])
    if (!part || name === undefined) return undefined
    // nothing runs before the middleware does
    if (c.links.at(-1)?.name !== 'call') return c.chain
    const value = request(made.name === 'check' && /(?:^id|Id|_id)$/.test(name) ? 'params' : part, name)
    const about = object({ req: c.args[0] ?? UNKNOWN, path: constant(name), location: constant(part) })
    for (const link of c.links)
      if (link.name === 'custom' && link.args?.[0]?.v === 'fn') settle(c.it, callValue(c.it, link.args[0], [value, about], c.at), c.at)
    return next(c, c.args)
  },
}

export const EXPRESS_LIBRARIES: readonly Library[] = [multer, passport, strategies, ensureLogin, expressJwt, limiters, expressValidator]
