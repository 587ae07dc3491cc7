import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { isAlike, mentions } from '../../../model/behaviour/domain/contains.ts'
import { isFromCredential } from '../../../model/behaviour/identity/signed-token.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isRepeated } from '../../../model/routes/exposure/response-disclosure.ts'
import { isAdministrators } from '../../../model/routes/guards/evidence/evidence.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import {
  makesAccountForOthers,
  makesAdministrator,
  makesFixedAccount,
  removesFound,
  signsInFixedAccount,
} from '../../../model/routes/operations/hardcoded-account.ts'
import { methodOf } from '../../../model/routes/operations/outbound-request.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import { asksForPassword } from '../auth-flows/password-sign-in.ts'
import { ADMIN_ACCOUNT_TABLE, registers } from '../auth-flows/registration.ts'
import { mailsNewPassword, startsReset } from '../auth-flows/verification-code.ts'
import { tellsCode } from '../broken-authentication/code-disclosed.ts'
import { overwritesAccount, takenPassword } from '../broken-authentication/password-set-without-proof.ts'
import { connectedForNamed } from '../broken-authentication/unbound-integration.ts'
import { linksProvider } from '../broken-authentication/unverified-account-linking.ts'
import { decodedByHand } from '../broken-authentication/unverified-jwt.ts'
import { leadsOn } from './redirector.ts'

