import { linesFrom } from '../../../lib/place.ts'
import { askForVerifiedUser, refuseWhenUnset } from '../../../lib/rewrite-javascript.ts'
import type { Guard, Route } from '../../../model/routes/routes.ts'
import type { Issue } from '../../define-check.ts'
import { matcherBelow } from '../../shared/matcher-pattern.ts'
import { BOUND_STATE, connectedFor } from '../broken-authentication/unbound-integration.ts'
import { decodedFor, verifiedFix } from '../broken-authentication/unverified-jwt.ts'
import { asksNoRole, type Cause, opener, refusesWithServerError, saysFine } from '../missing-authentication/cause.ts'
import { isCheckout } from '../missing-authentication/severity.ts'
import { limiterFor } from './existing-limiter.ts'
import { type Known, refusalAt } from './fix-context.ts'
import { guardFix, OPEN_WAYS } from './guard-fix.ts'
import { type Audience, audienceOf } from './intended-caller.ts'
import { refusal } from './refusal-response.ts'
import { variableOf } from './service-secret.ts'

/** For a code that is answered to whoever asks for it. */
export const onlyByMail = (route: Route): Issue['fix'] => ({
  text: 'Send the code to the address of the account alone, and answer the same whether there is such an account or not.',
  language: 'ts',
  code: `await sendMail(account.email, code) // stands for the mail; the answer below says nothing of the account and does not carry the code\n${answered(route)}`,
})

/** The same answer for everybody, as handlers of the framework give it. */
function answered(route: Route): string {
  if (route.answers === 'res' || route.framework === 'Express') return 'return res.json({ ok: true })'
  if (route.framework === 'Fastify') return 'return reply.send({ ok: true })'
  if (route.framework === 'Hono') return 'return c.json({ ok: true })'
  if (route.kind === 'action' || route.kind === 'procedure' || route.framework === 'NestJS' || route.framework === 'Nuxt') return 'return { ok: true }'
  return route.answers ? "return { statusCode: 200, body: '{}' }" : 'return Response.json({ ok: true })'
}

/** A check of who calls leaves everything to whoever has an account: the free choice is the hole. */
const NO_FREE_CHOICE: Readonly<Record<'table' | 'function', Issue['fix']>> = {
  table: {
    text: 'Take the choice of the table away: a handler for each thing that pages do, with its table, its columns and who may do it written down in the code. Until then write down in this one which tables and columns it is for and who may have them, answer 401 where nobody is signed in and the table is not for visitors, and bind each query to the tenant or the user of the session. Asking who is signed in is not enough by itself: whoever has an account could still name every table.',
  },
  function: {
    text: 'Take the choice of the function away: write down which functions pages may call here and who may call each, answer 401 where nobody is signed in and the function is not for visitors, and take the ids of the user and the tenant that it is given from the session. Asking who is signed in is not enough by itself: whoever has an account could still name every function, also those that only the server may call.',
  },
}

