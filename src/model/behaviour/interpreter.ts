import type { Place } from '../../lib/place.ts'
import type { PathNotes } from '../frameworks/path-pattern.ts'
import {
  type Alt,
  type AnyVal,
  type ChainVal,
  type Cond,
  type HostVal,
  keyOf,
  keyOfCond,
  op,
  type Published,
  toPublic,
  truth,
  UNDEFINED,
  UNKNOWN,
  type Val,
} from './abstract-value.ts'
import { asksForWords } from './answers.ts'
import type { Behaviour, Condition, Effect, Filter, ImaginedRequest, Otherwise, Step, Value } from './behaviour.ts'
import { anyOf, beginsWith, brief, conditionOn, equality, holds, includesCond, truthAsked } from './conditions.ts'
import { Journal, type Write } from './journal.ts'
import { allowedOf, alternativesOf, EVERYTHING, isAmong, joinNarrowings, type Narrowing, narrowTo, UNNARROWED } from './narrowing.ts'
import { withoutEmpty } from './or-empty.ts'
import type { Program } from './program.ts'
import type { RewriteLog } from './rewrites.ts'
import { Scope } from './scope.ts'

/** An effect whose values are still the interpreter's. */
export type EffectDraft = Effect extends infer E
  ? E extends unknown
    ? {
        [K in keyof E]: E[K] extends Value | undefined
          ? Val
          : E[K] extends readonly Value[]
            ? readonly Val[]
            : E[K] extends readonly Filter[] | undefined
              ? readonly FilterDraft[]
              : E[K]
      }
    : never
  : never
export type FilterDraft = Omit<Filter, 'value'> & { readonly value: Val }
export interface StepDraft {
  readonly effect: EffectDraft
  readonly at: Place
  readonly via: readonly Place[]
  readonly under: readonly Cond[]
  /** It happens in middleware or a guard, before the handler. */
  readonly before?: true
  readonly everywhere?: true
}

/** What must be added to the path for a test to have a truth value. */
export interface Assumption {
  readonly conds: readonly Cond[]
  readonly narrowed: Narrowing
}

/** Leaves a branch, a loop or a function: statements give it to what holds them, expressions throw it. */
export class Signal {
  readonly kind: 'return' | 'throw' | 'break' | 'continue'
  constructor(kind: 'return' | 'throw' | 'break' | 'continue') {
    this.kind = kind
  }
}
/** How statements end: by what leaves them, or not at all. */
export type Completion = Signal | undefined
export const SIGNALS = { return: new Signal('return'), throw: new Signal('throw'), break: new Signal('break'), continue: new Signal('continue') }

/** How a branch ended and what it left. */
export interface BranchState {
  readonly end: Signal | undefined
  readonly how: Otherwise
  readonly pc: readonly Cond[]
  readonly narrowed: Narrowing
  readonly writes: readonly Write[]
}

/** One of the ways on which a function comes back: with what, and what holds then. */
export interface WayOut {
  readonly value: Val
  readonly pc: readonly Cond[]
  readonly narrowed: Narrowing
}

export interface Frame {
  readonly key: string
  readonly name: string | undefined
  readonly path: string
  readonly base: readonly Cond[]
  readonly returns: WayOut[]
  /** Conditions of branches that ended the function; the next ending tells what the other side does. */
  open: Cond[]
  openSteps: number
  readonly async: boolean
  /** `tries.length` when the function was entered. */
  readonly tries: number
}

/** A `try` with a handler around what runs now; tells what the handler answers for a thrown value. */
export interface TryFrame {
  answer(thrown: Val): Otherwise
  thrown: Val[]
}

const NO_END: Otherwise = { ends: false }
let choices = 0
const MAX_STEPS = 1500
const MAX_GAPS = 10
/** Alternatives beyond which a join is no longer told apart. */
const MAX_ALTERNATIVES = 8
/** Answers with content beyond which they are no longer told apart: a function for a dozen actions gives one for each. */
const MAX_ANSWERS = 20
/** Conditions that one side of a disjunction keeps after a join. */
const MAX_CONJUNCTS = 6
/** How many ways to a point are told apart. */
const MAX_WAYS = 8
/** Variants of one query beyond which only what they share is kept. */
const MAX_BUILDERS = 4

