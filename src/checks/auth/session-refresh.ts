import { linesFrom, type Place } from '../../lib/place.ts'
import { addMatchers } from '../../lib/rewrite-javascript.ts'
import { type MiddlewareModel, type Route, type SessionModel, storedInBrowser } from '../../model/routes/routes.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'
import { byApplication } from './applications.ts'
import { inCookiesFirst } from './in-cookies-first.ts'
import { protectedBecause } from './protected-because.ts'

export default defineCheck({
  number: 9,
  id: 'auth/session-refresh',
  category: 'Authentication',
  rule: 'Session refresh is handled: server-side by fetching the current user on every request so that the cookie is refreshed; client-side by an auth-state-change listener plus correct session handling in the root provider.',
  needs: ['routes', 'files', 'workspaces'],
  doubtedBy: ['source-text'],
  covers: 'pages',
  run({ routes, files, workspaces }) {
    const source = (p: Place) => files.role(p.path) === 'source'
    const answers = byApplication(routes.sessions, routes.routes, workspaces).map((s) =>
      judge(
        {
          ...s,
          serverClients: s.serverClients.filter(source),
          browserClients: s.browserClients.filter(source),
          storageClients: s.storageClients.filter(source),
          browserAuth: s.browserAuth.filter(source),
          listeners: s.listeners.filter(source),
          ownCookies: s.ownCookies.filter(source),
          accessCookies: s.accessCookies.filter(source),
          lostRenewals: s.lostRenewals.filter(source),
          ownRenewals: s.ownRenewals.filter(source),
          leftToPackages: s.leftToPackages.filter(source),
        },
        routes.middleware.filter((m) => m.workspace === s.workspace),
        routes.routes.filter((r) => (r.workspace ?? '') === s.workspace),
      ),
    )
    const used = answers.filter((a) => a.kind !== 'none')
    if (!used.length)
      return notApplicable('the application keeps no session that would have to be refreshed: no platform or library authentication is used in its code')
    const issues = used.flatMap((a) => (a.kind === 'issue' ? [a.issue] : []))
    const evidence = used.flatMap((a) => (a.kind === 'fine' ? [a.because] : []))
    if (issues.length) return failed(issues, evidence)
    const [unread] = used.flatMap((a) => (a.kind === 'unread' ? [a.left] : []))
    if (!unread) return passed(...evidence)
    return unverified(
      `the middleware leaves the session to ${unread.call} of ${unread.from}, which is not in the repository (${place(unread)})`,
      {
        where: `${unread.call} in ${unread.from}`,
        attest: 'that it fetches the user with getUser() or getClaims() on every request and writes the cookies back',
      },
      evidence,
    )
  },
})

type Answer =
  | { readonly kind: 'unread'; readonly left: SessionModel['leftToPackages'][number] }
  | { readonly kind: 'none' }
  | { readonly kind: 'fine'; readonly because: string }
  | { readonly kind: 'issue'; readonly issue: Issue }

function judge(s: SessionModel, middleware: readonly MiddlewareModel[], routes: readonly Route[]): Answer {
  const platform = (s.serverClients.length > 0 && signsIn(s, middleware, routes)) || s.browserAuth.length > 0 || s.ownCookies.length > 0
  const library = s.libraries[0]
  const refreshing = s.libraries.find((l) => l.name === '@nuxtjs/supabase')
  if (refreshing) return fine(`${refreshing.name} refreshes the session on server and browser (${place(refreshing.at)})`)
  const own = s.ownRenewals[0]
  if (!platform && !library && own) return fine(`the application keeps the platform's tokens itself and asks for new ones (${place(own)})`)
  if (!platform) return library ? fine(`${library.name} keeps and renews its own session (${place(library.at)})`) : { kind: 'none' }
  const left = s.leftToPackages.find((l) => middleware.some((m) => m.belongsIn === undefined && !m.tooEarly && m.at.path === l.path))
  if (left && !middleware.some(refreshes)) return { kind: 'unread', left }
  const rendersPages = routes.some((r) => r.kind === 'page' && !r.page?.static)
  if (s.serverClients.length && (rendersPages || middleware.length)) return serverSide(s, middleware, routes)
  if (s.ownCookies.length) return ownCookies(s, middleware)
  if (!s.browserAuth.length) {
    // Handlers without pages: each of them may fetch the user and write cookies itself.
    const read = s.serverReads.find((r) => /getUser|getClaims/.test(r.name))
    return read ? fine(`every handler fetches the user itself (${place(read.at)})`) : { kind: 'none' }
  }
  return browserSide(s, library)
}

