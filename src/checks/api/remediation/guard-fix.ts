import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { guardAsWritten, isVainCheck, relativeSpecifier } from '../../../model/routes/code-context/guard-source.ts'
import { wrapperAsWritten } from '../../../model/routes/code-context/wrapper-source.ts'
import type { Guard, Route, Surroundings, Work } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { ofTheRequest } from '../binding/request-identifiers.ts'
import { isSteered } from '../binding/request-influence.ts'
import { type ForgottenCheck, forgottenCheck } from '../function-level/imported-guard-not-called.ts'
import { askingAlike, asksWithinOne, isOdd, keeperOf } from '../principal/role-source.ts'
import { sharedFolders } from '../shared/path-proximity.ts'
import { adminExample, isForAdministrators, manners } from './code-conventions.ts'
import { type Known, refusalAt, registration } from './fix-context.ts'
import { type Audience, audienceOf, isOfAdministrators } from './intended-caller.ts'
import type { SessionCode } from './no-session-yet.ts'
import { visitorsFix } from './public-form-fix.ts'
import { type AdminHelper, adminHelper, roleQuery } from './role-query.ts'
import { besideServer } from './server-caller.ts'
import { serviceFix } from './service-secret.ts'
import { sessionCode } from './session-lookup.ts'

/** The fix of an unguarded handler: what has to be asked of those who call it, as code that runs there, in the manner of the application. */
export function guardFix(route: Route, known: Known, audience: Audience = audienceOf(route, known.around)): Fix {
  const isForAccounts = audience.who === 'people' || audience.who === 'administrators'
  const confirms = isForAccounts ? confirming(route, known.around) : undefined
  if (confirms) return fromMailedLinks(confirms)
  const forgotten = isForAccounts ? forgottenCheck(route, known) : undefined
  if (forgotten) return besideServer(callForgotten(forgotten, route, known), route, known.around)
  switch (audience.who) {
    case 'scheduler':
    case 'service':
    case 'functions':
      return serviceFix(route, audience)
    case 'visitors':
      return besideLists(route, known, visitorsFix(route, known, audience))
    case 'administrators':
      return besideServer(audience.job ? besideTheClock(adminFix(route, known)) : adminFix(route, known), route, known.around)
    case 'nobody':
      return {
        text: 'By its name this is there to try something out, and nobody needs it where the application runs: take it out of what is deployed. Whoever wants to try again does so on a machine of their own, with keys of a test account; what it has given out so far is replaced.',
        ...(IN_CODE.has(route.framework)
          ? {}
          : {
              language: 'sh',
              code: `git rm '${route.path}'${route.kind === 'edge-function' ? ` && supabase functions delete ${route.subject.replace(/^function /, '')}` : ''}`,
            }),
      }
    default:
      return isPublicByName(route) && !audience.shown ? FOR_EVERYBODY : besideServer(peopleFix(route, known, audience), route, known.around)
  }
}

/** The file says itself which check was meant. */
function callForgotten({ name, example, code }: ForgottenCheck, route: Route, known: Known): Fix {
  const like = `${example.method ? `${example.method} ` : ''}${example.route} already does so (${example.path}:${example.line})`
  const besides = example.guard?.who === 'admin' ? '' : ofTheRequest(route, 'the verified session', administratorsAside(route, known), known.schema)
  return { text: `The file imports ${name} and never calls it: call it ${beforeWhat(route)}. ${like}.${besides}`, ...codeOf(code) }
}

const CONFIRMS = /callback|confirm|verif/i

/** The page behind the link of a mail that has an account confirmed here: nobody is signed in when it is opened. */
function confirming(route: Route, around: Surroundings): Place | undefined {
  if (route.kind !== 'edge-function' || !CONFIRMS.test(route.route)) return undefined
  const name = route.subject.replace(/^function /, '')
  const callers = around.callersOf(name).filter((p) => !inEdgeFunctions(p.path))
  const confirmsAccounts = route.work.some((w) => w.kind === 'admin' && !w.guard && w.chosen !== 'password' && /updateUserById|generateLink/.test(w.call ?? ''))
  return confirmsAccounts && callers.length && callers.every((p) => CONFIRMS.test(lastPartOfPath(p.path))) ? callers[0] : undefined
}

const lastPartOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const fromMailedLinks = ({ path, line }: Place): Fix => ({
  text: `Whoever comes from the link of a mail calls this (${path}:${line}), and nobody is signed in then: a check for a session would turn all of them away. Let the auth server confirm addresses itself: the link carries its token, the page hands it on with auth.verifyOtp({ token_hash, type }), and this function is taken out. As long as it is there, let it confirm nobody whom the request merely names, and answer with no link or token that signs somebody in.`,
})

/** Pages of the administrators start it, and by its name the clock may as well, which no file says. */
const besideTheClock = (fix: Fix): Fix => ({
  ...fix,
  text: `${fix.text} By its name it is a job: where a scheduler starts it as well, let that bring a secret of its own (CRON_SECRET, in a header beside the key that the gateway asks for), and let it past the check by that.`,
})

/** `/api/public/jobs`: what only reads there is meant for everybody, and tells them too much. */
const isPublicByName = ({ route, work }: Route): boolean => /(?:^|\/)public(?:\/|$)/i.test(route) && work.every((w) => w.hidden || w.guard || w.kind === 'read')

const FOR_EVERYBODY: Fix = {
  text: 'By its address this is for everybody, and a check would lock out whom it is for: answer with the columns that everybody may see, named in the query, and with no others. What says how a person is reached (e-mail address, phone number), what they have handed in and what is written about them goes to those alone who may have it, by a handler that asks who they are.',
}

/** What visitors send in stays open; the list of what others have sent in is for who runs the application, although the same handler answers it. */
function besideLists(route: Route, known: Known, open: Fix): Fix {
  const lists = route.work.filter((w) => !w.hidden && !w.unsure && !w.guard && w.kind === 'read' && w.rights === 'service' && w.userData && w.whole)
  const sent = route.work.some((w) => !w.hidden && !w.guard && (w.kind === 'insert' || w.kind === 'mail' || w.kind === 'sms' || w.kind === 'payment'))
  const [list] = lists
  if (!list || !sent) return open
  const closed = adminFix(route, known)
  return {
    text: `Ask for an administrator where all rows of ${list.table} are read (${list.at.path}:${list.at.line}), and only there.${closed.text.replace(/^[^.]*\./, '')} For the rest: ${open.text}`,
    ...(closed.code && open.code
      ? { language: 'ts', code: `// where all rows are read\n${closed.code}\n\n// for the rest\n${open.code}` }
      : codeOf(closed.code ?? open.code)),
  }
}

/** Frameworks that serve many addresses from one file. */
const IN_CODE: ReadonlySet<string> = new Set(['Express', 'Fastify', 'Hono', 'NestJS'])

