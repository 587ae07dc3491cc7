import type { ClassIR, Expr, FunctionIR, Stmt } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { exprsOf, statements, subExpressions } from '../../frameworks/walk.ts'
import { type ClassVal, type FunctionVal, Scope } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

type Member = ClassIR['members'][number]

/** Whether a function reads or writes `this` by itself, which is how a constructor that is no class fills its object. */
const usesThis = rememberFor((fn: FunctionIR): boolean =>
  statements(fn.body).some((s) => exprsOf(s).some((e) => subExpressions(e).some((x) => x.k === 'this'))),
)

/**
 * The class that a constructor function is: itself as the constructor, and as methods what its file assigns to its prototype
 * (`Orders.prototype.list = …`, `Orders.prototype = { … }`, `Object.assign(Orders.prototype, { … })`). Undefined for a function that `new` makes nothing of.
 */
export function classOfFunction(it: Interpreter, fn: FunctionVal): ClassVal | undefined {
  const ir = it.program.function(fn.path, fn.id)
  if (!ir || ir.arrow) return undefined
  const around = it.program.function(fn.path, ir.parent ?? 0)
  const methods = ir.name && around ? prototypeMembers(around.body, ir.name) : []
  if (!methods.length && !usesThis(ir)) return undefined
  const make: Member = { name: 'constructor', how: 'constructor', fn: fn.id, decorators: [], l: ir.l }
  const statics = new Scope(fn.path, fn.scope)
  const cls: ClassVal = { v: 'class', ir: { decorators: [], members: [make, ...methods] }, name: ir.name ?? '', path: fn.path, scope: fn.scope, statics }
  statics.vars.set('this', cls)
  return cls
}

function prototypeMembers(body: readonly Stmt[], name: string): readonly Member[] {
  const isPrototype = (e: Expr): boolean => e.k === 'mem' && e.name === 'prototype' && e.of.k === 'id' && e.of.name === name
  return body.flatMap((s) => {
    if (s.k !== 'expr') return []
    const { expr: e } = s
    if (e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'assign' && e.args[0] && isPrototype(e.args[0])) return e.args.slice(1).flatMap(membersOfObject)
    if (e.k !== 'assign' || e.to.k !== 'expr' || e.to.expr.k !== 'mem') return []
    const target = e.to.expr
    if (isPrototype(target)) return membersOfObject(e.value)
    return isPrototype(target.of) ? [memberOf(target.name, e.value)] : []
  })
}

const membersOfObject = (e: Expr): readonly Member[] => (e.k === 'obj' ? e.props.flatMap((p) => (p.key ? [memberOf(p.key, p.value)] : [])) : [])

const memberOf = (name: string, value: Expr): Member =>
  value.k === 'fn' ? { name, how: 'method', fn: value.fn, decorators: [], l: value.l } : { name, how: 'field', value, decorators: [], l: value.l }
