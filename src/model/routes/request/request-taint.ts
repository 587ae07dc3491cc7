import { mentions } from '../../behaviour/domain/contains.ts'
import type { Value } from '../../behaviour/types.ts'

/** True when the value carries something of the request. */
export function isTainted(value: Value): boolean {
  return mentions(value, (x) => x.v === 'request')
}
