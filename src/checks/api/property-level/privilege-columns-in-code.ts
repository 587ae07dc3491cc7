import { grantsPower } from '../../../database/access/column-authority/privilege-columns.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'
import { namesAdministrator } from '../../../model/routes/guards/identity-words.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { ACCOUNT_TABLE_WORD } from '../auth-flows/registration.ts'
import { breachOfColumn, type OwnershipBreach, verbOf } from '../shared/violation.ts'
import { isHarmlessChoice, payloadRows } from './mass-assignment.ts'

/**
 * What the application asks of an account where only administrators get through, whatever it is called: `user.portalType !== 'admin'`. Names that say by
 * themselves that they grant something are known without.
 */
export const decidingColumns = rememberFor((routes: readonly Route[]): readonly string[] =>
  asBefore([...new Set(routes.flatMap(({ behaviour }) => (behaviour ? askedOfAccounts(behaviour) : [])))].sort()),
)

/** Such columns of one behaviour. */
const askedOfAccounts = rememberFor(({ steps }: Behaviour): readonly string[] => {
  const found = new Set<string>()
  for (const { under } of steps)
    for (const { test, otherwise } of under) if (otherwise.ends && (otherwise.status === 401 || otherwise.status === 403)) mentions(test, (x) => note(x, found))
  return [...found]
})

/** What was judged beside the same columns stays judged. */
const asBefore = steady<readonly string[]>()

function note(x: Value, found: Set<string>): boolean {
  if (x.v !== 'op' || !/^[!=]==?$/.test(x.op) || !x.of.some((y) => y.v === 'const' && namesAdministrator(y.value))) return false
  for (const y of x.of) {
    const field = y.v === 'caller' || (y.v === 'row' && ACCOUNT_TABLE_WORD.test(y.table)) ? y.field : undefined
    const column = field && snakeCase(lastPart(field))
    if (column && !grantsPower(column)) found.add(column)
  }
  return false
}

/** A registration, or somebody who signs in, writes such a column of the own account as the request says. */
export function decidingBreaches(step: Step, behaviour: Behaviour, deciding: readonly string[], open: boolean): OwnershipBreach[] {
  const e = step.effect
  if (!deciding.length || e.kind !== 'db' || e.client.rights !== 'service' || !ACCOUNT_TABLE_WORD.test(e.table) || !e.payload) return []
  if (open ? e.op !== 'insert' : e.op !== 'update' || !e.filters.some((f) => f.op === 'eq' && isCallers(f.value, behaviour))) return []
  return payloadRows(e.payload).flatMap((row): OwnershipBreach[] => {
    if (row.v !== 'object') return []
    const named = Object.entries(row.props).flatMap(([name, value]) => (deciding.includes(snakeCase(name)) && isFree(step, value) ? [{ name, by: value }] : []))
    const left =
      row.rest?.v === 'request' && !row.rest.as && !row.rest.without && open
        ? deciding.filter((c) => !Object.keys(row.props).some((p) => snakeCase(p) === c))
        : []
    return [...named, ...left.map((name) => ({ name, by: row.rest as Value }))].slice(0, 1).map(({ name, by }) => ({
      ...breachOfColumn('power', step.at, { verb: verbOf(e), table: e.table }, name, requestName(by) ?? 'the request body'),
      ...(open ? { open: true as const } : {}),
    }))
  })
}

/** Whoever calls may set it to what an administrator has. */
const isFree = (step: Step, value: Value): boolean =>
  value.v === 'request' && (value.as === undefined || (value.as === 'enum' && (value.choices ?? []).some(namesAdministrator))) && !isHarmlessChoice(step, value)
