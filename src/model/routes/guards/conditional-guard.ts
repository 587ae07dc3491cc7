import type { Place } from '../../../lib/place.ts'
import type { Behaviour, Step } from '../../behaviour/types.ts'
import { holdsOnlyIfSet, holdsOnlyWhileUnset, isPlatformSetting, isUnconfiguredAtHome } from './environment-condition.ts'
import { guardOfStep } from './guard.ts'
import type { Guard } from './guard-model.ts'

/**
 * The guard that a step has on another way to it, where the way without one is taken only while a variable is unset:
 * `if (!admin) return next()` in front of a middleware that asks who calls. Undefined when there is no such other way.
 */
export function guardWithWayPast(step: Step, behaviour: Behaviour): Guard | undefined {
  const way = step.under.flatMap((c) => {
    const name = holdsOnlyWhileUnset(c.test, !c.negated)
    return name === undefined ? [] : [{ name, at: c.at }]
  })[0]
  if (!way) return undefined
  for (const other of behaviour.steps) {
    if (other === step || !isSameCode(other, step) || !other.under.some((c) => holdsOnlyIfSet(c.test, !c.negated, way.name))) continue
    const guard = guardOfStep(other, behaviour)
    if (guard?.trust !== 'verified') continue
    // production refuses it: that is somebody's own machine
    if (isUnconfiguredAtHome(step.under.map((c) => ({ test: c.test, truthy: !c.negated }))) || isPlatformSetting(way.name)) return guard
    return { ...guard, at: parting(step, other) ?? way.at, opensWithout: way.name, skipped: true }
  }
  return undefined
}

const isSameCode = (a: Step, b: Step): boolean => a.at.path === b.at.path && a.at.line === b.at.line && a.effect.kind === b.effect.kind

/** Where the first of two ways to the same code goes on by itself: the `next()` that nobody had to pass a check for. */
const parting = (a: Step, b: Step): Place | undefined => a.via.find((at, i) => at.path !== b.via[i]?.path || at.line !== b.via[i]?.line)
