import type { SqlFunction, Table } from '../../database.ts'
import { saysOnlyWhen } from '../row-audience/free-busy.ts'

/** What anybody who books has to know: which times are free, or taken. */
const TIMES = /(^|_)(available|availability|free|open|booked|busy|taken|occupied|blocked)_?\w*(slots?|times?|dates?|days?|hours?)(_|$)|(^|_)slot_?availability/i
/** Whether somebody may go on, by how often he has tried. */
const RATE_LIMIT_FUNCTION_NAME = /^(check|enforce|verify|is|within)_\w*(rate_?limit|throttle)/i
const MEASURE_TYPE = /^(date|time|timestamp|interval|tstzrange|tsrange|daterange|boolean|smallint|integer|bigint|numeric|real|double)/i

/**
 * Whether a function answers a question that strangers are meant to ask: the free times of a calendar, without who took the others, or whether a limit
 * is reached. `columns` are those of `table` that its answer is made of.
 */
export function answersStrangers(fn: Pick<SqlFunction, 'name'>, columns: readonly string[], table: Table | undefined): boolean {
  if (RATE_LIMIT_FUNCTION_NAME.test(fn.name)) return table?.schema !== 'auth'
  const data = table?.userData
  if (!table || !data || !TIMES.test(fn.name)) return false
  const asked = columns.includes('*') ? table.columns.map((c) => c.name) : columns
  if (asked.some((c) => data.personalColumns.includes(c))) return false
  // a whole row is only looked at for the lengths and hours in it
  return columns.includes('*') || columns.every((c) => saysOnlyWhen([c]) || MEASURE_TYPE.test(table.columns.find((x) => x.name === c)?.type ?? ''))
}