/** What closes a cause at its place. */
export function fix(c: Cause, known: Known, audience: Audience | undefined): Issue['fix'] {
  const decoded = c.what === 'open' && !c.idle ? decodedFor(c.route, c.work) : undefined
  switch (c.what) {
    case 'unlinked':
      return unlinkedFix(c.route, known.all)
    case 'fail-open':
      if (c.guard?.skipped) return withoutWayPast(c.guard)
      if (asksNoRole(c.guard)) return roleAlwaysAsked(c)
      return {
        text: `Refuse when ${opener(c.guard)} is unset: a missing secret must close the door.${askedByPages(c, known)}`,
        language: 'ts',
        code: refuseWithout(opener(c.guard) ?? '', c, known),
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
          : refusesWithServerError(c.guard)
            ? 'Answer 401 where nobody is signed in, before the failures that are left are answered: what the platform reports for a missing session (AuthSessionMissingError) is none.'
            : 'Answer 401 where the check fails, instead of throwing into the handler of unexpected errors.',
        ...refusedAt(c, known),
      }
    case 'sign-in':
      if (c.signIn?.fixed)
        return {
          text: 'Take it out of what is deployed, and end the sessions that it has made. Whoever runs the application signs in like everybody else, with a password that is compared with its hash or through a provider; what an account may do stands in a column that only the server writes. A sign-in for trying the application out is one for an account without rights, whose data are reset.',
        }
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
    case 'password':
      return {
        text: 'Ask for something that only the owner of the account has before a password is set: the one that the account has, or a long random token that was mailed to the address which it had before, kept as a hash, for one use and a short time. A number, an address or an id is none: others know it or try it.',
        language: 'ts',
        code: `// token: from the link that was mailed; isMailedTo stands for the comparison with the hash that was kept for the account\nif (!token || !(await isMailedTo(account.id, token))) ${refusal(c.route, 401)}`,
      }
    case 'spelling':
      if (c.route.bypass?.because === 'matcher')
        return {
          text: 'Ask who calls in the handler itself, or add a pattern for the whole path to the matcher of the middleware.',
          language: 'ts',
          code: matcherBelow(c.route.route),
        }
      return {
        text: 'Put the check on the router of the protected paths instead of testing the path, or compare the path in lower case and without the slash at its end.',
        language: 'ts',
        code: "app.use('/admin', requireUser, adminRouter) // the router knows every spelling of its own paths",
      }
    case 'late':
      return {
        text: 'Move the check to the top of the handler.',
        ...(asksWho(audienceOf(c.route, known.around)) ? optionalCode(guardFix(c.route, known)) : {}),
      }
    case 'open':
      if (!c.route.behind && (c.work?.chosen === 'table' || c.work?.chosen === 'function')) return NO_FREE_CHOICE[c.work.chosen]
      if (decoded) return verifiedFix(c.route, decoded)
      if (connectedFor(c.route, c.work) && leadsBack(c.route, known)) return BOUND_STATE
      if (c.guard?.unsigned)
        return {
          text: 'Answer 401 where no signature comes along, before anything is written. What pages have to send without one is kept apart, and nothing is granted or paid for it before its owner has confirmed it.',
          language: 'ts',
          code: `if (!signature) ${refusal(c.route, 401)} // signature: the header that the handler verifies where it is sent`,
        }
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
      if (c.work?.chosen === 'owner' && isCheckout(c.work)) {
        const people = guardFix(c.route, known, { who: 'people' })
        return {
          ...people,
          text: `${people.text} Where guests buy as well, book nothing on an account for them: leave the id out instead of taking the request's word.`,
        }
      }
      if (audience?.who === 'visitors' && audience.as !== 'checkout') return guardFix(c.route, known, audience)
      if (c.sentIn) {
        const { note, ...limit } = limiterFor(c.route, known)
        return {
          text: `Count what comes from each address and refuse with 429 before anything is written or sent.${note} Only where the form is for people who are signed in, establish who calls.`,
          ...limit,
        }
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

/** A browser holds no secret: what its pages ask for they ask with the session. */
function askedByPages({ route, guard }: Cause, { around }: Known): string {
  // who administers accounts types the secret in, and whoever is signed in is to do nothing of the kind
  if (route.work.some((w) => w.kind === 'admin')) return ''
  const [page] = guard?.who === 'signature' ? [] : around.pagesUsing(route)
  return page
    ? ` The page ${page.route} asks for it without that secret: let whoever is signed in${page.guard?.who === 'admin' ? ' as an administrator' : ''} past as well, by the session.`
    : ''
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
  const moved = ofFile.filter((r) => r.unlinked).map(nameOf)
  const [its, them] = moved.length === 1 ? ['its', 'it'] : ['their', 'them']
  return {
    text: `Move ${few(moved)} into a module of ${its} own that does not say \`use server\`, and import ${them} from there${ofFile.some((r) => r.unlinked === 'nobody') ? ', or delete what nothing calls' : ''}. ${few(stay)} stay${stay.length === 1 ? 's' : ''} where pages call ${stay.length === 1 ? 'it' : 'them'} as action${stay.length === 1 ? '' : 's'}.`,
    language: 'ts',
    code: "// the new module, without 'use server'\nimport 'server-only'",
  }
}

/** A provider leads back there with a code: what a model has answered is kept for somebody as well. */
function leadsBack({ path }: Route, { around }: Known): boolean {
  const read = new Set([...around.texts(path), ...around.members(path)])
  return ['state', 'grant_type', 'redirect_uri', 'authorization_code', 'refresh_token', 'access_token'].some((word) => read.has(word))
}

function withOpenWay({ work }: Cause, f: Issue['fix'], audience: Audience | undefined): Issue['fix'] {
  // what pages show to visitors is told already
  if (audience?.who !== 'people' || audience.shown || audience.besides || audience.welcoming || !work || !OPEN_WAYS.has(work.kind)) return f
  const taken = work.chosen === 'recipient' ? ', and take the recipient from a row instead of the request' : ''
  return { ...f, text: `${f.text} When visitors without an account are meant to use it, put a rate limit in front instead${taken}.` }
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

/** The check that comes too late asks who somebody is: so does the code that comes in time. */
const asksWho = ({ who }: Audience): boolean => who === 'people' || who === 'administrators'

function optionalCode(f: Issue['fix']): { language?: string; code?: string } {
  return f.code ? { language: 'ts', code: f.code } : {}
}

/** An empty list of administrators names nobody: the question stays, and who is not on the list is turned away. */
function roleAlwaysAsked({ route, guard }: Cause): Issue['fix'] {
  const name = opener(guard) ?? ''
  const text = `Ask for the administrator whether or not ${name} is set: who is on no list is none, so that a missing variable lets nobody in.`
  if (guard?.at.path !== route.path) return { text: `${text} At ${guard?.at.path}:${guard?.at.line} refuse before the list is read when it is empty.` }
  return { text, language: 'ts', code: `if (!${variableOf(route, name)}) ${refusal(route, 403)}` }
}

/** In front of the comparison that is there, which asks for the header that the sender sends. */
const refuseWithout = (name: string, { route }: Cause, { around }: Known): string =>
  `if (!${variableOf(route, name)}) ${refusalAt(route, around, 401)} // in front of the comparison that is there`
