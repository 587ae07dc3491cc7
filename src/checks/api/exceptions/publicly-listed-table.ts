import { isMeantToBeSeen, isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { refersToNobodys, tableOf } from '../shared/violation.ts'

/**
 * Tables whose rows the application itself lists for visitors or for everybody who is signed in, whosever they are (the courses of all instructors, the
 * challenges, those of one category): who asks for one of them by its id reads what the list shows. Private by name or with personal columns, a list is a leak and no shop
 * window; among people who meet by their profiles it is what they came for.
 */
export const listedTables = rememberFor(
  (routes: readonly Route[], tables: SchemaModel['tables']): ReadonlySet<string> =>
    asBefore(new Set(routes.flatMap(({ behaviour }) => (behaviour ? listedBy(behaviour, tables) : [])))),
)

/** What was judged under the same tables stays judged. */
const asBefore = steady<ReadonlySet<string>>()

/** What a shop window is sorted by. */
const CATEGORY_COLUMN = /categor|genre|topic|^tag_?id$/i

/** The tables that one behaviour lists. */
const listedBy = rememberFor((behaviour: Behaviour, tables: SchemaModel['tables']): readonly string[] => {
  const listed: string[] = []
  for (const [index, step] of behaviour.steps.entries()) {
    const e = step.effect
    if (e.kind !== 'db' || e.op !== 'select' || e.one || e.countOnly || e.unread || listed.includes(e.table)) continue
    const table = tableOf(e, { tables })
    const guard = guardOfStep(step, behaviour)
    if (!table || (guard && (guard.who !== 'user' || guard.trust !== 'verified'))) continue
    const sorts = (column: string) => CATEGORY_COLUMN.test(column) && refersToNobodys(table, column, { tables })
    if (e.filters.some((f) => f.value.v !== 'const' && !sorts(lastPart(f.column)))) continue
    if (!table.userData || table.stub || isPrivateByName(table.name)) continue
    if (table.userData.personalColumns.length && !meetAmong(table, behaviour)) continue
    if (table.userData.tenantColumns.length && !isMeantToBeSeen(table)) continue
    if (isListedInResponse(behaviour.steps, index)) listed.push(e.table)
  }
  return listed
})

const PROFILE_TABLE_NAME = /(?:^|_)profiles?$/i
const BLOCKS = /(?:^|_)(?:user_?)?blocks?$|(?:^|_)blocked(?:_?(?:users?|profiles?|accounts?))?$/i
const SENSITIVE_COLUMN = /password|token|secret|stripe|bank|iban|salary|(?:^|_)ssn$/i

/** Whether the people of an application meet by their profiles: whom the caller has blocked, or who blocked the caller, is looked up to leave them out. */
function meetAmong({ name, columns }: SchemaModel['tables'][number], behaviour: Behaviour): boolean {
  if (!says(PROFILE_TABLE_NAME, name) || columns.some((c) => says(SENSITIVE_COLUMN, c.name))) return false
  return behaviour.steps.some(
    ({ effect: e }) =>
      e.kind === 'db' && e.op === 'select' && says(BLOCKS, lastPart(e.table)) && e.filters.some((f) => mentions(f.value, (v) => v.v === 'caller')),
  )
}

/** Whether an answer carries what the rows say: a job that looks up what is due lists nothing. Values share their parts: each is looked at once. */
export function isListedInResponse(steps: readonly Step[], index: number): boolean {
  const answers = steps.flatMap(({ effect }) => (effect.kind === 'respond' && (effect.status ?? 200) < 400 && effect.body ? [effect.body] : []))
  const seen = new Set<Value>(answers)
  for (const value of seen) {
    if (value.v === 'row' && value.step === index && !/^(?:id|length)$/.test(value.field ?? '')) return true
    // how many there are, or whether, is not what they say
    const tells = value.v === 'op' ? /^(?:\+|\|\||\?\?|&&)$/.test(value.op) : !(value.v === 'call' && value.name === 'length')
    if (tells) for (const part of partsOf(value)) seen.add(part)
  }
  return false
}
