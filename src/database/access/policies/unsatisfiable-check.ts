import type { Catalog, Table } from '../../database.ts'
import type { RowState, Way } from '../expression/disjunct.ts'
import { nameOf } from './read-policies.ts'

/** `CHECK ((kind = ANY (ARRAY['a'::text, 'b'::text])))`, as the database writes a list of what a column may hold. */
const ONE_OF = /^(?:check\s*)?\(*"?(\w+)"?\)?(?:::\w[\w ]{0,40})?\s{0,5}=\s*any\s*\(+array\[([^\]]*)\]/i

/** Whether a CHECK of the table refuses every row in the state that a way asks for: the policy opens what cannot be there. */
export function isExcludedByChecks(table: Table, states: readonly RowState[]): boolean {
  return (
    refusesNulls(table, states) ||
    states.some(({ column, op, value }) => op === '=' && typeof value === 'string' && (table.checks ?? []).some((c) => excludes(c, column, value)))
  )
}

/** The same for the rows of other tables that a way asks for: nobody has a membership in a state that its table refuses. */
export function asksForTheImpossible({ gates, parentStates }: Way, catalog: Catalog): boolean {
  return [...gates, ...parentStates].some((state) => {
    const table = catalog.tables.find((t) => nameOf(t) === state.table)
    return table !== undefined && isExcludedByChecks(table, [state])
  })
}

function excludes(check: string, column: string, value: string): boolean {
  const list = / or /i.test(check) ? undefined : ONE_OF.exec(check)
  return list?.[1] === column && ![...(list[2] as string).matchAll(/'((?:[^']|'')*)'/g)].some((m) => (m[1] as string).replaceAll("''", "'") === value)
}

/** Whether the columns that a way asks to be NULL may not be so, alone (NOT NULL) or together (`CHECK (a IS NOT NULL OR b IS NOT NULL)`). */
function refusesNulls({ columns, checks = [] }: Table, states: readonly RowState[]): boolean {
  const nulls = new Set(states.filter((s) => s.op === 'is null').map((s) => s.column))
  if (!nulls.size) return false
  return columns.some((c) => c.notNull && nulls.has(c.name)) || checks.some((c) => c.length <= 2000 && valueWithNulls(c, nulls) === 'F')
}

/** What a condition is, as the database writes it, where these columns are NULL: T, F, or U where other columns decide. */
function valueWithNulls(check: string, nulls: ReadonlySet<string>): string {
  let text = check
    .replace(/^check\s*/i, '')
    .replaceAll(/'(?:[^']|'')*'/g, 'U')
    .replaceAll(/\bnum_(non)?nulls\(([^()]*)\) (=|>=|>|<|<=|<>) (\d{1,3})\b/g, (_, non: string | undefined, args: string, op: string, n: string) => {
      const named = args.split(',').map((a) => a.trim().replaceAll('"', ''))
      return named.every((a) => nulls.has(a)) ? truth(compares(non ? 0 : named.length, op, Number(n))) : 'U'
    })
    .replaceAll(/(?<![\w"])("?\w{1,63}"?) IS (NOT )?NULL/g, (_, column: string, not: string | undefined) =>
      nulls.has(column.replaceAll('"', '')) ? truth(not === undefined) : 'U',
    )
  for (let inner = text; ; text = inner) {
    inner = text.replaceAll(/\(([^()]*)\)/g, (_, within: string) => truthOf(within))
    if (inner === text) return truthOf(text)
  }
}

const truth = (holds: boolean): string => (holds ? 'T' : 'F')

function compares(count: number, op: string, n: number): boolean {
  if (op === '=') return count === n
  if (op === '<>') return count !== n
  return op === '>' ? count > n : op === '>=' ? count >= n : op === '<' ? count < n : count <= n
}

/** A condition without parentheses of T, F and U; what else stands there is not known. */
function truthOf(condition: string): string {
  const parts = condition.split(' OR ').map((branch) => {
    const all = branch.split(' AND ').map((part) => {
      const [, not, value] = /^\s*(NOT )?([TFU])\s*$/.exec(part) ?? []
      return not ? ({ T: 'F', F: 'T' }[value ?? ''] ?? 'U') : (value ?? 'U')
    })
    return all.includes('F') ? 'F' : all.includes('U') ? 'U' : 'T'
  })
  return parts.includes('T') ? 'T' : parts.includes('U') ? 'U' : 'F'
}
