import { lastPart } from '../../../../lib/last-part.ts'
import { mentions } from '../../../behaviour/domain/contains.ts'
import type { Step, Value } from '../../../behaviour/types.ts'
import type { Guard } from '../guard-model.ts'
import { isDigestFunction } from '../identity-words.ts'

/**
 * What a key proves whose row also holds the secret of a signature, where the signature is only looked at when one is sent: `if (signature) { … }`. The key
 * names who sends, in every page that uses it; the signature would have proved it.
 */
export function unlessSigned(guard: Guard | undefined, { under }: Step): Guard | undefined {
  if (guard?.who !== 'token' || guard.trust !== 'verified') return guard
  const [table = '', column = ''] = guard.how.split(/\.(?=[^.]*$)/)
  if (!/key$/i.test(column) || !under.some((c) => !c.negated && maySkip(c.test, table))) return guard
  return { ...guard, who: 'check', trust: 'claimed', unsigned: true }
}

/** `signature is right || !signature`, the secret of it in a row of the table. */
function maySkip(test: Value, table: string): boolean {
  if (test.v !== 'op' || test.op !== '||') return false
  const left = test.of.flatMap((x) => (x.v === 'op' && x.op === '!' && x.of[0]?.v === 'request' && x.of[0].part === 'header' ? [x.of[0].name] : []))
  return left.some((header) =>
    test.of.some((part) => mentions(part, (x) => x.v === 'request' && x.part === 'header' && x.name === header) && mentions(part, (x) => isSigned(x, table))),
  )
}

const isSigned = (x: Value, table: string): boolean =>
  x.v === 'call' &&
  isDigestFunction(x.name) &&
  x.args.some((a) => mentions(a, (y) => y.v === 'row' && lastPart(y.table) === lastPart(table) && /secret|signing/i.test(y.field ?? '')))
