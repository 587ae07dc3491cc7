import type { Stmt } from '../../../facts/javascript.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { UNDEFINED, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { isLeftRunning, notesPromise } from '../modules/missing-await.ts'
import { classValue, evaluate, functionValue, maybe, settle } from '../operations.ts'
import type { Otherwise } from '../types.ts'
import { bind, refinesInPlace } from './assignment.ts'
import { executeBlock, statementPlace } from './block.ts'
import { conditional, executeSwitch } from './branches.ts'
import { type Completion, SIGNALS } from './completion.ts'
import { tested } from './evaluate.ts'
import { endingWithAny } from './exit-outcomes.ts'
import { executeLoop } from './loops.ts'
import { raising } from './throw.ts'
import { executeTry } from './try-statement.ts'

/** Runs statements in order, until one of them leaves. */
export function execute(it: Interpreter, body: readonly Stmt[], scope: Scope): Completion {
  for (const s of body) if (s.k === 'function') scope.vars.set(s.name, functionValue(it, scope.path, s.fn, scope))
  for (const s of body) {
    const left = statement(it, s, scope)
    if (left) return left
  }
  return undefined
}

function statement(it: Interpreter, s: Stmt, scope: Scope): Completion {
  if (--it.fuel < 0) {
    it.gap(scope.at(s.l), 'the code is too long to follow whole')
    return SIGNALS.return
  }
  switch (s.k) {
    case 'let':
      bind(it, s.to, s.init ? evaluate(it, s.init, scope) : UNDEFINED, scope, s.l)
      notesPromise(it, s.to, s.init, scope)
      return undefined
    case 'expr':
      if (s.expr.k === 'assign') evaluate(it, s.expr, scope)
      else if (isLeftRunning(it, s.expr, scope)) maybe(it, () => settle(it, evaluate(it, s.expr, scope), scope.at(s.l)))
      else {
        const value = evaluate(it, s.expr, scope)
        if (!refinesInPlace(it, s.expr, value, scope)) settle(it, value, scope.at(s.l))
      }
      return undefined
    case 'return': {
      let value = s.value ? evaluate(it, s.value, scope) : UNDEFINED
      if (it.frame.async || it.frames.length === 1) value = settle(it, value, scope.at(s.l))
      it.leave(value)
      it.ending(answerOfValue(it, value))
      return SIGNALS.return
    }
    case 'throw':
      return raising(it, settle(it, evaluate(it, s.value, scope), statementPlace(scope, s)), statementPlace(scope, s))
    case 'if': {
      const { else: otherwise } = s
      return conditional(
        it,
        tested(it, s.test, scope, statementPlace(scope, s)),
        scope.at(s.test.l),
        () => executeBlock(it, s.then, scope),
        otherwise && (() => executeBlock(it, otherwise, scope)),
      )
    }
    case 'block': {
      const left = executeBlock(it, s.body, scope)
      return s.label && left === SIGNALS.break ? undefined : left
    }
    case 'break':
      return SIGNALS.break
    case 'continue':
      return SIGNALS.continue
    case 'function':
      return undefined
    case 'class':
      if (s.name) scope.vars.set(s.name, classValue(it, s.class, s.name, scope))
      return undefined
    case 'loop':
      return executeLoop(it, s, scope)
    case 'switch':
      return executeSwitch(it, s, scope)
    case 'try':
      return executeTry(it, s, scope)
  }
}

/** How the request goes on when the function of the entry comes back with a value. */
function answerOfValue(it: Interpreter, value: Val): Otherwise {
  if (value.v === 'response')
    return {
      ends: true,
      how: value.how === 'redirect' ? 'redirect' : value.how === 'not-found' ? 'not-found' : value.how === 'next' ? 'next' : 'respond',
      ...(value.status !== undefined ? { status: value.status } : {}),
    }
  if (value.v === 'any') {
    const answer = endingWithAny(value.alts.flatMap((a) => (a.value.v === 'response' ? [{ under: a.under, how: answerOfValue(it, a.value) }] : [])))
    if (answer) return answer
  }
  if (it.lastRespond)
    return { ends: true, how: it.lastRespond.how ?? 'respond', ...(it.lastRespond.status !== undefined ? { status: it.lastRespond.status } : {}) }
  return { ends: true, how: 'return' }
}
