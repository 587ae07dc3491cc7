import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import type { Reading } from '../policies/read-policies.ts'

/** What lets its holder in somewhere. */
const TICKETS = /(?:^|_)(?:tickets?|passes|admissions?|entradas?|ingressos?|bigliett[io]|eintrittskarten)$/i
/** How it is looked at at the door, or where it came from. */
const SHOWN_AT_DOOR =
  /^(?:qr|bar)_?code(?:_\w{1,20})?$|^(?:original_)?(?:purchaser|buyer)_?id$|^seat(?:_(?:number|id))?$|^(?:validated|checked_in|scanned|used)_(?:at|by)$/i
/** What somebody asks for help with, whatever it is called. */
const ASKS_FOR_HELP = /^(?:subject|priority|description|message|body|assigned_to|assignee_id|department|resolution)$/i
/** What it is for. */
const ADMISSION_SUBJECT_COLUMN =
  /^(?:ticket|pass|admission|seat)_?(?:type|tier|category|class|level|zone|section)(?:_id)?$|^(?:event|show|concert|match|session)_?(?:id|date|name|day)$|^seat(?:_(?:number|id))?$|^(?:order|purchase)_id$|^valid_(?:from|until|on|for)$|^admits$/i

/**
 * Columns that say what a ticket is for, where its holder may change the row: he has one, and not whichever he likes. Who enters such rows himself keeps
 * a list of what he has elsewhere.
 */
export function admissionColumns(table: Table, ways: readonly Way[], readings: readonly Reading[]): readonly string[] {
  const has = (what: RegExp) => table.columns.some((c) => says(what, c.name))
  if (!says(TICKETS, table.name) || !has(SHOWN_AT_DOOR) || has(ASKS_FOR_HELP)) return []
  if (readings.some((r) => r.command === 'insert' && r.ways.some((w) => !w.needsRole && w.outcome !== 'role'))) return []
  if (!ways.some((w) => w.outcome === 'owner' && !w.needsRole)) return []
  return table.columns.filter((c) => !c.generated && says(ADMISSION_SUBJECT_COLUMN, c.name)).map((c) => c.name)
}
