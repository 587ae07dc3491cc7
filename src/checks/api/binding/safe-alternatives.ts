/**
 * Ways past a comparison with the caller that do no harm. `a || b` ties an object only if each way does or leads to nothing: a guard that lets in an
 * administrator as well, or says nothing of a row that is not there, is still one.
 */

import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Value } from '../../../model/behaviour/types.ts'
import { isPersons, provesService } from '../principal/human-caller.ts'
import { provesRole } from '../principal/role-test.ts'
import { operandsOf } from './disjuncts.ts'
import { answeredInVain } from './failed-check-continues.ts'
import { contradictsItself } from './unsatisfiable.ts'
import { isSame } from './value-equality.ts'

/** What is known where one of several ways through a test ties the object to the caller. */
export interface AskedWays {
  readonly behaviour: Behaviour
  /** The ways that tie it. */
  readonly tied: readonly Value[]
  /** What had to hold on the way to the query. */
  readonly path: readonly Condition[]
  /** The query that is going to touch the object. */
  readonly about: Query | undefined
  /** Whether a test ties the object as well. */
  readonly holds: (test: Value, truthy: boolean, depth: number) => boolean
  /** Whether a value is one of the object: of its row, or of the request. */
  readonly isOfObject: (value: Value) => boolean
}

/**
 * A way that lets in a role or another service, compares nothing with nothing, has no object, is not the way that leads here, reaches nothing, or
 * contradicts itself.
 */
export function isHarmless(way: Value, truthy: boolean, asked: AskedWays, depth: number): boolean {
  const { behaviour, about, path } = asked
  return (
    provesRole(way, truthy, behaviour, depth + 1) ||
    asksRole(way, truthy) ||
    lacksClaim(way, truthy) ||
    provesService(way, truthy, behaviour) ||
    areBothUnset(way, truthy, asked) ||
    isFailedList(way, truthy) ||
    isSettledElsewhere(way, truthy, asked, depth) ||
    (about !== undefined &&
      (answeredInVain(way, truthy, about, path, behaviour) ||
        isAbsent(way, truthy, about, behaviour) ||
        fallsBack(way, truthy, about, behaviour) ||
        isRuledOut(way, truthy, path))) ||
    isHarmlessWithin(way, truthy, asked, depth) ||
    contradictsItself(way, truthy)
  )
}

/** `!id && (service || admin)`: without an id neither does harm. */
function isHarmlessWithin(way: Value, truthy: boolean, asked: AskedWays, depth: number): boolean {
  if (way.v !== 'op' || depth > 12 || (way.op !== '&&' && way.op !== '||')) return false
  const harmless = (part: Value) => isHarmless(part, truthy, asked, depth + 1)
  return (way.op === '&&') === truthy ? way.of.some(harmless) : way.of.every(harmless)
}

/**
 * `if (row.buyer && row.buyer !== me) return 403; if (!row.buyer && row.seller !== me) return 403`: the way that one of them leaves open, the other
 * leaves to somebody who is tied as well.
 */
function isSettledElsewhere(way: Value, truthy: boolean, { path, holds }: AskedWays, depth: number): boolean {
  const open = literal(way, truthy)
  if (!open || depth > 8) return false
  return path.some(({ test, negated }) => {
    if (test.v !== 'op' || test.op !== (negated ? '&&' : '||')) return false
    const others = operandsOf(test.of, test.op).filter((x) => !isOpposite(literal(x, !negated), open))
    return others.length > 0 && others.length < test.of.length && others.every((x) => holds(x, !negated, depth + 1))
  })
}

/** A value, and whether it has to be there. */
interface Literal {
  readonly value: Value
  readonly truthy: boolean
}

/** What a way asks of one value: that it is there, or is not. */
function literal(value: Value, truthy: boolean): Literal | undefined {
  if (value.v === 'op' && value.op === '!' && value.of[0]) return literal(value.of[0], !truthy)
  return value.v === 'row' || value.v === 'request' || value.v === 'any' ? { value, truthy } : undefined
}

/** Whether one way asks that a value is there and the other that it is not. */
const isOpposite = (a: Literal | undefined, b: Literal): boolean =>
  a !== undefined && a.truthy !== b.truthy && (a.value === b.value || isSame(a.value, b.value))

/** `if (row) assertOwner(row)`: where the row was looked for and is not there, the same filters find nothing to touch either. */
function isAbsent(way: Value, truthy: boolean, about: Query, behaviour: Behaviour, depth = 0): boolean {
  if (depth > 8) return false
  if (way.v === 'op') {
    const next = (x: Value) => isAbsent(x, truthy, about, behaviour, depth + 1)
    if (way.op === '!') return way.of[0] !== undefined && isAbsent(way.of[0], !truthy, about, behaviour, depth + 1)
    return way.op === '&&' || way.op === '||' ? ((way.op === '&&') === truthy ? way.of.some(next) : way.of.every(next)) : false
  }
  const missing = way.v === 'error' && truthy ? way.of : way.v === 'row' && !truthy && way.field === undefined ? way.step : -1
  const looked = behaviour.steps[missing]?.effect
  if (looked?.kind !== 'db' || looked.op !== 'select' || looked.table !== about.table || !looked.filters.length) return false
  return looked.filters.every((f) => about.filters.some((g) => g.column === f.column && g.op === f.op && isSame(f.value, g.value)))
}

