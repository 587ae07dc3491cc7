import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { Place } from '../../../lib/place.ts'
import { type Program, packageOf } from '../../frameworks/program.ts'
import { boundNames, calleeText, expressions, statements } from '../../frameworks/walk.ts'

/** How one application keeps sessions, as its code shows it. */
export interface SessionModel {
  readonly workspace: string
  /** Libraries that keep and renew sessions by themselves, where they are used. */
  readonly libraries: readonly { readonly name: string; readonly at: Place }[]
  /** The providers of Auth.js that the application takes from its packages or writes itself: `google`, `credentials`, `email`. */
  readonly providers: readonly string[]
  /** Clients that keep the session in cookies on the server (`@supabase/ssr`, auth helpers). */
  readonly serverClients: readonly Place[]
  /** Clients in code that browsers run, and whether they keep a session. */
  readonly browserClients: readonly Place[]
  /** Those of them that keep it in the storage of the browser, where no server finds it. */
  readonly storageClients: readonly Place[]
  /** `onAuthStateChange` in code that browsers run, and providers of libraries that listen. */
  readonly listeners: readonly Place[]
  /** `getSession()` in code that browsers run. */
  readonly sessionReads: readonly Place[]
  /** Calls of the platform's authentication in code that browsers run. */
  readonly browserAuth: readonly Place[]
  /** Places on the server that ask for the user or renew the session. */
  readonly serverReads: readonly { readonly name: string; readonly at: Place }[]
  /** Cookies in which the server stores the platform's tokens by itself. */
  readonly ownCookies: readonly Place[]
  /** Cookies in which the server puts access tokens, by name where it stands in the call. */
  readonly accessCookies: readonly (Place & { readonly name?: string })[]
  /** Calls that renew: `refreshSession`, `setSession`, `exchange of refresh tokens`. */
  readonly renewals: readonly Place[]
  /** Where the application itself asks the platform for new tokens, by its address. */
  readonly ownRenewals: readonly Place[]
  /** Those of which nothing takes the new tokens. */
  readonly lostRenewals: readonly Place[]
  /** Where middleware leaves the session to a package that is not in the repository. */
  readonly leftToPackages: readonly (Place & { readonly call: string; readonly from: string })[]
}

/** The client that keeps the sessions of an application in the storage of the browser: a server that looks into cookies finds nobody there. */
export function storedInBrowser(s: SessionModel | undefined): Place | undefined {
  if (!s?.browserAuth.length || s.libraries.length || s.ownCookies.length || s.accessCookies.length) return undefined
  return s.browserClients.length === s.storageClients.length ? s.storageClients[0] : undefined
}

