import type { FunctionIR } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { builtinConstruct } from '../builtins/constructors.ts'
import { builtinCall } from '../builtins/functions.ts'
import { builtinMethod } from '../builtins/methods.ts'
import { SIGNALS } from '../control-flow/completion.ts'
import {
  type ClassVal,
  type Cond,
  constantString,
  type FunctionVal,
  isDigestValue,
  isNullish,
  op,
  Scope,
  UNDEFINED,
  UNKNOWN,
  type Val,
} from '../domain/abstract-value.ts'
import { callable, eachAlternative } from '../domain/map-alternatives.ts'
import { mapEntry } from '../domain/maps.ts'
import { elementOf, member } from '../domain/members.ts'
import { credentialBehind } from '../identity/credential.ts'
import { delegated, underDelegation } from '../identity/delegation.ts'
import { type Idioms, idiomsOf } from '../idioms/idioms.ts'
import { logged } from '../idioms/logger.ts'
import { NOTHING_YET } from '../idioms/memoization.ts'
import type { Frame, Interpreter } from '../interpreter.ts'
import { libraryCall } from '../libraries/index.ts'
import { bind, evaluate, execute, exportedValue, functionValue, settleChain } from '../operations.ts'
import { documentCall } from '../platform/document-mutation.ts'
import { snapshotCall } from '../platform/firestore-snapshot.ts'
import { hostCall } from '../platform/host-objects.ts'
import { parametersWith } from '../platform/url-search-params.ts'
import { classOfFunction } from './constructor-functions.ts'
import { noteUnreadCheck } from './opaque-guard-gap.ts'
import { libraryBase, parentOf } from './superclass.ts'

const MAX_DEPTH = 48
const MAX_RECURSION = 1

/** The value once awaited or used: query builders run. */
export function settle(it: Interpreter, val: Val, at: Place): Val {
  if (val.v === 'chain') return settleChain(it, val, at) ?? val
  if (val.v === 'any') {
    return holdsQuery(val)
      ? eachAlternative(
          it,
          val,
          (value) => settle(it, value, at),
          () => true,
          () => it.narrow(val),
        )
      : it.narrow(val)
  }
  return val
}

const holdsQuery = (val: Val): boolean => val.v === 'chain' || (val.v === 'any' && val.alts.some((a) => holdsQuery(a.value)))

/** `db = {}` where no database is configured: nothing can be called on it. */
const isEmpty = (val: Val): boolean => val.v === 'object' && !val.rest && Object.keys(val.props).length === 0

/** Calls a value. */
export function callValue(it: Interpreter, fn: Val, args: readonly Val[], at: Place, name?: string): Val {
  switch (fn.v) {
    case 'fn':
      return callFunction(it, fn, args, at)
    case 'native':
      return fn.call(it, args, at)
    case 'any':
      return eachAlternative(it, fn, (value) => callValue(it, value, args, at, name))
    case 'lib':
      return call(it, { v: 'chain', root: fn, links: [{ name: fn.name, args }], at }, at)
    case 'chain': {
      const links = fn.links
      const last = links.at(-1)
      // what a library takes away from the end of a chain can be all of it
      if (!last) return callValue(it, fn.root, args, at, name)
      if (last.args) return call(it, { v: 'chain', root: fn.root, links: [...links, { name: 'call', args }], at: fn.at }, at)
      return call(it, { v: 'chain', root: fn.root, links: [...links.slice(0, -1), { name: last.name, args }], at: fn.at }, at)
    }
    case 'global':
      if (fn.name === 'eval') it.gap(at, 'a text is run as code, which is not followed')
      return builtinCall(it, fn.name, args, at) ?? unknownCall(it, fn.name, undefined, args, at)
    case 'client':
      return call(it, { v: 'chain', root: fn, links: [{ name: 'call', args }], at }, at)
    case 'call': {
      // a function that an unknown wrapper made: what was wrapped runs
      const inner = fn.args.find((a) => a.v === 'fn' || a.v === 'native')
      if (inner) noteUnreadCheck(it, fn.name, fn.at ?? at, 'wrapper')
      if (inner) return callValue(it, inner, args, at, name)
      return unknownCall(it, name ?? fn.name, undefined, args, at)
    }
    case 'class':
      return construct(it, fn, args, at)
    case 'namespace': {
      const main = exportedValue(it, fn.path, 'default')
      return main ? callValue(it, main, args, at, name) : UNKNOWN
    }
    case 'object': {
      const handler = fn.props.handler ?? fn.props.default ?? fn.props.fetch
      return handler ? callValue(it, handler, args, at) : UNKNOWN
    }
    case 'host': {
      const answer = hostCall(it, fn, 'call', args, at)
      return answer ?? unknownCall(it, name ?? fn.host, undefined, args, at)
    }
    default:
      return unknownCall(it, name ?? 'call', undefined, args, at)
  }
}