/** One of several answers that are not told apart any more. */
const SOME_ANSWER: Val = { v: 'response', how: 'other', sent: true }

/** The state of one run: the path, the steps so far, and how branches split and join. */
export class Interpreter implements PathNotes {
  readonly program: Program
  /** Inside a hook that ends the request by sending an answer (Fastify), whatever the code does afterwards. */
  sendingEnds = false
  /** The framework's objects of this request, by seed: middleware, handler and helpers see the same ones. */
  readonly hosts = new Map<string, HostVal>()
  /** Tokens that were decoded without a check, and the step that did it. */
  readonly decoded = new Map<number, number>()
  /** What was set on documents since they were loaded, by the step that loaded them. */
  readonly documents = new Map<number, Scope>()
  /** What this run put on `globalThis`. */
  readonly globals = new Scope('')
  /** True while something runs that stands before the handler. */
  beforeHandler = false
  /** True while something runs that runs before every request. */
  everywhere = false
  /** Objects that a container makes once for a request, by class. */
  readonly services = new Map<string, Val>()
  /** Grows with each thing that may throw; a `try` in which it did not grow never runs its handler. */
  hazards = 0
  steps: StepDraft[] = []
  /** What ran behind the entry, beside its answers; undefined when nothing is to run there. */
  through: StepDraft[] | undefined
  pc: readonly Cond[] = []
  narrowed: Narrowing = UNNARROWED
  journal: Journal | undefined
  readonly frames: Frame[] = []
  tries: TryFrame[] = []
  via: readonly Place[] = []
  /** Above zero while a handler is asked what it answers: nothing of that run is kept. */
  asking = 0
  /** Grows with each test in such a run that asks for the words of the error. */
  wordsAsked = 0
  /** Above zero while module-level code is evaluated: no effects are recorded. */
  quiet = 0
  fuel: number
  readonly gaps: { at: Place; because: string; step: number }[] = []
  restsOnForm = false
  /** Where requests are rewritten to, while that is asked for. */
  rewrites: RewriteLog | undefined
  lastEnd: Otherwise = NO_END
  lastRespond: { status?: number; how: Otherwise['how'] } | undefined

  /** What is known of the request before it comes: its path and method, when the entry is for one. */
  readonly request: ImaginedRequest | undefined

  constructor(program: Program, fuel: number, request?: ImaginedRequest) {
    this.program = program
    this.fuel = fuel
    this.request = request
  }

  get frame(): Frame {
    return this.frames[this.frames.length - 1] as Frame
  }

  gap(at: Place, because: string): void {
    this.hazards++
    if (this.quiet || this.gaps.length >= MAX_GAPS || this.gaps.some((g) => g.because === because && g.at.path === at.path && g.at.line === at.line)) return
    this.gaps.push({ at, because, step: this.steps.length })
  }

  /** Records an effect on the current path; the index of its step, -1 when nothing is recorded. */
  emit(effect: EffectDraft, at: Place): number {
    if (effect.kind !== 'log' && effect.kind !== 'respond') this.hazards++
    if (this.quiet) return -1
    if (this.steps.length >= MAX_STEPS) {
      this.gap(at, 'more effects than are followed')
      return -1
    }
    const where = { ...(this.beforeHandler ? { before: true as const } : {}), ...(this.everywhere ? { everywhere: true as const } : {}) }
    this.steps.push({ effect, at, via: this.via, under: this.pc, ...where })
    return this.steps.length - 1
  }

  // Variables

  write(scope: Scope, name: string, value: Val): void {
    this.journal?.note(scope, name)
    scope.vars.set(name, value)
  }

  // Branches

