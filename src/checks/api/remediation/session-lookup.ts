import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { relativeSpecifier } from '../../../model/routes/code-context/guard-source.ts'
import type { Guard, Route, Surroundings } from '../../../model/routes/routes.ts'
import { makesPlainClient } from '../../../model/routes/sessions/client-without-session.ts'
import { manners } from './code-conventions.ts'
import { corsAt, type Known, procedureName, registration } from './fix-context.ts'
import { inMiddleware } from './middleware-session.ts'
import type { SessionCode } from './no-session-yet.ts'
import { noSessions, signInOf, withFirstSignIn } from './no-session-yet.ts'
import { refusal } from './refusal-response.ts'
import { clientLines } from './token-client.ts'

/** Frameworks whose handlers are functions that answer with what they return. */
const RETURNING_FRAMEWORKS: ReadonlySet<string> = new Set([
  'Next.js',
  'Remix',
  'TanStack Start',
  'Astro',
  'SvelteKit',
  'Nuxt',
  'Cloudflare Workers',
  'Vercel Functions',
  'Netlify Functions',
])

/**
 * The question who is signed in, by the library that keeps the sessions of the application; where the code that follows asks nothing of a person, other
 * functions get past it with the key of the server.
 */
export function sessionCode(route: Route, known: Known, guard: Guard | undefined, besides?: 'server'): SessionCode {
  const { around } = known
  const how = guard?.how ?? ''
  if (route.framework === 'Supabase Edge Functions') return inEdgeFunction(route, around, besides)
  if (route.kind === 'procedure') return inProcedure(route)
  if (route.framework === 'NestJS')
    return {
      code: `@UseGuards(AuthGuard) // stands for a guard that verifies the session\n@${(route.method ?? 'All')[0]}${(route.method ?? 'All').slice(1).toLowerCase()}()`,
    }
  const uses = (name: string) => around.uses(name, route.path)
  if (/clerk/i.test(how) || (!guard && route.framework === 'Next.js' && uses('@clerk/nextjs')))
    return withImports(route, around, [['auth', '@clerk/nextjs/server']], `const { userId } = await auth()\nif (!userId) ${refusal(route, 401)}`, {
      caller: 'userId',
      role: '(await auth()).sessionClaims?.metadata?.role',
    })
  if (
    /auth\.js|next-auth/i.test(how) ||
    (!guard && route.framework === 'Next.js' && uses('next-auth') && (around.exporting('auth').length || around.exporting('authOptions').length))
  )
    return withAuthJs(route, around)
  if (/better auth/i.test(how) || (!guard && route.framework === 'Next.js' && uses('better-auth')))
    return withImports(
      route,
      around,
      [
        ['auth', around.exporting('auth')[0]],
        ['headers', 'next/headers'],
      ],
      `const session = await auth.api.getSession({ headers: await headers() })\nif (!session) ${refusal(route, 401)}`,
      { caller: 'session.user.id', role: 'session.user.role' },
    )
  if (/firebase/i.test(how) || (!guard && (around.imports('firebase/auth', route.path) || around.imports('@react-native-firebase/auth', route.path))))
    return withFirebase(route, around)
  // what stands in the manifest and nothing imports signs nobody in
  const supabase =
    /supabase/i.test(how) ||
    (!guard &&
      (around.signsInWithSupabase || !signInOf(route, known.all)) &&
      SUPABASE_PACKAGES.some((name) => around.imports(name, route.path)) &&
      manners(route, known.all).library !== 'prisma')
  if (route.framework === 'Nuxt' && uses('@nuxtjs/supabase'))
    return withImports(
      route,
      around,
      [['serverSupabaseUser', '#supabase/server']],
      `const user = await serverSupabaseUser(event)\nif (!user) ${refusal(route, 401)}`,
      {
        caller: 'user.id',
        role: 'user.app_metadata?.role',
      },
    )
  if (route.framework === 'Express' || route.framework === 'Fastify' || route.framework === 'Hono') return inMiddleware(route, known, guard, supabase)
  if (supabase && RETURNING_FRAMEWORKS.has(route.framework)) return withFirstSignIn(withSupabase(route, around), around, guard)
  return pattern(route, guard, known.all)
}

const SUPABASE_PACKAGES = ['@supabase/supabase-js', '@supabase/ssr', '@supabase/auth-helpers-nextjs', '@supabase/auth-helpers-react']

