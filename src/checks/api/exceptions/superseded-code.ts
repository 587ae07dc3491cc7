import { says } from '../../../lib/snake-case.ts'
import { isAlike } from '../../../model/behaviour/domain/contains.ts'
import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query } from '../../../model/behaviour/types.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'

/** Where the codes and links stand that were sent to somebody. */
const SENT_CODE_TABLE =
  /(?:^|_)(?:(?:e?mail_?|phone_?|password_?|account_?)?(?:verifications?|confirmations?|resets?|otps?|one_time|magic(?:_?links?)?|login|sign_?in)_?(?:tokens?|codes?|passwords?|otps?)|otps?)$/i

/** An old code is taken away because the same handler makes a new one for the same address: whoever may ask for one may do that. */
export function replacesSentCode(e: Query, index: number, { steps }: Behaviour): boolean {
  if (e.op !== 'delete' || !says(SENT_CODE_TABLE, e.table)) return false
  const addressed = e.filters.map((f) => f.value)
  return steps
    .slice(index + 1)
    .some(
      ({ effect: made }) =>
        made.kind === 'db' &&
        made.op === 'insert' &&
        made.table === e.table &&
        made.payload !== undefined &&
        payloadRows(made.payload).some(
          (row) => row.v === 'object' && Object.values(row.props).some((v) => addressed.some((a) => mentions(a, (x) => isAlike(x, v)))),
        ),
    )
}