/** Why a route may be called by anybody; undefined when it must be judged by what it does. */
export const publicByNature = rememberFor((route: Route): string | undefined => {
  if (takenPassword(route) || overwritesAccount(route) || tellsCode(route) || decodedByHand(route).length || linksProvider(route)) return undefined
  if (route.library) return `answered by ${route.library}`
  if (FOR_CRAWLERS.test(route.route) && route.work.every((w) => w.kind === 'read')) return 'what search engines are to find'
  if (leadsOn(route)) return 'a short link, which leads whoever follows it on'
  if (LEADERBOARD_PATH.test(route.route) && route.method === 'GET' && shows(route)) return 'how the players of a game stand'
  const steps = route.behaviour?.steps ?? []
  if (HEALTH.test(route.route) && route.work.every(isOfHealth) && steps.every((s, i) => isProbe(s, i, steps))) return 'whether the application is well'
  // what check 20 does not speak of has to be signed whatever is configured
  const firm = !route.work.some((w) => w.guard?.opensWithout)
  if (firm && steps.some((s) => s.effect.kind === 'verify-signature' && !isFromCredential(s.effect.payload))) return 'a signed webhook (check 20 judges it)'
  if (firm && receivesPayments(route)) return 'a webhook of a payment processor (check 20 judges whether it verifies the signature)'
  // a hook that exchanges a code wherever one comes along makes no sign-in of what is behind it
  const calls = steps.flatMap((s) => (s.effect.kind === 'auth-call' && !s.everywhere && !isAdministrators(madeBehind(s, route)) ? [s.effect] : []))
  const administrators = makesAdministrators(route)
  const own = calls.filter(
    (c) =>
      (/^(sign-in|sign-up|otp|magic-link|reset|verify|oauth|exchange-code|sign-out|refresh)$/.test(c.op) &&
        (FOR_VISITORS.test(route.route) || !signsInFixedAccount(c))) ||
      (c.op === 'admin' && /generateLink$/.test(c.name) && !handsOutLink(route)) ||
      (c.op === 'admin' &&
        /createUser/i.test(c.name) &&
        !administrators &&
        !makesFixedAccount(c) &&
        !makesAccountForOthers(c) &&
        !isMadeByAdministrators(route)),
  )
  // a sign-up creates the account and its profile; whoever is called when something was bought creates more than that
  const creates = own.every((c) => c.op === 'admin' || c.op === 'reset')
  const delivers = creates && (WEBHOOK.test(route.route) || route.work.some((w) => !w.guard && PURCHASE_RECORD_TABLE.test(w.table ?? '') && w.kind !== 'read'))
  // whoever only signs out, or has the session renewed on the way, does what else the handler does as somebody
  const ends = own.every((c) => c.op === 'sign-out' || c.op === 'refresh')
  const mailed = mailsNewPassword(steps)
  // a sign-up that fails takes its account back
  const administers = calls.some(
    (c) => c.op === 'admin' && c !== mailed?.effect && !/createUser|generateLink|listUsers|getUser/i.test(c.name) && (ends || !/deleteUser/i.test(c.name)),
  )
  // who is asked for a secret comes to administer: nobody signs in that way, whether or not the secret is set
  const keyed = route.work.some((w) => w.kind === 'admin' && w.guard?.who === 'secret' && w.guard.opensWithout !== undefined)
  if (
    own.length &&
    !keyed &&
    !handsOutFound(route) &&
    !administers &&
    !delivers &&
    !takesOver(route, own) &&
    !readdresses(route) &&
    !steps.some((s) => removesFound(s, steps)) &&
    !(ends && route.work.length)
  )
    return `authentication itself (${own[0]?.name})`
  if (
    steps.some((s) => s.effect.kind === 'hash-compare' && /bcrypt|argon|scrypt|compare|verify/i.test(s.effect.name)) &&
    AUTH_PATH.test(route.route + route.subject)
  )
    return 'sign-in itself'
  if (
    !administers &&
    asksForPassword(steps) &&
    route.work.every((w) => w.guard || w.hidden || notesIt(w) || (w.kind !== 'delete' && AUTH_TABLES.test(w.table ?? '')))
  )
    return 'sign-in itself'
  const partOfSignUp = (w: Work) =>
    w.guard ||
    w.hidden ||
    w.kind === 'mail' ||
    makesCustomer(w) ||
    (w.kind === 'insert' && (/customer/i.test(w.table ?? '') || says(ADMIN_ACCOUNT_TABLE, w.table ?? ''))) ||
    (w.kind !== 'delete' && AUTH_TABLES.test(w.table ?? ''))
  const account = registers(route)
  if (account && !administers && route.work.every((w) => partOfSignUp(w) || isOfNewAccount(w, account, steps))) return 'sign-up itself'
  const forgotten = startsReset(steps) ?? mailed
  if (forgotten && !administers && route.work.every((w) => w.guard || w.hidden || isOfReset(w, forgotten))) return 'authentication itself'
  if (
    AUTH_PATH.test(lastSegments(route)) &&
    !TELLS_OF.test(lastSegments(route)) &&
    !administers &&
    !relays(route) &&
    !(MAIL_SENDING_PATH.test(lastSegments(route)) && goesElsewhere(route)) &&
    !connectedForNamed(route).length &&
    !changesNamed(route) &&
    (/(^|\/)auth\//.test(route.route) || route.work.every((w) => !w.table || AUTH_TABLES.test(w.table) || notesIt(w) || findsRecipient(route, w))) &&
    // what follows sign-in for its user (a checkout) is guarded by then
    !route.work.some((w) => !w.guard && ((w.kind === 'payment' && !makesCustomer(w)) || (w.kind === 'paid-api' && PAID_SERVICE_NAME.test(w.what))))
  )
    return 'authentication itself'
  return undefined
})

/** The check behind which an account is made: one for administrators makes no sign-up of it. */
const madeBehind = (step: Step, { behaviour }: Route) =>
  behaviour && step.effect.kind === 'auth-call' && /createUser$/.test(step.effect.name) ? guardOfStep(step, behaviour) : undefined

/** Whoever calls is made an administrator: nobody signs up that way. */
export const makesAdministrators = ({ work, behaviour }: Route): boolean =>
  work.some((w) => w.kind === 'admin' && !w.guard) && (behaviour?.steps.some((s) => makesAdministrator(s, behaviour)) ?? false)

const HEALTH = /(?:^|\/)(?:health(?:-?check|z)?|readyz?|readiness|livez|liveness|ping)$/i
const IDENTIFYING_FIELD_WORD = /mail|phone|name|address|token|secret|password|key/i

/** What a health check does to see whether the database, the payment processor and other services answer. */
const isOfHealth = (w: Work): boolean =>
  w.kind === 'read' || (w.kind === 'payment-read' && w.ofTheHouse === true) || (w.kind === 'paid-api' && !PAID_SERVICE_NAME.test(w.what))

/** Asks whether something answers: nothing that it is asked comes from the request, and of what it says only whether it did is told. */
function isProbe({ effect: e }: Step, index: number, steps: readonly Step[]): boolean {
  if (e.kind === 'db') return isProbeOfRow(e)
  if (e.kind !== 'http' && e.kind !== 'payment') return true
  if (e.kind === 'http' && !/^(?:get|head)$/i.test(methodOf(e.args[1]))) return false
  const told = (v: Value) => v.v === 'result' && v.step === index && !/^(?:ok|status|statusText)$/.test(v.field ?? '')
  return !e.args.some((a) => isTainted(a)) && steps.every((s) => s.effect.kind !== 'respond' || !s.effect.body || !mentions(s.effect.body, told))
}

/** One row, whichever it is, by columns that say nothing of anybody: whether the database answers. */
const isProbeOfRow = (e: Query): boolean =>
  e.op === 'select' &&
  (e.countOnly === true ||
    (e.one === true &&
      e.filters.length === 0 &&
      (e.columns ?? []).length > 0 &&
      !(e.columns ?? []).some((c) => /[*(:]/.test(c) || IDENTIFYING_FIELD_WORD.test(c))))

/**
 * An account whose address nobody has confirmed is tied to a row that was there before, found by that address: whoever names somebody's
 * address gets what is that person's. A sign-up writes rows of the new account only.
 */
function takesOver(route: Route, calls: readonly { readonly args: readonly Value[] }[]): boolean {
  if (!calls.some((c) => c.args.some((a) => a.v === 'object' && isTrue(a.props.email_confirm)))) return false
  return (route.behaviour?.steps ?? []).some(
    ({ effect: e, at }) =>
      e.kind === 'db' &&
      e.op === 'update' &&
      e.client.rights === 'service' &&
      e.filters.some((f) => f.op === 'eq' && /e_?mail/i.test(f.column) && isTainted(f.value)) &&
      route.work.some((w) => w.kind === 'update' && !w.guard && w.at.path === at.path && w.at.line === at.line),
  )
}

/**
 * The row of somebody whom the request names by an id is told another address of the request: who holds that address is from then on who the row is about.
 * An account that is made with it, or a link that is mailed, is then that person's.
 */
const readdresses = ({ behaviour, work }: Route): boolean =>
  behaviour?.steps.some(
    ({ effect: e, at }) =>
      e.kind === 'db' &&
      e.op === 'update' &&
      e.client.rights === 'service' &&
      !/invit|token|otp|code|verif|session/i.test(e.table) &&
      e.filters.some((f) => f.op === 'eq' && /^_?id$/i.test(f.column) && isTainted(f.value)) &&
      e.payload?.v === 'object' &&
      Object.entries(e.payload.props).some(([column, v]) => /^e_?mail(?:_?address)?$/i.test(column) && isTainted(v)) &&
      work.some((w) => w.kind === 'update' && !w.guard && w.at.path === at.path && w.at.line === at.line),
  ) ?? false

const isTrue = (v: Value | undefined): boolean => v?.v === 'const' && v.value === true

/** What a new account begins with (its first folder, its settings), or is put into (its team), and what is taken back of that when something fails. */
function isOfNewAccount({ kind, at }: Work, account: Step, steps: readonly Step[]): boolean {
  const made = steps.indexOf(account)
  const own = account.effect.kind === 'db' ? account.effect.payload : undefined
  return steps.some((s, i) => {
    if (s.at.path !== at.path || s.at.line !== at.line || s.effect.kind !== 'db') return false
    const { payload, filters } = s.effect
    if (kind === 'delete') return filters.length > 0 && filters.every((f) => f.op === 'eq' && isMadeHere(f.value, steps))
    if (kind !== 'insert') return false
    if (i < made) return own !== undefined && (mentions(own, (v) => isRowOf(v, i)) || namesDrawn(own, payload))
    // the id was drawn before the row was written: `collection.doc().id`
    const drawn = own?.v === 'object' ? own.props.id : undefined
    return payload?.v === 'object' && Object.values(payload.props).some((v) => isRowOf(v, made) || (drawn?.v === 'call' && isAlike(v, drawn)))
  })
}

/** The account is said to belong to what was just made, whose key was counted up or drawn before: `{ businessId: business.id }`. */
function namesDrawn(own: Value, made: Value | undefined): boolean {
  const key = made?.v === 'object' ? (made.props.id ?? made.props._id) : undefined
  return key !== undefined && key.v !== 'const' && !isTainted(key) && own.v === 'object' && Object.values(own.props).some((v) => isAlike(v, key))
}

/** Whoever forgot the password is looked up, gets a token into his row, and the mail with it. */
const isOfReset = (w: Work, kept: Step): boolean =>
  w.kind === 'mail' || w.kind === 'sms' || (w.kind === 'read' && AUTH_TABLES.test(w.table ?? '')) || (w.at.path === kept.at.path && w.at.line === kept.at.line)

const isRowOf = (v: Value, step: number): boolean => (v.v === 'row' || v.v === 'result') && v.step === step

/** The key of a row that this very handler has added. */
function isMadeHere(v: Value, steps: readonly Step[]): boolean {
  const inserted = (x: Value): boolean => {
    const made = x.v === 'row' || x.v === 'result' ? steps[x.step]?.effect : undefined
    return made?.kind === 'db' && made.op === 'insert'
  }
  return mentions(v, inserted) && !isTainted(v)
}

/** Accounts are made under `/admin` by those who run the application, not by those who come to use it. */
const isMadeByAdministrators = ({ route }: Route): boolean =>
  /(?:^|\/)admin\/(?:[\w-]+\/)*(?:(?:create|add|new|invite)-?)?(?:users?|accounts?|members?|staff|admins?)(?:\/|-?(?:create|add|new|invite)|$)/i.test(route)

/** Below the path of a sign-in, a row is changed or deleted that its own path names: `/auth/login/products/[id]`. */
const changesNamed = ({ route, work }: Route): boolean =>
  /\/\[[^\]/]+\]$/.test(route) &&
  work.some((w) => !w.guard && (w.kind === 'delete' || w.kind === 'update') && w.table !== undefined && !AUTH_TABLES.test(w.table))

/** Mail to an address that the caller names, and nothing else: no account is looked up, no code is kept, and no link is made here. */
const relays = ({ work, behaviour }: Route): boolean =>
  work.some((w) => w.kind === 'mail' && w.chosen === 'recipient' && !w.guard) &&
  behaviour?.complete === true &&
  behaviour.steps.every(({ effect: e }) => /^(?:mail|log|respond|throw)$/.test(e.kind)) &&
  !behaviour.steps.some(({ effect: e }) => e.kind === 'mail' && e.args.some((a) => mentions(a, (x) => x.v === 'call' && MADE_HERE.test(x.name))))

/** What lets somebody into the account of one value of the request is sent to an address that is another one: no row is found by that address. */
const goesElsewhere = ({ work, behaviour }: Route): boolean =>
  work.some((w) => w.kind === 'mail' && w.chosen === 'recipient' && !w.guard) &&
  !behaviour?.steps.some(({ effect: e }) => e.kind === 'db' && e.filters.some((f) => f.op === 'eq' && /mail/i.test(f.column) && isTainted(f.value)))

/** What a code or the token of a link is drawn by. */
const MADE_HERE = /random|uuid|nanoid|createId|(?:^|\.)(?:totp|otp)/i

/** That somebody tried to sign in is written down, whatever came of it. */
const notesIt = ({ kind, table = '' }: Work): boolean => kind === 'insert' && says(LOG, table)
const LOG = /(?:^|_)(?:audit|security|activity|access)_?(?:logs?|events?|trails?|entr(?:y|ies))$/i

/** The processor hears of a new account. */
const makesCustomer = (w: Work): boolean => w.kind === 'payment' && /customers\.create$/.test(w.call ?? '')

/** Whoever has a code sent is known by a row of the application's own, which says where to. */
function findsRecipient(route: Route, w: Work): boolean {
  return w.kind === 'read' && SENDS_CODE.test(lastSegments(route)) && route.work.some((x) => x.kind === 'mail' || x.kind === 'sms')
}

/** An endpoint that reads a processor's event or its signature header, verified or not. */
function receivesPayments(route: Route): boolean {
  const where = `${route.route} ${route.subject} ${route.path}`
  if (!/web-?hook/i.test(where) || MESSENGER_WEBHOOK_PATH.test(where)) return false
  return route.behaviour !== undefined && speaksOfEvents(route.behaviour)
}

/**
 * Whether a processor's event or the header of its signature is anywhere in what steps are given. Values share their parts: each is looked at once.
 * What is sent to somebody else is no event that came in, however it is signed.
 */
const speaksOfEvents = rememberFor(({ steps }: Behaviour): boolean => {
  const seen = new Set<unknown>(steps.flatMap((s) => [s.under, 'args' in s.effect && s.effect.kind !== 'http' ? s.effect.args : 0]))
  for (const node of seen) {
    if (typeof node === 'string' && WEBHOOK_SIGNATURE_HEADER.test(node)) return true
    if (node === null || typeof node !== 'object') continue
    if ((node as { v?: unknown }).v === 'event') return true
    for (const [key, value] of Object.entries(node)) {
      if (WEBHOOK_SIGNATURE_HEADER.test(key)) return true
      seen.add(value)
    }
  }
  return false
})

/** An account that is there for everybody to look around with. */
const FOR_VISITORS = /demo|guest|sandbox|kiosk|visitor|try-?out/i
const FOR_CRAWLERS = /(?:^|\/)(?:sitemap[\w-]{0,40}(?:\.xml)?|robots\.txt|llms(?:-full)?\.txt|(?:rss|feed|atom)(?:\.xml)?)$/i
const LEADERBOARD_PATH = /(?:^|\/)(?:leader-?boards?|high-?scores?|rankings?|standings)(?:\/|$)/i
const PERSONAL_FIELD_WORD = /e_?mail|phone|address|password|token|birth|stripe|\*/i

/** It only reads, and what it picks of every table names no way to reach anybody. */
function shows(route: Route): boolean {
  if (!route.work.every((w) => w.kind === 'read')) return false
  return (route.behaviour?.steps ?? []).every(
    ({ effect: e }) =>
      e.kind !== 'db' || e.op !== 'select' || (e.columns !== undefined && e.columns.length > 0 && !e.columns.some((c) => PERSONAL_FIELD_WORD.test(c))),
  )
}
const WEBHOOK_SIGNATURE_HEADER = /stripe-signature|paddle-signature|x-signature|polar-webhook|webhook-signature/i
/** Whose messages come in the same envelope as a processor's events. */
const MESSENGER_WEBHOOK_PATH = /whats-?app|telegram|messenger|twilio|slack|discord|viber|(?:^|[/_-])sms(?:[/_-]|$)/i
const WEBHOOK = /web-?hook|callback|notification|ipn/i
/** Tables whose rows say what somebody has bought. */
const PURCHASE_RECORD_TABLE = /sale|order|payment|enroll?ment|purchase|subscription|licen[cs]e|entitlement|transaction|credit|balance|wallet/i

/** What is sent and verified at sign-in: `otp`, `2fa`, `email-verification-code`, in words that go before it. */
const ONE_TIME_CODE =
  '(?:[a-z0-9]{1,20}-){0,3}(?:otp|2fa|mfa)|(?:[a-z0-9]{1,20}-){0,2}(?:log-?in|sign-?in|auth|sms|phone|e-?mail|whatsapp|verification|confirmation|2fa|mfa)-?code|code'
/** Mail without which somebody gets no account, or does not get back into it: `resend-verification`, `send-reset-email`. */
const MAILED =
  '(?:re)?(?:send|request)-(?:(?:account|e-?mail|user)-?)?verification(?:-?(?:e-?mail|link|page))?|(?:re)?(?:send|request)-(?:password-?)?reset(?:-?password)?(?:-?(?:e-?mail|link))?'
const AUTH_PATH = new RegExp(
  `(^|[/#._-])(log-?in|sign-?in|admin\\/auth|log-?out|sign-?out|sign-?up|register|registration|forgot(?:-?password)?|reset-?password|password-?reset|verify-?email|confirm-?email|(?:send|resend|request|verify|check|validate)-?(?:\\w{1,20}-?)?otp|(?:send|resend|request|verify)-?(?:${ONE_TIME_CODE})|${MAILED}|otp\\/(?:send|resend|request|verify)|magic-?link|oauth|passkey[./-](?:create-?sign-?in|sign-?in|authenticat|challenge)[\\w-]*|auth\\/callback|auth\\/(?:[\\w-]+\\/)*(?:join|resend-[\\w-]+|unlock-account|sso|verify|confirm|callback|(?:re)?(?:send|verify)-?(?:sms|phone)|${ONE_TIME_CODE}|one-?time-?(?:code|password))|join)($|[/#?._-])|#(login|signIn|signin|signUp|signup|register|logout|signOut|forgotPassword|resetPassword|verifyOtp|sendOtp|verifyEmail|(?:re)?send(?:Account|Email|User)?Verification(?:Email|Mail|Code|Link|Page)?|(?:re)?(?:send|request)(?:Password)?Reset(?:Password)?(?:Email|Mail|Link)?|(?:(?:re)?send|request|(?:signIn|logIn)(?:With)?)MagicLink)(?:User|Account|Action|With[A-Z][A-Za-z]{1,20})?\\b`,
  'i',
)
const MAIL_SENDING_PATH = new RegExp(`(?:^|[/#._-])(?:${MAILED})$`, 'i')
/** Somebody else is told of a sign-up. */
const TELLS_OF = /(?:^|[/#._-])(?:notify|alert|report|track|log)[/._-]/i
const SENDS_CODE = new RegExp(
  `(^|[/#._-])(?:(?:send|resend|request)-?(?:(?:\\w{1,20}-?)?otp|${ONE_TIME_CODE})|${MAILED}|auth\\/(?:re)?send-?sms|otp\\/(?:send|resend|request)|magic-?link|forgot(?:-?password)?|reset-?password|password-?reset)$`,
  'i',
)
/** Bought on request; other services that a sign-in asks (a directory, a captcha) are part of it. */
const PAID_SERVICE_NAME = /model|openai|anthropic|googleapis|replicate|elevenlabs/i
const AUTH_TABLES = /team|invit(?:e|ation)|magic_?link|user|profile|account|session|token|otp|verification|credential|login|auth|password|passkey|mfa|member/i

/** The name of a server action, the path of everything else: form actions of a page are called by its path. Procedures of tRPC have a path that ends in a name. */
function lastSegments(route: Route): string {
  if (route.kind === 'procedure') return route.route.replace(/\.(?=[^.]*$)/, '#')
  const name = route.kind === 'action' ? route.subject.indexOf('#') : -1
  return name >= 0 ? route.subject.slice(name) : route.route
}

/**
 * The answer holds the link, or the session in it, of an account that the request names and that this handler has not just made: whoever asks is
 * signed in as whom he names. A sign-up that signs its new user in fails where the address has an account.
 */
const handsOutFound = ({ behaviour }: Route): boolean =>
  behaviour?.steps.some(({ effect: e }, i) => {
    if (e.kind !== 'auth-call' || !/generateLink$/.test(e.name) || !isRepeated(behaviour, i)) return false
    const named = e.args.flatMap((a) => (a.v === 'object' && a.props.email && isTainted(a.props.email) ? [a.props.email] : []))[0]
    return named !== undefined && !behaviour.steps.slice(0, i).some((s) => makesAccountOf(s, named))
  }) ?? false

const makesAccountOf = ({ effect: e }: Step, address: Value): boolean =>
  e.kind === 'auth-call' &&
  /(?:createUser|signUp)$/.test(e.name) &&
  e.args.some((a) => a.v === 'object' && a.props.email !== undefined && isAlike(a.props.email, address))

/** A link that signs in goes by mail to whom it signs in; in the answer it signs in whoever asked for it. */
const handsOutLink = ({ behaviour }: Route): boolean =>
  behaviour?.steps.some(({ effect: e }, i) => e.kind === 'auth-call' && /generateLink$/.test(e.name) && isRepeated(behaviour, i)) ?? false
