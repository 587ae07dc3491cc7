/** The check that stands in a handler behind work that it does for everybody. */
import type { AccessMatrix } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { isAlike } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Condition, Effect, Step, Value } from '../../behaviour/types.ts'
import { guardOfStep } from './guard.ts'
import type { Guard } from './guard-model.ts'

const openFunctions = rememberFor(({ holes = [] }: AccessMatrix): ReadonlySet<string> => {
  const open = holes.filter((h) => h.kind === 'function-write' && h.who === 'anon')
  return new Set(open.map((h) => lastPart(h.object.split('(', 1)[0] ?? '')))
})

/** What a database function does for everybody it refuses nobody: that it came to its end says nothing of who calls. */
export const asksOpenFunction = ({ how }: Guard, access: AccessMatrix): boolean => how.startsWith('rpc ') && openFunctions(access).has(how.slice('rpc '.length))

/** Nobody gets further who did not come with a session; one that the handler itself makes is no such check, and one that may be there neither. */
export const requiresSession = ({ who, trust, how, refusal }: Guard): boolean =>
  (who === 'user' || who === 'admin') &&
  trust === 'verified' &&
  refusal.how !== undefined &&
  refusal.how !== 'next' &&
  !/signIn|signUp|sign_?up|verifyOtp|exchangeCode|createUser|createSession/i.test(how)

/** `return { error: 'Not signed in' }`: what an action says instead of an answer. */
function saysNo(body: Value | undefined): boolean {
  return body?.v === 'object' && !body.rest && body.props.error !== undefined && !(body.props.error.v === 'const' && !body.props.error.value)
}

/** Two sides of one test; what is left of it where ways have met again is a disjunction of both. */
function isOtherSide(a: Condition, b: Condition): boolean {
  const isEither = ({ test }: Condition) => test.v === 'op' && test.op === '||'
  return a.at.line === b.at.line && a.at.path === b.at.path && a.negated !== b.negated && isEither(a) === isEither(b)
}

/** Whether what holds here rules a condition out: `if (body.object && body.entry) return …`, and what is done for whoever does not send both. */
const excludes = ({ test, negated }: Condition, here: readonly Condition[]): boolean => truthGiven(test, here, 0) === negated

/** Whether a test holds where others do; undefined where they do not say. */
function truthGiven(test: Value, here: readonly Condition[], depth: number): boolean | undefined {
  const known = here.find((d) => isSameTest(d.test, test, 0))
  if (known) return !known.negated
  if (test.v !== 'op' || depth > 6) return undefined
  const parts = () => test.of.map((x) => truthGiven(x, here, depth + 1))
  if (test.op === '!') {
    const [of] = parts()
    return of === undefined ? undefined : !of
  }
  if (test.op !== '&&' && test.op !== '||') return undefined
  const all = parts()
  const decides = test.op === '||'
  if (all.includes(decides)) return decides
  return all.every((t) => t === !decides) ? !decides : undefined
}

const isSameTest = (a: Value, b: Value, depth: number): boolean =>
  a === b ||
  (a.v === 'op' && b.v === 'op'
    ? a.op === b.op && a.of.length === b.of.length && depth < 6 && a.of.every((x, i) => isSameTest(x, b.of[i] as Value, depth + 1))
    : isAlike(a, b))

/** An answer that tells of success. */
const isSuccess = (e: Effect): boolean => e.kind === 'respond' && e.status !== undefined && e.status < 300 && e.how !== 'next' && !saysNo(e.body)

/** The first check that what comes after a step stands behind, on a way that goes on from there. */
export function laterGuard(behaviour: Behaviour, index: number, access: AccessMatrix): Guard | undefined {
  const { steps } = behaviour
  const here = steps[index]?.under ?? []
  const held = new Set(here)
  let told: boolean | undefined
  for (let i = index + 1; i < steps.length; i++) {
    const s = steps[i] as Step
    if (s.effect.kind === 'log' || s.effect.kind === 'throw') continue
    // A refusal is no work: what stands before it is the other side of a check.
    if (s.effect.kind === 'respond' && ((s.effect.status ?? 200) >= 300 || s.effect.how === 'redirect' || s.effect.how === 'not-found')) continue
    if (s.effect.kind === 'respond' && saysNo(s.effect.body)) continue
    // the other side of a test is no way on from here
    if (s.under.some((c) => !held.has(c) && here.some((d) => isOtherSide(c, d)))) continue
    const g = guardOfStep(s, behaviour)
    // that a row is found by what only few know says nothing of what is done where it is not
    if (!g || g.trust === 'claimed' || g.who === 'token' || asksOpenFunction(g, access)) continue
    // a helper that asks who calls for its own sake (an entry in a trail) and only comes back stops nobody: the handler answers all the same
    if (g.refusal.how === 'return') {
      told ??= steps.some((x, k) => k > index && isSuccess(x.effect) && !guardOfStep(x, behaviour))
      if (told) continue
    }
    // comparing whole tests is dear: asked last, and of none that the steps share
    if (s.under.some((c) => !held.has(c) && excludes(c, here))) continue
    // `!token || !isForm(token)` held here, and both of them came along there
    if (!here.some((d) => d.test.v === 'op' && !s.under.includes(d) && excludes(d, s.under))) return g
  }
  return undefined
}
