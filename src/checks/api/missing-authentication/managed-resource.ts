import { says } from '../../../lib/snake-case.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'

/** The addresses under which anybody changes or removes rows of a table. */
export type KeptResources = ReadonlyMap<string, readonly string[]>

/** What the application keeps lists of and has handlers to edit, which nobody guards either. */
export function keptResources(all: readonly Route[]): KeptResources {
  const changed = all.flatMap(({ route, work }) =>
    work.flatMap((w) => (!w.guard && w.table && (w.kind === 'update' || w.kind === 'delete') ? [{ table: w.table, route }] : [])),
  )
  return new Map([...Map.groupBy(changed, (c) => c.table)].map(([table, list]) => [table, list.map((c) => c.route)]))
}

/** Whether a handler adds to what is edited below its own address: `POST /students` beside `DELETE /students/[id]`. A visitor's own order or booking is sent in. */
export function addsToKept({ kind, table = '' }: Work, { route }: Route, kept: KeptResources): boolean {
  if (kind !== 'insert' || says(OF_VISITORS, table)) return false
  return kept.get(table)?.some((at) => at.startsWith(`${route}/`)) === true
}

const OF_VISITORS =
  /(?:^|_)(?:bookings?|reservations?|appointments?|orders?|carts?|cart_items?|rsvps?|registrations?|sign_?ups?|enroll?ments?|votes?|answers?|responses?|reviews?|comments?|ratings?|likes?|posts?|visits?|tickets?|users?|accounts?|guests?|sessions?|donations?|quotes?|posts?|scores?)$/
