import type { Expr } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { isNullish, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** What stands for somebody, or for nobody: the session, the user in it. */
const SESSION_OR_USER = /^(?:(?:session|data)\.)?(?:session|user)$/

/**
 * `session.user.id` ends with an exception where nobody is signed in, as `session!.user!.id` does: what comes behind it happens for somebody. Asked where a
 * member is read without `?.`, neither here nor on the way here (`session?.user.id` is undefined then).
 */
export function provesPresence(it: Interpreter, owner: Expr, of: Val, at: Place): void {
  if (isSomebody(of) && !isOptional(owner)) it.require(of, at)
}

function isSomebody(of: Val): boolean {
  if (of.v === 'any') return of.alts.some((a) => isNullish(a.value)) && of.alts.every((a) => isNullish(a.value) || isSomebody(a.value))
  // a sealed session is there for everybody, and may hold nothing
  if (of.v === 'caller' && of.field === undefined && of.how.startsWith('iron-session')) return false
  // what a framework's request is expected to carry (`req.user`) was put there by something that was not followed
  return (
    of.v === 'caller' &&
    of.step !== undefined &&
    (of.trust === 'verified' || of.trust === 'unverified') &&
    (of.field === undefined || SESSION_OR_USER.test(of.field))
  )
}

function isOptional(e: Expr): boolean {
  for (let at = e; ; ) {
    if (at.k !== 'mem' && at.k !== 'idx' && at.k !== 'call') return false
    if (at.opt) return true
    at = at.k === 'call' ? at.fn : at.of
  }
}
