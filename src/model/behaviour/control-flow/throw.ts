import type { Place } from '../../../lib/place.ts'
import type { Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { SIGNALS, type Signal } from './completion.ts'

/** Throws from inside an expression. */
export function raise(it: Interpreter, thrown: Val, place: Place): never {
  throw raising(it, thrown, place)
}

/** Notes what is thrown, and what the nearest handler (or the framework) makes of it. */
export function raising(it: Interpreter, thrown: Val, place: Place): Signal {
  const status = statusOf(thrown)
  const caught = it.tries.length > 0
  const how = thrown.v === 'response' ? (thrown.how === 'redirect' ? 'redirect' : thrown.how === 'not-found' ? 'not-found' : 'respond') : 'throw'
  if (thrown.v === 'response' && !caught) {
    if (!thrown.sent)
      it.emit({ kind: 'respond', how: thrown.how, ...(status !== undefined ? { status } : {}), ...(thrown.body ? { body: thrown.body } : {}) }, place)
  } else it.emit({ kind: 'throw', value: thrown, caught, ...(status !== undefined ? { status } : {}) }, place)
  const answer = it.answerOf(thrown, status, how)
  it.tries[it.tries.length - 1]?.thrown.push(thrown)
  it.ending(answer)
  return SIGNALS.throw
}

/** The status that the thrown thing carries, as frameworks read it. */
function statusOf(thrown: Val): number | undefined {
  if (thrown.v === 'response') return thrown.status
  for (const name of ['status', 'statusCode', 'code']) {
    const value = thrown.v === 'object' ? thrown.props[name] : thrown.v === 'instance' ? thrown.fields.vars.get(name) : undefined
    if (value?.v === 'const') {
      if (typeof value.value === 'number' && value.value >= 300 && value.value < 600) return value.value
      if (typeof value.value === 'string' && value.value in TRPC_STATUS) return TRPC_STATUS[value.value]
    }
  }
  return undefined
}

const TRPC_STATUS: Record<string, number> = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_REQUEST: 400,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
}