  /** Runs one side of a split on its own; nothing of it holds afterwards until it is resumed or joined. */
  branch(assumed: Assumption | undefined, run: () => Completion): BranchState {
    const { pc, narrowed, journal, lastRespond, tries } = this
    const own = new Journal()
    this.journal = own
    if (assumed) {
      if (assumed.conds.length) this.pc = [...pc, ...assumed.conds]
      this.narrowed = assumed.narrowed
    }
    this.lastRespond = undefined
    let end: Completion
    try {
      end = run()
    } catch (signal) {
      if (!(signal instanceof Signal)) throw signal
      end = signal
    }
    const state: BranchState = { end, how: end ? this.lastEnd : NO_END, pc: this.pc, narrowed: this.narrowed, writes: own.takeBack() }
    this.pc = pc
    this.narrowed = narrowed
    this.journal = journal
    this.lastRespond = lastRespond
    this.tries = tries
    return state
  }

  /** Goes on where a branch left off. */
  resume(state: BranchState): void {
    this.pc = state.pc
    this.narrowed = state.narrowed
    this.keep(state.writes)
  }

  /** What a branch wrote holds from here on. */
  keep(writes: readonly Write[]): void {
    for (const w of writes) if (w.value !== undefined) this.write(w.scope, w.name, w.value)
  }

  /** What a branch wrote may hold from here on, where what led to it (`under`) does; `replaced` tells what of before gives way to it for certain. */
  keepPerhaps(writes: readonly Write[], under: readonly Cond[] = [], replaced: (before: Val) => boolean = () => false): void {
    for (const { scope, name, value } of writes) {
      const before = scope.vars.get(name)
      if (value === undefined) continue
      const either = [{ value, under }, ...(before && !replaced(before) ? [{ value: before, under: [] }] : [])]
      this.write(scope, name, this.alternatives(either))
    }
  }

  /** Goes on after a call that comes back on any of several ways (at least one): its value. */
  comeBack(ways: readonly WayOut[]): Val {
    const base = this.pc
    const first = ways[0] as WayOut
    this.narrowed = joinNarrowings(ways.map((w) => w.narrowed))
    if (ways.length === 1) {
      this.pc = first.pc
      return this.narrow(first.value)
    }
    const extras = ways.map((w) => w.pc.slice(base.length))
    this.pc = this.commonPath(base, extras, 'thrown')
    return this.alternatives(ways.map((w, i) => ({ value: w.value, under: extras[i] as readonly Cond[] })))
  }

  /** Goes on after branches that all reach this point; what differs between them becomes alternatives. */
  join(states: readonly BranchState[], disjunction: 'ended' | 'none' = 'ended'): void {
    const base = this.pc
    const extras = states.map((s) => s.pc.slice(base.length))
    this.narrowed = joinNarrowings(states.map((s) => s.narrowed))
    const choice = this.newChoice()
    if (states.some((s) => s.writes.length > 0)) {
      for (const { scope, name, values } of writtenBy(states)) {
        const old = scope.vars.get(name) ?? UNDEFINED
        const list = values.map((value, i) => ({ value: value ?? old, under: extras[i] as readonly Cond[] }))
        this.write(scope, name, this.alternatives(list, choice))
      }
    }
    this.pc = this.commonPath(base, extras, disjunction)
  }

  newChoice(): number {
    return ++choices
  }

  /** One value that is any of several; the value itself when all are the same. */
  alternatives(list: readonly { value: Val; under: readonly Cond[] }[], choice = this.newChoice()): Val {
    const first = list[0]
    if (!first) return UNKNOWN
    const key = list.some((a) => a.value !== first.value) ? keyOf(first.value) : undefined
    if (key === undefined || list.every((a) => keyOf(a.value) === key)) return first.value
    const leaves = list.reduce((n, a) => n + countLeaves(a.value), 0)
    if (leaves <= MAX_ALTERNATIVES) return { v: 'any', choice, alts: list.map((a, i) => ({ i, value: a.value, under: brief(a.under) })) }
    return this.collapse(list, choice)
  }

