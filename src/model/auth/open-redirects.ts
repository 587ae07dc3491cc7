import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { boundNames, calleeText, callsOf, expressions, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { Route } from '../routes/routes.ts'
import type { OpenRedirect } from './auth.ts'
import type { Site } from './declarations.ts'
import type { UrlReader } from './url-reader.ts'
import type { UrlValue } from './url-value.ts'

/** Places of a sign-in callback that send the browser to wherever a request parameter points. */
export function findOpenRedirects(path: string, js: JavaScriptFacts, reader: UrlReader, routes: readonly Route[]): OpenRedirect[] {
  const found: OpenRedirect[] = []
  for (const { target, fn, line } of redirectsOf(js)) {
    const site: Site = { path, fn: fn.id }
    const names = namesIn(target, reader, site)
    const checks = [...subExpressions(target)].reduce(
      (all, e) => (e.k === 'call' && e.fn.k === 'id' ? joined(all, checksOfMaker(e, reader, path)) : all),
      checksAround(names, js, fn, reader, path),
    )
    for (const way of [{ line, checks, bound: undefined }, ...callersOf(fn, names, checks, js, reader, path)]) {
      const open = firstOpen(reader.read(target, site, way.bound), way.checks)
      if (!open) continue
      const at = { path, line: way.line }
      const route = routeAt(path, way.line, routes)
      found.push({ at, subject: route?.subject ?? `file ${path}`, param: open.param, from: open.at, how: open.how })
    }
  }
  return [...new Map(found.map((f) => [`${f.subject} ${f.param}`, f])).values()]
}

function firstOpen(values: readonly UrlValue[], checks: Checks): ReturnType<typeof openPart> {
  for (const value of values) {
    const open = openPart(value, checks)
    if (open) return open
  }
  return undefined
}

/** Where a function that redirects to what it is given (`redirectWithError(origin, next, message)`) is called in its file, and what is known there. */
function callersOf(
  fn: FunctionIR,
  names: ReadonlySet<string>,
  checks: Checks,
  js: JavaScriptFacts,
  reader: UrlReader,
  path: string,
): readonly { readonly line: number; readonly checks: Checks; readonly bound: ReadonlyMap<string, readonly UrlValue[]> }[] {
  if (!fn.params.some((p) => p.k === 'name' && names.has(p.name))) return []
  return [...callsOf(js)].flatMap(({ call, fn: caller }) => {
    const site: Site = { path, fn: caller.id }
    if (call.fn.k !== 'id' || caller === fn || reader.names.functionNamed(call.fn.name, site)?.fn !== fn) return []
    const bound = new Map(fn.params.flatMap((p, i) => (p.k === 'name' ? [[p.name, reader.read(call.args[i], site)] as const] : [])))
    const given = fn.params.flatMap((p, i) => (p.k === 'name' && names.has(p.name) && call.args[i] ? [call.args[i]] : []))
    const around = given.map((arg) => checksAround(namesIn(arg, reader, site), js, caller, reader, path, fn))
    return [{ line: call.l, checks: around.reduce(joined, checks), bound }]
  })
}

/** The route in which a line stands, or the only one whose handler is in the file. */
function routeAt(path: string, line: number, routes: readonly Route[]): Route | undefined {
  const own = routes.filter((r) => r.path === path)
  const around = own.filter((r) => r.kind !== 'page').find((r) => r.line <= line && (r.endLine ?? Number.MAX_SAFE_INTEGER) >= line)
  if (around ?? own[0]) return around ?? own[0]
  const elsewhere = routes.filter((r) => r.behaviour?.steps.some((s) => s.at.path === path))
  return elsewhere.length === 1 ? elsewhere[0] : undefined
}

/** A file that turns an authorization code or a mailed token into a session, or goes on from there; connecting a further account is no sign-in. */
export const signInCallbacks = collectByCodeFile((path, js: JavaScriptFacts): JavaScriptFacts | undefined => {
  if (COMES_BACK.test(path) && [...callsOf(js)].some(({ call }) => ASKS_SESSION.test(calleeText(call.fn)))) return js
  if (AUTH_CALLBACK_ROUTE.test(path) && [...callsOf(js)].some(({ call }) => /\.get$/.test(calleeText(call.fn)) && stringOf(call.args[0]) === 'code')) return js
  let exchanges = false
  let establishes = false
  for (const { call } of callsOf(js)) {
    const callee = calleeText(call.fn)
    if (/\.(exchangeCodeForSession|verifyOtp)$/.test(callee)) return js
    const url = stringOf(call.args[0])
    if (/\.validateAuthorizationCode$/.test(callee) || (callee === 'fetch' && url && TOKEN_ENDPOINT.test(url))) exchanges = true
    if (/\.(getToken|exchangeCode|authorizationCodeGrant)$/.test(callee) && /oauth/i.test(callee)) exchanges = true
    if (/(createSession|setSession|createUserSession|setCookie|serialize|signIn|logIn|login|cookies?(\(\))?\.set|\.cookie)$/i.test(callee)) establishes = true
  }
  return exchanges && establishes ? js : undefined
})

/** Where the application takes over once a library has signed somebody in: `api/auth/oauth-callback/route.ts`. */
const COMES_BACK = /(?:^|\/)(?:o?auth|sign-?in|log-?in)[-/](?:\w+-)?callback\/route\.[cm]?[jt]s$/
/** Where Supabase sends browsers back with a code, which some leave to the page. */
const AUTH_CALLBACK_ROUTE = /(?:^|\/)auth\/callback\/route\.[cm]?[jt]s$/
const ASKS_SESSION = /^(?:auth|getServerSession|currentUser|getAuth)$|\.getSession$/

const TOKEN_ENDPOINT =
  /^https:\/\/(github\.com\/login\/oauth\/access_token|oauth2\.googleapis\.com\/token|discord\.com\/api\/(v\d+\/)?oauth2\/token|[\w.-]+\/(oauth2?|o)\/(v\d\/)?(token|access_token))/

function* redirectsOf(js: JavaScriptFacts): Generator<{ readonly target: Expr; readonly fn: FunctionIR; readonly line: number }> {
  for (const { call, fn } of callsOf(js)) {
    const callee = calleeText(call.fn)
    if (!/(^|\.)(redirect|sendRedirect|permanentRedirect)$/.test(callee) && !/^(window\.)?location\.(assign|replace)$/.test(callee)) continue
    // `redirect(303, url)` and `sendRedirect(event, url)` take it second.
    const second = call.args[1]
    const first = call.args[0]
    const target = callee.endsWith('sendRedirect') || (first?.k === 'lit' && typeof first.v === 'number') ? second : first
    if (target) yield { target, fn, line: call.l }
  }
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if (e.k === 'assign' && e.to.k === 'expr' && /^(window\.)?location(\.href)?$/.test(calleeText(e.to.expr))) yield { target: e.value, fn, line: e.l }
    }
  }
}

