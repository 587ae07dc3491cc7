import type { Stmt } from '../../../facts/javascript.ts'
import type { Val } from '../domain/abstract-value.ts'
import { Scope } from '../domain/abstract-value.ts'
import type { Interpreter, TryFrame } from '../interpreter.ts'
import { execute } from '../operations.ts'
import { bind } from './assignment.ts'
import { executeBlock } from './block.ts'
import { keepWrites } from './branches.ts'
import { answersOf } from './catch-outcomes.ts'
import type { Completion } from './completion.ts'
import { isGuardInFront, unlessAnswered } from './response-sent-in-try.ts'

type Try = Extract<Stmt, { k: 'try' }>

/** Runs the body and the handler as two sides of a split, joined where both go on, and what stands under `finally` after either. */
export function executeTry(it: Interpreter, s: Try, scope: Scope): Completion {
  if (!s.handler) {
    const state = it.branch(undefined, () => executeBlock(it, s.body, scope))
    it.resume(state)
    const left = s.finalizer && executeBlock(it, s.finalizer, scope)
    if (left) return left
    if (state.end) it.lastEnd = state.how
    return state.end
  }
  const handler = s.handler
  const outer = it.tries
  const depth = it.frames.length
  const runHandler = (thrown: Val) => {
    const inner = new Scope(scope.path, scope)
    if (s.param) bind(it, s.param, thrown, inner, s.l)
    return execute(it, handler, inner)
  }
  const frame: TryFrame = { thrown: [], answer: answersOf(it, outer, depth, runHandler) }
  const { hazards } = it
  const first = it.steps.length
  const body = it.branch(undefined, () => {
    it.tries = [...outer, frame]
    return executeBlock(it, s.body, scope)
  })
  it.tries = outer
  // a handler that nothing reaches: not the way around a check in front of it
  const reached = it.hazards > hazards || frame.thrown.length > 0
  const tried = it.hazards
  const last = it.steps.length
  const caught = it.branch(
    {
      conds: [{ test: { v: 'error', of: -1 }, negated: false, at: scope.at(handler[0]?.l ?? s.l), otherwise: { ends: false } }],
      narrowed: it.narrowed,
    },
    () => runHandler({ v: 'error', of: -1 }),
  )
  if (body.end && caught.end) {
    keepWrites(it, [body, caught])
    const left = s.finalizer && executeBlock(it, s.finalizer, scope)
    if (left) return left
    it.lastEnd = body.end.kind === 'throw' ? caught.how : body.how
    return body.end.kind === 'throw' ? caught.end : body.end
  }
  if (body.end) it.resume({ ...caught, pc: caught.pc.filter((c) => !(c.test.v === 'error' && c.test.of < 0) || it.pc.includes(c)) })
  else if (caught.end || !reached || (!frame.thrown.length && isGuardInFront(it, body, first, last))) it.resume(body)
  else {
    const left = frame.thrown.length ? [] : unlessAnswered(it, body, first, tried - hazards, caught, last)
    it.join([body, caught], 'none')
    if (left.length) it.pc = [...it.pc, ...left]
  }
  return s.finalizer && executeBlock(it, s.finalizer, scope)
}
