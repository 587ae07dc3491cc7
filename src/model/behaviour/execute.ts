import type { Expr, Pattern, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { array, constant, isNullish, op, UNDEFINED, UNKNOWN, type Val } from './abstract-value.ts'
import { unlessAnswered } from './after-answer.ts'
import { answersOf } from './answers.ts'
import type { Otherwise } from './behaviour.ts'
import { changeDocument } from './changed-documents.ts'
import { type Assumption, type BranchState, type Completion, type Interpreter, SIGNALS, type Signal, type TryFrame } from './interpreter.ts'
import { elementOf, GLOBAL_OBJECTS, index, member } from './members.ts'
import { classValue, evaluate, functionValue, settle } from './operations.ts'
import { holderOf } from './program.ts'
import { Scope } from './scope.ts'

/** Runs statements in order, until one of them leaves. */
export function execute(it: Interpreter, body: readonly Stmt[], scope: Scope): Completion {
  for (const s of body) if (s.k === 'function') scope.vars.set(s.name, functionValue(it, scope.path, s.fn, scope))
  for (const s of body) {
    const left = statement(it, s, scope)
    if (left) return left
  }
  return undefined
}

/** Runs statements in braces. */
const executeBlock = (it: Interpreter, body: readonly Stmt[], scope: Scope): Completion =>
  execute(it, body, declares(body) ? new Scope(scope.path, scope) : scope)

/** Whether statements need a scope of their own. */
function declares(body: readonly Stmt[]): boolean {
  for (const s of body) if (s.k === 'let' || s.k === 'function' || s.k === 'class') return true
  return false
}

const at = (scope: Scope, s: { l: number; e?: number }): Place => (s.e && s.e !== s.l ? { path: scope.path, line: s.l, endLine: s.e } : scope.at(s.l))

function statement(it: Interpreter, s: Stmt, scope: Scope): Completion {
  if (--it.fuel < 0) {
    it.gap(scope.at(s.l), 'the code is too long to follow whole')
    return SIGNALS.return
  }
  switch (s.k) {
    case 'let':
      bind(it, s.to, s.init ? evaluate(it, s.init, scope) : UNDEFINED, scope, s.l)
      return undefined
    case 'expr':
      if (s.expr.k === 'assign') evaluate(it, s.expr, scope)
      else {
        const value = evaluate(it, s.expr, scope)
        if (!refinesInPlace(it, s.expr, value, scope)) settle(it, value, scope.at(s.l))
      }
      return undefined
    case 'return': {
      let value = s.value ? evaluate(it, s.value, scope) : UNDEFINED
      if (it.frame.async || it.frames.length === 1) value = settle(it, value, scope.at(s.l))
      it.frame.returns.push({ value, pc: it.pc, narrowed: it.narrowed })
      it.ending(answerOfValue(it, value))
      return SIGNALS.return
    }
    case 'throw':
      return raising(it, settle(it, evaluate(it, s.value, scope), at(scope, s)), at(scope, s))
    case 'if': {
      const { else: otherwise } = s
      return conditional(
        it,
        settle(it, evaluate(it, s.test, scope), at(scope, s)),
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
      return loop(it, s, scope)
    case 'switch':
      return select(it, s, scope)
    case 'try':
      return attempt(it, s, scope)
  }
}

function answerOfValue(it: Interpreter, value: Val): Otherwise {
  if (value.v === 'response')
    return {
      ends: true,
      how: value.how === 'redirect' ? 'redirect' : value.how === 'not-found' ? 'not-found' : value.how === 'next' ? 'next' : 'respond',
      ...(value.status !== undefined ? { status: value.status } : {}),
    }
  if (value.v === 'any') {
    const first = value.alts.find((a) => a.value.v === 'response')
    if (first) return answerOfValue(it, first.value)
  }
  if (it.lastRespond)
    return { ends: true, how: it.lastRespond.how ?? 'respond', ...(it.lastRespond.status !== undefined ? { status: it.lastRespond.status } : {}) }
  return { ends: true, how: 'return' }
}

/** Throws from inside an expression. */
export function raise(it: Interpreter, thrown: Val, place: Place): never {
  throw raising(it, thrown, place)
}

/** Notes what is thrown, and what the nearest handler (or the framework) makes of it. */
function raising(it: Interpreter, thrown: Val, place: Place): Signal {
  const status = statusOf(it, thrown)
  const caught = it.tries.length > 0
  const how = thrown.v === 'response' ? (thrown.how === 'redirect' ? 'redirect' : thrown.how === 'not-found' ? 'not-found' : 'respond') : 'throw'
  if (thrown.v === 'response' && !caught) {
    if (!thrown.sent)
      it.emit({ kind: 'respond', how: thrown.how, ...(status !== undefined ? { status } : {}), ...(thrown.body ? { body: thrown.body } : {}) }, place)
  } else it.emit({ kind: 'throw', value: thrown, caught, ...(status !== undefined ? { status } : {}) }, place)
  const answer = it.answerOf(thrown, status, how)
  it.tries[it.tries.length - 1]?.thrown.push(thrown)
  it.ending(answer)
  return SIGNALS.throw
}

function statusOf(_it: Interpreter, thrown: Val): number | undefined {
  if (thrown.v === 'response') return thrown.status
  for (const name of ['status', 'statusCode', 'code']) {
    const value = thrown.v === 'object' ? thrown.props[name] : thrown.v === 'instance' ? thrown.fields.vars.get(name) : undefined
    if (value?.v === 'const') {
      if (typeof value.value === 'number' && value.value >= 300 && value.value < 600) return value.value
      if (typeof value.value === 'string' && value.value in TRPC_STATUS) return TRPC_STATUS[value.value]
    }
  }
  return undefined
}

const TRPC_STATUS: Record<string, number> = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_REQUEST: 400,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
}

/** Splits on a test: each side under what it assumes, and joined again where both go on. */
function conditional(it: Interpreter, test: Val, place: Place, then: () => Completion, otherwise: (() => Completion) | undefined): Completion {
  const yes = it.assume(test, true, place)
  const no = otherwise || !lastMode(it, test) ? it.assume(test, false, place) : undefined
  if (!no && yes) return continueWith(it, yes, then)
  if (!yes && no) return continueWith(it, no, otherwise)
  const a = it.branch(yes, then)
  const b = it.branch(no, otherwise ?? goOn)
  const ends = (s: BranchState) => s.end?.kind === 'return' || s.end?.kind === 'throw'
  patch(yes, b)
  patch(no, a)
  if (a.end && b.end) {
    keepWrites(it, [a, b])
    it.lastEnd = ends(a) ? a.how : b.how
    return ends(a) && ends(b) ? a.end : a.end.kind === 'break' || b.end.kind === 'break' ? SIGNALS.break : SIGNALS.continue
  }
  if (a.end || b.end) {
    const [ended, goes, waiting] = a.end ? [a, b, yes] : [b, a, no]
    if (!ends(ended)) keepWrites(it, [ended])
    it.resume(goes)
    if (ends(ended) && waiting?.conds.length) {
      it.frame.open = [...it.frame.open, ...waiting.conds.filter((c) => !c.otherwise.ends)]
      it.frame.openSteps = it.steps.length
    }
    return undefined
  }
  it.join([a, b])
  return undefined
}

const goOn = (): undefined => undefined

/**
 * `else if (mode === 'b')` after `mode === 'a'` without a further `else`, for a setting with a default: the modes named are all
 * there are, and an unset variable is one of them.
 */
function lastMode(it: Interpreter, test: Val): boolean {
  const asked = modeIn(test)
  if (!asked) return false
  return it.pc.some((c) => {
    const before = c.negated ? modeIn(c.test) : undefined
    return before !== undefined && before.name === asked.name && before.mode !== asked.mode && (before.mode === asked.normal || asked.mode === asked.normal)
  })
}

function modeIn(test: Val): { readonly name: string; readonly mode: unknown; readonly normal: unknown } | undefined {
  if (test.v !== 'op' || !/^===?$/.test(test.op)) return undefined
  const env = test.of.find((x) => x.v === 'env')
  const mode = test.of.find((x) => x.v === 'const')
  if (env?.v !== 'env' || mode?.v !== 'const' || env.fallback?.v !== 'const') return undefined
  return { name: env.name, mode: mode.value, normal: env.fallback.value }
}

function continueWith(it: Interpreter, assumed: Assumption, run: (() => Completion) | undefined): Completion {
  if (assumed.conds.length) it.pc = [...it.pc, ...assumed.conds]
  it.narrowed = assumed.narrowed
  return run?.()
}

function patch(assumed: Assumption | undefined, other: BranchState): void {
  if (!assumed || !other.end || other.end.kind === 'break' || other.end.kind === 'continue') return
  for (const c of assumed.conds) if (!c.otherwise.ends) c.otherwise = other.how
}

/** What a side wrote before it left a loop or switch may hold afterwards. */
function keepWrites(it: Interpreter, states: readonly BranchState[]): void {
  for (const s of states) {
    if (s.end?.kind !== 'break' && s.end?.kind !== 'continue') continue
    // what led to the write speaks for the value: `if (await compare(sent, key.hash)) { match = key; break }`
    const under = s.pc.slice(it.pc.length)
    it.keepPerhaps(s.writes, under)
  }
}

type Loop = Extract<Stmt, { k: 'loop' }>

/** Items of a list written in the code that a search is run through one by one: which of them it returns depends on their order. */
const MAX_UNROLLED = 6
/** Entries of a table that stands in the code: paths and what they ask for. */
const MAX_TABLE = 40

function each(it: Interpreter, s: Loop, items: readonly Val[], scope: Scope): Completion {
  for (const item of items) {
    if (s.to) bind(it, s.to, s.how === 'in' ? UNKNOWN : item, scope, s.l)
    const left = executeBlock(it, s.body, scope)
    if (left === SIGNALS.break) return undefined
    if (left && left !== SIGNALS.continue) return left
  }
  return undefined
}

/** Whether statements end the function somewhere. */
function returns(body: readonly Stmt[]): boolean {
  return body.some(
    (s) => s.k === 'return' || (s.k === 'if' && (returns(s.then) || (s.else !== undefined && returns(s.else)))) || (s.k === 'block' && returns(s.body)),
  )
}

/** `[{ pattern: /^\/api\/crm/, permission: 'crm' }, …]` */
const isTable = (items: readonly Val[]): boolean =>
  items.every(
    (x) =>
      x.v === 'const' ||
      (x.v === 'object' && !x.rest && Object.values(x.props).every((p) => p.v === 'const' || (p.v === 'call' && p.name.startsWith('regex:')))),
  )

function loop(it: Interpreter, s: Loop, scope: Scope): Completion {
  const inner = new Scope(scope.path, scope)
  const place = at(scope, s)
  if (s.init) execute(it, s.init, inner)
  const over = s.over ? settle(it, evaluate(it, s.over, inner), place) : undefined
  if (
    s.to &&
    over?.v === 'array' &&
    !over.more &&
    over.items.length > 0 &&
    over.items.length <= (isTable(over.items) ? MAX_TABLE : MAX_UNROLLED) &&
    returns(s.body)
  ) {
    return each(it, s, over.items, inner)
  }
  const test = s.test && s.how !== 'do' ? settle(it, evaluate(it, s.test, inner), place) : undefined
  const asked = over?.v === 'array' && s.how !== 'in' ? over.kept : undefined
  const state = it.branch(asked && { conds: asked, narrowed: it.narrowed }, () => {
    if (s.to) bind(it, s.to, s.how === 'in' ? UNKNOWN : elementOf(it, over ?? UNKNOWN), inner, s.l)
    const left = executeBlock(it, s.body, inner)
    if (left && left !== SIGNALS.break && left !== SIGNALS.continue) return left
    if (s.update) evaluate(it, s.update, inner)
    return undefined
  })
  const endless = s.how === 'while' && test?.v === 'const' && test.value === true
  if (state.end && (endless || s.how === 'do')) {
    it.resume(state)
    return state.end
  }
  it.keepPerhaps(state.writes, asked, (before) => !asked && before.v === 'array' && !before.items.length)
  return undefined
}

type Switch = Extract<Stmt, { k: 'switch' }>

function select(it: Interpreter, s: Switch, scope: Scope): Completion {
  const on = settle(it, evaluate(it, s.on, scope), scope.at(s.l))
  const inner = new Scope(scope.path, scope)
  const tests: Val[] = []
  const states: BranchState[] = []
  let pending: Val[] = []
  let hasDefault = false
  const equals = (x: Val): Val => (on.v === 'const' && on.value === true ? x : op('===', on, x))
  s.cases.forEach((c, i) => {
    if (c.test) {
      const value = equals(settle(it, evaluate(it, c.test, scope), scope.at(c.l)))
      tests.push(value)
      pending.push(value)
    }
    const isDefault = !c.test
    if (isDefault) hasDefault = true
    if (!c.body.length && i < s.cases.length - 1 && !isDefault) return
    const place = scope.at(c.l)
    const later = s.cases.slice(i + 1).flatMap((x) => (x.test ? [equals(evaluate(it, x.test, scope))] : []))
    const assumed = isDefault
      ? it.assume(negateAll([...tests, ...later]), true, place)
      : it.assume(
          pending.reduce((a, b) => op('||', a, b)),
          true,
          place,
        )
    pending = []
    if (!assumed) return
    states.push(
      it.branch(assumed, () => {
        for (const through of s.cases.slice(i)) {
          const left = executeBlock(it, through.body, inner)
          if (left) return left === SIGNALS.break ? undefined : left
        }
        return undefined
      }),
    )
  })
  if (!hasDefault) {
    const assumed = tests.length ? it.assume(negateAll(tests), true, scope.at(s.l)) : { conds: [], narrowed: it.narrowed }
    if (assumed) states.push(it.branch(assumed, goOn))
  }
  const going = states.filter((x) => !x.end)
  if (!going.length && states.length) {
    const last = states[states.length - 1] as BranchState
    keepWrites(it, states)
    it.lastEnd = last.how
    return last.end
  }
  if (going.length === 1) it.resume(going[0] as BranchState)
  else if (going.length) it.join(going, going.length < states.length ? 'ended' : 'none')
  return undefined
}

function negateAll(tests: readonly Val[]): Val {
  return tests.map((t) => op('!', t)).reduce((a, b) => op('&&', a, b), constant(true))
}

type Try = Extract<Stmt, { k: 'try' }>

function attempt(it: Interpreter, s: Try, scope: Scope): Completion {
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
  else if (caught.end || !reached) it.resume(body)
  else {
    const left = frame.thrown.length ? [] : unlessAnswered(it, body, first, tried - hazards, caught, last)
    it.join([body, caught], 'none')
    if (left.length) it.pc = [...it.pc, ...left]
  }
  return s.finalizer && executeBlock(it, s.finalizer, scope)
}

/** Binds a pattern to a value in a scope (declaration). */
export function bind(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void {
  const place = scope.at(line)
  switch (to.k) {
    case 'name':
      it.write(scope, to.name, withDefault(it, value, to, scope, place))
      return
    case 'object': {
      const of = settle(it, withDefault(it, value, to, scope, place), place)
      for (const p of to.props) bind(it, p.to, settle(it, member(it, of, p.key, place), place), scope, line)
      if (to.rest)
        it.write(
          scope,
          to.rest,
          of.v === 'object' ? { ...of, props: Object.fromEntries(Object.entries(of.props).filter(([n]) => !to.props.some((p) => p.key === n))) } : of,
        )
      return
    }
    case 'array': {
      const of = settle(it, withDefault(it, value, to, scope, place), place)
      to.items.forEach((p, i) => {
        if (p) bind(it, p, index(it, of, constant(i), place), scope, line)
      })
      if (to.rest) it.write(scope, to.rest, of.v === 'array' ? array(of.items.slice(to.items.length), of.more) : of)
      return
    }
    case 'rest':
      bind(it, to.to, value, scope, line)
      return
    case 'expr':
      assignTo(it, to, value, scope, line)
  }
}

function withDefault(it: Interpreter, value: Val, to: Pattern, scope: Scope, place: Place): Val {
  const init = to.k === 'name' || to.k === 'object' || to.k === 'array' ? to.init : undefined
  if (!init) return value
  if (value.v === 'const' && value.value === undefined) return settle(it, evaluate(it, init, scope), place)
  return isNullish(value) || value.v === 'unknown' ? evaluate(it, init, scope) : value
}

/** Assigns to a pattern whose names exist already. */
export function assignTo(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void {
  const place = scope.at(line)
  switch (to.k) {
    case 'name': {
      const holder = holderOf(it.program, to.name, scope) ?? scope
      it.write(holder, to.name, value)
      return
    }
    case 'object':
      for (const p of to.props) assignTo(it, p.to, settle(it, member(it, value, p.key, place), place), scope, line)
      return
    case 'array':
      to.items.forEach((p, i) => {
        if (p) assignTo(it, p, index(it, value, constant(i), place), scope, line)
      })
      return
    case 'rest':
      assignTo(it, to.to, value, scope, line)
      return
    case 'expr': {
      const target = to.expr
      if (target.k === 'id') {
        assignTo(it, { k: 'name', name: target.name }, value, scope, line)
        return
      }
      if (target.k !== 'mem' && target.k !== 'idx') return
      const name = target.k === 'mem' ? target.name : keyName(settle(it, evaluate(it, target.index, scope), place))
      setMember(it, target.of, name, value, scope, line)
    }
  }
}

const REFINES =
  /^(?:eq|neq|gte?|lte?|in|is|like|ilike|or|and|not|match|filter|contains|containedBy|overlaps|textSearch|order|limit|range|(?:and|or)?[wW]here\w*|orderBy|offset)$/

const DIGEST = /^(?:default\.)?(?:crypto\.)?createH(?:mac|ash)(?:\.update)+$/

/**
 * `query.eq('team', id)` as a statement: the builders of supabase-js and Knex change in place, and run where they are awaited.
 * `hmac.update(text)` takes in what is to be signed.
 */
function refinesInPlace(it: Interpreter, e: Expr, value: Val, scope: Scope): boolean {
  if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.of.k !== 'id') return false
  const name = e.fn.name
  if (name !== 'update' && !REFINES.test(name)) return false
  const builders = value.v === 'any' ? value.alts.map((a) => a.value) : [value]
  const changed = (b: Val): boolean => {
    if (b.v !== 'chain' || b.links.length < 2) return false
    if (name === 'update') return b.root.v === 'lib' && DIGEST.test(b.links.map((l) => l.name).join('.'))
    return b.root.v === 'client' && /^(?:supabase|knex)$/.test(b.root.client.library)
  }
  if (!builders.every(changed)) return false
  assignTo(it, { k: 'name', name: e.fn.of.name }, value, scope, e.l)
  return true
}

function keyName(val: Val): string | undefined {
  return val.v === 'const' && (typeof val.value === 'string' || typeof val.value === 'number') ? String(val.value) : undefined
}

/** The object or list with one more member; a name that is not known may be any of them. */
function withMember(owner: Val, name: string | undefined, value: Val): Val | undefined {
  if (owner.v === 'object')
    return name === undefined ? { v: 'object', props: owner.props, rest: value } : { ...owner, props: { ...owner.props, [name]: value } }
  if (owner.v === 'array') return { v: 'array', items: owner.items, more: value }
  return undefined
}

const ANSWERS = new Set(['json', 'jsonp', 'send', 'end', 'write', 'writeHead', 'status', 'sendStatus', 'sendFile', 'render', 'redirect'])

/** `owner.name = value`: objects are values here, so the variable that holds the owner gets the changed object. */
function setMember(it: Interpreter, ownerExpr: Expr, name: string | undefined, value: Val, scope: Scope, line: number): void {
  const owner = settle(it, evaluate(it, ownerExpr, scope), scope.at(line))
  if (owner.v === 'instance') {
    if (name) it.write(owner.fields, name, value)
    return
  }
  if (owner.v === 'host') {
    // `res.json = function (body) { … original.apply(res, [body]) }`, which logs what is answered: it still answers
    if (name && !(owner.host === 'express-res' && ANSWERS.has(name))) it.write(owner.props, name, value)
    return
  }
  if (owner.v === 'class') {
    if (name) it.write(owner.statics, name, value)
    return
  }
  if (owner.v === 'global') {
    if (name && GLOBAL_OBJECTS.has(owner.name)) it.write(it.globals, name, value)
    return
  }
  if (owner.v === 'row') {
    changeDocument(it, owner, name, value)
    return
  }
  const changed = owner.v === 'any' ? it.distribute(owner, (of) => withMember(of, name, value) ?? of) : withMember(owner, name, value)
  if (!changed) return
  if (ownerExpr.k === 'id' || ownerExpr.k === 'mem' || ownerExpr.k === 'idx')
    assignTo(it, ownerExpr.k === 'id' ? { k: 'name', name: ownerExpr.name } : { k: 'expr', expr: ownerExpr }, changed, scope, line)
}
