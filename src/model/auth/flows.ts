import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { Place } from '../../lib/place.ts'
import { calleeText, callsOf, expressions, propOf, stringOf } from '../frameworks/walk.ts'
import type { AuthUse, CodeUse, RedirectUse } from './auth.ts'
import type { Site } from './declarations.ts'
import type { UrlReader } from './url-reader.ts'
import type { UrlValue } from './url-value.ts'

/** Collected over all files. */
export interface Flows {
  readonly oauth: AuthUse[]
  readonly resets: AuthUse[]
  readonly codes: CodeUse[]
  readonly redirects: RedirectUse[]
}

/** Auth.js' default life of a mailed link, in seconds. */
const AUTHJS_DEFAULT = 86_400

/** Files that were read whole, said nothing, and asked for no value: what other files say changes nothing about them. */
const silent = new WeakSet<JavaScriptFacts>()

/** Finds every start of a sign-in, reset mail, magic link and code in one file, and where it sends people. */
export function readFlows(path: string, js: JavaScriptFacts, reader: UrlReader, into: Flows): void {
  if (silent.has(js)) return
  const said = () => into.oauth.length + into.resets.length + into.codes.length + into.redirects.length + reader.asked
  const before = said()
  readFile(path, js, reader, into)
  if (said() === before) silent.add(js)
}

