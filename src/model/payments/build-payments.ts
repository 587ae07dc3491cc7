import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../lib/place.ts'
import type { AppModel } from '../app-model.ts'
import type { Behaviour } from '../behaviour/types.ts'
import { sourceFiles } from '../files/files.ts'
import { calleeText, callsOf, expressions, stringOf } from '../frameworks/walk.ts'
import type { ModelInput } from '../model-input.ts'
import type { Route } from '../routes/routes.ts'
import { namesIn } from './conditions.ts'
import type { Handling, LibraryWebhook, PaymentsModel, Processor, Webhook } from './payments.ts'
import { OTHER_PROCESSORS } from './processors/other-processor-signs.ts'
import { findOtherProcessors, otherWebhooks, unlistedReceivers } from './processors/other-processors.ts'
import { PROCESSORS } from './processors/processors.ts'
import { sellsAgain, soldUnheard } from './sales/other-sales.ts'
import { boughtRows } from './sales/paid-rows.ts'
import { findRedemptions } from './sales/redemptions.ts'
import { refusedState } from './sales/refused-state.ts'
import { findSales } from './sales/sales.ts'
import { isRead } from './sales/status-readers.ts'
import { storedBy } from './sales/stored-period-end.ts'
import { findUnpaidGrants } from './sales/unpaid-grants.ts'
import { handlingOf } from './webhooks/handling.ts'
import { libraryWebhooks } from './webhooks/library-webhooks.ts'
import { judgeRepeats, type Surroundings } from './webhooks/repeated-delivery.ts'
import { judgeVerification, typePlace } from './webhooks/verification.ts'

type Slices = Pick<AppModel, 'files' | 'workspaces' | 'schema' | 'routes'>
type Sources = ReadonlyMap<string, JavaScriptFacts>
type Sold = NonNullable<PaymentsModel['subscriptions']>

/** The payments slice: processors, what is sold, and every endpoint that acts on a processor's events. */
export function buildPayments(input: ModelInput, slices: Slices): PaymentsModel {
  const sources = sourceFiles(input.facts.of('javascript'))
  const sales = findSales(sources)
  const webhooks: Webhook[] = []
  const unread: { subject: string; at: { path: string; line: number }; because: string }[] = []
  const used = sales.processors.map((p) => p.name)
  const routes = slices.routes.routes.filter((r) => slices.files.role(r.path) === 'source')
  for (const route of routes) {
    if (route.kind === 'page') continue
    const hook = route.behaviour && readWebhook(route, route.behaviour, sources, slices, used)
    if (hook) webhooks.push(hook)
    else if (used.length && looksLikeWebhook(route, used) && !route.behaviour?.complete) {
      unread.push({
        subject: route.subject,
        at: { path: route.path, line: route.line },
        because: route.behaviour?.gaps?.[0]?.because ?? 'its code could not be followed',
      })
    }
  }
  const handed = new Set(webhooks.flatMap((w) => (w.library ? [w.library] : [])))
  const libraries = [...libraryWebhooks(sources)].flatMap(([path, calls]) =>
    webhooks.some((w) => w.path === path)
      ? []
      : calls.filter((l) => !handed.has(l.library) || l.problem).map((found): LibraryWebhook => withSubject(found, slices)),
  )
  for (const l of libraries) {
    if (handed.has(l.library) || unread.some((u) => u.at.path === l.path)) continue
    unread.push({ subject: l.subject, at: { path: l.path, line: l.line }, because: `the library ${l.library} answers it` })
  }
  const recurringEvent = webhooks.flatMap((w) => w.events.filter((e) => PROCESSORS[w.processor].recurring.test(e)).map((event) => ({ w, event })))[0]
  const subscriptions =
    sales.subscriptions ??
    (recurringEvent && !sales.oneTime
      ? { ...(recurringEvent.w.typeAt ?? { path: recurringEvent.w.path, line: recurringEvent.w.line }), how: `the event ${recurringEvent.event}` }
      : undefined)
  const recurring =
    subscriptions ??
    (recurringEvent && /^(customer\.subscription\.|subscription[._])/.test(recurringEvent.event) && !webhooks.every((w) => onlyLogs(w, sales.oneTime))
      ? { path: recurringEvent.w.path, line: recurringEvent.w.line, how: `the event ${recurringEvent.event}` }
      : undefined)
  const processors = [
    ...sales.processors,
    ...webhooks
      .filter((w) => !sales.processors.some((p) => p.name === w.processor))
      .map((w) => ({ name: w.processor, at: { path: w.path, line: w.line }, because: `${w.subject} acts on its events` })),
  ]
  const called = findOtherProcessors(sources)
  const unheard = soldUnheard(sources, called)
  const unclaimed = routes.filter((r) => !webhooks.some((w) => w.subject === r.subject))
  const others = [...called, ...unlistedReceivers(unclaimed, called, sources)]
  const named = otherWebhooks(unclaimed, others, sources, slices.schema, surroundings(sources, routes))
  return {
    processors: [...new Map(processors.map((p) => [p.name, p])).values()],
    ...(recurring ? { subscriptions: inWorkspace(recurring, slices.workspaces.of(recurring.path).dir) } : {}),
    ...(sales.oneTime ? { oneTime: sales.oneTime } : {}),
    webhooks,
    unread,
    ...(libraries.length ? { libraries } : {}),
    others,
    otherWebhooks: named,
    ...(named.some((w) => w.recurring || !w.complete) || sellsAgain(sources, others) ? { othersRecur: true as const } : {}),
    ...(unheard ? { soldUnheard: inWorkspace(unheard, slices.workspaces.of(unheard.path).dir) } : {}),
    unpaidGrants: processors.length ? findUnpaidGrants(unclaimed) : [],
    redemptions:
      processors.length || others.length
        ? findRedemptions(
            unclaimed.filter((r) => !named.some((w) => w.subject === r.subject)),
            slices.schema,
          )
        : [],
    bought: processors.length || others.length ? boughtRows(routes, new Set([...webhooks, ...named].map((w) => w.subject))) : [],
  }
}

