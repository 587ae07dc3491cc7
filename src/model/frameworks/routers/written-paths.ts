import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Program } from '../program.ts'
import { calleeText, propOf, stringOf } from '../walk.ts'

const DEPTH = 6

/** The paths that an expression stands for: texts and lists of them, written there or kept under a name (`ROUTES.orders`, `${API}/orders`). */
export function writtenPaths(program: Program, path: string, scope: FunctionId, e: Expr | undefined, depth = 0): readonly string[] {
  if (!e || depth > DEPTH) return []
  const one = stringOf(e)
  if (one !== undefined) return [one]
  const next = (x: Expr, at: { readonly path: string; readonly scope: FunctionId } = { path, scope }) => writtenPaths(program, at.path, at.scope, x, depth + 1)
  switch (e.k) {
    case 'arr':
      return e.items.flatMap((i) => next(i))
    case 'tpl':
      return joined(e.quasis.flatMap((q, i) => (i ? [next(e.exprs[i - 1] as Expr), [q]] : [[q]])))
    case 'bin':
      return e.op === '+' ? joined([next(e.a), next(e.b)]) : []
    case 'id':
    case 'mem': {
      const m = program.meaning(path, scope, e)
      if (m?.k === 'expr' && m.expr !== e) return next(m.expr, m)
      const frozen = e.k === 'mem' ? program.meaning(path, scope, e.of) : undefined
      if (e.k !== 'mem' || frozen?.k !== 'expr' || frozen.expr.k !== 'call' || calleeText(frozen.expr.fn) !== 'Object.freeze') return []
      const value = propOf(frozen.expr.args[0], e.name)
      return value ? next(value, frozen) : []
    }
    default:
      return []
  }
}

/** Parts put together; a part that is several texts or none makes no path. */
function joined(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.every((p) => p.length === 1) ? [parts.map((p) => p[0]).join('')] : []
}
