import type { Table } from '../../database/database.ts'
import { memo } from '../../lib/memo/memo.ts'
import type { Place } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import { says } from '../../lib/snake-case.ts'
import type { BehaviourGap } from '../../model/behaviour/types.ts'
import type { Guard, Route, Work } from '../../model/routes/routes.ts'
import { defineCheck, failed, notApplicable, type Outcome, passed, unverified } from '../define-check.ts'
import { isSteered } from './binding/request-influence.ts'
import { tellsKeptCode } from './broken-authentication/code-disclosed.ts'
import { fixedSignIn } from './broken-authentication/hardcoded-account-session.ts'
import { tellsRowsToken } from './broken-authentication/login-token-disclosed.ts'
import { unprovenPasskey } from './broken-authentication/passkey-without-assertion.ts'
import { overwritesAccount, takenPassword } from './broken-authentication/password-set-without-proof.ts'
import { unprovenSignIn } from './broken-authentication/sign-in-without-proof.ts'
import { linksProvider } from './broken-authentication/unverified-account-linking.ts'
import { decodedFor } from './broken-authentication/unverified-jwt.ts'
import { tellsOneFigure } from './exposure/aggregate-function.ts'
import { isEditorial } from './exposure/editorial-content.ts'
import type { Cause } from './missing-authentication/cause.ts'
import { withoutDelegates } from './missing-authentication/delegating-handler.ts'
import { guestTables, isForGuest } from './missing-authentication/guest-checkout.ts'
import { idleMiddleware } from './missing-authentication/ineffective-middleware.ts'
import { mergeCauses } from './missing-authentication/issues.ts'
import { addsToKept, type KeptResources, keptResources } from './missing-authentication/managed-resource.ts'
import { publicByNature } from './missing-authentication/public-endpoint.ts'
import { isPublicContentTable, isReceiver, readApart, severityOf, tellsOn, withChange, worstOf } from './missing-authentication/severity.ts'
import { keepsUnsigned } from './missing-authentication/unsigned-webhook.ts'
import { isForAdministrators } from './remediation/code-conventions.ts'
import { isLayoutLoad } from './shared/layout-load.ts'
import { oncePerHandler } from './shared/one-finding-per-handler.ts'

export default defineCheck({
  number: 16,
  id: 'api/auth',
  category: 'API endpoints',
  rule: 'Every API route or serverless function that serves anything other than public content checks authentication before processing.',
  needs: ['routes', 'declared', 'files', 'schema', 'payments', 'env'],
  doubtedBy: ['code', 'pages'],
  covers: 'guards',
  run({ routes, declared, files, payments, schema, env }) {
    const all = routes.routes.filter((r) => r.kind !== 'page' && files.role(r.path) === 'source')
    if (!all.length) return notApplicable('the repository has no API route, server action or serverless function')
    const open = new Set(declared.public.routes.map((d) => d.name.trim()))
    const guarded = new Set(all.filter(knowsWhoCalls).map(handlerOf))
    // the endpoint for a processor's events knows its caller by the signature, and check 20 judges that
    const others = payments.otherWebhooks.filter((w) => w.problem || w.asks || w.verified)
    const receivers = new Set([...payments.webhooks, ...others].map((w) => `${w.path} ${w.subject}`))
    const kept = keptResources(all)
    const guests = guestTables(all, schema.tables)
    const isShownTable = memo((table) => isPublicContentTable(table, schema) || isEditorial(table, all, schema))
    const shown = (w: Work) =>
      w.kind === 'rpc' ? tellsOneFigure(w.call, schema) : w.kind === 'read' && w.table !== undefined && !w.unveiled && isShownTable(w.table)
    const judged = all.map(
      (route): Verdict =>
        receivers.has(`${route.path} ${route.subject}`)
          ? { kind: 'public', route, because: 'receives events of the payment processor (check 20)' }
          : judge(route, { open, isGuardedElsewhere: guarded.has(handlerOf(route)), demanded: env.demanded, shown, kept, guests, tables: schema.tables }),
    )
    const causes = judged.flatMap((j) => (j.kind === 'issue' ? j.causes.map((c) => behindAdministrators(behindIdle(c, routes.routes))) : []))
    const issues = mergeCauses(withoutDelegates(causes, all), { all: routes.routes, around: routes.surroundings, schema })
    const count = (kind: Verdict['kind']) => judged.filter((j) => j.kind === kind).length
    const evidence = [
      `${plural(all.length, 'handler')}: ${count('guarded')} checked before processing, ${count('public')} public by nature or without anything to protect, ${judged.filter((j) => j.kind === 'issue').length} not`,
      ...judged.flatMap((j) => (j.kind === 'public' && j.because ? [`${j.route.subject}: ${j.because}`] : [])).slice(0, 20),
    ]
    const lost = judged.flatMap((j) => (j.kind === 'unverified' ? [j] : []))
    evidence.push(...lost.slice(0, 20).map(({ route, gap }) => `${route.subject}: no check seen, but ${gap.because} (${gap.at.path}:${gap.at.line})`))
    if (issues.length) return failed(oncePerHandler(issues, routes.surroundings), evidence)
    return lost.length ? notFollowed(lost, evidence) : passed(...evidence)
  },
})