function peopleFix(route: Route, known: Known, { besides, welcoming }: Partial<Extract<Audience, { who: 'people' }>> = {}): Fix {
  const { all, around } = known
  const page = besides ?? welcoming
  if (route.work.some((w) => w.call === 'uploadthing'))
    return {
      text: 'Ask in the file route who uploads: what middleware() throws ends the upload before it begins.',
      language: 'ts',
      code: "f({ image: { maxFileSize: '4MB' } })\n  .middleware(async ({ req }) => {\n    const user = await currentUser(req) // stands for a function that verifies the session of the application\n    if (!user) throw new UploadThingError('Unauthorized')\n    return { userId: user.id }\n  })\n  .onUploadComplete(…)",
    }
  const examples = examplesFor(route, all, 'user')
  const own = inFront(route, known, ['user', 'token'])
  const copied = own === undefined ? asWritten(examples, route, around, (code) => !ROLE_CHECK_CALL.test(code)) : undefined
  const example = copied?.example ?? firstOf(examples, around)
  const like = example?.guard
    ? ` ${example.method ? `${example.method} ` : ''}${example.route} already does so (${example.guard.how}, ${example.guard.at.path}:${example.guard.at.line}).`
    : ''
  const given = own ?? copied?.code
  const made = given === undefined ? sessionCode(route, known, example?.guard, 'server') : undefined
  return {
    text: `Establish who calls ${beforeWhat(route)} and answer 401 with an empty body when nobody is signed in.${like}${made?.note ?? ''}${ofTheRequest(route, made?.caller ?? 'the verified session', administratorsAside(route, known), known.schema, page === undefined)}${askedByServer(route, around)}${boundState(route, around)}${peopleBeside(route)}${page ? forVisitors(page, route, !besides) : ''}`,
    ...codeOf(page ? withoutVisitors(given ?? made?.code, page) : (given ?? made?.code)),
  }
}

/** Where the check stands in the way of visitors, the code says for whom it is. */
const withoutVisitors = (code: string | undefined, page: Route): string | undefined =>
  code === undefined ? undefined : `// for people with an account alone: visitors of ${page.route} have none, so decide first whether they are meant\n${code}`

const isOnlyOfAdministrators = (route: Route, around: Surroundings): boolean => {
  const pages = around.pagesUsing(route)
  return pages.length > 0 && pages.every((p) => isOfAdministrators(p.path))
}

/** What the check turns away at a page that asks nobody who is signed in, or sends nobody away who is not. */
function forVisitors({ route: page }: Route, route: Route, looks: boolean): string {
  const { work } = route
  const open = work.filter((w) => !w.hidden && !w.guard)
  const words = ` The page ${page} uses this too and ${looks ? 'sends nobody away who is not signed in' : 'does not ask who is signed in'}: where visitors are meant to use it there,`
  if (!isSteered(route) && open.some((w) => w.kind !== 'read')) return `${words} limit how often instead of turning them away.`
  if (open.some((w) => w.chosen === 'owner')) return `${words} let them do so without any account's rows, and limit how often.`
  const recipient = open.some((w) => w.chosen === 'recipient') ? ', and take the recipient from a row instead of the request' : ''
  if (open.every((w) => OPEN_WAYS.has(w.kind))) return `${words} limit how often instead of turning them away${recipient}.`
  const columns = 'answer with the columns that everybody may see and with no others'
  const token =
    'ask for what only the person concerned has, a random token of the row that stands in the link which was mailed or that the browser was given when the row was made'
  if (open.some((w) => w.kind === 'payment')) return `${words} take the price from the server, limit how often, and book nothing on an account.`
  if (open.every((w) => w.kind === 'read' || OPEN_WAYS.has(w.kind)) && open.some((w) => w.kind === 'paid-api'))
    return `${words} limit how often instead of turning them away, and answer with nothing of rows that are about somebody.`
  if (open.every((w) => w.kind === 'read')) return `${words} ${columns}, or, where the row is about one person, ${token}.`
  return `${words} ${token}.`
}

/** What is worth the same to visitors and to people with an account may be for either. */
export const OPEN_WAYS: ReadonlySet<Work['kind']> = new Set(['insert', 'mail', 'sms', 'paid-api', 'file-write'])

/** Where a provider leads back to, somebody else's code and state may be brought along in a link. */
function boundState({ route, method, path }: Route, around: Surroundings): string {
  const read = new Set([...around.texts(path), ...around.members(path)])
  return method === 'GET' && /callback/i.test(route) && !/(?:^|\/)auth\/callback$/i.test(route) && read.has('code') && read.has('state')
    ? ' Keep a random `state` with whoever begins the connection, and refuse a code that comes back with another one: otherwise somebody is led by a link to connect the account of a stranger, whatever `state` says of itself.'
    : ''
}

