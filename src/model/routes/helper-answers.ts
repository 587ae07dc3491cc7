import type { Expr, FunctionIR } from '../../facts/javascript.ts'
import { statements } from '../frameworks/walk.ts'

/** Who is no administrator gets nothing back, and whoever is one gets something: no object that says it in a field. */
export function saysNothing(fn: FunctionIR): boolean {
  const given = statements(fn.body).flatMap((s) => (s.k === 'return' ? [s.value] : []))
  const isNothing = (e: Expr | undefined) => e === undefined || (e.k === 'lit' && !e.v) || (e.k === 'id' && e.name === 'undefined')
  return (
    given.some(isNothing) &&
    given.every((e) => isNothing(e) || e?.k !== 'obj' || !e.props.some((p) => /error|^ok$|success|authori|is_?admin|allowed|valid/i.test(p.key ?? '')))
  )
}
