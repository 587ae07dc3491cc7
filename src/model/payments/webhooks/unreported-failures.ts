import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Condition, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains } from '../conditions.ts'
import { isEventId } from './event-claim.ts'
import { floatingCalls, isPromised } from './floating-calls.ts'
import { isAccepted } from './lost-events.ts'
import { entryPlace } from './verification.ts'

/** Where work is done whose failure nobody hears of, and why. */
export interface Unheard extends Place {
  readonly because: string
}

type Code = (path: string) => JavaScriptFacts | undefined

/** Work that the answer of success does not wait for, or whose failure is logged where it happens: the processor takes the event for delivered. */
export function unheardFailures(route: Route, steps: readonly Step[], code: Code): readonly Unheard[] {
  // an event that is stored first can be worked off again
  const stored = steps.findIndex((s) => isStored(s))
  return steps.flatMap((s, i): Unheard[] => {
    if (!isWork(s) || !isAccepted(s, steps) || (stored >= 0 && stored <= i)) return []
    const floating = floatingAt(s, code)
    if (floating && !steps.some(isQueued))
      return [{ ...placeIn(route, floating, s), because: 'nobody waits for the work, which may still fail when the answer is on its way' }]
    if (answeredBefore(s, i, route, steps)) return [{ ...entryPlace(s, route), because: 'the answer is sent before the work is done' }]
    const logged = loggedAway(s, i, steps)
    return logged ? [{ ...entryPlace(s, route), because: `${logged.at.path}:${logged.at.line} logs what went wrong and goes on as if nothing had` }] : []
  })
}

const isWork = ({ effect: e, before, everywhere }: Step): boolean =>
  !before && !everywhere && e.kind === 'db' && e.op !== 'select' && !/log|audit|(^|_)events?$|webhook|notification|session|cache/i.test(e.table)

const isQueued = ({ effect: e }: Step): boolean => e.kind === 'enqueue' || e.kind === 'kv'

/** The whole event, or its id, in a row. */
function isStored({ effect: e }: Step): boolean {
  if (e.kind === 'enqueue') return true
  if (e.kind !== 'db' || (e.op !== 'insert' && e.op !== 'upsert') || !e.payload) return false
  return contains(e.payload, (v) => isEventId(v) || (v.v === 'event' && v.field === undefined))
}

/** The call on the way to a step that nobody waits for. */
function floatingAt(step: Step, codeOf: Code): Place | undefined {
  return step.via.find((call, i) => {
    const js = codeOf(call.path)
    const how = js && floatingCalls(js).get(call.line)
    if (!how) return false
    const inside = step.via[i + 1] ?? step.at
    const code = codeOf(inside.path)
    return how === 'scheduled' || (code !== undefined && isPromised(code, inside.line))
  })
}

const placeIn = (route: Route, call: Place, step: Step): Place => (call.path === route.path ? { path: call.path, line: call.line } : entryPlace(step, route))

/** `res.sendStatus(200)` on the way to the work. */
function answeredBefore(step: Step, index: number, route: Route, steps: readonly Step[]): boolean {
  return steps.some(
    ({ effect: e, at, under, before }, i) =>
      i < index &&
      !before &&
      e.kind === 'respond' &&
      at.path === route.path &&
      (e.how === 'json' || e.how === 'other') &&
      (e.status ?? 200) < 300 &&
      under.every((c) => step.under.includes(c)),
  )
}

/** The log that a failure of the step ends in, in the function that does the work: no exception and no answer tells of it. */
function loggedAway(step: Step, index: number, steps: readonly Step[]): Step | undefined {
  return steps.find((log, i) => {
    const caught = log.effect.kind === 'log' && i > index && isBeside(log, step) ? log.under.find(isCaught) : undefined
    if (!caught || !log.under.every((c) => c === caught || step.under.includes(c))) return false
    return !steps.some((s) => s !== log && tellsOf(s, caught))
  })
}

/** An exception was caught, whichever it was. */
const isCaught = (c: Condition): boolean => !c.negated && c.test.v === 'error' && c.test.of === -1

/** Written in the function in which the step is, or in one from which the step was called; not in the handler itself. */
const isBeside = (log: Step, step: Step): boolean =>
  log.via.length > 1 && log.via.length <= step.via.length && log.via.every((p, i) => p.path === step.via[i]?.path && p.line === step.via[i]?.line)

/** What is done because of an exception, beside logging it; or because of what a function gave back after one. */
function tellsOf(step: Step, caught: Condition): boolean {
  const { effect: e, under } = step
  if (e.kind === 'log') return false
  const gaveBack = (v: Value): boolean => v.v === 'any' && (v.under ?? []).some((branch) => branch.some(isCaught))
  if (under.some((c) => isCaught(c) && (c.test === caught.test || (c.at.path === caught.at.path && c.at.line === caught.at.line)))) return true
  return isRefusal(step) && under.some((c) => contains(c.test, gaveBack))
}

const isRefusal = ({ effect: e }: Step): boolean => e.kind === 'throw' || (e.kind === 'respond' && (e.status ?? 200) >= 400)
