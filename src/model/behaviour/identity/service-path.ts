import { holdsOnlyIfSet, serverSecret, testOnly } from '../../routes/guards/environment-condition.ts'
import { mentions } from '../domain/contains.ts'
import type { Condition, Value } from '../types.ts'

/**
 * Whether only another service of the owner, or somebody's own machine, takes the way under these conditions: the request brought a secret of the
 * server that is set (`x-internal-secret === process.env.SECRET`), or the process runs for development. Whom a service names it may act for.
 */
export function isServicesWay(under: readonly Condition[]): boolean {
  return under.some((c) => {
    if (testOnly(c.test, !c.negated)) return true
    const secret = comparedSecret(c.test, !c.negated, 0)
    return secret !== undefined && under.some((d) => holdsOnlyIfSet(d.test, !d.negated, secret))
  })
}

/** The variable that something of the request equals when `test` has this truth value. */
function comparedSecret(test: Value, truthy: boolean, depth: number): string | undefined {
  if (test.v !== 'op' || depth > 6) return undefined
  const next = (x: Value, t: boolean) => comparedSecret(x, t, depth + 1)
  if (test.op === '!') return test.of[0] && next(test.of[0], !truthy)
  if ((test.op === '&&' && truthy) || (test.op === '||' && !truthy)) return test.of.map((x) => next(x, truthy)).find((x) => x !== undefined)
  if (!/^[!=]==?$/.test(test.op) || test.op.startsWith('!') === truthy) return undefined
  const secret = test.of.map(serverSecret).find((s) => s && !s.fallback)
  return secret && test.of.some((x) => mentions(x, (y) => y.v === 'request')) ? secret.name : undefined
}
