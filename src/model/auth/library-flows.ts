import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { blocksOf, calleeText, callsOf, expressions, propOf, stringOf, stringsOf, subExpressions } from '../frameworks/walk.ts'
import type { AllowList, AuthLibrary, OpenRedirect, RedirectUse } from './auth.ts'
import type { Site } from './declarations.ts'
import type { Flows } from './flows.ts'
import type { UrlReader } from './url-reader.ts'

/** What libraries that bring their own sign-in pages and callbacks are told: Clerk, Better Auth's client, Supabase's Auth UI. */
export function readLibraryFlows(path: string, js: JavaScriptFacts, from: ReadonlyMap<string, string>, reader: UrlReader, into: Flows): void {
  for (const fn of js.functions) {
    const site: Site = { path, fn: fn.id }
    const redirect = (purpose: RedirectUse['purpose'], how: string, e: Expr) =>
      into.redirects.push({ purpose, at: { path, line: e.l }, how, values: reader.read(e, site) })
    const oauth = (library: AuthLibrary, how: string, line: number, provider?: string) =>
      into.oauth.push({ at: { path, line }, library, how, ...(provider ? { provider } : {}) })
    for (const e of expressions(fn)) {
      if (e.k === 'jsx' && e.tag !== null && typeof e.tag === 'object') {
        const tag = calleeText(e.tag)
        const origin = from.get(tag)
        if (origin && /^@clerk\//.test(origin) && CLERK_PAGES.test(tag)) {
          if (tag !== 'ClerkProvider') oauth('clerk', `<${tag}>`, e.l)
          for (const a of e.attrs) if (a.key && CLERK_URL.test(a.key)) redirect('oauth', a.key, a.value)
        }
        if (origin && /^@supabase\/auth-ui-/.test(origin) && tag === 'Auth') readAuthUi(e, path, into, redirect, oauth)
      }
      if (e.k !== 'call') continue
      const name = calleeText(e.fn)
      if (
        from.has('\0clerk') &&
        /(^|\.)(clerkMiddleware|openSignIn|openSignUp|redirectToSignIn|redirectToSignUp|buildSignInUrl|buildSignUpUrl|protect)$/.test(name)
      ) {
        for (const a of e.args) if (a.k === 'obj') for (const p of a.props) if (p.key && CLERK_URL.test(p.key)) redirect('oauth', p.key, p.value)
      }
      if (from.has('\0better-auth') && /\.signIn\.(social|oauth2)$/.test(name)) {
        const provider = stringOf(propOf(e.args[0], 'provider') ?? propOf(e.args[0], 'providerId'))
        oauth('better-auth', name, e.l, provider)
        const callback = propOf(e.args[0], 'callbackURL')
        if (callback) redirect('oauth', 'callbackURL', callback)
      }
      if (from.has('\0better-auth') && /\.signIn\.magicLink$/.test(name)) {
        const callback = propOf(e.args[0], 'callbackURL')
        if (callback) redirect('magic-link', 'callbackURL', callback)
      }
    }
  }
}

const CLERK_PAGES = /^(SignIn|SignUp|SignInButton|SignUpButton|GoogleOneTap|RedirectToSignIn|RedirectToSignUp|ClerkProvider)$/
/** Options that say where somebody goes to sign in or after it. */
const CLERK_URL =
  /^(redirectUrl(Complete)?|(signIn|signUp)?(Fallback|Force)RedirectUrl|fallbackRedirectUrl|forceRedirectUrl|afterSign(In|Up)Url|sign(In|Up)Url|returnBackUrl|unauthenticatedUrl|signInFallbackRedirectUrl|signUpFallbackRedirectUrl)$/

/** `<Auth providers={['google']} redirectTo={…} magicLink />`: sign-in, magic link and, unless its links are hidden, password reset. */
function readAuthUi(
  e: Extract<Expr, { k: 'jsx' }>,
  path: string,
  into: Flows,
  redirect: (purpose: RedirectUse['purpose'], how: string, e: Expr) => void,
  oauth: (library: AuthLibrary, how: string, line: number, provider?: string) => void,
): void {
  const attr = (name: string) => e.attrs.find((a) => a.key === name)
  const providers = stringsOf(attr('providers')?.value)
  const to = attr('redirectTo')?.value
  if (providers.length) {
    oauth('supabase', '<Auth providers>', e.l, providers.join(', '))
    if (to) redirect('oauth', 'redirectTo', to)
  }
  if (stringOf(attr('view')?.value) === 'magic_link' || attr('magicLink'))
    into.codes.push({ at: { path, line: e.l }, library: 'supabase', how: '<Auth magicLink>', channel: 'email' })
  const links = attr('showLinks')?.value
  if (attr('onlyThirdPartyProviders') || (links?.k === 'lit' && links.v === false)) return
  into.resets.push({ at: { path, line: e.l }, library: 'supabase', how: '<Auth>' })
  if (to) redirect('reset', 'redirectTo', to)
}

