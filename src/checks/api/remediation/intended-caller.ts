import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import { withCapital } from '../../../lib/with-capital.ts'
import type { Condition } from '../../../model/behaviour/types.ts'
import type { DatabaseCall } from '../../../model/routes/code-context/schedules.ts'
import type { Route, Surroundings, Work } from '../../../model/routes/routes.ts'
import { protectedBecause } from '../../auth/protected-because.ts'
import { isSteered } from '../binding/request-influence.ts'
import { isForAdministrators } from './code-conventions.ts'

/** Whom a handler is for, as its name, what it reads and who calls it say: what has to be asked of them differs. */
export type Audience =
  /** The clock, which has no session. */
  | { readonly who: 'scheduler'; readonly because: string; readonly named?: true; readonly also?: Place; readonly through?: Place }
  /** Another service, which signs what it sends or brings a secret. */
  | { readonly who: 'service'; readonly sender?: string }
  /** Other functions and handlers of the application, from the server. */
  | { readonly who: 'functions'; readonly from: DatabaseCall }
  /** Whoever visits: nobody signs in to fill in a form. */
  | {
      readonly who: 'visitors'
      readonly as: 'form' | 'reset' | 'checkout' | 'chat' | 'counter' | 'claim' | 'captcha' | 'page'
      readonly pages?: readonly Route[]
      /** The pages look who is signed in as well, and only show themselves to those who are not. */
      readonly welcomed?: true
    }
  /** Whoever writes the application, to try something out. */
  | { readonly who: 'nobody' }
  | { readonly who: 'administrators'; readonly job?: true }
  /** Those with an account; a page for everybody may use it too, or one that nobody is sent away from, or each that does asks who is signed in. */
  | { readonly who: 'people'; readonly besides?: Route; readonly welcoming?: Route; readonly shown?: true }

