import { grantsPower } from '../column-authority/privilege-columns.ts'
import { type Atom, bases, type Term, type Ways } from '../expression/predicate.ts'
import type { Effect } from '../expression/statement-effects.ts'

/**
 * Whether a change is what new rows of the caller's own carry to the row that they belong to: a lot takes over the amount of an offer once
 * it is higher than the last. `decisive` are columns that say whose the changed row is, or grant something.
 */
export function isCarried(effect: Effect, own: readonly Effect[], decisive: readonly string[]): boolean {
  if (effect.command !== 'update' || !effect.writes.size) return false
  const row = own.find((o) => o.command === 'insert' && belongsTo(o, effect))
  if (!row) return false
  return [...effect.writes].every(
    ([column, values]) => !decisive.includes(column) && !grantsPower(column) && values.every(({ term }) => bases(term).every((t) => isSettled(t, effect.when))),
  )
}

/**
 * Whether a new row is what new rows of the caller's own hang on: who founds a team becomes its member in the same call. What the caller may
 * choose of it must not grant anything.
 */
export function isFounded(effect: Effect, own: readonly Effect[]): boolean {
  if (effect.command !== 'insert' || effect.upsert) return false
  const made = new Set([...effect.writes.values()].flat().flatMap((v) => (v.term.t === 'expression' ? [v.term] : [])))
  const named = own.some((o) =>
    [...o.writes.values()]
      .flat()
      .some((v) => (v.term.t === 'expression' && made.has(v.term)) || bases(v.term).some((t) => t.t === 'column' && t.instance === effect.instance)),
  )
  return named && [...effect.writes].every(([column, values]) => !grantsPower(column) || values.every((v) => bases(v.term).every((t) => t.t === 'const')))
}

/**
 * The ways of a delete without those that take away a row which nobody chose and which the caller's own new row names: who has waited longest
 * is taken off the list, and paired with whoever comes next.
 */
export function withoutPaired(effect: Effect, own: readonly Effect[]): Ways {
  const written = own.flatMap((o) => (o.command === 'insert' ? [...o.writes.values()].flat().flatMap((v) => bases(v.term)) : []))
  const named = new Set(written.flatMap((t) => (t.t === 'column' && t.instance !== effect.instance ? [t.instance] : [])))
  const of = (instance: number) => (t: Term) => t.t === 'column' && t.instance === instance
  return effect.when.filter((way) => {
    const equalities = way.filter(isEquality)
    const paired = [...named].filter((i) => equalities.some((a) => equals(a, of(i)) && equals(a, of(effect.instance))))
    return !paired.some((i) => equalities.every((a) => !equals(a, of(i)) || argumentsOf(a).length === 0))
  })
}

/** Whether the new row names the changed one: both by the same argument. */
function belongsTo(row: Effect, changed: Effect): boolean {
  const named = new Set([...row.writes.values()].flat().flatMap((v) => (v.term.t === 'argument' ? [v.term.name] : [])))
  const chosen = changed.when.map((way) => way.filter(isEquality).flatMap((a) => (equals(a, isColumn) ? argumentsOf(a) : [])))
  return chosen.length > 0 && chosen.every((names) => names.some((n) => named.has(n)) && names.every((n) => named.has(n)))
}

/** Constants, what rows say, and what the caller passes where rows set it a limit. */
function isSettled(term: Term, when: Ways): boolean {
  if (term.t === 'const' || term.t === 'column' || term.t === 'caller') return true
  return term.t === 'argument' && when.some((way) => way.some((a) => isLimit(a, term.name)))
}

/** `p_amount > l.top_cents` */
function isLimit(atom: Atom, name: string): boolean {
  if (atom.a !== 'compare' || !['<', '>', '<=', '>='].includes(atom.op)) return false
  return equals(atom, isColumn) && argumentsOf(atom).includes(name)
}

type Compare = Extract<Atom, { a: 'compare' }>

const isEquality = (atom: Atom): atom is Compare => atom.a === 'compare' && atom.op === '='
const isColumn = (term: Term): boolean => term.t === 'column'
const equals = (atom: Compare, is: (term: Term) => boolean): boolean => [...bases(atom.left), ...bases(atom.right)].some(is)
const argumentsOf = (atom: Compare): string[] => [...bases(atom.left), ...bases(atom.right)].flatMap((t) => (t.t === 'argument' ? [t.name] : []))
