import type { ClassIR, Expr, FunctionId, Pattern, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import type { Completion } from './control-flow/completion.ts'
import type { ChainVal, ClassVal, Cond, FunctionVal, HostVal, Scope, Val } from './domain/abstract-value.ts'
import type { Interpreter } from './interpreter.ts'

/**
 * The parts of the interpreter that call each other in turn (an expression holds a call, a call runs statements, statements
 * hold expressions). Each part is a file of its own; they meet here, and `analyse` puts them in.
 */
export interface Operations {
  evaluate(it: Interpreter, e: Expr, scope: Scope): Val
  functionValue(it: Interpreter, path: string, id: FunctionId, scope: Scope, self?: Val, home?: ClassVal): FunctionVal
  classValue(it: Interpreter, ir: ClassIR, name: string, scope: Scope): ClassVal
  lookup(it: Interpreter, name: string, scope: Scope): Val
  execute(it: Interpreter, body: readonly Stmt[], scope: Scope): Completion
  bind(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void
  assignTo(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void
  settle(it: Interpreter, val: Val, at: Place): Val
  callValue(it: Interpreter, fn: Val, args: readonly Val[], at: Place, name?: string): Val
  callMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place, changed?: (value: Val) => void): Val
  callFunction(it: Interpreter, fn: FunctionVal, args: readonly Val[], at: Place): Val
  construct(it: Interpreter, fn: Val, args: readonly Val[], at: Place): Val
  unknownCall(it: Interpreter, name: string, of: Val | undefined, args: readonly Val[], at: Place): Val
  maybe(it: Interpreter, run: () => void, asked?: readonly Cond[]): void
  hostMember(it: Interpreter, of: HostVal, name: string, at: Place): Val
  settleChain(it: Interpreter, chain: ChainVal, at: Place, next?: string): Val | undefined
  taggedTemplate(it: Interpreter, tag: Val, quasis: readonly string[], exprs: readonly Val[], at: Place): Val | undefined
  exportedValue(it: Interpreter, path: string, name: string): Val | undefined
}

export let evaluate: Operations['evaluate']
export let functionValue: Operations['functionValue']
export let classValue: Operations['classValue']
export let lookup: Operations['lookup']
export let execute: Operations['execute']
export let bind: Operations['bind']
export let assignTo: Operations['assignTo']
export let settle: Operations['settle']
export let callValue: Operations['callValue']
export let callMethod: Operations['callMethod']
export let callFunction: Operations['callFunction']
export let construct: Operations['construct']
export let unknownCall: Operations['unknownCall']
export let maybe: Operations['maybe']
export let hostMember: Operations['hostMember']
export let settleChain: Operations['settleChain']
export let taggedTemplate: Operations['taggedTemplate']
export let exportedValue: Operations['exportedValue']

/** Puts the parts together; called once, by the module that knows them all. */
export function install(operations: Operations): void {
  ;({
    evaluate,
    functionValue,
    classValue,
    lookup,
    execute,
    bind,
    assignTo,
    settle,
    callValue,
    callMethod,
    callFunction,
    construct,
    unknownCall,
    maybe,
    hostMember,
    settleChain,
    taggedTemplate,
    exportedValue,
  } = operations)
}