/** What a middleware was meant to keep strangers from is open because of that one. */
function behindIdle(c: Cause, all: readonly Route[]): Cause {
  const idle = c.what === 'open' && !c.guard ? idleMiddleware(c.route, all) : undefined
  return idle ? { ...c, idle, shared: idle.at } : c
}

/** Nobody but administrators reaches it as things are: what is missing is the check that stays when the pages change. */
const behindAdministrators = (c: Cause): Cause => (c.what === 'open' && c.route.behind === 'administrators' ? { ...c, severity: 'Medium' } : c)

type Verdict =
  | { readonly kind: 'guarded'; readonly route: Route }
  | { readonly kind: 'public'; readonly route: Route; readonly because?: string }
  | { readonly kind: 'issue'; readonly route: Route; readonly causes: readonly Cause[] }
  | Lost

/** No check was seen, and the code could not be followed to where one may stand. */
interface Lost {
  readonly kind: 'unverified'
  readonly route: Route
  readonly gap: BehaviourGap
}

function notFollowed(lost: readonly Lost[], evidence: readonly string[]): Outcome {
  const first = lost[0] as Lost
  return unverified(
    `what could be followed checks who calls, but ${first.route.subject}${lost.length > 1 ? ` and ${lost.length - 1} more` : ''} could not: ${first.gap.because} (${first.gap.at.path}:${first.gap.at.line})`,
    {
      where: lost
        .slice(0, 10)
        .map(({ route, gap }) => `${route.subject} at ${gap.at.path}:${gap.at.line}`)
        .join(', '),
      attest: 'that each of these handlers refuses who is not signed in before it does anything',
    },
    evidence,
  )
}

/** Codes that are handed out and used up; what else is written on the way past a token is part of letting its holder in. */
const REDEEMABLE_CODE_TABLE = /(?:^|_)(?:codes?|coupons?|vouchers?|gift_?cards?|promos?|promotions?|discounts?|referrals?)$/

/** What visitors send in, wherever the handler lies that takes it. */
const isSentIn = ({ kind, table = '' }: Work): boolean => kind === 'insert' && says(SENT_IN, table)

const SENT_IN =
  /(?:^|_)(?:contacts?|contact_?(?:forms?|messages?|requests?|us)|enquir(?:y|ies)|inquir(?:y|ies)|leads?|feedbacks?|messages?|subscribers?|newsletters?|wait_?lists?|complaints?|requests?|applications?|submissions?)$/

