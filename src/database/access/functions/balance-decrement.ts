import { type Atom, bases, type Term, type Ways } from '../expression/predicate.ts'
import type { Effect } from '../expression/statement-effects.ts'

/** Whether an amount that the caller names has to be more than nothing: `if p_amount <= 0 then raise exception`. */
function isPositive(name: string, when: Ways): boolean {
  return when.length > 0 && when.every((way) => way.some((atom) => asksForMore(atom, name)))
}

function asksForMore(atom: Atom, name: string): boolean {
  if (atom.a !== 'compare') return false
  const more = atom.op === '>' || atom.op === '>='
  if (!more && atom.op !== '<' && atom.op !== '<=') return false
  const [large, small] = more ? [atom.left, atom.right] : [atom.right, atom.left]
  if (large.t !== 'argument' || large.name !== name || small.t !== 'const' || typeof small.value !== 'number') return false
  return atom.op === '>' || atom.op === '<' ? small.value >= 0 : small.value > 0
}

/** The argument that a value is less by, of what the column held before: `balance - p_amount`, `balance + (-p_amount)`. */
function lessBy(term: Term, column: string): string | undefined {
  if (term.t !== 'expression') return undefined
  const [first, second] = term.of
  if (term.name === 'greatest') return term.of.map((t) => lessBy(t, column)).find((name) => name !== undefined)
  if (!first || !second || !bases(first).some((t) => t.t === 'column' && t.column === column)) return undefined
  const taken =
    term.name === '-' ? second : term.name === '+' && second.t === 'expression' && second.name === '-' && second.of.length === 1 ? second.of[0] : undefined
  return taken?.t === 'argument' ? taken.name : undefined
}

/** The argument by which a statement makes what stands in a column less, where it cannot be made more; undefined for any other change. */
export function spent(effect: Effect, column: string): string | undefined {
  const values = effect.writes.get(column) ?? []
  const names = new Set(values.map((v) => lessBy(v.term, column)))
  const [name] = names
  return names.size === 1 && name !== undefined && isPositive(name, effect.when) ? name : undefined
}

/**
 * Whether what a statement gives somebody else was taken from the caller by another one: the same column of the same table is less by the same
 * amount there, and what it holds was looked at before.
 */
export function isHandedOver(effect: Effect, ofTheCaller: readonly Effect[]): boolean {
  const written = [...effect.writes].flatMap(([column, values]) =>
    values.some((v) => bases(v.term).some((t) => t.t === 'argument')) ? [{ column, of: values.flatMap((v) => bases(v.term)) }] : [],
  )
  if (!written.length || effect.command !== 'update') return false
  return written.every(({ column, of }) =>
    ofTheCaller.some((own) => {
      const amount = own.table === effect.table ? spent(own, column) : undefined
      return amount !== undefined && of.every((t) => t.t !== 'argument' || t.name === amount) && isCovered(own, column)
    }),
  )
}

const isCovered = (effect: Effect, column: string): boolean =>
  effect.when.length > 0 &&
  effect.when.every((way) =>
    way.some(
      (atom) =>
        atom.a === 'compare' && atom.op !== '=' && [atom.left, atom.right].some((side) => bases(side).some((t) => t.t === 'column' && t.column === column)),
    ),
  )
