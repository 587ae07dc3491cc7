/**
 * Whether what is asked of a known caller is a rank that not everybody has. `role === 'admin'` makes an administrator's guard; `role === 'customer'` asks
 * only who is signed in.
 */

import { mentions } from '../../../behaviour/domain/contains.ts'
import type { Value } from '../../../behaviour/types.ts'
import type { Proof } from '../guard-model.ts'
import { isEverydayRole, isRoleField, isStanding, namesAdministrator } from '../identity-words.ts'

/** `(await User.findByPk(caller.id)).role === 'admin'`, by a library that is not followed: what was asked for by nothing but the caller's id is the caller's. */
export function roleOfFound(value: Value): Proof | undefined {
  const [found, ...more] = value.v === 'call' && isRoleField(value.name) ? value.args : []
  if (found?.v !== 'call' || more.length || !FINDS_PERSON.test(found.name)) return undefined
  const who = found.args.find((x) => x.v === 'caller' && x.trust === 'verified' && OWN_ID.test(x.field ?? ''))
  if (who?.v !== 'caller' || mentions(found, (x) => x.v === 'request')) return undefined
  return { who: 'admin', trust: who.trust, how: who.how, ...(who.at ? { at: who.at } : {}) }
}

/** Calls of a library that find one row. */
const FINDS_PERSON = /^(?:find|get|fetch|load|select)(?:ByPk|ById|One|First|Unique|User|Account|Profile)\w{0,20}$/

/** What a session calls the id of whoever is signed in. */
const OWN_ID = /^(?:id|sub|uid|user_?id)$/i

/**
 * Whether what is asked of somebody is what anybody may be: a role that comes with signing up (`role === 'customer'`), or how an account stands
 * (`['active', 'trialing'].includes(user.subscription.status)`).
 */
export function isAnybodys(of: Value, asked: readonly Value[]): boolean {
  const written = asked.flatMap((x) => (x.v === 'array' ? x.items : x.v === 'any' ? x.of : [x])).flatMap((x) => (x.v === 'const' ? [x.value] : []))
  if (written.some(isEverydayRole)) return true
  return (of.v === 'caller' || of.v === 'row') && isStanding(of.field) && written.length > 0 && !written.some(namesAdministrator)
}

/** Who is known to call, without the rank that something else would have proved. */
export const asUser = (p: Proof): Proof => (p.who === 'admin' ? { ...p, who: 'user' } : p)
