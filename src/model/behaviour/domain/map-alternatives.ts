import type { Assumption } from '../control-flow/path-condition.ts'
import type { BranchState, Interpreter } from '../interpreter.ts'
import { type Alt, type AnyVal, isNullish, UNKNOWN, type Val } from './abstract-value.ts'
import { alternativesOf, narrowTo } from './narrowing.ts'

/** Alternatives of a callee that are followed one by one. */
const MAX_CALLEES = 6

/** What can be called: nothing happens where there is nothing. */
export const callable = (val: Val): boolean => !isNullish(val) && val.v !== 'unknown' && !(val.v === 'const' && val.value === false)

/** Runs `f` once for every alternative that matters, each on its own path, and `beyond` for those that are too many; gives the results as alternatives. */
export function eachAlternative(
  it: Interpreter,
  val: AnyVal,
  f: (value: Val) => Val,
  matters: (value: Val) => boolean = callable,
  beyond: () => Val = () => UNKNOWN,
): Val {
  const narrowed = it.narrow(val)
  if (narrowed.v !== 'any') return f(narrowed)
  const useful = narrowed.alts.filter((a) => matters(a.value))
  if (useful.length === 0) return UNKNOWN
  const states: BranchState[] = []
  const results: { value: Val; state: BranchState; i: number | undefined }[] = []
  const base = it.pc.length
  const follow = (assumed: Assumption | undefined, run: () => Val, i?: number): void => {
    let value: Val = UNKNOWN
    const state = it.branch(assumed, () => {
      value = run()
    })
    states.push(state)
    if (!state.end) results.push({ value, state, i })
  }
  const narrowedTo = (alts: readonly Alt[]) => narrowTo(it.narrowed, narrowed.choice, alternativesOf(alts))
  for (const alt of useful.slice(0, MAX_CALLEES)) {
    const assumed = useful.length > 1 ? { conds: alt.under.filter((c) => !it.pc.includes(c)).map((c) => ({ ...c })), narrowed: narrowedTo([alt]) } : undefined
    follow(assumed, () => f(it.narrow(alt.value)), alt.i)
  }
  // the others are not followed, but just as possible: what comes after must not take them for ruled out
  const others = useful.slice(MAX_CALLEES)
  if (others.length) follow({ conds: [], narrowed: narrowedTo(others) }, beyond)
  if (!results.length) {
    const last = states[states.length - 1] as BranchState
    it.lastEnd = last.how
    throw last.end
  }
  const only = results[0] as (typeof results)[number]
  if (results.length === 1) {
    it.resume(only.state)
    return only.value
  }
  it.join(
    results.map((r) => r.state),
    states.length > results.length ? 'ended' : 'none',
  )
  const given = results.map((r) => ({ value: r.value, under: r.state.pc.slice(base), ...(r.i === undefined ? {} : { i: r.i }) }))
  // each result goes with what was called, unless one of them stands for several
  return others.length ? it.alternatives(given) : it.alternatives(given, narrowed.choice)
}