/** `of.name(...args)`; `changed` stores a receiver that the method changes in place. */
export function callMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place, changed?: (value: Val) => void): Val {
  switch (of.v) {
    case 'any':
      return (
        (name === 'get' && mapEntry(it, of, args[0])) ||
        eachAlternative(
          it,
          of,
          (value) => callMethod(it, value, name, args, at, changed),
          (value) => callable(value) && (!isEmpty(value) || name in Object.prototype),
        )
      )
    case 'fn':
      if (name === 'call') return callFunction(it, args[0] && args[0].v !== 'const' ? { ...of, self: args[0] } : of, args.slice(1), at)
      if (name === 'apply') return callFunction(it, of, args[1]?.v === 'array' ? args[1].items : [], at)
      if (name === 'bind') return of
      break
    case 'global':
      return builtinCall(it, `${of.name}.${name}`, args, at) ?? unknownCall(it, `${of.name}.${name}`, undefined, args, at)
    case 'lib':
      return call(it, { v: 'chain', root: of, links: of.name === '*' ? [{ name, args }] : [{ name: of.name }, { name, args }], at }, at)
    case 'client':
      return call(it, { v: 'chain', root: of, links: [{ name, args }], at }, at)
    case 'env':
      // a database that the platform binds to a variable (`env.DB.prepare(…)`)
      if (name === 'prepare') return callMethod(it, { v: 'client', client: { library: 'other', rights: 'service', at } }, name, args, at)
      break
    case 'chain': {
      if (name === 'bind') return of
      const settled = promiseMethod(it, of, name, args, at)
      if (settled) return settled
      const parameters = changed && parametersWith(of, name, args)
      if (parameters) {
        changed(parameters)
        return UNDEFINED
      }
      const last = of.links[of.links.length - 1]
      if (last?.args) {
        const done = settleChain(it, of, at, name)
        if (done) return callMethod(it, done, name, args, at)
      }
      return call(it, { v: 'chain', root: of.root, links: [...of.links, { name, args }], at: of.at }, at)
    }
    case 'row': {
      const answer = documentCall(it, of, name, args, at) ?? snapshotCall(it, of, name, constantString(args[0]))
      if (answer) return answer
      break
    }
    case 'host': {
      const own = of.props.vars.get(name)
      if (own) return callValue(it, own, args, at, name)
      const answer = hostCall(it, of, name, args, at)
      if (answer) return answer
      break
    }
    case 'object':
    case 'instance':
    case 'class':
    case 'namespace': {
      if (of.v === 'object' && !Object.hasOwn(of.props, name)) {
        // `{ ...locals, url }`: what was left on the object of the framework is on its copy
        if (of.rest?.v === 'host') return callMethod(it, of.rest, name, args, at, changed)
        break
      }
      const fn = member(it, of, name, at)
      if (fn.v === 'fn') return callFunction(it, fn.self || of.v === 'namespace' ? fn : { ...fn, self: of }, args, at)
      if (fn.v === 'native' || fn.v === 'any' || fn.v === 'lib' || fn.v === 'call' || fn.v === 'global') return callValue(it, fn, args, at, name)
      if (fn.v === 'chain') return callValue(it, fn, args, at, name)
      break
    }
  }
  const promised = promiseMethod(it, of, name, args, at)
  if (promised) return promised
  if (isDigestValue(of) && BYTES_TO_TEXT_METHOD.test(name)) return of
  const builtin = builtinMethod(it, of, name, args, at, changed)
  if (builtin) return builtin
  if (of.v === 'unknown' || of.v === 'call') return call(it, { v: 'chain', root: of, links: [{ name, args }], at }, at)
  return unknownCall(it, name, of, args, at)
}

/** `.then`, `.catch`, `.finally` of anything. */
function promiseMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place): Val | undefined {
  if (name !== 'then' && name !== 'catch' && name !== 'finally') return undefined
  const fn = args[0]
  if (!fn || (fn.v !== 'fn' && fn.v !== 'native' && fn.v !== 'any')) return name === 'then' && !fn ? undefined : settle(it, of, at)
  const value = settle(it, of, at)
  if (name === 'then') return settle(it, callValue(it, fn, [value], at), at)
  if (name === 'finally') {
    maybe(it, () => callValue(it, fn, [], at))
    return value
  }
  let caught: Val = UNKNOWN
  const state = it.branch({ conds: [{ test: { v: 'error', of: -1 }, negated: false, at, otherwise: { ends: false } }], narrowed: it.narrowed }, () => {
    caught = settle(it, callValue(it, fn, [{ v: 'error', of: -1 }], at), at)
  })
  return state.end
    ? value
    : it.alternatives([
        { value, under: [] },
        { value: caught, under: [] },
      ])
}

