import type { Expr, FunctionIR } from '../../../facts/javascript.ts'
import { expressions } from '../../frameworks/walk.ts'
import { constant, object, UNDEFINED, type Val } from '../domain/abstract-value.ts'
import { native } from '../native.ts'

const CACHE_NAME = /cache|memo/i
/** What counts requests is looked at for what earlier ones left. */
const RATE_COUNTER_NAME = /rate|limit|attempt|count|throttle/i

/**
 * Names under which a function finds its own earlier answers again: `const hit = ROLES.get(key); if (hit) return hit; …; ROLES.set(key, answer)`.
 * What is found there was put there by the same lines, for the same key, so that nobody gets in by it who does not get in without it.
 */
export function remembersIn(ir: FunctionIR): readonly string[] {
  const asked = new Map<string, Set<string>>()
  const put = new Map<string, Set<string>>()
  for (const e of expressions(ir)) {
    if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.of.k !== 'id' || !e.args[0]) continue
    const { name } = e.fn.of
    const kept = e.fn.name === 'get' ? asked : e.fn.name === 'set' ? put : undefined
    if (kept && CACHE_NAME.test(name) && !RATE_COUNTER_NAME.test(name)) kept.set(name, (kept.get(name) ?? new Set()).add(asText(e.args[0])))
  }
  return [...asked].flatMap(([name, keys]) => ([...keys].every((k) => put.get(name)?.has(k)) ? [name] : []))
}

/** An expression without where it stands. */
const asText = (e: Expr): string => JSON.stringify(e, (name, value) => (name === 'l' || name === 'e' ? undefined : value))

const EMPTY_CACHE_RESULTS = { get: UNDEFINED, has: constant(false), set: UNDEFINED, delete: constant(false), clear: UNDEFINED }

/** Such a place before anything was put there. */
export const NOTHING_YET: Val = object(Object.fromEntries(Object.entries(EMPTY_CACHE_RESULTS).map(([name, value]) => [name, native(name, () => value)])))