function readFile(path: string, js: JavaScriptFacts, reader: UrlReader, into: Flows): void {
  for (const { call, fn } of callsOf(js)) {
    const site: Site = { path, fn: fn.id }
    const at: Place = { path, line: call.l }
    const callee = calleeText(call.fn)
    // The platform's methods are called on a client; a function of the application may have the same name.
    const method = call.fn.k === 'mem' || callee === 'betterAuth' || callee === 'signIn' ? lastPart(callee) : ''
    const object = (e: Expr | undefined): Expr | undefined => (e?.k === 'id' ? reader.names.initOf(e.name, site) : e)
    const option = (e: Expr | undefined, ...keys: string[]): Expr | undefined => keys.reduce<Expr | undefined>((o, k) => propOf(object(o), k), e)
    const redirect = (purpose: RedirectUse['purpose'], how: string, e: Expr | undefined) => {
      if (e) into.redirects.push({ purpose, at: { path, line: e.l }, how, values: reader.read(e, site) })
    }
    switch (method) {
      case 'signInWithOAuth':
      case 'linkIdentity': {
        const provider = stringOf(option(call.args[0], 'provider'))
        into.oauth.push({ at, library: 'supabase', how: method, ...(provider ? { provider } : {}) })
        redirect('oauth', 'redirectTo', option(call.args[0], 'options', 'redirectTo'))
        break
      }
      case 'signInWithIdToken':
      case 'signInWithSSO':
        if (/auth/i.test(callee)) into.oauth.push({ at, library: 'supabase', how: method })
        redirect('oauth', 'redirectTo', option(call.args[0], 'options', 'redirectTo'))
        break
      case 'signInWithOtp': {
        const phone = option(call.args[0], 'phone')
        into.codes.push({ at, library: 'supabase', how: method, channel: phone ? 'sms' : 'email' })
        redirect('magic-link', 'emailRedirectTo', option(call.args[0], 'options', 'emailRedirectTo'))
        break
      }
      case 'signUp':
      case 'resend':
        redirect('confirmation', 'emailRedirectTo', option(call.args[0], 'options', 'emailRedirectTo'))
        break
      case 'inviteUserByEmail':
        redirect('confirmation', 'redirectTo', option(call.args[1], 'redirectTo'))
        break
      case 'generateLink': {
        const type = stringOf(option(call.args[0], 'type'))
        if (type === 'magiclink') into.codes.push({ at, library: 'supabase', how: "generateLink({ type: 'magiclink' })", channel: 'email' })
        if (type === 'recovery') into.resets.push({ at, library: 'supabase', how: "generateLink({ type: 'recovery' })" })
        redirect(type === 'recovery' ? 'reset' : 'magic-link', 'redirectTo', option(call.args[0], 'options', 'redirectTo'))
        break
      }
      case 'resetPasswordForEmail':
        into.resets.push({ at, library: 'supabase', how: method })
        redirect('reset', 'redirectTo', option(call.args[1], 'redirectTo'))
        break
      case 'authenticateWithRedirect':
        into.oauth.push({ at, library: 'clerk', how: method })
        redirect('oauth', 'redirectUrl', option(call.args[0], 'redirectUrl') ?? option(call.args[0], 'redirectUrlComplete'))
        break
      case 'forgetPassword':
      case 'requestPasswordReset':
        if (/auth/i.test(callee)) {
          into.resets.push({ at, library: 'better-auth', how: method })
          redirect('reset', 'redirectTo', option(call.args[0], 'redirectTo'))
        }
        break
      case 'betterAuth':
        readBetterAuth(call.args[0], at, into, option, redirect)
        break
      case 'signIn':
        if (imports(js, /^(next-auth|@auth\/)/)) redirect('oauth', 'callbackUrl', option(call.args[1], 'callbackUrl') ?? option(call.args[1], 'redirectTo'))
        break
    }
    // `class GoogleStrategy extends PassportStrategy(Strategy)` gives its options to what it extends
    const strategy = call.k === 'new' ? /Strategy$/.test(callee) : call.fn.k === 'super'
    if (strategy && imports(js, /^passport-/)) {
      const callback = option(call.args[0], 'callbackURL')
      if (callback) {
        into.oauth.push({ at, library: 'passport', how: call.k === 'new' ? callee : 'Strategy' })
        redirect('oauth', 'callbackURL', callback)
      }
    }
    // providers that Better Auth does not know by name, wherever the plugin is put together
    if (callee === 'genericOAuth' && imports(js, /^better-auth\//)) {
      const list = option(call.args[0], 'config')
      const configured = list?.k === 'arr' ? list.items : []
      const names = configured.flatMap((c) => stringOf(option(c, 'providerId')) ?? [])
      into.oauth.push({ at, library: 'better-auth', how: callee, ...(names.length ? { provider: names.join(', ') } : {}) })
      for (const c of configured) redirect('oauth', 'redirectURI', option(c, 'redirectURI'))
    }
    // google-auth-library, googleapis, twitter-api and their like: (client id, secret, callback)
    if (call.k === 'new' && /(^|\.)OAuth2(Client)?$/.test(callee) && call.args[2]) {
      into.oauth.push({ at, library: 'own', how: callee })
      redirect('oauth', 'redirectUri', call.args[2])
    }
    if (
      call.k === 'new' &&
      imports(js, /^arctic$/) &&
      call.args.length >= 3 &&
      js.imports.some((i) => i.from === 'arctic' && i.bindings.some((b) => callee === b.local || callee.startsWith(`${b.local}.`)))
    ) {
      into.oauth.push({ at, library: 'arctic', how: callee })
      redirect('oauth', 'redirectURI', call.args[2])
    }
  }
  readAuthJs(path, js, reader, into)
  readOwnLinks(path, js, reader, into)
}

type Option = (e: Expr | undefined, ...keys: string[]) => Expr | undefined
type AddRedirect = (purpose: RedirectUse['purpose'], how: string, e: Expr | undefined) => void

function readBetterAuth(config: Expr | undefined, at: Place, into: Flows, option: Option, redirect: AddRedirect): void {
  const social = option(config, 'socialProviders')
  const reset = option(config, 'emailAndPassword', 'sendResetPassword')
  if (social)
    into.oauth.push({
      at: { path: at.path, line: social.l },
      library: 'better-auth',
      how: 'socialProviders',
      ...(social.k === 'obj' ? { provider: social.props.map((p) => p.key).join(', ') } : {}),
    })
  if (reset) into.resets.push({ at: { path: at.path, line: reset.l }, library: 'better-auth', how: 'sendResetPassword' })
  const base = option(config, 'baseURL')
  if (social) redirect('oauth', 'baseURL', base)
  if (reset) redirect('reset', 'baseURL', base)
  const plugins = option(config, 'plugins')
  for (const p of plugins?.k === 'arr' ? plugins.items : []) {
    if (p.k !== 'call') continue
    const name = calleeText(p.fn)
    const channel = name === 'phoneNumber' ? 'sms' : name === 'magicLink' || name === 'emailOTP' ? 'email' : undefined
    if (!channel) continue
    const expires = option(p.args[0], 'expiresIn')
    const seconds = expires ? numberOf(expires) : undefined
    const lifetime: CodeUse['lifetime'] = !expires
      ? { seconds: 300, libraryDefault: true }
      : seconds === undefined
        ? { unknown: true, at: { path: at.path, line: expires.l } }
        : { seconds, at: { path: at.path, line: expires.l } }
    into.codes.push({ at: { path: at.path, line: p.l }, library: 'better-auth', how: name, channel, lifetime })
  }
}

const MAIL_PROVIDERS = new Set(['email', 'nodemailer', 'resend', 'sendgrid', 'mailgun', 'postmark', 'loops', 'forwardemail', 'http-email', 'passkey'])

/** Auth.js providers by the module that they come from. */
function readAuthJs(path: string, js: JavaScriptFacts, reader: UrlReader, into: Flows): void {
  for (const i of js.imports) {
    const provider = /^(?:next-auth|@auth\/[a-z-]+)\/providers\/([\w-]+)$/.exec(i.from)?.[1]
    const local = i.bindings[0]?.local
    if (!provider || i.typeOnly || !local || provider === 'credentials') continue
    const calls = [...callsOf(js)].filter(({ call }) => call.k === 'call' && calleeText(call.fn).replace(/\.default$/, '') === local)
    const first = calls[0]
    const at = { path, line: first?.call.l ?? i.l }
    if (!MAIL_PROVIDERS.has(provider)) {
      into.oauth.push({ at, library: 'authjs', how: `${provider} provider`, provider })
      continue
    }
    if (provider === 'passkey') continue
    const options = first?.call.args[0]
    const maxAge = propOf(options?.k === 'id' && first ? reader.names.initOf(options.name, { path, fn: first.fn.id }) : options, 'maxAge')
    const seconds = maxAge ? numberOf(maxAge) : undefined
    const lifetime: CodeUse['lifetime'] = !maxAge
      ? { seconds: AUTHJS_DEFAULT, libraryDefault: true }
      : seconds === undefined
        ? { unknown: true, at: { path, line: maxAge.l } }
        : { seconds, at: { path, line: maxAge.l } }
    into.codes.push({ at, library: 'authjs', how: `${provider} provider`, channel: 'email', lifetime })
  }
}

/** OAuth written by hand (`redirect_uri`), and reset links that the application mails itself. */
function readOwnLinks(path: string, js: JavaScriptFacts, reader: UrlReader, into: Flows): void {
  const library = imports(js, /^(openid-client|oauth4webapi|simple-oauth2|client-oauth2)(\/|$)/)
  const authorizes = (fn: FunctionIR) => library || [...expressions(fn)].some((e) => AUTHORIZE.test(writtenText(e)) || asksForCode(e))
  for (const fn of js.functions) {
    const site: Site = { path, fn: fn.id }
    let oauth: boolean | undefined
    let mails: boolean | undefined
    for (const e of expressions(fn)) {
      const target = redirectUriOf(e)
      if (target) {
        oauth ??= authorizes(fn)
        if (oauth) {
          into.oauth.push({ at: { path, line: e.l }, library: 'own', how: 'redirect_uri' })
          into.redirects.push({ purpose: 'oauth', at: { path, line: target.l }, how: 'redirect_uri', values: reader.read(target, site) })
        }
      }
      if (e.k !== 'tpl' && e.k !== 'bin') continue
      const text = writtenText(e)
      const link = RESET_LINK.test(text)
      if (!link && !RESET_PATH.test(text)) continue
      if (!link) mails ??= sendsMail(fn)
      if (!link && !mails) continue
      if (into.resets.some((r) => r.at.path === path && r.at.line === e.l)) continue
      into.resets.push({ at: { path, line: e.l }, library: 'own', how: 'reset link' })
      // of a path alone a template makes the address
      if (link || text.startsWith('\u0000'))
        into.redirects.push({ purpose: 'reset', at: { path, line: e.l }, how: 'reset link', values: withoutRelative(reader.read(e, site)) })
    }
  }
}

/** Parameters that only a request for an authorization code has, whoever the provider is. */
function asksForCode(e: Expr): boolean {
  const name = /^(response_type|code_challenge|code_challenge_method)$/
  return e.k === 'obj' ? e.props.some((p) => p.key !== undefined && name.test(p.key)) : name.test(stringOf(e) ?? '')
}

const AUTHORIZE =
  /accounts\.google\.com\/o\/oauth2|github\.com\/login\/oauth\/authorize|discord\.com\/(api\/)?oauth2\/authorize|facebook\.com\/(v[\d.]+\/)?dialog\/oauth|login\.microsoftonline\.com\/|linkedin\.com\/oauth\/v2\/authorization|appleid\.apple\.com\/auth\/authorize|slack\.com\/oauth|twitter\.com\/i\/oauth2/
const RESET_LINK =
  /(?:\u0000|https?:\/\/[^\s"'<>]{1,100})\/(?:[\w-]{1,30}\/){0,4}(?:reset|recover|forgot)[-_a-z]{0,20}(?:\/\u0000|\?[^\s"'<>]{0,60}(?:token|code|key)=)/i

/** Less of a link, which says where to enter a mailed code, or only the path: one where the same function sends a mail. */
const RESET_PATH = /^(?:\u0000(?::\/\/\u0000)?\/)?(?:[\w-]{1,30}\/){0,4}(?:reset|recover|forgot)[-_a-z]{0,20}(?:$|\/\u0000|\?)/i
const MAIL_SENDING_CALL = /(?:^|\.)send_?(?:\w{0,20}_?)?e?mail\w{0,20}$|(?:mail|transport)\w{0,10}(?:\(\))?\.send\w{0,10}$|emails\.(?:send|create)$/i

const sendsMail = (fn: FunctionIR): boolean => [...expressions(fn)].some((e) => e.k === 'call' && MAIL_SENDING_CALL.test(calleeText(e.fn)))

/** The value given for `redirect_uri` in an object, `URLSearchParams` or `searchParams.set`. */
function redirectUriOf(e: Expr): Expr | undefined {
  if (e.k === 'obj') return propOf(e, 'redirect_uri')
  if (e.k === 'call' && e.fn.k === 'mem' && /^(set|append)$/.test(e.fn.name) && stringOf(e.args[0]) === 'redirect_uri') return e.args[1]
  if (e.k === 'tpl') {
    const i = e.quasis.findIndex((q) => q.endsWith('redirect_uri='))
    const value = i === -1 ? undefined : e.exprs[i]
    return value?.k === 'call' && calleeText(value.fn) === 'encodeURIComponent' ? value.args[0] : value
  }
  return undefined
}

/** The literal text of an expression, holes as NUL. */
function writtenText(e: Expr): string {
  if (e.k === 'lit') return typeof e.v === 'string' ? e.v : ''
  if (e.k === 'tpl') return e.quasis.join('\u0000')
  if (e.k === 'bin' && e.op === '+') return `${writtenText(e.a)}${writtenText(e.b)}`
  return '\u0000'
}

/** Links inside the application (`/reset-password`) are no mails. */
function withoutRelative(values: readonly UrlValue[]): readonly UrlValue[] {
  return values.filter((v) => !(v.parts[0]?.k === 'text' && v.parts[0].text.startsWith('/')))
}

function imports(js: JavaScriptFacts, pattern: RegExp): boolean {
  return js.imports.some((i) => pattern.test(i.from))
}

/** A number written as a constant: `60 * 60`, `24*3600`. */
export function numberOf(e: Expr): number | undefined {
  if (e.k === 'lit') return typeof e.v === 'number' ? e.v : undefined
  if (e.k !== 'bin') return undefined
  const a = numberOf(e.a)
  const b = numberOf(e.b)
  if (a === undefined || b === undefined) return undefined
  return e.op === '*' ? a * b : e.op === '+' ? a + b : e.op === '-' ? a - b : e.op === '/' && b !== 0 ? a / b : undefined
}
