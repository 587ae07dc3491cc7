import type { Place } from '../../../lib/place.ts'
import { credentialBehind } from '../identity/credential.ts'
import type { Interpreter } from '../interpreter.ts'
import { array, type Val } from './abstract-value.ts'

/** Entries of a `Map` that are remembered; what is put in under further keys is not looked up again. */
const MAX_ENTRIES = 24

/** Entries of a register that are followed, where any of them may be asked for. */
const MAX_REGISTERED = 8

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
  const maps = (of.v === 'any' ? of.alts.map((a) => a.value) : [of]).filter(isMap)
  const found = key?.v === 'const' ? maps.flatMap((m) => entryOf(m, key.value) ?? []) : key ? maps.flatMap(registered) : []
  return found.length ? it.alternatives(found.map((value) => ({ value, under: [] }))) : undefined
}

function entryOf(map: MapVal, key: unknown): Val | undefined {
  return pairsOf(map).findLast(([k]) => k?.v === 'const' && k.value === key)?.[1]
}

/** What a map was made with, and what was put into it since. */
const pairsOf = ({ args: [initial, ...since] }: MapVal): readonly (readonly Val[])[] =>
  [...(initial?.v === 'array' ? initial.items : []), ...since].flatMap((a) => (a.v === 'array' ? [a.items] : []))

/**
 * What a register of code holds, whichever of it the request names: `new Map([['stripe', new StripeProvider()], ['paypal', new PayPalProvider()]])`. Of a
 * map of values nothing is known but what stands under the name.
 */
function registered(map: MapVal): readonly Val[] {
  const pairs = pairsOf(map)
  const isCode = pairs.length > 0 && pairs.length <= MAX_REGISTERED && pairs.every(([k, v]) => k?.v === 'const' && (v?.v === 'instance' || v?.v === 'fn'))
  return isCode ? pairs.flatMap(([, v]) => v ?? []) : []
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
