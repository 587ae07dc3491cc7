import type { Place } from '../../lib/place.ts'
import { array, type Val } from './abstract-value.ts'
import { credentialBehind } from './credential.ts'
import type { Interpreter } from './interpreter.ts'

/** Entries of a `Map` that are remembered; what is put in under further keys is not looked up again. */
const MAX_ENTRIES = 24

type MapVal = Extract<Val, { v: 'call' }>

const isMap = (of: Val): of is MapVal => of.v === 'call' && (of.name === 'Map' || of.name === 'WeakMap')

/** `map.set(key, value)`: the map with this entry, which only a key written in the code finds again. */
export function mapWith(of: Val, key: Val | undefined, value: Val | undefined): Val | undefined {
  if (!isMap(of) || key?.v !== 'const' || !value || of.args.length > MAX_ENTRIES) return undefined
  return { ...of, args: [...(of.args.length ? of.args : [array([])]), array([key, value])] }
}

/**
 * `map.get(key)` of what the same run put in. A map that was filled on one side of a test (`if (!map.has(k)) map.set(k, make())`)
 * gives what was put in there: on the other side somebody else did the same.
 */
export function mapEntry(it: Interpreter, of: Val, key: Val | undefined): Val | undefined {
  if (key?.v !== 'const') return undefined
  const entries = (of.v === 'any' ? of.alts.map((a) => a.value) : [of]).map((m) => (isMap(m) ? entryOf(m, key.value) : undefined))
  const found = entries.filter((x) => x !== undefined)
  return found.length ? it.alternatives(found.map((value) => ({ value, under: [] }))) : undefined
}

function entryOf(map: MapVal, key: unknown): Val | undefined {
  const entry = map.args.findLast((a, i) => i > 0 && a.v === 'array' && a.items[0]?.v === 'const' && a.items[0].value === key)
  return entry?.v === 'array' ? entry.items[1] : undefined
}

/**
 * `sessions.get(token)` of a `Map` of the process, by what the Authorization header or a cookie carries: an entry is there only for whom the
 * application has put there, after it asked who calls.
 */
export function mapCaller(it: Interpreter, of: Val, key: Val | undefined, at: Place): Val | undefined {
  if (!isMap(of) || of.args.length > 0 || !key || !credentialBehind(key)) return undefined
  const how = 'a session kept in memory'
  const step = it.emit({ kind: 'identify', how, trust: 'verified' }, at)
  return { v: 'caller', how, trust: 'verified', step, at }
}
