import type { Table } from '../../../database/database.ts'
import { isCallersRow } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfConditions } from '../../../model/routes/guards/guard.ts'
import type { Guard } from '../../../model/routes/guards/guard-model.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { tableOf } from '../shared/violation.ts'

/** Roles that say how somebody stands to the whole application or to a group, not whose a row is. */
const STANDINGS = /^(?:(?:super_?)?admin|owner|user|member|author|creator|profile|account|moderator|staff|manager)$/i
const ROLE_HOLDER_TABLE = /(?:^|\.)(?:users?|profiles?|user_profiles?|accounts?)$/i

/**
 * The role that lets somebody change rows which are one person's of that role: `courses.instructor_id` and `role === 'instructor'`. Every
 * instructor has it, so it stands for no administrator; whose course it is has to be asked besides.
 */
export function ownersRole(
  step: Step,
  e: Query,
  guard: Guard | undefined,
  behaviour: Behaviour,
  schema: Pick<SchemaModel, 'tables'>,
): { readonly role: string; readonly of: Owner } | undefined {
  if (guard?.who !== 'admin' || (e.op !== 'update' && e.op !== 'delete')) return undefined
  const table = tableOf(e, schema)
  if (!table?.userData || table.stub) return undefined
  const asked = step.under.map((c) => rolesAsked(c.test, !c.negated, behaviour))
  const owners = ownersOf(table, schema.tables)
  const own = (roles: readonly string[]) =>
    roles.filter((r) => !STANDINGS.test(r)).flatMap((role) => owners.filter((o) => named(o.column) === role.toLowerCase()).map((of) => ({ role, of })))[0]
  const found = asked.flatMap((roles) => own(roles) ?? [])[0]
  if (!found || asked.some((roles) => roles.length && !own(roles))) return undefined
  // `if (role === 'instructor' && course.instructorId !== user.id) return`: what else holds for them is asked apart
  if (step.under.some((c) => rolesAsked(c.test, c.negated, behaviour).includes(found.role))) return undefined
  const rest = guardOfConditions(
    step.under.filter((_, i) => !asked[i]?.length),
    behaviour,
  )
  return rest && rest.who !== 'user' ? undefined : found
}

/** The column that names the person of a row, and the table that has it: its own, or that of the row it is a part of. */
interface Owner {
  readonly table: string
  readonly column: string
}

/** `instructor` of `instructor_id`. */
const named = (column: string): string => column.toLowerCase().replace(/_?(?:user|profile|account)?_?u?id$/, '')

/** Of a group's rows, the group decides. */
function ownersOf(table: Table, tables: readonly Table[], depth = 0): readonly Owner[] {
  if (!table.userData || table.userData.tenantColumns.length || depth > 3) return []
  if (table.userData.ownerColumns.length) return table.userData.ownerColumns.map((column) => ({ table: table.name, column }))
  return table.foreignKeys.flatMap((f) => {
    const parent = tables.find((t) => `${t.schema}.${t.name}` === f.references && t !== table)
    return parent && table.userData?.because.includes(f.references) ? ownersOf(parent, tables, depth + 1) : []
  })
}

/** The roles one of which the caller has where `test` is `truthy`. */
export function rolesAsked(test: Value, truthy: boolean, behaviour: Behaviour, depth = 0): readonly string[] {
  if (depth > 8) return []
  const next = (x: Value, holds: boolean) => rolesAsked(x, holds, behaviour, depth + 1)
  const isRole = (x: Value) =>
    (x.v === 'caller' && /role/i.test(x.field ?? '')) ||
    (x.v === 'row' && /role/i.test(x.field ?? '') && ROLE_HOLDER_TABLE.test(x.table) && x.step >= 0 && isCallersRow(x.step, behaviour))
  const texts = (x: Value | undefined) =>
    (x?.v === 'array' ? x.items : x ? [x] : []).flatMap((i) => (i.v === 'const' && typeof i.value === 'string' ? [i.value] : []))
  if (test.v === 'op' && test.op === '!') return test.of[0] ? next(test.of[0], !truthy) : []
  if (test.v === 'op' && (test.op === '&&' || test.op === '||')) return test.of.flatMap((x) => next(x, truthy))
  const parts = test.v === 'op' ? test.of : test.v === 'call' ? test.args : []
  const how = test.v === 'op' ? test.op : test.v === 'call' ? test.name : ''
  return truthy && /^={2,3}$|(?:^|\.)includes$/.test(how) && parts.some(isRole) ? parts.flatMap(texts) : []
}