/** The token that Firebase gave the page, verified with the library for servers. */
function withFirebase(route: Route, around: Surroundings): SessionCode {
  const { token } = freshNames(route, around)
  const note = ` Pages send the ID token along (\`await user.getIdToken()\`)${around.uses('firebase-admin', route.path) ? '' : '; it takes firebase-admin, which is told of the project once with initializeApp()'}.`
  const known = around.names(route.path).has('getAuth') && around.source(route.path, 'getAuth') === 'firebase-admin'
  const imported = known ? [] : ["import { getAuth } from 'firebase-admin/auth'", '']
  const rest = { role: 'decoded.role', note }
  if (route.framework === 'Express')
    return {
      ...rest,
      role: 'req.user.role',
      code: [
        ...imported,
        'async function requireUser(req, res, next) {',
        "  const token = req.get('authorization')?.replace(/^Bearer /, '') ?? ''",
        '  req.user = await getAuth().verifyIdToken(token).catch(() => undefined)',
        '  if (!req.user) return res.status(401).end()',
        '  next()',
        '}',
        '',
        registration(route, 'requireUser', around),
      ].join('\n'),
    }
  const header = route.kind === 'action' ? 'accessToken' : sentToken(route, around)
  return {
    ...rest,
    code: [
      ...imported,
      ...(route.kind === 'action' ? ['// accessToken: an argument of the action, from the session of the page'] : []),
      `const ${token} = ${header}?.replace(/^Bearer /, '') ?? ''`,
      `const decoded = await getAuth().verifyIdToken(${token}).catch(() => undefined)`,
      `if (!decoded) ${refusal(route, 401)}`,
    ].join('\n'),
  }
}

/** Where a page puts the token of its session. */
function sentToken(route: Route, around: Surroundings): string {
  if (route.framework === 'Hono') return "c.req.header('Authorization')"
  if (route.framework === 'Fastify' || route.answers === 'res') return `${route.framework === 'Fastify' ? 'request' : 'req'}.headers.authorization`
  if (route.answers) return 'event.headers.authorization'
  return `${around.parameters(route)[0] ?? 'request'}.headers.get('authorization')`
}

/** A check whose function the application has to have: words stand for it. */
function pattern(route: Route, guard: Guard | undefined, all: readonly Route[]): SessionCode {
  const stands = guard ? `currentUser stands for the check at ${guard.at.path}:${guard.at.line}` : 'currentUser stands for a function that verifies the session'
  const request = route.kind === 'action' ? '' : route.answers === 'res' ? 'req' : route.answers ? 'event' : 'request'
  return {
    code: `const user = await currentUser(${request}) // ${stands}\nif (!user) ${refusal(route, 401)}`,
    caller: 'user.id',
    role: 'user.role',
    ...(guard ? {} : { note: noSessions(route, all) }),
  }
}

type Import = readonly [name: string, from: string | undefined]

/** Code with the imports that its file has not got yet; what has another meaning there is imported under another name. */
function withImports(route: Route, around: Surroundings, imports: readonly Import[], code: string, rest: Omit<SessionCode, 'code'>): SessionCode {
  const names = around.names(route.path)
  let text = code
  const missing = imports.flatMap(([name, from]) => {
    const source = around.source(route.path, name)
    if (names.has(name) && (from === undefined || source === from)) return []
    if (from === undefined) return [`// ${name}: as the configuration of the library exports it in this application`]
    const here = /\.[cm]?[jt]sx?$/.test(from) ? relativeSpecifier(route.path, from) : from
    if (!names.has(name)) return [`import { ${name} } from '${here}'`]
    const other = `${name}OfSession`
    text = text.replace(new RegExp(`\\b${name}\\(`, 'g'), `${other}(`)
    return [`import { ${name} as ${other} } from '${here}'`]
  })
  return { code: missing.length ? `${missing.join('\n')}\n\n${text}` : text, ...rest }
}

/** Version 4 asks with `getServerSession()`, version 5 with the function that its configuration exports. */
function withAuthJs(route: Route, around: Surroundings): SessionCode {
  const range = around.range('next-auth', route.path) ?? ''
  const rest = { caller: 'session.user.id', role: 'session.user.role' }
  const refuse = `if (!session?.user) ${refusal(route, 401)}`
  const exporter = around.exporting('auth').find((p) => around.code(p)?.imports.some((i) => i.from === 'next-auth'))
  if (/^[\^~>=v]*\s*[123]?4\b|^[\^~]?4\./.test(range) || (!/5/.test(range) && exporter === undefined && around.exporting('authOptions').length))
    return withImports(
      route,
      around,
      [
        ['getServerSession', 'next-auth'],
        ['authOptions', around.exporting('authOptions')[0]],
      ],
      `const session = await getServerSession(${route.answers === 'res' ? 'req, res, ' : ''}authOptions)\n${refuse}`,
      rest,
    )
  return withImports(
    route,
    around,
    [['auth', exporter ?? around.exporting('auth')[0]]],
    `const session = await auth(${route.answers === 'res' ? 'req, res' : ''})\n${refuse}`,
    rest,
  )
}

/** Names that the handler does not declare itself. */
function freshNames(route: Route, around: Surroundings) {
  const taken = around.locals(route)
  const free = (name: string, other: string): string => (taken.has(name) ? other : name)
  const user = free('user', 'caller')
  return {
    user,
    found: user === 'user' ? '{ data: { user } }' : `{ data: { user: ${user} } }`,
    token: free('token', 'callersToken'),
    supabase: around.names(route.path).has('supabase') ? 'callersClient' : free('supabase', 'callersClient'),
    session: free('session', 'callersSession'),
  }
}

