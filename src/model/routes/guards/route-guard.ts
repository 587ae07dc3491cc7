import type { Behaviour, Condition } from '../../behaviour/types.ts'
import type { Work } from '../operations/operation-model.ts'
import { SENTINEL_PATH } from '../request/entry-runner.ts'
import { type Imagined, imagineConditions } from '../request/partial-evaluation.ts'
import { inProduction, UNREACHABLE } from '../request/production-view.ts'
import { holdsOnlyWhileUnset, isPlatformSetting } from './environment-condition.ts'
import { guardOfConditions } from './guard.ts'
import type { Guard } from './guard-model.ts'

/** What it takes to get past everything before a page. */
export function gateGuard(behaviour: Behaviour | undefined, imagined: Imagined, framework: string): { guard?: Guard; reachable: boolean } | undefined {
  if (!behaviour) return undefined
  const through = inProduction(behaviour, framework).steps.filter((s) => s.at.path === SENTINEL_PATH && s.effect !== UNREACHABLE && s.effect.kind === 'log')
  // Everything before the page always answers by itself (a page that only redirects).
  if (!through.length) return behaviour.complete ? { reachable: false } : undefined
  let reachable = false
  let guard: Guard | undefined
  let open: string | undefined
  for (const s of through) {
    const under = imagineConditions(s.under, imagined)
    if (!under) continue
    const g = guardOfConditions(under, behaviour)
    if (!g) {
      const unset = wayWhileUnset(under)
      if (!unset) return { reachable: true }
      // nothing of a platform that is not set up stands open
      if (!isPlatformSetting(unset)) open ??= unset
      continue
    }
    guard = !reachable || weaker(g, guard) ? g : guard
    reachable = true
  }
  if (!guard) return { reachable: true }
  if (!open || guard.opensWithout) return { guard, reachable }
  // a gate before the whole site, with a password that all who know it share, is switched on for as long as it is wanted
  return guard.trust === 'verified' && guard.who !== 'secret' ? { guard: { ...guard, opensWithout: open, skipped: true }, reachable } : { reachable: true }
}

/** The variable without which alone a way past everything is there. */
const wayWhileUnset = (under: readonly Condition[]): string | undefined =>
  under.map((c) => holdsOnlyWhileUnset(c.test, !c.negated)).find((name) => name !== undefined)

function weaker(a: Guard, b: Guard | undefined): boolean {
  const rank = { verified: 3, editable: 2, unverified: 1, claimed: 0 }
  return !b || Boolean(a.opensWithout) || rank[a.trust] < rank[b.trust]
}

/** The guard that all work of a handler has; undefined when some of it has none. */
function weakestGuard(work: readonly Work[]): Guard | undefined {
  let guard: Guard | undefined
  for (const w of work) {
    if (!w.guard) return undefined
    if (weaker(w.guard, guard)) guard = w.guard
  }
  return guard
}

/** The guard of a handler; questions that come before a role is tested are part of the test, where nothing else is done without the role. */
export function handlerGuard(all: readonly Work[], behaviour: Behaviour | undefined): Guard | undefined {
  const work = all.filter((w) => !w.hidden)
  const tested = work.findIndex((w) => w.guard?.who === 'admin')
  const asked = work.slice(0, Math.max(tested, 0))
  const partOfTest = asked.every((w) => w.guard?.who === 'user' && (w.kind === 'read' || w.kind === 'rpc'))
  if (tested >= 0 && partOfTest && work.slice(tested).every((w) => w.guard?.who === 'admin')) return work[tested]?.guard
  // what middleware looks up for those who bring a token is no check of those who bring none
  if (work.length && work.every((w) => w.inFront) && answersStrangers(behaviour)) return undefined
  return weakestGuard(work) ?? (behaviour ? doorGuard(behaviour) : undefined)
}

/** Whether an answer with content is given on a way on which nobody was asked who calls. */
const answersStrangers = (behaviour: Behaviour | undefined): boolean =>
  behaviour?.steps.some(
    (s) =>
      !s.before &&
      s.effect.kind === 'respond' &&
      (s.effect.status ?? 200) < 300 &&
      s.effect.how !== 'redirect' &&
      s.effect.body !== undefined &&
      !guardOfConditions(s.under, behaviour),
  ) ?? false

/** For handlers without work of interest: the guard of every answer with content, or of all that the handler does when it only redirects. */
function doorGuard(behaviour: Behaviour): Guard | undefined {
  const content = behaviour.steps.filter((s) => s.effect.kind === 'respond' && (s.effect.status ?? 200) < 400 && s.effect.how !== 'redirect')
  const answers = content.length ? content : behaviour.steps.filter((s) => !s.before && s.effect.kind !== 'log')
  let guard: Guard | undefined
  for (const s of answers) {
    const g = guardOfConditions(s.under, behaviour)
    if (!g) return undefined
    guard ??= g
  }
  return guard
}
