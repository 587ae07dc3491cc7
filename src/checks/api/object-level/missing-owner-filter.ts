import { isMeantToBeSeen, isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import type { Table } from '../../../database/database.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Query, Step } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { isListedInResponse } from '../exceptions/publicly-listed-table.ts'
import { aboutQuery, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

/**
 * Tables of which the application itself shows people their own rows only: some handler selects from them by the caller's id. What else lists
 * them without asking whose they are has forgotten to.
 */
export const keptApart = rememberFor(
  (routes: readonly Route[], tables: SchemaModel['tables']): ReadonlySet<string> =>
    asBefore(new Set(routes.flatMap(({ behaviour }) => (behaviour ? keptBy(behaviour, tables) : [])))),
)

/** What was judged under the same tables stays judged. */
const asBefore = steady<ReadonlySet<string>>()

/** The tables that one behaviour narrows to the caller. */
const keptBy = rememberFor((behaviour: Behaviour, tables: SchemaModel['tables']): readonly string[] => {
  const kept: string[] = []
  for (const { effect: e } of behaviour.steps) {
    if (e.kind !== 'db' || e.op !== 'select' || kept.includes(e.table)) continue
    const owners = personsOf(tableOf(e, { tables }))
    if (e.filters.some((f) => f.op === 'eq' && owners.includes(f.column) && isCallers(f.value, behaviour))) kept.push(e.table)
  }
  return kept
})

/** Columns that say whose a row is, not who entered it for all. */
const PERSON_ID_COLUMN =
  /^(?:(?:user|owner|profile|account|customer|member|client|clerk_user|auth_user|payer|buyer|patient|student)_?id|(?:from|to|sender|recipient|receiver)_?(?:user_?)?id|uid|user|owner)$/i
/** What people write, or is said of them. */
const WRITTEN_CONTENT_COLUMN = /(?:^|_)(?:message|text|content|notes?|body|comment|answer|transcript|prompt|description|details|memo)s?(?:$|_)/i

const personsOf = (table: Table | undefined): readonly string[] => table?.userData?.ownerColumns.filter((c) => PERSON_ID_COLUMN.test(c)) ?? []

/** Everybody's rows of a table that is kept apart elsewhere, in the answer to anybody who is signed in. */
export function unkeptListing(
  step: Step,
  index: number,
  e: Query,
  behaviour: Behaviour,
  schema: Pick<SchemaModel, 'tables'>,
  kept: ReadonlySet<string>,
): OwnershipBreach[] {
  if (e.op !== 'select' || e.one || e.countOnly || e.unread || e.client.rights !== 'service' || !kept.has(e.table)) return []
  const table = tableOf(e, schema)
  if (!table || table.stub || table.userData?.tenantColumns.length || isMeantToBeSeen(table, '', schema.tables)) return []
  const shown = e.columns && !e.columns.includes('*') ? e.columns : table.columns.map((c) => c.name)
  if (!isPrivateByName(table.name) && !shown.some((c) => WRITTEN_CONTENT_COLUMN.test(c))) return []
  // rows that another row, a list of ids or the caller picks are judged by what ties those
  if (!e.filters.every((f) => f.value.v === 'const' || isSearch(f))) return []
  if (!isListedInResponse(behaviour.steps, index) || isSiftedLater(behaviour, index)) return []
  return [
    {
      kind: 'listing',
      severity: 'Critical',
      ...aboutQuery(step, e, behaviour),
      ...(e.client.library ? { library: e.client.library } : {}),
      ownerColumn: personsOf(table)[0] ?? 'user_id',
      apart: true,
      what: `answers with rows of ${e.table} whosever they are`,
    },
  ]
}

/** What is searched for, wherever it stands: no id of anybody's. */
function isSearch({ column, op, value }: Query['filters'][number]): boolean {
  if (op === 'like') return true
  return column === 'OR' && value.v === 'call' && value.args.length > 0 && value.args.every((a) => a.v === 'call' && /^drizzle-i?like$/.test(a.name))
}

/** What was found is compared with the caller afterwards: `rows.filter((r) => r.userId === user.id)`. */
function isSiftedLater({ steps }: Behaviour, index: number): boolean {
  const compares = (x: Parameters<Parameters<typeof mentions>[1]>[0]) =>
    x.v === 'op' && /^[!=]==?$/.test(x.op) && x.of.some((y) => y.v === 'caller') && x.of.some((y) => y.v === 'row' && y.step === index)
  return steps
    .slice(index + 1)
    .some(({ effect, under }) => (effect.kind === 'respond' && effect.body && mentions(effect.body, compares)) || under.some((c) => mentions(c.test, compares)))
}

/** Libraries that run a statement without any condition; the data API refuses one. */
const RUNS_ON_ALL = /^(?:drizzle|prisma|kysely|knex)$/

/** A statement that changes what is the caller's, and everybody else's with it, because it has no condition. */
export function everyRow(step: Step, e: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if ((e.op !== 'update' && e.op !== 'delete') || e.filters.length || e.unread || step.before || !RUNS_ON_ALL.test(e.client.library ?? '')) return []
  const table = tableOf(e, schema)
  const [owner] = personsOf(table)
  if (!table || table.stub || owner === undefined) return []
  return [
    {
      kind: 'every-row',
      severity: 'Critical',
      ...aboutQuery(step, e, behaviour),
      ...(e.client.library ? { library: e.client.library } : {}),
      ownerColumn: owner,
      what: `${verbOf(e)} every row of ${e.table}`,
    },
  ]
}