  /** Too many alternatives: builders keep what all of them share, other values lose what they stand under. */
  private collapse(list: readonly { value: Val; under: readonly Cond[] }[], choice: number): Val {
    const leaves = new Map<number, { value: Val; ways: (readonly Cond[])[] }>()
    const collect = (value: Val, under: readonly Cond[]): void => {
      if (value.v === 'any') {
        for (const a of value.alts) collect(a.value, brief([...under, ...a.under]))
        return
      }
      const key = keyOf(value)
      const same = leaves.get(key)
      if (same) same.ways.push(under)
      else leaves.set(key, { value, ways: [under] })
    }
    for (const a of list) collect(a.value, a.under)
    const kept = [...leaves.values()].map(({ value, ways }) => ({ value, under: eitherWay(ways) }))
    const chains = kept.map((k) => k.value).filter((x): x is ChainVal => x.v === 'chain')
    const others = kept.filter((k) => k.value.v !== 'chain')
    if (chains.length > MAX_BUILDERS && others.length < MAX_BUILDERS) {
      const shared = sharedChain(chains)
      if (shared && !others.length) return shared
      if (shared) return { v: 'any', choice, alts: [{ value: shared, under: [] }, ...others].map((a, i) => ({ i, value: a.value, under: brief(a.under) })) }
    }
    // where a request goes on says more than which of several answers it gets instead
    const [answers, telling] = partition(kept, (k) => k.value.v === 'response' && k.value.how !== 'next')
    const [refusals, given] = partition(answers, (k) => k.value.v === 'response' && (k.value.status ?? 200) >= 400)
    const room = telling.length > MAX_ALTERNATIVES ? MAX_ALTERNATIVES : Math.max(MAX_ALTERNATIVES, telling.length + Math.min(given.length, MAX_ANSWERS))
    const alts: Alt[] = [...telling, ...given, ...refusals].slice(0, room).map((a, i) => ({ i, value: a.value, under: brief(a.under) }))
    if (kept.length > room) alts.push({ i: room, value: telling.length > MAX_ALTERNATIVES ? UNKNOWN : SOME_ANSWER, under: [] })
    return alts.length === 1 ? (alts[0] as Alt).value : { v: 'any', choice, alts }
  }

  /** The path after a join: what all sides share, and a disjunction when a side got here past an exit of its own (`thrown`: by an exception). */
  commonPath(base: readonly Cond[], extras: readonly (readonly Cond[])[], disjunction: 'ended' | 'thrown' | 'none'): readonly Cond[] {
    const first = extras[0] ?? []
    const shared = first.filter((c) => extras.every((e) => includesCond(e, c)))
    const rest = shared.length ? extras.map((e) => e.filter((c) => !includesCond(shared, c))) : extras
    const path = shared.length ? [...base, ...shared] : base
    if (disjunction === 'none' || rest.length > MAX_WAYS || rest.some((r) => r.length === 0)) return path
    const ending = rest.flat().find((c) => c.otherwise.thrown || (c.otherwise.ends && disjunction === 'ended'))
    if (!ending) return path
    return [...path, anyOf(rest, rest.length > 4 ? MAX_CONJUNCTS / 2 : MAX_CONJUNCTS, ending.at, ending.otherwise)]
  }

  // Narrowing

  /** The value with the alternatives left out that the path rules out. */
  narrow(val: Val): Val {
    if (val.v !== 'any') return val
    const allowed = allowedOf(this.narrowed, val.choice)
    if (allowed === EVERYTHING) return val
    const alts = val.alts.filter((a) => isAmong(allowed, a.i))
    if (alts.length === val.alts.length || alts.length === 0) return val
    if (alts.length === 1) return this.narrow((alts[0] as Alt).value)
    return { v: 'any', choice: val.choice, alts }
  }

  /** Applies `f` to every alternative and keeps them told apart. */
  distribute(val: AnyVal, f: (value: Val) => Val): Val {
    const alts = val.alts.map((a) => ({ i: a.i, under: a.under, value: f(this.narrow(a.value)) }))
    const first = alts[0] as Alt
    const key = keyOf(first.value)
    return alts.every((a) => keyOf(a.value) === key) ? first.value : { v: 'any', choice: val.choice, alts }
  }