/** Names of the variables that a redirect target is made of, through what they are set to. */
function namesIn(e: Expr, reader: UrlReader, site: Site): Set<string> {
  const names = new Set<string>()
  const queue = [e]
  for (let i = 0; i < queue.length && i < 50; i++) {
    const beside = besideResult(queue[i] as Expr, reader, site)
    for (const x of subExpressions(queue[i] as Expr)) {
      if (x.k !== 'id' || names.has(x.name) || beside.has(x)) continue
      names.add(x.name)
      queue.push(...reader.names.valuesSet(x.name, site))
    }
  }
  return names
}

/** What helpers are handed and do not hand back: `pathFor(next, kind)` gives `next`, whatever it asks of the kind. */
function besideResult(e: Expr, reader: UrlReader, site: Site): ReadonlySet<Expr> {
  const out = new Set<Expr>()
  for (const x of subExpressions(e)) {
    const helper = x.k === 'call' && x.fn.k === 'id' ? reader.names.functionNamed(x.fn.name, site)?.fn : undefined
    if (x.k !== 'call' || !helper) continue
    const given = new Set<string>()
    for (const s of statements(helper.body)) {
      const value = s.k === 'return' ? s.value : s.k === 'let' ? s.init : s.k === 'expr' && s.expr.k === 'assign' ? s.expr.value : undefined
      if (value) for (const v of subExpressions(value)) if (v.k === 'id') given.add(v.name)
    }
    helper.params.forEach((p, i) => {
      const arg = x.args[i]
      if (arg && p.k === 'name' && !given.has(p.name)) for (const v of subExpressions(arg)) out.add(v)
    })
  }
  return out
}

