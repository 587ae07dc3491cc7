import type { Expr, FunctionIR } from '../../../../facts/javascript.ts'
import { calleeText, exprsOf, statements, straight, subExpressions } from '../../../frameworks/walk.ts'

/** Who is no administrator gets nothing back, and whoever is one gets something: no object that says it in a field. */
export function saysNothing(fn: FunctionIR): boolean {
  const given = statements(fn.body).flatMap((s) => (s.k === 'return' ? [s.value] : []))
  const isNothing = (e: Expr | undefined) => e === undefined || (e.k === 'lit' && !e.v) || (e.k === 'id' && e.name === 'undefined')
  return (
    given.some(isNothing) &&
    given.every((e) => isNothing(e) || e?.k !== 'obj' || !e.props.some((p) => /error|^ok$|success|authori|is_?admin|allowed|valid/i.test(p.key ?? '')))
  )
}

/** Whether a check asks anything before it answers: one that is still to be written (`return true`) calls nothing and finds nobody out. */
export function asksSomething({ body }: FunctionIR): boolean {
  for (const s of straight(body)) {
    if (s.k !== 'let' && s.k !== 'expr' && s.k !== 'return') return true
    if (exprsOf(s).some((e) => subExpressions(e).some((x) => (x.k === 'call' || x.k === 'new') && !LOGGING_CALL.test(calleeText(x.fn))))) return true
    if (s.k === 'return') return false
  }
  return false
}

const LOGGING_CALL = /^(?:console\.|log(?:ger)?\b|Promise\.resolve$)/i
