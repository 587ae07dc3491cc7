import { namesClosedTenant, saysWhoIsIn } from '../../../database/access/functions/caller-supplied-tenant.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'
import { breachOfColumn, directly, isRequestControlled, OWNER_COLUMN, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

/**
 * The caller's own membership of a tenant that the request names, past row level security, where nothing but that both are there was asked: no
 * invitation, no code, nothing that the tenant says of who may come in.
 */
export function joinedTenants(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || (e.op !== 'insert' && e.op !== 'upsert') || !saysWhoIsIn(lastPart(e.table))) return []
  const owners = tableOf(e, schema)?.userData?.ownerColumns ?? []
  for (const row of payloadRows(e.payload)) {
    if (row.v !== 'object') continue
    const props = Object.entries(row.props)
    if (!props.some(([column, value]) => (owners.includes(column) || OWNER_COLUMN.test(column)) && isCallers(value, behaviour))) continue
    const chosen = props.find(([column, value]) => namesClosedTenant(column) && isRequestControlled(value, behaviour) && directly(value))
    if (!chosen || ties.byCondition(step)) continue
    const [column, value] = chosen
    if (step.under.some((c) => asksMore(c, e, behaviour)) || asksElsewhere(step, value, behaviour)) continue
    return [breachOfColumn('joins', step.at, { verb: verbOf(e), table: e.table }, column, requestName(value) ?? 'a value of the request')]
  }
  return []
}

/** A condition that says something of the tenant or of an invitation, and not only that a row was looked for by its id. */
const asksMore = ({ test }: Condition, e: Query, behaviour: Behaviour): boolean =>
  mentions(test, (x) => x.v === 'env' || x.v === 'result' || (x.v === 'row' && x.step >= 0 && !(x.field === undefined && isLookedUpById(x.step, e, behaviour))))

/** The membership that is there already, or the tenant. */
function isLookedUpById(index: number, e: Query, behaviour: Behaviour): boolean {
  const looked = behaviour.steps[index]?.effect
  if (looked?.kind !== 'db' || looked.op !== 'select') return false
  if (looked.table === e.table) return true
  const byId = (f: Query['filters'][number]) => f.op === 'eq' && (/^_?id$/.test(lastPart(f.column)) || isCallers(f.value, behaviour))
  return looked.filters.length > 0 && looked.filters.every(byId) && !/invit|code|token/i.test(looked.table)
}

/** What is no query was told the tenant before: a function, a service of the application's own that may have asked. */
function asksElsewhere(step: Step, tenant: Value, { steps }: Behaviour): boolean {
  const name = requestName(tenant)
  const named = (x: Value) => x.v === 'request' && requestName(x) === name
  return steps
    .slice(0, steps.indexOf(step))
    .some(({ effect: e }) => (e.kind === 'rpc' && mentions(e.args, named)) || (e.kind === 'http' && e.args.some((a) => mentions(a, named))))
}
