import type { ClassIR, Expr, FunctionId, FunctionIR } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { array, type ClassVal, constant, type FunctionVal, isLiteral, isNullish, object, op, truth, UNDEFINED, UNKNOWN, type Val } from './abstract-value.ts'
import { HIDDEN_LITERAL } from './behaviour.ts'
import { caughtCall } from './caught-call.ts'
import type { Assumption, Interpreter } from './interpreter.ts'
import { elementOf, index, member } from './members.ts'
import { atWork, evaluateAlone, exportedValue, importedModule, quietly, requireModule } from './module-values.ts'
import { objectLiteral } from './object-literal.ts'
import { assignTo, callMethod, callValue, construct, settle, taggedTemplate } from './operations.ts'
import { evaluateOnce, holderOf, UNFINISHED } from './program.ts'
import { Scope } from './scope.ts'

/** The abstract value of an expression; effects are recorded on the way. */
export function evaluate(it: Interpreter, e: Expr, scope: Scope): Val {
  if (--it.fuel < 0) {
    it.gap({ path: scope.path, line: e.l }, 'the code is too long to follow whole')
    return UNKNOWN
  }
  // the most frequent ones, before anything is made for the others
  if (e.k === 'id') return lookup(it, e.name, scope)
  if (e.k === 'lit') return e.secret ? { v: 'call', name: HIDDEN_LITERAL + e.secret, args: [] } : constant(e.v)
  if (e.k === 'fn') return functionValue(it, scope.path, e.fn, scope)
  const at = scope.at(e.l)
  switch (e.k) {
    case 'regex':
      return { v: 'call', name: `regex:${e.v}`, args: [] }
    case 'tpl':
      return template(
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
      return member(it, evaluateOwner(it, e.of, scope), e.name, at)
    case 'idx':
      return index(it, evaluateOwner(it, e.of, scope), settled(it, e.index, scope, at), at)
    case 'call': {
      const place: Place = e.e && e.e !== e.l ? { path: scope.path, line: e.l, endLine: e.e } : at
      if (it.asking && isBackground(it, e.fn, scope)) return UNDEFINED
      if (e.fn.k === 'mem') {
        const caught = e.fn.name === 'catch' && e.args[0] ? caughtCall(it, e.fn.of, e.args[0], scope, at) : undefined
        if (caught) return caught
        const of = evaluateOwner(it, e.fn.of, scope)
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
    case 'arr': {
      const items: Val[] = []
      let more: Val | undefined
      for (const i of e.items) {
        if (i.k === 'spread') {
          const of = settled(it, i.of, scope, at)
          if (of.v === 'array') {
            items.push(...of.items)
            more ??= of.more
          } else more ??= elementOf(it, of)
        } else items.push(evaluate(it, i, scope))
      }
      return array(items, more)
    }
    case 'spread':
      return settled(it, e.of, scope, at)
    case 'bin':
      return binary(e.op, settled(it, e.a, scope, at), settled(it, e.b, scope, at))
    case 'logic':
      return logical(it, e.op, settled(it, e.a, scope, at), e.b, scope, at)
    case 'un': {
      const of = settled(it, e.of, scope, at)
      if (e.op === '!') {
        const known = truth(of)
        if (known !== undefined) return constant(!known)
        return of.v === 'op' && of.op === '!' ? op('!', op('!', of.of[0] ?? UNKNOWN)) : op('!', of)
      }
      if (e.op === 'void') return UNDEFINED
      if (e.op === 'typeof') return typeofValue(of)
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
        settled(it, e.test, scope, at),
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

/** The line on which the last name of a call chain stands is not kept; the first line of the whole call is what people see. */
function lineOfMember(fn: Expr, line: number): number {
  return fn.e ?? fn.l ?? line
}

/** The object before a dot: kept unsettled, so that query builders can go on. */
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

/** A template literal: constant when all its parts are. */
export function template(quasis: readonly string[], exprs: readonly Val[]): Val {
  const parts: Val[] = []
  quasis.forEach((q, i) => {
    if (q) parts.push(constant(q))
    const x = exprs[i]
    if (x) parts.push(x)
  })
  return text(parts)
}

/** Concatenation, with neighbouring constants joined. */
export function text(parts: readonly Val[]): Val {
  const out: Val[] = []
  for (const p of parts.flatMap((x) => (x.v === 'text' ? x.parts : [x]))) {
    const last = out[out.length - 1]
    if (p.v === 'const' && last?.v === 'const') out[out.length - 1] = constant(String(last.value) + String(p.value))
    else out.push(p.v === 'const' ? constant(String(p.value)) : p)
  }
  if (out.length === 0) return constant('')
  if (out.length === 1 && out[0]?.v === 'const') return out[0]
  return { v: 'text', parts: out }
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

export function classValue(it: Interpreter, ir: ClassIR, name: string, scope: Scope): ClassVal {
  const statics = new Scope(scope.path, scope, scope.lazy !== undefined)
  const cls: ClassVal = { v: 'class', ir, name, path: scope.path, scope, statics }
  statics.vars.set('this', cls)
  statics.lazy = new Map()
  for (const m of ir.members) {
    if (!m.static) continue
    const value = m.value
    if (m.how === 'field' && value)
      // the class of a module is for all entries, and so is what its static members hold
      statics.lazy.set(m.name, () => (scope.lazy ? quietly(atWork(it), () => evaluateAlone(atWork(it), value, statics)) : evaluate(it, value, statics)))
    else if (m.fn !== undefined && m.how === 'method') statics.lazy.set(m.name, () => functionValue(it, scope.path, m.fn as number, scope, cls, cls))
  }
  return cls
}

function typeofValue(of: Val): Val {
  if (of.v === 'const') return constant(of.value === null ? 'object' : typeof of.value)
  if (of.v === 'object' || of.v === 'array' || of.v === 'response' || of.v === 'instance') return constant('object')
  if (of.v === 'text') return constant('string')
  if (of.v === 'fn' || of.v === 'class') return constant('function')
  if (of.v === 'global' && of.name === 'process') return constant('object')
  return op('typeof', of)
}

/** Text, whatever is added to it: what is written as such, and what the environment holds. */
const isText = (v: Val): boolean => v.v === 'text' || v.v === 'env' || (v.v === 'const' && typeof v.value === 'string')

/** A binary operation, folded when both sides are known. */
export function binary(operator: string, a: Val, b: Val): Val {
  if (operator === '+') {
    if (a.v === 'const' && b.v === 'const' && typeof a.value === 'number' && typeof b.value === 'number') return constant(a.value + b.value)
    if (isText(a) || isText(b)) return text([a, b])
    return op('+', a, b)
  }
  if (operator === '!==' || operator === '!=') return op('!', binary('===', a, b))
  if (operator === '==') return binary('===', a, b)
  if (a.v === 'const' && b.v === 'const') {
    const x = a.value
    const y = b.value
    switch (operator) {
      case '===':
        return constant(x === y || (isNullish(a) && isNullish(b)))
      case '<':
        return constant((x as number) < (y as number))
      case '>':
        return constant((x as number) > (y as number))
      case '<=':
        return constant((x as number) <= (y as number))
      case '>=':
        return constant((x as number) >= (y as number))
      case '*':
        return constant(Number(x) * Number(y))
      case '-':
        return constant(Number(x) - Number(y))
      case '/':
        return constant(Number(x) / Number(y))
    }
  }
  if (operator === 'instanceof') return instanceOf(a, b)
  if (operator === 'in' && a.v === 'const' && b.v === 'object' && !b.rest) return constant(Object.hasOwn(b.props, String(a.value)))
  if (operator === 'in' && a.v === 'const' && b.v === 'response') return constant(['status', 'headers', 'json', 'ok', 'body'].includes(String(a.value)))
  if (/^[<>]=?$/.test(operator)) {
    // a rank looked up in a table (`RANK[member.role] >= RANK.admin`): for each of its entries it is known
    if (a.v === 'any' && b.v === 'const' && a.alts.every((x) => x.value.v === 'const'))
      return { v: 'any', choice: a.choice, alts: a.alts.map((x) => ({ ...x, value: binary(operator, x.value, b) })) }
    if (b.v === 'any' && a.v === 'const' && b.alts.every((x) => x.value.v === 'const'))
      return { v: 'any', choice: b.choice, alts: b.alts.map((x) => ({ ...x, value: binary(operator, a, x.value) })) }
  }
  if (operator === 'in' && b.v === 'any') return { v: 'any', choice: b.choice, alts: b.alts.map((x) => ({ ...x, value: binary('in', a, x.value) })) }
  return op(operator, a, b)
}

function instanceOf(a: Val, b: Val): Val {
  if (a.v === 'any') return { v: 'any', choice: a.choice, alts: a.alts.map((x) => ({ ...x, value: instanceOf(x.value, b) })) }
  const name = b.v === 'global' || b.v === 'lib' ? b.name : ''
  if (/^(?:Next)?Response$/.test(name)) {
    if (a.v === 'response') return constant(true)
    if (a.v === 'object' || a.v === 'const' || a.v === 'caller' || a.v === 'array' || a.v === 'row' || a.v === 'client' || a.v === 'instance')
      return constant(false)
  }
  if (b.v === 'class') {
    if (a.v === 'instance') {
      for (let c: ClassVal | undefined = a.of, n = 0; c && n < 8; n++) {
        if (c.path === b.path && c.name === b.name && c.ir === b.ir) return constant(true)
        const parent: Expr | undefined = c.ir.extends
        c = parent?.k === 'id' ? (c.scope.holder(parent.name)?.vars.get(parent.name) as ClassVal | undefined) : undefined
        if (c && c.v !== 'class') c = undefined
      }
      return constant(false)
    }
    if (a.v === 'object' || a.v === 'const' || a.v === 'response') return constant(false)
  }
  if (name === 'Error' && a.v === 'response') return constant(false)
  if (name === 'Error' && (a.v === 'instance' || (a.v === 'object' && a.props.$error))) return constant(true)
  return op('instanceof', a, b)
}

/** What the platform puts into every edge function: there it is never unset, and what stands beside it is never taken. */
const GIVEN_TO_FUNCTIONS = /^SUPABASE_(?:URL|ANON_KEY|SERVICE_ROLE_KEY|DB_URL)$/
const isGiven = (value: Val, at: Place): boolean => value.v === 'env' && GIVEN_TO_FUNCTIONS.test(value.name) && /(?:^|\/)supabase\/functions\//.test(at.path)

function logical(it: Interpreter, operator: '&&' | '||' | '??', a: Val, right: Expr, scope: Scope, at: Place): Val {
  const b = () => settle(it, evaluate(it, right, scope), at)
  if (operator !== '&&' && isGiven(a, at)) return a
  if (operator === '??') {
    if (isNullish(a)) return b()
    if (truth(a) === true || (a.v === 'const' && !isNullish(a))) return a
    if (a.v === 'env' && !a.fallback) {
      const other = b()
      return { v: 'env', name: a.name, fallback: other.v === 'env' || isLiteral(other) ? other : { v: 'unknown' } }
    }
  } else {
    const known = truth(a)
    if (known !== undefined) return known === (operator === '||') ? a : b()
    if (operator === '||' && a.v === 'env' && !a.fallback) {
      const other = b()
      if (other.v === 'env' || isLiteral(other)) return { v: 'env', name: a.name, fallback: other }
    }
  }
  if (isTest(right)) {
    // a plain test: keep it one value, so that conditions can be read from it
    let value: Val = UNKNOWN
    const assumed = it.assume(a, operator === '&&', at)
    if (!assumed) return a
    const state = it.branch(assumed, () => {
      value = b()
    })
    it.keep(state.writes)
    return operator === '??'
      ? it.alternatives([
          { value: a, under: [] },
          { value, under: [] },
        ])
      : op(operator, a, value)
  }
  if (operator === '&&') return choose(it, a, at, b, () => (a.v === 'any' ? falsy(it, it.narrow(a)) : FALSY))
  return choose(it, a, at, () => it.narrow(a), b)
}

/** What is left of a value that turned out falsy: alternatives of which that is not known otherwise are so there. */
function falsy(it: Interpreter, value: Val): Val {
  if (value.v === 'any') return it.distribute(value, (x) => falsy(it, x))
  return truth(value) === false ? value : FALSY
}

/** Right-hand sides that are tests rather than values: comparisons, negations, and simple reads. */
function isTest(e: Expr): boolean {
  switch (e.k) {
    case 'bin':
      return !['+', '-', '*', '/', '%'].includes(e.op)
    case 'un':
      return e.op === '!'
    case 'logic':
      return isTest(e.b)
    case 'call':
      return e.fn.k === 'mem' && ['includes', 'startsWith', 'endsWith', 'test', 'some', 'every', 'has'].includes(e.fn.name)
    default:
      return false
  }
}

/** A value that depends on a test. */
function choose(it: Interpreter, test: Val, at: Place, then: () => Val, otherwise: () => Val): Val {
  const values: Val[] = [UNDEFINED, UNDEFINED]
  const yes: Assumption | undefined = it.assume(test, true, at)
  const no: Assumption | undefined = it.assume(test, false, at)
  if (!no || !yes) {
    let only: Val = UNDEFINED
    const assumed = yes ?? no
    if (assumed) {
      if (assumed.conds.length) it.pc = [...it.pc, ...assumed.conds]
      it.narrowed = assumed.narrowed
    }
    only = yes ? then() : otherwise()
    return only
  }
  const base = it.pc.length
  const a = it.branch(yes, () => {
    values[0] = then()
  })
  const b = it.branch(no, () => {
    values[1] = otherwise()
  })
  if (a.end && b.end) throw a.end
  if (a.end || b.end) {
    const [ended, goes, assumed] = a.end ? [a, b, no] : [b, a, yes]
    for (const c of assumed.conds) c.otherwise = ended.how
    it.resume(goes)
    return a.end ? (values[1] as Val) : (values[0] as Val)
  }
  it.join([a, b])
  const value = it.alternatives([
    { value: values[0] as Val, under: a.pc.slice(base) },
    { value: values[1] as Val, under: b.pc.slice(base) },
  ])
  return value
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

/** What `a && b` gives when `a` does not hold. */
const FALSY: Val = { v: 'const', value: false }

function superCall(it: Interpreter, list: readonly Val[], scope: Scope, at: Place): Val {
  const parent = scope.holder('super')?.vars.get('super')
  const self = scope.holder('this')?.vars.get('this')
  if (self?.v !== 'instance') return UNDEFINED
  if (parent?.v === 'class') {
    const base = construct(it, parent, list, at)
    if (base.v === 'instance') for (const [n, x] of base.fields.vars) if (n !== 'this') it.write(self.fields, n, x)
  } else {
    it.write(self.fields, 'message', list[0] ?? UNDEFINED)
    const options = list[1]
    if (options?.v === 'object') for (const [n, x] of Object.entries(options.props)) it.write(self.fields, n, x)
    if (list[0]?.v === 'const' && typeof list[0].value === 'number') it.write(self.fields, 'status', list[0])
  }
  return UNDEFINED
}

/** Elements of components that run on the server are values; what is written in braces is evaluated for its effects. */
const usePromises = new WeakMap<FunctionIR, boolean>()

/** A component that is not async and waits with React's `use(requireUser())`: it runs on the server as well. */
function awaitsByUse(ir: FunctionIR): boolean {
  let known = usePromises.get(ir)
  if (known === undefined) {
    known = /"fn":\{"k":"id",(?:"l":\d+,)?"name":"use"/.test(JSON.stringify(ir.body).slice(0, 40_000))
    usePromises.set(ir, known)
  }
  return known
}

function jsx(it: Interpreter, e: Extract<Expr, { k: 'jsx' }>, scope: Scope): Val {
  const props: Record<string, Val> = {}
  for (const a of e.attrs) {
    const value = evaluate(it, a.value, scope)
    if (a.key) props[a.key] = value
  }
  // An async component runs on the server, and what it decides (a redirect) holds for what is inside it.
  const component = e.tag && typeof e.tag === 'object' && e.tag.k === 'id' ? evaluate(it, e.tag, scope) : undefined
  const ir = component?.v === 'fn' ? it.program.function(component.path, component.id) : undefined
  if (component?.v === 'fn' && ir && (ir.async || awaitsByUse(ir))) {
    const at = scope.at(e.l)
    settle(it, callValue(it, component, [object({ ...props, children: { v: 'call', name: 'children', args: [] } })], at), at)
  }
  for (const c of e.children) evaluate(it, c, scope)
  // one for each place, so that what a page shows whom stays apart
  return { v: 'call', name: 'jsx', args: [{ v: 'const', value: e.l }] }
}
