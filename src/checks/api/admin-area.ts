import type { Behaviour, Effect, Step } from '../../model/behaviour/behaviour.ts'
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
    if (e.client.rights !== 'service' || e.unread || e.op === 'select' || e.op === 'insert' || ties.byFilter(e)) return []
    const chosen = e.filters.filter((f) => f.value.v !== 'const')
    if (!chosen.every((f) => fromRequest(f.value, behaviour))) return []
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

/** Calls of a payment processor that change something. */
const MOVES =
  /(?:refunds|sessions|invoiceItems|creditNotes|balanceTransactions|transfers|payouts)\.create$|\.(?:update|cancel|del|capture|confirm|void\w*|pay)$/i

/** What is done to others there is an operation for administrators, whatever else it would be called. */
export function asAdminOperation(b: OwnershipBreach): OwnershipBreach {
  if (b.within) return b
  return b.kind === 'row' || b.kind === 'listing' || b.kind === 'function' || b.kind === 'payment' || b.kind === 'forged-owner' || b.kind === 'admin'
    ? { ...b, kind: 'admin', severity: 'Critical', area: true }
    : b
}