/**
 * Whether anything speaks of a session: who only queries through a client that would keep one in cookies has none to refresh. Where a library keeps
 * the sessions, what it says of the caller speaks of its own.
 */
const signsIn = (s: SessionModel, middleware: readonly MiddlewareModel[], routes: readonly Route[]): boolean =>
  [s.browserAuth, s.serverReads, s.sessionReads, s.listeners, s.renewals, s.accessCookies].some((places) => places.length > 0) ||
  [...middleware, ...routes].some(({ behaviour }) => {
    if (!behaviour) return false
    if (!s.libraries.length) return !behaviour.complete || behaviour.steps.some(({ effect: { kind } }) => kind === 'auth-call' || kind === 'identify')
    return behaviour.steps.some(
      ({ effect: e }) => (e.kind === 'auth-call' && e.library === 'supabase' && e.op !== 'admin') || (e.kind === 'identify' && /supabase/i.test(e.how)),
    )
  })

/** Cookies of `@supabase/ssr`: something must fetch the user on every request and write the refreshed cookies. */
function serverSide(s: SessionModel, middleware: readonly MiddlewareModel[], routes: readonly Route[]): Answer {
  const refreshing = middleware.find((m) => m.belongsIn === undefined && !m.tooEarly && refreshes(m))
  if (refreshing) {
    const missed = missedPages(refreshing, routes)
    if (missed.length && refreshing.matcher) return { kind: 'issue', issue: matcherIssue(refreshing, missed, s.workspace) }
    return fine(`${place(refreshing.at)} fetches the user on every request that it matches and writes the cookies back`)
  }
  // Layout loads of SvelteKit and root loaders of Remix run for every page as well.
  const load = s.serverReads.find(
    (r) => /(^|\/)\+layout\.server\.[jt]s$|(^|\/)root\.[jt]sx?$|hooks\.server/.test(r.at.path) && /getUser|getClaims|safeGetSession/.test(r.name),
  )
  if (load) return fine(`${place(load.at)} fetches the user for every page`)
  if (s.renewals.length && !middleware.length) return fine(`${place(s.renewals[0] as Place)} renews the session`)
  if (s.listeners.length && s.browserClients.length && !middleware.some((m) => m.behaviour?.steps.some((x) => x.effect.kind === 'identify'))) {
    // A browser client renews its tokens and shares the cookies with the server.
    const client = s.browserClients[0] as Place
    const listener = s.listeners[0] as Place
    if (!routes.some((r) => r.guard && r.kind === 'page'))
      return fine(`the browser client (${place(client)}) renews the session and ${place(listener)} listens to it`)
  }
  const misplaced = middleware.find((m) => (m.belongsIn !== undefined || m.tooEarly) && refreshes(m))
  if (misplaced) return { kind: 'issue', issue: misplacedIssue(misplaced, s) }
  const loaders = fetchedByLoaders(routes)
  if (loaders) return loaders
  const at = middleware[0]?.at ?? (s.serverClients[0] as Place)
  const has = middleware.length > 0
  const components = (routes[0]?.framework ?? 'Next.js') === 'Next.js'
  const session = s.serverReads.find((r) => r.name === 'getSession')
  // getSession renews an expired token as well, where it can write cookies; what it gives is not verified
  const believes = has && middleware[0]?.behaviour?.steps.some((x) => x.effect.kind === 'identify' && /getSession/.test(x.effect.how)) === true
  const renewed = believes || (!has && !components && session !== undefined)
  return {
    kind: 'issue',
    issue: {
      subject: has ? `file ${at.path}` : `app ${s.workspace || '.'}`,
      severity: 'High',
      title: renewed ? 'The session is renewed without being verified' : 'Nothing refreshes the session on the server',
      message: believes
        ? `The server keeps the session in cookies (${place(s.serverClients[0] as Place)}), and this middleware asks getSession() alone: that renews an expired token, but believes what the cookie says instead of asking the auth server with getUser() or getClaims().`
        : has
          ? `The server keeps the session in cookies (${place(s.serverClients[0] as Place)}), but this middleware never fetches the user with getUser() or getClaims(): an expired token is neither verified nor renewed before pages read it.`
          : components
            ? `The server keeps the session in cookies (${place(s.serverClients[0] as Place)}), but no middleware or hook fetches the user on every request: server components cannot write cookies, so an expired token is never replaced.`
            : `The server keeps the session in cookies (${place(s.serverClients[0] as Place)}), but nothing fetches the user with getUser() or getClaims() on every request${session ? `: getSession() at ${place(session.at)} renews an expired token where the answer carries the cookies, and verifies nothing` : ', so an expired token is neither verified nor replaced'}.`,
      attack: renewed
        ? 'A session that the auth server has ended, and one that somebody made up, count until the time that the cookie itself names.'
        : 'Users are thrown out, or keep a session that the auth server has ended, after the access token expires (an hour); signing out elsewhere or a ban takes effect only then.',
      fix: {
        text: `${inCookiesFirst(storedInBrowser(s))}${has ? 'Add to this middleware, and keep what it does' : 'Refresh in the middleware'}: create the client with getAll and setAll, call getUser() (or getClaims()), and ${has ? 'copy the new cookies onto whatever response leaves it' : 'return the response that carries the cookies'}.`,
        language: 'ts',
        code: serverCode(middleware[0]?.framework ?? routes[0]?.framework ?? 'Next.js', has),
      },
      at,
      proof: 'inferred',
      aliases: ['CWE-613'],
      ...(s.workspace ? { workspace: s.workspace } : {}),
    },
  }
}