  /** What must hold for `test` to be `wanted`; undefined when it cannot be. */
  assume(test: Val, wanted: boolean, at: Place, base: Assumption = { conds: [], narrowed: this.narrowed }): Assumption | undefined {
    switch (test.v) {
      case 'op': {
        const [a, b] = test.of
        if (test.op === '!' && a) return this.assume(a, !wanted, at, base)
        if (a && b && (test.op === '&&' || test.op === '||')) {
          const both = (test.op === '&&') === wanted
          if (both) {
            const left = this.assume(a, wanted, at, base)
            return left && this.assume(b, wanted, at, left)
          }
          const left = this.assume(a, wanted, at, base)
          const other = this.assume(a, !wanted, at, base)
          const right = other && this.assume(b, wanted, at, other)
          if (!left || !right) return left ?? right
          // `a || (!a && b)` is `a || b`
          return this.either([left, this.assume(b, wanted, at, base) ?? right], base, at) ?? this.leaf(test, wanted, at, base)
        }
        if (a && b && (test.op === '===' || test.op === '==' || test.op === '!==' || test.op === '!='))
          return this.equal(test, ...withoutEmpty(a, b), wanted === (test.op === '===' || test.op === '=='), at, base)
        return this.leaf(test, wanted, at, base)
      }
      case 'any':
        return this.assumeAny(test, wanted, at, base)
      default: {
        if (test.v === 'object' && test.rest?.v === 'caller') return this.assume(test.rest, wanted, at, base)
        const known = truth(test)
        if (known !== undefined) return known === wanted ? base : undefined
        return this.leaf(test, wanted, at, base)
      }
    }
  }

  /** Of several values: those that can be `wanted`, each with what it stands under. */
  private assumeAny(test: AnyVal, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
    const allowed = allowedOf(base.narrowed, test.choice)
    const kept: { alt: Alt; then: Assumption }[] = []
    for (const alt of test.alts) {
      if (!isAmong(allowed, alt.i)) continue
      if (alt.under.some((c) => this.contradicts(c, base))) continue
      const then = this.assume(alt.value, wanted, at, { conds: alt.under, narrowed: base.narrowed })
      if (then) kept.push({ alt, then: { conds: then.conds.slice(alt.under.length), narrowed: then.narrowed } })
    }
    const only = kept[0]
    if (!only) return test.alts.some((a) => isAmong(allowed, a.i)) ? undefined : this.leaf(test, wanted, at, base)
    const conds = ({ alt, then }: { alt: Alt; then: Assumption }) => [...alt.under.map((c) => ({ ...c, otherwise: NO_END })), ...then.conds]
    if (kept.length === 1)
      return { conds: [...base.conds, ...this.fresh(conds(only), base)], narrowed: narrowTo(only.then.narrowed, test.choice, alternativesOf([only.alt])) }
    const narrowed = narrowTo(base.narrowed, test.choice, alternativesOf(kept.map((k) => k.alt)))
    const options = kept.map((k): Assumption => ({ conds: conds(k), narrowed }))
    return this.either(options, { conds: base.conds, narrowed }, at) ?? { conds: base.conds, narrowed }
  }

  private equal(test: Val & { v: 'op' }, a: Val, b: Val, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
    if (a.v === 'any' || b.v === 'any') {
      const [any, other, flipped] = a.v === 'any' ? [a, b, false] : [b as AnyVal, a, true]
      const each = { ...any, alts: any.alts.map((alt) => ({ ...alt, value: flipped ? op('===', other, alt.value) : op('===', alt.value, other) })) }
      if (other.v === 'const' || any.alts.some((x) => x.value.v === 'const')) return this.assume(each, wanted, at, base)
    }
    const decided = equality(a, b)
    if (decided !== undefined) return decided === wanted ? base : undefined
    const asked = truthAsked(a, b) ?? truthAsked(b, a)
    if (asked) return this.assume(asked.of, asked.holds === wanted, at, base)
    return this.leaf(test.op === '===' && test.of[0] === a && test.of[1] === b ? test : op('===', a, b), wanted, at, base)
  }

  private leaf(test: Val, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
    if (this.asking && asksForWords(test)) this.wordsAsked++
    const key = keyOf(test)
    const known = conditionOn(key, this.pc) ?? conditionOn(key, base.conds)
    if (known) return known.negated !== wanted ? base : undefined
    if ((test.v === 'row' || test.v === 'caller') && test.field === 'id' && this.isThere(test, base)) return wanted ? base : undefined
    return { conds: [...base.conds, { test, negated: !wanted, at, otherwise: NO_END }], narrowed: base.narrowed }
  }

