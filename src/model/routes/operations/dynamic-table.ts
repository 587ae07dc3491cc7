import { mentions, requestName } from '../../behaviour/identity/caller-values.ts'
import type { Condition, Step, Value } from '../../behaviour/types.ts'

/**
 * What of the request names the table of a query that no policy limits (`admin.from(body.table)`). Undefined where the code lists which tables may be
 * named, or takes the name from a list.
 */
export function anyTable({ effect: e, under }: Step): string | undefined {
  if (e.kind !== 'db' || e.table !== '' || e.client.rights !== 'service') return undefined
  return namedFreely(e.tableBy, under)
}

/** The same of a function of the database that the request names (`admin.rpc(params.function)`). */
export function anyFunction({ effect: e, under }: Step): string | undefined {
  if (e.kind !== 'rpc' || e.function !== '' || e.client.rights !== 'service') return undefined
  return namedFreely(e.functionBy, under)
}

function namedFreely(by: Value | undefined, under: readonly Condition[]): string | undefined {
  const sent = by && asSent(by)
  if (sent?.v !== 'request' || sent.as === 'enum') return undefined
  const name = requestName(sent)
  const named = (x: Value) => x.v === 'request' && requestName(x) === name
  return under.some((c) => limits(c, named)) ? undefined : name
}

/** However it is spelt: `String(table).trim()`, `table || 'posts'`. */
function asSent(v: Value, depth = 0): Value | undefined {
  if (depth > 4) return undefined
  if (v.v === 'call' && /(?:^|\.)(?:String|toString|trim|toLowerCase)$/.test(v.name)) return v.args[0] && asSent(v.args[0], depth + 1)
  if (v.v === 'text' && v.parts.length === 1) return v.parts[0] && asSent(v.parts[0], depth + 1)
  if (v.v === 'any') return v.of.find((x) => asSent(x, depth + 1)?.v === 'request')
  return v
}

/** It asks which one is named: looks it up in a list, or goes on for one name alone. */
function limits({ test, negated }: Condition, named: (x: Value) => boolean): boolean {
  if (test.v !== 'op' && test.v !== 'call' && test.v !== 'any') return false
  return mentions(test, named) && !isPresence(test) && !isForm(test) && !(isOfOne(test) && (test.v === 'op' && test.op.startsWith('!')) !== negated)
}

/** `!table`, `!table || !id`: only that something was sent. */
const isPresence = (test: Value): boolean =>
  test.v === 'request' || (test.v === 'op' && (test.op === '!' || test.op === '||' || test.op === '&&') && test.of.every(isPresence))

/** `/^[a-z_]+$/.test(table)`, `typeof table === 'string'`: what the name looks like, and not which it is. */
const isForm = (test: Value): boolean =>
  (test.v === 'op' && test.op === 'matches' && test.of.some((x) => x.v === 'call' && /(?:\\w|\[[^\]]{1,100}\])[+*{]/.test(x.name))) ||
  (test.v === 'op' && test.of.some((x) => x.v === 'call' && x.name === 'typeof')) ||
  (test.v === 'op' && test.op === 'typeof') ||
  (test.v === 'op' && (test.op === '!' || test.op === '||' || test.op === '&&') && test.of.every((x) => isForm(x) || isPresence(x)))

/** `table === 'users'`: where it does not hold, every other name passes. */
const isOfOne = (test: Value): boolean => test.v === 'op' && /^[!=]==?$/.test(test.op) && test.of.some((x) => x.v === 'const')