/** Ways of writing bytes out as text. */
const BYTES_TO_TEXT_METHOD = /^(?:toString|padStart|toLowerCase|toUpperCase|toHex|toBase64)$/

/** Runs something that may or may not happen; afterwards both are possible. */
export function maybe(it: Interpreter, run: () => void, asked?: readonly Cond[]): void {
  const state = it.branch(asked && { conds: asked, narrowed: it.narrowed }, () => {
    run()
  })
  it.keepPerhaps(state.writes, asked)
}

function call(it: Interpreter, chain: Extract<Val, { v: 'chain' }>, at: Place): Val {
  it.hazards++
  return libraryCall(it, chain, at)
}

/** A call that nothing is known of: callbacks may run, what goes in may come out. */
export function unknownCall(it: Interpreter, name: string, of: Val | undefined, args: readonly Val[], at: Place): Val {
  it.hazards++
  const item = of ? elementOf(it, of) : UNKNOWN
  const test = args.some((a) => a.v === 'fn') ? delegated(name, args, at) : undefined
  const results: Val[] = []
  const run = (fn: FunctionVal, given: readonly Val[]) =>
    maybe(it, () =>
      underDelegation(it, test, at, () => {
        results.push(settle(it, callFunction(it, fn, given, at), at))
      }),
    )
  for (const a of args) {
    if (a.v === 'fn') run(a, [item, item])
    else if (a.v === 'object') for (const p of Object.values(a.props)) if (p.v === 'fn') run(p, [item])
  }
  // what runs a function that says who calls (a timer around it, a second try) says so too
  const [only] = results
  if (only && results.length === 1 && saysWho(only)) return only
  return { v: 'call', name, args: of && of.v !== 'unknown' ? [of, ...args] : args, at }
}

/** The caller, or nobody. */
const saysWho = (v: Val): boolean =>
  v.v === 'caller' ||
  (v.v === 'any' && v.alts.some((a) => a.value.v === 'caller') && v.alts.every(({ value: x }) => x.v === 'caller' || (x.v === 'const' && isNullish(x))))

/** Calls a function of the repository with abstract arguments. */
export function callFunction(it: Interpreter, fn: FunctionVal, args: readonly Val[], at: Place): Val {
  const ir = it.program.function(fn.path, fn.id)
  if (!ir) return UNKNOWN
  const idioms = idiomsOf(ir)
  const { compared, encoding, copies } = idioms
  if (compared === 'parameters' && args.length >= 2) return op('===', args[0] ?? UNKNOWN, args[1] ?? UNKNOWN)
  // a token is taken apart in more steps than are kept of a value
  if (encoding && args[0]) return { v: 'call', name: encoding, args: [credentialBehind(args[0]) ?? args[0]], at }
  // what is cleaned on the way in is still what the request brought; of other things a part may be taken out
  if (copies && args[0]?.v === 'request') return args[0]
  const key = `${fn.path}#${fn.id}`
  if (it.everywhere && it.request?.page?.answering.includes(key)) return { v: 'response', how: 'redirect', at }
  let recursion = 0
  for (const f of it.frames) if (f.key === key) recursion++
  if (recursion > MAX_RECURSION || it.frames.length > MAX_DEPTH || it.fuel <= 0) {
    if (recursion <= MAX_RECURSION) it.gap(at, 'calls are nested too deeply to follow')
    return { v: 'call', name: ir.name ?? 'function', args, at }
  }
  if (idioms.logger) return logged(it, fn, ir.name ?? '', key, args, at, () => follow(it, fn, ir, idioms, key, args, at))
  return follow(it, fn, ir, idioms, key, args, at)
}

