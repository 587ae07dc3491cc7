import type { Place } from '../../../lib/place.ts'
import { type Alt, type AnyVal, type Cond, op, truth, type Val } from '../domain/abstract-value.ts'
import { allowedOf, alternativesOf, isAmong, joinNarrowings, type Narrowing, narrowTo } from '../domain/narrowing.ts'
import { withoutEmpty } from '../domain/nullish-default.ts'
import { keyOf, keyOfCond } from '../domain/structural-hash.ts'
import type { Otherwise } from '../types.ts'
import { beginsWith, conditionOn, disjunctionOf, equality, hasCondition, includesCond, truthAsked } from './conditions.ts'
import { asksForWords } from './error-text.ts'

/** How many ways to a point are told apart. */
const MAX_WAYS = 8
/** Conditions that one side of a disjunction keeps after a join. */
const MAX_CONJUNCTS = 6

/** What a condition says of its other side before anybody knows: it goes on. */
export const NO_END: Otherwise = { ends: false }

const NO_CONDS: readonly Cond[] = []

/** What must be added to the path for a test to have a truth value. */
export interface Assumption {
  readonly conds: readonly Cond[]
  readonly narrowed: Narrowing
}

/** What holds where a test is asked. */
export interface KnownPath {
  readonly pc: readonly Cond[]
  /** Above zero while a handler is asked what it answers. */
  readonly asking: number
  /** Grows with each test in such a run that asks for the words of the error. */
  wordsAsked: number
}

/** What must hold for `test` to be `wanted`; undefined when it cannot be. */
export function assume(path: KnownPath, test: Val, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
  switch (test.v) {
    case 'op': {
      const [a, b] = test.of
      if (test.op === '!' && a) return assume(path, a, !wanted, at, base)
      if (a && b && (test.op === '&&' || test.op === '||')) {
        const both = (test.op === '&&') === wanted
        if (both) {
          const left = assume(path, a, wanted, at, base)
          return left && assume(path, b, wanted, at, left)
        }
        const left = assume(path, a, wanted, at, base)
        const other = assume(path, a, !wanted, at, base)
        const right = other && assume(path, b, wanted, at, other)
        if (!left || !right) return left ?? right
        // `a || (!a && b)` is `a || b`
        return either(path, [left, assume(path, b, wanted, at, base) ?? right], base, at) ?? leaf(path, test, wanted, at, base)
      }
      if (a && b && (test.op === '===' || test.op === '==' || test.op === '!==' || test.op === '!='))
        return equal(path, test, ...withoutEmpty(a, b), wanted === (test.op === '===' || test.op === '=='), at, base)
      return leaf(path, test, wanted, at, base)
    }
    case 'any':
      return assumeAny(path, test, wanted, at, base)
    default: {
      if (test.v === 'object' && test.rest?.v === 'caller') return assume(path, test.rest, wanted, at, base)
      const known = truth(test)
      if (known !== undefined) return known === wanted ? base : undefined
      return leaf(path, test, wanted, at, base)
    }
  }
}

/** Of several values: those that can be `wanted`, each with what it stands under. */
function assumeAny(path: KnownPath, test: AnyVal, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
  const allowed = allowedOf(base.narrowed, test.choice)
  const kept: { alt: Alt; then: Assumption }[] = []
  for (const alt of test.alts) {
    if (!isAmong(allowed, alt.i)) continue
    if (alt.under.some((c) => contradicts(path, c, base))) continue
    const then = assume(path, alt.value, wanted, at, { conds: alt.under, narrowed: base.narrowed })
    if (then) kept.push({ alt, then: { conds: then.conds.slice(alt.under.length), narrowed: then.narrowed } })
  }
  const only = kept[0]
  if (!only) return test.alts.some((a) => isAmong(allowed, a.i)) ? undefined : leaf(path, test, wanted, at, base)
  const conds = ({ alt, then }: { alt: Alt; then: Assumption }) => (alt.under.length ? [...alt.under.map(restated), ...then.conds] : then.conds)
  if (kept.length === 1)
    return { conds: [...base.conds, ...fresh(path, conds(only), base)], narrowed: narrowTo(only.then.narrowed, test.choice, alternativesOf([only.alt])) }
  const narrowed = narrowTo(base.narrowed, test.choice, alternativesOf(kept.map((k) => k.alt)))
  const options = kept.map((k): Assumption => ({ conds: conds(k), narrowed }))
  return either(path, options, { conds: base.conds, narrowed }, at) ?? { conds: base.conds, narrowed }
}

/** A condition that holds once more: nobody knows yet what its other side does. What was found out about its test stays. */
const restated = ({ test, negated, at, key, keyRun, weight }: Cond): Cond => ({ test, negated, at, otherwise: NO_END, key, keyRun, weight })

