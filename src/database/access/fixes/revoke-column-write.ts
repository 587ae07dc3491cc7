import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Policy, Table } from '../../database.ts'
import { functionObject } from '../functions/security-definer.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { readableName } from '../sql.ts'
import { narrow } from './column-privileges.ts'

const USED_UP = /usage|quota|rate_?limit/i

/** Takes browsers the columns; by a policy for everything they could as well delete the row and insert it again as wanted. */
export function keepFromWriting(
  table: Table,
  columns: readonly string[],
  policy: Policy | undefined,
  catalog: Catalog,
  command: 'insert' | 'update' = 'update',
): string | undefined {
  // of what somebody has used no column is his to write: which time it counts for decides as much as how much it was
  if (command === 'update' && says(USED_UP, table.name) && policy?.command !== 'insert') {
    const all = policy?.command === 'all' ? 'insert, update, delete' : 'update'
    return [`revoke ${all} on ${readableName(nameOf(table))} from anon, authenticated;`, ...stoppedWriters(table, columns, catalog)].join('\n')
  }
  const bound = policy !== undefined && (policy.check === undefined || policy.check === policy.using)
  const privileges = policy?.command === 'all' ? (['insert', 'update'] as const) : [command]
  const code = privileges.map((p) => narrow(table, columns, p, { granting: true, bound })).filter((c) => c !== undefined)
  return code.length ? [...code, ...stoppedWriters(table, columns, catalog)].join('\n') : undefined
}

/** What of the caller's own row in a table policies ask for before they let in: whether he is still a member. */
export function gatesOn(table: Table, readings: ReadonlyMap<string, readonly Reading[]>): readonly string[] {
  const own = [...table.primaryKey, ...(table.userData?.ownerColumns ?? [])]
  const gates = [...readings.values()].flat().flatMap((r) => r.ways.flatMap((w) => w.gates))
  return table.columns.map((c) => c.name).filter((c) => !own.includes(c) && gates.some((g) => g.own && g.table === nameOf(table) && g.column === c))
}

/** Functions that write the columns with the rights of whoever calls them: without the privilege they fail. */
function stoppedWriters(table: Table, columns: readonly string[], { functions, triggers }: Catalog): string[] {
  const plain = (text: string) => text.replace(/\W/g, '.')
  const writes = new RegExp(`\\b(?:update|insert\\s+into)\\s+(?:only\\s+)?(?:"?${plain(table.schema)}"?\\.)?"?${plain(table.name)}"?(?!\\w)`, 'i')
  const named = new RegExp(`\\b(?:${columns.map(plain).join('|')})\\b`, 'i')
  const runsWithRow = (identity: string) => triggers.some((t) => t.function === identity && t.table === nameOf(table) && t.timing === 'before')
  const stopped = functions.filter(
    (f) =>
      !f.securityDefiner &&
      !f.stub &&
      !runsWithRow(f.identity) &&
      f.executableBy.some((r) => r !== 'service_role') &&
      writes.test(f.body) &&
      named.test(f.body),
  )
  return stopped
    .slice(0, 5)
    .map(
      (f) =>
        `-- ${functionObject(f)} writes them with the rights of its caller and fails then: make it SECURITY DEFINER, once it binds auth.uid() and takes no value that decides`,
    )
}
