/**
 * What the conditions on the way to a use say of the loaded row: that it has to be there, that it is the caller's or harmless, or that it may as well be
 * without an owner.
 */

import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Condition, Value } from '../../../model/behaviour/types.ts'
import { isOpenByState } from '../exceptions/claimable-row.ts'
import { operandsOf } from './disjuncts.ts'
import type { Ties } from './ownership-binding.ts'
import { isSame } from './value-equality.ts'

/** Whether a condition asks anything of the row but that it is not there (a name that is still free), whichever way it is met. */
export function needsRow(condition: Condition, ofRow: (x: Value) => boolean): boolean {
  const needs = (test: Value, truthy: boolean): boolean => {
    if (test.v === 'row' && ofRow(test)) return truthy
    // a row that is put together anew is there, and what is not, is not: `row ? { id, ...row } : undefined`
    if (test.v === 'any' && !truthy && test.of.every((x) => x.v === 'object' || x.v === 'row' || x.v === 'const')) return false
    if (test.v !== 'op') return mentions(test, ofRow)
    const [a, b] = test.of
    if (test.op === '!') return a !== undefined && needs(a, !truthy)
    if (test.op === '&&' || test.op === '||')
      return (test.op === '&&') === truthy ? test.of.some((x) => needs(x, truthy)) : test.of.every((x) => needs(x, truthy))
    // how many were found: none is as good as not there
    if (a && test.op === 'length') return needs(a, truthy)
    if (a?.v === 'op' && a.op === 'length' && b?.v === 'const' && b.value === 0 && a.of[0]) {
      if (test.op === '>') return needs(a.of[0], truthy)
      if (/^[!=]==?$/.test(test.op)) return needs(a.of[0], test.op.startsWith('!') === truthy)
    }
    return mentions(test, ofRow)
  }
  return needs(condition.test, !condition.negated)
}

/** How a row was come by: which it is, and what had to hold for it to be looked for. */
export interface Loaded {
  readonly ofRow: (x: Value) => boolean
  readonly under: readonly Condition[]
}

/** `!row || row.user_id === user.id`: nobody's name is taken, or it is the caller's own; or it was not even looked for (`id ? byId(id) : mine()`). */
export const missingOrTied = (test: Value, truthy: boolean, ties: Ties, loaded: Loaded): boolean =>
  harmlessOrTied(test, truthy, ties, (x, holds) => isMissing(x, holds) || isWithout(x, holds, loaded))

/** Whether a test can only hold where the row was not found, or not looked for: one part of all that it asks says so. */
function isWithout(x: Value, truthy: boolean, loaded: Loaded, depth = 0): boolean {
  if (depth > 8) return false
  if (x.v === 'op' && x.op === '!' && x.of[0]) return isWithout(x.of[0], !truthy, loaded, depth + 1)
  if (x.v === 'op' && (x.op === '&&' || x.op === '||')) return (x.op === '&&') === truthy && x.of.some((part) => isWithout(part, truthy, loaded, depth + 1))
  if (isMissing(x, truthy) && loaded.ofRow(x)) return true
  return loaded.under.some((c) => c.negated === truthy && (c.test === x || (x.v === 'request' && isSame(c.test, x))))
}

/** `row.public || row.user_id === user.id || user.role === 'admin'`: what its owner shows to others may be read by them. */
export const openOrTied = (test: Value, truthy: boolean, ofRow: (x: Value) => boolean, ties: Ties): boolean =>
  harmlessOrTied(test, truthy, ties, (x, holds) => isMissing(x, holds) || isOpenByState(x, holds, ofRow) || ties.isByRole(x, holds))

/** One of several ways compares the row with the caller, and each of the others does no harm. */
function harmlessOrTied(test: Value, truthy: boolean, ties: Ties, harmless: (x: Value, holds: boolean) => boolean): boolean {
  const tied = (x: Value, holds: boolean) => ties.holds(x, holds, 0)
  return eitherOf(test, truthy, (of) => of.some(({ x, holds }) => tied(x, holds)) && of.every(({ x, holds }) => tied(x, holds) || harmless(x, holds)))
}

/** Whether a test holds because the row is not there. */
function isMissing(x: Value, truthy: boolean): boolean {
  if (x.v === 'op' && x.op === '!' && x.of[0]) return isMissing(x.of[0], !truthy)
  return x.v === 'row' && x.field === undefined && !truthy
}

/** `!row.user_id || row.user_id === user.id`: the comparison is there, but rows without an owner pass. */
export function passesOwnerless(test: Value, truthy: boolean, ties: Ties): boolean {
  return eitherOf(test, truthy, (of) => of.some(({ x, holds }) => ties.holds(x, holds, 0)) && of.some(({ x, holds }) => ownerUnset(x, holds)))
}

/** Asks about the parts of a test of which one is enough. */
function eitherOf(test: Value, truthy: boolean, ask: (of: readonly { x: Value; holds: boolean }[]) => boolean): boolean {
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && eitherOf(test.of[0], !truthy, ask)
  if ((test.op !== '||' && test.op !== '&&') || (test.op === '||') !== truthy) return false
  return ask(operandsOf(test.of, test.op).map((x) => ({ x, holds: truthy })))
}

/** Whether a test holds because a column of the row is empty. */
function ownerUnset(x: Value, truthy: boolean): boolean {
  if (x.v === 'row') return !truthy
  if (x.v === 'op' && x.op === '!' && x.of[0]) return ownerUnset(x.of[0], !truthy)
  return false
}
