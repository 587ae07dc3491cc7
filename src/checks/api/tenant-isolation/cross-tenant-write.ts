import { lastPart } from '../../../lib/last-part.ts'
import { isCallers, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isJournal } from '../../../model/routes/operations/row-operations.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { breachOfColumn, directly, isRequestControlled, OWNER_COLUMN, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

const TENANT_ID_FIELD = /^(?:org|organi[sz]ation|team|workspace|tenant)_?(?:id)?$/i
/** Who wrote a row stands beside whose it is. */
const CREATED_BY_FIELD = /(?:_by|By)(?:_?id)?$/

/**
 * New rows put into a tenant that the request names, past row level security, by somebody of whom nothing says that he belongs to it. Who
 * writes to a tenant about himself (an application, a message to a company) need not be a member.
 */
export function tenantBreaches(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || (e.op !== 'insert' && e.op !== 'upsert')) return []
  // that mail went out to a tenant is written down by the server, whoever's doing it was
  if (e.op === 'insert' && isJournal(lastPart(e.table))) return []
  const table = tableOf(e, schema)
  const rows = e.payload.v === 'array' ? e.payload.items.slice(0, 4) : e.payload.v === 'any' ? e.payload.of : [e.payload]
  for (const row of rows) {
    if (row.v !== 'object') continue
    const props = Object.entries(row.props)
    if (props.some(([column, value]) => OWNER_COLUMN.test(column) && !CREATED_BY_FIELD.test(column) && isCallers(value, behaviour))) continue
    if (props.some(([, value]) => isOwnRecord(value, behaviour, schema))) continue
    const isTenant = (column: string) => TENANT_ID_FIELD.test(column) || table?.userData?.tenantColumns.includes(column) === true
    // the row stands in the caller's own tenant; what else it names (a company that is a customer) is a reference
    if (props.some(([column, value]) => isTenant(column) && isCallers(value, behaviour))) continue
    const chosen = props.find(
      ([column, value]) => isTenant(column) && !table?.userData?.ownerColumns.includes(column) && isRequestControlled(value, behaviour) && directly(value),
    )
    if (!chosen || ties.byCondition(step)) continue
    const [column, value] = chosen as [string, Value]
    const by = requestName(value) ?? 'a value of the request'
    return [breachOfColumn('forged-tenant', step.at, { verb: verbOf(e), table: e.table }, column, by)]
  }
  return []
}

/** A row of the caller's that stands in no tenant (an enquiry, a pet): what names it beside a tenant brings the two together, as customers do. */
function isOwnRecord(value: Value, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): boolean {
  if (value.v !== 'row' || !/^(?:id|uuid)$/i.test(value.field ?? '') || !isCallers(value, behaviour)) return false
  const e = behaviour.steps[value.step]?.effect
  if (e?.kind !== 'db') return false
  const { ownerColumns = [], tenantColumns = [] } = tableOf(e, schema)?.userData ?? {}
  // a column that stays empty as the row is made puts it into no tenant
  const made = e.op === 'insert' && e.payload?.v === 'object' && !e.payload.rest ? e.payload.props : undefined
  return ownerColumns.length > 0 && (made ? !tenantColumns.some((c) => c in made) : !tenantColumns.length)
}