/** People whose rows only come along. */
const peopleBeside = ({ method, work }: Route): string =>
  method === 'GET' && work.some((w) => !w.hidden && !w.guard && w.along)
    ? ' Where everybody may see the rest, take what says how people are reached (e-mail address, phone number) out of the query instead.'
    : ''

/** A request of the server to itself brings no session. */
function askedByServer(route: Route, around: Surroundings): string {
  const from = around.requestsTo(route).find((r) => r.fromServer && !r.brings)
  return from
    ? ` ${from.path}:${from.line} calls it from the server, where no browser sends a session along: let that code call a function that both import instead of the address.`
    : ''
}

/** Browsers ask for leave before they call a function of another origin, and bring no session then. */
const beforeWhat = (route: Route): string => (route.kind === 'edge-function' ? 'before anything else but the answer to OPTIONS' : 'before anything else')

const codeOf = (code: string | undefined): Pick<Fix, 'language' | 'code'> => (code === undefined ? {} : { language: 'ts', code })

/** Handlers whose check the new one can be written after: those of the same folder first. */
function examplesFor(route: Route, all: readonly Route[], who: ExampleGroups['who']): readonly Route[] {
  const near = (r: Route): number => (r.kind === route.kind ? 0 : 100) - sharedFolders(route, r)
  return (examplesIn(all).get(exampleGroup({ ...route, who })) ?? [])
    .filter((r) => r !== route && !(who === 'admin' && asksWithinOne(r)))
    .map((r) => ({ r, far: near(r) }))
    .sort((a, b) => a.far - b.far)
    .map(({ r }) => r)
}

/** The first whose check lets anybody in. */
const firstOf = (examples: readonly Route[], around: Surroundings): Route | undefined => examples.find((r) => !isVainCheck(r, around))

interface ExampleGroups extends Pick<Route, 'framework' | 'workspace'> {
  readonly who: 'user' | 'admin'
}

const exampleGroup = ({ framework, workspace, who }: ExampleGroups): string => `${framework} ${workspace ?? ''} ${who}`

