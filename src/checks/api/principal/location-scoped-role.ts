import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import { isCallersRow } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfConditions } from '../../../model/routes/guards/guard.ts'
import { isRoleField } from '../../../model/routes/guards/identity-words.ts'
import type { Guard, Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { ACCOUNT_TABLE_WORD } from '../auth-flows/registration.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { isListedInResponse } from '../exceptions/publicly-listed-table.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'
import { aboutQuery, breachOfParent, directly, isRequestControlled, OWNER_COLUMN, type OwnershipBreach, referredTo, tableOf } from '../shared/violation.ts'
import { rolesAsked } from './owner-role.ts'

/** How an application keeps the staff of one place from the rows of another: by this column, from which only these roles are excepted. */
export interface House {
  readonly column: string
  readonly above: readonly string[]
}

/** What a role in one house does to the rows of any. */
export interface RoleInHouse {
  readonly house: House
  readonly role: string
}

/**
 * The comparisons of the application itself that everybody but some roles has to pass: `role !== 'central' && record.locationId !== user.locationId`. All
 * other roles are then those of one house.
 */
export const housesOf = rememberFor((routes: readonly Route[]): readonly House[] => {
  const found = new Map<string, Set<string>>()
  for (const { column, above } of routes.flatMap(({ behaviour }) => (behaviour ? comparedIn(behaviour) : []))) {
    const known = found.get(column) ?? new Set()
    found.set(column, known)
    for (const role of above) known.add(role)
  }
  return asBefore([...found].map(([column, above]) => ({ column, above: [...above].sort() })).sort((a, b) => a.column.localeCompare(b.column)))
})

/** What was judged beside the same houses stays judged. */
const asBefore = steady<readonly House[]>()

/** The comparisons of one behaviour that refuse. */
const comparedIn = rememberFor((behaviour: Behaviour): readonly House[] => {
  const found: House[] = []
  const seen = new Set<Value>()
  for (const { under } of behaviour.steps)
    for (const { test, otherwise } of under) {
      if (!otherwise.ends || seen.has(test)) continue
      seen.add(test)
      const columns: string[] = []
      const above: string[] = []
      mentions(test, (x) => {
        const column = houseCompared(x, behaviour)
        if (column) columns.push(column)
        above.push(...rolesCompared(x, behaviour))
        return false
      })
      if (above.length) found.push(...columns.map((column) => ({ column, above })))
    }
  return found
})

/** `record.locationId !== user.locationId`: the column in which both stand. */
function houseCompared(x: Value, behaviour: Behaviour): string | undefined {
  if (x.v !== 'op' || !/^[!=]==?$/.test(x.op)) return undefined
  const [a, b] = x.of
  for (const [own, other] of [
    [a, b],
    [b, a],
  ]) {
    if (!own || other?.v !== 'row' || isOwn(other, behaviour) || !isOwn(own, behaviour)) continue
    const [mine, theirs] = [fieldOf(own), fieldOf(other)]
    if (mine && mine === theirs && /_id$/.test(mine) && !OWNER_COLUMN.test(mine)) return mine
  }
  return undefined
}

const isOwn = (x: Value, behaviour: Behaviour): boolean => x.v === 'caller' || (x.v === 'row' && x.step >= 0 && isCallersRow(x.step, behaviour))

const fieldOf = (x: Value): string | undefined => ((x.v === 'caller' || x.v === 'row') && x.field ? snakeCase(lastPart(x.field)) : undefined)

/** The roles with which one of the caller is compared. */
function rolesCompared(x: Value, behaviour: Behaviour): readonly string[] {
  const of = x.v === 'op' && /^[!=]==?$/.test(x.op) ? x.of : x.v === 'call' && /(?:^|\.)includes$/.test(x.name) ? x.args : []
  if (!of.some((y) => isOwn(y, behaviour) && (y.v === 'caller' || y.v === 'row') && isRoleField(y.field))) return []
  return of.flatMap((y) => (y.v === 'array' ? y.items : [y])).flatMap((y) => (y.v === 'const' && typeof y.value === 'string' ? [y.value] : []))
}

/** Roles of those who run the application for all houses. */
const OVER_ALL = /super|platform|system|support|root|global|central|master|internal|head_?quarters?/i

/**
 * A change that only some roles may make, of which one is a role in one house: of the row, which stands in a house as well, nothing says that it is the
 * same.
 */
export function roleInHouse(
  step: Step,
  e: Query,
  guard: Guard | undefined,
  behaviour: Behaviour,
  houses: readonly House[],
  schema: Pick<SchemaModel, 'tables'>,
): RoleInHouse | undefined {
  if (!houses.length || guard?.who !== 'admin' || guard.trust !== 'verified' || e.op === 'select' || e.client.rights !== 'service') return undefined
  const table = tableOf(e, schema)
  if (!table || table.stub) return undefined
  const asked = step.under.map((c) => rolesAsked(c.test, !c.negated, behaviour))
  for (const house of houses) {
    const role = asked.flat().find((r) => !house.above.includes(r) && !OVER_ALL.test(r))
    if (!role || asked.some((roles) => roles.length && roles.every((r) => house.above.includes(r) || OVER_ALL.test(r)))) continue
    if (!standsIn(table, house.column, schema)) continue
    const rest = guardOfConditions(
      step.under.filter((_, i) => !asked[i]?.length),
      behaviour,
    )
    if (rest?.who === 'user') return { house, role }
  }
  return undefined
}

/** The table has the column, is what the column names, or hangs on a table that has it. */
function standsIn(table: Table, column: string, schema: Pick<SchemaModel, 'tables'>): boolean {
  const has = (t: Table) => t.columns.some((c) => says(new RegExp(`^${column}$`), c.name))
  const name = (t: Table) => `${t.schema}.${t.name}`
  const isNamed = schema.tables.some((t) => t.foreignKeys.some((k) => k.references === name(table) && k.columns.some((c) => snakeCase(c) === column)))
  return (
    has(table) ||
    isNamed ||
    table.foreignKeys.some(
      (k) => (k.cascades || table.userData?.because.includes(k.references)) && schema.tables.some((t) => name(t) === k.references && t !== table && has(t)),
    )
  )
}

const ACCOUNT_PASSWORD_COLUMN = /^password(?:_?hash)?$|^hashed_?password$/i

/** The breach as that of somebody who has the role elsewhere. */
export function acrossHouses(breach: OwnershipBreach, { house, role }: RoleInHouse, e: Query, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach {
  const { ownerKnown: _, ...rest } = breach
  const takes = tableOf(e, schema)?.columns.find((c) => ACCOUNT_PASSWORD_COLUMN.test(c.name) && isFreelyWritten(e, c.name))
  return {
    ...rest,
    severity: takes ? 'Critical' : 'High',
    role,
    house: house.column,
    above: house.above,
    ownerColumn: house.column,
    ...(takes ? { takesOver: takes.name } : {}),
  }
}

/** The request says what is written into the column. */
const isFreelyWritten = ({ payload }: Query, column: string): boolean =>
  payload !== undefined &&
  payloadRows(payload).some((row) => {
    const whole = row.v === 'object' ? row.rest : row
    const own = row.v === 'object' ? Object.entries(row.props).find(([name]) => snakeCase(name) === snakeCase(column)) : undefined
    if (own) return mentions(own[1], (x) => x.v === 'request')
    return whole?.v === 'request' && whole.part === 'body' && !whole.without?.some((name) => snakeCase(name) === snakeCase(column))
  })

/** A new row under one of another house that the request names: a finding in somebody else's report. */
export function addedInHouse(
  step: Step,
  e: Query,
  { house, role }: RoleInHouse,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
): OwnershipBreach[] {
  const table = tableOf(e, schema)
  if (e.op !== 'insert' || !table || !e.payload || ties.byCondition(step)) return []
  const isHouse = (name: string) => snakeCase(name) === house.column
  for (const row of payloadRows(e.payload)) {
    if (row.v !== 'object' || Object.keys(row.props).some(isHouse)) continue
    for (const [column, value] of Object.entries(row.props)) {
      const parent = isRequestControlled(value, behaviour) && directly(value) ? referredTo(table, column, schema) : undefined
      if (!parent?.userData || OWNER_COLUMN.test(column) || !parent.columns.some((c) => isHouse(c.name))) continue
      return [{ ...breachOfParent(step, e, column, value, parent), role, house: house.column, above: house.above }]
    }
  }
  return []
}

/**
 * The rows of everybody's house, where the one of the caller is looked through: `if (user.locationId) query.where(…)`, behind which those who have none
 * get all. Roles over all houses have gone another way by then.
 */
export function filterDropped(step: Step, e: Query, behaviour: Behaviour, houses: readonly House[], schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (
    e.op !== 'select' ||
    e.client.rights !== 'service' ||
    e.unread ||
    e.countOnly ||
    e.one ||
    !isListedInResponse(behaviour.steps, behaviour.steps.indexOf(step))
  )
    return []
  const table = tableOf(e, schema)
  if (!table?.userData || table.stub) return []
  for (const { column, above } of houses) {
    const names = (x: Value) => isOwn(x, behaviour) && fieldOf(x) === column
    if (e.filters.some((f) => snakeCase(lastPart(f.column)) === column) || !table.columns.some((c) => snakeCase(c.name) === column)) continue
    const kept = behaviour.steps.some(
      ({ effect: o, at }) =>
        o.kind === 'db' &&
        at.line === step.at.line &&
        at.path === step.at.path &&
        o.filters.some((f) => snakeCase(lastPart(f.column)) === column && names(f.value)),
    )
    const none = step.under.some((c) => c.negated && names(c.test))
    const others = step.under.some((c) => c.negated && rolesCompared(c.test, behaviour).some((r) => above.includes(r)))
    // `if (role !== 'central' && !user.locationId) return 403`: nobody gets here without one
    const refused = step.under.some((c) => valueFor(c.test, names, (x) => rolesCompared(x, behaviour).some((r) => above.includes(r))) === c.negated)
    const mayBeNone = schema.tables.some((t) => ACCOUNT_TABLE_WORD.test(t.name) && t.columns.some((c) => snakeCase(c.name) === column && !c.notNull))
    if (kept && none && others && !refused && mayBeNone)
      return [{ kind: 'listing', severity: 'High', ...aboutQuery(step, e, behaviour), house: column, above, what: `answers with all rows of ${e.table}` }]
  }
  return []
}

/** What a test says to somebody of no house and of no role over all of them, where that settles it. */
function valueFor(test: Value, isHouse: (x: Value) => boolean, asksAbove: (x: Value) => boolean, depth = 0): boolean | undefined {
  const next = (x: Value) => valueFor(x, isHouse, asksAbove, depth + 1)
  if (depth > 8) return undefined
  if (isHouse(test)) return false
  if (test.v === 'op' && (test.op === '&&' || test.op === '||')) {
    const parts = test.of.map(next)
    const settles = test.op === '||'
    return parts.includes(settles) ? settles : parts.includes(undefined) ? undefined : !settles
  }
  if (test.v === 'op' && test.op === '!' && test.of[0]) {
    const inner = next(test.of[0])
    return inner === undefined ? undefined : !inner
  }
  if (asksAbove(test)) return test.v === 'op' && test.op.startsWith('!')
  return undefined
}

/** Whoever looks after the accounts of one house writes what grants rights in all of them: the whole body goes into the row. */
export const raisedInHouse = (found: readonly OwnershipBreach[], { role }: RoleInHouse): readonly OwnershipBreach[] =>
  found.filter((b) => b.kind === 'mass-assignment' && b.severity === 'Critical' && ACCOUNT_TABLE_WORD.test(b.table ?? '')).map((b) => ({ ...b, role }))
