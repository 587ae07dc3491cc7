import type { Stmt } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { constant, op, Scope, type Val } from '../domain/abstract-value.ts'
import type { BranchState, Interpreter } from '../interpreter.ts'
import { evaluate, settle } from '../operations.ts'
import { executeBlock } from './block.ts'
import { type Completion, SIGNALS } from './completion.ts'
import { endingWithout } from './exit-outcomes.ts'
import type { Assumption } from './path-condition.ts'

/** Splits on a test: each side under what it assumes, and joined again where both go on. */
export function conditional(it: Interpreter, test: Val, place: Place, then: () => Completion, otherwise: (() => Completion) | undefined): Completion {
  const yes = it.assume(test, true, place)
  const no = otherwise || !lastMode(it, test) ? it.assume(test, false, place) : undefined
  if (!no && yes) return continueWith(it, yes, then)
  if (!yes && no) return continueWith(it, no, otherwise)
  const a = it.branch(yes, then)
  const b = it.branch(no, otherwise ?? goOn)
  const ends = (s: BranchState) => s.end?.kind === 'return' || s.end?.kind === 'throw'
  patch(yes, b)
  patch(no, a)
  if (a.end && b.end) {
    keepWrites(it, [a, b])
    it.lastEnd = ends(a) ? a.how : b.how
    return ends(a) && ends(b) ? a.end : a.end.kind === 'break' || b.end.kind === 'break' ? SIGNALS.break : SIGNALS.continue
  }
  if (a.end || b.end) {
    const [ended, goes, waiting] = a.end ? [a, b, yes] : [b, a, no]
    if (!ends(ended)) keepWrites(it, [ended])
    it.resume(goes)
    if (ends(ended) && waiting?.conds.length) {
      it.frame.open = [...it.frame.open, ...waiting.conds.filter((c) => !c.otherwise.ends)]
      it.frame.openSteps = it.steps.length
    }
    return undefined
  }
  it.join([a, b])
  return undefined
}

const goOn = (): undefined => undefined

/**
 * `else if (mode === 'b')` after `mode === 'a'` without a further `else`, for a setting with a default: the modes named are all
 * there are, and an unset variable is one of them.
 */
function lastMode(it: Interpreter, test: Val): boolean {
  const asked = modeIn(test)
  if (!asked) return false
  return it.pc.some((c) => {
    const before = c.negated ? modeIn(c.test) : undefined
    return before !== undefined && before.name === asked.name && before.mode !== asked.mode && (before.mode === asked.normal || asked.mode === asked.normal)
  })
}

function modeIn(test: Val): { readonly name: string; readonly mode: unknown; readonly normal: unknown } | undefined {
  if (test.v !== 'op' || !/^===?$/.test(test.op)) return undefined
  const env = test.of.find((x) => x.v === 'env')
  const mode = test.of.find((x) => x.v === 'const')
  if (env?.v !== 'env' || mode?.v !== 'const' || env.fallback?.v !== 'const') return undefined
  return { name: env.name, mode: mode.value, normal: env.fallback.value }
}

function continueWith(it: Interpreter, assumed: Assumption, run: (() => Completion) | undefined): Completion {
  if (assumed.conds.length) it.pc = [...it.pc, ...assumed.conds]
  it.narrowed = assumed.narrowed
  return run?.()
}

function patch(assumed: Assumption | undefined, other: BranchState): void {
  if (!assumed || !other.end || other.end.kind === 'break' || other.end.kind === 'continue') return
  for (const c of assumed.conds) if (!c.otherwise.ends) c.otherwise = endingWithout(c, assumed.conds, other.how)
}

/** What a side wrote before it left a loop or switch may hold afterwards. */
export function keepWrites(it: Interpreter, states: readonly BranchState[]): void {
  for (const s of states) {
    if (s.end?.kind !== 'break' && s.end?.kind !== 'continue') continue
    // what led to the write speaks for the value: `if (await compare(sent, key.hash)) { match = key; break }`
    const under = s.pc.slice(it.pc.length)
    it.keepPerhaps(s.writes, under)
  }
}

type Switch = Extract<Stmt, { k: 'switch' }>

/** Splits on the cases of a `switch`, with those that each falls through to. */
export function executeSwitch(it: Interpreter, s: Switch, scope: Scope): Completion {
  const on = settle(it, evaluate(it, s.on, scope), scope.at(s.l))
  const inner = new Scope(scope.path, scope)
  const tests: Val[] = []
  const states: BranchState[] = []
  let pending: Val[] = []
  let hasDefault = false
  const equals = (x: Val): Val => (on.v === 'const' && on.value === true ? x : op('===', on, x))
  s.cases.forEach((c, i) => {
    if (c.test) {
      const value = equals(settle(it, evaluate(it, c.test, scope), scope.at(c.l)))
      tests.push(value)
      pending.push(value)
    }
    const isDefault = !c.test
    if (isDefault) hasDefault = true
    if (!c.body.length && i < s.cases.length - 1 && !isDefault) return
    const place = scope.at(c.l)
    const later = s.cases.slice(i + 1).flatMap((x) => (x.test ? [equals(evaluate(it, x.test, scope))] : []))
    const assumed = isDefault
      ? it.assume(negateAll([...tests, ...later]), true, place)
      : it.assume(
          pending.reduce((a, b) => op('||', a, b)),
          true,
          place,
        )
    pending = []
    if (!assumed) return
    states.push(
      it.branch(assumed, () => {
        for (const through of s.cases.slice(i)) {
          const left = executeBlock(it, through.body, inner)
          if (left) return left === SIGNALS.break ? undefined : left
        }
        return undefined
      }),
    )
  })
  if (!hasDefault) {
    const assumed = tests.length ? it.assume(negateAll(tests), true, scope.at(s.l)) : { conds: [], narrowed: it.narrowed }
    if (assumed) states.push(it.branch(assumed, goOn))
  }
  const going = states.filter((x) => !x.end)
  if (!going.length && states.length) {
    const last = states[states.length - 1] as BranchState
    keepWrites(it, states)
    it.lastEnd = last.how
    return last.end
  }
  if (going.length === 1) it.resume(going[0] as BranchState)
  else if (going.length) it.join(going, going.length < states.length ? 'ended' : 'none')
  return undefined
}

function negateAll(tests: readonly Val[]): Val {
  return tests.map((t) => op('!', t)).reduce((a, b) => op('&&', a, b), constant(true))
}
