import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf } from '../policies/read-policies.ts'

/** Columns of rows that stand for a person: the mechanic, the tutor, the seller that a user is. */
const PERSON_PROFILE_COLUMN =
  /^(?:full|first|last|display|business|professional)_?name$|^(?:hourly|daily|session)_rate$|^(?:biography|bio)$|^(?:license|licence)_number$/i

/** Columns that say who wrote a row, whoever else it names. */
const AUTHOR_SIGNATURE_COLUMN = /(^|_)(author|sender|creator|poster|writer)(_|$)|^(created|posted|sent|submitted|written)_by(_|$)/i

/**
 * The row stands for the caller himself: it is the one that names him (`mechanics.user_id`), and it is his profile. A row that is tied to it is tied to
 * him, and the user whom it names beside is the other party.
 */
const standsForUser = (table: Table): boolean => {
  const owners = table.userData?.ownerColumns ?? []
  const [owner] = owners
  if (owner === undefined || owners.length > 1) return false
  const one = [table.primaryKey, ...table.uniques.filter((u) => !u.partial).map((u) => u.columns)].some((key) => key.length === 1 && key[0] === owner)
  return one || table.columns.some((c) => PERSON_PROFILE_COLUMN.test(c.name))
}

/** Whether a way in leads through the caller's own profile alone, by a column of the row that names it. */
export function isThroughOwnProfile(table: Table, way: Way, { tables }: Catalog): boolean {
  const [parent] = way.tables
  if (parent === undefined || way.tables.length > 1 || !way.tiedColumns.length) return false
  const known = tables.find((t) => nameOf(t) === parent)
  const names = table.foreignKeys.some((k) => k.references === parent && k.columns.length === 1 && way.tiedColumns.includes(k.columns[0] as string))
  return known !== undefined && names && standsForUser(known)
}

/** Whether a column says who wrote a row. */
export const isSignature = (column: string): boolean => AUTHOR_SIGNATURE_COLUMN.test(column)
