import type { Behaviour, Step } from '../behaviour/behaviour.ts'
import { testOnly } from './environment-tests.ts'

/**
 * What is left of a behaviour where no variable says that the process runs as a test or for development. Check 25 names such switches; what
 * they let pass is nothing that anybody on the internet could have done. Steps keep their numbers, by which values refer to them.
 */
export function inProduction(behaviour: Behaviour): Behaviour {
  if (!behaviour.steps.some(isSwitchedOn)) return behaviour
  return { ...behaviour, steps: behaviour.steps.map((s): Step => (isSwitchedOn(s) ? { ...s, under: [], effect: UNREACHABLE } : s)) }
}

/** A step that does nothing and stays for its number. */
export const UNREACHABLE: Step['effect'] = { kind: 'log', name: 'unreachable', args: [] }

const isSwitchedOn = (step: Step): boolean => step.under.some((c) => testOnly(c.test, !c.negated))
