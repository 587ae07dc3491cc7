import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { type ByFile, together, unlessEmpty } from '../../../lib/memo/collect-by-file.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { withCapital } from '../../../lib/with-capital.ts'
import type { Behaviour, Step } from '../../behaviour/types.ts'
import { expressions, stringOf } from '../../frameworks/walk.ts'
import type { Route } from '../../routes/routes.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { contains, namesIn } from '../conditions.ts'
import type { OtherProcessor, OtherWebhook, VerificationProblem } from '../payments.ts'
import { goesByAnswer } from '../questions.ts'
import { judgeRepeats, type Surroundings } from '../webhooks/repeated-delivery.ts'
import { judgeVerification, trusts } from '../webhooks/verification.ts'
import { endsHandled } from './other-events.ts'
import { OTHER_PROCESSORS, processorAt, processorOfHeader, unlistedProcessor } from './other-processor-signs.ts'

/** The other processors that the code uses, each with the first place. */
export function findOtherProcessors(files: ByFile<JavaScriptFacts>): OtherProcessor[] {
  const found = new Map<string, OtherProcessor>()
  for (const processor of together(processorsByFile(files))) if (!found.has(processor.name)) found.set(processor.name, processor)
  return [...found.values()]
}

const processorsByFile = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: OtherProcessor[] = []
  const names = Object.entries(OTHER_PROCESSORS)
  for (const i of js.imports) {
    const name = i.typeOnly ? undefined : names.find(([, s]) => s.packages.test(i.from.replace(/^npm:/, '')))?.[0]
    if (name) found.push({ name, at: { path, line: i.l }, because: `imports ${i.from}` })
  }
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      const text = e.k === 'tpl' ? e.quasis[0] : e.k === 'lit' ? stringOf(e) : undefined
      const sender = text && (text.startsWith('x-') || text.startsWith('X-')) ? processorOfHeader(text) : undefined
      if (sender) found.push({ name: sender, at: { path, line: e.l }, because: `reads ${text}` })
      if (!text?.startsWith('https://')) continue
      const name = names.find(([, s]) => s.hosts.test(text))?.[0] ?? unlistedProcessor(text)
      if (name) found.push({ name, at: { path, line: e.l }, because: `uses ${text.slice(0, 40)}` })
    }
  }
  return unlessEmpty(found)
})

/** Endpoints that are named as receivers of such a processor's events and take what they are told. */
export function otherWebhooks(
  routes: readonly Route[],
  processors: readonly OtherProcessor[],
  sources: ReadonlyMap<string, JavaScriptFacts>,
  schema: Pick<SchemaModel, 'tables' | 'functions' | 'policies'>,
  surroundings: Surroundings,
): OtherWebhook[] {
  return routes.flatMap((route): OtherWebhook[] => {
    const { behaviour } = route
    const processor = behaviour && receives(route, processors, sources.get(route.path))
    if (!processor) return []
    const webhook = {
      subject: route.subject,
      path: route.path,
      line: route.line,
      processor: processor.name,
      complete: behaviour.complete,
      ...judgeRepeats(route, behaviour, schema, surroundings),
      ...endsHandled(route, behaviour, processor.name),
      ...(speaksOfRecurring(behaviour) ? { recurring: true as const } : {}),
      ...(goesByAnswer(behaviour) ? { asks: true as const } : {}),
      ...(route.workspace ? { workspace: route.workspace } : {}),
    }
    const { verification, maybeVerifiedBy } = judgeVerification(route, behaviour, false, sources)
    const problem = verification.find((p) => p.trusted)
    const call = verification.find((p) => COMPARISON_PROBLEMS.has(p.kind))
    if (call && !problem) return [{ ...webhook, verified: false, problem: call }]
    if (!problem) return behaviour.steps.some(trusts) && !maybeVerifiedBy ? [{ ...webhook, verified: true }] : [{ ...webhook, verified: false }]
    // where there is a verification, no question to anybody else is meant to stand in for it
    return [{ ...webhook, verified: false, ...(behaviour.complete && (problem.kind !== 'none' || !asksSomebody(behaviour)) ? { problem } : {}) }]
  })
}

