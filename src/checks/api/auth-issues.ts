import { linesFrom, type Place, type RelatedPlace } from '../../lib/place.ts'
import { askForVerifiedUser, refuseWhenUnset } from '../../lib/rewrite-javascript.ts'
import type { Guard, Route, Work } from '../../model/routes/routes.ts'
import { EVENTS_KEY } from '../../model/routes/signed-for-callers.ts'
import type { Issue, Severity } from '../define-check.ts'
import { type Audience, audienceOf } from './audience.ts'
import { isCheckout, RANK, weight } from './auth-severity.ts'
import { BOUND_STATE, connectedFor } from './connected-for-named.ts'
import { decodedFor, verifiedFix } from './decoded-by-hand.ts'
import { guardFix } from './guard-fix.ts'
import { handlerFunction } from './handler-function.ts'
import type { IdleMiddleware } from './idle-middleware.ts'
import { type Known, refusalAt } from './known.ts'
import { limiterCode } from './limiter-code.ts'
import { besideWords, manners } from './manners.ts'
import { refusal } from './refusal.ts'
import { variableOf } from './service-fix.ts'
import { isSteered } from './steered.ts'
import { tellsCode } from './told-code.ts'
import type { UnprovenSignIn } from './unproven-sign-in.ts'

/** A reason why a route fails; equal keys of several routes are one cause. */
export interface Cause {
  readonly route: Route
  readonly severity: Severity
  readonly what: 'open' | 'unlinked' | 'fail-open' | 'trust' | 'status' | 'late' | 'spelling' | 'sign-in'
  readonly work?: Work
  readonly guard?: Guard
  /** A form that visitors fill in: nobody has to sign in for it, but how often it is sent has to be limited. */
  readonly sentIn?: true
  /** The same handler under other methods and addresses, and handlers that do nothing but hand on to it. */
  readonly also?: readonly Route[]
  /** Whom somebody is signed in as. */
  readonly signIn?: UnprovenSignIn
  /** What stands in front of the handler and lets everybody past. */
  readonly idle?: IdleMiddleware
  /** The place of a shared cause in another file (or function) than the route. */
  readonly shared?: Place
}

/** The variable without which a guard lets everybody in. */
const opener = (guard: Guard | undefined): string | undefined => guard?.opensWithout ?? guard?.equalsUnset

/** The refusal looks like an answer. */
const saysMalformed = (guard: Guard | undefined): boolean => guard?.refusal.status === 400
/** The refusal is an answer that the code gives, no exception that something else answers. */
const isAnswered = (guard: Guard | undefined): boolean => guard?.refusal.how === 'respond' && (guard.refusal.status ?? 0) > 500
const saysFine = (guard: Guard | undefined): boolean => (guard?.refusal.status ?? (guard?.refusal.nothing ? 200 : 500)) < 300

/** One issue per cause; a cause that several routes share is one issue at its place. */
export function merge(causes: readonly Cause[], known: Known): Issue[] {
  const groups = new Map<string, Cause[]>()
  for (const c of causes) {
    const key = c.shared
      ? `${c.what} ${c.shared.path}:${c.shared.line}`
      : c.what === 'unlinked' || c.what === 'trust' || (c.what === 'open' && c.route.kind === 'action' && c.work?.rights === 'caller')
        ? `${c.what} ${c.route.path}`
        : c.what === 'status'
          ? `status ${c.route.path} ${c.guard?.at.line ?? ''} ${c.route.subject}`
          : `${c.what} ${c.route.subject} ${c.route.path}`
    const group = groups.get(key)
    if (group) group.push(c)
    else groups.set(key, [c])
  }
  return [...groups.values()].map((g) => {
    const first = g[0] as Cause
    if (g.length === 1) return issueOf(first, known)
    // The same idiom in several handlers of one file is one finding for the file.
    return sharedIssue(g, known, first.shared ?? first.guard?.identifiedAt ?? { path: first.route.path, line: first.route.line })
  })
}

