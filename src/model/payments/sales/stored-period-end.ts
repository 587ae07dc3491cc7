import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour } from '../../behaviour/types.ts'
import type { Stored } from '../payments.ts'

/** Columns that say until when something was paid: `current_period_end`, `stripeCurrentPeriodEnd`, `premium_until`. */
const END =
  /period_?end|(?:paid|valid|premium|pro|active|access|subscribed)_?until|(?:subscription|plan|premium|access|membership|trial)_?(?:ends?|expires?)|^(?:ends?|expires?)_?(?:at|on)$/i
/** Columns that hold the id of a customer or a subscription at the processor, which events about either name; what was paid once has others. */
const PROCESSOR_ID_COLUMN = /customer|subscription(?!_?status)|(?:^|_)sub_?id$/i
const OF_ONE_PAYMENT = /invoice|session|intent|checkout|charge|payment_?id/i
/** Columns that say whether it still is paid. */
const PAID_STATUS_COLUMN = /(?:^|_)status$|Status$/

/** Where an endpoint keeps what somebody has bought: the row that it finds by an id of the processor, until when it was paid, and in which state it is. */
export const storedBy = rememberFor(({ steps }: Behaviour): Stored | undefined => {
  const kept = steps.flatMap(({ effect: e, at }): Stored[] => {
    if (e.kind !== 'db' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object') return []
    const columns = Object.keys(e.payload.props)
    const end = columns.find((c) => END.test(c))
    const state = columns.find((c) => PAID_STATUS_COLUMN.test(c))
    const key = e.filters.find((f) => f.op === 'eq' && PROCESSOR_ID_COLUMN.test(f.column) && !OF_ONE_PAYMENT.test(f.column))?.column
    return [{ at, library: e.client.library, table: e.table, ...(key ? { key } : {}), ...(end ? { end } : {}), ...(state ? { state } : {}) }]
  })
  const best = kept.find((k) => k.end && k.key) ?? kept.find((k) => k.state && k.key) ?? kept.find((k) => k.end) ?? kept.find((k) => k.key)
  if (!best?.state) return best
  const states = steps.flatMap(({ effect: e }) => {
    const value = e.kind === 'db' && e.table === best.table && e.payload?.v === 'object' ? e.payload.props[best.state as string] : undefined
    return value?.v === 'const' && typeof value.value === 'string' ? [value.value] : []
  })
  return states.length ? { ...best, states: [...new Set(states)] } : best
})