const SESSION_LIBRARY_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^next-auth$|^@auth\//, 'Auth.js'],
  [/^@clerk\//, 'Clerk'],
  [/^better-auth$/, 'Better Auth'],
  [/^lucia$|^@lucia-auth\//, 'Lucia'],
  [/^@workos-inc\/authkit/, 'AuthKit'],
  [/^@kinde-oss\//, 'Kinde'],
  [/^@auth0\//, 'Auth0'],
  [/^iron-session$/, 'iron-session'],
  [/^express-session$|^cookie-session$/, 'express-session'],
  [/^nuxt-auth-utils$|^@sidebase\/nuxt-auth$/, 'nuxt-auth'],
  [/^firebase$|^@firebase\/auth$|^@react-native-firebase\//, 'Firebase'],
  [/^@nuxtjs\/supabase$/, '@nuxtjs/supabase'],
]
const SERVER_CLIENTS =
  /^(createServerClient|createServerComponentClient|createRouteHandlerClient|createServerActionClient|createMiddlewareClient|createPagesServerClient|createServerSupabaseClient|createSupabaseServerClient|getSupabase|serverSupabaseClient)$/
/** Components of the platform's own packages that listen for the application below them. */
const LISTENING_PROVIDERS: ReadonlySet<string> = new Set(['SessionContextProvider', 'UserProvider'])
const BROWSER_CLIENTS = /^(createBrowserClient|createPagesBrowserClient|createClientComponentClient|createBrowserSupabaseClient|createSupabaseClient)$/
const AUTH_CALL =
  /auth\.(signIn\w*|signUp|getUser|getSession|onAuthStateChange|signOut|resetPasswordForEmail|updateUser|verifyOtp|setSession|refreshSession|getClaims)$/

/** Reads every source file once and says, for each workspace, how sessions are kept. */
export function buildSessions(program: Program): readonly SessionModel[] {
  const speaking = Map.groupBy(speakingByFile(program.sources), ([path]) => program.workspace(path))
  return program.workspaces.all.map((w) => {
    const m = {
      libraries: [] as { name: string; at: Place }[],
      providers: [] as string[],
      serverClients: [] as Place[],
      browserClients: [] as Place[],
      storageClients: [] as Place[],
      listeners: [] as Place[],
      sessionReads: [] as Place[],
      browserAuth: [] as Place[],
      serverReads: [] as { name: string; at: Place }[],
      ownCookies: [] as Place[],
      accessCookies: [] as (Place & { name?: string })[],
      renewals: [] as Place[],
      ownRenewals: [] as Place[],
      lostRenewals: [] as Place[],
      leftToPackages: [] as (Place & { call: string; from: string })[],
    }
    for (const [path, speaks] of speaking.get(w) ?? []) read(program, path, speaks, m)
    for (const name of ['@nuxtjs/supabase', 'nuxt-auth-utils', '@sidebase/nuxt-auth']) {
      const line = w.manifest?.dependencies.find((d) => d.name === name)?.line
      if (line && w.manifestPath) m.libraries.push({ name, at: { path: w.manifestPath, line } })
    }
    return { workspace: w.dir, ...m }
  })
}

type Found = { -readonly [K in keyof Omit<SessionModel, 'workspace'>]: SessionModel[K] extends readonly (infer T)[] ? T[] : never }

function read(program: Program, path: string, { libraries, providers, signIns, calls, browser: forBrowser, renews }: Speaking, m: Found): void {
  m.ownRenewals.push(...renews)
  for (const l of libraries) if (!m.libraries.some((known) => known.name === l.name)) m.libraries.push(l)
  m.listeners.push(...providers)
  m.providers.push(...signIns)
  if (!calls.length) return
  const side = program.modules.side(path)
  const client = side === 'client' || forBrowser
  const runs = side !== 'unreached' || !isDead(program, path)
  for (const { e, name, last, scope, lost } of calls) {
    const at: Place = { path, line: lineOf(e) }
    if (LEFT_TO_PACKAGES.test(last) && MIDDLEWARE.test(path)) {
      const outside = program.external(path, scope, e.fn)
      if (outside && !/^[./]/.test(outside.from)) m.leftToPackages.push({ ...at, call: last, from: outside.from })
    }
    if (isMadeUp(program, path, scope, e.fn)) continue
    // The loader and the action of a route module stay on the server.
    const browser = client || (side === 'both' && program.modules.inBrowser(path, at.line))
    if (SERVER_CLIENTS.test(last)) {
      // applications call helpers of their own by that name
      if (runs && (last !== 'getSupabase' || fromSupabase(program, path, scope, e))) m.serverClients.push(at)
    } else if (BROWSER_CLIENTS.test(last)) m.browserClients.push(at)
    else if (last === 'createClient' && browser && fromSupabase(program, path, scope, e)) {
      m.browserClients.push(at)
      m.storageClients.push(at)
    }
    if (last === 'onAuthStateChange') {
      if (browser || (side === 'unreached' && runs)) m.listeners.push(at)
    } else if (/auth\.getSession$/.test(name) && browser) m.sessionReads.push(at)
    if (AUTH_CALL.test(name) && browser) m.browserAuth.push(at)
    if (!browser && SERVER_READ.test(name)) m.serverReads.push({ name: last, at })
    if (RENEWAL.test(last) && !browser) (lost ? m.lostRenewals : m.renewals).push(at)
    if (!COOKIE_WRITE_CALL.test(name)) continue
    if (tokenCookie(e)) {
      m.ownCookies.push(at)
      // tokens of the application's own are renewed by a handler of its own, which writes both cookies anew
      if (RENEWS.test(program.js(path)?.functions[scope]?.name ?? '')) m.renewals.push(at)
    }
    const [called] = e.args
    if (e.args.some((a) => a.k === 'mem' && a.name === 'access_token'))
      m.accessCookies.push({ ...at, ...(called?.k === 'lit' && typeof called.v === 'string' ? { name: called.v } : {}) })
  }
}

/** `updateSession(request)`, as the platform's guide calls what its middleware does. */
const LEFT_TO_PACKAGES = /^(?:update|refresh|renew)(?:Supabase|Auth)?Session$/
const MIDDLEWARE = /(?:^|\/)(?:middleware|proxy|hooks\.server)\.[cm]?[jt]s$/

/** `supabase` is an object that the repository writes itself, with methods of that name: no client of the platform, and no session. */
function isMadeUp(program: Program, path: string, scope: number, callee: Expr): boolean {
  let root = callee
  for (let i = 0; root.k === 'mem' && i < 6; i++) root = root.of
  if (root === callee || root.k !== 'id') return false
  const m = program.meaning(path, scope, root)
  const auth = m?.k === 'expr' && m.expr.k === 'obj' ? m.expr.props.find((p) => p.key === 'auth')?.value : undefined
  return auth?.k === 'obj' && !auth.props.some((p) => p.spread)
}

const SERVER_READ = /(^|\.)(auth\.getUser|auth\.getClaims|auth\.getSession|safeGetSession|getSession|getUser)$/
const RENEWAL = /(refreshSession|setSession|refreshAccessToken|refreshAuthSession)$/
const RENEWS = /refresh|renew|rotat/i
const COOKIE_WRITE_CALL = /cookies?(\(\))?\.(set|append)$|setCookie$|createCookie$|\.cookie$/

/** What a file says that may have to do with sessions. */
interface Speaking {
  readonly libraries: SessionModel['libraries']
  readonly providers: readonly Place[]
  readonly signIns: readonly string[]
  /** Where they run decides. */
  readonly calls: ReturnType<typeof sessionCalls>
  readonly browser: boolean
  readonly renews: readonly Place[]
}

/** `fetch(url + '/auth/v1/token?grant_type=refresh_token')` */
const asksForTokens = (e: Expr): boolean => (e.k === 'tpl' ? e.quasis : e.k === 'lit' ? [e.v] : []).some((t) => typeof t === 'string' && RENEWED_AT.test(t))
const RENEWED_AT = /\/auth\/v1\/token\?grant_type=refresh_token/

const speakingByFile = collectByCodeFile((path, js: JavaScriptFacts): Speaking | undefined => {
  if (inEdgeFunctions(path)) return undefined
  const libraries: SessionModel['libraries'][number][] = []
  const providers: Place[] = []
  for (const i of js.imports) {
    if (i.typeOnly) continue
    const pkg = packageOf(i.from)
    const known = pkg ? SESSION_LIBRARY_NAMES.find(([re]) => re.test(pkg)) : undefined
    if (known) libraries.push({ name: known[1], at: { path, line: i.l } })
    if (i.bindings.some((b) => LISTENING_PROVIDERS.has(b.imported) && /^@supabase\/(supabase-)?auth-helpers[-/]react$/.test(i.from)))
      providers.push({ path, line: i.l })
  }
  const calls = sessionCalls(js)
  const signIns = libraries.some((l) => l.name === 'Auth.js') ? authJsProviders(js) : []
  const renews = js.functions.flatMap((fn) => expressions(fn).flatMap((e): Place[] => (asksForTokens(e) ? [{ path, line: e.l }] : [])))
  const speaks = libraries.length || providers.length || calls.length || renews.length
  return speaks ? { libraries, providers, signIns, calls, renews, browser: js.directives.includes('use client') } : undefined
})

/** What `next-auth/providers/google` is called, and `type: 'credentials'` of a provider that is written out. */
const authJsProviders = (js: JavaScriptFacts): readonly string[] => [
  ...js.imports.flatMap((i) => /^(?:next-auth|@auth\/[\w-]{1,30})\/providers\/([\w-]{1,40})$/.exec(i.from)?.[1] ?? []),
  ...js.functions.flatMap((fn) =>
    expressions(fn).flatMap((e) => {
      const type = e.k === 'obj' ? e.props.find((p) => p.key === 'type')?.value : undefined
      return type?.k === 'lit' && typeof type.v === 'string' && /^(?:credentials|email)$/.test(type.v) ? [type.v] : []
    }),
  ),
]

const sessionCalls = (js: JavaScriptFacts) =>
  js.functions.flatMap((fn) =>
    expressions(fn).flatMap((e) => {
      if (e.k !== 'call') return []
      const name = calleeText(e.fn)
      const last = lastPart(name)
      const known =
        [SERVER_CLIENTS, BROWSER_CLIENTS, RENEWAL, LEFT_TO_PACKAGES].some((r) => r.test(last)) ||
        [AUTH_CALL, SERVER_READ, COOKIE_WRITE_CALL].some((r) => r.test(name))
      return known || last === 'createClient' || last === 'onAuthStateChange'
        ? [{ e, name, last, scope: fn.id, lost: /auth\.(?:setSession|refreshSession)$/.test(name) && !takesTokens(fn) }]
        : []
    }),
  )

const SESSION_TOKEN_KEY = /^(?:session|access_?token|refresh_?token|accessToken|refreshToken)$/

/** Whether a function looks at the session that a renewal gives, or hands all of it on. */
const takesTokens = (fn: FunctionIR): boolean =>
  expressions(fn).some((e) => e.k === 'mem' && SESSION_TOKEN_KEY.test(e.name)) ||
  [...statements(fn.body)].some(
    (s) =>
      (s.k === 'let' && boundNames(s.to).some((n) => n === 'session')) ||
      (s.k === 'return' && s.value?.k === 'await') ||
      (s.k === 'return' && s.value?.k === 'id' && s.value.name === 'data'),
  )

/** Imported by nothing, in an application whose entries are known: it never runs. */
function isDead(program: Program, path: string): boolean {
  const { dir } = program.workspace(path)
  const prefix = folderPrefix(dir)
  return program.modules.importers(path).length === 0 && program.modules.clientEntries.some((e) => e.path.startsWith(prefix))
}

function fromSupabase(program: Program, path: string, scope: number, e: Extract<Expr, { k: 'call' }>): boolean {
  const x = program.external(path, scope, e.fn)
  return x !== undefined && /^@supabase\//.test(packageOf(x.from) ?? '')
}

/** `cookies.set('sb-refresh-token', …)`, `cookies.set(REFRESH_COOKIE, session.refresh_token)`. */
function tokenCookie(e: Extract<Expr, { k: 'call' }>): boolean {
  return e.args.some((a) => (a.k === 'lit' && typeof a.v === 'string' && /refresh[-_]?token/i.test(a.v)) || (a.k === 'mem' && a.name === 'refresh_token'))
}

/** The line of the last member of a chained call is where readers look; the call itself starts higher up. */
function lineOf(e: Extract<Expr, { k: 'call' }>): number {
  return e.l
}
