import { FOR_OTHERS } from '../../../database/access/owners/private-parent.ts'
import { isMeantToBeSeen, isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import type { AccessMatrix, Table } from '../../../database/database.ts'
import { says } from '../../../lib/snake-case.ts'
import { isCallers } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { parentByPolicy } from '../binding/policy-binding.ts'
import { breachOfParent, directly, isRequestControlled, type OwnershipBreach, referredTo, tableOf } from '../shared/violation.ts'

/**
 * New rows put under a private row that the request names (an item into an order), past row level security, by somebody of whom nothing says that
 * the parent is his. Rows that say whose they are, and what people put under others' rows on purpose, are left alone; but not messages.
 */
export function parentBreaches(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables' | 'policies'>,
  access: AccessMatrix,
): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || e.op !== 'insert') return []
  const table = tableOf(e, schema)
  const bound = table && boundByPolicy(step, e, table, behaviour, ties, schema)
  if (bound) return [bound]
  const said = table && says(MESSAGE_CHILD_TABLE, table.name)
  if (!said && (!table?.userData || table.userData.ownerColumns.length || table.userData.tenantColumns.length || FOR_OTHERS.test(table.name))) return []
  const parentOf = (column: string) => privateParent(column, table, schema, access) ?? (said ? betweenFew(column, table, schema) : undefined)
  const rows = e.payload.v === 'array' ? e.payload.items.slice(0, 4) : [e.payload]
  for (const row of rows) {
    if (row.v !== 'object' || (!said && Object.values(row.props).some((v) => isCallers(v, behaviour)))) continue
    const chosen = Object.entries(row.props).find(([column, value]) => parentOf(column) && isRequestControlled(value, behaviour) && directly(value))
    if (!chosen || ties.byCondition(step)) continue
    const [column, value] = chosen as [string, Value]
    const parent = parentOf(column) as Table
    const [owner] = parent.userData?.ownerColumns ?? []
    return [{ ...breachOfParent(step, e, column, value, parent), ...(owner ? { ownerColumn: owner } : {}) }]
  }
  return []
}

/**
 * A new row under a parent that the request names, where people who write it themselves are asked for the parent's owner: the policies of the table
 * say that the parent has to be theirs, and past them nobody asks. Rows about the caller beside it are what people put under others' on purpose.
 */
function boundByPolicy(
  step: Step,
  e: Query,
  table: Table,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables' | 'policies'>,
): OwnershipBreach | undefined {
  if (FOR_OTHERS.test(table.name) || step.before) return undefined
  const rows = e.payload?.v === 'array' ? e.payload.items.slice(0, 4) : e.payload ? [e.payload] : []
  for (const row of rows) {
    if (row.v !== 'object' || Object.values(row.props).some((v) => isCallers(v, behaviour))) continue
    for (const [column, value] of Object.entries(row.props)) {
      const parent = isRequestControlled(value, behaviour) && directly(value) ? parentByPolicy(column, table, schema) : undefined
      if (!parent || ties.byCondition(step)) continue
      const [owner] = parent.userData?.ownerColumns ?? []
      return { ...breachOfParent(step, e, column, value, parent), byPolicy: true, ...(owner ? { ownerColumn: owner } : {}) }
    }
  }
  return undefined
}

/** What is said in a conversation, under the own name: who may say it are those whose conversation it is. */
const MESSAGE_CHILD_TABLE = /(?:^|_)messages?$/
const CONVERSATIONS = /^(?:conversations?|(?:chat|message)_threads?|threads|chats|dialogs?|direct_chats?|dms|matches)$/

/** The conversation that a column names, where its rows are between few. */
function betweenFew(column: string, table: Table, schema: Pick<SchemaModel, 'tables'>): Table | undefined {
  const parent = referredTo(table, column, schema)
  return parent && says(CONVERSATIONS, parent.name) && !parent.columns.some((c) => says(/^(?:is_)?(?:public|open|group)$/, c.name)) ? parent : undefined
}

/** The parent that a column names, when its rows are somebody's and nobody else sees them. */
function privateParent(column: string, table: Table, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): Table | undefined {
  const parent = referredTo(table, column, schema)
  if (!parent?.userData?.ownerColumns.length || parent.primaryKey.some((c) => parent.userData?.ownerColumns.includes(c)) || isMeantToBeSeen(parent))
    return undefined
  const tried = access.objects.find((o) => o.kind === 'table' && o.object === `${parent.schema}.${parent.name}`)
  const hidden = tried?.cells.some((c) => c.command === 'select' && c.role === 'A' && c.row === 'other' && c.result === 'refused') === true
  return hidden || isPrivateByName(parent.name) ? parent : undefined
}
