import type { Expr, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { UNDEFINED, UNKNOWN, type Val } from './abstract-value.ts'
import type { Interpreter } from './interpreter.ts'
import { evaluate, execute } from './operations.ts'
import { Scope } from './scope.ts'

const VALUE = '\0value'
const ERROR = '\0error'

/**
 * `requireUser().catch(() => null)`: what a function of the repository throws goes to the handler, as in `try { value = await requireUser() }
 * catch { value = null }`. Undefined for everything else, whose refusals are values.
 */
export function caughtCall(it: Interpreter, of: Expr, handler: Expr, scope: Scope, { line: l }: Place): Val | undefined {
  if (of.k !== 'call' || (of.fn.k !== 'id' && !(of.fn.k === 'mem' && of.fn.of.k === 'id'))) return undefined
  if (evaluate(it, of.fn, scope).v !== 'fn') return undefined
  const inner = new Scope(scope.path, scope)
  inner.vars.set(VALUE, UNDEFINED)
  const keep = (value: Expr): Stmt => ({ k: 'expr', expr: { k: 'assign', op: '=', to: { k: 'name', name: VALUE }, value: { k: 'await', of: value, l }, l }, l })
  const handled: Expr = { k: 'call', fn: handler, args: [{ k: 'id', name: ERROR, l }], l }
  const end = execute(it, [{ k: 'try', body: [keep(of)], param: { k: 'name', name: ERROR }, handler: [keep(handled)], l }], inner)
  if (end) throw end
  return inner.vars.get(VALUE) ?? UNKNOWN
}
