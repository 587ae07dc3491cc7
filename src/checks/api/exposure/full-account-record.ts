/** Whole rows of the accounts of others, which come along with what anybody who is signed in may read. */
import { says } from '../../../lib/snake-case.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isAdministrators } from '../../../model/routes/guards/evidence/evidence.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { aboutQuery, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

/** How somebody is reached. A password may have been left out on the way (`const { password, ...safe } = user`), which is not to be seen here. */
const CONTACT_ADDRESS_COLUMN = /(?:^|_)(?:e_?mail|phone)(?:_?(?:address|number))?$/
/** What is shown of somebody to others. */
const PUBLIC_PROFILE_COLUMN =
  /^(?:id|user_?name|display_?name|name|full_name|nick_?name|handle|(?:avatar|image|photo|picture|profile_(?:image|photo|picture))(?:_?url)?)$/
/** Libraries whose models leave out columns where they say so. */
const COLUMN_HIDING_LIBRARIES: ReadonlySet<string> = new Set(['mongoose', 'typeorm', 'sequelize'])

/**
 * `recent.map(async (trade) => ({ ...trade, buyer: await getUser(trade.buyerId) }))`: whoever some row names is answered with all that the table of accounts
 * keeps of them. The row that names them is neither the caller's nor tied to the caller.
 */
export function wholeAccounts(step: Step, index: number, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (e.op !== 'select' || e.client.rights !== 'service' || e.countOnly || e.unread || e.columns?.length || COLUMN_HIDING_LIBRARIES.has(e.client.library))
    return []
  const table = tableOf(e, schema)
  const data = table?.userData
  if (!table || table.stub || !data || !table.primaryKey.some((c) => data.ownerColumns.includes(c))) return []
  const kept = table.columns.map((c) => c.name).filter((c) => says(CONTACT_ADDRESS_COLUMN, c) || data.powerColumns.includes(c))
  if (!kept.some((c) => says(CONTACT_ADDRESS_COLUMN, c))) return []
  const by = e.filters.find((f) => f.op === 'eq' && table.primaryKey.includes(f.column))?.value
  const source = by?.v === 'row' && by.field !== undefined ? behaviour.steps[by.step] : undefined
  const of = source?.effect
  if (!source || of?.kind !== 'db' || of.op !== 'select' || of.client.rights !== 'service' || of.unread || of.table === e.table) return []
  if (ties.byFilter(e) || ties.byFilter(of) || ties.byCondition(source) || ties.byCondition(step)) return []
  const told = behaviour.steps.some(
    (s, i) =>
      i > index &&
      s.effect.kind === 'respond' &&
      (s.effect.status ?? 200) < 400 &&
      s.effect.body !== undefined &&
      holdsWhole(s.effect.body, index) &&
      !isAdministrators(guardOfStep(s, behaviour)) &&
      !ties.byCondition(s, step) &&
      !ties.byCondition(s, source),
  )
  if (!told) return []
  return [
    {
      kind: 'listing',
      severity: 'Critical',
      ...aboutQuery(step, e, behaviour),
      what: `${verbOf(e)} ${e.table} whole`,
      accounts: { kept: kept.slice(0, 6), shown: table.columns.map((c) => c.name).filter((c) => says(PUBLIC_PROFILE_COLUMN, c)), namedBy: of.table },
    },
  ]
}

/** Whether a row stands in an answer as it was read; what a function makes of it, and what is left of it, may be less. */
function holdsWhole(v: Value, step: number, depth = 0): boolean {
  if (depth > 8) return false
  const next = (x: Value) => holdsWhole(x, step, depth + 1)
  switch (v.v) {
    case 'row':
      return v.step === step && v.field === undefined
    case 'object':
      return (
        Object.values(v.props).some(next) ||
        (v.rest !== undefined && !Object.entries(v.props).some(([name, x]) => x.v === 'const' && says(CONTACT_ADDRESS_COLUMN, name)) && next(v.rest))
      )
    case 'array':
      return v.items.some(next)
    case 'any':
      return v.of.some(next)
    default:
      return false
  }
}
