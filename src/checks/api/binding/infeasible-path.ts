import type { Condition, Value } from '../../../model/behaviour/types.ts'
import { isSame } from './value-equality.ts'

/**
 * Whether nothing reaches what stands under these conditions: `if (!id && !email) return 400; if (id) … else if (email) …` leaves a third way
 * without either, on which the first line has answered.
 */
export function isImpossible(under: readonly Condition[]): boolean {
  const refused = (value: Value) => under.some((c) => c.negated && (c.test === value || isSame(c.test, value)))
  return under.some((c) => !c.negated && c.test.v === 'op' && c.test.op === '||' && c.test.of.length > 0 && c.test.of.every(refused))
}
