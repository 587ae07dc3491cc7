import { partsOf } from '../../../behaviour/domain/contains.ts'
import type { Behaviour, Effect, Step, Value } from '../../../behaviour/types.ts'
import type { Guard } from '../guard-model.ts'

/**
 * Whether what a step changes is named by something of the request beside what was shown to be known: that a payment, or a row found by its
 * secret, is there says nothing of the order whose id comes along in the same body.
 */
export function isBesideProof(step: Step, guard: Guard, behaviour: Behaviour): boolean {
  const e = step.effect
  if (guard.who !== 'token' || e.kind !== 'db' || (e.op !== 'update' && e.op !== 'delete') || e.client.rights !== 'service') return false
  const keys = e.filters.filter((f) => f.op === 'eq')
  const named = keys.flatMap(({ value: v }) => (v.v === 'request' && v.name && /^(?:body|form|params|query)$/.test(v.part) ? [v.name] : []))
  if (!named.length || named.length < keys.length) return false
  const known = new Set<string>()
  const seen = new Set<number>()
  let unknown = false
  const visit = (v: Value, depth: number): void => {
    if (v.v === 'unknown' || v.v === 'caller' || (v.v === 'request' && !v.name) || depth > 10) unknown = true
    else if (v.v === 'request') known.add(v.name ?? '')
    else if (v.v === 'row' || v.v === 'result' || v.v === 'error') {
      const index = v.v === 'error' ? v.of : v.step
      const found = behaviour.steps[index]
      if (!found) unknown = true
      else if (!seen.has(index)) {
        seen.add(index)
        for (const x of askedWith(found.effect)) visit(x, depth + 1)
      }
    } else for (const x of partsOf(v)) visit(x, depth + 1)
  }
  for (const { test } of step.under) for (const v of lookedAt(test)) visit(v, 0)
  return !unknown && known.size > 0 && named.every((n) => !known.has(n))
}

/** What a test says something of, beside whether a value of the request is there. */
function lookedAt(test: Value, depth = 0): readonly Value[] {
  if (test.v === 'request') return []
  return test.v === 'op' && /^(?:!|&&|\|\|)$/.test(test.op) && depth < 12 ? test.of.flatMap((x) => lookedAt(x, depth + 1)) : [test]
}

/** What somebody was asked with, or what a row was made of. */
function askedWith(e: Effect): readonly Value[] {
  switch (e.kind) {
    case 'db':
      return [...e.filters.map((f) => f.value), ...(e.payload ? [e.payload] : [])]
    case 'rpc':
      return [e.args]
    case 'http':
    case 'payment':
    case 'auth-call':
    case 'invoke':
      return e.args
    default:
      return []
  }
}
