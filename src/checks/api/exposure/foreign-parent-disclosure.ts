import { isMeantToBeSeen, isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { isListedInResponse } from '../exceptions/publicly-listed-table.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'
import { breachOfParent, directly, isRequestControlled, type OwnershipBreach, referredTo, tableOf } from '../shared/violation.ts'

/**
 * What comes along where handlers answer people with their own rows, as `document case`: `where: { userId }, include: { case: { select: { title: true } } }`.
 * Who may put the own row under any case reads the title of each.
 */
export const toldAlong = rememberFor(
  (routes: readonly Route[]): ReadonlySet<string> => asBefore(new Set(routes.flatMap(({ behaviour }) => (behaviour ? toldBy(behaviour) : [])))),
)

/** What was judged by the same answers stays judged. */
const asBefore = steady<ReadonlySet<string>>()

/** What somebody has with few others, by name. */
const CONFIDENTIAL_PARENT_TABLE =
  /^(?:(?:client|legal|patient|user|customer)_)?(?:cases?|matters?|dossiers?|folders?|claims?|quotes?|deals?|contracts?|vaults?|records?)$/

/** Beside what comes along stands of which tables people are shown their own rows. */
const OWN = '.own'

const plain = (name: string): string => snakeCase(name).replace(/_/g, '').replace(/s$/, '')

const toldBy = rememberFor((behaviour: Behaviour): readonly string[] =>
  behaviour.steps.flatMap(({ effect: e }, index) => {
    if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'service') return []
    const owned = e.filters.some((f) => mentions(f.value, (v) => isCallers(v, behaviour))) ? [`${OWN} ${plain(lastPart(e.table))}`] : []
    if (!e.columns || !e.filters.some((f) => f.op === 'eq' && isCallers(f.value, behaviour)) || !isListedInResponse(behaviour.steps, index)) return owned
    // that it is there, and its key, say nothing of a row
    const along = e.columns.flatMap((c) => {
      const [, relation, shown] = /^(\w{1,60})\(([^()]{1,400})\)$/.exec(c) ?? []
      return relation && shown?.split(',').some((s) => s.trim() !== 'id') ? [`${e.table} ${plain(relation)}`] : []
    })
    return [...owned, ...along]
  }),
)

/** A row of the caller's own, put under somebody's row that the request names, which comes along when the caller's rows are shown. */
export function toldParents(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  told: ReadonlySet<string>,
): OwnershipBreach[] {
  if (e.op !== 'insert' || !e.payload || e.client.rights !== 'service') return []
  const table = tableOf(e, schema)
  if (!table) return []
  for (const row of payloadRows(e.payload)) {
    if (row.v !== 'object' || !Object.values(row.props).some((v) => isCallers(v, behaviour))) continue
    for (const [column, value] of Object.entries(row.props)) {
      const parent = referredTo(table, column, schema)
      const owners = parent?.userData?.ownerColumns ?? []
      if (!parent || !owners.length || parent.primaryKey.some((c) => owners.includes(c)) || isMeantToBeSeen(parent, '', schema.tables)) continue
      const relation = [column.replace(/_?id$/i, ''), parent.name].map(plain).find((name) => told.has(`${e.table} ${name}`))
      if (
        !relation ||
        !(told.has(`${OWN} ${plain(parent.name)}`) || isPrivateByName(parent.name) || says(CONFIDENTIAL_PARENT_TABLE, parent.name)) ||
        !isRequestControlled(value, behaviour) ||
        !directly(value) ||
        ties.byCondition(step)
      )
        continue
      return [{ ...breachOfParent(step, e, column, value, parent), ownerColumn: owners[0] as string, told: true }]
    }
  }
  return []
}
