import { brief } from '../control-flow/conditions.ts'
import { eitherWay } from '../control-flow/path-condition.ts'
import type { Alternative } from './abstract-value.ts'
import { type Alt, type ChainVal, type Cond, UNKNOWN, type Val } from './abstract-value.ts'
import { keyOf } from './structural-hash.ts'
import { joinObjects } from './widen-objects.ts'

/** Alternatives beyond which a join is no longer told apart. */
const MAX_ALTERNATIVES = 8
/** The same for what stands in the code: which of a dozen roles somebody has decides what he may do. */
const MAX_CONSTANTS = 16
/** Answers with content beyond which they are no longer told apart: a function for a dozen actions gives one for each. */
const MAX_ANSWERS = 20
/** Variants of one query beyond which only what they share is kept. */
const MAX_BUILDERS = 4

/** One of several answers that are not told apart any more. */
const SOME_ANSWER: Val = { v: 'response', how: 'other', sent: true }

/** One value that is any of several; the value itself when all are the same. `newChoice` numbers what has to be sorted anew. */
export function joinAlternatives(list: readonly Alternative[], choice: number, newChoice: () => number): Val {
  const first = list[0]
  if (!first) return UNKNOWN
  const key = list.some((a) => a.value !== first.value) ? keyOf(first.value) : undefined
  if (key === undefined || list.every((a) => keyOf(a.value) === key)) return first.value
  const leaves = list.reduce((n, a) => n + countLeaves(a.value), 0)
  if (leaves <= MAX_ALTERNATIVES || (leaves <= MAX_CONSTANTS && list.every((a) => isWritten(a.value))))
    return { v: 'any', choice, alts: list.map((a, k) => ({ i: a.i ?? k, value: a.value, under: brief(a.under) })) }
  return collapse(list, newChoice)
}

/**
 * Too many alternatives: builders keep what all of them share, other values what all of them stand under. What is left has numbers of its own: those
 * of the choice that it came from would rule out the wrong ones.
 */
function collapse(list: readonly Alternative[], newChoice: () => number): Val {
  const leaves = new Map<number | string, { value: Val; ways: (readonly Cond[])[] }>()
  const collect = (value: Val, under: readonly Cond[]): void => {
    if (value.v === 'any') {
      for (const a of value.alts) collect(a.value, brief([...under, ...a.under]))
      return
    }
    const key = leafKey(value)
    const same = leaves.get(key)
    if (same) same.ways.push(under)
    else leaves.set(key, { value, ways: [under] })
  }
  for (const a of list) collect(a.value, a.under)
  const found = [...leaves.values()].map(({ value, ways }) => ({ value, under: eitherWay(ways) }))
  const values = (of: readonly Alternative[]) => joinAlternatives(of, newChoice(), newChoice)
  const kept = found.length > MAX_ALTERNATIVES ? joinObjects(found, MAX_ALTERNATIVES, { values, conditions: eitherWay }) : found
  const chains = kept.map((k) => k.value).filter((x): x is ChainVal => x.v === 'chain')
  const others = kept.filter((k) => k.value.v !== 'chain')
  if (chains.length > MAX_BUILDERS && others.length < MAX_BUILDERS) {
    const shared = sharedChain(chains)
    if (shared && !others.length) return shared
    if (shared)
      return { v: 'any', choice: newChoice(), alts: [{ value: shared, under: [] }, ...others].map((a, i) => ({ i, value: a.value, under: brief(a.under) })) }
  }
  // where a request goes on says more than which of several answers it gets instead
  const [answers, telling] = partition(kept, (k) => k.value.v === 'response' && k.value.how !== 'next')
  const [refusals, given] = partition(answers, (k) => k.value.v === 'response' && (k.value.status ?? 200) >= 400)
  if (kept.length <= MAX_CONSTANTS && kept.every((k) => isWritten(k.value)))
    return { v: 'any', choice: newChoice(), alts: kept.map((a, i) => ({ i, value: a.value, under: brief(a.under) })) }
  const room = telling.length > MAX_ALTERNATIVES ? MAX_ALTERNATIVES : Math.max(MAX_ALTERNATIVES, telling.length + Math.min(given.length, MAX_ANSWERS))
  const each = [...telling, ...given, ...refusals]
  // that there is nothing decides tests as nothing else does, and is told apart beside all others
  const [nothing, left] = partition(each.slice(room), (k) => k.value.v === 'const' && !k.value.value)
  const told = [...each.slice(0, room), ...nothing]
  const alts: Alt[] = told.map((a, i) => ({ i, value: a.value, under: brief(a.under) }))
  if (left.length) {
    // what all that is left out stands under holds for whichever of it
    const under = brief(eitherWay(left.map((a) => a.under)))
    alts.push({ i: told.length, value: telling.length > MAX_ALTERNATIVES ? UNKNOWN : SOME_ANSWER, under })
  }
  return alts.length === 1 ? (alts[0] as Alt).value : { v: 'any', choice: newChoice(), alts }
}

/** Who was established in the same way at several places (with one key and, when that fails, with another) is one person. */
const leafKey = (value: Val): number | string => (value.v === 'caller' ? `${value.how} ${value.trust} ${value.field ?? ''}` : keyOf(value))

/** Whether a value is one of several that are written in the code. */
export const isWritten = (value: Val): boolean => value.v === 'const' || (value.v === 'any' && value.alts.every((a) => isWritten(a.value)))

function partition<T>(list: readonly T[], test: (x: T) => boolean): readonly [T[], T[]] {
  const yes: T[] = []
  const no: T[] = []
  for (const x of list) (test(x) ? yes : no).push(x)
  return [yes, no]
}

function countLeaves(value: Val): number {
  return value.v === 'any' ? value.alts.reduce((n, a) => n + countLeaves(a.value), 0) : 1
}

/** The links that all variants of a builder have, in order; undefined when they do not start from the same thing or have nothing in common. */
function sharedChain(chains: readonly ChainVal[]): ChainVal | undefined {
  const root = keyOf((chains[0] as ChainVal).root)
  if (chains.some((c) => keyOf(c.root) !== root)) return undefined
  const shortest = chains.reduce((a, b) => (b.links.length < a.links.length ? b : a))
  const key = (c: ChainVal, i: number) => `${c.links[i]?.name}(${c.links[i]?.args?.map((a) => keyOf(a)).join(',') ?? '-'})`
  const sets = chains.map((c) => new Set(c.links.map((_, i) => key(c, i))))
  const links = shortest.links.filter((_, i) => sets.every((s) => s.has(key(shortest, i))))
  // a library's function that was called in several ways is not the function itself
  return links.length || shortest.root.v !== 'lib' ? { ...shortest, links } : undefined
}
