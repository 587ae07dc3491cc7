import { lastPart } from '../../lib/last-part.ts'
import type { Guard, Route } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'
import { adminExample, isForAdministrators, manners, roleCode } from './manners.ts'
import { refusal } from './refusal.ts'

/** The fix of an unguarded handler as code for its framework, in the manner of the guards that the application already has. */
export function guardFix(route: Route, all: readonly Route[]): Fix {
  if (isForAdministrators(route)) return adminFix(route, all)
  if (isCalledByService(route)) return serviceFix(route)
  if (route.work.some((w) => w.call === 'uploadthing'))
    return {
      text: 'Ask in the file route who uploads: what middleware() throws ends the upload before it begins.',
      language: 'ts',
      code: "f({ image: { maxFileSize: '4MB' } })\n  .middleware(async ({ req }) => {\n    const user = await currentUser(req) // the session of the application, verified\n    if (!user) throw new UploadThingError('Unauthorized')\n    return { userId: user.id }\n  })\n  .onUploadComplete(…)",
    }
  const example = all.find(
    (r) =>
      r !== route &&
      r.kind !== 'page' &&
      r.framework === route.framework &&
      r.guard?.who === 'user' &&
      r.guard.trust === 'verified' &&
      !SIGNS_IN.test(r.guard.how),
  )
  const like = example?.guard
    ? ` ${example.method ? `${example.method} ` : ''}${example.route} already does so (${example.guard.how}, ${example.guard.at.path}:${example.guard.at.line}).`
    : ''
  const how = example?.guard?.how ?? ''
  return {
    text: `Establish who calls before anything else and answer 401 with an empty body when nobody is signed in.${like}`,
    language: 'ts',
    code: inFront(route, ownMiddleware(route, all, ['user', 'token'])) ?? ownCheck(route, all, example?.guard) ?? code(route, how),
  }
}

/** Libraries whose own way to ask who calls `code` knows. */
const KNOWN = /supabase|clerk|auth\.js|next-auth|better auth|passport|req\.(?:session|isAuthenticated)/i
/** Frameworks for which `code` writes the check in the words of the handler alone. */
const PLAIN: ReadonlySet<string> = new Set(['Next.js', 'Remix', 'TanStack Start', 'Astro', 'SvelteKit', 'Nuxt', 'Cloudflare Workers'])

/** An application that knows its users by itself has a function for it: that of Supabase would find nobody there. */
function ownCheck(route: Route, all: readonly Route[], guard: Guard | undefined): string | undefined {
  if (!PLAIN.has(route.framework) || KNOWN.test(guard?.how ?? '')) return undefined
  const { library } = manners(route, all)
  if (!guard && (!library || library === 'supabase')) return undefined
  const stands = guard ? `currentUser stands for the check at ${guard.at.path}:${guard.at.line}` : 'currentUser stands for a function that verifies the session'
  return `const user = await currentUser(${route.kind === 'action' ? '' : 'request'}) // ${stands}\nif (!user) ${refusal(route, 401)}`
}

/** Sign-in knows its caller by the password: no example for a handler that is called afterwards. */
const SIGNS_IN = /^passport authenticate$|\b(?:signIn|signUp|verifyOtp|exchangeCode)\w*$/

/** Whoever is signed in is no administrator by that. */
function adminFix(route: Route, all: readonly Route[]): Fix {
  const guard = all.find((r) => r.framework === route.framework && r.guard?.who === 'admin')?.guard
  const how = guard?.how ?? ''
  const own = ownCheck(route, all, guard)
  const caller = /clerk/i.test(how) ? 'userId' : /auth\.js|next-auth|better auth/i.test(how) ? 'session.user.id' : undefined
  return {
    text: `Establish who calls, and that they are an administrator, before anything else: 401 with an empty body when nobody is signed in, 403 for everybody else.${adminExample(manners(route, all))}`,
    language: 'ts',
    code: inFront(route, ownMiddleware(route, all, ['admin'])) ?? `${own ?? code(route, how)}\n${roleCode(route, own ? 'own' : caller)}`,
  }
}

