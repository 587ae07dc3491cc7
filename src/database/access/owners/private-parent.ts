import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'

/** A column that says under whose row a new one is put, with the table of that row. */
export interface ParentColumn {
  readonly column: string
  readonly parent: string
}

/** Rows that people put under what is others': they ask, answer, join, say what they think of it, or are counted. */
export const FOR_OTHERS =
  /request|applica|invit|report|appeal|rsvp|enrol|registr|participa|member|attend|collaborat|shares?$|view|visit|click|impression|(^|_)(logs?|history|events?|sessions?|activit(y|ies))$|analytic|audit|metric|like|vote|react|favou?rit|bookmark|saved|follow|subscri|answer|respon|submission|entr(y|ies)$|review|rating|feedback|claim|offer|bid|proposal|quote|lead|contact|booking|reserv|order$|orders$|payment|purchase|donation|progress|attempt|result|score|redem/i

/**
 * Parents of a table whose rows are private and through which it is read: who may read the parent reads what hangs on it, so the application
 * takes the row for a part of the parent. Whoever adds rows under any parent puts them before its people.
 */
export function privateParents(table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): readonly ParentColumn[] {
  if (FOR_OTHERS.test(table.name)) return []
  const shown =
    readings
      .get(nameOf(table))
      ?.filter((r) => r.command === 'select')
      .flatMap((r) => r.ways) ?? []
  return table.foreignKeys.flatMap(({ columns, references }) => {
    const [column = ''] = columns
    const parent = catalog.tables.find((t) => nameOf(t) === references)
    if (columns.length !== 1 || references === nameOf(table) || !parent?.rls.enabled || parent.stub) return []
    const through = shown.some((w) => w.outcome === 'via' && !w.needsRole && w.tiedColumns.includes(column) && w.tables.includes(references))
    return through && isPrivate(parent, readings.get(references) ?? []) ? [{ column, parent: references }] : []
  })
}

/** Whether only those whom it names, and who belongs to it, see a row. People themselves are no parents. */
function isPrivate(table: Table, readings: readonly Reading[]): boolean {
  const ways = readings.filter((r) => r.command === 'select').flatMap((r) => r.ways)
  const isPerson = table.primaryKey.length === 1 && table.userData?.ownerColumns.includes(table.primaryKey[0] ?? '') === true
  return !isPerson && ways.some((w) => w.outcome !== 'role') && ways.every((w) => w.outcome === 'owner' || w.outcome === 'via' || w.outcome === 'role')
}

/** Those of them that a way in leaves free. */
export const freeParents = (parents: readonly ParentColumn[], ways: readonly Way[], free: (column: string) => boolean): readonly ParentColumn[] =>
  parents.filter(
    ({ column }) =>
      free(column) &&
      ways.some(
        (w) =>
          w.outcome === 'owner' &&
          !w.needsRole &&
          !w.capability &&
          !w.ownerColumns.includes(column) &&
          !w.tiedColumns.includes(column) &&
          !w.states.some((s) => s.column === column),
      ),
  )
