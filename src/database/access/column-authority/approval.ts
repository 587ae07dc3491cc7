import type { Table } from '../../database.ts'
import type { Reading } from '../policies/read-policies.ts'
import { checkLiterals } from '../trials/seed-values.ts'
import { APPROVAL_STATE_COLUMN } from './pending-state.ts'
import { isOnePerUser } from './privilege-columns.ts'

const UNAPPROVED_STATE_DEFAULT = /^'(pending(_\w{1,20})?|submitted|in_review|under_review|awaiting_\w{1,20}|unverified|waiting)'/i
const ADMITTED_FLAG_COLUMN = /^(approved|verified)$/i
const APPROVED_AT_COLUMN = /^(approved|verified)_(at|on)$/i
const APPROVAL_FLAG_COLUMN = /^(is_)?(approved|verified)$/i

/**
 * Columns of the one row that a user has in a table (a driver, a host, a seller) by which the application tells whom it has let in: the state
 * waits at first, and somebody else than the user says that he is approved.
 */
export function approvalColumns(table: Table, readings: readonly Reading[]): readonly string[] {
  if (!isOnePerUser(table)) return []
  const states = readings.flatMap((r) => r.ways.flatMap((w) => w.states.filter((s) => s.op === '=')))
  const asked = new Set(states.filter((s) => ADMITTED_FLAG_COLUMN.test(String(s.value))).map((s) => s.column))
  const shown = new Set(states.filter((s) => s.value === true).map((s) => s.column))
  return table.columns
    .filter((c) => {
      if (c.generated) return false
      if (APPROVED_AT_COLUMN.test(c.name)) return c.default === undefined
      if (APPROVAL_FLAG_COLUMN.test(c.name)) return c.default === 'false' && shown.has(c.name)
      return (
        APPROVAL_STATE_COLUMN.test(c.name) &&
        UNAPPROVED_STATE_DEFAULT.test(c.default ?? '') &&
        (asked.has(c.name) || checkLiterals(table, c.name).some((v) => ADMITTED_FLAG_COLUMN.test(v)))
      )
    })
    .map((c) => c.name)
}

const BADGE = /^(is_)?(\w{2,12}_)?verified$|^(\w{2,12}_)?verification_status$|^is_super_/i
const UNAPPROVED_DEFAULT = /^(false|'(not_applicable|none|not_\w{1,12}|un\w{1,12}|pending|waiting|submitted)')/i

/**
 * What of somebody others look at and say that it is right, in rows that he makes himself: neither at first nor later is it his to say. Staff changes
 * such rows by a role, or each user has one and shows himself to everybody with it.
 */
export function badgeColumns(table: Table, readings: readonly Reading[], power: readonly string[]): readonly string[] {
  const byStaff = readings.some((r) => r.command === 'update' && r.ways.some((w) => w.outcome === 'role'))
  const shown = isOnePerUser(table) && readings.some((r) => r.command === 'select' && r.ways.some((w) => w.outcome === 'open'))
  if (!byStaff && !shown) return []
  return table.columns.filter((c) => power.includes(c.name) && BADGE.test(c.name) && UNAPPROVED_DEFAULT.test(c.default ?? '')).map((c) => c.name)
}

const MODERATED = /^((approval|verification|review|moderation)_?)?(status|state)$/i

/**
 * Columns by which somebody else decides that what a user sent in is shown: it waits at first, policies show it to others once it is approved, and
 * a role sees or changes such rows beside their owner. What nobody but the owner looks at before is the owner's to publish. At first a table that only
 * the dashboard knows waits for all that can be seen.
 */
export function moderatedColumns(table: Table, readings: readonly Reading[]): readonly string[] {
  if (!table.userData?.ownerColumns.length || isOnePerUser(table)) return []
  const shown = new Set(
    readings
      .flatMap((r) =>
        r.command === 'select'
          ? r.ways.flatMap((w) => (w.outcome === 'open' ? w.states.filter((s) => s.op === '=' && ADMITTED_FLAG_COLUMN.test(String(s.value))) : []))
          : [],
      )
      .map((s) => s.column),
  )
  const decided = readings.some((r) => (r.command === 'update' || r.command === 'select') && r.ways.some((w) => w.outcome === 'role'))
  if (!shown.size || !decided) return []
  const waits = (c: Table['columns'][number]) => UNAPPROVED_STATE_DEFAULT.test(c.default ?? '') || (table.stub === true && c.default === undefined)
  return table.columns.filter((c) => !c.generated && shown.has(c.name) && MODERATED.test(c.name) && waits(c)).map((c) => c.name)
}
