import type { Alternative } from './abstract-value.ts'
import { type Cond, isNullish, type ObjectVal, object, UNDEFINED, type Val } from './abstract-value.ts'
import { keyOf } from './structural-hash.ts'

type Way = Alternative
type ObjectWay = Way & { readonly value: ObjectVal }

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
  const kinds = Map.groupBy(objects, (w) => kindOf(w.value))
  const groups = kinds.size + others.length <= most ? kinds : Map.groupBy(objects, (w) => restOf(w.value))
  return [...[...groups.values()].map((group) => (group.length === 1 ? (group[0] as Way) : joined(group, joining))), ...others]
}

const isObject = (way: Way): way is ObjectWay => way.value.v === 'object'

const restOf = ({ rest }: ObjectVal): string => (rest ? String(keyOf(rest)) : '')

/** What code asks an answer for: which members there are, and which of them say yes, no, nothing or how many. */
function kindOf(of: ObjectVal): string {
  const members = Object.entries(of.props).flatMap(([name, x]) =>
    isNullish(x) ? [] : [x.v === 'const' && typeof x.value !== 'string' ? `${name}=${x.value}` : name],
  )
  return `${members.sort().join()}|${restOf(of)}`
}

function joined(group: readonly ObjectWay[], { values, conditions }: Joining): Way {
  const props: Record<string, Val> = {}
  for (const name of new Set(group.flatMap((w) => Object.keys(w.value.props))))
    props[name] = values(group.map((w) => ({ value: w.value.props[name] ?? UNDEFINED, under: w.under })))
  return { value: object(props, group[0]?.value.rest), under: conditions(group.map((w) => w.under)) }
}