/** The middleware that most of the guarded handlers have in front of them, and no open one. */
function ownMiddleware(route: Route, all: readonly Route[], who: readonly Guard['who'][]): string | undefined {
  const namesOf = (r: Route) => r.before.flatMap((b) => (b.what === 'middleware' && b.name && !b.external ? [b.name] : []))
  const siblings = all.filter((r) => r.framework === route.framework && r.workspace === route.workspace)
  const open = new Set(siblings.filter((r) => !r.guard).flatMap(namesOf))
  const counts = new Map<string, number>()
  for (const r of siblings)
    if (r.guard && who.includes(r.guard.who) && r.guard.trust === 'verified')
      for (const n of new Set(namesOf(r))) if (!open.has(n)) counts.set(n, (counts.get(n) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

function inFront(route: Route, middleware: string | undefined): string | undefined {
  return route.framework === 'Express' && middleware && route.method
    ? `router.${route.method.toLowerCase()}('${written(route)}', ${middleware}, handler)`
    : undefined
}

/** The path as Express has it. */
const written = (route: Route): string => route.route.replace(/\[(?:\.\.\.)?([^[\]]+)\]/g, ':$1')

/** By its name: another service, a queue or a clock calls it, and nobody signs in there. */
function isCalledByService(route: Route): boolean {
  // not `jobs`: boards of vacancies have them too
  return /(^|[/_-])(callback|(web)?hooks?|crons?|scheduled|internal)($|[/_-])/i.test(route.route) && !/auth/i.test(route.route)
}

/** Vercel's scheduler, which calls handlers of Next.js by GET, brings `CRON_SECRET` by itself. */
const isCron = (route: Route): boolean => route.framework === 'Next.js' && /(^|[/_-])crons?($|[/_-])/i.test(route.route)

function serviceFix(route: Route): Fix {
  if (isCron(route))
    return {
      text: 'By its name a scheduler calls this, and nobody signs in there: set CRON_SECRET, which Vercel then sends as a bearer token (give it to any other scheduler as well), and answer 401 to whoever does not bring it. What a caller says of itself in another header proves nothing.',
      language: 'ts',
      code: [
        'const secret = process.env.CRON_SECRET',
        `if (!secret || ${headerOf(route, 'authorization')} !== \`Bearer \${secret}\`) ${refusal(route, 401)}`,
      ].join('\n'),
    }
  const refusals: Readonly<Record<string, readonly [header: string, refuse: string]>> = {
    Express: ["req.get('x-callback-secret')", 'return res.status(401).end()'],
    Fastify: ["request.headers['x-callback-secret']", 'return reply.code(401).send()'],
    Hono: ["c.req.header('x-callback-secret')", 'return c.body(null, 401)'],
    Nuxt: ["getHeader(event, 'x-callback-secret')", 'throw createError({ statusCode: 401 })'],
    'Supabase Edge Functions': ["req.headers.get('x-callback-secret')", 'return new Response(null, { status: 401 })'],
  }
  const [header, refuse] = refusals[route.framework] ?? [headerOf(route, 'x-callback-secret'), refusal(route, 401)]
  const secret = route.framework === 'Supabase Edge Functions' ? "Deno.env.get('CALLBACK_SECRET')" : 'process.env.CALLBACK_SECRET'
  return {
    text: 'By its name a service calls this, and nobody signs in there: agree on a long random secret with that service, keep it on the server, and answer 401 to whoever does not bring it. If people call it from the application, ask who is signed in instead.',
    language: 'ts',
    code: [`const secret = ${secret}`, `if (!secret || ${header} !== secret) ${refuse}`].join('\n'),
  }
}

/** A header as the handler is given it. */
function headerOf(route: Route, name: string): string {
  const member = /^\w+$/.test(name) ? `.${name}` : `['${name}']`
  return route.answers === 'res' ? `req.headers${member}` : route.answers ? `event.headers${member}` : `request.headers.get('${name}')`
}

function code(route: Route, how: string): string {
  const who = /clerk/i.test(how) ? 'clerk' : /auth\.js|next-auth/i.test(how) ? 'authjs' : /better auth/i.test(how) ? 'better' : 'supabase'
  switch (route.framework) {
    case 'Supabase Edge Functions':
      return [
        "const token = req.headers.get('Authorization')?.replace(/^Bearer /, '') ?? ''",
        'const { data: { user } } = await supabase.auth.getUser(token)',
        'if (!user) return new Response(null, { status: 401, headers: corsHeaders })',
      ].join('\n')
    case 'Express': {
      if (/passport|req\.isAuthenticated/i.test(how))
        return `router.${(route.method ?? 'use').toLowerCase()}('${written(route)}', (req, res, next) => (req.isAuthenticated() ? next() : res.status(401).end()), handler)`
      if (/req\.session/.test(how))
        return `router.${(route.method ?? 'use').toLowerCase()}('${written(route)}', (req, res, next) => (${how} ? next() : res.status(401).end()), handler)`
      if (/JSON Web Token/.test(how))
        return [
          'function requireUser(req, res, next) {',
          '  try {',
          "    req.user = jwt.verify(req.get('authorization')?.replace(/^Bearer /, '') ?? '', process.env.JWT_SECRET)",
          '  } catch {',
          '    return res.status(401).end()',
          '  }',
          '  next()',
          '}',
          '',
          `router.${(route.method ?? 'use').toLowerCase()}('${written(route)}', requireUser, handler)`,
        ].join('\n')
      return [
        'async function requireUser(req, res, next) {',
        "  const token = req.get('authorization')?.replace(/^Bearer /, '') ?? ''",
        '  const { data: { user } } = await supabase.auth.getUser(token)',
        '  if (!user) return res.status(401).end()',
        '  req.user = user',
        '  next()',
        '}',
        '',
        `router.${(route.method ?? 'use').toLowerCase()}('${written(route)}', requireUser, handler)`,
      ].join('\n')
    }
    case 'Fastify':
      return [
        "fastify.addHook('onRequest', async (request, reply) => {",
        "  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''",
        '  const { data: { user } } = await supabase.auth.getUser(token)',
        '  if (!user) return reply.code(401).send()',
        '})',
      ].join('\n')
    case 'Hono':
      return [
        `app.use('${route.route.split('/').slice(0, 2).join('/') || '/'}/*', async (c, next) => {`,
        "  const token = c.req.header('Authorization')?.replace(/^Bearer /, '') ?? ''",
        '  const { data: { user } } = await supabase.auth.getUser(token)',
        '  if (!user) return c.body(null, 401)',
        '  await next()',
        '})',
      ].join('\n')
    case 'NestJS':
      return `@UseGuards(JwtAuthGuard)\n@${(route.method ?? 'All')[0]}${(route.method ?? 'All').slice(1).toLowerCase()}()`
    case 'SvelteKit':
      return route.kind === 'action'
        ? ['const { user } = await event.locals.safeGetSession()', 'if (!user) return fail(401)'].join('\n')
        : [
            'const { user } = await locals.safeGetSession() // getSession() verified with getUser()',
            'if (!user) return new Response(null, { status: 401 })',
          ].join('\n')
    case 'Nuxt':
      return ['const user = await serverSupabaseUser(event)', "if (!user) throw createError({ statusCode: 401, statusMessage: 'Unauthorized' })"].join('\n')
    case 'Astro':
      return [
        "const token = cookies.get('sb-access-token')?.value ?? ''",
        'const { data: { user } } = await supabase.auth.getUser(token)',
        'if (!user) return new Response(null, { status: 401 })',
      ].join('\n')
    case 'Remix':
      return ['const { data: { user } } = await supabase.auth.getUser()', 'if (!user) throw new Response(null, { status: 401 })'].join('\n')
    case 'TanStack Start':
      return ['const { data: { user } } = await supabase.auth.getUser()', 'if (!user) throw new Response(null, { status: 401 })'].join('\n')
    case 'tRPC':
      return [
        `${lastPart(route.route)}: protectedProcedure`,
        '  // instead of publicProcedure:',
        '  // t.procedure.use(({ ctx, next }) => {',
        "  //   if (!ctx.user) throw new TRPCError({ code: 'UNAUTHORIZED' })",
        '  //   return next({ ctx: { user: ctx.user } })',
        '  // })',
      ].join('\n')
    default:
      break
  }
  const refuse = refusal(route, 401)
  if (who === 'clerk') return `const { userId } = await auth()\nif (!userId) ${refuse}`
  if (who === 'authjs')
    return `const session = ${route.path.includes('pages/') ? 'await getServerSession(req, res, authOptions)' : 'await auth()'}\nif (!session?.user) ${refuse}`
  if (who === 'better') return `const session = await auth.api.getSession({ headers: await headers() })\nif (!session) ${refuse}`
  // the page stands elsewhere and sends its token along
  if (/^(?:Vercel|Netlify) Functions$/.test(route.framework))
    return [
      `const token = ${headerOf(route, 'authorization')}?.replace(/^Bearer /, '') ?? ''`,
      'const { data: { user } } = await supabase.auth.getUser(token)',
      `if (!user) ${refuse}`,
    ].join('\n')
  return `const supabase = await createClient()\nconst { data: { user } } = await supabase.auth.getUser()\nif (!user) ${refuse}`
}