/** The words of a name, of the last parts of a path or of a function. */
const wordsOf = (route: Route): string => {
  const name =
    route.kind === 'action' ? route.subject.slice(route.subject.lastIndexOf('#') + 1) : route.route.replace(/^\/(?:functions\/v1|api(?:\/trpc)?)\//, '/')
  const said = name.split('/').filter((part) => !part.startsWith('['))
  return snakeCase(said.flatMap((part) => part.match(/[A-Za-z0-9]+/g) ?? []).join('_'))
}

const has = (words: string, what: RegExp): boolean => what.test(words)

/** `(^|_)` and `(_|$)` around alternatives. */
const word = (alternatives: string): RegExp => new RegExp(`(?:^|_)(?:${alternatives})(?:_|$)`)

const CLOCK = word('crons?|cron_jobs?|schedulers?')
/** Jobs are listed and changed there, by somebody who looks at them. */
const KEEPS_JOBS = /^(?:manage|list|get|create|add|update|edit|delete|toggle|configure|admin)_|_(?:manager|management|admin|settings|config|list)$/
const JOB = word(
  'scheduled|reminders?|digests?|clean_?up|cleanups|drip|sweep|sweeper|purge|prune|expire|expiry|expired|daily|weekly|hourly|nightly|monthly|dispatch|dispatcher|process_(?:\\w{1,30}_)?queue|queue_(?:worker|processor)|worker|auto_\\w{1,40}|stalled|overdue|retention|rollup|heartbeat',
)
/** What runs over everybody's rows by itself. */
const UPKEEP = word(
  'process|resets?|renew|renewals?|refill|refresh|recalculate|recompute|aggregate|archive|rotate|sync|reconcile|expirations?|allocations?|snapshots?',
)
/** What somebody wrote to see whether a key, a connection or an event works; `tests` may be what people sit. */
const DIAGNOSTIC_ENDPOINT =
  /(?:^|_)debug(?:_|$)|(?:^|_)test_(?:secret|event|e?mail|webhook|hook|db|database|connection|env|auth|token|key|config|api|stripe|paddle|paypal|supabase|sms|push|notifications?|endpoint|insert|cron)(?:_|$)/
const HOOK = word('webhooks?|ipn|postback')
const SERVICE = word('callbacks?|hooks?|inbound|internal')
const AUTH = word('auth|oauth|login|sign_?in')
const FORM = word(
  'contact|contact_us|newsletters?|subscribe|wait_?list|feedback|(?:en|in)quir(?:y|ies)|leads?|consultation|consultations|quotes?|demo_requests?|request_demo|book_demo|book_a_call|complaints?|rsvp|survey|testimonials?',
)
const PASSWORD_RESET_OPERATION = /(?:^|_)(?:send_|request_)?(?:password_reset|reset_password|forgot_password|magic_link)(?:_|$)/
const CHECKOUT = word('guest|guest_checkout|checkout|create_checkout|pix|process_payment|process_pix_payment|create_order')
const CHAT = word('chat_?bot|chat_support|support_chat|chat_assistant|live_chat|public_chat|chat_widget|faq_chat|visitor_chat|chat_notifications?')
/** Whether who fills in a form is a person is asked before anybody has an account. */
const CAPTCHA = word(
  '(?:verify|check|validate)_(?:turnstile|h?captcha|re_?captcha|captcha_token)|(?:turnstile|h?captcha|re_?captcha)(?:_verify|_verification|_check)?',
)
const COUNTER = word('impressions?|clicks?|page_?views?|track|tracking|(?:record|log|increment|count)_\\w{0,20}(?:views?|clicks?)|analytics_event|pixel')
/** What tells administrators something is no operation of theirs. */
const TELLS_ADMIN = word(
  '(?:notify|alert|contact|email|mail|message|ping|inform|tell)_(?:the_)?(?:admins?|owners?|team|staff)|(?:admins?|owners?)_(?:notifications?|alerts?|notify|contact|chat)',
)
const ADMIN = word(
  'admins?|administrators?|backoffice|superadmin|(?:set|assign|grant|invite|update|change|make)_(?:user_)?roles?|role_invites?|diagnostics|backfill|migrate|seed',
)

/** Headers by which senders of webhooks say who they are. */
const SENDERS: readonly (readonly [RegExp, string])[] = [
  [/^svix-/, 'svix'],
  [/^webhook-(?:id|signature|timestamp)$/, 'standard'],
  [/^x-twilio-signature$/, 'Twilio'],
  [/^x-hub-signature/, 'Meta'],
  [/^x-cld-signature$/, 'Cloudinary'],
  [/^x-shopify-hmac/, 'Shopify'],
  [/^x-slack-signature$/, 'Slack'],
  [/^calendly-webhook-signature$/, 'Calendly'],
]
const NAMED_SENDERS =
  /(?:^|_)(cloudinary|calendly|gumroad|groupme|mailchimp|telnyx|jotform|tally|twilio|resend|sendgrid|mailgun|postmark|shopify|slack|telegram|whatsapp|github|hubspot|typeform|zapier|elevenlabs|vapi|retell|discord|clerk)(?:_|$)/

/** A sender of webhooks whose headers the code allows, where it does not read them. */
const allowsHeaderOf = (texts: readonly string[]): string | undefined =>
  SENDERS.find(([header]) => texts.some((t) => t.split(/[,\s]+/).some((part) => header.test(part.toLowerCase()))))?.[1]

/** A place in a page or component that only administrators are shown. */
export const isOfAdministrators = (path: string): boolean => /(?:^|[/._-])\(?admin|Admin(?=[A-Z/.])/.test(path)

/** Whether a place is in code that browsers run. */
const outsideFunctions = (p: Place): boolean => !inEdgeFunctions(p.path)

/** The address is proven to be the receiver's before any event is sent (`url_verification`), or the body is what a trigger of the database sends. */
const provesAddress = (texts: readonly string[]): boolean => texts.includes('url_verification')

/** `{ type, table, record, old_record }`: a webhook of the database, which tells of a row. */
function tellsOfRow(names: ReadonlySet<string>, { kind, framework }: Route): boolean {
  // where many handlers share a file, or their pages are not known, common words say nothing
  const alone = kind === 'edge-function' || framework === 'Next.js'
  return names.has('record') && (names.has('old_record') || (alone && names.has('table') && names.has('type')))
}

/** Frameworks that register handlers by calls or decorators, many in one file: what the file says may be said of another. */
const BY_CALLS: ReadonlySet<string> = new Set(['Express', 'Fastify', 'Hono', 'NestJS', 'tRPC'])

/** Who calls a handler, as far as the repository shows: several parts of one finding ask the same. */
export const audienceOf = rememberFor((route: Route, around: Surroundings): Audience => {
  const words = wordsOf(route)
  // whoever sees the pages that use it has signed in, whatever its name says
  if (route.behind) return { who: route.behind === 'administrators' || isForAdministrators(route) ? 'administrators' : 'people' }
  const name = route.kind === 'edge-function' ? route.subject.replace(/^function /, '') : undefined
  const callers = name === undefined ? [] : around.callersOf(name).filter((p) => !p.path.startsWith(`${folderOf(route.path)}/`))
  const page = callers.find(outsideFunctions)
  const beside = page ?? around.pagesUsing(route)[0]
  const also = beside ? { also: { path: beside.path, line: beside.line } } : {}
  const database = name === undefined ? undefined : around.timetable.byDatabase.get(name)
  const { functions, paths } = around.timetable
  const through = name === undefined ? undefined : functions.get(name)
  if ((name !== undefined && functions.has(name)) || paths.has(route.route))
    return { who: 'scheduler', because: name === undefined ? 'vercel.json starts it' : 'a job of pg_cron starts it', ...also, ...(through ? { through } : {}) }
  // what the server itself calls brings the key of the server, whatever it is called
  const byServer = database !== undefined || callers.some((p) => inEdgeFunctions(p.path))
  if (has(words, CLOCK) && !byServer && !(beside && has(words, KEEPS_JOBS)))
    return { who: 'scheduler', because: 'by its name a scheduler calls it', named: true, ...also }
  const asked = around.requestsTo(route)
  // the clock names no row, and what pages ask for is no job, whatever it is called: reminders and what is scheduled are things as well
  const asksPages = asked.some((r) => !r.fromServer && !isOfAdministrators(r.path)) || (route.kind === 'api' && beside && !isOfAdministrators(beside.path))
  // whoever runs the application presses a button for it there
  const ofButtons = isForAdministrators(route) && (beside !== undefined || asked.some((r) => !r.fromServer))
  // a button of administrators that says whom it is about: the clock would not know
  const ofOne = asked.some((r) => !r.fromServer) && namesRow(route)
  const isJob = route.kind !== 'action' && !byServer && !asksPages && !ofOne && !/\[/.test(route.route) && has(words, JOB)
  if (isJob && !page && !ofButtons) return { who: 'scheduler', because: 'by its name it is a job that a scheduler starts', named: true, ...also }
  if (ofOne && !asksPages && has(words, JOB)) return { who: 'administrators' }
  if (route.kind !== 'action' && has(words, DIAGNOSTIC_ENDPOINT)) return { who: 'nobody' }
  if (route.kind === 'edge-function' && /^tests?_/.test(words) && !callers.length && !database) return { who: 'nobody' }
  if (!callers.length && !database && route.kind === 'edge-function' && has(words, UPKEEP) && !isSteered(route))
    return { who: 'scheduler', because: 'by its name it is a job, nothing of a request enters into it, and no page calls it', named: true }
  const header = Object.keys(route.behaviour?.headersRead ?? {}).map((h) => SENDERS.find(([re]) => re.test(h.toLowerCase()))?.[1])
  const texts = route.kind === 'action' || (route.kind !== 'edge-function' && BY_CALLS.has(route.framework)) ? [] : around.texts(route.path)
  const sender = header.find((x) => x !== undefined) ?? allowsHeaderOf(texts) ?? (provesAddress(texts) ? 'Slack' : undefined)
  if (sender) return { who: 'service', sender }
  if (route.kind !== 'action' && !callers.length && !database && !beside && tellsOfRow(around.members(route.path), route))
    return { who: 'service', sender: 'database' }
  if (route.kind !== 'action' && !asksPages && (has(words, HOOK) || (has(words, SERVICE) && !has(words, AUTH)))) {
    const named = NAMED_SENDERS.exec(words)?.[1]
    return { who: 'service', ...(named ? { sender: withCapital(named) } : {}) }
  }
  const pages = callers.filter(outsideFunctions)
  // who makes or opens a bucket, or works on whichever table he names, runs the application
  const setsUp = route.work.some((w) => w.kind === 'bucket' || (w.table === undefined && /whatever table/.test(w.what)))
  if (
    setsUp ||
    bans(route) ||
    (has(words, CLOCK) && has(words, KEEPS_JOBS)) ||
    isForAdministrators(route) ||
    isAdministratorsByName(route, words) ||
    (pages.length && pages.every((p) => isOfAdministrators(p.path)))
  )
    return { who: 'administrators', ...(isJob ? { job: true as const } : {}) }
  if (isRunAlone(route, around) && !byServer && !callers.length)
    return { who: 'scheduler', because: 'nothing of a request enters into it, and no page calls it', named: true }
  // which pages use it says more than what it is called
  const using = around.pagesUsing(route)
  if (using.length && using.every((p) => isOfAdministrators(p.path) && (p.guard || p.clientLayout))) return { who: 'administrators' }
  const open = using.filter((p) => isForEverybody(p, using))
  if (using.length && using.every((p) => p.guard?.trust === 'verified' || p.page?.gated || p.signs?.turnsAway))
    return using.every((p) => p.guard?.who === 'admin' || p.page?.administrators) ? { who: 'administrators' } : { who: 'people', shown: true }
  const as = visitors(words, route)
  // what is entered for somebody whom the request names is no count of visits
  if (as && !(as === 'counter' && (route.work.some((w) => !w.guard && w.chosen === 'owner') || !counts(route)))) return { who: 'visitors', as }
  const [from = database] = callers
  if (from && !page) return { who: 'functions', from }
  const [asking] = asked
  if (asking && asked.every((r) => r.fromServer && !r.brings)) return { who: 'functions', from: { path: asking.path, line: asking.line } }
  // right after a sign-up nobody is signed in whose address has to be confirmed first
  if (using.length && !isSteered(route) && using.every((p) => SIGN_UP.test(p.route) && sendsNobodyAway(p, using)))
    return { who: 'visitors', as: 'page', pages: using, ...(open.length ? {} : { welcomed: true as const }) }
  const [first] = open
  if (!first) {
    const welcoming = around.guardsPages ? using.filter((p) => sendsNobodyAway(p, using)) : []
    const [one] = isForAccounts(route) ? [] : welcoming
    if (one && onlyCosts(route)) return { who: 'visitors', as: 'page', pages: welcoming, welcomed: true }
    return one ? { who: 'people', welcoming: one } : { who: 'people' }
  }
  // what only costs something is worth the same to whoever looks at a page: people may use it elsewhere as well
  return open.length === using.length || onlyCosts(route) ? { who: 'visitors', as: 'page', pages: open } : { who: 'people', besides: first }
})

/** Nobody locks the own account. */
const bans = ({ behaviour }: Route): boolean =>
  behaviour?.steps.some(
    ({ effect: e }) => e.kind === 'auth-call' && e.op === 'admin' && e.args.some((a) => a.v === 'object' && a.props.ban_duration !== undefined),
  ) ?? false

/** It does nothing unless the request says by an id what it is about. */
const namesRow = ({ behaviour }: Route): boolean => {
  const work = behaviour?.steps.filter(({ effect: e }) => e.kind !== 'respond' && e.kind !== 'log' && e.kind !== 'throw') ?? []
  const saysWhich = ({ test, negated }: Condition) => !negated && test.v === 'request' && test.part === 'body' && /(?:^id|_id|[a-z]Id)$/.test(test.name ?? '')
  return work.length > 0 && work.every((s) => s.under.some(saysWhich))
}

const SIGN_UP = /(?:^|\/)(?:sign-?up|register|registration|join)(?:[-_/]?\w{0,30})?$/i

/** What an edge function does to rows or sends by itself, in an application whose pages call others: the clock starts it, or whoever runs the application. */
const isRunAlone = (route: Route, around: Surroundings): boolean =>
  route.kind === 'edge-function' &&
  around.callsFunctions &&
  !isSteered(route) &&
  route.work.some((w) => !w.hidden && !w.guard && w.rights === 'service' && (w.kind === 'update' || w.kind === 'delete' || w.kind === 'insert'))

/** Nobody subscribes for an account without having one, and visitors make none for others. */
const isForAccounts = ({ work }: Route): boolean =>
  work.some((w) => !w.hidden && !w.guard && ((w.kind === 'payment' && w.chosen === 'owner') || (w.kind === 'admin' && !/generateLink/.test(w.what))))

const onlyCosts = ({ work }: Route): boolean => {
  const open = work.filter((w) => !w.hidden && !w.guard)
  return open.some((w) => w.kind === 'paid-api') && open.every((w) => !w.chosen && (w.kind === 'paid-api' || (w.kind === 'read' && !w.userData)))
}

/** Nobody signs in for a page: nothing guards it or asks who is signed in, and the application does not treat it as one of somebody's own. */
export const isForEverybody = (page: Route, all: readonly Route[]): boolean => !page.signs?.readsUser && sendsNobodyAway(page, all)

/** What a page shows to whoever is signed in may be a name in its head: where nothing guards it although others are guarded, visitors see it as well. */
const sendsNobodyAway = (page: Route, all: readonly Route[]): boolean =>
  !page.guard &&
  !page.browserGuard &&
  !page.idleGuard &&
  !page.page?.gated &&
  !page.signs?.turnsAway &&
  protectedBecause(page, all, true) === undefined &&
  !isOfAdministrators(page.path)

const TAKES_AWAY: ReadonlySet<Work['kind']> = new Set(['delete', 'file-delete', 'admin', 'command'])

/** What whoever has paid calls for what was bought. */
const CLAIM = word('(?:verify|claim|redeem|confirm|unlock)_(?:\\w{1,20}_)?(?:purchases?|payments?|orders?|gamepass|checkout|upgrade)')
/** `/api/properties/[id]/view`. */
const VIEW = /_views?$/

function visitors(words: string, route: Route): Extract<Audience, { readonly who: 'visitors' }>['as'] | undefined {
  if (route.work.some((w) => !w.hidden && TAKES_AWAY.has(w.kind))) return undefined
  // an image in a mail, a link that leads on: what counts shows nothing of anybody
  if (route.method === 'GET' && has(words, COUNTER) && !route.work.some((w) => !w.hidden && w.userData && w.kind === 'read')) return 'counter'
  if (route.method !== undefined && route.method !== 'POST') return undefined
  const kinds = {
    captcha: CAPTCHA,
    reset: PASSWORD_RESET_OPERATION,
    form: FORM,
    chat: CHAT,
    counter: VIEW.test(words) ? VIEW : COUNTER,
    claim: CLAIM,
    checkout: CHECKOUT,
  } as const
  return (Object.keys(kinds) as (keyof typeof kinds)[]).find((kind) => has(words, kinds[kind]))
}

/** A count is written down: what only reads, or signs a link to a file, shows something. */
const counts = (route: Route): boolean =>
  route.work.some((w) => !w.hidden && RATE_LIMITED_OPERATIONS.has(w.kind)) &&
  !route.work.some((w) => !w.hidden && (w.kind === 'sign' || w.kind === 'file-read'))

const RATE_LIMITED_OPERATIONS: ReadonlySet<Work['kind']> = new Set(['insert', 'update', 'rpc', 'paid-api'])

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** `admin-create-user`, `send-admin-invite`, `adminproduct.action.ts#deleteProduct`, `app/admin/actions.ts`. */
function isAdministratorsByName(route: Route, words: string): boolean {
  if (has(words, TELLS_ADMIN)) return false
  if (has(words, ADMIN)) return true
  if (route.kind !== 'action') return false
  return /(?:^|[/._-])\(?admin\w{0,20}\)?(?:[/._-]|$)/i.test(route.path) && !/(?:notify|alert|contact)/i.test(words)
}
