import type { Value } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'

/** True when the value carries something of the request. */
export function fromRequest(value: Value): boolean {
  return mentions(value, (x) => x.v === 'request')
}
