import { type Cond, isNullish, keyOf, type ObjectVal, object, UNDEFINED, type Val } from './abstract-value.ts'

/** A value, and what a path must hold for it to be the one. */
interface Way<T extends Val = Val> {
  readonly value: T
  readonly under: readonly Cond[]
}

/** How ways become one: their value, and what has to hold for any of them. */
interface Joining {
  readonly values: (ways: readonly Way[]) => Val
  readonly conditions: (ways: readonly (readonly Cond[])[]) => readonly Cond[]
}

/**
 * Of too many objects those that nothing but texts and what is made elsewhere tells apart become one: a helper says no in ten places (`{ success: false,
 * error: 'Not found' }`) and yes in one. Where that leaves more than `most`, all become one, each member with what it may be.
 */
export function joinObjects(ways: readonly Way[], most: number, joining: Joining): readonly Way[] {
  const objects = ways.filter(isObject)
  if (objects.length < 2) return ways
  const others = ways.filter((w) => !isObject(w))
  const kinds = grouped(objects, kindOf)
  const groups = kinds.length + others.length <= most ? kinds : grouped(objects, restOf)
  return [...groups.map((group) => (group.length === 1 ? (group[0] as Way) : joined(group, joining))), ...others]
}

const isObject = (way: Way): way is Way<ObjectVal> => way.value.v === 'object'

function grouped(ways: readonly Way<ObjectVal>[], by: (of: ObjectVal) => string): readonly (readonly Way<ObjectVal>[])[] {
  const groups = new Map<string, Way<ObjectVal>[]>()
  for (const way of ways) {
    const kind = by(way.value)
    const same = groups.get(kind)
    if (same) same.push(way)
    else groups.set(kind, [way])
  }
  return [...groups.values()]
}

const restOf = ({ rest }: ObjectVal): string => (rest ? String(keyOf(rest)) : '')

/** What code asks an answer for: which members there are, and which of them say yes, no, nothing or how many. */
function kindOf(of: ObjectVal): string {
  const members = Object.entries(of.props).flatMap(([name, x]) =>
    isNullish(x) ? [] : [x.v === 'const' && typeof x.value !== 'string' ? `${name}=${x.value}` : name],
  )
  return `${members.sort().join()}|${restOf(of)}`
}

function joined(group: readonly Way<ObjectVal>[], { values, conditions }: Joining): Way {
  const props: Record<string, Val> = {}
  for (const name of new Set(group.flatMap((w) => Object.keys(w.value.props))))
    props[name] = values(group.map((w) => ({ value: w.value.props[name] ?? UNDEFINED, under: w.under })))
  return { value: object(props, group[0]?.value.rest), under: conditions(group.map((w) => w.under)) }
}
