import { requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { isPartOfTransfer } from '../exceptions/balanced-transfer.ts'
import { breachOfColumn, callerOf, type OwnershipBreach, verbOf } from '../shared/violation.ts'
import { chosenByCaller, payloadRows } from './mass-assignment.ts'

/** Accounts of points and credit that buy something. */
const CREDIT =
  /(?:^|[._])(?:loyalty|reward|bonus|cash_?back|store_credit|credit|wallet)s?_?(?:points?|coins?|balances?|transactions?|ledger|entries|history|movements?)?$/i
const HEIGHT = /^(?:points?|amount|credits?|coins?|value|delta|balance)$/i
const MOVEMENT_KIND_COLUMN = /^(?:status|state|type|kind|direction|reason)$/i
/** Only asked for, or taken away. */
const NO_GRANT = /pending|request|initiat|creat|process|await|draft|spen[dt]|redeem|debit|withdraw|use|usage|purchase|deduct|consum|charge/i

/**
 * `loyalty_points.insert({ customer_id, points: body.points })`: a line of an account that buys something, as high as the caller says. That the
 * account is the own one is no tie.
 */
export function creditBreaches(step: Step, e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'enums'>): OwnershipBreach[] {
  if (e.op !== 'insert' || e.client.rights !== 'service' || !e.payload || !CREDIT.test(e.table)) return []
  return payloadRows(e.payload).flatMap((row): OwnershipBreach[] => {
    if (row.v !== 'object' || Object.entries(row.props).some(([name, v]) => MOVEMENT_KIND_COLUMN.test(name) && isSaid(v))) return []
    const height = Object.entries(row.props).find(([name, v]) => HEIGHT.test(name) && chosenByCaller(v, behaviour, schema))
    // what is written down of a transfer was taken from somebody
    if (!height || behaviour.steps.some((other) => isPartOfTransfer(other, behaviour))) return []
    const breach = breachOfColumn('power', step.at, { verb: verbOf(e), table: e.table }, height[0], nameIn(height[1]))
    return [{ ...breach, own: true, callerAs: callerOf(behaviour) }]
  })
}

const isSaid = (v: Value): boolean => v.v === 'const' && NO_GRANT.test(String(v.value))

/** `Number(points)` is what the request calls `points`. */
const nameIn = (v: Value): string => requestName(v) ?? (v.v === 'call' && v.args[0] ? requestName(v.args[0]) : undefined) ?? 'a value of the request'