  /** Whether the row of a field was found, or somebody is signed in: then there is an id. */
  private isThere({ field: _, ...whole }: Extract<Val, { v: 'row' | 'caller' }>, base: Assumption): boolean {
    const key = keyOf(whole)
    const found = (c: Cond) =>
      !c.negated && (keyOfCond(c) === key || (whole.v === 'caller' && c.test.v === 'caller' && c.test.field === undefined && c.test.trust === whole.trust))
    return this.pc.some(found) || base.conds.some(found)
  }

  private contradicts(cond: Cond, base: Assumption): boolean {
    return holds(keyOfCond(cond), !cond.negated, this.pc) || holds(keyOfCond(cond), !cond.negated, base.conds)
  }

  private fresh(conds: readonly Cond[], base: Assumption): Cond[] {
    return conds.filter((c) => !includesCond(this.pc, c) && !includesCond(base.conds, c))
  }

  /** The path when one of several sets of conditions holds: what they share, and the disjunction of the rest. */
  private either(options: readonly Assumption[], base: Assumption, at: Place): Assumption | undefined {
    const lists = options.map((o) => this.fresh(o.conds.slice(beginsWith(o.conds, base.conds) ? base.conds.length : 0), base))
    const narrowed = joinNarrowings(options.map((o) => o.narrowed))
    const first = lists[0] ?? []
    const shared = first.filter((c) => lists.every((l) => includesCond(l, c)))
    const rest = shared.length ? lists.map((l) => l.filter((c) => !includesCond(shared, c))) : lists
    const conds = [...base.conds, ...shared]
    if (rest.length > MAX_WAYS || rest.some((r) => r.length === 0)) return { conds, narrowed }
    return { conds: [...conds, anyOf(rest, MAX_CONJUNCTS, rest[0]?.[0]?.at ?? at, NO_END)], narrowed }
  }

  /** Adds a condition that a call imposes by throwing or answering by itself when it does not hold. */
  require(test: Val, at: Place, otherwise?: Otherwise, wanted = true): void {
    const assumed = this.assume(test, wanted, at)
    if (!assumed) return
    const end = otherwise ?? this.answerOf(UNKNOWN)
    for (const c of assumed.conds) c.otherwise = end
    this.pc = [...this.pc, ...assumed.conds]
    this.narrowed = assumed.narrowed
  }

  // Endings

  /** What the handler answers when `thrown` is thrown here. */
  answerOf(thrown: Val, status?: number, how: Otherwise['how'] = 'throw'): Otherwise {
    const frame = this.tries[this.tries.length - 1]
    if (frame) return frame.answer(thrown)
    return status === undefined ? { ends: true, how, thrown: true } : { ends: true, how, status, thrown: true }
  }

  /** Notes how the current branch ends, also for the branches before it that wait for their other side. */
  ending(how: Otherwise): void {
    this.lastEnd = how
    const frame = this.frames[this.frames.length - 1]
    if (!frame?.open.length) return
    if (how.how === 'return' && this.frames.length > 2) {
      frame.open = []
      return
    }
    if (this.steps.slice(frame.openSteps).every((s) => s.effect.kind === 'log' || s.effect.kind === 'respond' || s.effect.kind === 'throw'))
      for (const c of frame.open) c.otherwise = how
    frame.open = []
  }

