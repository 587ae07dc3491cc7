import { mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'

const PERSON_NAME_COLUMN = /^(?:full|first|last|display|user)_?name$|^(?:name|surname)$/i
/** What leaves a part of a name: its first word, an initial. */
const CUTS = /^(?:split|charAt|at|slice|substring|substr)$/

/** Whether nothing of the rows that a step read stands in an answer but a part of a name: `Maria S.` among the best of a month. */
export function showsNamesInPart({ steps }: Behaviour, index: number, personal: readonly string[]): boolean {
  if (!personal.length || !personal.every((c) => PERSON_NAME_COLUMN.test(c))) return false
  const bodies = steps.slice(index + 1).flatMap(({ effect: e }) => (e.kind === 'respond' && (e.status ?? 200) < 400 && e.body ? [e.body] : []))
  return !bodies.some((body) => standsWhole(body, index, personal, 0))
}

function standsWhole(v: Value, index: number, personal: readonly string[], depth: number): boolean {
  const next = (x: Value) => standsWhole(x, index, personal, depth + 1)
  if (depth > 12) return mentions(v, (x) => x.v === 'row' && x.step === index)
  if (v.v === 'row') return v.step === index && (v.field === undefined || personal.includes(v.field))
  const isPart = v.v === 'call' && CUTS.test(v.name)
  return !isPart && v.v !== 'env' && v.v !== 'response' && partsOf(v).some(next)
}
