import type { Table } from '../../database.ts'
import type { RowState } from '../expression/disjunct.ts'
import type { Reading } from '../policies/read-policies.ts'

/** Columns that hold how far an approval is. */
export const APPROVAL_STATE_COLUMN = /^((approval|verification|review|application|onboarding|kyc|account)_?)?(status|state)$/i
/** A row that waits for somebody else's word. */
const WAITING = /^(pending(_\w{1,20})?|submitted|in_review|under_review|awaiting_\w{1,20}|unverified|waiting|pendiente|pendente|ausstehend)$/i
/** What is put to the user himself, whose answer ends the waiting. */
const ASKS_THE_USER = /invit|request|friend|connection|follow|proposal|offer|quote|match|transfer|challenge|swap|consent|signature/i
const DECIDED_BY =
  /^(reviewed|approved|verified|moderated|rejected|decided|checked)_(by|at|on)(_id)?$|^(reviewer|approver|moderator|admin|rejection)_?(id|notes?|comments?|reason|feedback)$/i

/** Whether a condition on the row itself says that it waits for somebody. */
export const isWaiting = (s: RowState): boolean => s.table === '' && s.op === '=' && APPROVAL_STATE_COLUMN.test(s.column) && WAITING.test(String(s.value))

/**
 * Columns by which a policy lets the owner change a row only as long as it waits for somebody else (`status = 'pending'`), and which the new row
 * may hold as anything: what the others are to say, the owner says himself. `others` are the ways that lead in by a role.
 */
export function heldStates(table: Table, reading: Reading, readings: readonly Reading[]): readonly RowState[] {
  if (!reading.newRow || ASKS_THE_USER.test(table.name)) return []
  const decided =
    table.columns.some((c) => DECIDED_BY.test(c.name)) ||
    readings.some((r) => r.command === 'update' && r.policy.name !== reading.policy.name && r.ways.some((w) => w.outcome === 'role' && w.needsRole))
  if (!decided) return []
  const own = reading.ways.filter((w) => w.outcome === 'owner' && !w.needsRole)
  const [first] = own
  if (!first || !own.every((w) => w.states.some(isWaiting))) return []
  return first.states.filter(isWaiting)
}

/** What only somebody else says of a row that waits. */
const ADMITTED_STATE_VALUE = /^(?:live|active|approved|verified|enabled|accepted|granted|published|ativo|activo|aprovado|aprobado|attivo|approvato)$/i

/**
 * States in which alone users may add rows of a table, by table: a seller's application waits, and those who have a role change that. A function that
 * does it for whoever calls takes the decision from them.
 */
export function heldAtFirst(readings: ReadonlyMap<string, readonly Reading[]>): ReadonlyMap<string, readonly RowState[]> {
  const found = new Map<string, readonly RowState[]>()
  for (const [name, list] of readings) {
    const own = list
      .filter((r) => r.command === 'insert' && r.role === 'authenticated')
      .flatMap((r) => r.ways)
      .filter((w) => !w.needsRole)
    const [first] = own
    if (!first || !own.every((w) => w.outcome === 'owner' && w.states.some(isWaiting))) continue
    if (list.some((r) => r.command === 'update' && r.ways.some((w) => w.outcome === 'role' && w.needsRole))) found.set(name, first.states.filter(isWaiting))
  }
  return found
}

/** Whether a value ends the waiting in the user's favour. */
export const letsIn = (value: unknown): boolean => typeof value === 'string' && ADMITTED_STATE_VALUE.test(value)
