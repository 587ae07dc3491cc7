import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Before, Entry } from '../../frameworks/entry.ts'
import type { Program } from '../../frameworks/program.ts'

/** Where the function is written that answers an entry, if it stands in another file than its registration. */
export function writtenHandler(program: Program, { code, path }: Entry): Place | undefined {
  const at = code && (code.k === 'fn' ? functionAt(program, code.path, code.fn) : expressionAt(program, code.path, code.scope, code.expr, path))
  return at && at.path !== path ? at : undefined
}

/** Where a middleware is written that is put in front of handlers by its name. */
export function writtenMiddleware(program: Program, { code, at, calling }: Before): Place | undefined {
  const written = code.k === 'fn' ? functionAt(program, code.path, code.fn) : { path: code.path, line: code.expr.l }
  return written && (calling === 'trpc-middleware' || written.path !== at.path || written.line !== at.line) ? written : undefined
}

function functionAt(program: Program, path: string, fn: FunctionId): Place | undefined {
  const written = program.fn(path, fn)
  return written && { path, line: written.l, ...(written.e > written.l ? { endLine: written.e } : {}) }
}

/** `controller.list`, `factory(Model)` under a name of another file, and what a wrapper is given: `asyncHandler(list)`. */
function expressionAt(program: Program, path: string, scope: FunctionId, e: Expr, from: string): Place | undefined {
  const m = program.meaning(path, scope, e)
  if (m?.k === 'fn') return functionAt(program, m.path, m.fn)
  if (m?.k === 'expr' && m.path !== from) return { path: m.path, line: m.expr.l, ...(m.expr.e ? { endLine: m.expr.e } : {}) }
  if (e.k !== 'call') return undefined
  const inside = e.args.map((a) => program.meaning(path, scope, a)).find((a) => a?.k === 'fn')
  return inside?.k === 'fn' ? functionAt(program, inside.path, inside.fn) : undefined
}
