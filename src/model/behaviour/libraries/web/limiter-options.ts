import { ADDRESS_HEADER } from '../../../../lexicon/http/address-headers.ts'
import { truth, type Val } from '../../domain/abstract-value.ts'
import { callValue, settle } from '../../operations.ts'
import type { LibraryCall } from '../library.ts'

const MAX_PARTS = 8

/** Whether a limiter lets past whoever wants it: its `skip` holds for what the caller sends, or it counts by something that the caller makes up. */
export function isLeftToCaller(c: LibraryCall, options: Val | undefined, args: readonly Val[]): boolean {
  if (options?.v !== 'object') return false
  const { skip, keyGenerator } = options.props
  const skipped = skip && answerOf(c, skip, args)
  // a comparison with a secret of the server is no choice of the caller
  if (skipped && (truth(skipped) === true || (holds(skipped, isSent) && !holds(skipped, (v) => v.v === 'env')))) return true
  const key = keyGenerator && answerOf(c, keyGenerator, args)
  return key !== undefined && holds(key, isMadeUp)
}

const answerOf = (c: LibraryCall, fn: Val, args: readonly Val[]): Val | undefined =>
  fn.v === 'fn' || fn.v === 'native' ? settle(c.it, callValue(c.it, fn, args.slice(0, 2), c.at), c.at) : undefined

const isSent = (v: Val): boolean => v.v === 'request' && (v.part === 'header' || v.part === 'query' || v.part === 'body' || v.part === 'cookie')

/** A header other than those in which the platform says the address. */
const isMadeUp = (v: Val): boolean => v.v === 'request' && v.part === 'header' && v.name !== undefined && !ADDRESS_HEADER.test(v.name)

function holds(v: Val, predicate: (v: Val) => boolean, depth = 0): boolean {
  if (predicate(v)) return true
  if (depth > MAX_PARTS) return false
  const parts: readonly Val[] = v.v === 'op' ? v.of : v.v === 'any' ? v.alts.map((a) => a.value) : v.v === 'call' ? v.args : v.v === 'text' ? v.parts : []
  if (v.v === 'any' && v.alts.some((a) => a.under.some((x) => holds(x.test as Val, predicate, depth + 1)))) return true
  return parts.some((p) => holds(p, predicate, depth + 1))
}
