import type { Table } from '../database.ts'
import { nameOf } from './policies.ts'
import { readableName } from './sql.ts'
import type { TrialResult } from './trial.ts'

/** The policies of two tables that ask each other: PostgreSQL refuses every query that comes to them, for owners as well. */
export const isRecursion = ({ result, because }: TrialResult): boolean => result === 'error' && because?.startsWith('42P17') === true

/** A question for the row above, as fixes write it: `exists (select 1 from public.leads p where p.id = match_results.lead_id and p.user_id = (select auth.uid()))`. */
const ABOVE =
  /exists \(\s{0,20}select 1 from ([\w."]{1,140}) p\s{1,20}where p\.([\w"]{1,70}) = (?:[\w"]{1,70}\.)?([\w"]{1,70}) and (p\.[\w"]{1,70} = \(select auth\.uid\(\)(?:::text)?\))\s{0,20}\)/g

/**
 * The same fix with the row above asked by a function that row level security does not stop, where the policies of that row ask this table in their turn.
 * Undefined when the fix asks in another way.
 */
export function askedByFunction(code: string, table: Table): string | undefined {
  const functions: string[] = []
  const rewritten = code.replace(ABOVE, (_, above: string, key: string, column: string, owner: string) => {
    const type = table.columns.find((c) => c.name === column.replaceAll('"', ''))?.type ?? 'uuid'
    const name = readableName(`${table.schema}.owns_${above.replace(/^.*\./, '').replaceAll('"', '')}_of_${table.name}`.slice(0, 60))
    const made = `create or replace function ${name}(above ${type}) returns boolean\n  language sql stable security definer set search_path = ''\nas $$ select exists (select 1 from ${above} p where p.${key} = above and ${owner}) $$;`
    if (!functions.includes(made)) functions.push(made)
    return `${name}(${readableName(nameOf(table)).replace(/^.*\./, '')}.${column})`
  })
  return functions.length
    ? `-- a policy that asks ${readableName(nameOf(table))} in its turn would never come to an end: a function asks\n${functions.join('\n')}\n${rewritten}`
    : undefined
}
