import type { Table } from '../../database.ts'
import { isOnePerUser } from '../column-authority/privilege-columns.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'

/** Whom somebody lets in is his to say, also when people may enter themselves. */
const LISTS_PEOPLE = /invit|member|participant|share|collaborat|permission|roster|seat/i
const GIVEN_WORK = /assign|invit|responsib/i

const names = (way: Way, column: string): boolean =>
  way.ownerColumns.includes(column) || way.tiedColumns.includes(column) || way.states.some((s) => s.column === column)

/**
 * Owner columns in which a new row takes nobody but the caller, and which another party of the row may change afterwards: a booking that only its guest
 * makes, and whose guest the host then replaces. Colleagues of one tenant are no such parties.
 */
export function enteredByOneself(
  table: Table,
  reading: Reading,
  readings: readonly Reading[],
  memberships: ReadonlySet<string>,
  tables: readonly Table[],
): readonly string[] {
  if (LISTS_PEOPLE.test(table.name)) return []
  const adding = readings.filter((r) => r.command === 'insert' && r.role === 'authenticated').flatMap((r) => r.ways.filter((w) => w.outcome !== 'role'))
  if (!adding.length || adding.some((w) => w.outcome === 'open' || w.outcome === 'unknown')) return []
  const asParty = (w: Way) => (w.outcome === 'owner' || w.outcome === 'via') && !w.needsRole && !w.bySetting && !w.tables.some((t) => memberships.has(t))
  const lets = (ways: readonly Way[], column: string) => ways.some((w) => asParty(w) && !names(w, column))
  return (table.userData?.ownerColumns ?? []).filter(
    (c) =>
      !table.primaryKey.includes(c) &&
      !GIVEN_WORK.test(c) &&
      // whom a row of the caller's clients names is not the caller
      adding.every((w) => w.ownerColumns.includes(c) || namesOwnProfile(table, w, c, tables)) &&
      lets(reading.ways, c) &&
      lets(reading.newRow ?? reading.ways, c),
  )
}

/** The column refers to the one row that stands for the caller (`profiles`, whose ids are not the users'), and that alone was asked. */
function namesOwnProfile(table: Table, way: Way, column: string, tables: readonly Table[]): boolean {
  const [asked, ...others] = way.tables
  const key = table.foreignKeys.find((f) => f.columns.length === 1 && f.columns[0] === column)
  if (way.outcome !== 'via' || others.length || key?.references !== asked || way.tiedColumns.join() !== column) return false
  const profile = tables.find((t) => nameOf(t) === asked)
  return profile !== undefined && /(^|_)(profiles?|users?|accounts?)$/i.test(profile.name) && isOnePerUser(profile)
}