/** Frameworks whose loaders answer for a page themselves, cookies included. */
const LOADERS = /^(?:Remix|TanStack Start|SvelteKit)$/

/** Where there is no middleware by tradition, each guarded page fetches the user in its loader or in one above. */
function fetchedByLoaders(routes: readonly Route[]): Answer | undefined {
  const guarded = routes.filter((r) => r.kind === 'page' && LOADERS.test(r.framework) && r.guard?.who !== undefined && r.guard.who !== 'check')
  const [first] = guarded
  if (!first?.guard || !guarded.every((r) => r.guard?.trust === 'verified' && /auth\.(?:getUser|getClaims)$/.test(r.guard.how))) return undefined
  return fine(`every guarded page fetches the user in a loader (${first.route}: ${place(first.guard.at)})`)
}

function refreshes(m: MiddlewareModel): boolean {
  return (m.behaviour?.steps ?? []).some(
    (x) =>
      (x.effect.kind === 'identify' &&
        /getUser|getClaims|auth\(\)|clerk|serverSupabaseUser|safeGetSession/i.test(x.effect.how) &&
        x.effect.trust === 'verified') ||
      x.effect.kind === 'refresh-session' ||
      (x.effect.kind === 'auth-call' && x.effect.op === 'refresh'),
  )
}

/** Protected pages in front of which the middleware does not run. Where only the browser asks for the session, its client renews it. */
function missedPages(m: MiddlewareModel, routes: readonly Route[]): readonly Route[] {
  return routes.filter(
    (r) =>
      r.kind === 'page' &&
      !r.page?.static &&
      !(r.page?.client && !r.guard) &&
      protectedBecause(r, routes, true) &&
      !r.before.some((b) => b.at.path === m.at.path),
  )
}

