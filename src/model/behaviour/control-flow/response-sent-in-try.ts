import { type Cond, op, type Val } from '../domain/abstract-value.ts'
import { ANSWERED } from '../domain/contains.ts'
import type { BranchState, Interpreter } from '../interpreter.ts'
import type { StepDraft } from '../output/effect-draft.ts'
import { disjunctionOf } from './conditions.ts'

/** Conditions that one side of the disjunction keeps. */
const MAX_CONJUNCTS = 6

/**
 * What holds after `try { … } catch (error) { res.status(500).end() }` (nothing when that cannot be told): what the `try` asked, unless one of its queries failed. Nobody
 * makes them fail but by what they ask for; where something else may throw (a token that is verified, a body that is parsed), the way
 * around is one that anybody can take.
 */
export function unlessAnswered(it: Interpreter, body: BranchState, from: number, hazards: number, caught: BranchState, to: number): readonly Cond[] {
  const asked = body.pc.slice(it.pc.length)
  const ending = asked.find((c) => c.otherwise.ends)
  if (!ending || asked.some((c) => c.otherwise.thrown) || !answersOnEveryWay(it.steps.slice(to), caught)) return []
  const tried = it.steps.slice(from, to)
  const chosen = whatQueriesAsk(tried)
  // a query may fail where it is put together and where it runs
  const expected = tried.reduce((n, s) => n + (s.effect.kind === 'db' ? 2 : s.effect.kind === 'identify' ? 1 : 0), 0)
  if (!chosen || hazards > expected) return []
  const past: Cond = { test: op(ANSWERED, ...chosen), negated: false, at: ending.at, otherwise: { ends: false } }
  return [disjunctionOf([asked, [past]], MAX_CONJUNCTS, ending.at, ending.otherwise)]
}

/**
 * Whether a `try` of middleware turns somebody away, and the handler of what is thrown in it goes on: an exception that nobody asked for is no way in. Where
 * a token is verified by a call that throws, the exception is what the check says.
 */
export function isGuardInFront(it: Interpreter, body: BranchState, from: number, to: number): boolean {
  if (!it.beforeHandler || !it.everywhere) return false
  const asked = body.pc.slice(it.pc.length)
  if (asked.some((c) => c.otherwise.thrown) || !asked.some(({ otherwise: o }) => o.ends && (o.how === 'redirect' || (o.status ?? 0) >= 400))) return false
  return !it.steps.slice(from, to).some((s) => s.effect.kind === 'verify-signature')
}

/** What is not constant in the conditions of queries; undefined when they do more than look something up. */
function whatQueriesAsk(steps: readonly StepDraft[]): readonly Val[] | undefined {
  const asked: Val[] = []
  for (const { effect } of steps) {
    if (effect.kind === 'log' || effect.kind === 'respond' || effect.kind === 'identify') continue
    if (effect.kind !== 'db' || effect.op !== 'select' || effect.unread) return undefined
    for (const { value } of [...effect.filters, ...(effect.embedded ?? [])])
      if (value.v !== 'const' && value.v !== 'caller' && value.v !== 'row' && !asked.includes(value)) asked.push(value)
  }
  return asked
}

/** Whether the request is answered wherever a handler goes on: an answer is on its way, or on a side of a split of which the other side answers. */
function answersOnEveryWay(steps: readonly StepDraft[], { pc }: BranchState): boolean {
  return steps.some((s) => s.effect.kind === 'respond' && s.under.every((c) => pc.includes(c) || (c.otherwise.ends && c.otherwise.how === 'respond')))
}