/** What visitors send in, by the last word of the address: a message, their address for a list, a wish. */
const FORM =
  /(?:^|[/_#-])(?:contact(?:-?(?:us|form))?|newsletter|subscribe|wait-?list|feedback|(?:en|in)quir(?:y|ies)|leads?|consultations?|support|quotes?|(?:request|book)-?(?:a-?)?(?:demo|call)|demo(?:-?requests?)?|track(?:-[a-z]{1,20})?|contact-?messages?)(?:\/(?:submit|send|subscribe))?$/i

/** An address by which the author says whom the answer is for. */
const PUBLIC_PATH_SEGMENT = /(?:^|\/)public(?:\/|$)/i

/** Where a handler is registered: a router that is mounted a second time registers it under another path. */
const handlerOf = ({ path, line, method }: Route): string => `${method ?? ''} ${path}:${line}`

const knowsWhoCalls = ({ guard }: Route): boolean => guard?.trust === 'verified' && (guard.who === 'user' || guard.who === 'admin') && !guard.opensWithout

/** The author had the gateway ask for a token of the project (`verify_jwt = true`), which the key of every page is. */
const asksForToken = ({ platformJwt }: Route): boolean => platformJwt?.on === true && platformJwt.at !== undefined

/** What is known of the whole application when one of its handlers is judged. */
interface Around {
  readonly open: ReadonlySet<string>
  /** The same handler stands behind a guard under another path: it is not public by nature. */
  readonly isGuardedElsewhere: boolean
  /** Variables without which the application does not start. */
  readonly demanded: readonly string[]
  readonly shown: (work: Work) => boolean
  readonly kept: KeptResources
  /** Tables whose rows belong to who knows their id. */
  readonly guests: ReadonlySet<Table>
  readonly tables: readonly Table[]
}

function judge(route: Route, { open, isGuardedElsewhere, demanded, shown, kept: resources, guests, tables }: Around): Verdict {
  if (open.has(`${route.method ?? ''} ${route.route}`.trim()) || open.has(route.route) || open.has(route.subject))
    return { kind: 'public', route, because: 'declared public in the configuration' }
  const passkey = unprovenPasskey(route)
  // the id of an authenticator has to be known first
  if (passkey) return { kind: 'issue', route, causes: [{ route, severity: 'High', what: 'sign-in', signIn: passkey }] }
  const signIn = unprovenSignIn(route) ?? fixedSignIn(route) ?? tellsRowsToken(route)
  if (signIn) return { kind: 'issue', route, causes: [{ route, severity: signIn.opensWithout ? 'High' : 'Critical', what: 'sign-in', signIn }] }
  const password = takenPassword(route)
  if (password) return { kind: 'issue', route, causes: [{ route, severity: 'Critical', what: 'password', password }] }
  const nature = isGuardedElsewhere && !route.guard ? undefined : publicByNature(route)
  if (nature) return { kind: 'public', route, because: nature }
  const causes: Cause[] = []
  const exposed = route.work.filter(
    (w) =>
      !w.hidden &&
      (!w.guard || w.guard.trust === 'claimed') &&
      !shown(w) &&
      !(w.impersonal && PUBLIC_PATH_SEGMENT.test(route.route)) &&
      !isForGuest(w, route, guests),
  )
  const apart = readApart(exposed, route.behaviour)
  const sentIn = exposed.filter((w) => !apart.includes(w))
  // what changes rows without being told anything receives nothing, and what is sent to an administrator's address is an administrator's to send
  const receiver =
    (!overwritesAccount(route) &&
      !linksProvider(route) &&
      isReceiver(sentIn) &&
      !sentIn.some((w) => !isSentIn(w) && addsToKept(w, route, resources)) &&
      !(isForAdministrators(route) && !sentIn.some(isSentIn)) &&
      (!sentIn.some((w) => w.kind === 'update') || isSteered(route))) ||
    tellsOn(route, exposed)
  const bad = exposed.flatMap((w) => severityOf(w, route, exposed, receiver && !apart.includes(w)))
  const worst = worstOf(bad.filter((b) => !b.work.unsure))
  if (worst) {
    const work = withChange(worst.work, bad)
    const read = decodedFor(route, work)?.read
    const elsewhere = (work.guard && decidedElsewhere(work.guard, route)) ?? (read && isOutside(read, route) ? read : undefined)
    const late = work.guardedLater && worst.severity === 'Medium'
    // what helpers do and ask is the same for all who call them
    const shared = elsewhere ?? (late && isOutside(work.at, route) && isOutside(work.guardedLater.at, route) ? work.at : undefined)
    causes.push({
      route,
      severity: worst.severity === 'Critical' && (route.unlinked || asksForToken(route)) ? 'High' : worst.severity,
      what: late ? 'late' : route.unlinked ? 'unlinked' : 'open',
      work,
      ...(receiver && !apart.includes(worst.work) && worst.severity === 'High' && !work.guard && (isSentIn(work) || FORM.test(route.route))
        ? { sentIn: true as const }
        : {}),
      ...(work.guard ? { guard: work.guard } : {}),
      ...(shared ? { shared } : {}),
    })
  }
  const kept = worst ? undefined : keepsUnsigned(route, tables)
  if (kept) return { kind: 'issue', route, causes: [{ route, severity: 'High', what: 'open', work: kept }] }
  if (!worst && tellsKeptCode(route)) return { kind: 'issue', route, causes: [{ route, severity: 'Critical', what: 'open' }] }
  // what middleware does for those who bring a token says nothing where the handler asks for none
  const guards = route.work.flatMap((w) => (w.guard && (route.guard || !w.inFront) ? [{ work: w, guard: w.guard }] : []))
  // what everybody may read without any check needs none that holds
  const skipped = guards.filter(({ work, guard }) => guard.opensWithout && (work.kind !== 'read' || severityOf(work, route, [work], false).length > 0))
  const failOpen = skipped.find((g) => g.work.kind !== 'read') ?? skipped[0] ?? equalToNothing(guards, demanded)
  // what a variable opens is another cause than what was never asked
  if (failOpen && worst?.severity !== 'Critical') {
    const { work, guard } = failOpen
    causes.push({ route, severity: 'Critical', what: 'fail-open', work, guard, ...(isOutside(guard.at, route) ? { shared: guard.at } : {}) })
  }
  const roleless = failOpen || worst ? undefined : forSignedIn(guards, route, demanded)
  if (roleless) {
    const { work, guard, at } = roleless
    causes.push({ route, severity: 'Critical', what: 'fail-open', work, guard: { ...guard, at }, ...(isOutside(at, route) ? { shared: at } : {}) })
  }
  const passed = route.bypass && guards[0]
  if (passed && !worst) {
    const { work, guard } = passed
    causes.push({ route, severity: 'High', what: 'spelling', work, guard, ...(guard.at.path !== route.path ? { shared: guard.at } : {}) })
  }
  const trusted = guards.find((g) => g.guard.trust === 'unverified')
  if (trusted && !worst) {
    const at = trusted.guard.identifiedAt
    causes.push({
      route,
      severity: 'High',
      what: 'trust',
      work: trusted.work,
      guard: trusted.guard,
      ...(at && isOutside(at, route) ? { shared: at } : {}),
    })
  }
  const early = causes.length
    ? undefined
    : guards.find(({ work, guard }) => guard.who === 'token' && work.guardedLater && work.kind === 'update' && says(REDEEMABLE_CODE_TABLE, work.table ?? ''))
  if (early) causes.push({ route, severity: 'Medium', what: 'late', work: early.work })
  if (!causes.length) {
    const wrong =
      guards.find((g) => wrongStatus(g.guard, route)) ?? (route.guard && wrongStatus(route.guard, route) ? { guard: route.guard, work: undefined } : undefined)
    if (wrong) {
      const at = wrong.guard.at
      const elsewhere = at.path !== route.path
      causes.push({
        route,
        severity: 'Medium',
        what: 'status',
        guard: wrong.guard,
        ...(wrong.work ? { work: wrong.work } : {}),
        ...(elsewhere ? { shared: at } : {}),
      })
    }
  }
  if (causes.length && isLayoutLoad(route)) {
    // what the session of a layout is worth is the question of the pages below it (check 10)
    const told = causes.filter((c) => c.what === 'open' && c.severity === 'Critical')
    return told.length ? { kind: 'issue', route, causes: told } : { kind: 'public', route, because: 'the load of a layout' }
  }
  if (causes.length) return { kind: 'issue', route, causes }
  const gap = bad.find((b) => b.work.unsure)?.work.unsure ?? (guards.length || route.guard ? undefined : route.behaviour?.gaps?.[0])
  if (gap) return { kind: 'unverified', route, gap }
  return guards.length || route.guard ? { kind: 'guarded', route } : { kind: 'public', route }
}

/** The worst of what everybody who is signed in may do where the variable is not set that names the administrators. */
function forSignedIn<T extends { readonly work: Work; readonly guard: Guard }>(guards: readonly T[], route: Route, demanded: readonly string[]) {
  const open = guards.filter(
    ({ work: { rights }, guard: { roleless } }) => roleless && !demanded.includes(roleless.without) && rights !== 'caller' && rights !== 'anon',
  )
  const worst = worstOf(open.flatMap(({ work }) => severityOf(work, route, [work], false)))
  const found = worst && open.find(({ work }) => work === worst.work)
  return found && { ...found, at: found.guard.roleless?.at ?? found.guard.at }
}

/** Work behind a comparison that holds between what is not sent and a variable that is not set; one that the application demands is set. */
function equalToNothing<T extends { readonly work: Work; readonly guard: Guard }>(guards: readonly T[], demanded: readonly string[]): T | undefined {
  const open = guards.filter(({ guard: { equalsUnset } }) => equalsUnset !== undefined && !demanded.includes(equalsUnset))
  return open.find((g) => g.work.kind !== 'read') ?? open[0]
}

/** What decides about a handler in another function: the check itself, or the helper that believes what the caller says of himself. */
function decidedElsewhere({ at, trust, identifiedAt }: Guard, route: Route): Place | undefined {
  if (isOutside(at, route)) return at
  return trust === 'claimed' && identifiedAt && isOutside(identifiedAt, route) ? identifiedAt : undefined
}

/** Whether a place is in another file than a handler, or in another function of its file. */
const isOutside = (at: Place, { path, line, endLine = at.line }: Route): boolean => at.path !== path || at.line < line || at.line > endLine

/** Frameworks that turn an uncaught exception into 500 by themselves, with no handler in between. */
const THROWS_500 = new Set(['Next.js', 'Supabase Edge Functions', 'Astro', 'Vercel Functions', 'Netlify Functions'])

/** Functions of the database that say by their name that they ask who calls, or what he may do. */
const IDENTITY_CHECK_FUNCTION =
  /auth|user|session|token|log_?in|access|permi|role|member|caller|current|_me$|require|assert|ensure|guard|(?:^rpc |_)(?:is|can|may|has)_/i

/** A refusal that is no refusal: 200, an exception that ends in 500, or in the answer for a request that makes no sense. */
function wrongStatus(guard: Guard, route: Route): boolean {
  const { status, how, error, caught, nothing } = guard.refusal
  if (nothing) return route.kind !== 'procedure' && route.kind !== 'action'
  if (guard.who === 'token' || guard.who === 'signature' || guard.trust !== 'verified') return false
  if (how === 'redirect' || how === 'not-found' || how === 'next') return false
  if (route.kind === 'procedure' || route.kind === 'action') return false
  // the database failed at what it was asked for: that is no refusal, whoever else might have been told so
  if (guard.who === 'user' && guard.how.startsWith('rpc ') && !IDENTITY_CHECK_FUNCTION.test(guard.how)) return false
  if (status !== undefined) return status >= 500 || (status === 400 && caught === true) || (status < 300 && error === true)
  return how === 'throw' && (THROWS_500.has(route.framework) || route.uncaught === true)
}