function matcherIssue(m: MiddlewareModel, missed: readonly Route[], workspace: string): Issue {
  const at = m.matcher?.at ?? m.at
  return {
    subject: `file ${at.path}`,
    severity: 'High',
    title: 'The matcher skips protected pages',
    message: `The middleware that refreshes the session does not run for ${missed
      .slice(0, 4)
      .map((r) => r.route)
      .join(', ')}${missed.length > 4 ? ` and ${missed.length - 4} more` : ''}: the matcher leaves them out.`,
    attack: 'On these pages an expired token is neither renewed nor noticed: users are thrown out, and sessions that were ended elsewhere go on.',
    fix: {
      ...(m.framework === 'Next.js' ? { rewrite: { ...linesFrom(at, 40), apply: addMatchers(missed.slice(0, 20).map((r) => matcherOf(r.route))) } } : {}),
      text: 'Match everything but static files.',
      language: 'ts',
      code: "export const config = {\n  matcher: ['/((?!_next/static|_next/image|favicon.ico|.*\\\\.(?:svg|png|jpg|jpeg|gif|webp)$).*)'],\n}",
    },
    at,
    related: missed.slice(0, 20).map((r) => ({ path: r.path, line: r.line, subject: r.subject, what: 'is not matched' })),
    proof: 'inferred',
    aliases: ['CWE-613'],
    ...(workspace ? { workspace } : {}),
  }
}

/** A route as a path of Next.js's matcher: `/posts/[id]` is `/posts/:id`. */
function matcherOf(route: string): string {
  return route.replace(/\[\[?\.\.\.(\w+)\]\]?/g, ':$1*').replace(/\[(\w+)\]/g, ':$1')
}

/** Tokens that the server stores in cookies of its own. */
function ownCookies(s: SessionModel, middleware: readonly MiddlewareModel[]): Answer {
  const stored = s.ownCookies[0] as Place
  const renewal = s.renewals.find((r) => r.path !== stored.path) ?? s.renewals[0]
  const [lost] = s.lostRenewals
  const isLost = (at: Place) => s.lostRenewals.some((l) => l.path === at.path && l.line === at.line)
  const refreshed = middleware.some((m) =>
    (m.behaviour?.steps ?? []).some(
      (x) => x.effect.kind === 'refresh-session' || (x.effect.kind === 'auth-call' && x.effect.op === 'refresh' && !isLost(x.at)),
    ),
  )
  if (refreshed || renewal) {
    const left = leftBehind(s)
    return left ? { kind: 'issue', issue: left } : fine(`the stored tokens are renewed (${place(renewal ?? stored)})`)
  }
  const at = lost ?? middleware[0]?.at ?? stored
  return {
    kind: 'issue',
    issue: {
      subject: `file ${at.path}`,
      severity: 'High',
      ...(lost
        ? {
            title: 'The renewed tokens are thrown away',
            message: `The server stores the platform's tokens in cookies (${place(stored)}) and renews them here when the access token has expired, but nothing writes the new ones back. A refresh token is good for one use.`,
            attack:
              'After the access token expires (an hour) the next request uses the refresh token up and the one after it is signed out; the platform may take the second use for a theft and end the session everywhere.',
          }
        : {
            title: 'The refresh token is stored and never used',
            message: `Sign-in stores the platform's tokens in cookies (${place(stored)}), but nothing anywhere uses the refresh token: ${middleware.length ? 'this middleware only checks the access token' : 'there is no middleware that would renew it'}.`,
            attack:
              'After the access token expires (an hour) everybody is signed out; the longer-lived refresh token lies in the cookie without use, for whoever steals it.',
          }),
      fix: {
        text: 'Renew in the middleware when the access token has expired, and write both cookies.',
        language: 'ts',
        code: "const { data, error } = await supabase.auth.refreshSession({ refresh_token: cookies.get('sb-refresh-token')?.value ?? '' })\nif (!error && data.session) {\n  cookies.set('sb-access-token', data.session.access_token, { httpOnly: true, secure: true, sameSite: 'lax', path: '/' })\n  cookies.set('sb-refresh-token', data.session.refresh_token, { httpOnly: true, secure: true, sameSite: 'lax', path: '/' })\n}",
      },
      at,
      related: [{ ...stored, what: 'stores the tokens' }],
      proof: 'inferred',
      aliases: ['CWE-613'],
      ...(s.workspace ? { workspace: s.workspace } : {}),
    },
  }
}

