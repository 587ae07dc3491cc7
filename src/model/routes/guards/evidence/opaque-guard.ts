import type { Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import { serverSecret } from '../environment-condition.ts'
import type { Proof } from '../guard-model.ts'
import { RIGHTS_QUESTION_NAME } from '../identity-words.ts'

const LEFT_ON_REQUEST =
  /^(request|req|c|ctx|event|locals|context|state)\.(user|session|auth|userId|user_id|currentUser|account|token|jwt|uid|viewer|principal|isAuthenticated|admin|profile)\b/

/** A call that could not be followed. One that gets a credential of the request and whose refusal ends the handler is a check. */
export function unknownCheck(value: Extract<Value, { v: 'call' }>, truthy: boolean): Proof | undefined {
  const header = /(^|\.)headers?\.get$|(^|\.)cookies?\.get$/.test(value.name)
    ? value.args.find((a) => a.v === 'const' && typeof a.value === 'string')
    : undefined
  if (truthy && header?.v === 'const')
    return { who: 'check', trust: 'claimed', how: `${/cookie/.test(value.name) ? 'cookie' : 'header'} ${header.value} that is only tested for presence` }
  // Set by something that was not followed; when nothing sets it, the handler refuses everyone.
  if (truthy && LEFT_ON_REQUEST.test(value.name)) return { who: 'user', trust: 'verified', how: value.name }
  if (/timingSafeEqual|safeCompare|secureCompare|constantTimeEqual/i.test(value.name) && truthy) {
    const secret = value.args.map(serverSecret).find((s) => s)
    if (secret) return { who: 'secret', trust: 'verified', how: `a comparison with ${secret.name}`, ...(secret.fallback ? { opensWithout: secret.name } : {}) }
    if (value.args.some(isTainted)) return { who: 'signature', trust: 'verified', how: value.name }
  }
  if (
    truthy &&
    /verify|authenticate|requireAuth|requireUser|isAuth|authoriz|checkAuth|validateToken|validateApiKey|getServerSession|getSession|getUser|currentUser|hasPermission|validateRequest/i.test(
      value.name,
    )
  ) {
    const sees = value.args.length === 0 || value.args.some((a) => isTainted(a) || a.v === 'caller' || a.v === 'unknown')
    if (sees)
      return { who: /admin|permission|role/i.test(value.name) ? 'admin' : 'check', trust: 'verified', how: value.name, ...(value.at ? { at: value.at } : {}) }
  }
  // The result of something done with a caller: `hasRole(user, 'x')`.
  if (truthy)
    for (const a of value.args)
      if (a.v === 'caller' && a.trust === 'verified')
        return { who: RIGHTS_QUESTION_NAME.test(value.name) ? 'admin' : 'user', trust: 'verified', how: value.name, ...(a.at ? { at: a.at } : {}) }
  return undefined
}
