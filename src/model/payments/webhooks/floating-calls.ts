import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { calleeText, expressions, expressionsDeep, statements } from '../../frameworks/walk.ts'

/** Calls of a file that nobody waits for, by the line of the call; `scheduled` where it is the platform that runs what is handed over, later. */
export const floatingCalls: (js: JavaScriptFacts) => ReadonlyMap<number, 'called' | 'scheduled'> = rememberFor((js: JavaScriptFacts) => {
  const found = new Map<number, 'called' | 'scheduled'>()
  for (const fn of js.functions)
    for (const s of statements(fn.body)) {
      const call = s.k === 'expr' ? callOf(s.expr) : undefined
      if (!call || endsRequest(js, call)) continue
      const root = rootOf(call)
      const name = calleeText(root.fn)
      if (DEFERRING_CALL.test(name)) found.set(root.l, 'scheduled')
      else if (!/^Promise\.|(?:^|\.)next$/.test(name)) found.set(root.l, 'called')
    }
  return found
})

const DEFERRING_CALL = /^(?:setImmediate|setTimeout|queueMicrotask|process\.nextTick)$/

type Call = Extract<Expr, { k: 'call' }>

/** `work()`, `void work()`: a call that is a statement and that nothing waits for. */
function callOf(e: Expr): Call | undefined {
  if (e.k === 'un' && e.op === 'void') return callOf(e.of)
  return e.k === 'call' ? e : undefined
}

/** The call to which `.then(…)` and `.catch(…)` are added. */
function rootOf(call: Call): Call {
  const { fn } = call
  return fn.k === 'mem' && /^(?:then|catch|finally)$/.test(fn.name) && fn.of.k === 'call' ? rootOf(fn.of) : call
}

const RESPONSE_OBJECT_NAME = /^(?:res|response|reply|next|ctx|c|resolve|reject|done)$/

/** What answers the request, or hands it on, is given to the call or used in what follows it. */
function endsRequest(js: JavaScriptFacts, call: Call): boolean {
  const chain: Expr[] = []
  for (let c: Call = call; ; c = (c.fn as Extract<Expr, { k: 'mem' }>).of as Call) {
    chain.push(...c.args)
    if (rootOf(c) === c) break
  }
  return chain.some(
    (a) =>
      (a.k === 'id' && RESPONSE_OBJECT_NAME.test(a.name)) ||
      (a.k === 'fn' && [...expressionsDeep(js, a.fn)].some((x) => x.expr.k === 'id' && RESPONSE_OBJECT_NAME.test(x.expr.name))),
  )
}

/** The innermost function of a file that a line is written in. */
export const functionAt = (js: JavaScriptFacts, line: number): FunctionIR | undefined =>
  js.functions.reduce<FunctionIR | undefined>(
    (found, fn) => (fn.l <= line && line <= fn.e && (!found || fn.e - fn.l <= found.e - found.l) ? fn : found),
    undefined,
  )

/** Whether what is written at a line makes a promise: in a function that is one, or that does nothing but hand one on. */
export const isPromised = (js: JavaScriptFacts, line: number): boolean => {
  const fn = functionAt(js, line)
  return fn !== undefined && (fn.async === true || expressions(fn).some((e) => e.k === 'call' && /^(?:then|catch)$/.test(lastPart(calleeText(e.fn)))))
}
