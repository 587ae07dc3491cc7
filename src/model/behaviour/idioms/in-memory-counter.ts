import type { Expr, FunctionIR } from '../../../facts/javascript.ts'
import { expressions } from '../../frameworks/walk.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { object, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** The name of the call that stands for what earlier requests have left in an object of a module. */
export const KEPT = 'kept'

/** An object of which nobody who reads the code knows what is in it by now. */
export const COUNTS: Val = object({}, { v: 'call', name: KEPT, args: [] })

/**
 * `const attempts = {}` at the level of a module, under whose computed names functions put what they count: it is empty when the process starts,
 * and not when a request comes in.
 */
export function countsBetweenRequests(it: Interpreter, name: string, init: Expr | undefined, scope: Scope): boolean {
  if (init?.k !== 'obj' || init.props.length || scope.parent) return false
  const inside = (it.program.facts(scope.path)?.functions ?? []).slice(1)
  return inside.some((fn) => expressions(fn).some((e) => putsUnderName(e, name))) && inside.some(counts)
}

/** `attempts[key] = …` */
const putsUnderName = (e: Expr, name: string): boolean =>
  e.k === 'assign' && e.to.k === 'expr' && e.to.expr.k === 'idx' && e.to.expr.of.k === 'id' && e.to.expr.of.name === name

/** `entry.count++`, `attempts[key] += 1`, `entry.count = entry.count + 1` */
function counts(fn: FunctionIR): boolean {
  const isMember = (e: Expr) => e.k === 'mem' || e.k === 'idx'
  return expressions(fn).some((e) => {
    if (e.k === 'un') return e.op === '++' && isMember(e.of)
    if (e.k !== 'assign' || e.to.k !== 'expr' || !isMember(e.to.expr)) return false
    return e.op === '+=' || (e.op === '=' && e.value.k === 'bin' && e.value.op === '+')
  })
}
