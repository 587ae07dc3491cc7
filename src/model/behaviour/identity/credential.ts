import { partsOfTest } from '../control-flow/conditions.ts'
import type { Val } from '../domain/abstract-value.ts'

const CALLER_CREDENTIAL_HEADER = /^authorization(?:\.|$)|^cookie$|(?:^|[-_])token$/i
const DEPTH = 20

/** The cookie or header of the request that a value is cut out of, and out of nothing else; undefined when there is none. */
export const credentialBehind = (val: Val): Val | undefined => behind(val, 0, new Map())

/** Values share their parts: each is looked at once. */
function behind(val: Val, depth: number, seen: Map<Val, Val | undefined>): Val | undefined {
  if (val.v === 'request') return val.part === 'cookie' || (val.part === 'header' && CALLER_CREDENTIAL_HEADER.test(val.name ?? '')) ? val : undefined
  if (seen.has(val) || depth > DEPTH) return seen.get(val)
  seen.set(val, undefined)
  const parts = partsOfTest(val).filter((x) => x.v !== 'const' && !(x.v === 'call' && !x.args.length))
  const found = parts.map((x) => behind(x, depth + 1, seen))
  const one = found.every(Boolean) ? found[0] : undefined
  seen.set(val, one)
  return one
}
