import type { Table } from '../../../database/database.ts'
import { says } from '../../../lib/snake-case.ts'

/** Names of tables that everybody depends on. */
export const DEPENDED_ON =
  /price|plan|product|setting|config|avail|room|inventory|stock|feature|flag|discount|coupon|promo|schedule|slot|service|menu|rule|role|permission|template|prompt|tax|shipping|currenc|limit|quota|banner|announce|calendar|hour|page|content|course|question|(?:system|platform|site|app|global)_(?:controls?|switch(?:es)?|modes?|state)|kill_?switch|lockdown|maintenance_mode/i

/** What is written down, tried out or kept by machines for themselves: nobody's day depends on it. */
export const WRITTEN_DOWN =
  /(^|_)(logs?|tests?|testing|demo|debug|monitoring|metrics?|telemetry|analytics|analysis|heartbeats?|health|errors?|autonomous|agents?|interactions?|traces?|diagnostics?|cache)(_|$)/i

const PUBLIC_PRICE_COLUMN = /(^|_)(price|fee|cost|amount|rate|capacity|stock|seats)(_(cents|usd|eur|gbp|brl|amount|per_\w{1,20}))?$/i

const priceOf = ({ columns }: Pick<Table, 'columns'>): string | undefined =>
  columns.find((c) => /^(?:int|bigint|smallint|numeric|real|double|money)/.test(c.type) && says(PUBLIC_PRICE_COLUMN, c.name))?.name

/** Rows that everybody depends on: what things cost, how much of them there is, how the application is set up. */
export const dependedOn = (table: Pick<Table, 'name' | 'columns'>): boolean =>
  !WRITTEN_DOWN.test(table.name) && (DEPENDED_ON.test(table.name) || priceOf(table) !== undefined)

/** What a row that everybody may change costs, in words. */
export const charged = (table: Table | undefined): string => {
  const price = table && !table.userData ? priceOf(table) : undefined
  return price ? `, ${price} included` : ''
}
