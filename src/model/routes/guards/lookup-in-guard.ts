import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Condition, Effect, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'
import { guardOfConditions } from './guard.ts'

const TOKEN_TABLE = /tokens?$|sessions?$|invit(?:e|ation)s?$/i

/** Tokens are kept as hashes and gone through until one is the hash of what was sent: that is the check itself. */
export function looksForToken(e: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour, index: number): boolean {
  if (e.op !== 'select' || !TOKEN_TABLE.test(e.table)) return false
  const isHash = (x: Value) => x.v === 'row' && x.step === index && /token|hash/i.test(x.field ?? '')
  return behaviour.steps.some((s) => s.effect.kind === 'hash-compare' && s.effect.args.some((a) => mentions(a, isHash)) && s.effect.args.some(isTainted))
}

/** True when a guard further on depends on the answer of this step: a key that was looked up and is then compared. */
export function decides(behaviour: Behaviour, index: number): boolean {
  const seen = new Set<Condition>()
  for (const s of behaviour.steps.slice(index + 1))
    for (const c of s.under) {
      if (seen.has(c) || !c.otherwise.ends) continue
      seen.add(c)
      if (dependsOn(c.test, index, behaviour, 0) && guardOfConditions([c], behaviour)?.trust === 'verified') return true
    }
  return false
}

function dependsOn(v: Value, step: number, behaviour: Behaviour, depth: number): boolean {
  if (depth > 8) return false
  const next = (x: Value) => dependsOn(x, step, behaviour, depth + 1)
  switch (v.v) {
    case 'result': {
      if (v.step === step) return true
      const e = behaviour.steps[v.step]?.effect
      // the hash that the row holds, compared with what was sent
      return e?.kind === 'hash-compare' && e.args.some((a) => next(a) || mentions(a, (x) => x.v === 'row' && x.step === step))
    }
    case 'any':
      return v.of.some(next) || (v.under ?? []).some((list) => list.some((c) => next(c.test)))
    case 'op':
      return v.of.some(next)
    case 'call':
      return v.args.some(next)
    default:
      return false
  }
}