function inEdgeFunction(route: Route, around: Surroundings, besides: 'server' | undefined): SessionCode {
  const names = around.names(route.path)
  const { user, found, token } = freshNames(route, around)
  const [server] = besides
    ? around
        .callersOf(nameOf(route))
        .filter((p) => inEdgeFunctions(p.path) && p.path !== route.path && around.texts(p.path).includes('SUPABASE_SERVICE_ROLE_KEY'))
    : []
  const db = around.locals(route).has('db') ? 'authDb' : 'db'
  const [request = 'req'] = around.parameters(route)
  const lines = [
    ...(names.has('createClient') ? [] : ["import { createClient } from 'npm:@supabase/supabase-js@2'", '']),
    `const ${db} = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)`,
    `const ${token} = ${request}.headers.get('Authorization')?.replace(/^Bearer /, '') ?? ''`,
    `const ${found} = await ${db}.auth.getUser(${token})`,
    ...(server ? [`const ofTheServer = ${token} === Deno.env.get('SUPABASE_SERVICE_ROLE_KEY') // ${server.path}:${server.line} calls it`] : []),
    `if (!${user}${server ? ' && !ofTheServer' : ''}) return new Response(null, { status: 401${corsAt(route, around)} })`,
  ]
  const byHand = around.callersOf(nameOf(route)).some((p) => !inEdgeFunctions(p.path))
  return {
    code: lines.join('\n'),
    caller: `${user}.id`,
    db,
    role: `${user}.app_metadata?.role`,
    ...(byHand
      ? {
          note: `${server ? ` Other functions call it too (${server.path}:${server.line}): they bring the key of the server, and get past by it.` : ''} Pages have to send the access token of the session, as functions.invoke() does by itself for whoever is signed in; the anon key alone is nobody.`,
        }
      : {}),
  }
}

const nameOf = (route: Route): string => route.subject.replace(/^function /, '')

const inProcedure = (route: Route): SessionCode => ({
  code: [
    `${procedureName(route)}: protectedProcedure`,
    '  // instead of publicProcedure; its middleware throws where nobody is signed in:',
    '  // t.procedure.use(({ ctx, next }) => {',
    "  //   if (!ctx.user) throw new TRPCError({ code: 'UNAUTHORIZED' })",
    '  //   return next({ ctx: { user: ctx.user } })',
    '  // })',
  ].join('\n'),
  caller: 'ctx.user.id',
  role: 'ctx.user.role',
})

/** The client that finds the session in the cookies, where the application has one; otherwise the page sends the token along. */
function withSupabase(route: Route, around: Surroundings): SessionCode {
  const names = around.names(route.path)
  const rest = { caller: 'user.id', role: 'user.app_metadata?.role' }
  if (route.framework === 'SvelteKit')
    return {
      code: `const { user } = await ${route.kind === 'action' ? 'event.locals' : 'locals'}.safeGetSession() // getSession() verified with getUser(), in hooks.server.ts\nif (!user) ${refusal(route, 401)}`,
      ...rest,
    }
  const fresh = freshNames(route, around)
  const maker = around.sessionInStorage(route.path) ? undefined : cookieClient(around)
  if (maker) {
    const local = maker.name
    return withImports(
      route,
      around,
      [[local, maker.path]],
      `const ${fresh.supabase} = await ${local}()\nconst ${fresh.found} = await ${fresh.supabase}.auth.getUser()\nif (!${fresh.user}) ${refusal(route, 401)}`,
      { caller: `${fresh.user}.id`, role: `${fresh.user}.app_metadata?.role`, db: fresh.supabase },
    )
  }
  const note = ' Sessions are kept in the browser here, not in cookies: the page sends the access token of its session along.'
  const header = route.kind === 'action' ? undefined : sentToken(route, around)
  return {
    code: [
      ...clientLines(around, names, route.path),
      header === undefined
        ? '// accessToken: an argument of the action, from the session of the page'
        : `const accessToken = ${header}?.replace(/^Bearer /, '') ?? ''`,
      'const { data: { user } } = await supabase.auth.getUser(accessToken)',
      `if (!user) ${refusal(route, 401)}`,
    ].join('\n'),
    ...rest,
    note,
  }
}

/** A function of the application that makes a client from the cookies of the request. */
function cookieClient(around: Surroundings): { readonly name: string; readonly path: string } | undefined {
  return around.exported(/supabase|^createClient$|^createServerClient$/i).find(({ path, fn }) => {
    const imports = around.code(path)?.imports ?? []
    const made = imports.some((i) => /^@supabase\/(?:ssr|auth-helpers)/.test(i.from) && i.bindings.some((b) => !/browser|clientcomponent/i.test(b.imported)))
    return (
      made &&
      fn.params.length === 0 &&
      !makesPlainClient(around.code(path), fn) &&
      imports.some((i) => i.from === 'next/headers') &&
      !around.code(path)?.directives.includes('use client')
    )
  })
}
