import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { Behaviour, Condition, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains, namesIn, provesSignature } from '../conditions.ts'
import type { Repeats } from '../payments.ts'
import { asksAboutPayment } from '../questions.ts'
import { type Claim, isEffect, isEventId } from './event-claim.ts'
import { describe, entryPlace } from './verification.ts'

/** The record stands before the work and stays when the work fails: the delivery that the handler then asks for finds it, and is skipped. */
export function recordedTooEarly(
  route: Route,
  steps: readonly Step[],
  claim: Claim,
  transactional: (path: string) => boolean,
): Pick<Repeats, 'recordedTooEarly'> {
  const { insert, look } = claim
  const record = insert === undefined ? undefined : steps[insert]
  if (!record || insert === undefined || !claim.ends) return {}
  const after = steps.slice(insert + 1)
  const work = after.find((s) => isEffect(s) && !(s.effect.kind === 'db' && s.effect.table === claim.table))
  // Taken back, or only half a record: what the look-up asks for is written when the work is done.
  const takenBack = after.some((s) => s.effect.kind === 'db' && s.effect.table === claim.table && s.effect.op === 'delete')
  const lookUp = steps[look]?.effect
  const asksState =
    (lookUp?.kind === 'db' && look !== insert && lookUp.filters.some((f) => !contains(f.value, isEventId))) ||
    steps.some((s) => s.under.some((c) => contains(c.test, (v) => v.v === 'row' && v.table === claim.table && v.field !== undefined)))
  const asksAgain = after.some(
    (s) =>
      ((s.effect.kind === 'respond' && (s.effect.status ?? 200) >= 500) || (s.effect.kind === 'throw' && !s.effect.caught)) &&
      s.under.some((c) => isOther(failedWork(c, steps), insert, look)),
  )
  if (!work || !asksAgain || takenBack || asksState || [record.at.path, work.at.path, route.path].some(transactional)) return {}
  return { recordedTooEarly: { ...entryPlace(record, route), work: describe(work) } }
}

/** What is done for whoever is signed in is not done for the processor, which has no session. */
export const isOfSession = (step: Step, steps: readonly Step[]): boolean =>
  step.under.some((c) => isSignedIn(c.test, !c.negated)) && !refusesDeliveries(step, steps)

/** Where a check of the session stands before the endpoint itself: no delivery gets past it, and the handler was written for them all the same. */
export function turnedAway(steps: readonly Step[]): Pick<Repeats, 'turnedAway'> {
  const refused = steps.find((s) => isEffect(s) && refusesDeliveries(s, steps))
  const check = refused?.under.find((c) => c.otherwise.ends && isSignedIn(c.test, !c.negated))
  return check ? { turnedAway: check.at } : {}
}

/** The handler acts on a signed event, and whoever is not signed in was sent away before. */
const refusesDeliveries = (step: Step, steps: readonly Step[]): boolean =>
  !step.before && !step.everywhere && provesSignature(step.under, steps).proved && step.under.every((c) => !isSignedIn(c.test, !c.negated) || c.otherwise.ends)

/** True where somebody is signed in, as middleware before all routes asks. */
function isSignedIn(test: Value, holds: boolean): boolean {
  if (test.v === 'caller') return holds
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && isSignedIn(test.of[0], !holds)
  return test.op === (holds ? '&&' : '||') && test.of.some((o) => isSignedIn(o, holds))
}

/** Writes through the platform's client, which reports a failure instead of throwing, where nothing looks at the report. */
export const unreadErrors = rememberFor((steps: readonly Step[]): readonly Step[] =>
  steps.filter(
    (s, i) =>
      s.effect.kind === 'db' &&
      s.effect.op !== 'select' &&
      s.effect.client.library === 'supabase' &&
      !s.effect.throws &&
      !steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'error' && v.of === i) || (v.v === 'row' && v.step === i)))),
  ),
)

/** Answers of success on the way of an error after the event was accepted. */
export function acknowledgements(route: Route, { steps }: Behaviour, claim: Claim | undefined): Repeats['acknowledgesFailure'] {
  return steps
    .filter(
      (s) =>
        // Elsewhere than in the handler's file an answer is made by a helper, whose status is seldom certain.
        s.at.path === route.path &&
        s.effect.kind === 'respond' &&
        (s.effect.status ?? 200) >= 200 &&
        (s.effect.status ?? 200) < 300 &&
        s.effect.how !== 'next' &&
        s.effect.how !== 'redirect',
    )
    .filter(
      (s) =>
        s.under.some((c) => isOther(failedWork(c, steps), claim?.insert, claim?.look)) &&
        !s.under.some((c) => saysAlreadyThere(c.test, !c.negated)) &&
        (provesSignature(s.under, steps).proved || s.under.some((c) => namesIn(c.test).size > 0)),
    )
    .map((s) => entryPlace(s, route))
}

/** What databases and their libraries call a row that is there already. */
const DUPLICATE = new Set<unknown>(['23505', 'P2002', 'ER_DUP_ENTRY', 11000])
const DUPLICATE_WORDS = /duplicate|unique|already/i

