import type { ObjectProp } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { plainRecord } from '../../../lib/plain-record.ts'
import type { Interpreter } from '../interpreter.ts'
import { evaluate, settle } from '../operations.ts'
import type { Scope } from './abstract-value.ts'
import { type Alt, type AnyVal, type Cond, object, type Val } from './abstract-value.ts'
import { member } from './members.ts'

/** `{ a, ...b }`. What is spread may be any of several objects, or what the request carries. */
export function objectLiteral(it: Interpreter, props: readonly ObjectProp[], scope: Scope, at: Place): Val {
  const out = plainRecord<Val>()
  let rest: Val | undefined
  for (const p of props) {
    if (p.how === 'set') continue
    const made = it.narrow(evaluate(it, p.value, scope))
    const value: Val = p.how === 'get' && made.v === 'fn' ? { ...made, getter: true } : made
    if (p.spread) {
      const of = settle(it, value, at)
      if (of.v === 'object') {
        replaceBySent(it, out, of.rest, at)
        Object.assign(out, of.props)
        rest = of.rest ?? rest
      } else if (of.v === 'any') {
        // `...(cond ? { a } : {})` and `...(cond && { a })`: the members that any alternative has
        const alts = leavesOf(of)
        const sent = alts.find((a) => a.value.v === 'object' && a.value.rest)?.value
        if (sent?.v === 'object') replaceBySent(it, out, sent.rest, at)
        for (const alt of alts) {
          if (alt.under.some(isOfDevelopment)) continue
          if (alt.value.v === 'object') {
            rest = alt.value.rest ?? rest
            for (const [n, x] of Object.entries(alt.value.props))
              out[n] = out[n]
                ? it.alternatives([
                    { value: x, under: alt.under },
                    { value: out[n] as Val, under: [] },
                  ])
                : x
          } else if (alt.value.v !== 'const') rest = alt.value
        }
      } else if (of.v !== 'const') {
        rest = of
        replaceBySent(it, out, of, at)
      }
    } else if (p.key !== undefined) out[p.key] = value
    else if (p.computed) {
      const key = settle(it, evaluate(it, p.computed, scope), at)
      if (key.v === 'const') out[String(key.value)] = value
      else rest = { v: 'call', name: 'computed', args: [key, value], at }
    }
  }
  return object(out, rest)
}

/** `NODE_ENV !== 'production' && { code }`: a member that answers on a developer's machine alone. */
function isOfDevelopment({ test, negated }: Cond): boolean {
  if (test.v !== 'op' || !/^[!=]==?$/.test(test.op) || !test.of.some((x) => x.v === 'env' && x.name === 'NODE_ENV')) return false
  const differs = test.op.startsWith('!') !== negated
  return test.of.some((x) => x.v === 'const' && typeof x.value === 'string' && (x.value === 'production') === differs)
}

/** `{ ownerId: user.id, ...body }`: what the body names takes the place of what stands before it. */
function replaceBySent(it: Interpreter, out: Record<string, Val>, sent: Val | undefined, at: Place): void {
  if (sent?.v !== 'request' || sent.as) return
  for (const [n, x] of Object.entries(out))
    out[n] = it.alternatives([
      { value: member(it, sent, n, at), under: [] },
      { value: x, under: [] },
    ])
}

/** The alternatives of a value that are no alternatives themselves, each with what has to hold for it. */
export const leavesOf = (of: AnyVal, under: readonly Cond[] = []): readonly Omit<Alt, 'i'>[] =>
  of.alts.flatMap((a) => (a.value.v === 'any' ? leavesOf(a.value, [...under, ...a.under]) : [{ value: a.value, under: [...under, ...a.under] }]))
