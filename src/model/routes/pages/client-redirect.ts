import type { Expr, FunctionId, FunctionIR, JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'
import { calleeText, exprsOf, statements, subExpressions } from '../../frameworks/walk.ts'

const SIGNED_IN_STATE_NAME =
  /^(?:user|session|current_?user|auth_?user|signed_?in_?user|is_?authenticated|authenticated|is_?logged_?in|logged_?in|is_?signed_?in|signed_?in)$/i
const LEADS = /(?:^|\.)(?:push|replace|navigate|redirect|goto|assign)$/
const DEPTH = 6

/**
 * The line where a component turns away who is not signed in: under a condition that holds for nobody alone (`!user`, whatever stands beside it) it leads
 * to another page, or shows nothing at all. What happens on a click is no such place.
 */
export function turnsAway(
  { id, body }: Pick<FunctionIR, 'id' | 'body'>,
  functions: JavaScriptFacts['functions'],
  found: readonly { readonly scope: FunctionId }[],
  runsByItself: (scope: FunctionId) => boolean,
): number | undefined {
  const hidden = statements(body).find((s) => s.k === 'if' && holdsForNobody(s.test) && s.then.some((t) => t.k === 'return' && isNothing(t.value)))
  if (hidden) return hidden.l
  for (const scope of new Set([id, ...found.map((f) => f.scope)])) {
    const fn = functions[scope]
    if (!fn || !runsByItself(scope)) continue
    for (const s of statements(fn.body)) if (s.k === 'if' && holdsForNobody(s.test) && leads(s.then, functions, 0)) return s.l
  }
  return undefined
}

/** `!user`, `!isLoading && (!session || !user)`: whoever is signed in is not meant by it alone. */
function holdsForNobody(test: Expr, depth = 0): boolean {
  if (depth > DEPTH) return false
  if (test.k === 'logic' && test.op !== '??') return holdsForNobody(test.a, depth + 1) || holdsForNobody(test.b, depth + 1)
  if (test.k === 'bin') return /^===?$/.test(test.op) && isSomebody(test.a) && test.b.k === 'lit' && test.b.v === null
  return test.k === 'un' && test.op === '!' && isSomebody(test.of)
}

const isSomebody = (e: Expr): boolean => (e.k === 'id' || e.k === 'mem') && SIGNED_IN_STATE_NAME.test(e.name)

const isNothing = (e: Expr | undefined): boolean => e?.k === 'lit' && e.v === null

/** Somewhere in these statements, or in a function that is written there, another page is opened. */
function leads(body: readonly Stmt[], functions: JavaScriptFacts['functions'], depth: number): boolean {
  if (depth > DEPTH) return false
  return statements(body).some((s) => exprsOf(s).some((x) => [...subExpressions(x)].some((e) => leadsOn(e, functions, depth))))
}

function leadsOn(e: Expr, functions: JavaScriptFacts['functions'], depth: number): boolean {
  if (e.k === 'call') return LEADS.test(calleeText(e.fn))
  if (e.k === 'assign') return e.to.k === 'expr' && /(?:^|\.)location(?:\.href)?$/.test(calleeText(e.to.expr))
  if (e.k === 'jsx') return typeof e.tag === 'object' && e.tag !== null && /^(?:Navigate|Redirect)$/.test(calleeText(e.tag))
  return e.k === 'fn' && leads(functions[e.fn]?.body ?? [], functions, depth + 1)
}
