import type { Place } from '../../lib/place.ts'
import type { PathNotes } from '../frameworks/path-pattern.ts'
import { type Completion, Signal } from './control-flow/completion.ts'
import { endingWithout } from './control-flow/exit-outcomes.ts'
import { type Assumption, assume, commonPath, NO_END } from './control-flow/path-condition.ts'
import { Journal, type Write } from './control-flow/write-log.ts'
import type { Alternative } from './domain/abstract-value.ts'
import { type Alt, type AnyVal, type Cond, type HostVal, Scope, UNDEFINED, UNKNOWN, type Val } from './domain/abstract-value.ts'
import { joinAlternatives } from './domain/join.ts'
import { allowedOf, EVERYTHING, isAmong, joinNarrowings, type Narrowing, UNNARROWED } from './domain/narrowing.ts'
import { keyOf } from './domain/structural-hash.ts'
import type { Program } from './modules/program.ts'
import type { EffectDraft, StepDraft } from './output/effect-draft.ts'
import type { RewriteLog } from './platform/url-rewrites.ts'
import type { BehaviourGap, ImaginedRequest, Otherwise, UnknownSink } from './types.ts'

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
  /** What the function has written outside itself on this way. */
  readonly writes: readonly Write[]
}

/** A call that is under way. */
export interface Frame {
  readonly key: string
  readonly name: string | undefined
  readonly path: string
  readonly base: readonly Cond[]
  readonly returns: WayOut[]
  /** That of the call itself, inside which branches have their own. */
  journal?: Journal | undefined
  /** Conditions of branches that ended the function; the next ending tells what the other side does. */
  open: Cond[]
  openSteps: number
  readonly async: boolean
  /** `tries.length` when the function was entered. */
  readonly tries: number
  /** What it was called with. */
  readonly given?: readonly Val[]
}

/** A `try` with a handler around what runs now; tells what the handler answers for a thrown value. */
export interface TryFrame {
  answer(thrown: Val): Otherwise
  thrown: Val[]
}

/** Whether a value came in as an argument, or in an object that is one. */
const isGiven = (value: Val, given: readonly Val[] = []): boolean =>
  value.v !== 'unknown' && given.some((x) => x === value || isSameText(x, value) || (x.v === 'object' && Object.values(x.props).includes(value)))

/** A statement that is written out, whichever placeholders its driver takes. */
function isSameText(a: Val, b: Val): boolean {
  if (a.v !== 'const' || b.v !== 'const' || typeof a.value !== 'string' || typeof b.value !== 'string') return false
  const plain = (text: string) => text.replace(/\$\d{1,3}/g, '?').trim()
  return a.value.length > 12 && plain(a.value) === plain(b.value)
}

let choices = 0
const MAX_STEPS = 1500
const MAX_GAPS = 10

/** The state of one run: the path, the steps so far, and how branches split and join. */
export class Interpreter implements PathNotes {
  readonly program: Program
  /** Inside a hook that ends the request by sending an answer (Fastify), whatever the code does afterwards. */
  sendingEnds = false
  /** The framework's objects of this request, by seed: middleware, handler and helpers see the same ones. */
  readonly hosts = new Map<string, HostVal>()
  /** What middleware of Next.js lets requests go on with, for each way through it: headers that it made, or undefined for those that came. */
  readonly forwarded: (ReadonlyMap<string, Val> | undefined)[] = []
  /** Tokens that were decoded, and what a messenger signed: the step that did it says whether it was checked. */
  readonly decoded = new Map<number, number>()
  /** What was set on documents since they were loaded, by the step that loaded them. */
  readonly documents = new Map<number, Scope>()
  /** What this run put on `globalThis`. */
  readonly globals = new Scope('')
  /** True while something runs that stands before the handler. */
  beforeHandler = false
  /** True while something runs that runs before every request. */
  everywhere = false
  /** What functions called like loggers did when they were followed. */
  readonly loggers = new Map<string, Logged>()
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
  readonly gaps: BehaviourGap[] = []
  readonly sinks: UnknownSink[] = []
  restsOnForm = false
  restsOnSide = false
  /** Where each header was first read by name. */
  readonly headersRead = new Map<string, Place>()
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

  /** A header of the request that the code asks for by its name. */
  header(name: string, at: Place): Val {
    const known = name.toLowerCase()
    if (!this.headersRead.has(known)) this.headersRead.set(known, at)
    return { v: 'request', part: 'header', name }
  }

  gap(at: Place, because: string, only?: BehaviourGap['only']): void {
    this.hazards++
    if (this.quiet || this.gaps.length >= MAX_GAPS || this.gaps.some((g) => g.because === because && g.at.path === at.path && g.at.line === at.line)) return
    this.gaps.push({ at, because, step: this.steps.length, ...(only ? { only } : {}) })
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

  /**
   * Does something with a text as if it stood where the text is written: a helper that only hands on what it is given (`query(text, params)` of the
   * module for the database) says nothing of it. `inside` is the function in which it is written.
   */
  whereWritten<T>(text: Val, at: Place, run: (at: Place, inside: string | undefined) => T): T {
    const { via } = this
    let place = at
    let depth = this.frames.length - 1
    while (depth > 0 && this.via.length && isGiven(text, this.frames[depth]?.given)) {
      place = this.via[this.via.length - 1] as Place
      this.via = this.via.slice(0, -1)
      depth--
    }
    const done = run(place, this.frames[depth]?.name)
    this.via = via
    return done
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
    const own = new Journal(journal)
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
      if (!(signal instanceof Signal)) {
        own.takeBack()
        throw signal
      }
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

  /** Notes that the function comes back here. */
  leave(value: Val): void {
    const { frame, journal } = this
    const writes = journal && frame.journal ? journal.writtenSince(frame.journal) : []
    frame.returns.push({ value, pc: this.pc, narrowed: this.narrowed, writes })
  }

  /**
   * What a function wrote outside itself holds after the call: what it wrote on its whole way (`kept`), and in branches that return by themselves. Where
   * it comes back from one of those alone, that is all; where from several, each may be so.
   */
  keepOutside(kept: readonly Write[], ways: readonly WayOut[]): void {
    const only = ways.length === 1 ? ways[0] : undefined
    this.keep(only ? only.writes : kept)
    if (only) return
    for (const way of ways) {
      const lost = way.writes.filter((w) => w.scope.vars.get(w.name) !== w.value)
      if (lost.length) this.keepPerhaps(lost, way.pc.slice(this.pc.length))
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
    this.pc = commonPath(base, extras, 'thrown')
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
    this.pc = commonPath(base, extras, disjunction)
  }

  newChoice(): number {
    return ++choices
  }

  /** One value that is any of several; the value itself when all are the same. */
  alternatives(list: readonly Alternative[], choice = this.newChoice()): Val {
    return joinAlternatives(list, choice, () => this.newChoice())
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
  assume(test: Val, wanted: boolean, at: Place): Assumption | undefined {
    return assume(this, test, wanted, at, { conds: [], narrowed: this.narrowed })
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
      for (const c of frame.open) c.otherwise = endingWithout(c, frame.open, how)
    frame.open = []
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

/** What the first call of one did, as far as it was seen. */
export type Logged = 'logs' | 'nothing' | 'more'
