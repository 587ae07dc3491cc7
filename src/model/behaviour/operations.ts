import type { ClassIR, Expr, FunctionId, Pattern, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import type { ChainVal, ClassVal, FunctionVal, HostVal, Val } from './abstract-value.ts'
import type { Interpreter } from './interpreter.ts'
import type { Scope } from './scope.ts'

/**
 * The parts of the interpreter that call each other in turn (an expression holds a call, a call runs statements, statements
 * hold expressions). Each part is a file of its own; they meet here, and `analyse` puts them in.
 */
export interface Operations {
  evaluate(it: Interpreter, e: Expr, scope: Scope): Val
  functionValue(it: Interpreter, path: string, id: FunctionId, scope: Scope, self?: Val, home?: ClassVal): FunctionVal
  classValue(it: Interpreter, ir: ClassIR, name: string, scope: Scope): ClassVal
  lookup(it: Interpreter, name: string, scope: Scope): Val
  execute(it: Interpreter, body: readonly Stmt[], scope: Scope): void
  bind(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void
  assignTo(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void
  settle(it: Interpreter, val: Val, at: Place): Val
  callValue(it: Interpreter, fn: Val, args: readonly Val[], at: Place, name?: string): Val
  callMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place, changed?: (value: Val) => void): Val
  callFunction(it: Interpreter, fn: FunctionVal, args: readonly Val[], at: Place): Val
  construct(it: Interpreter, fn: Val, args: readonly Val[], at: Place): Val
  unknownCall(it: Interpreter, name: string, of: Val | undefined, args: readonly Val[], at: Place): Val
  maybe(it: Interpreter, run: () => void): void
  hostMember(it: Interpreter, of: HostVal, name: string, at: Place): Val
  settleChain(it: Interpreter, chain: ChainVal, at: Place, next?: string): Val | undefined
  taggedTemplate(it: Interpreter, tag: Val, quasis: readonly string[], exprs: readonly Val[], at: Place): Val | undefined
  exportedValue(it: Interpreter, path: string, name: string): Val | undefined
}

let parts: Operations

/** Puts the parts together; called once, by the module that knows them all. */
export function install(operations: Operations): void {
  parts = operations
}

export const evaluate: Operations['evaluate'] = (...a) => parts.evaluate(...a)
export const functionValue: Operations['functionValue'] = (...a) => parts.functionValue(...a)
export const classValue: Operations['classValue'] = (...a) => parts.classValue(...a)
export const lookup: Operations['lookup'] = (...a) => parts.lookup(...a)
export const execute: Operations['execute'] = (...a) => parts.execute(...a)
export const bind: Operations['bind'] = (...a) => parts.bind(...a)
export const assignTo: Operations['assignTo'] = (...a) => parts.assignTo(...a)
export const settle: Operations['settle'] = (...a) => parts.settle(...a)
export const callValue: Operations['callValue'] = (...a) => parts.callValue(...a)
export const callMethod: Operations['callMethod'] = (...a) => parts.callMethod(...a)
export const callFunction: Operations['callFunction'] = (...a) => parts.callFunction(...a)
export const construct: Operations['construct'] = (...a) => parts.construct(...a)
export const unknownCall: Operations['unknownCall'] = (...a) => parts.unknownCall(...a)
export const maybe: Operations['maybe'] = (...a) => parts.maybe(...a)
export const hostMember: Operations['hostMember'] = (...a) => parts.hostMember(...a)
export const settleChain: Operations['settleChain'] = (...a) => parts.settleChain(...a)
export const taggedTemplate: Operations['taggedTemplate'] = (...a) => parts.taggedTemplate(...a)
export const exportedValue: Operations['exportedValue'] = (...a) => parts.exportedValue(...a)
