import type { Place } from '../../../lib/place.ts'
import { isNullish, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** The member of an error that says with which status it is answered. */
export const STATUS_MEMBER = /^status(?:_?code)?$/i

/** What stands for the status that an error brings along: no success, and which failure is not known. */
const SOME_FAILURE = 400

/** A status code, when the value is one. */
export function statusIn(val: Val | undefined): number | undefined {
  if (!val) return undefined
  if (val.v === 'const' && typeof val.value === 'number') return val.value
  if (val.v === 'any') {
    const all = val.alts.map((a) => statusIn(a.value))
    return all.every((s) => s !== undefined && s === all[0]) ? all[0] : undefined
  }
  if (val.v === 'call' && STATUS_MEMBER.test(val.name) && val.args[0]?.v === 'error') return SOME_FAILURE
  // `error.status ?? 500`
  if (val.v === 'op' && (val.op === '||' || val.op === '??')) return statusIn(val.of[0]) === SOME_FAILURE ? SOME_FAILURE : undefined
  return undefined
}

/**
 * The status that an answer's options ask for (`{ status }`, or a number): the usual one where they name none, and nothing where it is not
 * known (`{ status: codes[error.code] }`).
 */
export function answeredWith(options: Val | undefined, usual: number): { readonly status?: number } {
  const asked = options?.v === 'object' ? (options.props.status ?? options.rest) : options
  if (!asked || isNullish(asked) || (asked.v === 'object' && !asked.props.status)) return { status: usual }
  const status = statusIn(asked)
  return status === undefined ? {} : { status }
}

type How = 'json' | 'redirect' | 'next' | 'not-found' | 'other'

/** Answers now (`res.json()`); the handler goes on unless it returns. */
export function respond(it: Interpreter, how: How, status: number | undefined, body: Val | undefined, at: Place): Val {
  it.emit({ kind: 'respond', how, ...(status !== undefined ? { status } : {}), ...(body ? { body } : {}) }, at)
  it.lastRespond = {
    how: how === 'redirect' ? 'redirect' : how === 'next' ? 'next' : how === 'not-found' ? 'not-found' : 'respond',
    ...(status !== undefined ? { status } : {}),
  }
  return { v: 'response', how, ...(status !== undefined ? { status } : {}), ...(body ? { body } : {}), at, sent: true } as Val
}
