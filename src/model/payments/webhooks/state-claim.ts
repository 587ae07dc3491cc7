import type { Step, Value } from '../../behaviour/types.ts'
import { contains } from '../conditions.ts'

/**
 * Whether a step is reached only by the delivery that moved a row out of its old state: `update({ status: 'paid' }).eq('status', 'pending')`
 * finds no row the second time, and what depends on the row it gives back is not done again. The database decides, so two deliveries at
 * the same time are kept apart too.
 */
export function isBehindTransition(step: Step, steps: readonly Step[]): boolean {
  return step.under.some((c) => rowsFound(c.test, c.negated).some((index) => index < steps.length && isTransition(steps[index] as Step)))
}

/** An update of rows in one state that sets another. */
export function isTransition({ effect: e }: Step): boolean {
  if (e.kind !== 'db' || e.op !== 'update' || e.unread || e.payload?.v !== 'object') return false
  const { props } = e.payload
  return e.filters.some((f) => {
    const next = props[f.column]
    return f.op === 'eq' && f.value.v === 'const' && next?.v === 'const' && next.value !== f.value.value
  })
}

/** Queries that gave a row where the condition holds: `if (rows[0])`, `if (rows.length > 0)`, what follows `if (!row) return`. */
function rowsFound(test: Value, negated: boolean): number[] {
  if (test.v === 'row') return negated || (test.field !== undefined && !/(^|\.)(id|uuid|length|count|rowCount)$/.test(test.field)) ? [] : [test.step]
  if (test.v !== 'op') return []
  const [a, b] = test.of
  if (test.op === '!') return a ? rowsFound(a, !negated) : []
  if (test.op === (negated ? '||' : '&&')) return test.of.flatMap((o) => rowsFound(o, negated))
  const none = b?.v === 'const' && (b.value === 0 || b.value === null || b.value === undefined)
  if (!a || !none || !contains(a, (x) => x.v === 'row')) return []
  const some = /^={2,3}$/.test(test.op) ? negated : /^(!==?|>)$/.test(test.op) && !negated
  return some ? rowsFound(a, false) : []
}