/** `userId` is not sent, and what is looked for by `userId ?? user.id` is the caller's then. */
function fallsBack(way: Value, truthy: boolean, about: Query, behaviour: Behaviour): boolean {
  if (way.v === 'op' && way.op === '!' && way.of[0]) return fallsBack(way.of[0], !truthy, about, behaviour)
  if (way.v !== 'request' || truthy) return false
  const { filters } = about
  return filters.some(
    ({ op, value: v }) => op === 'eq' && v.v === 'any' && v.of.some((x) => isSame(x, way)) && v.of.every((x) => isSame(x, way) || isPersons(x, behaviour)),
  )
}

/** `!mine && !theirs`, the way that `(mine ?? null) === theirs` has when there is no tenant: both compared sides are empty. */
function areBothUnset(way: Value, truthy: boolean, { behaviour, tied, isOfObject }: AskedWays): boolean {
  const empty = emptied(way, truthy, 0)
  const compared = (x: Value) => tied.some((t) => mentions(t, (y) => isSame(x, y)))
  return empty.some((x) => isCallers(x, behaviour) && compared(x)) && empty.some((x) => !isCallers(x, behaviour) && isOfObject(x) && compared(x))
}

/** The values that are empty when `way` has this truth value: `(row.email || '') === (user.email || '')` holds as well where neither has one. */
function emptied(way: Value, truthy: boolean, depth: number): readonly Value[] {
  if (depth > 8) return []
  if (way.v !== 'op') return truthy ? [] : [way]
  const next = (x: Value) => emptied(x, truthy, depth + 1)
  if (way.op === '!') return way.of[0] ? emptied(way.of[0], !truthy, depth + 1) : []
  if (way.op === (truthy ? '&&' : '||')) return way.of.flatMap(next)
  // whichever of them it is, what is empty in each is empty
  if (way.op === '&&' || way.op === '||') {
    const [first = [], ...others] = way.of.map(next)
    return first.filter((x) => others.every((o) => o.some((y) => isSame(x, y))))
  }
  const [a, b] = way.of
  if (!a || !b || !/^[!=]==?$/.test(way.op) || way.op.startsWith('!') === truthy) return []
  return isNothing(a) ? [b] : isNothing(b) ? [a] : []
}

const isNothing = (value: Value): boolean => value.v === 'const' && (value.value === '' || value.value === null || value.value === undefined)

/** `(rows ?? []).some(…)`: a list is missing only when the look-up failed, which nobody brings about from outside. */
function isFailedList(way: Value, truthy: boolean): boolean {
  if (way.v === 'op') return way.op === '!' && way.of[0] !== undefined && isFailedList(way.of[0], !truthy)
  return way.v === 'row' && way.many === true && way.field === undefined && !truthy
}

/** `if (block && block.org !== mine) return 404; if (block) …`: without a block nothing gets to what is under it. */
function isRuledOut(way: Value, truthy: boolean, path: readonly Condition[], depth = 0): boolean {
  if (depth > 8) return false
  if (way.v === 'op') {
    const next = (x: Value) => isRuledOut(x, truthy, path, depth + 1)
    if (way.op === '!') return way.of[0] !== undefined && isRuledOut(way.of[0], !truthy, path, depth + 1)
    if (way.op === '&&' || way.op === '||') return (way.op === '&&') === truthy ? way.of.some(next) : way.of.every(next)
  }
  return path.some((c) => c.test === way && c.negated === truthy)
}

/** What the token of whoever is signed in does not say (`userId && role && …`): the server signed it with all of it, and who has none is check 16's. */
function lacksClaim(way: Value, truthy: boolean): boolean {
  if (way.v === 'op' && way.op === '!' && way.of[0]) return lacksClaim(way.of[0], !truthy)
  return !truthy && way.v === 'caller' && way.trust === 'verified' && way.field !== undefined
}

/** `canChat(me, other)`: `me.role === 'admin' || other.role === 'admin'` beside what joins the two. */
function asksRole(test: Value, holds: boolean, depth = 0): boolean {
  if (test.v !== 'op' || !holds || depth > 6) return false
  if (test.op === '||') return test.of.length > 0 && test.of.every((x) => asksRole(x, holds, depth + 1))
  return /^={2,3}$/.test(test.op) && test.of.some((x) => x.v === 'const') && test.of.some((x) => x.v === 'row' && /(?:^|_)role$/i.test(x.field ?? ''))
}
