import type { Expr, Stmt } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { Scope, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { evaluate, execute } from '../operations.ts'

const VALUE = '\0value'
const ERROR = '\0error'

/**
 * `requireUser().catch(() => null)`: what a function of the repository throws goes to the handler, as in `try { value = await requireUser() }
 * catch { value = null }`; so does what a library throws at a token that is not right, also behind `.then(…)`. Undefined for everything else, whose refusals are values.
 */
export function caughtCall(it: Interpreter, of: Expr, handler: Expr, scope: Scope, { line: l }: Place): Val | undefined {
  const first = beforeThen(of)
  if (first?.k !== 'call' || !isNamed(first.fn)) return undefined
  const called = evaluate(it, first.fn, scope)
  if (called.v !== 'fn' && !refusesByException(called)) return undefined
  const inner = new Scope(scope.path, scope)
  inner.vars.set(VALUE, UNDEFINED)
  const keep = (value: Expr): Stmt => ({ k: 'expr', expr: { k: 'assign', op: '=', to: { k: 'name', name: VALUE }, value: { k: 'await', of: value, l }, l }, l })
  const handled: Expr = { k: 'call', fn: handler, args: [{ k: 'id', name: ERROR, l }], l }
  const end = execute(it, [{ k: 'try', body: [keep(of)], param: { k: 'name', name: ERROR }, handler: [keep(handled)], l }], inner)
  if (end) throw end
  return inner.vars.get(VALUE) ?? UNKNOWN
}

/** The call before `.then(…)`. */
function beforeThen(of: Expr): Expr | undefined {
  let at: Expr = of
  while (at.k === 'call' && at.fn.k === 'mem' && at.fn.name === 'then') at = at.fn.of
  return at
}

/** `verify`, `jwt.verify`, `getAuth().verifyIdToken`. */
function isNamed(fn: Expr): boolean {
  if (fn.k === 'mem') return isNamed(fn.of) || (fn.of.k === 'call' && isNamed(fn.of.fn))
  return fn.k === 'id'
}

function refusesByException(called: Val): boolean {
  const root = called.v === 'chain' ? called.root : called
  if (root.v !== 'lib') return false
  const name = called.v === 'chain' ? called.links[called.links.length - 1]?.name : root.name
  return /^(?:verify|verifyAsync|jwtVerify|compactVerify|jwtDecrypt|verifyIdToken|verifySessionCookie|verifyAuthToken|verifyToken)$/.test(name ?? '')
}