/** The failure is that the row was there: what this delivery asks for was done by an earlier one. */
function saysAlreadyThere(test: Value, holds: boolean, depth = 0): boolean {
  if (test.v !== 'op' || depth > 10) return false
  const next = (x: Value) => saysAlreadyThere(x, holds, depth + 1)
  if (test.op === '!') return test.of[0] !== undefined && saysAlreadyThere(test.of[0], !holds, depth + 1)
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === holds ? test.of.some(next) : test.of.length > 0 && test.of.every(next)
  if (!test.of.some((x) => contains(x, (v) => v.v === 'error'))) return false
  if (/^[!=]==?$/.test(test.op)) return test.op.startsWith('!') !== holds && test.of.some((x) => x.v === 'const' && DUPLICATE.has(x.value))
  return holds && test.of.some((x) => (x.v === 'const' && DUPLICATE_WORDS.test(String(x.value))) || (x.v === 'call' && DUPLICATE_WORDS.test(x.name)))
}

/** The event was taken for a real one: its signature holds, its kind was looked at, or the processor has answered about it. */
export const isAccepted = ({ under }: Step, steps: readonly Step[]): boolean =>
  provesSignature(under, steps).proved ||
  under.some((c) => namesIn(c.test).size > 0 || contains(c.test, (v) => v.v === 'result' && asksAboutPayment(steps[v.step]?.effect)))

/** Failed writes that are logged, after which the handler goes on to an answer of success: nothing throws, nothing answers otherwise. */
export const onlyLogged = (route: Route, steps: readonly Step[], claim: Claim | undefined): readonly Place[] => onlyLoggedIn(steps, route.path, claim?.insert)

const onlyLoggedIn = rememberFor((steps: readonly Step[], path: string, insert: number | undefined): readonly Place[] =>
  steps.flatMap((s, i): Place[] => {
    const e = s.effect
    if (e.kind !== 'db' || e.op === 'select' || i === insert || /log|audit|(^|_)events?$|webhook|notification/i.test(e.table)) return []
    const failed = (x: Step) => x.under.some((c) => !c.negated && c.test.v === 'error' && c.test.of === i)
    const logged = steps.find((x) => x.effect.kind === 'log' && failed(x))
    if (!logged || !isAccepted(s, steps)) return []
    const told = steps.some((x) => answersOtherwise(x, i))
    return told ? [] : [loggedAt(logged, s, path)]
  }),
)

/** Where a failed write is logged, seen from the code that writes: the call of a helper that does nothing but log. */
function loggedAt(logged: Step, write: Step, path: string): Place {
  const call = logged.via[write.via.length]
  return call?.path === path ? { path, line: call.line } : entryPlace(logged, { path })
}

/** The step shows that a failure of step `of` ends in an exception or in an answer that asks for another delivery. */
function answersOtherwise(step: Step, of: number): boolean {
  const ends = step.effect.kind === 'throw' || (step.effect.kind === 'respond' && (step.effect.status ?? 500) >= 400)
  return step.under.some((c) => {
    if (ends && (dependsOn(c.test, of) || c.test.v === 'unknown')) return true
    const { thrown, how, status } = c.otherwise
    return c.negated && c.test.v === 'error' && c.test.of === of && (thrown === true || (status ?? 0) >= 400 || (how === 'respond' && status === undefined))
  })
}

/** A test of whether step `of` failed, also through what a helper gave back in that case. */
function dependsOn(test: Value, of: number): boolean {
  return contains(
    test,
    (v) =>
      (v.v === 'error' && v.of === of) ||
      (v.v === 'any' && (v.under?.some((branch) => branch.some((c) => contains(c.test, (x) => x.v === 'error' && x.of === of))) ?? false)),
  )
}

/** A write that fails, and not the one that records the event. */
const isOther = (failed: number | undefined, insert: number | undefined, look: number | undefined): boolean =>
  failed !== undefined && failed !== insert && failed !== look

/** The write whose failure a condition asks for, -1 for any exception; `if (error || !rows)` asks by what came back as well. */
function failedWork({ test, negated }: Condition, steps: readonly Step[]): number | undefined {
  if (negated) return undefined
  const failed = test.v === 'op' && test.op === '||' ? test.of.find((x) => x.v === 'error') : test
  if (failed?.v !== 'error') return undefined
  if (failed !== test && !(test.v === 'op' && test.of.every((x) => x === failed || isMissing(x, failed.of)))) return undefined
  const e = steps[failed.of]?.effect
  return failed.of === -1 || e?.kind === 'rpc' || (e?.kind === 'db' && e.op !== 'select') ? failed.of : undefined
}

/** Whether a test asks that a query gave nothing: `!rows`, `!rows.length`. */
const isMissing = (test: Value, step: number): boolean =>
  test.v === 'op' && test.op === '!' && test.of.some((x) => contains(x, (v) => (v.v === 'row' || v.v === 'result') && v.step === step))
