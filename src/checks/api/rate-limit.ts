import type { RelatedPlace } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import { coolsDown } from '../../model/routes/limits/cooldown.ts'
import type { Route, RoutesModel } from '../../model/routes/routes.ts'
import { defineCheck, failed, type Issue, notApplicable, passed } from '../define-check.ts'
import { missingLimit } from './handler-cause.ts'
import { authEndpoint, type Endpoint, registersWhole } from './rate-limit/auth-endpoint.ts'
import { limiterFor } from './remediation/existing-limiter.ts'
import type { Known } from './remediation/fix-context.ts'
import { handlerFunction } from './shared/handler-function.ts'
import { oncePerHandler } from './shared/one-finding-per-handler.ts'
import { placeOfRoute } from './shared/route-location.ts'

export default defineCheck({
  number: 18,
  id: 'api/rate-limit',
  category: 'API endpoints',
  rule: 'Rate limiting exists on custom auth endpoints.',
  needs: ['routes', 'files', 'schema'],
  doubtedBy: ['code', 'pages'],
  covers: 'handlers',
  run({ routes, files, schema }) {
    const endpoints = routes.routes
      // who calls a helper of the server that is an endpoint by mistake is judged himself, and that it is one is told by check 16
      .filter((r) => files.role(r.path) === 'source' && !r.unlinked)
      .flatMap((route) => authEndpoint(route) ?? registersWhole(route, schema.tables) ?? [])
      .filter((e) => !asksUnknownProvider(e, routes.sessions))
    if (!endpoints.length)
      return notApplicable(
        "the application has no login, registration, reset, magic-link, OTP or token endpoint of its own: browsers call the platform's endpoints, or a library answers them",
      )
    const limited = endpoints.filter(isLimited)
    const evidence = [
      `${plural(endpoints.length, 'authentication endpoint')}, ${limited.length} limited`,
      ...limited.map((e) =>
        e.route.limit ? `${e.route.subject}: ${e.route.limit.path}:${e.route.limit.line}` : `${e.route.subject}: waits a while after each message`,
      ),
    ]
    const open = endpoints.filter((e) => !isLimited(e))
    const issues = open.flatMap((e) =>
      e.through && open.some((o) => looksAt(o, e))
        ? []
        : [
            issue(e, { all: routes.routes, around: routes.surroundings }, [
              ...servedBy(e.route, routes.routes),
              ...open.filter((o) => looksAt(e, o)).map(throughIt),
            ]),
          ],
    )
    return issues.length ? failed(oncePerHandler(issues, routes.surroundings), evidence) : passed(...evidence)
  },
})

/** `signIn('credentials')` of an application that has other providers of Auth.js and none of that kind: the library answers that it knows no such one. */
function asksUnknownProvider({ route, library, kind }: Endpoint, sessions: RoutesModel['sessions']): boolean {
  const providers = library === 'next-auth' ? (sessions.find((s) => s.workspace === (route.workspace ?? ''))?.providers ?? []) : []
  if (!providers.length) return false
  return kind === 'password' ? !providers.includes('credentials') : kind === 'message' && !providers.some((p) => SENDS_LINKS.test(p))
}

const SENDS_LINKS = /^(?:email|nodemailer|resend|sendgrid|postmark|mailgun|loops|forwardemail|passkey|http-email)$/

/** Messages are limited by what each account has to wait after one as well; passwords and codes are tried without waiting for any. */
function isLimited({ route, kind, at }: Endpoint): boolean {
  if (route.limit) return true
  const index = kind === 'message' ? route.behaviour?.steps.findIndex((s) => s.at.path === at.path && s.at.line === at.line) : undefined
  return route.behaviour !== undefined && index !== undefined && coolsDown(route.behaviour, index)
}

/** Whether an endpoint is where the library has the passwords looked at that another one hands to it: one cause. */
const looksAt = (e: Endpoint, handsOn: Endpoint): boolean =>
  handsOn.through === true && e.route.framework === 'Auth.js' && e.kind === 'password' && e.route.workspace === handsOn.route.workspace

const throughIt = ({ route }: Endpoint): RelatedPlace => ({ path: route.path, line: route.line, subject: route.subject, what: 'hands passwords to it' })

/** The file in which Auth.js answers for a provider of the application: browsers post the password there. */
function servedBy({ framework, workspace }: Route, routes: readonly Route[]): readonly RelatedPlace[] {
  if (framework !== 'Auth.js') return []
  return routes
    .filter((r) => r.workspace === workspace && r.library !== undefined && AUTH_JS_PACKAGE.test(r.library) && (r.method ?? 'POST') === 'POST')
    .map((r) => ({ path: r.path, line: r.line, subject: r.subject, what: 'the handler that the library answers with' }))
}

const AUTH_JS_PACKAGE = /^(?:next-auth|@auth\/)/

function issue(e: Endpoint, known: Pick<Known, 'all' | 'around'>, served: readonly RelatedPlace[]): Issue {
  const { route } = e
  const { note, ...limit } = limiterFor(route, known)
  const name =
    route.kind === 'action'
      ? `The action ${route.subject.replace(/^action .*#/, '')}`
      : route.kind === 'edge-function'
        ? `The edge function ${route.subject.replace(/^function /, '')}`
        : `${route.method ?? 'Every method of'} ${route.route}`
  return {
    subject: route.subject,
    severity: e.severity,
    title: 'No rate limit on an authentication endpoint',
    message: `${name} ${e.does}, and nothing limits how often: no limiter in the handler, in a wrapper or in the middleware in front of it.${e.severity === 'Medium' ? " The platform sees one address, the server's, for all callers." : ''}`,
    attack: ATTACKS[e.kind],
    fix: {
      text:
        route.framework === 'Auth.js'
          ? 'Count attempts per account before anything else in authorize(), and refuse there when there are too many; the address of whoever tries is counted in front of the handler of the library.'
          : `Count attempts per address and per account before anything else and answer 429 when there are too many.${note}`,
      ...limit,
    },
    at: placeOfRoute(route),
    related: [...handlerFunction(route), ...served, ...(e.at.path === route.path && e.at.line === route.line ? [] : [{ ...e.at, what: e.does }])],
    proof: 'inferred',
    aliases: ['CWE-307'],
    cause: missingLimit(route),
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

const ATTACKS: Readonly<Record<Endpoint['kind'], string>> = {
  password: 'Somebody tries leaked passwords against every account as fast as the server answers.',
  message: "Somebody requests message after message to strangers' addresses: inboxes are flooded and the sender's reputation or quota is gone.",
  registration: 'A script registers accounts without end, for free credits, spam or to fill the database.',
  fixed: 'Somebody tries words and numbers as fast as the server answers; there is one for everybody, and it stays until the variable is changed.',
  made: 'Somebody asks for one account after the other: he learns which there are, and each request puts a new code in the place of the one that its owner waits for.',
  key: "Somebody tries keys as fast as the server answers, and is told of each whether it is somebody's.",
  code: 'Somebody tries all codes: six digits fall within the lifetime of one.',
}
