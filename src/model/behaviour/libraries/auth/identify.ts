import type { Val } from '../../domain/abstract-value.ts'
import type { Trust } from '../../types.ts'
import type { LibraryCall } from '../library.ts'

/** Notes that the caller is established here, and gives the identity. */
export function identify(c: LibraryCall, how: string, trust: Trust = 'verified', field?: string): Extract<Val, { v: 'caller' }> {
  const step = c.it.emit({ kind: 'identify', how, trust }, c.at)
  return { v: 'caller', how, trust, step, at: c.at, ...(field ? { field } : {}) }
}