/** The route that the library answers, when the file serves one; otherwise the file. */
function withSubject(found: Omit<LibraryWebhook, 'subject' | 'workspace'>, slices: Slices): LibraryWebhook {
  const route = slices.routes.routes.find((r) => r.path === found.path && r.kind !== 'page')
  const workspace = route?.workspace ?? slices.workspaces.of(found.path).dir
  return { ...found, subject: route?.subject ?? `file ${found.path}`, ...(workspace ? { workspace } : {}) }
}

const inWorkspace = <T extends Sold>(sold: T, dir: string): T => (dir ? { ...sold, workspace: dir } : sold)

/** The names of events that an endpoint tells apart. */
const eventsOf = rememberFor((behaviour: Behaviour): readonly string[] => {
  const conditions = new Set(behaviour.steps.flatMap((s) => s.under))
  return [...new Set([...conditions].flatMap((c) => [...namesIn(c.test)]))].sort()
})

/** An endpoint is a webhook when it verifies a processor's signature or tells its events apart. */
function readWebhook(route: Route, behaviour: Behaviour, sources: Sources, slices: Slices, used: readonly Processor[]): Webhook | undefined {
  const events = eventsOf(behaviour)
  const processor = processorOf(route, behaviour, events, sources, used)
  if (!processor) return undefined
  const names = PROCESSORS[processor]
  const typeAt = typePlace(behaviour, route.path)
  const stored = storedBy(behaviour)
  const reads = (table: string, columns: readonly string[]) => isRead(table, columns, route.path, sources, slices.schema)
  const mirror = mirrorOf(behaviour, sources)
  const unfollowed = behaviour.complete ? [] : [...names.failed, ...names.deleted].filter((e) => !events.includes(e) && writes(sources.get(route.path), e))
  const mirrored = (h: Handling): Handling =>
    mirror && h.how === 'none' && asksMirror(slices.routes.routes, sources) ? { ...h, how: 'resyncs', at: mirror.at } : h
  return {
    subject: route.subject,
    path: route.path,
    line: route.line,
    ...(route.workspace ? { workspace: route.workspace } : {}),
    processor,
    complete: behaviour.complete,
    ...(typeAt ? { typeAt } : {}),
    ...judgeVerification(route, behaviour, route.kind === 'edge-function', sources),
    ...(mirror ? { library: mirror.library } : {}),
    failed: mirrored(handlingOf(behaviour, route, names.failed, names.updated, reads, (s) => refusedState(s, 'failed', processor, slices.schema))),
    deleted: mirrored(handlingOf(behaviour, route, names.deleted, names.ended ?? [], reads, (s) => refusedState(s, 'deleted', processor, slices.schema))),
    events,
    ...(unfollowed.length ? { unfollowed } : {}),
    ...(stored ? { stored } : {}),
    ...judgeRepeats(route, behaviour, slices.schema, surroundings(sources, slices.routes.routes)),
  }
}

