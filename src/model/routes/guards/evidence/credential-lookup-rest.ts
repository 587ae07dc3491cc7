import type { Effect, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import { isCredential } from '../identity-words.ts'

/** A column that has to equal what follows it, in the address of the project's data API. */
const REST_EQUALS_FILTER = /[?&](\w{1,63})=eq\.$/

/** The column of a row that is looked up over the data API by a credential of the request: `/rest/v1/links?token=eq.${token}`. */
export function credentialLookedUp(e: Extract<Effect, { name: string }>): string | undefined {
  const address = e.kind === 'http' ? e.args[0] : undefined
  if (address?.v !== 'text' || !address.parts.some((p) => isConst(p) && /\/rest\/v1\//.test(String(p.value)))) return undefined
  for (const [i, part] of address.parts.entries()) {
    const column = isConst(part) ? REST_EQUALS_FILTER.exec(String(part.value))?.[1] : undefined
    const value = address.parts[i + 1]
    if (column !== undefined && isCredential(column) && value && isTainted(value)) return column
  }
  return undefined
}

const isConst = (v: Value): v is Extract<Value, { v: 'const' }> => v.v === 'const'