/** Runs a function of the repository: in a scope of its own, with what it is given under the names of its parameters. */
function follow(it: Interpreter, fn: FunctionVal, ir: FunctionIR, { compared, remembersIn }: Idioms, key: string, args: readonly Val[], at: Place): Val {
  const { rewrites } = it
  const mark = rewrites?.mark ?? 0
  const parent = fn.home && !ir.arrow ? (parentOf(it, fn.home) ?? libraryBase(it, fn.home)) : undefined
  const frame: Frame = {
    key,
    name: ir.name,
    path: fn.path,
    base: it.pc,
    returns: [],
    open: [],
    openSteps: 0,
    async: ir.async === true,
    tries: it.tries.length,
    given: args,
  }
  const { via, lastRespond } = it
  if (it.frames.length) it.via = [...via, at]
  it.frames.push(frame)
  const state = it.branch(undefined, () => {
    frame.journal = it.journal
    // made inside the branch, which need not take back what is written to it
    const scope = new Scope(fn.path, fn.scope)
    if (!ir.arrow) {
      if (fn.self) scope.vars.set('this', fn.self)
      if (parent) scope.vars.set('super', parent)
      scope.vars.set('arguments', { v: 'array', items: args })
    }
    ir.params.forEach((p, i) => {
      if (p.k === 'rest') bind(it, p.to, { v: 'array', items: args.slice(i) }, scope, ir.l)
      else bind(it, p, args[i] ?? UNDEFINED, scope, ir.l)
    })
    for (const name of remembersIn) scope.vars.set(name, NOTHING_YET)
    const left = execute(it, ir.body, scope)
    if (compared && compared !== 'parameters') saysWhetherEqual(frame, scope.vars.get(compared[0]), scope.vars.get(compared[1]))
    if (left) return left
    it.leave(UNDEFINED)
    if (frame.open.length) it.ending({ ends: true, how: 'return' })
    return undefined
  })
  it.frames.pop()
  it.via = via
  it.lastRespond = lastRespond
  it.keepOutside(state.writes, frame.returns)
  if (!frame.returns.length) {
    it.lastEnd = state.how
    throw SIGNALS.throw
  }
  rewrites?.returned(
    key,
    mark,
    frame.returns.map((way) => way.value),
  )
  return it.comeBack(frame.returns)
}

/** What comes back from a loop that XORs two variables is whether they are equal. */
function saysWhetherEqual({ returns }: Frame, a: Val | undefined, b: Val | undefined): void {
  if (!a || !b) return
  returns.forEach((way, i) => {
    if (way.value.v !== 'const' || way.value.value !== false) returns[i] = { ...way, value: op('===', a, b) }
  })
}

/** `new fn(...args)`. */
export function construct(it: Interpreter, fn: Val, args: readonly Val[], at: Place): Val {
  if (fn.v === 'any') return eachAlternative(it, fn, (value) => construct(it, value, args, at))
  if (fn.v === 'global') return builtinConstruct(it, fn.name, args, at)
  if (fn.v === 'lib') return call(it, { v: 'chain', root: fn, links: [{ name: fn.name }, { name: 'new', args }], at }, at)
  if (fn.v === 'chain') return call(it, { v: 'chain', root: fn.root, links: [...fn.links, { name: 'new', args }], at }, at)
  if (fn.v === 'class') return instantiate(it, fn, args, at)
  if (fn.v === 'fn') {
    const cls = classOfFunction(it, fn)
    return cls ? instantiate(it, cls, args, at) : callFunction(it, fn, args, at)
  }
  return { v: 'call', name: 'new', args: [fn, ...args], at }
}

function instantiate(it: Interpreter, cls: ClassVal, args: readonly Val[], at: Place): Val {
  const fields = new Scope(cls.path, cls.scope)
  const self: Val = { v: 'instance', of: cls, fields }
  const parent = parentOf(it, cls)
  const make = cls.ir.members.find((m) => m.how === 'constructor')
  if (!make?.fn && cls.ir.extends) {
    if (parent) {
      const base = instantiate(it, parent, args, at)
      if (base.v === 'instance') for (const [n, x] of base.fields.vars) fields.vars.set(n, x)
    } else if (args[0]) fields.vars.set('message', args[0])
  }
  const body = new Scope(cls.path, cls.scope)
  body.vars.set('this', self)
  for (const m of cls.ir.members) if (m.how === 'field' && !m.static) fields.vars.set(m.name, m.value ? evaluate(it, m.value, body) : UNDEFINED)
  if (make?.fn !== undefined) {
    const fn = functionValue(it, cls.path, make.fn, cls.scope, self, cls)
    callFunction(it, fn, args, at)
    // parameter properties: `constructor(private readonly db: Db)` binds fields of the same name when nothing else did
    const ir = it.program.function(cls.path, make.fn)
    ir?.params.forEach((p, i) => {
      if (p.k === 'name' && !fields.vars.has(p.name) && args[i]) fields.vars.set(p.name, args[i] as Val)
    })
  }
  return self
}