/** An equality: for each of several values, decided where both sides are known, asked as the truth that it is about. */
function equal(path: KnownPath, test: Val & { v: 'op' }, a: Val, b: Val, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
  if (a.v === 'any' || b.v === 'any') {
    const [any, other, flipped] = a.v === 'any' ? [a, b, false] : [b as AnyVal, a, true]
    const each = { ...any, alts: any.alts.map((alt) => ({ ...alt, value: flipped ? op('===', other, alt.value) : op('===', alt.value, other) })) }
    if (other.v === 'const' || any.alts.some((x) => x.value.v === 'const')) return assume(path, each, wanted, at, base)
  }
  const decided = equality(a, b)
  if (decided !== undefined) return decided === wanted ? base : undefined
  const asked = truthAsked(a, b) ?? truthAsked(b, a)
  if (asked) return assume(path, asked.of, asked.holds === wanted, at, base)
  return leaf(path, test.op === '===' && test.of[0] === a && test.of[1] === b ? test : op('===', a, b), wanted, at, base)
}

/** A test that has no parts to look into: a condition of its own unless the path says already how it turned out. */
function leaf(path: KnownPath, test: Val, wanted: boolean, at: Place, base: Assumption): Assumption | undefined {
  if (path.asking && asksForWords(test)) path.wordsAsked++
  const key = keyOf(test)
  const known = conditionOn(key, path.pc) ?? conditionOn(key, base.conds)
  if (known) return known.negated !== wanted ? base : undefined
  if ((test.v === 'row' || test.v === 'caller') && test.field === 'id' && isThere(path, test, base)) return wanted ? base : undefined
  return { conds: [...base.conds, { test, negated: !wanted, at, otherwise: NO_END }], narrowed: base.narrowed }
}

/** Whether the row of a field was found, or somebody is signed in: then there is an id. */
function isThere(path: KnownPath, { field: _, ...whole }: Extract<Val, { v: 'row' | 'caller' }>, base: Assumption): boolean {
  const key = keyOf(whole)
  const found = (c: Cond) =>
    !c.negated && (keyOfCond(c) === key || (whole.v === 'caller' && c.test.v === 'caller' && c.test.field === undefined && c.test.trust === whole.trust))
  return path.pc.some(found) || base.conds.some(found)
}

function contradicts(path: KnownPath, cond: Cond, base: Assumption): boolean {
  return hasCondition(keyOfCond(cond), !cond.negated, path.pc) || hasCondition(keyOfCond(cond), !cond.negated, base.conds)
}

/** Those that neither the path nor what is assumed already says. */
function fresh(path: KnownPath, conds: readonly Cond[], base: Assumption): readonly Cond[] {
  return conds.length ? conds.filter((c) => !includesCond(path.pc, c) && !includesCond(base.conds, c)) : NO_CONDS
}

/** The path when one of several sets of conditions holds: what they share, and the disjunction of the rest. */
function either(path: KnownPath, options: readonly Assumption[], base: Assumption, at: Place): Assumption | undefined {
  const lists = options.map((o) => fresh(path, base.conds.length && beginsWith(o.conds, base.conds) ? o.conds.slice(base.conds.length) : o.conds, base))
  const narrowed = joinNarrowings(options.map((o) => o.narrowed))
  const first = lists[0] ?? []
  const shared = first.filter((c) => lists.every((l) => includesCond(l, c)))
  const rest = shared.length ? lists.map((l) => l.filter((c) => !includesCond(shared, c))) : lists
  const conds = shared.length ? [...base.conds, ...shared] : base.conds
  if (rest.length > MAX_WAYS || rest.some((r) => r.length === 0)) return { conds, narrowed }
  return { conds: [...conds, disjunctionOf(rest, MAX_CONJUNCTS, rest[0]?.[0]?.at ?? at, NO_END)], narrowed }
}

/** The path after a join: what all sides share, and a disjunction when a side got here past an exit of its own (`thrown`: by an exception). */
export function commonPath(base: readonly Cond[], extras: readonly (readonly Cond[])[], disjunction: 'ended' | 'thrown' | 'none'): readonly Cond[] {
  const first = extras[0] ?? []
  const shared = first.filter((c) => extras.every((e) => includesCond(e, c)))
  const rest = shared.length ? extras.map((e) => e.filter((c) => !includesCond(shared, c))) : extras
  const path = shared.length ? [...base, ...shared] : base
  if (disjunction === 'none' || rest.length > MAX_WAYS || rest.some((r) => r.length === 0)) return path
  const ending = rest.flat().find((c) => c.otherwise.thrown || (c.otherwise.ends && disjunction === 'ended'))
  if (!ending) return path
  return [...path, disjunctionOf(rest, rest.length > 4 ? MAX_CONJUNCTS / 2 : MAX_CONJUNCTS, ending.at, ending.otherwise)]
}

/** What holds where one of several lists of conditions does: what they share, and that one of the rest holds. */
export function eitherWay(ways: readonly (readonly Cond[])[]): readonly Cond[] {
  const [first = [], ...others] = ways
  if (!others.length) return first
  const shared = first.filter((c) => others.every((w) => w.includes(c)))
  const rest = ways.map((w) => w.filter((c) => !shared.includes(c)))
  const at = rest[0]?.[0]?.at
  return !at || rest.length > MAX_WAYS || rest.some((r) => r.length === 0) ? shared : [...shared, disjunctionOf(rest, MAX_CONJUNCTS / 2, at, NO_END)]
}
