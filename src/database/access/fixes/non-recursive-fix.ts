import type { Catalog, Table } from '../../database.ts'
import type { Hole } from '../hole.ts'
import { inTheirWords } from '../owners/caller-id-column.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { readable, readableName } from '../sql.ts'
import type { TrialResult } from '../trials/trial.ts'
import { fixFor } from './fix-for-hole.ts'
import type { ParentOwner } from './owner-of-parent.ts'

/** The policies of two tables that ask each other: PostgreSQL refuses every query that comes to them, for owners as well. */
export const isRecursion = ({ result, because }: TrialResult): boolean => result === 'error' && because?.startsWith('42P17') === true

/**
 * The fix of a table's hole with the row above asked by a function that row level security does not stop, where the policies of that row ask this table
 * in their turn. Undefined when the fix asks in another way.
 */
export function fixByFunction(hole: Hole, table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  /** By what calls them; a condition that was written down need not have come into the fix. */
  const functions = new Map<string, string>()
  const code = fixFor(hole, catalog, readings, (question) => {
    const { call, definition } = askingFunction(question, table)
    functions.set(call, definition)
    return call
  })
  const called = [...functions].filter(([call]) => code?.includes(call)).map(([, definition]) => inTheirWords(definition, catalog))
  return code && called.length
    ? `-- a policy that asks ${readableName(nameOf(table))} in its turn would never come to an end: a function asks\n${called.join('\n')}\n${code}`
    : undefined
}

/** A function that says whether a row of the table above is the caller's own, and its call for a row of this one. */
function askingFunction({ parent, key, column, own }: ParentOwner, table: Table): { readonly call: string; readonly definition: string } {
  const type = table.columns.find((c) => c.name === column)?.type ?? 'uuid'
  const name = readableName(`${table.schema}.owns_${parent.name}_of_${table.name}`.slice(0, 60))
  return {
    call: `${name}(${readable(table.name)}.${readable(column)})`,
    definition: `create or replace function ${name}(above ${type}) returns boolean\n  language sql stable security definer set search_path = ''\nas $$ select exists (select 1 from ${readableName(nameOf(parent))} p where p.${readable(key)} = above and ${own}) $$;`,
  }
}
