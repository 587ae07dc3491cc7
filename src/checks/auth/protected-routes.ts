import { withArticle } from '../../lib/article.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import { linesFrom, type Place } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import { askForVerifiedUser } from '../../lib/rewrite-javascript.ts'
import { type Guard, type Route, type RoutesModel, storedInBrowser, type Work } from '../../model/routes/routes.ts'
import { placeOfRoute } from '../api/shared/route-location.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, type Severity, unverified } from '../define-check.ts'
import { readForEveryAccount, registersStrangers } from './admin-pages.ts'
import { type OwnSession, ownSession } from './own-session.ts'
import { namedByCookie, openedByAfterAuth, protectedBecause } from './protected-because.ts'
import { pageFix } from './protected-fix.ts'

export default defineCheck({
  number: 10,
  id: 'auth/protected-routes',
  category: 'Authentication',
  rule: 'Protected routes check authentication on the server. Hiding a navigation link does not count.',
  needs: ['routes', 'files', 'declared'],
  doubtedBy: ['code', 'pages'],
  covers: 'pages',
  run({ routes, files, declared }) {
    const open = new Set(declared.public.routes.map((d) => d.name.trim()))
    const pages = routes.routes.filter((r) => r.kind === 'page' && files.role(r.path) === 'source')
    if (!pages.length) return notApplicable('the application serves no pages of its own')
    const served = pages.filter((r) => !r.page?.static)
    const usesAuth =
      routes.sessions.some((s) => s.libraries.length || s.serverClients.length || s.browserAuth.length || s.ownCookies.length) ||
      // a session of one's own is looked up by its token first, and what is done afterwards is for whom it names
      routes.routes.some((r) => [r.guard, ...r.work.map((w) => w.guard)].some((g) => g?.who === 'user' || g?.who === 'admin')) ||
      pages.some(isKeptBack)
    if (!served.length)
      return notApplicable(
        pages.every((r) => r.framework === 'SPA')
          ? 'a static single-page application: no server renders its pages and none could check; checks 1-4 (row level security) and 16 (functions and routes) say what protects its data'
          : `its pages are rendered in the browser alone (${[...new Set(pages.map((r) => r.framework))].join(', ')} is told so): the server sends everybody the same, without data; checks 1-4 (row level security) and 16 (functions and routes) say what protects its data`,
      )
    const guarded = served.flatMap((route) => {
      if (open.has(`GET ${route.route}`) || open.has(route.route)) return []
      const because = protectedBecause(route, routes.routes, usesAuth)
      return because ? [{ route, because }] : []
    })
    if (!guarded.length) return notApplicable(`no page is treated as protected (${plural(served.length, 'page')} looked at)`)
    const strangers = registersStrangers(routes.routes)
    const library = (route: Route) => routes.sessions.find((s) => s.workspace === (route.workspace ?? ''))?.libraries[0]?.name
    const causes = guarded.flatMap(({ route, because }) =>
      judge(route, because, strangers).map((c): Cause => ({ ...c, library: library(route), ...aroundPage(route, routes, library(route)) })),
    )
    const unknown = guarded.filter(({ route }) => isUnknown(route))
    const evidence = [
      `${plural(guarded.length, 'protected page')} of ${served.length}, ${guarded.length - unknown.length - causes.length} checked on the server`,
      ...guarded
        .filter((g) => !unknown.includes(g) && !causes.some((c) => c.route === g.route))
        .slice(0, 12)
        .map(
          (g) =>
            `${g.route.route}: ${g.route.guard ? `${g.route.guard.how} (${g.route.guard.at.path}:${g.route.guard.at.line})` : g.route.reachable === false ? 'never rendered' : 'asks before it reads'}`,
        ),
    ]
    if (causes.length) return failed(merge(causes), evidence)
    if (!unknown.length) return passed(...evidence)
    return unverified(
      `what stands before ${unknown.length === 1 ? 'a protected page' : `${unknown.length} protected pages`} is too long to be followed whole`,
      {
        where: unknown
          .slice(0, 10)
          .map(({ route }) => `${route.subject} at ${route.path}:${route.line}`)
          .join(', '),
        attest: 'that each of these pages leads who is not signed in to sign-in (`prelaunch probe` asks a preview for them)',
      },
      evidence,
    )
  },
})

