import type { SchemaModel } from '../../model/app-model.ts'
import type { Behaviour, Step, Value } from '../../model/behaviour/behaviour.ts'
import { isCallers, requestName } from '../../model/behaviour/values.ts'
import { breachOfColumn, directly, fromRequest, OWNER, type OwnershipBreach, type Query, tableOf, verbOf } from './ownership-breach.ts'
import type { Ties } from './ties.ts'

const TENANT = /^(?:org|organi[sz]ation|team|workspace|tenant)_?(?:id)?$/i
/** Who wrote a row stands beside whose it is. */
const WROTE = /(?:_by|By)(?:_?id)?$/

/**
 * New rows put into a tenant that the request names, past row level security, by somebody of whom nothing says that he belongs to it. Who
 * writes to a tenant about himself (an application, a message to a company) need not be a member.
 */
export function tenantBreaches(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || (e.op !== 'insert' && e.op !== 'upsert')) return []
  const table = tableOf(e, schema)
  const rows = e.payload.v === 'array' ? e.payload.items.slice(0, 4) : e.payload.v === 'any' ? e.payload.of : [e.payload]
  for (const row of rows) {
    if (row.v !== 'object') continue
    const props = Object.entries(row.props)
    if (props.some(([column, value]) => OWNER.test(column) && !WROTE.test(column) && isCallers(value, behaviour))) continue
    const isTenant = (column: string) => TENANT.test(column) || table?.userData?.tenantColumns.includes(column) === true
    // the row stands in the caller's own tenant; what else it names (a company that is a customer) is a reference
    if (props.some(([column, value]) => isTenant(column) && isCallers(value, behaviour))) continue
    const chosen = props.find(
      ([column, value]) => isTenant(column) && !table?.userData?.ownerColumns.includes(column) && fromRequest(value, behaviour) && directly(value),
    )
    if (!chosen || ties.byCondition(step)) continue
    const [column, value] = chosen as [string, Value]
    const by = requestName(value) ?? 'a value of the request'
    return [breachOfColumn('forged-tenant', step.at, { verb: verbOf(e), table: e.table }, column, by)]
  }
  return []
}
