import type { Expr } from '../../../facts/javascript.ts'
import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import type { Place } from '../../../lib/place.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { isLiteral, isNullish, op, truth, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { evaluate, settle } from '../operations.ts'
import { endingWithout } from './exit-outcomes.ts'
import type { Assumption } from './path-condition.ts'

/** `a && b`, `a || b`, `a ?? b`: the second side is run only where the first leads there. */
export function logical(it: Interpreter, operator: '&&' | '||' | '??', a: Val, right: Expr, scope: Scope, at: Place): Val {
  const b = () => settle(it, evaluate(it, right, scope), at)
  if (operator !== '&&' && isGiven(a, at)) return a
  if (operator === '??') {
    if (isNullish(a)) return b()
    if (truth(a) === true || (a.v === 'const' && !isNullish(a))) return a
    if (a.v === 'env' && !a.fallback) {
      const other = b()
      return { v: 'env', name: a.name, fallback: other.v === 'env' || isLiteral(other) ? other : { v: 'unknown' } }
    }
  } else {
    const known = truth(a)
    if (known !== undefined) return known === (operator === '||') ? a : b()
    if (operator === '||' && a.v === 'env' && !a.fallback) {
      const other = b()
      if (other.v === 'env' || isLiteral(other)) return { v: 'env', name: a.name, fallback: other }
    }
  }
  if (isTest(right)) {
    // a plain test: keep it one value, so that conditions can be read from it
    let value: Val = UNKNOWN
    const assumed = it.assume(a, operator === '&&', at)
    if (!assumed) return a
    const state = it.branch(assumed, () => {
      value = b()
    })
    it.keep(state.writes)
    return operator === '??'
      ? it.alternatives([
          { value: a, under: [] },
          { value, under: [] },
        ])
      : op(operator, a, value)
  }
  if (operator === '&&') return choose(it, a, at, b, () => (a.v === 'any' ? falsy(it, it.narrow(a)) : FALSY))
  return choose(it, a, at, () => it.narrow(a), b)
}

/** What is left of a value that turned out falsy: alternatives of which that is not known otherwise are so there. */
function falsy(it: Interpreter, value: Val): Val {
  if (value.v === 'any') return it.distribute(value, (x) => falsy(it, x))
  return truth(value) === false ? value : FALSY
}

/** What `a && b` gives when `a` does not hold. */
const FALSY: Val = { v: 'const', value: false }

/** Right-hand sides that are tests rather than values: comparisons, negations, and simple reads. */
function isTest(e: Expr): boolean {
  switch (e.k) {
    case 'bin':
      return !['+', '-', '*', '/', '%'].includes(e.op)
    case 'un':
      return e.op === '!'
    case 'logic':
      return isTest(e.b)
    case 'call':
      return e.fn.k === 'mem' && ['includes', 'startsWith', 'endsWith', 'test', 'some', 'every', 'has'].includes(e.fn.name)
    default:
      return false
  }
}

/** A value that depends on a test. */
export function choose(it: Interpreter, test: Val, at: Place, then: () => Val, otherwise: () => Val): Val {
  const values: Val[] = [UNDEFINED, UNDEFINED]
  const yes: Assumption | undefined = it.assume(test, true, at)
  const no: Assumption | undefined = it.assume(test, false, at)
  if (!no || !yes) {
    let only: Val = UNDEFINED
    const assumed = yes ?? no
    if (assumed) {
      if (assumed.conds.length) it.pc = [...it.pc, ...assumed.conds]
      it.narrowed = assumed.narrowed
    }
    only = yes ? then() : otherwise()
    return only
  }
  const base = it.pc.length
  const a = it.branch(yes, () => {
    values[0] = then()
  })
  const b = it.branch(no, () => {
    values[1] = otherwise()
  })
  if (a.end && b.end) throw a.end
  if (a.end || b.end) {
    const [ended, goes, assumed] = a.end ? [a, b, no] : [b, a, yes]
    for (const c of assumed.conds) c.otherwise = endingWithout(c, assumed.conds, ended.how)
    it.resume(goes)
    return a.end ? (values[1] as Val) : (values[0] as Val)
  }
  it.join([a, b])
  const value = it.alternatives([
    { value: values[0] as Val, under: a.pc.slice(base) },
    { value: values[1] as Val, under: b.pc.slice(base) },
  ])
  return value
}

/** What the platform puts into every edge function: there it is never unset, and what stands beside it is never taken. */
const GIVEN_TO_FUNCTIONS = /^SUPABASE_(?:URL|ANON_KEY|SERVICE_ROLE_KEY|DB_URL)$/

const isGiven = (value: Val, at: Place): boolean => value.v === 'env' && GIVEN_TO_FUNCTIONS.test(value.name) && inEdgeFunctions(at.path)
