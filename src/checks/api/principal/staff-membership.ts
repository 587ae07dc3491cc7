import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { tableOf } from '../shared/violation.ts'

/** Lists of those who work for whoever runs the application. */
const STAFF = /(?:^|[._])(?:staff|employees?|moderators?|back_?office)(?:_?(?:members?|users?|profiles?))?$/i

/**
 * Whether the caller was found on the one list of staff before: to be on it is to be let at everybody's rows, whatever role the row names. A list for
 * each tenant is a membership.
 */
export function isStaffs({ under }: Step, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): boolean {
  return under.some((c) => {
    const index = rowThatMustBeThere(c.test, c.negated)
    const e = index === undefined ? undefined : behaviour.steps[index]?.effect
    if (e?.kind !== 'db' || e.op !== 'select' || !STAFF.test(e.table)) return false
    if (tableOf(e, schema)?.userData?.tenantColumns.length) return false
    return e.filters.some((f) => f.op === 'eq' && mentions(f.value, (v) => v.v === 'caller' && v.trust === 'verified'))
  })
}

/** Lists of administrators, of the application or of a part of it: `vertical_admins`, found by the caller. */
const ADMIN_LIST_TABLE = /(?:^|[._])\w{0,40}admin(?:s|_?users?|istrators?)$/i

/** Whether a list of administrators was asked for the caller, whatever they administer: a handler whose path says that it is for them lets them in. */
export function isAskedOfAdministrators({ under }: Step, behaviour: Behaviour): boolean {
  const asked = (x: Value): boolean => {
    const e = x.v === 'row' && x.step >= 0 ? behaviour.steps[x.step]?.effect : undefined
    if (e?.kind !== 'db' || e.op !== 'select' || !ADMIN_LIST_TABLE.test(e.table)) return false
    return e.filters.some((f) => f.op === 'eq' && mentions(f.value, (v) => v.v === 'caller' && v.trust === 'verified'))
  }
  return under.some((c) => mentions(c.test, asked))
}

/** The step of the row without which a condition does not hold. */
function rowThatMustBeThere(test: Value, negated: boolean): number | undefined {
  if (test.v === 'op' && test.op === '!' && test.of[0]) return rowThatMustBeThere(test.of[0], !negated)
  return test.v === 'row' && !negated && test.step >= 0 ? test.step : undefined
}
