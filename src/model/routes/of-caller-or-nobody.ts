import type { Effect, Step, Value } from '../behaviour/behaviour.ts'
import type { Guard } from './proof.ts'

/** ORMs that leave a condition out whose value is undefined: what was meant to find nothing finds everything. Drizzle's may be made for some alone. */
const DROPS_UNDEFINED: ReadonlySet<string> = new Set(['prisma', 'typeorm', 'drizzle'])

type Caller = Extract<Value, { v: 'caller' }>

/**
 * A query for what belongs to whoever calls that is made without asking whether anybody does: where nobody is signed in it looks for the rows of nobody
 * (`session?.user?.id ?? ''`, null) and finds none.
 */
export function ofCallerOrNobody({ effect: e, at }: Step): Guard | undefined {
  if (e.kind !== 'db' || e.op === 'insert' || e.op === 'upsert') return undefined
  const caller = e.filters.map((f) => (f.op === 'eq' ? boundTo(f.value, e) : undefined)).find((c) => c !== undefined)
  if (!caller) return undefined
  const refusal = e.byKey && !e.filters.some((f) => f.value.v === 'any') ? { how: 'throw' as const } : { nothing: true as const }
  return { who: 'user', at, trust: 'verified', how: caller.how, ...(caller.at ? { identifiedAt: caller.at } : {}), refusal }
}

/** The caller, where the value is nothing but his or a constant that is nobody's. */
function boundTo(value: Value, { client, byKey }: Extract<Effect, { kind: 'db' }>): Caller | undefined {
  const ways = value.v === 'any' ? value.of : [value]
  const caller = ways.find((v) => v.v === 'caller')
  if (caller?.v !== 'caller' || caller.trust !== 'verified' || !NAMES.test(caller.field ?? '')) return undefined
  const drops = DROPS_UNDEFINED.has(client.library)
  // undefined may stand for a condition that is not there at all
  const isNobodys = (v: Value): boolean => v.v === 'const' && (v.value === '' || v.value === null || (byKey === true && v.value === undefined))
  if (!ways.every((v) => (v.v === 'caller' && v.trust === 'verified') || isNobodys(v))) return undefined
  // where something stands in for who is missing, or the library says so by null, nothing is undefined
  return !drops || byKey || ways.some(isNobodys) || /^Clerk /.test(caller.how) ? caller : undefined
}

/** By which somebody is told from everybody else. */
const NAMES = /(?:^|[._])(?:id|sub|uid|e_?mail)$/i
