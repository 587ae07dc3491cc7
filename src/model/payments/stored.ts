import { rememberFor } from '../../lib/remember-for.ts'
import type { Behaviour } from '../behaviour/behaviour.ts'
import type { Stored } from './payments.ts'

/** Columns that say until when something was paid: `current_period_end`, `stripeCurrentPeriodEnd`, `premium_until`. */
const END =
  /period_?end|(?:paid|valid|premium|pro|active|access|subscribed)_?until|(?:subscription|plan|premium|access|membership|trial)_?(?:ends?|expires?)|^(?:ends?|expires?)_?(?:at|on)$/i
/** Columns that hold an id of the processor. */
const ITS_ID = /subscription|customer|stripe|paddle|lemon|polar/i

/** Where an endpoint keeps what somebody has bought: the row that it finds by an id of the processor, and until when it was paid. */
export const storedBy = rememberFor(({ steps }: Behaviour): Stored | undefined => {
  const kept = steps.flatMap(({ effect: e, at }): Stored[] => {
    if (e.kind !== 'db' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object') return []
    const end = Object.keys(e.payload.props).find((c) => END.test(c))
    const key = e.filters.find((f) => f.op === 'eq' && ITS_ID.test(f.column))?.column
    return [{ at, library: e.client.library, table: e.table, ...(key ? { key } : {}), ...(end ? { end } : {}) }]
  })
  return kept.find((k) => k.end && k.key) ?? kept.find((k) => k.end) ?? kept.find((k) => k.key)
})