const RECURRING =
  /subscri|recurr|renew|member|premium|preapproval|\bplans?\b|_plans?\b|plans?_|\btier|_tier|invoice|assinatura|mensalidade|abonn|suscrip|\bpro\b/i

/** Whether what an endpoint writes, finds or tells apart is named like something that is paid again and again. */
function speaksOfRecurring({ steps }: Behaviour): boolean {
  return steps.some(({ effect: e, under }) => {
    if (under.some((c) => [...namesIn(c.test)].some((name) => RECURRING.test(name)))) return true
    if (e.kind === 'rpc' || e.kind === 'invoke') return RECURRING.test(e.kind === 'rpc' ? e.function : e.name)
    if (e.kind !== 'db') return false
    return RECURRING.test(e.table) || contains(e.payload, (v) => v.v === 'object' && Object.keys(v.props).some((column) => RECURRING.test(column)))
  })
}

/** How a signature is compared may be wrong although nothing is done without it. */
const COMPARISON_PROBLEMS: ReadonlySet<VerificationProblem['kind']> = new Set(['reserialised', 'plain-hash', 'empty-secret', 'literal-secret'])

/** Which of the columns that an endpoint writes says that money has come, or went. */
const PAYMENT_STATUS_COLUMN = /(?:^|_)(?:payment|deposit|balance|billing|escrow|payout|subscription)_?(?:status|state)$|(?:^|_)paid(?:_at)?$/i
const MONEY_TABLE = /(?:^|_)(?:payments?|payouts?|transactions?|invoices?|deposits?|top_?ups?|wallets?)$/i
const SAYS_HOW = /^(?:status|state|balance)$/i
/** What the name of an endpoint says beside whose events it receives. */
const BESIDE_THE_NAME =
  /^(?:web|hooks?|webhooks?|handle|handler|handles|receive|receiver|process|on|payments?|pay|payouts?|callback|ipn|postback|notify|notifications?|events?|api|v\d|index|route|server)$/i

/**
 * Endpoints that are named as receivers of events and write down what was paid, where no code of the repository calls the processor: whose events
 * they are only the name says. What asks who calls in another way than by a signature is left to the check that knows such ways.
 */
export function unlistedReceivers(routes: readonly Route[], known: readonly OtherProcessor[], sources: ReadonlyMap<string, JavaScriptFacts>): OtherProcessor[] {
  return routes.flatMap((route): OtherProcessor[] => {
    const { behaviour, subject, path, line } = route
    const listed = listedName(route)
    if (
      !behaviour ||
      (route.guard && !(listed && route.guard.who === 'secret')) ||
      !RECEIVER.test(`${route.route} ${path}`) ||
      receives(route, known, sources.get(path))
    )
      return []
    if (route.kind === 'page' || (route.method !== undefined && route.method !== 'POST')) return []
    if (listed && behaviour.steps.some(trusts))
      return [{ name: listed, at: { path, line }, because: `${subject} is called after it, and takes what it is told` }]
    if (!behaviour.steps.some(writesDownPayment)) return []
    const words = route.route.split(/[^a-z0-9]+/i).filter((word) => word && !BESIDE_THE_NAME.test(word))
    const name = words.at(-1)
    return name ? [{ name: withCapital(name), at: { path, line }, because: `${subject} writes down what it says was paid` }] : []
  })
}

/** A processor that the address of an endpoint names, where the word means nothing else. */
const listedName = rememberFor((route: Route): string | undefined => {
  const said = wordsOf(`${route.route} ${route.path}`)
  return Object.keys(OTHER_PROCESSORS).find((name) => !COMMON_WORD.test(name) && said.has(letters(name)))
})
const COMMON_WORD = /^(?:Square|Tap|Tabby|Efí|payOS|Adyen)$/

