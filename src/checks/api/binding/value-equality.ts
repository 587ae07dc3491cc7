import type { Value } from '../../../model/behaviour/types.ts'

/** Whether two values are the same field of the same thing. Each reading of a row or of the request is a value of its own, so that identity says too little. */
export function isSame(a: Value, b: Value): boolean {
  if (a.v === 'row') return b.v === 'row' && a.table === b.table && a.field === b.field
  if (a.v === 'request') return b.v === 'request' && a.part === b.part && a.name === b.name
  return a.v === 'caller' && b.v === 'caller' && a.field === b.field
}
