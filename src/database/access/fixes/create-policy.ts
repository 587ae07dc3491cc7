import type { Policy, Table } from '../../database.ts'
import { nameOf } from '../policies/read-policies.ts'
import { ident, readableName } from '../sql.ts'

/** A policy for those who are signed in, as a statement. */
export function createPolicy(table: Pick<Table, 'schema' | 'name'>, name: string, command: Policy['command'], condition: string): string {
  const clauses =
    command === 'insert'
      ? `with check (${condition})`
      : command === 'update' || command === 'all'
        ? `using (${condition})\n  with check (${condition})`
        : `using (${condition})`
  return `create policy ${ident(name)} on ${readableName(nameOf(table))}\n  for ${command} to authenticated\n  ${clauses};`
}

/** A policy that keeps a table readable, for those alone who are signed in unless others read it too. */
export const readableBy = (table: Pick<Table, 'schema' | 'name'>, signedOut: boolean): string =>
  `create policy "${signedOut ? 'Everyone' : 'Everyone who is signed in'} may read" on ${readableName(nameOf(table))}\n  for select to ${signedOut ? 'anon, authenticated' : 'authenticated'}\n  using (true);`
