import { withArticle } from '../../../lib/article.ts'
import { EVENTS_KEY } from '../../../model/routes/operations/signing-oracle.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import { isSteered } from '../binding/request-influence.ts'
import { tellsCode } from '../broken-authentication/code-disclosed.ts'
import { connectedFor } from '../broken-authentication/unbound-integration.ts'
import { decodedFor } from '../broken-authentication/unverified-jwt.ts'
import { asksNoRole, type Cause, opener, refusesWithServerError, saysFine, saysMalformed } from '../missing-authentication/cause.ts'
import { weight } from '../missing-authentication/severity.ts'
import { isLayoutLoad } from '../shared/layout-load.ts'

/** What each cause is called. */
const TITLE_BY_CAUSE: Readonly<Record<Cause['what'], string>> = {
  unlinked: 'Helpers of the server are endpoints',
  open: 'Nobody checks who calls',
  'fail-open': 'The check lets everyone in when a variable is unset',
  trust: 'Identity taken from an unverified session',
  status: 'Refuses with a server error instead of 401',
  late: 'The check comes after the work',
  spelling: 'Another spelling of the path goes past the check',
  'sign-in': 'Signs in whoever names an account',
  password: 'Sets the password of whoever is named',
}

/** The title of a cause, which says what of the check is missing. */
export const titleOf = ({ what, route, work, signIn }: Cause): string =>
  signIn?.fixed
    ? 'Signs in whoever calls'
    : what === 'open' && decodedFor(route, work)
      ? 'Who calls is taken from a token that nobody verified'
      : TITLE_BY_CAUSE[what]

