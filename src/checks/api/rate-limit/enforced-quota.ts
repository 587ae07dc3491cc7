import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'

const MAX_DEPTH = 8

/**
 * Whether whoever calls gets only so much of it, on every way to it: a limiter of a library was asked in the handler, which counts for all copies of
 * the server. A count in the memory of one copy, and a limit on all requests together, ration nothing.
 */
export function isRationed({ at }: Work, { behaviour }: Route): boolean {
  const step = behaviour?.steps.find((s) => s.at.path === at.path && s.at.line === at.line)
  return behaviour !== undefined && step?.under.some((c) => asksLimiter(c.test, !c.negated, behaviour, 0)) === true
}

function asksLimiter(test: Value, truthy: boolean, behaviour: Behaviour, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (test.v === 'result') {
    const asked = behaviour.steps[test.step]
    return asked?.effect.kind === 'limit' && !asked.everywhere && !/\.check$/.test(asked.effect.name)
  }
  if (test.v !== 'op') return false
  const part = (held: boolean) => (x: Value) => asksLimiter(x, held, behaviour, depth + 1)
  if (test.op === '!') return test.of.some(part(!truthy))
  if (test.op !== '&&' && test.op !== '||') return false
  return (test.op === '&&') === truthy ? test.of.some(part(truthy)) : test.of.every(part(truthy))
}