/** A second kind of sign-in, whose cookie nothing that renews ever writes. */
function leftBehind(s: SessionModel): Issue | undefined {
  const renewing = new Set(s.renewals.map((r) => r.path))
  const renewed = s.accessCookies.filter((c) => renewing.has(c.path))
  if (!renewed.length || renewed.some((c) => c.name === undefined)) return undefined
  const cookie = s.accessCookies.find((c) => c.name !== undefined && !renewing.has(c.path) && !renewed.some((r) => r.name === c.name))
  const [at] = renewed
  if (!cookie || !at) return undefined
  return {
    subject: `file ${at.path}`,
    severity: 'High',
    title: 'The cookie of one sign-in is never renewed',
    message: `Sign-in stores an access token in the cookie ${cookie.name} (${place(cookie)}), but what renews sessions writes ${[...new Set(renewed.map((r) => r.name))].join(', ')} only (${place(at)}).`,
    attack:
      'After the access token expires (an hour) these users are signed out, or handlers go on with whatever else they find in the cookies; the refresh token lies there without use, for whoever steals it.',
    fix: {
      text: `Renew in the middleware for every request, and write ${cookie.name} as well; one cookie for all sign-ins is simpler still.`,
      language: 'ts',
      code: `cookies.set('${cookie.name}', data.session.access_token, { httpOnly: true, secure: true, sameSite: 'lax', path: '/' })`,
    },
    at: { path: at.path, line: at.line },
    related: [{ path: cookie.path, line: cookie.line, what: `stores ${cookie.name}` }],
    proof: 'inferred',
    aliases: ['CWE-613'],
    ...(s.workspace ? { workspace: s.workspace } : {}),
  }
}

/** Pages of one step: they listen for the event that their link brings, and go. */
const ONE_OFF =
  /(?:^|\/)(?:pages|routes|views|screens|app)\/(?:[^/]+\/)*[^/]*(?:reset|recover|forgot|update|set|new)[-_.]?password[^/]*(?:\/(?:page|index))?\.\w+$|(?:^|\/)(?:pages|routes|views|screens|app)\/(?:[^/]+\/)*[^/]*callback[^/]*(?:\/(?:page|index))?\.\w+$/i

