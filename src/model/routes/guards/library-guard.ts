import { FOLLOWED_LIMITERS } from '../../../lexicon/libraries/limiters.ts'
import type { Before, Entry } from '../../frameworks/entry.ts'
import { type Program, packageOf } from '../../frameworks/program.ts'
import { LIMIT_OFF } from '../../frameworks/routers/fastify-limits.ts'
import { stringsOf } from '../../frameworks/walk.ts'
import type { Guard } from './guard-model.ts'

/** Libraries whose handlers answer a route by themselves and check who calls, or are sign-in itself. */
const HANDLERS: Readonly<Record<string, RegExp>> = {
  'next-auth': /.*/,
  '@auth/core': /.*/,
  '@auth/sveltekit': /.*/,
  '@auth/express': /.*/,
  '@auth/solid-start': /.*/,
  'better-auth': /handler|auth/i,
  '@clerk/nextjs': /.*/,
  '@workos-inc/authkit-nextjs': /.*/,
  '@kinde-oss/kinde-auth-nextjs': /.*/,
  '@auth0/nextjs-auth0': /.*/,
  inngest: /serve/i,
  '@trpc/server': /fetchRequestHandler|createHTTPHandler|createNextApiHandler|createExpressMiddleware/,
  uploadthing: /.*/,
  sanity: /.*/,
  'next-sanity': /.*/,
  '@payloadcms/next': /.*/,
  'graphql-yoga': /.*/,
  convex: /.*/,
  'trpc-nuxt': /.*/,
}

/** The library that answers an entry, when its handler is an expression of that library. */
export function libraryOf(program: Program, entry: Entry): string | undefined {
  const code = entry.code
  if (!code) {
    const m = program.exported(entry.path, entry.method ?? 'default')
    return m?.k === 'external' ? known(m.from, m.name) : undefined
  }
  if (code.k !== 'expr') return undefined
  let e = code.expr
  for (let i = 0; i < 8; i++) {
    if (e.k === 'mem') e = e.of
    else if (e.k === 'call' || e.k === 'new') {
      const m = program.external(code.path, code.scope, e.fn)
      if (m) return known(m.from, m.name)
      const inside = program.meaning(code.path, code.scope, e.fn)
      // `auth(handler)` of an own `NextAuth(config)` only says who calls: what it is given answers
      if (inside?.k === 'expr' && inside.expr.k === 'mem' && inside.expr.name === 'auth') return undefined
      if (inside?.k === 'expr' && inside.expr !== e.fn) {
        const root = program.external(inside.path, inside.scope, inside.expr.k === 'call' ? inside.expr.fn : inside.expr)
        if (root) return known(root.from, root.name)
      }
      const arg = e.args[0]
      // toNextJsHandler(auth), handlers(NextAuth(...))
      if (arg && (arg.k === 'id' || arg.k === 'call')) e = arg
      else return undefined
    } else if (e.k === 'id') {
      const m = program.meaning(code.path, code.scope, e)
      if (m?.k === 'external') return known(m.from, m.name)
      if (m?.k !== 'expr' || m.expr === e) return undefined
      // `export const { GET, POST } = handlers`, which `NextAuth(…)` gave
      const made = m.expr.k === 'mem' ? m.expr.of : m.expr
      const inner = made.k === 'call' || made.k === 'new' ? program.external(m.path, m.scope, made.fn) : undefined
      return inner ? known(inner.from, inner.name) : undefined
    } else return undefined
  }
  return undefined
}

function known(from: string, name: string): string | undefined {
  const pkg = packageOf(from)
  return pkg && HANDLERS[pkg]?.test(name) ? pkg : undefined
}

/** Middleware of libraries that refuse who is not signed in, by package and name. */
const GUARDS: readonly { readonly from: RegExp; readonly name: RegExp; readonly who: Guard['who'] }[] = [
  { from: /^next-auth\/middleware$/, name: /.*/, who: 'user' },
  { from: /^@clerk\/nextjs/, name: /^authMiddleware$/, who: 'user' },
  { from: /^@workos-inc\/authkit-nextjs$|^@kinde-oss\/kinde-auth-nextjs/, name: /withAuth|authkitMiddleware/, who: 'user' },
  { from: /^express-jwt$|^express-oauth2-jwt-bearer$|^koa-jwt$|^fastify-jwt$|^jwks-rsa$/, name: /.*/, who: 'user' },
  { from: /^passport$/, name: /authenticate/, who: 'user' },
  { from: /^connect-ensure-login$/, name: /.*/, who: 'user' },
  { from: /^@clerk\/(express|clerk-sdk-node|fastify)$/, name: /require|Require|withAuth/, who: 'user' },
  { from: /^hono\/(jwt|jwk)$/, name: /.*/, who: 'user' },
  { from: /^@hono\/(clerk-auth|oidc-auth|auth-js)$/, name: /require|oidcAuthMiddleware|verifyAuth/i, who: 'user' },
  { from: /^express-basic-auth$|^@fastify\/(basic-auth|bearer-auth)$/, name: /.*/, who: 'secret' },
  { from: /^@sidebase\/nuxt-auth$/, name: /auth$/, who: 'user' },
  { from: /^@nuxtjs\/supabase$/, name: /^redirect$/, who: 'user' },
  { from: /^@nestjs\/passport$/, name: /AuthGuard/, who: 'user' },
  { from: /^nest-keycloak-connect$/, name: /Guard/, who: 'user' },
  { from: /^@auth0\/|^express-openid-connect$/, name: /requires?Auth|auth$/i, who: 'user' },
]

const LIMITERS =
  /^(express-rate-limit|express-slow-down|rate-limiter-flexible|@fastify\/rate-limit|fastify-rate-limit|hono-rate-limiter|@nestjs\/throttler|@upstash\/ratelimit|@arcjet\/.*|koa-ratelimit|nuxt-rate-limit|nuxt-security|sveltekit-rate-limiter|express-brute)$/

/** The guard that a library's middleware in front of a handler is. */
export function libraryGuard(before: readonly Before[]): Guard | undefined {
  for (const b of before) {
    if (!b.external || !b.blocks) continue
    const found = isOptional(b.code) ? undefined : GUARDS.find((g) => g.from.test(b.external?.from ?? '') && g.name.test(b.external?.name ?? ''))
    // `passport.authenticate('local')` is sign-in itself; it still refuses.
    if (found) return { who: found.who, at: b.at, trust: 'verified', how: `${b.external.from} ${b.external.name}`, refusal: { status: 401, how: 'respond' } }
  }
  return undefined
}

/** Told to let strangers past as well: `expressjwt({ credentialsRequired: false })`, `auth({ authRequired: false })`, passport's `anonymous`. */
function isOptional(code: Before['code']): boolean {
  const args = code.k === 'expr' && code.expr.k === 'call' ? code.expr.args : []
  return args.some(
    (a) =>
      (a.k === 'obj' && a.props.some((p) => /^(?:credentialsRequired|authRequired)$/.test(p.key ?? '') && p.value.k === 'lit' && p.value.v === false)) ||
      stringsOf(a).includes('anonymous'),
  )
}

/** A limiter of a library among the middleware; one that a route turned off for itself leaves none. */
export function libraryLimit(before: readonly Before[], isFollowed: boolean): Before | undefined {
  if (before.some((b) => b.external?.name === LIMIT_OFF)) return undefined
  return before.find(({ external }) => {
    const name = external && (packageOf(external.from) ?? external.from)
    return name !== undefined && LIMITERS.test(name) && !(isFollowed && FOLLOWED_LIMITERS.has(name)) && !/slowDown/.test(external?.name ?? '')
  })
}