function issueOf(cause: Cause, known: Known): Issue {
  const audience = cause.what === 'open' ? audienceOf(cause.route, known.around) : undefined
  const c = isForVisitors(cause, audience) ? { ...cause, sentIn: true as const } : cause
  const { route, work, guard } = c
  const related: RelatedPlace[] = [...handlerFunction(route)]
  if (work && (work.at.path !== route.path || work.at.line !== route.line)) related.push({ ...work.at, what: work.what })
  if (c.idle) related.push({ ...c.idle.at, what: `${c.idle.name}, which refuses nobody` })
  if (guard && (c.what === 'fail-open' || c.what === 'trust' || c.what === 'status' || c.what === 'open'))
    related.push({ ...(guard.identifiedAt ?? guard.at), what: guard.how })
  if (c.signIn) {
    related.push(
      {
        ...c.signIn.found,
        what: c.signIn.decoded ?? `${c.signIn.table === undefined ? 'takes the account from the request as' : 'finds the account by'} ${c.signIn.column}`,
      },
      { ...c.signIn.at, what: 'makes the session' },
    )
  }
  for (const { path, line, subject, route: address } of c.also ?? [])
    related.push({ path, line, subject, what: `the same handler under another ${address === route.route ? 'method' : 'address'}` })
  const jwt = route.platformJwt
  const gateway =
    route.kind === 'edge-function' && c.what === 'open'
      ? jwt?.on
        ? ' The gateway only asks for a token of the project, and the public anon key is one.'
        : ` The gateway asks for no token at all${jwt?.at ? ` (${jwt.at.path}:${jwt.at.line})` : ''}.`
      : ''
  const told = c.what === 'open' && tellsCode(route)
  return {
    subject: route.subject,
    severity: c.severity,
    ...(c.what === 'open' ? {} : { discriminator: c.what }),
    title: told
      ? 'The code for an account is in the answer'
      : c.sentIn
        ? 'Nothing limits how often visitors send something in'
        : c.what === 'status' && saysFine(guard)
          ? 'Refuses with 200 instead of 401'
          : c.what === 'status' && saysMalformed(guard)
            ? 'Refuses with 400 instead of 401'
            : TITLES[c.what],
    message:
      (told ? `${name(route)} makes a code for the account that the request names, keeps it there and answers with it.` : message(c)) +
      besides(c) +
      gateway +
      (c.what === 'open' ? besideWords(manners(route, known.all).beside) : ''),
    attack: told ? "Anybody on the internet sends somebody's address, takes the code out of the answer and has that account." : attack(c),
    fix: told ? ONLY_BY_MAIL : fix(c, known, audience),
    at: { path: route.path, line: route.line, ...(route.endLine ? { endLine: Math.min(route.endLine, route.line + 20) } : {}) },
    related,
    proof: 'inferred',
    aliases:
      c.what === 'open' || c.what === 'unlinked'
        ? ['CWE-306']
        : c.what === 'sign-in'
          ? ['CWE-287']
          : c.what === 'trust'
            ? ['CWE-345']
            : c.what === 'fail-open'
              ? ['CWE-636']
              : ['CWE-755'],
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

const ONLY_BY_MAIL: Issue['fix'] = {
  text: 'Send the code to the address of the account alone, and answer the same whether there is such an account or not.',
  language: 'ts',
  code: 'await sendMail(account.email, code)\nreturn Response.json({ ok: true })',
}

const TITLES: Readonly<Record<Cause['what'], string>> = {
  unlinked: 'Helpers of the server are endpoints',
  open: 'Nobody checks who calls',
  'fail-open': 'The check lets everyone in when a variable is unset',
  trust: 'Identity taken from an unverified session',
  status: 'Refuses with a server error instead of 401',
  late: 'The check comes after the work',
  spelling: 'Another spelling of the path goes past the check',
  'sign-in': 'Signs in whoever names an account',
}

function message(c: Cause): string {
  const { route, work, guard } = c
  const does = work ? doing(work) : 'does its work'
  const decoded = decodedFor(route, work)
  const connected = connectedFor(route, work)
  switch (c.what) {
    case 'unlinked':
      return `${name(route)} ${does} without checking who calls. ${route.unlinked === 'nobody' ? 'Nothing outside of its file uses it' : 'Only other code of the server uses it'}, but \`use server\` at the top of the file makes an endpoint of each function that the file exports; it does not keep them on the server.`
    case 'open':
      if (c.idle) return `${name(route)} ${does} without checking who calls: \`${c.idle.name}\` in front of it refuses nobody.`
      if (c.sentIn) return `${name(route)} ${does} for whoever calls, as what visitors use has to, and nothing limits how often.`
      if (decoded)
        return `${name(route)} ${does} for whom \`${decoded.token}\` names, a token that it only decodes: nobody looks at its signature, so whoever calls writes one.`
      if (connected)
        return `${name(route)} ${does} with what another service answered, for the user that \`${connected.by}\` of the request names: nothing says that he is the one who calls.`
      return `${name(route)} ${does} without checking who calls${guard ? `: it only looks at a ${guard.how}, which anybody can send` : ''}.`
    case 'late':
      return `${name(route)} ${does} (${work?.at.path}:${work?.at.line}) before it checks who calls (${work?.guardedLater?.at.path}:${work?.guardedLater?.at.line}).`
    case 'fail-open':
      return `${name(route)} ${does} behind a check that lets everyone in when ${opener(guard)} is not set: ${guard?.equalsUnset && !guard.opensWithout ? 'what is not sent is undefined, and equals it then' : `it ${guard?.skipped ? 'is not made at all' : 'is skipped'} then${guard?.skipped ? '' : ', or compares with a value that stands in the code'}`}.`
    case 'trust':
      return `${name(route)} ${does} for the user that ${guard?.how} read from the cookie; on a server that is not verified, and whoever sends the cookie decides its content.`
    case 'sign-in':
      if (c.signIn?.decoded)
        return `${name(route)} makes a session (${c.signIn.at.path}:${c.signIn.at.line}) for whom ${c.signIn.decoded} names (${c.signIn.found.path}:${c.signIn.found.line}): whatever somebody writes into a token of his own, under no signature or a wrong one, the new one says with the server's.`
      if (c.signIn && c.signIn.table === undefined)
        return `${name(route)} signs a token for whom \`${c.signIn.by}\` of the request names (${c.signIn.at.path}:${c.signIn.at.line}), although nothing that only the owner of the account has is asked for: no password, no code, no token that a provider signed.`
      return `${name(route)} looks up ${c.signIn?.table} by ${c.signIn?.column} = \`${c.signIn?.by}\` of the request (${c.signIn?.found.path}:${c.signIn?.found.line}) and makes a session for the row (${c.signIn?.at.path}:${c.signIn?.at.line}), although nothing that only the owner of the account has is asked for: no password, no code, no token that a provider signed.${c.signIn?.opensWithout ? ` It refuses where ${c.signIn.opensWithout} is set, which only one host does; on every other one, and in its own workspace, the door is open.` : ''}`
    case 'spelling':
      return `${name(route)} ${does} behind a check that tests the path as it is written (${guard?.at.path}:${guard?.at.line}); the router takes ${route.bypass?.spelling} for the same handler.`
    case 'status':
      if (guard?.refusal.nothing)
        return `${name(route)} looks for what belongs to whoever calls without asking whether anybody does: where nobody is signed in it finds nothing, and answers that instead of 401.`
      if (saysFine(guard)) return `${name(route)} checks who calls, but answers ${guard?.refusal.status} instead of 401, with the error in the body alone.`
      if (saysMalformed(guard))
        return `${name(route)} checks who calls, but answers 400 instead of 401: the refusal is thrown, and the handler of the exception answers everything alike.`
      return isAnswered(guard)
        ? `${name(route)} checks who calls, but answers ${guard?.refusal.status} instead of 401: that nobody is signed in is taken for a failure of the check itself.`
        : `${name(route)} checks who calls, but answers ${guard?.refusal.status ?? 500} instead of 401: the refusal is thrown and ends as a server error.`
  }
}

/** What is done, and what of it grants something. */
const doing = ({ what, sets }: Work): string => (sets ? what.replace(/(?= with (?:the|a) |$)/, ` (${sets.slice(0, 4).join(', ')})`) : what)

/** What else is done for anybody on the same request, the worst first. */
function besides({ what, route, work }: Cause): string {
  if (what !== 'open' || !work || tellsCode(route)) return ''
  const others = route.work.filter((w) => !w.hidden && !w.unsure && (!w.guard || w.guard.trust === 'claimed') && weight(w) > 1 && !work.what.includes(w.what))
  const told = [...new Set(others.sort((a, b) => weight(b) - weight(a)).map(doing))].slice(0, 3)
  return told.length ? ` On the way it also ${told.join(', ').replace(/, ([^,]*)$/, ' and $1')}.` : ''
}

/** An action that has an address of its own (`/login?/reset`, the action of a route in Remix). */
const isForm = (route: Route): boolean => route.framework !== 'Next.js' && route.route.startsWith('/')

function name(route: Route): string {
  return route.kind === 'action'
    ? `The ${isForm(route) ? 'form' : 'server'} action ${route.subject.replace(/^action .*#|^route POST /, '')}`
    : route.kind === 'edge-function'
      ? `The edge function ${route.subject.replace(/^function /, '')}`
      : `${route.method ?? 'Every method of'} ${route.route}`
}

function attack(c: Cause): string {
  const { route, work } = c
  const address =
    route.kind === 'action'
      ? isForm(route)
        ? `sends POST ${route.route}`
        : 'posts the id of the action, which every page that uses it carries'
      : route.kind === 'edge-function'
        ? `calls /functions/v1/${route.subject.replace(/^function /, '')}${route.platformJwt?.on ? ' with the anon key from the page' : ''}`
        : `sends ${route.method ?? 'a request'} ${route.route}`
  // ends the relative clause
  const comma = address.endsWith('carries') ? ',' : ''
  switch (c.what) {
    case 'status':
      if (saysFine(c.guard))
        return 'Nobody gets in by it, but clients, caches and monitors take the refusal for an answer: who tries tokens one after the other is seen by nobody.'
      if (saysMalformed(c.guard))
        return 'Nobody gets in by it, but a client whose session has run out is told that its request is wrong and does not sign in again, and who tries tokens one after the other is seen by nobody.'
      return 'Nobody gets in by it, but refusals look like outages: alarms drown in them, clients retry, and the message of the exception tells strangers about the inside.'
    case 'trust':
      return work?.rights === 'caller'
        ? `Somebody puts a session with another user's id into the cookie and ${address}: what the code decides by that id is decided for that user. Row level security, which verifies the token, is all that still stands behind.`
        : `Somebody puts a session with another user's id into the cookie, ${address}, and acts as that user.`
    case 'sign-in':
      return `Anybody ${address} with ${c.signIn?.decoded ? 'a token that names somebody else' : `somebody else's ${c.signIn?.by}`}${comma} and is signed in as that user, with all their rows and rights; an administrator's is as good as any.`
    case 'spelling':
      return `Anybody on the internet sends ${route.method ?? 'a request'} ${route.bypass?.spelling} and the server ${work?.what ?? 'does its work'}.`
    case 'late':
      return `Somebody without an account ${address}; the request is refused, but the server ${work?.what ?? 'does its work'} before that.`
    case 'fail-open':
      return `On every deployment where ${opener(c.guard)} is missing, anybody ${address}${comma} and it ${work?.what ?? 'does its work'}.`
    case 'unlinked':
      return `No page holds the id of the action, and from Next.js 15 on nobody guesses it; before, it is computed from the path and the name. Somebody who has it posts it and the server ${work?.what ?? 'does its work'}. The first page that uses one of them puts its id into every browser.`
    case 'open':
      // what is read goes out with the answer, whether or not the request chooses it
      if (work && !READS.has(work.kind) && work.kind !== 'file-write' && work.kind !== 'sign' && work.call !== 'uploadthing' && !isSteered(route))
        return `Anybody on the internet ${address}${comma} at any time, as often as they like, and each time the server ${work.what}. Nothing of the request enters into it: what is done, the code decides.`
      return work && byDatabaseAlone(work)
        ? `Anybody on the internet ${address}${comma} and the server ${work.what}; only row level security decides ${work.kind === 'read' ? 'whose rows come back' : 'whether it happens'}, and one policy that is too wide is enough.`
        : `Anybody on the internet ${address}${comma} and the server ${work?.what ?? 'does its work'}${effect(work)}.`
  }
}

const READS: ReadonlySet<Work['kind']> = new Set(['read', 'file-read', 'payment-read', 'secret'])

/** Through the caller's client or the anon one the database decides, by the rights of whoever calls. */
function byDatabaseAlone(work: Work): boolean {
  return (work.rights === 'caller' || work.rights === 'anon') && ['read', 'insert', 'update', 'delete', 'rpc'].includes(work.kind)
}

function effect(work: Work | undefined): string {
  switch (work?.kind) {
    case 'read':
      return ", so its answer tells strangers about other people's rows"
    case 'file-read':
      return work.chosen === 'file' ? ', its settings and keys among them' : ''
    case 'insert':
      return work.chosen === 'paid' ? ' as paid: no processor is asked, and no event of one has come' : ''
    case 'delete':
    case 'file-delete':
      return ', so anybody deletes what belongs to others'
    case 'mail':
    case 'sms':
      return ", so the sender's name and quota serve spam"
    case 'payment':
      if (work.chosen === 'owner') return ' for the account that the request names'
      return work.chosen === 'amount' ? ' for an amount of their choice' : ", with the owner's money or the customers' data"
    case 'payment-read':
      return `, so its answer tells strangers ${work.ofTheHouse ? 'how its owner’s business goes' : 'what others pay, and with what'}`
    case 'sign':
      return EVENTS_KEY.test(work.call ?? '') ? ': an event of their own, sent with that signature, is taken for one of the service that the secret is for' : ''
    case 'secret':
      return ', and strangers use it as the owner does'
    case 'paid-api':
      if (work.call === 'data-api') return ', past row level security where the key is the service role’s'
      if (work.call === 'fetch') return ', in the name of the owner'
      if (work.call === 'webhook') return ', and what waits behind it works for each of them'
      return work.call === 'chat' ? ', and who reads there takes it for the application' : ", on the owner's bill"
    default:
      return ''
  }
}

function fix(c: Cause, known: Known, audience: Audience | undefined): Issue['fix'] {
  switch (c.what) {
    case 'unlinked':
      return unlinkedFix(c.route, known.all)
    case 'fail-open':
      if (c.guard?.skipped) return withoutWayPast(c.guard)
      return {
        text: `Refuse when ${opener(c.guard)} is unset: a missing secret must close the door.`,
        language: 'ts',
        code: refuseWithout(opener(c.guard) ?? '', c),
        ...(c.guard?.opensWithout ? { rewrite: { path: c.guard.at.path, line: c.guard.at.line, apply: refuseWhenUnset(c.guard.opensWithout) } } : {}),
      }
    case 'trust':
      return {
        text: 'Ask the auth server: getUser() (or getClaims(), which checks the signature) instead of getSession().',
        language: 'ts',
        code: `const { data: { user } } = await supabase.auth.getUser()\nif (!user) ${c.route.kind === 'action' ? "throw new Error('Unauthorized')" : 'return new Response(null, { status: 401 })'}`,
        ...(c.guard?.identifiedAt ? { rewrite: { ...linesFrom(c.guard.identifiedAt, 120), apply: askForVerifiedUser } } : {}),
      }
    case 'status':
      return {
        text: saysFine(c.guard)
          ? 'Answer 401 where the check fails.'
          : isAnswered(c.guard)
            ? 'Answer 401 where nobody is signed in, before the failures that are left are answered: what the platform reports for a missing session (AuthSessionMissingError) is none.'
            : 'Answer 401 where the check fails, instead of throwing into the handler of unexpected errors.',
        ...refusedAt(c, known),
      }
    case 'sign-in':
      if (c.signIn?.decoded)
        return {
          text: 'Verify the old token before anything is taken from it, and keep refresh tokens that can be withdrawn: find the account by the one that came along.',
          language: 'ts',
          code: 'const { sub } = jwt.verify(refreshToken, process.env.REFRESH_SECRET!) // throws at a wrong signature',
        }
      return /(?:google|facebook|github|discord|apple|provider|firebase)/i.test(`${c.signIn?.column} ${c.route.route}`)
        ? {
            text: 'Let the browser send the ID token that the provider signed, verify it here, and find the account by what it says; the address and the id in the body are claims.',
            language: 'ts',
            code: 'const ticket = await new OAuth2Client(process.env.GOOGLE_CLIENT_ID).verifyIdToken({ idToken: body.idToken, audience: process.env.GOOGLE_CLIENT_ID })\nconst { sub, email, email_verified } = ticket.getPayload()!\nif (!email_verified) return new Response(null, { status: 401 })',
          }
        : {
            text: 'Ask for something that only the owner of the account has before the session is made: the password, compared with its hash, or a code that was sent to the address. Take a sign-in for demonstrations out of what is deployed.',
            language: 'ts',
            code: 'if (!user || !(await bcrypt.compare(body.password, user.passwordHash))) return new Response(null, { status: 401 })',
          }
    case 'spelling':
      return {
        text: 'Put the check on the router of the protected paths instead of testing the path, or compare the path in lower case and without the slash at its end.',
        language: 'ts',
        code: "app.use('/admin', requireUser, adminRouter) // the router knows every spelling of its own paths",
      }
    case 'late':
      return { text: 'Move the check to the top of the handler.', ...optionalCode(guardFix(c.route, known)) }
    case 'open':
      if (decodedFor(c.route, c.work)) return verifiedFix(c.route)
      if (connectedFor(c.route, c.work)) return BOUND_STATE
      if (c.idle && c.route.framework === 'tRPC')
        return {
          text: `Let the middleware of \`${c.idle.name}\` (${c.idle.at.path}:${c.idle.at.line}) throw where nobody is signed in, and go on for everybody else alone, with the id of who is. What the procedures take from their input as the user's id comes from there.`,
          language: 'ts',
          code: "if (!userId) throw new TRPCError({ code: 'UNAUTHORIZED' })\nreturn opts.next({ ctx: { ...opts.ctx, userId } })",
        }
      if (c.idle)
        return {
          text: `Let \`${c.idle.name}\` (${c.idle.at.path}:${c.idle.at.line}) answer 401 where nobody is signed in, and call \`next()\` for everybody else alone. Clerk's \`requireAuth()\` does so; \`clerkMiddleware()\` and \`ClerkExpressWithAuth()\` only look who it is.`,
          language: 'ts',
          code: 'if (!userId) return res.status(401).end()\nnext()',
        }
      if (audience?.who === 'visitors' && audience.as !== 'checkout') return guardFix(c.route, known, audience)
      if (c.sentIn)
        return {
          text: 'Count what comes from each address and refuse with 429 before anything is written or sent. Only where the form is for people who are signed in, establish who calls.',
          language: 'ts',
          code: limiterCode(c.route, known.around),
        }
      if (c.work?.chosen === 'amount' && isCheckout(c.work))
        return {
          text: 'Take the price from the server (a price id, or the product row), never from the request; ask for a signed-in user unless guests may buy.',
          language: 'ts',
          code: `const price = await priceOf(body.productId) // stands for the look-up of the price where it is kept\nif (price === undefined) ${refusal(c.route, 404)}\n${c.work.call?.endsWith(' createCheckout') ? `const amount = price // what ${c.work.call.replace(' createCheckout', '')} is told; the request does not say it` : 'const amount = price // in the smallest unit; neither it nor the currency comes from the request'}`,
        }
      return withOpenWay(c, guardFix(c.route, known, audience), audience)
  }
}

/** The condition that refuses, with the answer that it ought to give; where a helper throws, words alone. */
function refusedAt({ route, guard }: Cause, { around }: Known): Pick<Issue['fix'], 'language' | 'code'> {
  const asked = guard && guard.at.path === route.path ? around.asked(guard.at) : undefined
  if (asked === undefined) return {}
  return { language: 'ts', code: `if (${asked}) ${refusalAt(route, around, 401)}` }
}

/** A file may also hold what pages call as actions: those need `use server`, and their build fails without it. */
function unlinkedFix({ path }: Route, all: readonly Route[]): Issue['fix'] {
  const nameOf = ({ subject }: Route) => `\`${subject.slice(subject.lastIndexOf('#') + 1)}\``
  const ofFile = all.filter((r) => r.kind === 'action' && r.path === path)
  const stay = ofFile.filter((r) => !r.unlinked).map(nameOf)
  if (!stay.length)
    return {
      text: "Take `use server` out of the file; `import 'server-only'` is what keeps a module on the server.",
      language: 'ts',
      code: "import 'server-only'",
    }
  const few = (names: readonly string[]) => `${names.slice(0, 6).join(', ')}${names.length > 6 ? ` and ${names.length - 6} more` : ''}`
  return {
    text: `Move ${few(ofFile.filter((r) => r.unlinked).map(nameOf))} into a module of their own that does not say \`use server\`, and import them from there${ofFile.some((r) => r.unlinked === 'nobody') ? ', or delete what nothing calls' : ''}. ${few(stay)} stay${stay.length === 1 ? 's' : ''} where pages call ${stay.length === 1 ? 'it' : 'them'} as action${stay.length === 1 ? '' : 's'}.`,
    language: 'ts',
    code: "// the new module, without 'use server'\nimport 'server-only'",
  }
}

/** What is worth the same to visitors and to people with an account may be for either. */
const OPEN_WAYS: ReadonlySet<Work['kind']> = new Set(['insert', 'mail', 'sms', 'paid-api', 'file-write'])

function withOpenWay({ work }: Cause, f: Issue['fix'], audience: Audience | undefined): Issue['fix'] {
  if (audience?.who !== 'people' || !work || !OPEN_WAYS.has(work.kind)) return f
  const taken = work.chosen === 'recipient' ? ', and take the recipient from a row instead of the request' : ''
  return { ...f, text: `${f.text} When visitors without an account are meant to use it, put a rate limit in front instead${taken}.` }
}

/** What visitors use has no session to ask for: what is missing is the limit. */
function isForVisitors({ what, severity, work, guard }: Cause, audience: Audience | undefined): boolean {
  return (
    what === 'open' &&
    severity === 'High' &&
    !guard &&
    audience?.who === 'visitors' &&
    audience.as !== 'checkout' &&
    work !== undefined &&
    OPEN_WAYS.has(work.kind)
  )
}

/** Who works on a machine without the variable signs in at a project for development. */
function withoutWayPast({ at, opensWithout: name = '' }: Guard): Issue['fix'] {
  if (name === 'NODE_ENV')
    return { text: `Take the way past the check (${at.path}:${at.line}) out: a server that is started without NODE_ENV takes it as well.` }
  return {
    text: `Take the way past the check (${at.path}:${at.line}) out, and let the server not start without ${name}: one that cannot ask who calls must let nobody in.`,
    language: 'ts',
    code: `if (!process.env.${name}) throw new Error('${name} is not set')`,
  }
}

function optionalCode(f: Issue['fix']): { language?: string; code?: string } {
  return f.code ? { language: 'ts', code: f.code } : {}
}

/** Several routes behind one function that fails: one issue there. */
function sharedIssue(causes: readonly Cause[], known: Known, at: Place): Issue {
  const first = causes[0] as Cause
  // the finding speaks of the handler that makes it as bad as it is
  const worst = causes.reduce((a, b) => (RANK[b.severity] > RANK[a.severity] ? b : a))
  const routes = causes.map((c) => c.route)
  return {
    ...issueOf(worst, known),
    subject: `file ${at.path}`,
    discriminator: `${first.what} ${first.guard?.how ?? ''}`,
    title: TITLES[worst.what],
    message: worst.idle
      ? `${routes.length} handlers rely on this check. ${message(worst)}`
      : worst.guard
        ? `${routes.length} handlers rely on this check. ${message(worst)}`
        : `${routes.length} actions of this file are alike. ${message(worst)}`,
    at,
    related: routes.flatMap((r) => [{ path: r.path, line: r.line, subject: r.subject, what: 'relies on it' }, ...handlerFunction(r)]),
  }
}

/** A signature is compared after this; a shared secret here. */
function refuseWithout(name: string, { route, guard }: Cause): string {
  const also = guard?.who === 'signature' ? '' : " || request.headers.get('authorization') !== `Bearer ${secret}`"
  return `const secret = ${variableOf(route, name)}\nif (!secret${also}) {\n  return new Response(null, { status: 401 })\n}`
}