/** What the handler does, and what is not asked before that. */
export function message(c: Cause): string {
  const { route, work, guard } = c
  const does = work ? doing(work) : 'does its work'
  const decoded = decodedFor(route, work)
  const connected = connectedFor(route, work)
  switch (c.what) {
    case 'unlinked':
      return `${handlerName(route)} ${does} without checking who calls. ${route.unlinked === 'nobody' ? 'Nothing outside of its file uses it' : 'Only other code of the server uses it'}, but \`use server\` at the top of the file makes an endpoint of each function that the file exports; it does not keep them on the server.`
    case 'open':
      if (c.idle) return `${handlerName(route)} ${does} without checking who calls: \`${c.idle.name}\` in front of it refuses nobody.`
      if (c.sentIn) return `${handlerName(route)} ${does} for whoever calls, as what visitors use has to, and nothing limits how often.`
      if (decoded?.verifiedBy)
        return `${handlerName(route)} ${does} for whom \`${decoded.token}\` names, and where ${decoded.verifiedBy} fails or its key is not set, the token is only decoded${decoded.read ? ` (${decoded.read.path}:${decoded.read.line})` : ''}: nobody looks at its signature then, so whoever calls writes one.`
      if (decoded)
        return `${handlerName(route)} ${does} for whom \`${decoded.token}\` names, a token that it only decodes: nobody looks at its signature, so whoever calls writes one.`
      if (connected)
        return `${handlerName(route)} ${does} with what another service answered, for the user that \`${connected.by}\` of the request names: nothing says that he is the one who calls.`
      if (route.behind)
        return `${handlerName(route)} ${does} and does not ask who calls: the middleware in front of the pages that use it asks whether ${route.behind === 'people' ? 'somebody is signed in' : 'an administrator is signed in'}, and nothing else.`
      if (guard?.unsigned)
        return `${handlerName(route)} ${does} for whoever names a key (${guard.how}): the signature that only its owner can make is looked at where one is sent, and is not asked for.`
      return `${handlerName(route)} ${does} without checking who calls${guard ? `: it only looks at ${withArticle(guard.how)}, which anybody can send` : ''}.`
    case 'late':
      return `${handlerName(route)} ${does} (${work?.at.path}:${work?.at.line}) before it checks who calls (${work?.guardedLater?.at.path}:${work?.guardedLater?.at.line}).`
    case 'fail-open':
      if (asksNoRole(guard))
        return `${handlerName(route)} ${does} behind a check for administrators that is skipped when ${opener(guard)} is not set: whoever is signed in gets past it then.`
      return `${handlerName(route)} ${does} behind a check that lets everyone in when ${opener(guard)} is not set: ${guard?.equalsUnset && !guard.opensWithout ? 'what is not sent is undefined, and equals it then' : `it ${guard?.skipped ? 'is not made at all' : 'is skipped'} then${guard?.skipped ? '' : ', or compares with a value that stands in the code'}`}.`
    case 'trust':
      return `${handlerName(route)} ${does} for the user that ${guard?.how} read from the cookie; on a server that is not verified, and whoever sends the cookie decides its content.`
    case 'sign-in':
      if (c.signIn?.fixed)
        return `${handlerName(route)} signs in whoever calls it as an account that stands in the code (${c.signIn.at.path}:${c.signIn.at.line}), ${c.signIn.fixed === 'role' ? `with the rights that \`${c.signIn.by}\` of the request names` : 'with the rights of whoever runs the application'}, and asks for nothing: no password, no code, no token that a provider signed.`
      if (c.signIn?.decoded)
        return `${handlerName(route)} makes a session (${c.signIn.at.path}:${c.signIn.at.line}) for whom ${c.signIn.decoded} names (${c.signIn.found.path}:${c.signIn.found.line}): whatever somebody writes into a token of his own, under no signature or a wrong one, the new one says with the server's.`
      if (c.signIn && c.signIn.table === undefined)
        return `${handlerName(route)} signs a token for whom \`${c.signIn.by}\` of the request names (${c.signIn.at.path}:${c.signIn.at.line}), although nothing that only the owner of the account has is asked for: no password, no code, no token that a provider signed.`
      return `${handlerName(route)} looks up ${c.signIn?.table} by ${c.signIn?.column} = \`${c.signIn?.by}\` of the request (${c.signIn?.found.path}:${c.signIn?.found.line}) and ${c.signIn?.tells ? `tells its ${c.signIn.tells}, with which its owner comes in` : 'makes a session for the row'} (${c.signIn?.at.path}:${c.signIn?.at.line}), although nothing that only the owner of the account has is asked for: no password, no code, no token that a provider signed.${c.signIn?.opensWithout ? ` It refuses where ${c.signIn.opensWithout} is set, which only one host does; on every other one, and in its own workspace, the door is open.` : ''}`
    case 'password':
      return `${handlerName(route)} sets the password of an account that the request names (${c.password?.at.path}:${c.password?.at.line}), although nothing that only its owner has is asked for: no password that it has, no code, no token from a link that was mailed.${isFirst(c) ? ' That there is none yet says nothing of who sets the first one.' : ''}`
    case 'spelling':
      if (route.bypass?.because === 'matcher')
        return `${handlerName(route)} ${does} behind a check in the middleware (${guard?.at.path}:${guard?.at.line}), whose matcher leaves out ${route.bypass.spelling}, a path of the same handler.`
      return `${handlerName(route)} ${does} behind a check that tests the path as it is written (${guard?.at.path}:${guard?.at.line}); the router takes ${route.bypass?.spelling} for the same handler.`
    case 'status':
      if (guard?.refusal.nothing)
        return `${handlerName(route)} looks for what belongs to whoever calls without asking whether anybody does: where nobody is signed in it finds nothing, and answers that instead of 401.`
      if (saysFine(guard))
        return `${handlerName(route)} checks who calls, but answers ${guard?.refusal.status} instead of 401, with the error in the body alone.`
      if (saysMalformed(guard))
        return `${handlerName(route)} checks who calls, but answers 400 instead of 401: the refusal is thrown, and the handler of the exception answers everything alike.`
      return refusesWithServerError(guard)
        ? `${handlerName(route)} checks who calls, but answers ${guard?.refusal.status} instead of 401: that nobody is signed in is taken for a failure of the check itself.`
        : `${handlerName(route)} checks who calls, but answers ${guard?.refusal.status ?? 500} instead of 401: the refusal is thrown and ends as a server error.`
  }
}

/** What is done, and what of it grants something. */
const doing = ({ what, sets }: Work): string => (sets ? what.replace(/(?= with (?:the|a) |$)/, ` (${sets.slice(0, 4).join(', ')})`) : what)

/** A password is kept that was not there before. */
const isFirst = ({ password }: Cause): boolean => password?.effect.kind === 'db' && password.effect.op === 'insert'

/** What else is done for anybody on the same request, the worst first. */
export function besides({ what, route, work }: Cause): string {
  if (what !== 'open' || !work || tellsCode(route)) return ''
  const others = route.work.filter((w) => !w.hidden && !w.unsure && (!w.guard || w.guard.trust === 'claimed') && weight(w) > 1 && !work.what.includes(w.what))
  const told = [...new Set(others.sort((a, b) => weight(b) - weight(a)).map(doing))].slice(0, 3)
  return told.length ? ` On the way it also ${told.join(', ').replace(/, ([^,]*)$/, ' and $1')}.` : ''
}

/** An action that has an address of its own (`/login?/reset`, the action of a route in Remix). */
const isForm = (route: Route): boolean => route.framework !== 'Next.js' && route.route.startsWith('/')

