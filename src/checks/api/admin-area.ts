import { lastPart } from '../../lib/last-part.ts'
import { says } from '../../lib/snake-case.ts'
import type { Behaviour, Effect, Step, Value } from '../../model/behaviour/behaviour.ts'
import { mentions } from '../../model/behaviour/mentions.ts'
import { requestName } from '../../model/behaviour/values.ts'
import { callerOf, fromRequest, type OwnershipBreach, verbOf } from './ownership-breach.ts'
import type { Ties } from './ties.ts'

/** What only administrators should do, by the path, and what the request aims: settings written, money moved, mail sent. */
export function areaBreaches(step: Step, e: Effect, behaviour: Behaviour, ties: Ties): OwnershipBreach[] {
  const base = { kind: 'admin', severity: 'Critical', area: true, at: step.at, callerAs: callerOf(behaviour) } as const
  // what a guard writes down before the handler is no operation of it
  if (step.before || ties.byCondition(step)) return []
  if (e.kind === 'db') {
    if (e.client.rights !== 'service' || e.unread || e.op === 'insert' || ties.byFilter(e)) return []
    if (e.op === 'select') return showsPeople(step, e, behaviour) ? [{ ...base, table: e.table, verb: verbOf(e), what: `${verbOf(e)} ${e.table}` }] : []
    const chosen = e.filters.filter((f) => f.value.v !== 'const')
    if (!chosen.every((f) => fromRequest(f.value, behaviour) || isFoundByRequest(f.value, behaviour))) return []
    const by = chosen[0] && requestName(chosen[0].value)
    return [{ ...base, table: e.table, verb: verbOf(e), ...(by ? { by } : {}), what: `${verbOf(e)} ${e.table}${by ? ` by ${by}` : ''}` }]
  }
  if (e.kind === 'mail' || e.kind === 'payment') {
    const aimed = e.args.find((a) => mentions(a, (x) => x.v === 'request'))
    if (!aimed || (e.kind === 'payment' && !MOVES.test(e.name))) return []
    return [{ ...base, verb: e.name, by: requestName(aimed) ?? 'a value of the request', what: e.kind === 'mail' ? 'sends mail' : `calls ${e.name}` }]
  }
  return []
}

/** `const found = await Request.findById(body.id); found.status = …; await found.save()`. */
function isFoundByRequest(value: Value, behaviour: Behaviour): boolean {
  const found = value.v === 'row' ? behaviour.steps[value.step]?.effect : undefined
  return found?.kind === 'db' && found.filters.length > 0 && found.filters.every((f) => fromRequest(f.value, behaviour))
}

/** What people have asked for, bought or said, by the name of what it is kept in. */
const OF_PEOPLE =
  /(?:^|_)(?:users?|customers?|members?|accounts?|orders?|payments?|transactions?|invoices?|subscriptions?|bookings?|reservations?|appointments?|requests?|messages?|contacts?|inquir(?:y|ies)|enquir(?:y|ies)|leads?|tickets?|complaints?|refunds?|withdrawals?|applications?)$/

/** All rows of people's, or those in some state, as the answer of a handler that is for administrators by its path. */
function showsPeople(step: Step, e: Extract<Effect, { kind: 'db' }>, behaviour: Behaviour): boolean {
  if (e.one || e.countOnly || !says(OF_PEOPLE, lastPart(e.table)) || e.filters.some((f) => f.value.v === 'row')) return false
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
const MOVES =
  /(?:refunds|sessions|invoiceItems|creditNotes|balanceTransactions|transfers|payouts)\.create$|\.(?:update|cancel|del|capture|confirm|void\w*|pay)$/i

/** What is done to others there is an operation for administrators, whatever else it would be called. */
export function asAdminOperation(b: OwnershipBreach): OwnershipBreach {
  if (b.within || b.house) return b
  return b.kind === 'row' || b.kind === 'listing' || b.kind === 'function' || b.kind === 'payment' || b.kind === 'forged-owner' || b.kind === 'admin'
    ? { ...b, kind: 'admin', severity: 'Critical', area: true }
    : b
}