interface Checks {
  /** `x.startsWith('/')`. */
  readonly slash: boolean
  /** `!x.startsWith('//')`. */
  readonly second: boolean
  /** Something that also looks at a backslash, a host, or a list. */
  readonly more: boolean
}

const UNCHECKED: Checks = { slash: false, second: false, more: false }

/** What the functions around the redirect do with those variables before it, and the helpers to which they hand them. */
function checksAround(names: ReadonlySet<string>, js: JavaScriptFacts, fn: FunctionIR, reader: UrlReader, path: string, redirects?: FunctionIR): Checks {
  let all = UNCHECKED
  for (let f: FunctionIR | undefined = fn; f; f = f.parent === undefined ? undefined : js.functions[f.parent]) {
    all = joined(all, checksIn(f, new Set([...names, ...parsedFrom(names, f)])))
    for (const call of makers(f, names)) all = joined(all, checksOfMaker(call, reader, path))
    for (const e of expressions(f)) {
      if (e.k !== 'call' || !e.args.some((a) => a.k === 'id' && names.has(a.name))) continue
      // the one that redirects was looked at already
      if (redirects && e.fn.k === 'id' && reader.names.functionNamed(e.fn.name, { path, fn: 0 })?.fn === redirects) continue
      const named = /safe|valid|sanit|allow|internal|relative|check/i.test(calleeText(e.fn))
      all = joined(all, checksOfHelper(e, names, reader, path) ?? (named && e.fn.k === 'id' ? { ...UNCHECKED, more: true } : UNCHECKED))
    }
  }
  return all
}

/** The calls that such variables are set to: `const next = safePath(params.get('next'))`. */
function makers(fn: FunctionIR, names: ReadonlySet<string>): Extract<Expr, { k: 'call' }>[] {
  return [...statements(fn.body)].flatMap((s) =>
    s.k === 'let' && s.init?.k === 'call' && s.init.fn.k === 'id' && boundNames(s.to).some((n) => names.has(n)) ? [s.init] : [],
  )
}

/** What a helper does with whatever it is handed, before it hands it back. */
function checksOfMaker(call: Extract<Expr, { k: 'call' }>, reader: UrlReader, path: string): Checks {
  const helper = call.fn.k === 'id' ? reader.names.functionNamed(call.fn.name, { path, fn: 0 })?.fn : undefined
  if (!helper) return UNCHECKED
  const inside = new Set(helper.params.flatMap((p, i) => (call.args[i]?.k === 'lit' ? [] : boundNames(p))))
  for (const s of statements(helper.body)) if (s.k === 'let' && s.init && mentions(s.init, inside)) for (const name of boundNames(s.to)) inside.add(name)
  return checksIn(helper, inside)
}

/** `const parsed = new URL(next, origin)`: what is asked of it is asked of the variable. */
function parsedFrom(names: ReadonlySet<string>, fn: FunctionIR): string[] {
  return [...statements(fn.body)].flatMap((s) => {
    if (s.k !== 'let' || s.init?.k !== 'new' || calleeText(s.init.fn) !== 'URL') return []
    const [parsed] = s.init.args
    return parsed?.k === 'id' && names.has(parsed.name) ? boundNames(s.to) : []
  })
}

const joined = (a: Checks, b: Checks): Checks => ({ slash: a.slash || b.slash, second: a.second || b.second, more: a.more || b.more })

/** What a function does with the arguments that are such variables; undefined when it is not known or does not look at them. */
function checksOfHelper(call: Extract<Expr, { k: 'call' }>, names: ReadonlySet<string>, reader: UrlReader, path: string, depth = 0): Checks | undefined {
  const found = call.fn.k === 'id' ? reader.names.functionNamed(call.fn.name, { path, fn: 0 }) : undefined
  if (!found) return undefined
  const helper = found.fn
  const inside = new Set(helper.params.flatMap((p, i) => (call.args[i]?.k === 'id' && names.has(call.args[i].name) ? boundNames(p) : [])))
  // `const parsed = new URL(path, base)` is looked at in its place
  for (const s of statements(helper.body)) if (s.k === 'let' && s.init && mentions(s.init, inside)) for (const name of boundNames(s.to)) inside.add(name)
  let checks = checksIn(helper, inside)
  // what it leaves to another one
  if (depth < 2)
    for (const e of expressions(helper))
      if (e.k === 'call' && e !== call && e.args.some((a) => a.k === 'id' && inside.has(a.name)))
        checks = joined(checks, checksOfHelper(e, inside, reader, found.path, depth + 1) ?? UNCHECKED)
  return checks.slash || checks.second || checks.more ? checks : undefined
}

