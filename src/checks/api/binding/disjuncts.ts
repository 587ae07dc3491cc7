import type { Value } from '../../../model/behaviour/types.ts'

/** The ways through a test that is put together by one operator, however they are nested: `mine || (service || admin)` is three ways, not two. */
export function operandsOf(ways: readonly Value[], op: '||' | '&&', depth = 0): readonly Value[] {
  if (depth > 6) return ways
  return ways.flatMap((way) => (way.v === 'op' && way.op === op ? operandsOf(way.of, op, depth + 1) : [way]))
}