/** Whether a file holds a text. */
const writes = (js: JavaScriptFacts | undefined, text: string): boolean =>
  js?.functions.some((fn) => expressions(fn).some((e) => stringOf(e) === text)) ?? false

/** The library that verifies an endpoint's events and keeps a copy of the processor's objects. */
function mirrorOf({ steps }: Behaviour, sources: Sources): { readonly library: string; readonly at: Place } | undefined {
  const step = steps.find((s) => s.effect.kind === 'verify-signature' && s.effect.library === 'stripe-sync')
  if (!step) return undefined
  const imported = [...sources.values()].flatMap((js) => js.imports.map((i) => i.from))
  return { library: imported.find((from) => /^(?:@supabase\/)?stripe-(?:replit-|experiment-)?sync(?:-engine)?$/.test(from)) ?? 'stripe-sync', at: step.at }
}

/** Whether a handler asks for the subscriptions in that copy, which has a schema of its own. */
const asksMirror = (routes: readonly Route[], sources: Sources): boolean =>
  routes.some((r) =>
    r.behaviour?.steps.some(({ effect: e, at }) => {
      if (e.kind !== 'db' || e.op !== 'select' || !/subscription|invoice/i.test(e.table)) return false
      const ofCopy = new RegExp(`\\bstripe"?\\."?${e.table.replace(/\W/g, '.')}\\b`, 'i')
      return sources.get(at.path)?.functions.some((fn) => expressions(fn).some((x) => ofCopy.test(x.k === 'tpl' ? x.quasis.join(' ') : (stringOf(x) ?? ''))))
    }),
  )

function surroundings(sources: Sources, routes: readonly Route[]): Surroundings {
  return {
    code: (path) => sources.get(path),
    transactional: (path) => {
      const js = sources.get(path)
      return js !== undefined && hasTransaction(js)
    },
    invoked: (name) => routes.find((r) => r.kind === 'edge-function' && r.subject === `function ${name}`)?.behaviour,
  }
}

/** `db.$transaction(…)`, `sql.begin(…)`: what fails inside takes everything with it. */
const hasTransaction = rememberFor((js: JavaScriptFacts): boolean => {
  const called = [...callsOf(js)].map(({ call }) => saidTo(call))
  return called.some((c) => TRANSACTION.test(c)) || (called.some((c) => TRANSACTION_BEGIN_CALL.test(c)) && called.some((c) => ROLLBACK_CALL.test(c)))
})

const TRANSACTION = /(^|\.)(\$?transaction|begin|withTransaction|runTransaction)$/
/** Begun and undone by hand: `session.startTransaction()` and `session.abortTransaction()`, `client.query('BEGIN')` and `client.query('ROLLBACK')`. */
const TRANSACTION_BEGIN_CALL = /(^|\.)(startTransaction|beginTransaction)$|^(begin|start transaction)\b/i
const ROLLBACK_CALL = /(^|\.)(abortTransaction|rollbackTransaction|rollback)$|^rollback\b/i