/** A browser client keeps the session: something that lives as long as the application must listen to its changes. */
function browserSide(s: SessionModel, library: SessionModel['libraries'][number] | undefined): Answer {
  const listener = s.listeners.find((l) => !ONE_OFF.test(l.path))
  if (listener) return fine(`onAuthStateChange at ${place(listener)}`)
  const renewal = s.renewals.find((r) => /\.server\.|(?:^|\/)server\//.test(r.path))
  if (renewal) return fine(`${place(renewal)} renews the session`)
  const [passing] = s.listeners
  if (library && s.sessionReads.every((r) => ONE_OFF.test(r.path))) return fine(`${library.name} keeps and renews its own session (${place(library.at)})`)
  const at = s.browserClients[0] ?? s.sessionReads[0] ?? (s.browserAuth[0] as Place)
  return {
    kind: 'issue',
    issue: {
      subject: `app ${s.workspace || '.'}`,
      severity: 'High',
      title: 'Nothing listens to changes of the session',
      message: `${s.sessionReads.length ? 'The session is read once with getSession()' : `The browser keeps a session (${place(at)}),`} and ${passing ? `only a page that users see once (${place(passing)})` : 'nothing in the application'} calls onAuthStateChange: a renewed token, a sign-out in another tab and an ended session go unnoticed.`,
      attack:
        'On a shared machine the application goes on showing the data of somebody who signed out in another tab, and users act with a session that has ended.',
      fix: {
        text: 'Listen in the provider at the root, for the life of the application.',
        language: 'tsx',
        code: 'useEffect(() => {\n  const { data: { subscription } } = supabase.auth.onAuthStateChange((_event, session) => {\n    setSession(session)\n  })\n  return () => subscription.unsubscribe()\n}, [])',
      },
      at,
      related: [
        ...s.sessionReads.slice(0, 3).map((p) => ({ ...p, what: 'reads the session once' })),
        ...s.browserAuth
          .filter((p) => !s.sessionReads.some((r) => r.path === p.path && r.line === p.line))
          .slice(0, 5)
          .map((p) => ({ ...p, what: 'uses the session' })),
      ],
      proof: 'inferred',
      aliases: ['CWE-613'],
      ...(s.workspace ? { workspace: s.workspace } : {}),
    },
  }
}

function serverCode(framework: string, has: boolean): string {
  if (framework === 'SvelteKit')
    return "export const handle = async ({ event, resolve }) => {\n  event.locals.supabase = createServerClient(PUBLIC_SUPABASE_URL, PUBLIC_SUPABASE_ANON_KEY, {\n    cookies: {\n      getAll: () => event.cookies.getAll(),\n      setAll: (cookies) => cookies.forEach(({ name, value, options }) => event.cookies.set(name, value, { ...options, path: '/' })),\n    },\n  })\n  const { data: { user } } = await event.locals.supabase.auth.getUser()\n  event.locals.user = user\n  return resolve(event)\n}"
  if (has && framework === 'Next.js') return ADDED
  return 'export async function middleware(request: NextRequest) {\n  let response = NextResponse.next({ request })\n  const supabase = createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, {\n    cookies: {\n      getAll: () => request.cookies.getAll(),\n      setAll(cookies) {\n        cookies.forEach(({ name, value }) => request.cookies.set(name, value))\n        response = NextResponse.next({ request })\n        cookies.forEach(({ name, value, options }) => response.cookies.set(name, value, options))\n      },\n    },\n  })\n  await supabase.auth.getUser()\n  return response\n}'
}

/** For a middleware that does something else already. */
const ADDED = `// at the top of the middleware; request: its parameter
const renewed: { name: string; value: string; options: CookieOptions }[] = [] // import type { CookieOptions } from '@supabase/ssr'
const supabase = createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, {
  cookies: {
    getAll: () => request.cookies.getAll(),
    setAll(cookies) {
      for (const cookie of cookies) {
        request.cookies.set(cookie.name, cookie.value)
        renewed.push(cookie)
      }
    },
  },
})
await supabase.auth.getUser()
// on each response that the middleware returns
for (const { name, value, options } of renewed) response.cookies.set(name, value, options)`

/** Middleware that refreshes, in a place where the framework does not look for it. */
function misplacedIssue(m: MiddlewareModel, s: SessionModel): Issue {
  const file = m.at.path.split('/').at(-1) ?? m.at.path
  const to = m.tooEarly ? m.at.path.replace(/proxy(?=\.\w+$)/, 'middleware') : `${m.belongsIn}${file}`
  return {
    subject: `file ${m.at.path}`,
    severity: 'High',
    title: 'The middleware that refreshes the session never runs',
    message: m.tooEarly
      ? `${place(m.at)} fetches the user and writes the cookies back, but Next.js knows the file under this name from version 16 on only: an expired token is neither verified nor renewed before pages read it.`
      : `${place(m.at)} fetches the user and writes the cookies back, but Next.js looks for it beside the folder of the pages (${m.belongsIn || 'the root of the application'}) and never runs it here: an expired token is neither verified nor renewed before pages read it.`,
    attack:
      'Users are thrown out, or keep a session that the auth server has ended, after the access token expires (an hour); signing out elsewhere or a ban takes effect only then.',
    fix: { text: `Move the file to ${to}; imports in it follow.`, language: 'sh', code: `git mv ${m.at.path} ${to}` },
    at: m.at,
    proof: 'inferred',
    aliases: ['CWE-613'],
    ...(s.workspace ? { workspace: s.workspace } : {}),
  }
}

function fine(because: string): Answer {
  return { kind: 'fine', because }
}

function place(p: Place): string {
  return `${p.path}:${p.line}`
}