/** Local names by the package they come from; `\0clerk` and `\0better-auth` when the file uses the library at all. */
export const librariesByFile = collectByCodeFile((_, js: JavaScriptFacts): ReadonlyMap<string, string> | undefined => {
  const from = new Map<string, string>()
  for (const i of js.imports) {
    if (i.typeOnly) continue
    if (/^@clerk\//.test(i.from)) from.set('\0clerk', i.from)
    if (/^better-auth(\/|$)/.test(i.from) || i.bindings.some((b) => /^auth_?client$/i.test(b.local))) from.set('\0better-auth', i.from)
    if (/^(@clerk\/|@supabase\/auth-ui-)/.test(i.from)) for (const b of i.bindings) from.set(b.local, i.from)
  }
  return from.size ? from : undefined
})

/** `betterAuth({ trustedOrigins: […] })`: origins to which callbacks may lead. */
export const allowListsOf = collectByCodeFile((path, js: JavaScriptFacts) =>
  unlessEmpty(
    [...callsOf(js)].flatMap(({ call }): AllowList[] => {
      const list = calleeText(call.fn) === 'betterAuth' ? propOf(call.args[0], 'trustedOrigins') : undefined
      return list?.k === 'arr' ? [{ at: { path, line: list.l }, name: 'trustedOrigins', entries: stringsOf(list) }] : []
    }),
  ),
)

/** Auth.js: `callbacks: { redirect({ url }) { return url } }` follows whatever `callbackUrl` says. */
export const redirectCallbacks = collectByCodeFile((path, js: JavaScriptFacts) => {
  if (!js.imports.some((i) => /^(next-auth|@auth\/)/.test(i.from))) return undefined
  const found: OpenRedirect[] = []
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      const callback = e.k === 'obj' ? propOf(propOf(e, 'callbacks'), 'redirect') : undefined
      const body = callback?.k === 'fn' ? js.functions[callback.fn] : undefined
      const line = body && followsUrl(body)
      if (line) found.push({ at: { path, line }, subject: `file ${path}`, param: 'callbackUrl', from: { path, line }, how: 'absolute' })
    }
  }
  return unlessEmpty(found)
})

/** The line that returns `url` as it came, although nothing looked at where it leads. */
function followsUrl(fn: FunctionIR): number | undefined {
  const given = fn.params[0]
  if (given?.k !== 'object' || !given.props.some((p) => p.key === 'url' && p.to.k === 'name' && p.to.name === 'url')) return undefined
  const found = returnOfUrl(fn.body)
  return found === 'looked at' ? undefined : found
}

const isUrl = (e: Expr): boolean => e.k === 'id' && e.name === 'url'
/** `url`, and `url || baseUrl`. */
const givesUrl = (e: Expr): boolean => isUrl(e) || (e.k === 'logic' && e.op !== '&&' && isUrl(e.a))
/** `url === '/login'` picks one address out and says nothing of the others. */
const picksOneOut = (e: Expr): boolean => e.k === 'bin' && /^={2,3}$/.test(e.op) && (isUrl(e.a) || isUrl(e.b))

function returnOfUrl(body: readonly Stmt[]): number | 'looked at' | undefined {
  for (const s of body) {
    if (s.k === 'return' && s.value && givesUrl(s.value)) return s.l
    const one = s.k === 'if' && picksOneOut(s.test)
    if (s.k === 'if' && !one && [...subExpressions(s.test)].some(isUrl)) return 'looked at'
    for (const block of s.k === 'if' ? [one ? [] : s.then, s.else ?? []] : blocksOf(s)) {
      const found = returnOfUrl(block)
      if (found !== undefined) return found
    }
  }
  return undefined
}
