import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Effect, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

/** Whose row says who pays. */
const PAYING = /(?:^|_)(?:users?|profiles?|accounts?|customers?|members?|compan(?:y|ies)|organi[sz]ations?|orgs?|workspaces?|tenants?|teams?|subscriptions?)$/i

/**
 * The customer of the processor on whom a purchase is booked stands in somebody's row, which the request names. One whom the processor finds by
 * an address is a guest who comes back: what he is shown is that address.
 */
export function booksOnNamedCustomer(e: Effect, { steps }: Behaviour): boolean {
  if (e.kind !== 'payment') return false
  const isFound = (x: Value): boolean => {
    const by = x.v === 'row' ? steps[x.step]?.effect : undefined
    return by?.kind === 'db' && says(PAYING, by.table) && by.filters.some((f) => f.op === 'eq' && isTainted(f.value))
  }
  return e.args.some((a) => a.v === 'object' && a.props.customer !== undefined && mentions(a.props.customer, isFound))
}
