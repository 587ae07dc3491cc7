import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import type { ByFile } from '../../../lib/memo/collect-by-file.ts'
import type { Place } from '../../../lib/place.ts'
import { calleeText, expressions, propOf, stringOf } from '../../frameworks/walk.ts'
import type { PaymentsModel, Processor } from '../payments.ts'
import { PROCESSORS } from '../processors/processors.ts'

type Sales = Pick<PaymentsModel, 'processors' | 'subscriptions' | 'oneTime'>
/** `managed`: subscriptions are looked up or managed, so some were sold: through a payment link, a dashboard, another program. */
type FileSales = Sales & { readonly managed?: Sales['subscriptions'] /** They are only looked at. */; readonly shown?: Sales['subscriptions'] }

/** Which processors the code uses, and whether what it sells recurs. */
export function findSales(files: ByFile<JavaScriptFacts>): Sales {
  const all = [...salesByFile(files).values()]
  const processors = new Map<Processor, Sales['processors'][number]>()
  for (const p of all.flatMap((s) => s.processors)) if (!processors.has(p.name)) processors.set(p.name, p)
  const oneTime = all.find((s) => s.oneTime)?.oneTime
  const managing = all.find((s) => s.managed)
  const managed = managing?.shown && managing.managed && managing.shown.line < managing.managed.line ? managing.shown : managing?.managed
  // what somebody else may have sold is shown beside what is sold once
  const shown = oneTime && oneTime.how !== 'a payment link' ? undefined : all.find((s) => s.shown)?.shown
  const subscriptions = all.find((s) => s.subscriptions)?.subscriptions ?? (processors.has('stripe') ? (managed ?? shown) : undefined)
  return { processors: [...processors.values()], ...(subscriptions ? { subscriptions } : {}), ...(oneTime ? { oneTime } : {}) }
}

const MANAGES = /(^|\.)(subscriptions\.(update|cancel|resume)|billingPortal\.sessions\.create)$/
const SUBSCRIPTION_READ_CALL = /(^|\.)subscriptions\.(list|retrieve|search)$/

/** `subscriptions.list({ limit: 100 })`: an overview of the account, whatever is sold through it. */
const countsAll = (callee: string, options: Expr | undefined): boolean =>
  callee.endsWith('.list') && (options === undefined || (options.k === 'obj' && !propOf(options, 'customer') && !propOf(options, 'price')))

/** The same for one file: the first place of each. */
const salesByFile = collectByCodeFile((path, js: JavaScriptFacts): FileSales | undefined => {
  const processors = new Map<Processor, Sales['processors'][number]>()
  let subscriptions: Sales['subscriptions']
  let oneTime: Sales['oneTime']
  let managed: Sales['subscriptions']
  let shown: Sales['subscriptions']
  const recurring = (at: Place, how: string) => {
    subscriptions ??= { ...at, how }
  }
  for (const [name, p] of Object.entries(PROCESSORS) as [Processor, (typeof PROCESSORS)[Processor]][]) {
    const i = js.imports.find((x) => !x.typeOnly && p.packages.test(x.from))
    if (i) {
      if (!processors.has(name)) processors.set(name, { name, at: { path, line: i.l }, because: `imports ${i.from}` })
    }
  }
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      const text = e.k === 'tpl' ? e.quasis[0] : stringOf(e)
      if (text !== undefined && e.k !== 'jsx') {
        for (const [name, p] of Object.entries(PROCESSORS) as [Processor, (typeof PROCESSORS)[Processor]][]) {
          if (!p.hosts.test(text)) continue
          if (!processors.has(name)) processors.set(name, { name, at: { path, line: e.l }, because: `uses ${text.slice(0, 40)}` })
          if (/buy\.stripe\.com/.test(text)) oneTime ??= { path, line: e.l, how: 'a payment link' }
        }
      }
      if (e.k === 'call') {
        const callee = calleeText(e.fn)
        if (/(^|\.)subscriptions\.create$/.test(callee)) recurring({ path, line: e.l }, callee)
        const found = { path, line: e.l, how: callee.replace(/^.*?(?=subscriptions|billingPortal)/, '') }
        if (MANAGES.test(callee)) managed ??= found
        if (SUBSCRIPTION_READ_CALL.test(callee) && !countsAll(callee, e.args[0])) shown ??= found
        if (/checkout\.sessions\.create$/.test(callee))
          for (const mode of modesOf(e.args[0])) if (mode === 'subscription') recurring({ path, line: e.l }, "checkout with mode 'subscription'")
        if (/(paymentIntents|charges)\.create$/.test(callee)) oneTime ??= { path, line: e.l, how: callee }
      }
      if (e.k === 'obj') {
        const mode = propOf(e, 'mode')
        for (const m of mode ? modesOfValue(mode) : []) {
          if (m === 'subscription' && (propOf(e, 'line_items') || propOf(e, 'success_url')))
            recurring({ path, line: mode?.l ?? e.l }, "checkout with mode 'subscription'")
          if (m === 'payment') oneTime ??= { path, line: mode?.l ?? e.l, how: "checkout with mode 'payment'" }
        }
      }
      if (e.k === 'jsx' && e.tag === 'stripe-pricing-table') {
        recurring({ path, line: e.l }, 'a pricing table')
        if (!processors.has('stripe')) processors.set('stripe', { name: 'stripe', at: { path, line: e.l }, because: 'shows a pricing table' })
      }
    }
  }
  if (!processors.size && !subscriptions && !oneTime && !managed && !shown) return undefined
  return {
    processors: [...processors.values()],
    ...(subscriptions ? { subscriptions } : {}),
    ...(oneTime ? { oneTime } : {}),
    ...(managed ? { managed } : {}),
    ...(shown ? { shown } : {}),
  }
})

function modesOf(options: Expr | undefined): string[] {
  const mode = propOf(options, 'mode')
  return mode ? modesOfValue(mode) : []
}

function modesOfValue(e: Expr): string[] {
  if (e.k === 'cond') return [...modesOfValue(e.then), ...modesOfValue(e.else)]
  if (e.k === 'logic') return [...modesOfValue(e.a), ...modesOfValue(e.b)]
  const text = stringOf(e)
  return text ? [text] : []
}
