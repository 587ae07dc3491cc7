import type { Table } from '../database.ts'
import type { RowState } from './expression/judge.ts'

/** `CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))`, as the database writes a list of what a column may hold. */
const ONE_OF = /^(?:check\s*)?\(*"?(\w+)"?\)?(?:::\w[\w ]{0,40})?\s{0,5}=\s*any\s*\(+array\[([^\]]*)\]/i

/** Whether a CHECK of the table refuses every row in the state that a way asks for: the policy opens what cannot be there. */
export function neverHolds(table: Table, states: readonly RowState[]): boolean {
  return states.some(({ column, op, value }) => op === '=' && typeof value === 'string' && (table.checks ?? []).some((c) => excludes(c, column, value)))
}

function excludes(check: string, column: string, value: string): boolean {
  const list = / or /i.test(check) ? undefined : ONE_OF.exec(check)
  return list?.[1] === column && ![...(list[2] as string).matchAll(/'((?:[^']|'')*)'/g)].some((m) => (m[1] as string).replaceAll("''", "'") === value)
}