/** Whoever comes without something of the request is led away from what the server reads about people. */
const isKeptBack = ({ guard, work }: Route): boolean =>
  guard?.trust === 'claimed' && guard.refusal.how === 'redirect' && work.some((w) => w.kind === 'read' && w.userData)

interface Cause {
  readonly route: Route
  readonly severity: Severity
  readonly what: 'open' | 'client' | 'after' | 'trust' | 'presence' | 'fail-open' | 'spelling' | 'account' | 'beside' | 'idle'
  readonly because: string
  readonly guard?: Guard
  readonly work?: Work
  /** The place that several pages share. */
  readonly shared?: Place
  /** The place in the page itself, where that is the layout of others. */
  readonly own?: Place
  /** The client that keeps sessions in the storage of the browser. */
  readonly stored?: Place
  /** The check of the middleware that stands before other pages. */
  readonly middleware?: Place
  /** The page on which people of this part sign in. */
  readonly signIn?: string
  /** Auth.js as version 4 knows it: `getServerSession()` in place of `auth()`. */
  readonly old?: true
  /** What keeps the sessions of the application, when it is not the platform. */
  readonly library?: string | undefined
  /** The sessions that the application keeps itself. */
  readonly ofItsOwn?: OwnSession
}

/** Where people sign in, and where their session is kept. */
function aroundPage(route: Route, model: RoutesModel, library: string | undefined): Pick<Cause, 'middleware' | 'stored' | 'signIn' | 'old' | 'ofItsOwn'> {
  const { routes, sessions, surroundings } = model
  const ofItsOwn = library === undefined ? ownSession(route, model) : undefined
  const old = /^\D{0,3}4\b/.test(surroundings.range('next-auth', route.path) ?? '')
  const stored = storedInBrowser(sessions.find((s) => s.workspace === (route.workspace ?? '')))
  const first = route.route.split('/')[1] ?? ''
  const doors = routes.filter((r) => r.kind === 'page' && r.workspace === route.workspace && SIGN_IN_PAGE.test(r.route) && !r.route.includes('['))
  const door = doors.find((r) => r.route.split('/')[1] === first) ?? doors.sort((a, b) => a.route.length - b.route.length)[0]
  const middleware = inMiddleware(routes).get(route.workspace)
  return {
    ...(middleware ? { middleware } : {}),
    ...(stored ? { stored } : {}),
    ...(door ? { signIn: door.route } : {}),
    ...(old ? { old: true as const } : {}),
    ...(ofItsOwn ? { ofItsOwn } : {}),
  }
}

/** The check of the middleware that stands before other pages, by workspace. */
const inMiddleware = rememberFor(
  (routes: readonly Route[]): ReadonlyMap<string | undefined, Place> =>
    new Map(
      routes.flatMap((r) =>
        r.kind === 'page' && r.guard?.trust === 'verified' && r.guard.who === 'user' && !r.guard.opensWithout && MIDDLEWARE_SOURCE_FILE.test(r.guard.at.path)
          ? [[r.workspace, r.guard.at] as const]
          : [],
      ),
    ),
)

const MIDDLEWARE_SOURCE_FILE = /(?:^|\/)(?:middleware|proxy)\.[cm]?[jt]s$/

const SIGN_IN_PAGE = /(?:^|\/)(?:log-?in|sign-?in|connexion|entrar)$/i

/** Middleware that could not be followed as far as the page: neither its guard nor that it has none is known. */
const isUnknown = (route: Route): boolean => route.reachable === undefined && !route.guard && route.before.length > 0