  /** The finished behaviour as plain data. */
  behaviour(): Behaviour {
    const seen = new Map<Cond, Condition>()
    const published: Published = new Map()
    const condition = (c: Cond): Condition => {
      let done = seen.get(c)
      if (!done) {
        done = { test: toPublic(c.test, condition, published), negated: c.negated, at: c.at, otherwise: c.otherwise }
        seen.set(c, done)
      }
      return done
    }
    // Steps of one path hold the same list of conditions.
    const paths = new Map<readonly Cond[], readonly Condition[]>()
    const path = (under: readonly Cond[]): readonly Condition[] => {
      let done = paths.get(under)
      if (!done) {
        done = under.map(condition)
        paths.set(under, done)
      }
      return done
    }
    const value = (x: unknown): unknown =>
      isVal(x)
        ? toPublic(x, condition, published)
        : Array.isArray(x)
          ? x.map((i) => (isFilter(i) ? { ...i, value: toPublic(i.value, condition, published) } : value(i)))
          : x
    const finished = (s: StepDraft): Step => ({
      effect: Object.fromEntries(Object.entries(s.effect).map(([k, x]) => [k, value(x)])) as unknown as Effect,
      at: s.at,
      via: s.via,
      under: path(s.under),
      ...(s.before ? { before: true as const } : {}),
      ...(s.everywhere ? { everywhere: true as const } : {}),
    })
    const rewrites = this.rewrites?.rewrites ?? []
    const done = {
      steps: this.steps.map(finished),
      ...(this.through ? { through: this.through.map(finished) } : {}),
      ...(this.restsOnForm ? { restsOnForm: true as const } : {}),
      ...(rewrites.length ? { rewrites } : {}),
    }
    return this.gaps.length ? { ...done, complete: false, gaps: this.gaps } : { ...done, complete: true }
  }
}

/** The variables that any of several branches wrote, with what each of them left; undefined where it did not write. */
function writtenBy(states: readonly BranchState[]): Iterable<{ readonly scope: Scope; readonly name: string; readonly values: (Val | undefined)[] }> {
  const touched = new Map<Scope, Map<string, { scope: Scope; name: string; values: (Val | undefined)[] }>>()
  states.forEach((s, i) => {
    for (const { scope, name, value } of s.writes) {
      const names = touched.get(scope) ?? new Map()
      touched.set(scope, names)
      const written = names.get(name) ?? { scope, name, values: states.map(() => undefined) }
      names.set(name, written)
      written.values[i] = value
    }
  })
  return [...touched.values()].flatMap((names) => [...names.values()])
}

/** What holds where one of several lists of conditions does: what they share, and that one of the rest holds. */
function eitherWay(ways: readonly (readonly Cond[])[]): readonly Cond[] {
  const [first = [], ...others] = ways
  if (!others.length) return first
  const shared = first.filter((c) => others.every((w) => w.includes(c)))
  const rest = ways.map((w) => w.filter((c) => !shared.includes(c)))
  const at = rest[0]?.[0]?.at
  return !at || rest.length > MAX_WAYS || rest.some((r) => r.length === 0) ? shared : [...shared, anyOf(rest, MAX_CONJUNCTS / 2, at, NO_END)]
}

function partition<T>(list: readonly T[], test: (x: T) => boolean): readonly [T[], T[]] {
  const yes: T[] = []
  const no: T[] = []
  for (const x of list) (test(x) ? yes : no).push(x)
  return [yes, no]
}

function isVal(x: unknown): x is Val {
  return typeof x === 'object' && x !== null && typeof (x as { v?: unknown }).v === 'string'
}

function isFilter(x: unknown): x is FilterDraft {
  return typeof x === 'object' && x !== null && 'column' in x && 'op' in x && 'value' in x
}

function countLeaves(value: Val): number {
  return value.v === 'any' ? value.alts.reduce((n, a) => n + countLeaves(a.value), 0) : 1
}

/** The links that all variants of a builder have, in order; undefined when they do not start from the same thing. */
function sharedChain(chains: readonly ChainVal[]): ChainVal | undefined {
  const root = keyOf((chains[0] as ChainVal).root)
  if (chains.some((c) => keyOf(c.root) !== root)) return undefined
  const shortest = chains.reduce((a, b) => (b.links.length < a.links.length ? b : a))
  const key = (c: ChainVal, i: number) => `${c.links[i]?.name}(${c.links[i]?.args?.map((a) => keyOf(a)).join(',') ?? '-'})`
  const sets = chains.map((c) => new Set(c.links.map((_, i) => key(c, i))))
  return { ...shortest, links: shortest.links.filter((_, i) => sets.every((s) => s.has(key(shortest, i)))) }
}