/** The statement that a query is given, or what is called. */
function saidTo({ fn, args: [first] }: ReturnType<typeof callsOf>[number]['call']): string {
  const callee = calleeText(fn)
  return /(^|\.)(query|execute|run|exec)$/.test(callee) ? ((first && stringOf(first)) ?? callee) : callee
}

const PROCESSOR_BY_LIBRARY: Readonly<Record<string, Processor>> = {
  stripe: 'stripe',
  'stripe-sync': 'stripe',
  paddle: 'paddle',
  polar: 'polar',
  lemonsqueezy: 'lemonsqueezy',
}

function processorOf(route: Route, behaviour: Behaviour, events: readonly string[], sources: Sources, used: readonly Processor[]): Processor | undefined {
  for (const s of behaviour.steps) {
    const known = s.effect.kind === 'verify-signature' ? PROCESSOR_BY_LIBRARY[s.effect.library] : undefined
    if (known) return known
  }
  const matches = (Object.keys(PROCESSORS) as Processor[]).filter((name) => events.some((e) => PROCESSORS[name].names.test(e)))
  if (!matches.length) return undefined
  // Names of two processors overlap (`subscription.updated`): what the file and the route speak of decides.
  const js = sources.get(route.path)
  const speaks = (name: Processor) =>
    route.route.toLowerCase().includes(name) ||
    route.path.toLowerCase().includes(name) ||
    (js?.imports.some((i) => PROCESSORS[name].packages.test(i.from) || i.from.toLowerCase().replace(/[-_]/g, '').includes(name)) ?? false) ||
    // the name of its secret: `LEMONSQUEEZY_WEBHOOK_SECRET`
    testsOf(behaviour).includes(`"name":"${name}_`)
  const spoken = matches.find(speaks)
  if (spoken) return spoken
  // Paystack has an `invoice.payment_failed` too, and Mercado Pago an `x-signature`; nobody else says in `meta` what happened.
  if (namesAnother(`${route.route} ${route.path} ${testsOf(behaviour)}`)) return undefined
  const signed = matches.find((name) => testsOf(behaviour).includes(PROCESSORS[name].header))
  if (signed) return signed
  if (matches.includes('lemonsqueezy') && testsOf(behaviour).includes('"meta.event_name"')) return 'lemonsqueezy'
  const known = matches.filter((name) => used.includes(name))
  if (known.length === 1 && events.some((e) => PROCESSORS[known[0] as Processor].recurring.test(e))) return known[0]
  // Without a word about the processor only names that nobody else uses count.
  return matches.length === 1 && events.some((e) => /^(customer\.subscription|checkout\.session|invoice|payment_intent)\./.test(e)) ? matches[0] : undefined
}

const namesAnother = (text: string): boolean => {
  const letters = text.toLowerCase().replace(/[^a-z/]/g, '')
  return Object.keys(OTHER_PROCESSORS).some((name) => name.length > 5 && letters.includes(name.toLowerCase().replace(/[^a-z]/g, '')))
}

/** What an endpoint tests, as text. */
const testsOf = rememberFor(({ steps }: Behaviour): string =>
  [...new Set(steps.flatMap((s) => s.under))]
    .map((c) => JSON.stringify(c.test).toLowerCase())
    .join(' ')
    .replaceAll('lemon_squeezy', 'lemonsqueezy'),
)

function looksLikeWebhook(route: Route, processors: readonly Processor[]): boolean {
  const text = `${route.route} ${route.path}`.toLowerCase()
  return /webhook/.test(text) && (processors.some((p) => text.includes(p)) || /\/webhooks?(\/|$|\.)/.test(text))
}

/** Whether an endpoint of a shop that charges once notes down what happens to subscriptions and does nothing about it: cases taken over from an example. */
function onlyLogs({ complete, failed, deleted }: Webhook, oneTime: PaymentsModel['oneTime']): boolean {
  const nothing = (how: Webhook['failed']['how']) => how === 'logs-only' || how === 'none'
  return complete && oneTime !== undefined && oneTime.how !== 'a payment link' && deleted.how === 'logs-only' && nothing(failed.how)
}