/** How a sentence speaks of a handler. */
export function handlerName(route: Route): string {
  if (isLayoutLoad(route)) return `The load of ${route.path}`
  return route.kind === 'action'
    ? `The ${isForm(route) ? 'form' : 'server'} action ${route.subject.replace(/^action .*#|^route POST /, '')}`
    : route.kind === 'edge-function'
      ? `The edge function ${route.subject.replace(/^function /, '')}`
      : `${route.method ?? 'Every method of'} ${route.route}`
}

/** What somebody does with it, and to whom. */
export function attack(c: Cause): string {
  const { route, work } = c
  const address =
    route.kind === 'action'
      ? isForm(route)
        ? `sends POST ${route.route}`
        : 'posts the id of the action, which every page that uses it carries'
      : route.kind === 'edge-function'
        ? `calls /functions/v1/${route.subject.replace(/^function /, '')}${route.platformJwt?.on ? ' with the anon key from the page' : ''}`
        : isLayoutLoad(route)
          ? `asks for the data of a page below it (${route.route.replace(/\/$/, '')}/__data.json, where the request says which loads run)`
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
      if (c.signIn?.fixed)
        return `Anybody ${address}${c.signIn.fixed === 'role' ? ` with the \`${c.signIn.by}\` of an administrator` : ''}${comma} and is signed in as ${c.signIn.fixed === 'role' ? 'one' : 'that account'}, with all that an administrator may do.`
      return `Anybody ${address} with ${c.signIn?.decoded ? 'a token that names somebody else' : `somebody else's ${c.signIn?.by}`}${comma} and is signed in as that user, with all their rows and rights; an administrator's is as good as any.`
    case 'password':
      return `Anybody ${address} with what names somebody else and a password of their own${comma} and has that account${isFirst(c) ? ', where its owner has not been there yet' : ''}, with all its rows and rights.`
    case 'spelling':
      return `Anybody on the internet sends ${route.method ?? 'a request'} ${route.bypass?.spelling} and the server ${work?.what ?? 'does its work'}.`
    case 'late':
      return `Somebody without an account ${address}; the request is refused, but the server ${work?.what ?? 'does its work'} before that.`
    case 'fail-open':
      if (asksNoRole(c.guard))
        return `On every deployment where ${opener(c.guard)} is missing, anybody with an account ${address}${comma} and it ${work?.what ?? 'does its work'}.`
      return `On every deployment where ${opener(c.guard)} is missing, anybody ${address}${comma} and it ${work?.what ?? 'does its work'}.`
    case 'unlinked':
      return `No page holds the id of the action, and from Next.js 15 on nobody guesses it; before, it is computed from the path and the name. Somebody who has it posts it and the server ${work?.what ?? 'does its work'}. The first page that uses one of them puts its id into every browser.`
    case 'open':
      if (work && decodedFor(route, work))
        return `Anybody on the internet writes a token with somebody else's id in it, ${address}${comma} and the server ${work.what} as if that user had asked for it.`
      if (route.behind === 'people' && work)
        return `Whoever has an account ${address}, and the server ${work.what}${effect(work)}. Strangers are kept out by the middleware alone: the first page outside of it that uses the action opens it to them.`
      if (route.behind && work)
        return `Today the middleware keeps everybody but administrators from the pages that carry the id of the action. The first page outside of it that uses the action, or a middleware that is gone past (CVE-2025-29927 of Next.js before 15.2.3), and anybody has the server do it: it ${work.what}.`
      // what is read goes out with the answer, whether or not the request chooses it
      if (work && !READING_OPERATIONS.has(work.kind) && work.kind !== 'file-write' && work.kind !== 'sign' && work.call !== 'uploadthing' && !isSteered(route))
        return `Anybody on the internet ${address}${comma} at any time, as often as they like, and each time the server ${work.what}. Nothing of the request enters into it: what is done, the code decides.`
      return work && byDatabaseAlone(work)
        ? `Anybody on the internet ${address}${comma} and the server ${work.what}; only row level security decides ${work.kind === 'read' ? 'whose rows come back' : 'whether it happens'}, and one policy that is too wide is enough.`
        : `Anybody on the internet ${address}${comma} and the server ${work?.what ?? 'does its work'}${effect(work)}.`
  }
}

const READING_OPERATIONS: ReadonlySet<Work['kind']> = new Set(['read', 'file-read', 'payment-read', 'secret'])

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
    case 'admin':
      return work.chosen === 'password' ? ', and has every account whose id or address they know' : ''
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
