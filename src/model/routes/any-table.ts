import type { Condition, Step, Value } from '../behaviour/behaviour.ts'
import { mentions, requestName } from '../behaviour/values.ts'

/**
 * What of the request names the table of a query that no policy limits (`admin.from(body.table)`). Undefined where the code lists which tables may be
 * named, or takes the name from a list.
 */
export function anyTable({ effect: e, under }: Step): string | undefined {
  if (e.kind !== 'db' || e.table !== '' || e.client.rights !== 'service' || e.tableBy?.v !== 'request' || e.tableBy.as === 'enum') return undefined
  const name = requestName(e.tableBy)
  const named = (x: Value) => x.v === 'request' && requestName(x) === name
  const limits = ({ test }: Condition) => (test.v === 'op' || test.v === 'call' || test.v === 'any') && mentions(test, named) && !isPresence(test)
  return under.some(limits) ? undefined : name
}

/** `!table`, `!table || !id`: only that something was sent. */
const isPresence = (test: Value): boolean =>
  test.v === 'request' || (test.v === 'op' && (test.op === '!' || test.op === '||' || test.op === '&&') && test.of.every(isPresence))
