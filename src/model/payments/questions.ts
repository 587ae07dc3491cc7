import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Behaviour, Effect, Step, Value } from '../behaviour/types.ts'
import { contains } from './conditions.ts'
import type { Redemption } from './payments.ts'
import { processorAt } from './processors/other-processor-signs.ts'
import { isEffect } from './webhooks/event-claim.ts'
import { effectValues } from './webhooks/verification.ts'

/** Calls that only look something up at the processor. */
const PROCESSOR_READ_CALL = /\.(retrieve|get|fetch|verify|status|getInvoiceById)$/

/** What the caller names: a payment by its id. */
export const isChosen = (v: Value): boolean => v.v === 'request' && ['body', 'raw-body', 'query', 'params', 'form'].includes(v.part)

/** A question to a processor about what the caller names. */
export function asksAboutPayment(e: Effect | undefined): boolean {
  if (e?.kind === 'payment') return PROCESSOR_READ_CALL.test(e.name) && e.args.some((a) => contains(a, isChosen))
  if (e?.kind !== 'http') return false
  const [address, options] = e.args
  const method = options?.v === 'object' ? options.props.method : undefined
  const told = options?.v === 'object' ? options.props.body : undefined
  if (!isOfProcessor(address)) return false
  if (method === undefined || (method.v === 'const' && /^get$/i.test(String(method.value)))) return contains(address, isChosen)
  return (contains(address, isChosen) || contains(told, isChosen)) && contains(address, (v) => v.v === 'const' && ASKS_AT.test(String(v.value)))
}

/** Where an interface is asked how a payment stands, by a request that has a body. */
const ASKS_AT = /\/(?:check|verify|status|lookup|query|inquiry|retrieve)(?:[/?]|$)/i

export function isOfProcessor(address: Value | undefined): boolean {
  return contains(address, (v) => v.v === 'const' && typeof v.value === 'string' && processorAt(v.value) !== undefined)
}

/**
 * Whether an endpoint goes by what the processor answers about the payment that the request names: each change stands behind that answer, or
 * stores what it says. Whoever calls it only makes it look again.
 */
export function goesByAnswer({ steps }: Behaviour): boolean {
  const answered = (v: Value) => v.v === 'result' && asksAboutPayment(steps[v.step]?.effect)
  const changes = steps.filter((s) => isEffect(s) && !['http', 'payment'].includes(s.effect.kind) && !isLog(s))
  // `let state = 'pending'; if (answer.status === 'ACCEPTED') state = 'paid'`
  const decided = (v: Value) => v.v === 'any' && (v.under ?? []).flat().some((c) => contains(c.test, answered))
  return (
    changes.length > 0 &&
    changes.every((s) => s.under.some((c) => contains(c.test, answered)) || effectValues(s).some((v) => contains(v, (x) => answered(x) || decided(x))))
  )
}

const isLog = ({ effect: e }: Step): boolean => e.kind === 'db' && e.op === 'insert' && /log|webhook|event|audit/i.test(e.table)

/** What a payment object says before anything was paid as well. */
const UNPAID_PAYMENT_FIELD = /^(id|object|url|client_secret|client_reference_id|customer\w*)(\.|$)|(^|\.)metadata(\.|$)/

/** Whether any step asks a processor about a payment: most handlers do not, and none of their conditions has to be walked for its answer. */
const asksSomewhere = rememberFor(({ steps }: Behaviour): boolean => steps.some((s) => asksAboutPayment(s.effect)))

/**
 * What a condition takes for the proof that something was paid, where the caller names the payment and can name it again. The steps of a branch
 * share its conditions, and a condition holds all that its values came from: each is walked once.
 */
export const proofIn: (test: Value, behaviour: Behaviour) => Redemption['proof'] | undefined = rememberFor((test: Value, behaviour: Behaviour) => {
  const { steps } = behaviour
  const said = (v: Value): boolean => {
    if (v.v !== 'result' || !v.field || UNPAID_PAYMENT_FIELD.test(v.field) || !/paid|status|state|amount/i.test(v.field)) return false
    return asksAboutPayment(steps[v.step]?.effect)
  }
  if (asksSomewhere(behaviour) && contains(test, said)) return 'answer'
  const signed = (v: Value) => v.v === 'call' && v.name === 'hmac' && v.args.slice(1).some((a) => contains(a, isChosen))
  return contains(test, (v) => isChosen(v) && v.v === 'request' && /signature|^sig$/i.test(v.name ?? '')) && contains(test, signed) ? 'signature' : undefined
})
