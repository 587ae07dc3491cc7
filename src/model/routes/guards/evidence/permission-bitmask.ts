import { mentions } from '../../../behaviour/domain/contains.ts'
import type { Value } from '../../../behaviour/types.ts'
import type { Proof } from '../guard-model.ts'
import { isRoleField } from '../identity-words.ts'

/** Whose rights they are that are kept as bits and asked for a mask (`user.permissions & MANAGE_USERS`), where the request has no part in either. */
export function rightsAmong(of: readonly Value[]): Value | undefined {
  let found: Value | undefined
  for (const x of of)
    mentions(x, (v) => {
      if ((v.v === 'caller' || v.v === 'row' || v.v === 'result') && isRoleField(v.field)) found ??= v
      return found !== undefined
    })
  return of.some((x) => mentions(x, (v) => v.v === 'request')) ? undefined : found
}

/** The proof that somebody is who he is, where a right of his was asked for. */
export const asAdmin = (proof: Proof | undefined): Proof | undefined => proof && { ...proof, who: 'admin' }
