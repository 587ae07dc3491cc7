import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Value } from '../../../model/behaviour/types.ts'
import { isRoleField } from '../../../model/routes/guards/identity-words.ts'
import type { Ties } from './ownership-binding.ts'

/** What everybody may look into before buying. */
const SAMPLE = /^(?:is_?)?(?:preview|free|sample|trial|demo)(?:_?(?:lesson|preview))?$/i

/**
 * A test that lets different people at a row for different reasons: a student who is enrolled, or anybody where it is a preview, its teacher, an
 * administrator. Each of its parts asks what somebody is, what the row is, or ties the two, and one at least does tie them.
 */
export function weighsWho(test: Value, ofRow: (x: Value) => boolean, ties: Ties): boolean {
  const parts = atoms(test, 0)
  if (!parts || parts.length < 3) return false
  const asks = (x: Value) =>
    mentions(x, (v) => v.v === 'caller' && isRoleField(v.field)) || mentions(x, (v) => v.v === 'row' && ofRow(v) && SAMPLE.test(v.field ?? ''))
  const tied = (x: Value) => ties.holds(x, true, 0)
  const isThere = (x: Value) => x.v === 'row' && x.field === undefined
  return parts.some(asks) && parts.some(tied) && parts.every((x) => asks(x) || tied(x) || isThere(x))
}

/** The questions that a test is put together of; undefined where there are too many. */
function atoms(test: Value, depth: number): readonly Value[] | undefined {
  if (depth > 12) return undefined
  if (test.v !== 'op' || !/^(?:&&|\|\||!)$/.test(test.op)) return [test]
  const found = test.of.map((x) => atoms(x, depth + 1))
  return found.every((x) => x !== undefined) ? found.flat() : undefined
}
