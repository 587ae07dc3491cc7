import type { Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import type { Reading } from '../policies/read-policies.ts'

/** What somebody who works for others is paid, and how it is reckoned; what he asks of his own customers (`hourly_rate`) is his to say. */
const COMPENSATION_RATE_COLUMN =
  /^(?:commission|comissao|comision|provision|payout|payment|pay|revenue|profit)_?(?:rate|percentage|percent|pct|share|split|percentual|porcentaje)$|^(?:percentual|porcentaje)_(?:de_)?(?:comissao|comision)$|^(?:base_|monthly_|annual_)?(?:salary|wage|salario)(?:_(?:cents|amount))?$|^hourly_(?:wage|pay)$|^fixed_(?:room|rent|fee)_?(?:value|amount|rate)?(?:_cents)?$/i

/**
 * Columns that say what a user is paid, in a row that only staff enters: it is about the user, who may change the rest of it (how he is reached, what
 * he is good at), and not what he costs.
 */
export function payTerms(table: Table, ways: readonly Way[], readings: readonly Reading[]): readonly string[] {
  if (!ways.some((w) => w.outcome === 'owner' && !w.needsRole)) return []
  const entering = readings.filter((r) => r.command === 'insert').flatMap((r) => r.ways)
  if (!entering.length || !entering.every((w) => w.outcome === 'role' || w.needsRole)) return []
  return table.columns
    .filter((c) => !c.generated && COMPENSATION_RATE_COLUMN.test(c.name) && /^(?:int|bigint|smallint|numeric|real|double|money)/.test(c.type))
    .map((c) => c.name)
}