/** Comparisons and tests of those variables in one function. */
function checksIn(fn: FunctionIR, names: ReadonlySet<string>): Checks {
  const out = ruledOut(fn, names)
  let slash = false
  let second = false
  let more = false
  for (const e of expressions(fn)) {
    if (
      e.k === 'bin' &&
      /^[!=]==?$/.test(e.op) &&
      [e.a, e.b].some((x) => mentions(x, names)) &&
      [e.a, e.b].some((x) => /\.(origin|host|hostname)$/.test(calleeText(x)))
    )
      more = true
    if (e.k !== 'call' || e.fn.k !== 'mem') continue
    const prefix = stringOf(e.args[0])
    const onReceiver = mentions(e.fn.of, names)
    if (e.fn.name === 'startsWith' && onReceiver) {
      if (prefix === '/') slash = true
      else if (prefix === '//') second = true
      else if (!(prefix !== undefined && /^\/\w/.test(prefix) && out.has(e))) more = true
    } else if (e.fn.name === 'charAt' && onReceiver) slash = true
    else if ((e.fn.name === 'test' || e.fn.name === 'includes' || e.fn.name === 'has' || e.fn.name === 'some') && e.args.some((a) => mentions(a, names)))
      more = true
    else if (e.fn.name === 'includes' && onReceiver && prefix !== undefined && /:|\/\//.test(prefix)) more = true
  }
  return { slash, second, more }
}

/** `if (next.startsWith('/login')) return fallback`: the tests of which one is enough to go somewhere else. What is left may still lead anywhere. */
function ruledOut(fn: FunctionIR, names: ReadonlySet<string>): ReadonlySet<Expr> {
  const out = new Set<Expr>()
  const each = (test: Expr): void => {
    if (test.k === 'logic' && test.op === '||') [test.a, test.b].forEach(each)
    else out.add(test)
  }
  for (const s of statements(fn.body)) {
    if (s.k !== 'if') continue
    const [left] = s.then.length === 1 && s.then[0]?.k === 'block' ? s.then[0].body : s.then
    if (left?.k === 'throw' || (left?.k === 'return' && !(left.value && mentions(left.value, names)))) each(s.test)
  }
  return out
}

function mentions(e: Expr, names: ReadonlySet<string>): boolean {
  return [...subExpressions(e)].some((x) => x.k === 'id' && names.has(x.name) && x.name !== 'request' && x.name !== 'url')
}

/** The parameter that decides the host, and how; undefined when it cannot. */
function openPart(
  value: UrlValue,
  checks: Checks,
): { readonly param: string; readonly at: OpenRedirect['from']; readonly how: OpenRedirect['how'] } | undefined {
  const index = value.parts.findIndex((p) => p.k === 'param')
  const part = value.parts[index]
  if (
    part?.k !== 'param' ||
    checks.more ||
    (part.tested && !checks.slash) ||
    !/^(next|redirect|redirect_?to|redirect_?url|redirect_?uri|return|return_?to|return_?url|callback_?url|continue|to|from|url|dest|destination|target|goto|path)$/i.test(
      part.name,
    )
  )
    return undefined
  const before = value.parts.slice(0, index).filter((p) => p.k !== 'resolved')
  const written = before.map((p) => (p.k === 'text' ? p.text : '')).join('')
  const open = (how: OpenRedirect['how']) => ({ param: part.name, at: part.at, how })
  if (checks.second) {
    // `new URL('/\\host', base)` reads the backslash as a slash, and two of them begin a host
    const resolved = value.parts.slice(0, index).some((p) => p.k === 'resolved')
    return checks.slash && resolved && !before.length ? open('backslash') : undefined
  }
  if (!before.length) return checks.slash ? open('protocol-relative') : open('absolute')
  if (before.length === 1 && before[0]?.k === 'text' && written === '/') return open('protocol-relative')
  const host = before.every((p) => p.k === 'origin' || p.k === 'env' || p.k === 'text') && before.some((p) => p.k !== 'text' || /^https?:\/\//.test(p.text))
  const hostOnly = host && /^(https?:\/\/[^/]*)?$/.test(written)
  return hostOnly && !checks.slash ? open('glued') : undefined
}
