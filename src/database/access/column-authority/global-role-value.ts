import { withArticle } from '../../../lib/article.ts'
import type { Table } from '../../database.ts'
import type { RowState } from '../expression/disjunct.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { isExcludedByChecks } from '../policies/unsatisfiable-check.ts'
import { ident, literal, readable, readableName } from '../sql.ts'

/** Who is called so stands above every tenant. */
export const ABOVE_TENANTS = /^(?:is_?)?(?:super|sys(?:tem)?|app|platform|global|site)[-_ ]?(?:adm[io]n\w*|user|owner|operator)$/i

/**
 * The value of a role by which policies let its holder in at every tenant, where a policy that asks for a role within the tenant takes it for a new or
 * changed row: a tenant's administrator makes himself, or a second account of his, one of those who run the whole application.
 */
export function raisedAbove(
  table: Table,
  reading: Reading,
  readings: ReadonlyMap<string, readonly Reading[]>,
  free: (column: string) => boolean,
): RowState | undefined {
  const written = reading.newRow ?? reading.ways
  const gatesOf = (state: RowState) => state.table === nameOf(table) && state.op === '=' && typeof state.value === 'string' && ABOVE_TENANTS.test(state.value)
  for (const way of [...readings.values()].flat().flatMap((r) => (r.role === 'authenticated' ? r.ways : []))) {
    if (way.outcome !== 'role' || way.because !== undefined) continue
    const above = way.gates.find(gatesOf)
    if (!above || !free(above.column) || isExcludedByChecks(table, [above])) continue
    const within = written.filter((w) => w.outcome === 'via' && w.gates.some((g) => g.table === above.table && g.column === above.column && !gatesOf(g)))
    if (within.some((w) => !w.states.some((s) => s.column === above.column)))
      return { table: above.table, column: above.column, op: '=', value: String(above.value) }
  }
  return undefined
}

/** A policy that keeps such a value from everybody but the server. */
export function keepAbove(table: Table, { column, value }: RowState, command: 'insert' | 'update'): string {
  const condition = `${readable(column)} is distinct from ${literal(String(value))}`
  return `create policy ${ident(`Only the server appoints ${withArticle(String(value))} (${command})`)} on ${readableName(nameOf(table))}\n  as restrictive for ${command} to authenticated\n  ${command === 'update' ? 'using (true)\n  ' : ''}with check (${condition});`
}
