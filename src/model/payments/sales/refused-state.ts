import { checkLiterals } from '../../../database/access/trials/seed-values.ts'
import type { Step, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import type { Processor, RefusedState } from '../payments.ts'
import { tableNamed } from '../webhooks/event-claim.ts'

const SUBSCRIPTION_STATUS_COLUMN = /^(?:\w{1,30}_)?status$/i
/** What the processor calls a subscription whose charge failed, and one that has ended. */
const STATE_BY_PROCESSOR: Readonly<Record<'failed' | 'deleted', Readonly<Record<Processor, string>>>> = {
  failed: { stripe: 'past_due', paddle: 'past_due', lemonsqueezy: 'past_due', polar: 'past_due' },
  deleted: { stripe: 'canceled', paddle: 'canceled', lemonsqueezy: 'expired', polar: 'canceled' },
}

/**
 * The state that a step stores and its column does not take (`'cancelled'` in a list where the processor says `canceled`): the row stays as it
 * was. The client of the data platform returns the error instead of throwing it, so that it is seldom noticed.
 */
export function refusedState(
  { effect: e }: Step,
  what: 'failed' | 'deleted',
  processor: Processor,
  schema: Pick<SchemaModel, 'tables' | 'enums'>,
): RefusedState | undefined {
  if (e.kind !== 'db' || e.client.library !== 'supabase' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object') return undefined
  const table = tableNamed(e.table, schema)
  if (!table) return undefined
  for (const [column, value] of Object.entries(e.payload.props)) {
    const type = SUBSCRIPTION_STATUS_COLUMN.test(column) ? table.columns.find((c) => c.name === column)?.type : undefined
    if (!type) continue
    const labels = schema.enums.find((x) => x.name === type.replace(/^.*\./, '').replaceAll('"', ''))
    const taken = labels?.values ?? checkLiterals(table, column)
    const stored = saidBy(value) ? STATE_BY_PROCESSOR[what][processor] : value.v === 'const' && typeof value.value === 'string' ? value.value : undefined
    if (taken.length > 1 && stored !== undefined && !taken.includes(stored))
      return { table: e.table, column, value: stored, taken, ...(labels ? { enum: `${labels.schema}.${labels.name}` } : {}), at: table.at }
  }
  return undefined
}

/** The state as the event carries it, not one of the application's own that follows from it. */
const saidBy = (v: Value): boolean => (v.v === 'event' || v.v === 'result') && v.field !== undefined && /(?:^|\.)status$/.test(v.field)
