import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { type AskedColumns, askedColumns, powerOf } from './policy-gate-columns.ts'
import { isCalledRights } from './rights-table.ts'

type Readings = ReadonlyMap<string, readonly Reading[]>

/** Of somebody's own row, what lets him do everything or says it one by one. */
const A_RIGHT = /^(?:(?:full|total|all)_access|acesso_total|acceso_total|accesso_totale|permissions?|permiss(?:ao|oes)|permisos?|permessi)$/i
/** Rows that are people themselves hold more than a right, and their owners write them. */
const PEOPLE_TABLE = /(^|_)(profiles?|users?|accounts?|customers?|clients?|usuarios?|clientes?|perfis|perfil(?:es)?|utenti|profili)$/i

const asked = rememberFor((readings: Readings): AskedColumns => askedColumns(readings, { defaultOf: () => undefined }))

/** What of a row gives something: what is called so or paid for, and what policies ask of the caller's own row. */
export const privilegeColumnsOf = (table: Table, readings: Readings): readonly string[] => powerOf(table, asked(readings))

/**
 * Whether the rows of a table are rights and nothing else: whoever writes one of his own gives himself what it says. By its name, by its columns, or
 * because policies ask the caller's row there before they let somebody in as one of those who have a role.
 */
export function holdsRights(table: Table, readings: Readings): boolean {
  if (isCalledRights(table)) return true
  if (says(PEOPLE_TABLE, table.name)) return false
  if (asked(readings).has(nameOf(table))) return true
  return (table.userData?.ownerColumns.length ?? 0) > 0 && table.columns.some((c) => says(A_RIGHT, c.name))
}
