import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { type ByFile, together } from '../../../lib/memo/collect-by-file.ts'
import type { Place } from '../../../lib/place.ts'
import { calleeText, expressions, propOf, stringOf } from '../../frameworks/walk.ts'
import type { OtherProcessor } from '../payments.ts'
import { processorAt } from '../processors/other-processor-signs.ts'

/** Where the other processors sell what is charged again by itself: the address that subscriptions are made at, the kind of charge. */
const SUBSCRIPTION_CREATE_URL = /\/(?:v\d\/)?(?:billing\/)?(?:subscriptions?|preapproval(?:_plan)?|payment-plans)\/?$/
const HTTP_CLIENT_NAME = /fetch|request|axios|post|api|client|http/i
const RECURRENT = /^RECURRENT$/
/** What only whoever receives events speaks of. */
const PROCESSOR_EVENT_NAME =
  /^(?:PAYMENT_(?:CREATED|CONFIRMED|RECEIVED|OVERDUE|REFUNDED|DELETED)|SUBSCRIPTION_(?:CREATED|UPDATED|DELETED|INACTIVATED)|BILLING\.SUBSCRIPTION\.[A-Z.]+|PAYMENT\.(?:SALE|CAPTURE)\.[A-Z]+|charge\.(?:success|completed)|subscription\.(?:create|created|charged|activated|halted|cancelled|disable|not_renew)|subscription_(?:preapproval|authorized_payment)|invoice\.(?:create|update|payment_failed)|payment\.(?:captured|failed|created|updated))$/

type Sold = Place & { readonly how: string; readonly name?: string }
type Seen = { readonly sold: Sold } | { readonly event: true }

const seenByFile = collectByCodeFile((path, js: JavaScriptFacts): readonly Seen[] | undefined => {
  let event = false
  let name: string | undefined
  let sold: Sold | undefined
  for (const fn of js.functions)
    for (const e of expressions(fn)) {
      const text = textOf(e)
      if (text !== undefined) {
        name ??= processorAt(text)
        event ||= PROCESSOR_EVENT_NAME.test(text)
      }
      sold ??= soldBy(e, path)
    }
  const seen: Seen[] = [...(event ? [{ event: true as const }] : []), ...(sold ? [{ sold: { ...sold, ...(name ? { name } : {}) } }] : [])]
  return seen.length ? seen : undefined
})

function soldBy(e: Expr, path: string): Sold | undefined {
  if (e.k === 'call') {
    const address = e.args[0]
    const end = address?.k === 'tpl' ? address.quasis.at(-1) : stringOf(address)
    const method = stringOf(propOf(e.args[1], 'method')) ?? (/\.post$/.test(calleeText(e.fn)) ? 'post' : undefined)
    if (end && method && /^post$/i.test(method) && HTTP_CLIENT_NAME.test(calleeText(e.fn)) && SUBSCRIPTION_CREATE_URL.test(end))
      return { path, line: e.l, how: `POST ${SUBSCRIPTION_CREATE_URL.exec(end)?.[0]}` }
  }
  if (e.k !== 'obj') return undefined
  const kinds = propOf(e, 'chargeTypes')
  const recurrent = kinds?.k === 'arr' ? kinds.items.find((i) => RECURRENT.test(stringOf(i) ?? '')) : undefined
  return recurrent ? { path, line: recurrent.l, how: 'the kind of charge RECURRENT' } : undefined
}

const textOf = (e: Expr): string | undefined => (e.k === 'tpl' ? e.quasis[0] : e.k === 'lit' ? stringOf(e) : undefined)

/** Whether anything is made at one of these that is charged again and again, or one of them does nothing else. */
export const sellsAgain = (files: ByFile<JavaScriptFacts>, others: readonly OtherProcessor[]): boolean =>
  others.some((o) => ONLY_AGAIN.test(o.name)) || together(seenByFile(files)).some((s) => 'sold' in s)

const ONLY_AGAIN = /^(?:RevenueCat|Chargebee|GoCardless|Whop|Dodo Payments|Creem|Gumroad)$/

/** What such a processor charges again and again, where nothing in the repository speaks of its events. */
export function soldUnheard(files: ByFile<JavaScriptFacts>, others: readonly OtherProcessor[]): (Sold & { readonly name: string }) | undefined {
  if (!others.length) return undefined
  const seen = together(seenByFile(files))
  if (seen.some((s) => 'event' in s)) return undefined
  for (const s of seen) {
    const name = 'sold' in s ? (s.sold.name ?? (others.length === 1 ? others[0]?.name : undefined)) : undefined
    if (name && name !== 'Stripe' && 'sold' in s) return { ...s.sold, name }
  }
  return undefined
}