/** Handlers that are verified to be closed, by framework, workspace and who may call them. */
const examplesIn = rememberFor(
  (all: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
    Map.groupBy(
      all.filter(
        (r) => r.kind !== 'page' && r.guard?.trust === 'verified' && !r.guard.opensWithout && !SIGN_IN_CALL.test(r.guard.how) && !CALLBACK_PATH.test(r.route),
      ),
      (r) => exampleGroup({ ...r, who: r.guard?.who as ExampleGroups['who'] }),
    ),
)

/** The first of the examples whose check can be repeated word by word. */
function asWritten(
  examples: readonly Route[],
  route: Route,
  around: Surroundings,
  fits: (code: string) => boolean = () => true,
): { readonly code: string; readonly example: Route } | undefined {
  if (route.kind === 'procedure') return undefined
  for (const example of examples.slice(0, 25)) {
    if (example.kind !== route.kind || (example.answers ?? '') !== (route.answers ?? '')) continue
    const code = guardAsWritten(example, route, around, (status) => refusalAt(route, around, status)) ?? wrapperAsWritten(example, route, around)
    if (code !== undefined && fits(code)) return { code, example }
  }
  return undefined
}

/** Who asks for an administrator turns away those whom a handler for everybody with an account is for. */
const ROLE_CHECK_CALL = /\b(?:getIs|is|has|check|require|assert|ensure|verify|must)\w{0,12}(?:Admin|Role)\w{0,12}\s*\(/

/** Where mails and providers lead back to: who calls is told by what stands in the address. */
const CALLBACK_PATH = /(?:^|[/_-])(?:callback|confirm|verify|reset|recover|magic-?link)(?:[/_?-]|$)/i

/** Sign-in knows its caller by the password: no example for a handler that is called afterwards. */
const SIGN_IN_CALL = /^passport authenticate$|\b(?:signIn|signUp|verifyOtp|exchangeCode)\w*$/

/** Whoever is signed in is no administrator by that. */
function adminFix(route: Route, known: Known): Fix {
  const { all, around } = known
  const how = manners(route, all)
  const text = `Establish who calls, and that they are an administrator, ${beforeWhat(route)}: 401 with an empty body when nobody is signed in, 403 for everybody else.`
  const examples = askingAlike(
    examplesFor(route, all, 'admin').filter((r) => !isOdd(r, all)),
    all,
    around.pagesUsing(route),
  )
  const own = inFront(route, known, ['admin'])
  if (own !== undefined) return { text: `${text}${adminExample(how)}`, ...codeOf(own) }
  const helper = adminHelper(route, around)
  // the staff of a customer is asked for by another check than who runs the application
  const owns =
    helper !== undefined &&
    ((isOnlyOfAdministrators(route, around) && !examples.some((e) => isOfAdministrators(e.path) || e.guard?.at.path === helper.path)) ||
      (isForAdministrators(route) && isMostlyAsked(helper, examples, known)))
  const copied = owns ? undefined : asWritten(examples, route, around)
  if (copied) return { text: `${text}${adminExample({ admin: copied.example })}`, ...codeOf(copied.code) }
  const named = helper ? ` The application has ${helper.name}() for it (${helper.path}:${helper.line}).` : adminExample(how)
  const called = helper && callOf(helper, route, around)
  if (called) return { text: `${text}${named}`, ...codeOf(called) }
  // where its question is known and not its answer, what the session says is no substitute: administrators may have another one
  if (owns) return { text: `${text}${named}` }
  const asked = sessionCode(route, known, (firstOf(examples, around) ?? firstOf(examplesFor(route, all, 'user'), around))?.guard)
  const role = roleAsked(examples, route, asked, known) ?? roleFor(route, known, asked)
  return { text: `${text}${named}${asked.note ?? ''}${role.note}`, ...codeOf(asked.code && role.code ? `${asked.code}\n${role.code}` : undefined) }
}

/** More of the handlers for administrators ask it than anything else that is known to find one out. */
function isMostlyAsked({ name, path }: AdminHelper, examples: readonly Route[], { all, around }: Known): boolean {
  const asks = (r: Route) => r.guard?.at.path === path || around.source(r.path, name) === path
  const others = examples.filter((e) => isForAdministrators(e) && !asks(e))
  return all.filter((r) => r.kind !== 'page' && isForAdministrators(r) && asks(r)).length > others.length
}

/** A helper that takes nothing, and turns strangers away itself or says who is one. */
function callOf({ name, path, ...helper }: AdminHelper, route: Route, around: Surroundings): string | undefined {
  if (!(helper.refuses || helper.answers) || around.locals(route).has(name)) return undefined
  const known = around.source(route.path, name) === path
  if (!known && around.names(route.path).has(name)) return undefined
  const call = helper.answers ? `if (!(await ${name}())) ${refusalAt(route, around, 403)}` : `await ${name}()`
  return known ? call : `import { ${name} } from '${relativeSpecifier(route.path, path)}'\n\n${call}`
}

/** The question for an administrator behind a check of who calls, in the manner of the application; undefined where nothing of it shows one. */
export function roleFix(route: Route, known: Known, caller: string): Pick<Fix, 'language' | 'code'> & { readonly note: string } {
  const helper = adminHelper(route, known.around)
  const note = helper ? ` The application has ${helper.name}() for it (${helper.path}:${helper.line}).` : ''
  const called = helper && callOf(helper, route, known.around)
  if (called) return { note, ...codeOf(called) }
  const root = caller.split('.')[0] as string
  const examples = examplesFor(route, known.all, 'admin')
  const asked = roleAsked(examples, route, { code: `const ${root} = …` }, known)
  if (asked) return { note: note || adminExample(manners(route, known.all)), ...codeOf(asked.code) }
  const keeper = keeperOf(known.all, known.schema)
  if (!keeper) return { note }
  const client = ['supabase', 'supabaseAdmin', 'admin', 'db'].find((n) => known.around.names(route.path).has(n) || known.around.locals(route).has(n))
  const code = client ? roleQuery(route, keeper, manners(route, known.all).library, client, caller, known.around) : undefined
  return { note: `${note} The role is kept in ${keeper.table}.${keeper.column}.`, ...codeOf(code) }
}

/** Which role a change of rows that the request names may be for, when not for their owner. */
function administratorsAside(route: Route, known: Known): string {
  const admin = adminHelper(route, known.around) ?? manners(route, known.all).admin?.guard?.at
  if (!admin) {
    const keeper = keeperOf(known.all, known.schema)
    return keeper ? `ask for the role (${keeper.table}.${keeper.column})` : 'ask for a role that only the server sets'
  }
  return 'name' in admin ? `ask for the role with ${admin.name}() (${admin.path}:${admin.line})` : `ask for the role, as ${admin.path}:${admin.line} does`
}

/** The question that pages for administrators ask, where it is about what the code before it has found out. */
function roleAsked(
  examples: readonly Route[],
  route: Route,
  asked: SessionCode,
  { all, around }: Known,
): { readonly note: string; readonly code: string } | undefined {
  const guards = [
    ...examples,
    ...all.filter((r) => r.kind === 'page' && r.framework === route.framework && r.guard?.who === 'admin' && r.guard.trust === 'verified'),
  ]
  for (const { guard } of guards.slice(0, 10)) {
    const test = guard && around.asked(guard.at)
    const names = test?.replace(/'[^']*'|`[^`]*`/g, '').match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []
    if (test && asked.code && names.length && names.every((n) => new RegExp(`\\bconst (?:${n}\\b|\\{[^=]*\\b${n}\\b)`).test(asked.code as string)))
      return { note: '', code: `if (${test}) ${refusalAt(route, around, 403)}` }
  }
  return undefined
}

/** The question for the role, where the application keeps it. */
function roleFor(route: Route, known: Known, asked: SessionCode): { readonly note: string; readonly code?: string } {
  const keeper = keeperOf(known.all, known.schema)
  const library = manners(route, known.all).library
  if (keeper) {
    const note = ` The role is kept in ${keeper.table}.${keeper.column}.`
    const code = asked.caller ? roleQuery(route, keeper, asked.db ? 'supabase' : library, asked.db ?? 'supabase', asked.caller, known.around) : undefined
    return code === undefined ? { note } : { note, code }
  }
  if (asked.role) return { note: '', code: `if (${asked.role} !== 'admin') ${refusalAt(route, known.around, 403)}` }
  return { note: ' No table of the repository says who is one: keep it where only the server writes.' }
}

/** The middleware that most of the guarded handlers have in front of them, and no open one. */
function ownMiddleware(route: Route, all: readonly Route[], who: readonly Guard['who'][]): string | undefined {
  const namesOf = (r: Route) => r.before.flatMap((b) => (b.what === 'middleware' && b.name && !b.external ? [b.name] : []))
  const siblings = all.filter((r) => r.framework === route.framework && r.workspace === route.workspace)
  const open = new Set(siblings.filter((r) => !r.guard).flatMap(namesOf))
  const counts = new Map<string, number>()
  for (const r of siblings)
    if (r.guard && who.includes(r.guard.who) && r.guard.trust === 'verified')
      for (const n of new Set(namesOf(r))) if (!open.has(n)) counts.set(n, (counts.get(n) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

/** The registration with the application's own middleware in it; its path is the one that stands there, whatever the router is mounted under. */
function inFront(route: Route, { all, around }: Known, who: readonly Guard['who'][]): string | undefined {
  const middleware = route.framework === 'Express' && route.method ? ownMiddleware(route, all, who) : undefined
  return middleware ? registration(route, middleware, around) : undefined
}
