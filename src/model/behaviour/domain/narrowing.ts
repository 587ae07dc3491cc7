/**
 * Which alternatives of joins are still possible on a path: a list that grows at its front and whose tail branches share, so that going into a
 * branch copies nothing.
 */
export interface Narrowing {
  readonly choice: number
  readonly allowed: Alternatives
  readonly outer: Narrowing | undefined
  readonly depth: number
  /** A bit for each choice of the list, several choices to a bit: most values that are asked for were never narrowed. */
  readonly present: number
}

/** A set of alternatives, a bit for each: joins tell fewer apart than a number has bits. Beyond, two share one, and what is possible of either is of both. */
export type Alternatives = number

/** Nothing is ruled out. */
export const EVERYTHING: Alternatives = -1

const bitOf = (index: number): number => 1 << (index & 31)

/** The set of the alternatives with these numbers. */
export const alternativesOf = (alts: readonly { readonly i: number }[]): Alternatives => alts.reduce((set, alt) => set | bitOf(alt.i), 0)

/** Whether a set has the alternative with this number. */
export const isAmong = (set: Alternatives, i: number): boolean => (set & bitOf(i)) !== 0

/** Everything is possible. */
export const UNNARROWED: Narrowing = { choice: 0, allowed: EVERYTHING, outer: undefined, depth: 0, present: 0 }

/** What is still possible of a choice. */
export function allowedOf(narrowing: Narrowing, choice: number): Alternatives {
  const bit = bitOf(choice)
  for (let n = narrowing; (n.present & bit) !== 0; n = n.outer as Narrowing) if (n.choice === choice) return n.allowed
  return EVERYTHING
}

/** The same with one choice narrowed to what is given. */
export const narrowTo = (outer: Narrowing, choice: number, allowed: Alternatives): Narrowing => ({
  choice,
  allowed,
  outer,
  depth: outer.depth + 1,
  present: outer.present | bitOf(choice),
})

/** After paths meet: what is possible on any of them. */
export function joinNarrowings(list: readonly Narrowing[]): Narrowing {
  const shared = list.reduce(sharedTail)
  // a path that was not narrowed since they parted allows what all of them allowed then
  if (list.includes(shared)) return shared
  let joined = shared
  const seen = new Set<number>()
  for (let n = list[0] ?? shared; n !== shared; n = n.outer as Narrowing) {
    const { choice } = n
    if (seen.has(choice)) continue
    seen.add(choice)
    const union = list.reduce((set, path) => set | allowedOf(path, choice), 0)
    if (union !== EVERYTHING) joined = narrowTo(joined, choice, union)
  }
  return joined
}

function sharedTail(a: Narrowing, b: Narrowing): Narrowing {
  let x = a
  let y = b
  while (x !== y) {
    if (x.depth >= y.depth) x = x.outer as Narrowing
    else y = y.outer as Narrowing
  }
  return x
}
