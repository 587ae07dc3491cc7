import type { Stmt } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { Scope } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { execute } from '../operations.ts'
import type { Completion } from './completion.ts'

/** Runs statements in braces. */
export const executeBlock = (it: Interpreter, body: readonly Stmt[], scope: Scope): Completion =>
  execute(it, body, declares(body) ? new Scope(scope.path, scope) : scope)

/** Whether statements need a scope of their own. */
function declares(body: readonly Stmt[]): boolean {
  for (const s of body) if (s.k === 'let' || s.k === 'function' || s.k === 'class') return true
  return false
}

/** Where a statement stands, with its last line. */
export const statementPlace = (scope: Scope, s: { l: number; e?: number }): Place =>
  s.e && s.e !== s.l ? { path: scope.path, line: s.l, endLine: s.e } : scope.at(s.l)
