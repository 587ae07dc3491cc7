import { mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { chosenByCaller, isHarmlessChoice } from '../property-level/mass-assignment.ts'
import { callerOf, type OwnershipBreach } from '../shared/violation.ts'

const ACCOUNT_CREATION_CALL = /(?:^|\.)(?:createUser|inviteUserByEmail)$/
const ASSIGNED_ROLE_FIELD = /^(?:(?:user|app|member|staff|access)_?)?role(?:s|_?id)?$|^is_?(?:super_?)?admin$|^permissions?$/i

/**
 * An account is made for somebody and given the role that the request names, while nothing is asked of whoever calls but a session: who wants to administer
 * makes an administrator of his own. Roles that grant little, chosen from a list, are what such handlers are for.
 */
export function appointsByRequest(
  step: Step,
  e: Extract<Effect, { kind: 'auth-call' }>,
  behaviour: Behaviour,
  schema: Pick<SchemaModel, 'enums'>,
): OwnershipBreach[] {
  if (!ACCOUNT_CREATION_CALL.test(e.name)) return []
  const made = behaviour.steps.indexOf(step)
  const isMade = (v: Value) => (v.v === 'row' || v.v === 'result') && v.step === made
  for (const [index, { effect: q, under }] of behaviour.steps.entries()) {
    if (index <= made || q.kind !== 'db' || q.op === 'select' || q.op === 'delete' || q.client.rights !== 'service' || q.payload?.v !== 'object') continue
    const { props } = q.payload
    if (!Object.values(props).some((v) => mentions(v, isMade)) && !q.filters.some((f) => mentions(f.value, isMade))) continue
    const given = Object.entries(props).find(
      ([column, value]) => ASSIGNED_ROLE_FIELD.test(column) && chosenByCaller(value, behaviour, schema) && !isHarmlessChoice({ ...step, under }, value),
    )
    if (!given) continue
    const [column, value] = given
    const by = requestName(value) ?? 'a value of the request'
    return [
      {
        kind: 'appoints',
        severity: 'Critical',
        at: step.at,
        verb: e.name,
        by,
        table: q.table,
        ownerColumn: column,
        callerAs: callerOf(behaviour),
        what: `makes an account (${e.name}) with ${q.table}.${column} = ${by}`,
      },
    ]
  }
  return []
}
