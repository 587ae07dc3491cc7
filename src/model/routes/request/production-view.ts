import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour, Step } from '../../behaviour/types.ts'
import { isOutsideProduction, testOnly } from '../guards/environment-condition.ts'

/**
 * What is left of a behaviour where no variable says that the process runs as a test or for development. Check 25 names such switches; what
 * they let pass is nothing that anybody on the internet could have done. Steps keep their numbers, by which values refer to them.
 */
export const inProduction: (behaviour: Behaviour, framework: string) => Behaviour = rememberFor((behaviour: Behaviour, framework: string) => {
  const off = (s: Step) => isSwitchedOn(s, SETS_NODE_ENV.has(framework))
  if (!behaviour.steps.some(off)) return behaviour
  return { ...behaviour, steps: behaviour.steps.map((s): Step => (off(s) ? { ...s, under: [], effect: UNREACHABLE } : s)) }
})

/** Frameworks whose own build and start command set `NODE_ENV` to production: what is not production there is somebody's own machine. */
const SETS_NODE_ENV: ReadonlySet<string> = new Set(['Next.js'])

/** A step that does nothing and stays for its number. */
export const UNREACHABLE: Step['effect'] = { kind: 'log', name: 'unreachable', args: [] }

const isSwitchedOn = (step: Step, sets: boolean): boolean =>
  step.under.some((c) => testOnly(c.test, !c.negated) || (sets && isOutsideProduction(c.test, !c.negated)))
