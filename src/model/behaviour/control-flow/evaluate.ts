import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { classValue, superCall } from '../calls/classes.ts'
import { caughtCall } from '../calls/promise-catch.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { array, type ClassVal, constant, type FunctionVal, isNullish, op, truth, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { arrayLiteral } from '../domain/array-literal.ts'
import { elementOf, index, member } from '../domain/members.ts'
import { objectLiteral } from '../domain/object-literal.ts'
import { binary, typeofValue } from '../domain/operators.ts'
import { templateLiteral } from '../domain/strings.ts'
import { provesPresence } from '../identity/non-null-caller.ts'
import type { Interpreter } from '../interpreter.ts'
import { keptOnGlobal } from '../modules/global-this.ts'
import { isOfPromise, isPromise, notesPromise, PROMISE, readsNothing } from '../modules/missing-await.ts'
import { exportedValue, importedModule, requireModule } from '../modules/module-scope.ts'
import { evaluateOnce, holderOf, UNFINISHED } from '../modules/program.ts'
import { throwsWhenRead } from '../modules/undeclared-identifier.ts'
import { assignTo, callMethod, callValue, construct, maybe, settle, taggedTemplate } from '../operations.ts'
import { jsx } from '../platform/jsx.ts'
import { typeOfBrowsers } from '../platform/runtime-side.ts'
import { HIDDEN_LITERAL } from '../types.ts'
import { choose, logical } from './short-circuit.ts'
import { raise } from './throw.ts'

/** The abstract value of an expression; effects are recorded on the way. */
export function evaluate(it: Interpreter, e: Expr, scope: Scope): Val {
  if (--it.fuel < 0) {
    it.gap({ path: scope.path, line: e.l }, 'the code is too long to follow whole')
    return UNKNOWN
  }
  // the most frequent ones, before anything is made for the others
  if (e.k === 'id') return read(it, e, scope)
  if (e.k === 'lit') return e.secret ? { v: 'call', name: HIDDEN_LITERAL + e.secret, args: [] } : constant(e.v)
  if (e.k === 'fn') return functionValue(it, scope.path, e.fn, scope)
  const at = scope.at(e.l)
  switch (e.k) {
    case 'regex':
      return { v: 'call', name: `regex:${e.v}`, args: [] }
    case 'tpl':
      return templateLiteral(
        e.quasis,
        e.exprs.map((x) => settled(it, x, scope, at)),
      )
    case 'tag':
      return tagged(it, e, scope, at)
    case 'this':
      return it.narrow(scope.holder('this')?.vars.get('this') ?? UNKNOWN)
    case 'super':
      return scope.holder('super')?.vars.get('super') ?? UNKNOWN
    case 'mem':
      if (e.of.k === 'opaque' && e.name === 'env') return { v: 'global', name: 'import.meta.env' }
      return memberOf(it, e, scope, at)
    case 'idx':
      return index(it, evaluateOwner(it, e.of, scope), settled(it, e.index, scope, at), at)
    case 'call': {
      const place: Place = e.e && e.e !== e.l ? { path: scope.path, line: e.l, endLine: e.e } : at
      if (it.asking && isBackground(it, e.fn, scope)) return UNDEFINED
      if (e.fn.k === 'mem') {
        const caught = e.fn.name === 'catch' && e.args[0] ? caughtCall(it, e.fn.of, e.args[0], scope, at) : undefined
        if (caught) return caught
        const of = evaluateOwner(it, e.fn.of, scope)
        if (isOfPromise(it, e.fn, scope)) return raise(it, UNKNOWN, place)
        return callMethod(it, of, e.fn.name, args(it, e.args, scope), scope.at(lineOfMember(e.fn, e.l)), changed(it, e.fn.of, scope))
      }
      if (e.fn.k === 'idx') {
        const of = evaluateOwner(it, e.fn.of, scope)
        const name = settled(it, e.fn.index, scope, at)
        if (name.v === 'const' && typeof name.value === 'string') return callMethod(it, of, name.value, args(it, e.args, scope), place)
        return callValue(it, index(it, of, name, at), args(it, e.args, scope), place)
      }
      if (e.fn.k === 'super') return superCall(it, args(it, e.args, scope), scope, place)
      if (e.fn.k === 'id' && e.fn.name === 'require' && e.args[0]?.k === 'lit' && !holderOf(it.program, 'require', scope))
        return requireModule(it, scope.path, String(e.args[0].v))
      return callValue(it, evaluate(it, e.fn, scope), args(it, e.args, scope), place, e.fn.k === 'id' ? e.fn.name : undefined)
    }
    case 'new':
      return construct(it, evaluate(it, e.fn, scope), args(it, e.args, scope), at)
    case 'import':
      return e.from.k === 'lit' && typeof e.from.v === 'string' ? importedModule(it, scope.path, e.from.v) : UNKNOWN
    case 'class':
      return classValue(it, e.class, '', scope)
    case 'obj':
      return objectLiteral(it, e.props, scope, at)
    case 'arr':
      return arrayLiteral(it, e.items, scope, at)
    case 'spread':
      return settled(it, e.of, scope, at)
    case 'bin':
      return binary(e.op, used(it, e.a, scope, at), used(it, e.b, scope, at))
    case 'logic':
      return logical(it, e.op, e.op === '&&' ? used(it, e.a, scope, at) : settled(it, e.a, scope, at), e.b, scope, at)
    case 'un': {
      const of = e.op === 'typeof' && e.of.k === 'id' ? settle(it, lookup(it, e.of.name, scope), at) : (e.op === '!' ? tested : settled)(it, e.of, scope, at)
      if (e.op === '!') {
        const known = truth(of)
        if (known !== undefined) return constant(!known)
        return of.v === 'op' && of.op === '!' ? op('!', op('!', of.of[0] ?? UNKNOWN)) : op('!', of)
      }
      if (e.op === 'void') return UNDEFINED
      if (e.op === 'typeof') return typeOfBrowsers(it, of) ?? typeofValue(of)
      if (e.op === '-' && of.v === 'const' && typeof of.value === 'number') return constant(-of.value)
      if (e.op === '++' || e.op === '--') {
        if (e.of.k === 'id') assignTo(it, { k: 'name', name: e.of.name }, op('+', of, constant(1)), scope, e.l)
        else if (of.v === 'row') assignTo(it, { k: 'expr', expr: e.of }, op('+', of, constant(1)), scope, e.l)
        return of
      }
      return op(e.op, of)
    }
    case 'cond':
      return choose(
        it,
        tested(it, e.test, scope, at),
        scope.at(e.test.l),
        () => settled(it, e.then, scope, at),
        () => settled(it, e.else, scope, at),
      )
    case 'await':
      return settled(it, e.of, scope, at)
    case 'yield':
      return e.of ? settled(it, e.of, scope, at) : UNKNOWN
    case 'assign': {
      const value = assigned(it, e, scope, at)
      assignTo(it, e.to, value, scope, e.l)
      if (e.op === '=') notesPromise(it, e.to, e.value, scope)
      return value
    }
    case 'seq': {
      let last: Val = UNDEFINED
      for (const i of e.items) last = settled(it, i, scope, at)
      return last
    }
    case 'jsx':
      return jsx(it, e, scope)
    case 'opaque':
      return UNKNOWN
  }
}

