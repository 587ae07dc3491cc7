/**
 * Which alternatives of joins are still possible on a path: a list that grows at its front and whose tail branches share, so that going into a
 * branch copies nothing.
 */
export interface Narrowing {
  readonly choice: number
  readonly allowed: ReadonlySet<number>
  readonly outer: Narrowing | undefined
  readonly depth: number
  /** A bit for each choice of the list, several choices to a bit: most values that are asked for were never narrowed. */
  readonly present: number
}

/** Everything is possible. */
export const UNNARROWED: Narrowing = { choice: 0, allowed: new Set(), outer: undefined, depth: 0, present: 0 }

const bitOf = (choice: number): number => 1 << (choice & 31)

/** What is still possible of a choice; undefined for everything. */
export function allowedOf(narrowing: Narrowing, choice: number): ReadonlySet<number> | undefined {
  const bit = bitOf(choice)
  for (let n = narrowing; (n.present & bit) !== 0; n = n.outer as Narrowing) if (n.choice === choice) return n.allowed
  return undefined
}

/** The same with one choice narrowed to what is given. */
export const narrowTo = (outer: Narrowing, choice: number, allowed: ReadonlySet<number>): Narrowing => ({
  choice,
  allowed,
  outer,
  depth: outer.depth + 1,
  present: outer.present | bitOf(choice),
})

/** After paths meet: what is possible on any of them, of the choices that all of them narrowed. */
export function joinNarrowings(list: readonly Narrowing[]): Narrowing {
  let shared = list[0] ?? UNNARROWED
  for (const n of list) if (n !== shared) shared = sharedTail(shared, n)
  // what only some of them narrowed further is as it was before they parted; all of them have to be further on
  if (list.some((n) => n === shared)) return shared
  let joined = shared
  const seen = new Set<number>()
  for (let n = list[0] ?? shared; n !== shared; n = n.outer as Narrowing) {
    if (seen.has(n.choice)) continue
    seen.add(n.choice)
    const union = unionOf(list, n.choice)
    if (union) joined = narrowTo(joined, n.choice, union)
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

/** What is possible of a choice on any of the paths; undefined when it is everything on one of them. */
function unionOf(list: readonly Narrowing[], choice: number): ReadonlySet<number> | undefined {
  let union: ReadonlySet<number> | undefined
  for (const n of list) {
    const allowed = allowedOf(n, choice)
    if (!allowed) return undefined
    if (!union || union === allowed) union = allowed
    else for (const i of allowed) if (!union.has(i)) union = new Set([...union, i])
  }
  return union
}