function writesDownPayment({ effect: e }: Step): boolean {
  if (e.kind !== 'db' || e.op === 'select' || e.op === 'delete' || !e.payload) return false
  const rows = e.payload.v === 'any' ? e.payload.of : [e.payload]
  const columns = rows.flatMap((row) => (row.v === 'object' ? Object.keys(row.props) : []))
  return columns.some((c) => says(PAYMENT_STATUS_COLUMN, c) || (says(MONEY_TABLE, lastPart(e.table)) && says(SAYS_HOW, c)))
}

const RECEIVER = /webhook|(^|[/_-])(ipn|postback)([/_.-]|$)/i

/** The processor whose events an endpoint is named to receive; with several in use, the one of which its file speaks. */
function receives(route: Route, processors: readonly OtherProcessor[], js: JavaScriptFacts | undefined): OtherProcessor | undefined {
  if (!processors.length || route.kind === 'page' || (route.method !== undefined && route.method !== 'POST')) return undefined
  const text = `${route.route} ${route.path}`
  if (!RECEIVER.test(text)) return undefined
  const named = processors.find((p) => isNamedIn(text, p.name))
  if (named) return named
  // an endpoint that is called after another one takes the events of that one
  if (listedName(route)) return undefined
  const asked = route.behaviour && askedIn(route.behaviour)
  return (
    processors.find((p) => p.name === asked || speaksOf(js, p.name)) ??
    (/pay|pix|billing|checkout|purchase|subscription/i.test(text) ? processors[0] : undefined)
  )
}

/** The processor that an endpoint asks about what it was told, wherever the address stands in the code. */
function askedIn({ steps }: Behaviour): string | undefined {
  for (const { effect: e } of steps) {
    const address = e.kind === 'http' ? e.args[0] : undefined
    const host = address?.v === 'text' ? address.parts[0] : address
    const name = host?.v === 'const' ? processorAt(String(host.value)) : undefined
    if (name) return name
  }
  return undefined
}

const letters = (text: string): string => plain(text).replace(/[^a-z]/g, '')

/** In small letters without accents: Efí is efi. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether a text has the name of a processor in it; a short one as words of its own, for `tap` and `efi` stand in the middle of many. */
function isNamedIn(text: string, name: string): boolean {
  const wanted = letters(name)
  return wanted.length > 5 ? letters(text).includes(wanted) : wordsOf(text).has(wanted)
}

/** The words of a text, alone and two together: `sumUpWebhook` has sum, sumup, up, upwebhook and webhook. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = plain(text.replace(/([a-z])(?=[A-Z])/g, '$1 ')).split(/[^a-z]+/)
  return new Set([...words.flatMap((word, i) => [word, word + (words[i + 1] ?? '')]), ...plain(text).split(/[^a-z]+/)])
}

function speaksOf(js: JavaScriptFacts | undefined, name: string): boolean {
  for (const fn of js?.functions ?? []) {
    for (const e of expressions(fn)) {
      const text = e.k === 'tpl' ? e.quasis.join(' ') : e.k === 'id' || e.k === 'mem' ? e.name : stringOf(e)
      if (text && isNamedIn(text, name)) return true
    }
  }
  return false
}

/** Whoever asks the processor what really happened, or compares something that only the processor knows, does not take the sender's word. */
function asksSomebody({ steps }: Behaviour): boolean {
  return steps.some((s) => s.effect.kind === 'http' || s.effect.kind === 'payment' || s.under.some((c) => comparesWithRequest(c)))
}

function comparesWithRequest(c: Step['under'][number]): boolean {
  return (
    c.otherwise.ends &&
    [400, 401, 403].includes(c.otherwise.status ?? 0) &&
    contains(c.test, (v) => v.v === 'request' && (v.part === 'header' || v.part === 'query'))
  )
}