/** `waitUntil(…)`, `ctx.waitUntil(…)`, `after(…)`: what goes on when the answer is out has no part in it. */
function isBackground(it: Interpreter, fn: Expr, scope: Scope): boolean {
  if (fn.k === 'mem') return fn.name === 'waitUntil'
  if (fn.k !== 'id' || !/^(?:waitUntil|(?:unstable_)?after)$/.test(fn.name)) return false
  const value = lookup(it, fn.name, scope)
  return value.v === 'lib' || value.v === 'global'
}

/** The value of an expression once it is used. */
const settled = (it: Interpreter, e: Expr, scope: Scope, at: Place): Val => settle(it, evaluate(it, e, scope), at)

/** The value of an expression that is compared with something: of a promise, that it is one. */
function used(it: Interpreter, e: Expr, scope: Scope, at: Place): Val {
  if (!isPromise(it, e, scope)) return settled(it, e, scope, at)
  if (e.k === 'call') maybe(it, () => settled(it, e, scope, at))
  return PROMISE
}

/** The value of an expression that is asked whether it holds. A promise does, whatever it will bring. */
export function tested(it: Interpreter, e: Expr, scope: Scope, at: Place): Val {
  if (e.k !== 'logic' || e.op === '??') return used(it, e, scope, at)
  const whole = { ...e, a: asTest(it, e.a, scope), b: asTest(it, e.b, scope) }
  return settled(it, whole.a === e.a && whole.b === e.b ? e : whole, scope, at)
}

/** A side of `&&` or `||` in a test: `!!side`, where it is a promise. */
function asTest(it: Interpreter, e: Expr, scope: Scope): Expr {
  if (e.k === 'logic' && e.op !== '??') {
    const [a, b] = [asTest(it, e.a, scope), asTest(it, e.b, scope)]
    return a === e.a && b === e.b ? e : { ...e, a, b }
  }
  return isPromise(it, e, scope) ? { k: 'un', op: '!', of: { k: 'un', op: '!', of: e, l: e.l }, l: e.l } : e
}

/** The line on which the last name of a call chain stands is not kept; the first line of the whole call is what people see. */
function lineOfMember(fn: Expr, line: number): number {
  return fn.e ?? fn.l ?? line
}

