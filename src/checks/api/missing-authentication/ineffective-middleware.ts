import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { isWithin, type Place } from '../../../lib/place.ts'
import type { Route } from '../../../model/routes/routes.ts'

/** A middleware that is called as if it refused strangers, and lets everybody past. */
export interface IdleMiddleware {
  readonly name: string
  readonly at: Place
}

/** What is put in front of handlers to keep strangers out. */
const MEANT =
  /^(?:(?:is|require|requires|ensure|check|verify|validate|must_?be|need|needs|only)_?(?:\w{1,12}_?)?(?:auth\w*|logged_?in|signed_?in|log_?in|user|session|token|jwt|admin|role)|auth(?:enticate|enticated|_?required|_?guard|_?middleware|orize)?|(?:login|user|admin)_?required|protect\w{0,12}|guard|(?:auth(?:ed|enticated|orized)?|private|user|admin|logged_?in|member)_?proc(?:edure)?)$/i
/** What only looks who it may be. */
const OPTIONAL = /optional|maybe|try|attach|load|populate|current|deserialize|extract|soft|public|if_?any/i

/** The middleware in front of an open handler that was meant to be its guard. */
export function idleMiddleware(route: Route, all: readonly Route[]): IdleMiddleware | undefined {
  const refusing = refusingPlaces(all)
  for (const { name, written, what } of route.before) {
    const called = name?.slice(name.lastIndexOf('.') + 1)
    if (what !== 'middleware' || !written || !called || !MEANT.test(called) || OPTIONAL.test(called)) continue
    if (!refusing.some((at) => isWithin(at, written))) return { name: called, at: written }
  }
  return undefined
}

/** Where guards of the application decide: what refuses somebody does its work, whatever it lets past. */
const refusingPlaces = rememberFor((all: readonly Route[]): readonly Place[] => all.flatMap(({ guard }) => (guard ? [guard.at] : [])))
