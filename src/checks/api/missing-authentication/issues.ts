import type { Place, RelatedPlace } from '../../../lib/place.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { type Issue, SEVERITY_RANK } from '../../define-check.ts'
import { tellsCode } from '../broken-authentication/code-disclosed.ts'
import { connectedForNamed } from '../broken-authentication/unbound-integration.ts'
import { decodedFor } from '../broken-authentication/unverified-jwt.ts'
import { missingGuard, missingLimit } from '../handler-cause.ts'
import { attack, besides, handlerName, message, titleOf } from '../messages/missing-authentication.ts'
import { fix, onlyByMail } from '../remediation/authentication-fix.ts'
import { besideWords, manners } from '../remediation/code-conventions.ts'
import type { Known } from '../remediation/fix-context.ts'
import { OPEN_WAYS } from '../remediation/guard-fix.ts'
import { type Audience, audienceOf } from '../remediation/intended-caller.ts'
import { handlerFunction } from '../shared/handler-function.ts'
import { placeOfRoute } from '../shared/route-location.ts'
import { type Cause, saysFine, saysMalformed } from './cause.ts'
import { weight } from './severity.ts'

/** One issue per cause; a cause that several routes share is one issue at its place. */
export function mergeCauses(causes: readonly Cause[], known: Known): Issue[] {
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
    // a router that is told of an address twice asks the first handler alone
    if (!first.shared && first.what === 'open' && first.route.kind !== 'action' && g.every((c) => c.route.subject === first.route.subject))
      return issueOf({ ...first, also: [...(first.also ?? []), ...g.slice(1).map((c) => c.route)] }, known)
    // The same idiom in several handlers of one file is one finding for the file.
    return sharedIssue(g, known, first.shared ?? first.guard?.identifiedAt ?? { path: first.route.path, line: first.route.line })
  })
}

function issueOf(cause: Cause, known: Known): Issue {
  const audience = cause.what === 'open' ? audienceOf(cause.route, known.around) : undefined
  const { sentIn, ...plain } = cause
  const c: Cause = isForVisitors(cause, audience) ? { ...cause, sentIn: true as const } : sentIn && audience && isForOthers(audience) ? plain : cause
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
    related.push({
      path,
      line,
      subject,
      what:
        subject === route.subject
          ? 'registered for the same address again'
          : `the same handler under another ${address === route.route ? 'method' : 'address'}`,
    })
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
            : c.what === 'open' && route.behind
              ? 'Only middleware checks who calls'
              : titleOf(c),
    message:
      (told ? `${handlerName(route)} makes a code for the account that the request names, keeps it there and answers with it.` : message(c)) +
      besides(c) +
      gateway +
      (c.what === 'open' && !route.behind ? besideWords(manners(route, known.all).beside, route) : ''),
    attack: told ? "Anybody on the internet sends somebody's address, takes the code out of the answer and has that account." : attack(c),
    fix: told ? onlyByMail(route) : fix(c, known, audience),
    at: placeOfRoute(route),
    related,
    proof: 'inferred',
    aliases:
      c.what === 'open' || c.what === 'unlinked'
        ? ['CWE-306']
        : c.what === 'sign-in' || c.what === 'password'
          ? ['CWE-287']
          : c.what === 'trust'
            ? ['CWE-345']
            : c.what === 'fail-open'
              ? ['CWE-636']
              : ['CWE-755'],
    ...(c.what !== 'open' || told || route.behind
      ? {}
      : { cause: c.sentIn ? missingLimit(route) : missingGuard(route, connectedForNamed(route).length ? undefined : audience) }),
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

/** What visitors use has no session to ask for: what is missing is the limit. */
function isForVisitors({ what, severity, work, guard, route }: Cause, audience: Audience | undefined): boolean {
  return (
    what === 'open' &&
    severity === 'High' &&
    !guard &&
    !route.behind &&
    audience?.who === 'visitors' &&
    audience.as !== 'checkout' &&
    work !== undefined &&
    OPEN_WAYS.has(work.kind)
  )
}

/** Whoever sends it in is no visitor: another service, the clock, or somebody to whom a page behind sign-in is shown. */
const isForOthers = (audience: Audience): boolean =>
  audience.who === 'service' || audience.who === 'scheduler' || audience.who === 'functions' || (audience.who === 'people' && audience.shown === true)

/** Several routes behind one function that fails: one issue there. */
function sharedIssue(causes: readonly Cause[], known: Known, at: Place): Issue {
  const first = causes[0] as Cause
  // the finding speaks of the handler that makes it as bad as it is
  const heavy = (c: Cause) => SEVERITY_RANK[c.severity] * 100 + (c.work ? weight(c.work) : 0)
  const worst = causes.reduce((a, b) => (heavy(b) > heavy(a) ? b : a))
  const routes = causes.map((c) => c.route)
  const { cause: _, ...issue } = issueOf(worst, known)
  return {
    ...issue,
    fix: forAll(issue.fix, worst, routes),
    subject: `file ${at.path}`,
    // the words for comparisons came later than the finding
    discriminator: `${first.what} ${first.guard?.how.replace('only compared with values from the code', 'only tested for presence') ?? ''}`,
    title: titleOf(worst),
    message: worst.idle
      ? `${routes.length} handlers rely on this check. ${message(worst)}`
      : worst.guard || decodedFor(worst.route, worst.work)
        ? `${routes.length} handlers rely on this check. ${message(worst)}`
        : `${routes.length} actions of this file are alike. ${message(worst)}`,
    at,
    related: byWeight(causes).flatMap((r) => [{ path: r.path, line: r.line, subject: r.subject, what: 'relies on it' }, ...handlerFunction(r)]),
  }
}

/** The handlers behind one check, those that do worst first. */
const byWeight = (causes: readonly Cause[]): readonly Route[] =>
  causes
    .map((c) => ({ c, heavy: c.work ? weight(c.work) : 0 }))
    .sort((a, b) => SEVERITY_RANK[b.c.severity] - SEVERITY_RANK[a.c.severity] || b.heavy - a.heavy)
    .map(({ c }) => c.route)

/** What one handler is told, for all that rely on a check which believes what the caller says. */
function forAll(fix: Issue['fix'], { what, guard }: Cause, routes: readonly Route[]): Issue['fix'] {
  if (what !== 'open' || guard?.trust !== 'claimed' || !routes.every((r) => r.framework === 'Express')) return fix
  const [first] = routes
  const alone = first && routes.every((r) => r.path === first.path)
  return {
    ...fix,
    text: `${fix.text} What ${guard.at.path}:${guard.at.line} asks now is what the caller says of himself: let it look at who is signed in instead, for all ${routes.length} handlers.`,
    ...(fix.code && alone
      ? {
          code: fix.code.replace(
            /\b(\w+)\.(?:get|post|put|patch|delete|all)\((?:'[^']*'|…), (\w+), handler\)/,
            '$1.use($2) // before the first handler of the file',
          ),
        }
      : {}),
  }
}