/** The object before a dot: kept unsettled, so that query builders can go on. */
function memberOf(it: Interpreter, e: Extract<Expr, { k: 'mem' }>, scope: Scope, at: Place): Val {
  const of = evaluateOwner(it, e.of, scope)
  if (isOfPromise(it, e, scope)) return raise(it, UNKNOWN, at)
  if (readsNothing(it, e, scope)) return UNDEFINED
  if (!e.opt) provesPresence(it, e.of, of, at)
  const value = member(it, of, e.name, at)
  return (of.v === 'global' && isNullish(value) && keptOnGlobal(it, e, of, scope.path)) || value
}

function evaluateOwner(it: Interpreter, of: Expr, scope: Scope): Val {
  const value = evaluate(it, of, scope)
  return of.k === 'await' ? settle(it, value, scope.at(of.l)) : it.narrow(value)
}

/** A setter for receivers that methods change in place (`list.push(x)`). */
function changed(it: Interpreter, of: Expr, scope: Scope): ((value: Val) => void) | undefined {
  if (of.k === 'id') return (value) => assignTo(it, { k: 'name', name: of.name }, value, scope, of.l)
  if (of.k === 'mem' || of.k === 'idx') return (value) => assignTo(it, { k: 'expr', expr: of }, value, scope, of.l)
  return undefined
}

/** The value of a name where it is read: one that nothing declares throws. */
function read(it: Interpreter, { name, l }: Extract<Expr, { k: 'id' }>, scope: Scope): Val {
  const value = lookup(it, name, scope)
  return value.v === 'global' && value.name === name && throwsWhenRead(it, name, scope.path) ? raise(it, UNKNOWN, scope.at(l)) : value
}

export function lookup(it: Interpreter, name: string, scope: Scope): Val {
  const holder = holderOf(it.program, name, scope)
  if (!holder) {
    if (name === 'undefined') return UNDEFINED
    if (name === 'NaN' || name === 'Infinity') return UNKNOWN
    const auto = it.program.autoImport(scope.path, name)
    return (auto && exportedValue(it, auto.path, auto.imported)) ?? { v: 'global', name }
  }
  const known = holder.vars.get(name)
  if (known === UNFINISHED) it.program.reads.unfinished(holder, name)
  if (known !== undefined) return it.narrow(known)
  const lazy = holder.lazy?.get(name)
  return lazy ? evaluateOnce(it.program, holder, name, lazy) : UNKNOWN
}

function args(it: Interpreter, list: readonly Expr[], scope: Scope): Val[] {
  const out: Val[] = []
  for (const a of list) {
    if (a.k === 'spread') {
      const of = settle(it, evaluate(it, a.of, scope), scope.at(a.l))
      if (of.v === 'array') out.push(...of.items, ...(of.more ? [of.more] : []))
      else out.push(elementOf(it, of))
    } else out.push(it.narrow(evaluate(it, a, scope)))
  }
  return out
}

function tagged(it: Interpreter, e: Extract<Expr, { k: 'tag' }>, scope: Scope, at: Place): Val {
  const tag = evaluate(it, e.tag, scope)
  const quasis = e.tpl.k === 'tpl' ? e.tpl.quasis : e.tpl.k === 'lit' ? [String(e.tpl.v)] : []
  const exprs = e.tpl.k === 'tpl' ? e.tpl.exprs.map((x) => settle(it, evaluate(it, x, scope), at)) : []
  if (tag.v === 'fn') return callValue(it, tag, [array(quasis.map((q) => constant(q))), ...exprs], at)
  return taggedTemplate(it, tag, quasis, exprs, at) ?? { v: 'call', name: 'tagged-template', args: [tag, ...exprs], at }
}

export function functionValue(_it: Interpreter, path: string, id: FunctionId, scope: Scope, self?: Val, home?: ClassVal): FunctionVal {
  return { v: 'fn', path, id, scope, ...(self ? { self } : {}), ...(home ? { home } : {}) }
}

function assigned(it: Interpreter, e: Extract<Expr, { k: 'assign' }>, scope: Scope, at: Place): Val {
  const right = () => evaluate(it, e.value, scope)
  if (e.op === '=') return right()
  const target = e.to.k === 'name' ? lookup(it, e.to.name, scope) : e.to.k === 'expr' ? evaluate(it, e.to.expr, scope) : UNKNOWN
  if (e.op === '||=' || e.op === '??=' || e.op === '&&=') {
    if (isNullish(target) && e.op !== '&&=') return right()
    return it.alternatives([
      { value: target, under: [] },
      { value: right(), under: [] },
    ])
  }
  return binary(e.op.slice(0, -1), target, settle(it, right(), at))
}
