import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import { isAlike, mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import { makesFixedAccount } from '../../../model/routes/operations/hardcoded-account.ts'
import { inProduction } from '../../../model/routes/request/production-view.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Severity } from '../../define-check.ts'
import { asksForPassword } from '../auth-flows/password-sign-in.ts'
import { ACCOUNT_TABLE_WORD, makesSameAccount, registers } from '../auth-flows/registration.ts'
import { behindTypedCode, isTyped, keepsReset, sendsNewCode, setsPasswordByCode, setsPasswordByToken, startsReset } from '../auth-flows/verification-code.ts'
import { tellsCode } from '../broken-authentication/code-disclosed.ts'
import { makesAdministrators } from '../missing-authentication/public-endpoint.ts'
import { isForAdministrators } from '../remediation/code-conventions.ts'

/** An authentication endpoint of the application's own: what it does where, and how much it matters how often. */
export interface Endpoint {
  readonly route: Route
  readonly severity: Severity
  readonly does: string
  readonly at: Place
  readonly kind: 'password' | 'message' | 'registration' | 'code' | 'key' | 'fixed' | 'made'
  /** The library that is called to sign in. */
  readonly library?: string
  /** It hands the password to a library, which has the application look at it. */
  readonly through?: true
}

/** With the hash that was just made of the same text: whether the library works, and nobody's password. */
const comparesWithItself = ([text, hash]: readonly Value[]): boolean =>
  text !== undefined && hash?.v === 'call' && /(?:^|\.)hash(?:Sync)?$/i.test(hash.name) && hash.args[0] !== undefined && isAlike(hash.args[0], text)

/** The hash of a random token of a link, not of what a person makes up or types. */
const isTokenHash = (v: Value): boolean => v.v === 'row' && TOKEN_HASH.test(v.field ?? '') && !TYPED_SECRET_WORD.test(v.table)
const TOKEN_HASH = /(^|_)token|token_?hash|hashed_?token|Token(Hash)?$/i
const TYPED_SECRET_WORD = /otp|code|pin|password/i

/**
 * A purchase or an application that makes an account on its way: whoever calls says the address and the password, or the address alone, which then
 * counts as confirmed.
 */
function opensAccount(route: Route, args: readonly Value[]): boolean {
  const { guard, behaviour } = route
  const administers = (name: string) => /(?:delete|update)User/i.test(name)
  const chosen = (key: RegExp) =>
    args.some((a) => a.v === 'object' && Object.entries(a.props).some(([name, value]) => key.test(name) && mentions(value, isTainted)))
  // what an administrator's page does is no way in, however badly it asks who that is: check 16 speaks of that
  const open = !guard || (guard.trust === 'claimed' && !isForAdministrators(route))
  const confirmed = args.some((a) => a.v === 'object' && a.props.email_confirm?.v === 'const' && a.props.email_confirm.value === true)
  return (
    open &&
    chosen(/^e?mail$/) &&
    (chosen(/^password$/) || confirmed) &&
    !behaviour?.steps.some(({ effect: e }) => e.kind === 'auth-call' && administers(e.name))
  )
}

const AUTH_ENDPOINT_KIND = /^(sign-in|sign-up|otp|magic-link|reset|verify)$/

/** What an own authentication endpoint does; undefined for routes that are none. Pages count through their POST. */
export const authEndpoint = rememberFor((route: Route): Endpoint | undefined => {
  // that anybody becomes an administrator is no matter of how often: check 16 says so
  if (route.library || route.kind === 'page' || makesAdministrators(route)) return undefined
  const steps = route.behaviour ? inProduction(route.behaviour, route.framework).steps : []
  const fixed = steps.find(triesFixed)
  if (fixed && !(['user', 'admin'].includes(route.guard?.who ?? '') && route.guard?.trust === 'verified'))
    return { route, severity: 'High', does: 'compares what somebody types with one code or password for everybody', at: fixed.at, kind: 'fixed' }
  const own = route.guard?.who === 'user' ? ofOwnCode(route, steps) : undefined
  if (own) return own
  if (
    route.guard &&
    route.guard.trust === 'verified' &&
    ['user', 'admin', 'secret', 'signature'].includes(route.guard.who) &&
    !steps.some((s) => s.effect.kind === 'hash-compare')
  ) {
    // Behind a signed-in user it is a change of settings, not a way in; the guard that sign-in itself establishes comes later.
    const first = steps.findIndex((s) => s.effect.kind === 'auth-call' && AUTH_ENDPOINT_KIND.test(s.effect.op))
    const identified = steps.findIndex((s) => s.effect.kind === 'identify' || s.effect.kind === 'verify-signature')
    if (first < 0 || (identified >= 0 && identified < first && !/sign-?in|log-?in|regist|sign-?up/i.test(route.route))) return undefined
  }
  const call = steps.find(
    (s) =>
      s.effect.kind === 'auth-call' &&
      !makesFixedAccount(s.effect) &&
      (AUTH_ENDPOINT_KIND.test(s.effect.op) || (s.effect.op === 'admin' && /createUser|generateLink|inviteUser/i.test(s.effect.name))),
  )
  const name = `${route.route} ${route.subject}`
  const named = MAILING_LIST_ENDPOINT.test(name)
    ? undefined
    : (AUTH_NAME.exec(name)?.[0] ?? (route.kind === 'action' ? SIGNS_IN_AS.exec(snakeCase(name))?.[0] : undefined))
  const signedIn = steps.findIndex((s) => s.effect.kind === 'identify' && s.effect.trust === 'verified')
  const compares = steps.find(
    (s, i) =>
      s.effect.kind === 'hash-compare' &&
      PASSWORD_HASH.test(s.effect.name) &&
      // The current password of somebody who is signed in already is no way in, and a random API key cannot be guessed.
      !(['user', 'admin', 'check'].includes(route.guard?.who ?? '') && signedIn >= 0 && signedIn < i) &&
      !(s.effect.args[0] && fromHeader(s.effect.args[0])) &&
      !comparesWithItself(s.effect.args) &&
      !s.effect.args.some(isTokenHash),
  )
  const mails = steps.find((s) => s.effect.kind === 'mail' || s.effect.kind === 'sms')
  const messages = route.work.find((w) => w.kind === 'mail' || w.kind === 'sms')
  if (compares && !(route.guard?.who === 'signature')) return { route, severity: 'High', does: 'verifies passwords itself', at: compares.at, kind: 'password' }
  const asked = ['user', 'admin', 'signature'].includes(route.guard?.who ?? '') ? undefined : asksForPassword(steps)
  if (asked) return { route, severity: 'High', does: 'verifies passwords itself', at: asked, kind: 'password' }
  const sent = mails ?? messages
  const starts = startsReset(steps)
  if (starts && sent) return { route, severity: 'High', does: 'sends mail or messages for sign-in itself', at: sent.at, kind: 'message' }
  const silent = starts || ['user', 'admin', 'secret'].includes(route.guard?.who ?? '') ? undefined : keepsReset(steps)
  const told = tellsCode(route) ? steps.find(({ effect: e }) => e.kind === 'kv' || (e.kind === 'db' && e.op !== 'select')) : undefined
  if (told) return { route, severity: 'High', does: 'makes codes for accounts itself', at: told.at, kind: 'made' }
  if (silent) return { route, severity: 'Medium', does: 'makes the tokens of resets itself', at: silent.at, kind: 'made' }
  const reset = setsPasswordByCode(steps)
  if (reset) return { route, severity: 'High', does: 'verifies a code and sets the password itself', at: reset.at, kind: 'code' }
  // a random token takes longer to guess than a code, and is tried as often as somebody likes all the same
  const linked = ['user', 'admin'].includes(route.guard?.who ?? '') ? undefined : setsPasswordByToken(steps)
  if (linked) return { route, severity: 'Medium', does: 'verifies the token of a reset and sets the password itself', at: linked.at, kind: 'code' }
  // the confirmation of an entry, and a message to whom a token of a link was sent before
  const wanted = sent && !(named && ENTRY.test(named) && !sendsNewCode(steps)) && messages?.guard?.who !== 'token'
  if (named && wanted && SENDING_ENDPOINT_WORD.test(named))
    return { route, severity: 'High', does: 'sends mail or messages for sign-in itself', at: sent.at, kind: 'message' }
  if (call && call.effect.kind === 'auth-call') {
    const { op, name } = call.effect
    // an account or a link for whoever holds an invitation or has paid: nobody else's inbox is reached
    if (op === 'admin' && route.guard?.who === 'token')
      return SENT_CODE_COLUMN.test(route.guard.how) ? { route, severity: 'High', does: 'verifies codes itself', at: call.at, kind: 'code' } : undefined
    if (op === 'admin' && sent)
      return { route, severity: 'High', does: `creates accounts or links (${name}) and sends mail itself`, at: sent.at, kind: 'message' }
    if (op === 'admin' && !named && !opensAccount(route, call.effect.args)) return undefined
    // A link from a mail carries a long random token; only codes that people type can be guessed.
    if (op === 'verify' && route.method === 'GET') return undefined
    const kind = op === 'sign-in' ? 'password' : op === 'sign-up' || op === 'admin' ? 'registration' : op === 'verify' ? 'code' : 'message'
    if (call.effect.library === 'passport')
      return { route, severity: 'High', does: 'verifies passwords itself (passport local)', at: call.at, kind: 'password' }
    if (call.effect.library === 'next-auth' && op === 'sign-in')
      return {
        route,
        severity: 'High',
        does: 'has the application verify passwords (credentials of Auth.js)',
        at: call.at,
        kind: 'password',
        through: true,
        library: 'next-auth',
      }
    const whose = call.effect.library === 'next-auth' ? "the library's" : "the platform's"
    return { route, severity: 'Medium', does: `calls ${whose} ${name} from the server`, at: call.at, kind, library: call.effect.library }
  }
  // A short code that a row holds lets its sender set the password: it can be tried until it fits.
  const sets = steps.find((s) => s.effect.kind === 'auth-call' && s.effect.op === 'admin' && /updateUser/i.test(s.effect.name))
  const code = route.work.find((w) => w.guard?.who === 'token' && /(^|[._])(code|otp|pin)$|_code$/i.test(w.guard.how))
  if (sets && code) return { route, severity: 'High', does: 'verifies a code and sets the password itself', at: sets.at, kind: 'code' }
  // A key that somebody types or keeps is given in for a session: the row of an account is found by it alone.
  const exchanged = route.work.find((w) => w.guard?.who === 'token' && LICENSE_KEY_FIELD.test(w.guard.how) && ACCOUNT_TABLE_WORD.test(w.table ?? ''))
  if (exchanged && /(^|\/)auth\//.test(route.route) && (route.method ?? 'POST') === 'POST')
    return { route, severity: 'High', does: 'verifies the key of an account itself', at: exchanged.at, kind: 'key' }
  const tried = named && ONE_TIME_CODE_WORD.test(named) ? steps.find((s) => s.under.some((c) => triesCode(c.test))) : undefined
  if (tried) return { route, severity: 'High', does: 'verifies codes itself', at: tried.under.find((c) => triesCode(c.test))?.at ?? tried.at, kind: 'code' }
  const short = opensWithShort(route, steps)
  if (short) return short
  // Own registration or token endpoints: a row of users or a token is made from what anybody sends.
  const made = registers(route)
  const created = made && (isVouchedFor(made, route) || makesSameAccount(made)) ? undefined : made
  const adds = created ?? route.work.find((w) => w.kind === 'insert' && ACCOUNT_TABLE_WORD.test(w.table ?? '')) ?? (named ? steps.find(addsPerson) : undefined)
  if (adds && (created || (named && /regist|sign-?up|join/i.test(named))))
    return { route, severity: 'High', does: 'registers accounts itself', at: adds.at, kind: 'registration' }
  const reads =
    route.work.find((w) => w.kind === 'read' && /user|account|otp|code|verification/i.test(w.table ?? '')) ??
    (SIGN_IN_WORD.test(named ?? '') ? foundByName(route, steps) : undefined)
  const typed =
    reads?.guard?.who === 'token' &&
    (/(^|[._])(code|otp|pin)$|_code$/i.test(reads.guard.how) || steps.some((s) => s.effect.kind === 'db' && s.effect.filters.some((f) => isTyped(f.value))))
  // a row that is found by the random token of a link: nobody tries those one by one
  if (reads?.guard?.who === 'token' && !typed) return undefined
  if (reads && (route.framework === 'Auth.js' || (named && /log-?in|sign-?in|otp|verify/i.test(named))) && (route.method ?? 'POST') !== 'GET')
    return reads.guard?.who === 'token'
      ? { route, severity: 'High', does: 'verifies codes itself', at: reads.at, kind: 'code' }
      : { route, severity: 'High', does: 'verifies credentials itself', at: reads.at, kind: 'password' }
  const mail = route.guard && route.guard.trust !== 'claimed' ? undefined : steps.find(isAboutPassword)
  return mail && { route, severity: 'High', does: 'sends mail or messages for sign-in itself', at: mail.at, kind: 'message' }
})

/** A PIN beside what is printed on a card, or a short code that is given in for a token: what opens is few digits away, whoever may be told by them. */
function opensWithShort(route: Route, steps: readonly Step[]): Endpoint | undefined {
  if (['user', 'admin', 'secret', 'signature'].includes(route.guard?.who ?? '') || (route.method ?? 'POST') === 'GET') return undefined
  const pin = steps.flatMap((s) => s.under).find((c) => comparesPin(c.test))
  if (pin) return { route, severity: 'High', does: 'compares a PIN that somebody types', at: pin.at, kind: 'code' }
  const asked = route.guard?.who === 'token' && SHORT_CODE.test(route.guard.how) ? route.guard : undefined
  const given =
    asked && steps.some(({ effect: e }) => e.kind === 'respond' && e.body !== undefined && mentions(e.body, (x) => x.v === 'call' && x.name === 'signed-token'))
  return given ? { route, severity: 'High', does: 'gives out a token for a short code', at: asked.at, kind: 'code' } : undefined
}

const PIN = /^(?:\w{1,20}_?)?(?:pin|pin_?code|passcode)(?:_?hash)?$/i
const SHORT_CODE = /\.(?:code|pin|passcode|(?:access|login|terminal|entry|device|pairing)_?code)$/i

const comparesPin = rememberFor(
  (test: Value): boolean =>
    test.v === 'op' &&
    /^[!=]==?$/.test(test.op) &&
    test.of.some((x) => x.v === 'row' && PIN.test(x.field ?? '')) &&
    test.of.some((x) => mentions(x, (v) => v.v === 'request' && v.part === 'body')),
)

/** By its subject: a link for a new password, or a code to sign in with. */
const isAboutPassword = ({ effect: e }: Step): boolean =>
  (e.kind === 'mail' || e.kind === 'sms') &&
  e.args.some(
    (a) =>
      a.v === 'object' &&
      Object.entries(a.props).some(([key, v]) => /^(?:subject|asunto|assunto)$/i.test(key) && v.v === 'const' && PASSWORD_HELP_TEXT.test(String(v.value))),
  )

const PASSWORD_HELP_TEXT =
  /\b(?:reset|forgot\w*|recover\w*|new)\b.{0,20}\bpassword\b|\bpassword\b.{0,20}\b(?:reset|recovery)\b|\b(?:verification|one-?time|log-?in|sign-?in|otp)\b.{0,12}\b(?:code|password|link)\b|\bmagic link\b|redefin\w{1,6}.{0,12}senha|restablecer.{0,15}contraseña|réinitialis\w{1,8}.{0,20}mot de passe|passwort zurücksetzen/i

const SIGN_IN_WORD = /log-?in|sign-?in/i
/** By what somebody says who he is when he signs in. */
const SIGN_IN_IDENTIFIER_FIELD = /^(?:e_?mail(?:_?address)?|phone(?:_?number)?|mobile|user_?name|login|cpf)$/i

/** The row of whoever signs in, in a table of whatever name. */
function foundByName({ work }: Route, steps: readonly Step[]): Work | undefined {
  const looks = steps.filter(
    ({ effect: e }) =>
      e.kind === 'db' && e.op === 'select' && e.filters.some((f) => f.op === 'eq' && SIGN_IN_IDENTIFIER_FIELD.test(f.column) && isTainted(f.value)),
  )
  return work.find((w) => w.kind === 'read' && looks.some(({ at }) => at.path === w.at.path && at.line === w.at.line))
}

/** Somebody is added under the address that he says. */
const addsPerson = ({ effect: e }: Step): boolean =>
  e.kind === 'db' &&
  e.op === 'insert' &&
  /profile|customer|client/i.test(e.table) &&
  e.payload?.v === 'object' &&
  Object.entries(e.payload.props).some(([column, v]) => SIGN_IN_IDENTIFIER_FIELD.test(column) && isTainted(v))

/** Where somebody who is signed in proves that an address or a number is his. */
function ofOwnCode(route: Route, steps: readonly Step[]): Endpoint | undefined {
  const typed = behindTypedCode(steps)
  if (typed) return { route, severity: 'High', does: 'verifies codes itself', at: typed.at, kind: 'code' }
  const sent = sendsNewCode(steps)
  return sent && { route, severity: 'High', does: 'sends codes itself', at: sent.at, kind: 'message' }
}

const ONE_TIME_CODE_WORD = /otp|code|verify/i
/** The column of a row with which somebody proves that a mail or a message reached him; what an invitation says is longer. */
const SENT_CODE_COLUMN =
  /(?:otp|verif|confirm|log_?in|sign_?in|auth|reset|2fa|mfa)\w*\.(?:code|otp|pin|passcode)$|\.(?:(?:verification|confirmation|login|auth|email|sms)_?(?:code|otp|pin)|otp(?:_code)?)$/i
const TYPED_CODE = /^(?:\w{1,20}_?)?(?:otp|code|pin|passcode)$/i

/** What somebody typed is compared with what the process keeps in memory. */
function triesCode(test: Value): boolean {
  if (test.v !== 'op' || !/^[!=]==?$/.test(test.op)) return false
  const isTypedCode = (v: Value) => v.v === 'request' && v.part === 'body' && TYPED_CODE.test(v.name ?? '')
  const isKept = (v: Value) => mentions(v, (x) => x.v === 'call' && x.name === 'get' && x.args[0]?.v === 'call' && x.args[0].name === 'Map')
  return test.of.some((v) => mentions(v, isTypedCode)) && test.of.some(isKept)
}

const TYPED_WORD = /(?:^|[._]|[a-z])(?:code|pin|otp|pass(?:word|code|phrase)|senha|codigo)$/i
const FIXED_WORD = /(?:^|_)(?:CODE|PIN|PASS(?:WORD|CODE|PHRASE)|PWD|SENHA|CODIGO)(?:_|$)/i

/** The code or password in a variable of the server, which what came in the body is compared with: before the step, or in what it answers. */
const triesFixed = ({ under, effect }: Step): boolean =>
  under.some((c) => comparesFixed(c.test)) || (effect.kind === 'respond' && effect.body !== undefined && comparesFixed(effect.body))

/** Asked of a condition once, however many steps stand behind it. */
const comparesFixed = rememberFor((value: Value): boolean =>
  mentions(
    value,
    (v) =>
      v.v === 'op' &&
      /^[!=]==?$/.test(v.op) &&
      v.of.some((x) => x.v === 'request' && x.part === 'body' && TYPED_WORD.test(x.name ?? '')) &&
      v.of.some(isFixedWord),
  ),
)

/** Alone, or beside the word that stands in where the variable is missing. */
const isFixedWord = (v: Value): boolean =>
  v.v === 'env' ? FIXED_WORD.test(v.name) : v.v === 'any' && v.of.some((x) => x.v === 'env' && FIXED_WORD.test(x.name))

/** The account is made under the address that somebody else has answered with (an identity provider, a processor who was paid): there are no more of them than such answers. */
function isVouchedFor({ effect }: Step, { behaviour }: Route): boolean {
  if (effect.kind !== 'db' || effect.payload?.v !== 'object') return false
  const address = Object.entries(effect.payload.props).find(([name]) => /e_?mail/i.test(name))?.[1]
  const answered = (v: Value) => v.v === 'result' && ['http', 'payment'].includes(behaviour?.steps[v.step]?.effect.kind ?? '')
  return address !== undefined && mentions(address, answered) && !isTainted(address)
}

/** An account made of all that is sent: a schema made from a table with a password lets that through. */
export function registersWhole(route: Route, tables: SchemaModel['tables']): Endpoint | undefined {
  if (route.kind === 'page' || route.library || route.guard || (route.method ?? 'POST') !== 'POST') return undefined
  const step = route.behaviour?.steps.find(({ effect: e, under }) => {
    if (e.kind !== 'db' || e.op !== 'insert' || !ACCOUNT_TABLE_WORD.test(e.table) || under.some((c) => mentions(c.test, (x) => x.v === 'caller'))) return false
    const rest = e.payload?.v === 'object' ? e.payload.rest : undefined
    if (rest?.v !== 'request' || rest.part !== 'body' || rest.name || !rest.without || rest.without.some((c) => STORED_PASSWORD_FIELD.test(c))) return false
    return tables.some((t) => t.name === lastPart(e.table) && t.columns.some((c) => STORED_PASSWORD_FIELD.test(c.name)))
  })
  return step && { route, severity: 'High', does: 'registers accounts itself', at: step.at, kind: 'registration' }
}

const STORED_PASSWORD_FIELD = /^(?:hashed_?)?passw(?:or)?d(?:_?hash)?$/i

/** Sent in a header: an API key. */
function fromHeader(v: Value, depth = 0): boolean {
  if (depth > 6) return false
  switch (v.v) {
    case 'request':
      return v.part === 'header'
    case 'text':
      return v.parts.some((x) => fromHeader(x, depth + 1))
    case 'call':
      return v.args.some((x) => fromHeader(x, depth + 1))
    case 'op':
    case 'any':
      return v.of.some((x) => fromHeader(x, depth + 1))
    default:
      return false
  }
}

const LICENSE_KEY_FIELD = /\.(?:access|licen[cs]e|activation|login)_?key$/i
const PASSWORD_HASH = /bcrypt|argon|scrypt|pbkdf|password|^compare(Sync)?$|^verify$/i
/** Lists that people put an address on, and words to others about a sign-up: no account comes of it. */
const MAILING_LIST_ENDPOINT =
  /(?:^|[/#._-])(?:track|record)-|news-?letter|wait-?(?:ing-?)?list|mailing-?list|early-?access|beta-?sign-?up|subscriber|(?:^|[/#._-])(?:notify|alert|report)-(?:admins?|owners?|team|staff|us)\b/i
const AUTH_NAME =
  /(^|[/#._-])(log-?in|sign-?in|sign-?up|register|registration|forgot-?password|reset-?password|password-?reset|request-?reset|send-?reset(?:-?(?:e-?mail|link))?|(?:request|send)-?password-?reset|resend|verify-?otp|send-?otp|otp|magic-?link|send-?code|verify-?code|verify-?email|(?:send-?)?verification-?(?:e-?mail|link|code)|unlock(?:-?account)?|confirm-?email|join)(?=$|[/#?._\s-])/i
/** What a server action of a sign-in is called: `loginMember`, `signInWithPin`. */
const SIGNS_IN_AS = /#(?:log_?in|sign_in)_[a-z_]{2,40}$/
/** The name of what somebody enters for, as well as of an account that is made. */
const ENTRY = /registration$/i
const SENDING_ENDPOINT_WORD = /forgot|reset|resend|otp|magic|code|email|unlock|sign-?up|regist/i
