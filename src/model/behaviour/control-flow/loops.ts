import type { Stmt } from '../../../facts/javascript.ts'
import { type AnyVal, type Cond, Scope, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { elementOf } from '../domain/members.ts'
import { leavesOf } from '../domain/object-literal.ts'
import { keyOf } from '../domain/structural-hash.ts'
import type { Interpreter } from '../interpreter.ts'
import { evaluate, execute, settle } from '../operations.ts'
import { bind } from './assignment.ts'
import { executeBlock, statementPlace } from './block.ts'
import { type Completion, SIGNALS } from './completion.ts'
import type { Write } from './write-log.ts'

type Loop = Extract<Stmt, { k: 'loop' }>

/** Items of a list written in the code that a search is run through one by one: which of them it returns depends on their order. */
const MAX_UNROLLED = 6

/** Entries of a table that stands in the code: paths and what they ask for. */
const MAX_TABLE = 40

/** Runs the body of a loop once for what any of its rounds may do; a short list that is searched is run through item by item. */
export function executeLoop(it: Interpreter, s: Loop, scope: Scope): Completion {
  const inner = new Scope(scope.path, scope)
  const place = statementPlace(scope, s)
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
  it.keepPerhaps(toldApart(it, state.writes), asked, (before) => !asked && before.v === 'array' && !before.items.length)
  return undefined
}

/**
 * Each round takes its branch anew: which one wrote a variable rules out nothing of those that another branch writes, as it does after a single `if`
 * (`if (key === 't') time = value; else signatures.push(value)`). What is written in the same branches stays together.
 */
function toldApart(it: Interpreter, writes: readonly Write[]): readonly Write[] {
  const together = new Map<number, Map<string, { readonly choice: number; readonly asked: ReadonlySet<number> }>>()
  return writes.map((write) => {
    const { scope, name, value } = write
    if (value?.v !== 'any') return write
    const before = scope.vars.get(name)
    const branches = value.alts.flatMap((a) => (a.value === before ? [] : [a.i])).join()
    const rounds = together.get(value.choice) ?? new Map()
    together.set(value.choice, rounds)
    let round = rounds.get(branches)
    if (!round) {
      const asked = new Set([...rounds.values()].flatMap((r) => [...r.asked]))
      round = { choice: rounds.size ? it.newChoice() : value.choice, asked: rounds.size ? asked : new Set(leavesOf(value).flatMap((a) => a.under.map(testOf))) }
      rounds.set(branches, round)
    }
    return round.choice === value.choice ? write : { ...write, value: ofAnotherRound(value, round.choice, round.asked) }
  })
}

/** The alternatives without what another round was asked: it is not the same element that both are about. */
function ofAnotherRound(value: AnyVal, choice: number, asked: ReadonlySet<number>): AnyVal {
  const alts = value.alts.map((a) => ({
    ...a,
    under: a.under.filter((c) => !asked.has(testOf(c))),
    value: a.value.v === 'any' ? ofAnotherRound(a.value, a.value.choice, asked) : a.value,
  }))
  return { v: 'any', choice, alts }
}

const testOf = (cond: Cond): number => keyOf(cond.test)

/** Runs the body for each item, until one round leaves. */
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