function judge(route: Route, because: string, strangers: boolean): Cause[] {
  if (route.reachable === false || isUnknown(route)) return []
  const g = route.guard
  const leaks = route.work.find((w) => w.kind === 'read' && w.userData && !w.hidden && (!w.guard || w.guard.trust === 'claimed') && w.rights === 'service')
  if (g && route.bypass) return [{ route, severity: 'High', what: 'spelling', because, guard: g, ...shared(g.at, route) }]
  if (g && g.trust === 'verified' && !g.opensWithout) {
    if (route.beside && (!route.beside.guard || strangers))
      return [{ route, severity: 'Critical', what: 'beside', because, guard: g, work: route.beside, ...shared(layoutOf(route) ?? route, route) }]
    const work = strangers ? readForEveryAccount(route) : undefined
    return work ? [{ route, severity: 'Critical', what: 'account', because, guard: g, work }] : []
  }
  if (g?.opensWithout) return [{ route, severity: 'High', what: 'fail-open', because, guard: g, ...shared(g.at, route) }]
  if (g && g.trust === 'unverified') {
    // whoever makes up a session gets what the service role reads; the caller's own client still asks row level security
    const given = route.work.find((w) => w.kind === 'read' && w.userData && !w.hidden && w.guard?.trust !== 'verified' && w.rights === 'service')
    return [
      {
        route,
        severity: given ? 'Critical' : 'High',
        what: 'trust',
        because,
        guard: g,
        ...(given ? { work: given } : {}),
        ...shared(g.identifiedAt ?? g.at, route),
      },
    ]
  }
  if (g && g.trust === 'editable') return []
  if (g)
    return [{ route, severity: leaks ? 'Critical' : 'High', what: 'presence', because, guard: g, ...(leaks ? { work: leaks } : {}), ...shared(g.at, route) }]
  // A page whose own code asks for the caller before it reads anything needs no gate in front.
  // What is nobody's (exchange rates, how much is on offer) may be read before; what middleware looks up for whoever is signed in asks nobody to be.
  const own = route.work.filter((w) => !isOfMiddleware(w, route))
  const askers = own.filter((w) => w.guard?.trust === 'verified')
  if (
    askers.length &&
    own.every((w) => askers.includes(w) || (w.kind === 'read' && w.userData === false)) &&
    (!route.signs?.redirects || answersOnServer(route, route.signs.redirects)) &&
    !route.clientLayout
  )
    return []
  if (route.idleGuard)
    return [{ route, severity: leaks ? 'Critical' : 'High', what: 'idle', because, ...(leaks ? { work: leaks } : {}), shared: route.idleGuard.at }]
  const gate =
    route.clientLayout ?? route.browserGuard ?? (route.signs?.redirects && route.signs.redirects.path !== route.page?.path ? route.signs.redirects : undefined)
  const client = gate ?? route.signs?.redirects
  const after = client ? undefined : openedByAfterAuth(route)
  if (leaks?.guard && !client) return [{ route, severity: 'Critical', what: 'presence', because, guard: leaks.guard, work: leaks }]
  return [
    {
      route,
      severity: leaks ? 'Critical' : 'High',
      what: client ? 'client' : after ? 'after' : 'open',
      because,
      ...(leaks ? { work: leaks } : {}),
      ...(gate ? { shared: gate } : after ? { shared: after.at } : client ? { own: client } : {}),
    },
  ]
}

/** Done before every request of the application; a layout that asks and shows something else instead is the page's own. */
const isOfMiddleware = ({ inFront, at }: Work, { behaviour }: Route): boolean =>
  inFront === true && (behaviour?.steps.some((s) => s.everywhere && s.at.path === at.path && s.at.line === at.line) ?? false)

/**
 * The redirect is the server's answer: what the page says before it (that a link has expired) is read from nowhere. A component that Next.js runs on the
 * server redirects nowhere else, though a `catch` around it may put its own answer in the place of the redirect.
 */
const answersOnServer = ({ behaviour, framework, page }: Route, at: Place): boolean =>
  (framework === 'Next.js' && page?.client === false && page.path === at.path) ||
  (behaviour?.steps.some((s) => s.effect.kind === 'respond' && s.effect.how === 'redirect' && s.at.path === at.path && s.at.line === at.line) ?? false)

/** The layout in which the guard stands that runs beside the page's load; undefined when it stands in a helper of one of them. */
const layoutOf = (route: Route): Place | undefined => route.before.find((b) => b.what === 'layout' && !b.blocks && b.at.path === route.guard?.at.path)?.at

function shared(at: Place, route: Route): { shared?: Place } {
  return at.path === route.path || at.path === route.page?.path ? {} : { shared: at }
}

/** The guard itself is what is wrong, whatever each page behind it shows. */
const GUARDS_ALL: ReadonlySet<Cause['what']> = new Set(['beside', 'idle', 'trust', 'presence', 'fail-open'])

