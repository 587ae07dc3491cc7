import type { Catalog, Table } from '../database.ts'
import type { RowState, Way } from './expression/way.ts'
import { nameOf } from './policies.ts'

/** `CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))`, as the database writes a list of what a column may hold. */
const ONE_OF = /^(?:check\s*)?\(*"?(\w+)"?\)?(?:::\w[\w ]{0,40})?\s{0,5}=\s*any\s*\(+array\[([^\]]*)\]/i

/** Whether a CHECK of the table refuses every row in the state that a way asks for: the policy opens what cannot be there. */
export function neverHolds(table: Table, states: readonly RowState[]): boolean {
  return states.some(({ column, op, value }) => op === '=' && typeof value === 'string' && (table.checks ?? []).some((c) => excludes(c, column, value)))
}

/** The same for the rows of other tables that a way asks for: nobody has a membership in a state that its table refuses. */
export function asksForTheImpossible({ gates, parentStates }: Way, catalog: Catalog): boolean {
  return [...gates, ...parentStates].some((state) => {
    const table = catalog.tables.find((t) => nameOf(t) === state.table)
    return table !== undefined && neverHolds(table, [state])
  })
}

function excludes(check: string, column: string, value: string): boolean {
  const list = / or /i.test(check) ? undefined : ONE_OF.exec(check)
  return list?.[1] === column && ![...(list[2] as string).matchAll(/'((?:[^']|'')*)'/g)].some((m) => (m[1] as string).replaceAll("''", "'") === value)
}
