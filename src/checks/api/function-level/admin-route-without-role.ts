import { powerColumnsOf } from '../../../database/access/column-authority/privilege-columns.ts'
import type { AccessMatrix } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { isLog } from '../../../model/routes/operations/row-operations.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { payloadRows } from '../property-level/mass-assignment.ts'
import { callerOf, isRequestControlled, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

/** What only administrators should do, by the path, and what the request aims: settings written, money moved, mail sent. */
export function areaBreaches(
  step: Step,
  e: Effect,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  access: AccessMatrix,
): OwnershipBreach[] {
  const base = { kind: 'admin', severity: 'Critical', area: true, at: step.at, callerAs: callerOf(behaviour) } as const
  // what a guard writes down before the handler is no operation of it
  if (step.before) return []
  // that the row is the caller's own is what makes it worth while
  const own = e.kind === 'db' && e.client.rights === 'caller' && raisesOwnRow(e, schema, access)
  if (!own && ties.byCondition(step)) return []
  if (e.kind === 'auth-call') {
    const [about] = e.op === 'admin' && MAKES_ACCOUNTS.test(e.name) ? e.args : []
    return about && mentions(about, (x) => isRequestControlled(x, behaviour)) ? [{ ...base, verb: e.name, what: `runs ${e.name} with the service role` }] : []
  }
  if (e.kind === 'db') {
    if ((e.client.rights !== 'service' && !own) || e.unread || ties.byFilter(e)) return []
    if (e.op === 'insert') return adds(e, behaviour) ? [{ ...base, table: e.table, verb: verbOf(e), what: `${verbOf(e)} ${e.table}` }] : []
    if (e.op === 'select') return showsPeople(step, e, behaviour) ? [{ ...base, table: e.table, verb: verbOf(e), what: `${verbOf(e)} ${e.table}` }] : []
    const chosen = e.filters.filter((f) => f.value.v !== 'const')
    if (own && !chosen.length) return []
    if (!chosen.every((f) => isRequestControlled(f.value, behaviour) || isFoundByRequest(f.value, behaviour))) return []
    const by = chosen[0] && requestName(chosen[0].value)
    return [{ ...base, table: e.table, verb: verbOf(e), ...(by ? { by } : {}), what: `${verbOf(e)} ${e.table}${by ? ` by ${by}` : ''}` }]
  }
  if (e.kind === 'mail' || e.kind === 'payment') {
    const aimed = e.args.find((a) => mentions(a, (x) => x.v === 'request'))
    if (!aimed || (e.kind === 'payment' && !PROCESSOR_WRITE_CALL.test(e.name))) return []
    return [{ ...base, verb: e.name, by: requestName(aimed) ?? 'a value of the request', what: e.kind === 'mail' ? 'sends mail' : `calls ${e.name}` }]
  }
  return []
}

const MAKES_ACCOUNTS = /(?:^|\.)(?:createUser|inviteUserByEmail)$/

/** Columns that say for whom a row is made: who asks for something there asks for himself. */
const FOR_ONESELF = /^(?:user|member|customer|requester|applicant|profile|account)_?id$|^requested_by$/

/** A new row of the request's words, which is not about the caller and no note of what was done. */
function adds({ table, payload }: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour): boolean {
  if (!payload || isLog(table) || says(AUDIT_OR_NOTIFICATION_TABLE, lastPart(table)) || !mentions(payload, (x) => isRequestControlled(x, behaviour)))
    return false
  return !payloadRows(payload).some(
    (row) => row.v === 'object' && Object.entries(row.props).some(([column, v]) => says(FOR_ONESELF, column) && isCallers(v, behaviour)),
  )
}

/** What a handler writes down beside what it does: that it happened, and who is told. */
const AUDIT_OR_NOTIFICATION_TABLE = /notif|(?:^|_)(?:audit|history|events?|activit(?:y|ies)|queue|usage|metrics?|sessions?|attempts?|requests?)(?:_|$)/

/** Through the caller's own client, where row level security lets people change a row of their own: what it writes there is power or money. */
function raisesOwnRow(e: Extract<Effect, { kind: 'db' }>, schema: Pick<SchemaModel, 'tables'>, { objects }: AccessMatrix): boolean {
  const table = e.op === 'update' ? tableOf(e, schema) : undefined
  if (!table || table.stub || e.payload?.v !== 'object') return false
  const power = powerColumnsOf(table)
  const written = Object.keys(e.payload.props).filter((c) => power.includes(c))
  const cells = objects
    .find((o) => o.kind === 'table' && o.object === `${table.schema}.${table.name}`)
    ?.cells.filter((c) => c.role === 'A' && c.command === 'update' && c.row === 'own')
  return written.some(
    (column) =>
      cells?.some((c) => c.result === 'allowed' && (c.column === undefined || c.column === column)) === true &&
      !cells.some((c) => c.column === column && c.result !== 'allowed'),
  )
}

/** `const found = await Request.findById(body.id); found.status = …; await found.save()`. */
function isFoundByRequest(value: Value, behaviour: Behaviour): boolean {
  const found = value.v === 'row' ? behaviour.steps[value.step]?.effect : undefined
  return found?.kind === 'db' && found.filters.length > 0 && found.filters.every((f) => isRequestControlled(f.value, behaviour))
}

/** What people have asked for, bought or said, by the name of what it is kept in. */
const CUSTOMER_RECORD_TABLE =
  /(?:^|_)(?:users?|customers?|members?|accounts?|orders?|payments?|transactions?|invoices?|subscriptions?|bookings?|reservations?|appointments?|requests?|messages?|contacts?|inquir(?:y|ies)|enquir(?:y|ies)|leads?|tickets?|complaints?|refunds?|withdrawals?|applications?)$/

/** All rows of people's, or those in some state, as the answer of a handler that is for administrators by its path. */
function showsPeople(step: Step, e: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour): boolean {
  if (e.one || e.countOnly || !says(CUSTOMER_RECORD_TABLE, lastPart(e.table)) || e.filters.some((f) => f.value.v === 'row')) return false
  const index = behaviour.steps.indexOf(step)
  return behaviour.steps.some(
    ({ effect: r }) =>
      r.kind === 'respond' &&
      (r.status ?? 200) < 400 &&
      r.body !== undefined &&
      mentions(r.body, (x) => x.v === 'row' && x.step === index && x.field === undefined),
  )
}

/** Calls of a payment processor that change something. */
const PROCESSOR_WRITE_CALL =
  /(?:refunds|sessions|invoiceItems|creditNotes|balanceTransactions|transfers|payouts)\.create$|\.(?:update|cancel|del|capture|confirm|void\w*|pay)$/i

/** What is done to others there is an operation for administrators, whatever else it would be called. */
export function asAdminOperation(b: OwnershipBreach): OwnershipBreach {
  if (b.within || b.house) return b
  return b.kind === 'row' || b.kind === 'listing' || b.kind === 'function' || b.kind === 'payment' || b.kind === 'forged-owner' || b.kind === 'admin'
    ? { ...b, kind: 'admin', severity: 'Critical', area: true }
    : b
}
