import { ANSWERED, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Value } from '../../../model/behaviour/types.ts'

/**
 * The way around a check on which its look-up failed, the request was answered with an error and the handler goes on. What is read there reaches nobody, and a change that asks for
 * the same as the look-up fails as well: whoever makes the one fail (with an id that is none) makes the other fail.
 */
export function answeredInVain(way: Value, truthy: boolean, about: Query, path: readonly Condition[], behaviour: Behaviour): boolean {
  if (way.v !== 'op' || way.op !== ANSWERED || !truthy) return false
  if (about.op === 'select') return true
  const used = [...about.filters.map((f) => f.value), ...(about.payload ? [about.payload] : []), ...path.flatMap((c) => askedBefore(c, behaviour))]
  return way.of.every((sent) => used.some((value) => mentions(value, (x) => isSameRequest(x, sent))))
}

/** What queries asked whose outcome a condition rests on: the step is reached only where they did not fail. */
function askedBefore({ test }: Condition, { steps }: Behaviour): readonly Value[] {
  const asked: Value[] = []
  if (test.v === 'op' && test.op === '||') return asked
  mentions(test, (x) => {
    const effect = x.v === 'row' ? steps[x.step]?.effect : undefined
    if (effect?.kind === 'db') asked.push(...effect.filters.map((f) => f.value))
    return false
  })
  return asked
}

/** The same value of the request: what was not understood is none. */
const isSameRequest = (a: Value, b: Value): boolean => a.v === 'request' && b.v === 'request' && a.part === b.part && a.name === b.name && a.name !== undefined