/** One issue for each cause: a guard that several pages share is one, at the guard. */
function merge(causes: readonly Cause[]): Issue[] {
  const groups = new Map<string, Cause[]>()
  for (const c of causes) {
    const place = c.shared ?? c.own
    const key = place && (c.severity !== 'Critical' || GUARDS_ALL.has(c.what)) ? `${c.what} ${place.path}:${place.line}` : `${c.route.subject} ${c.route.path}`
    groups.set(key, [...(groups.get(key) ?? []), c])
  }
  return [...groups.values()].map((g) => (g.length > 1 ? sharedIssue(g) : issue(g[0] as Cause)))
}

function issue(c: Cause): Issue {
  const { route } = c
  const places = [
    c.guard ? { ...(c.guard.identifiedAt ?? c.guard.at), what: c.guard.how } : undefined,
    c.what === 'client' && (c.shared ?? route.signs?.redirects)
      ? { ...(c.shared ?? (route.signs?.redirects as Place)), what: 'sends visitors away only in the browser' }
      : undefined,
    c.what === 'idle' && c.shared ? { ...c.shared, what: 'lets every path through' } : undefined,
    c.work ? { ...c.work.at, what: c.work.what } : undefined,
  ]
  const fix = pageFix(route, c.what, c.library, c)
  return {
    subject: route.subject,
    severity: c.severity,
    title: TITLE_BY_PROTECTION[c.what],
    message: message(c),
    attack: attack(c),
    fix: { ...fix, ...verified(c) },
    ...repairedBy(c, fix.code),
    at: placeOfRoute(route),
    related: places.filter((p) => p !== undefined).filter((p) => p.path !== route.path || p.line !== route.line),
    proof: 'inferred',
    aliases: [c.what === 'account' ? 'CWE-862' : c.what === 'trust' || c.what === 'presence' ? 'CWE-345' : 'CWE-602'],
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

/** What one check repairs for several pages: the middleware that stands before others already, or the layout of the folder, where the check is the same. */
function repairedBy({ route, what, middleware }: Cause, code: string | undefined): { readonly cause?: string } {
  if ((what !== 'open' && what !== 'client') || code === undefined) return {}
  const folder = middleware?.path ?? FOLDER_OF_PAGES.exec(route.path)?.[0]
  return folder ? { cause: `pages of ${folder}: ${what}: ${code}` } : {}
}

/** The first folder below the one in which a framework looks for pages: `app/(account)/`. */
const FOLDER_OF_PAGES = /^(?:[^/]+\/){0,6}?(?:app|pages|routes)\/[^/]+\//

const TITLE_BY_PROTECTION: Readonly<Record<Cause['what'], string>> = {
  open: 'A protected page without a check on the server',
  client: 'A protected page that only the browser guards',
  after: 'An afterAuth that replaces the refusal of signed-out visitors',
  trust: 'The guard trusts a session that nobody verified',
  presence: 'The guard only looks whether a cookie is there',
  'fail-open': 'The guard lets everyone in when a variable is unset',
  spelling: 'Another spelling of the path goes past the guard',
  idle: 'A guard that runs for no page',
  beside: 'The page’s data can be asked for without the layout that guards it',
  account: 'An administrators’ page for everybody with an account',
}

function message(c: Cause): string {
  const page = `${c.route.route} is a protected page (${c.because})`
  const gives = c.work ? ` The server ${c.work.what} for it.` : ''
  switch (c.what) {
    case 'open':
      return `${page}, but neither a middleware that covers it nor a layout, loader or the page itself checks on the server who asks.${gives}`
    case 'client':
      return `${page}, and only code in the browser sends visitors without a session away; the server renders it for everybody.${gives}`
    case 'after':
      return `${page}, but the middleware has an afterAuth of its own: Clerk then refuses nobody itself, and afterAuth lets visitors without a session through.${gives}`
    case 'trust':
      return `${page}; its guard relies on ${c.guard?.how}, which reads the cookie without verifying it.${gives}`
    case 'presence': {
      const named = namedByCookie(c.route)
      if (named) return `${page}; nobody verifies the cookie ${named.cookie}, which everybody can send with any value.`
      return `${page}; its guard accepts everyone who sends ${withArticle(c.guard?.how.replace(' that is only tested for presence', '') ?? 'value')}: the value is never verified.`
    }
    case 'spelling':
      if (c.route.bypass?.because === 'matcher')
        return `${page}; its guard is in the middleware, whose matcher leaves out ${c.route.bypass.spelling}, which is a path of the same page.`
      return `${page}; its guard tests the path as it is written, and the router takes ${c.route.bypass?.spelling} for the same page.`
    case 'account':
      return `${page}, and its guard asks only whether somebody is signed in (${c.guard?.how}).${gives}`
    case 'beside':
      return `${page}. Its guard runs in the load of a layout above it; SvelteKit runs that beside the load of the page, which does not wait for it (\`await parent()\`) and ${c.work?.guard ? 'asks only whether somebody is signed in' : 'asks nobody itself'}.${gives}`
    case 'idle':
      if (c.route.idleGuard?.because === 'request')
        return `${page}; but the middleware does not do so where the request brings what anybody can put into it.${gives}`
      if (c.route.idleGuard?.because === 'version')
        return `${page}; the middleware that would ask who comes never runs: before version 16, Next.js knows middleware.ts and no proxy.ts.${gives}`
      if (c.route.idleGuard?.because === 'place')
        return `${page}; the middleware that would ask who comes never runs: Next.js looks for it beside the folder of the pages, in ${c.route.idleGuard.belongsIn || 'the root of the application'}.${gives}`
      return c.route.idleGuard?.because === 'matcher'
        ? `${page}; the middleware that would ask who comes has a matcher that covers no path of the application, so it never runs.${gives}`
        : `${page}; the middleware would send away who is not signed in, but a condition before that lets every path of the application through.${gives}`
    case 'fail-open':
      return `${page}; its guard is skipped when ${c.guard?.opensWithout} is not set.`
  }
}

function attack(c: Cause): string {
  if (c.what === 'account') return `Anybody registers, opens ${c.route.route}, and the server hands out what it reads of all users.`
  if (c.what === 'beside')
    return `${c.work?.guard ? 'Anybody registers and' : 'Somebody without an account'} requests ${c.route.route === '/' ? '' : c.route.route}/__data.json?x-sveltekit-invalidated=… with a 1 for the page alone: the layout is skipped, and the server hands out what the page reads.`
  if (c.work && c.what === 'trust')
    return `Somebody puts a made-up session into the cookie, opens ${c.route.route}, and the server hands out what it reads past row level security.`
  if (c.work && c.what === 'presence')
    return `Somebody without an account sends the cookie with ${namedByCookie(c.route) ? "another user's id" : c.guard?.says ? `${c.guard.says} in it` : 'any value'} and opens ${c.route.route}: the server hands out what it reads.`
  if (c.work) return `Somebody without an account opens ${c.route.route}, or asks for its data directly, and the server hands out what it reads.`
  switch (c.what) {
    case 'trust':
      return "Somebody puts a made-up session with another user's id into the cookie and is let in."
    case 'spelling':
      return `Somebody ${c.route.bypass?.signedIn ? 'with any account' : 'without an account'} opens ${c.route.bypass?.spelling}: the router shows the page, the guard does not know the path.`
    case 'presence':
      return c.guard?.says
        ? `Somebody writes a cookie with ${c.guard.says} in it in the developer tools and is let in.`
        : 'Somebody sets the cookie to any value in the developer tools and is let in.'
    case 'client':
      return `Somebody without an account opens ${c.route.route}, with JavaScript off or with the answer of the session call changed, and gets the page and whatever it holds.`
    default:
      return `Somebody without an account opens ${c.route.route} and gets the page and whatever it holds.`
  }
}

/** Where the guard reads the session itself, the read is the line to change. */
function verified(c: Cause): Pick<Issue['fix'], 'rewrite'> {
  if (c.what !== 'trust' || !c.guard?.identifiedAt) return {}
  return { rewrite: { ...linesFrom(c.guard.identifiedAt, 120), apply: askForVerifiedUser } }
}

function sharedIssue(causes: readonly Cause[]): Issue {
  // the finding speaks of the page that makes it as bad as it is
  const first = causes.find((c) => c.shared && c.severity === 'Critical') ?? causes.find((c) => c.shared) ?? (causes[0] as Cause)
  const at = first.shared ?? first.route
  const { cause: _, ...shown } = issue(first)
  return {
    ...shown,
    subject: `file ${at.path}`,
    discriminator: first.what,
    severity: causes.some((c) => c.severity === 'Critical') ? 'Critical' : 'High',
    message: `${causes.length} protected pages share this guard. ${message(first)}`,
    at,
    related: causes.map((c) => ({ path: c.route.path, line: c.route.line, subject: c.route.subject, what: c.because })),
  }
}
