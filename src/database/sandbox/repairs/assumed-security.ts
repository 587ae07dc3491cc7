import type { Engine } from '../engine.ts'
import type { Replayed } from '../replay.ts'
import { identOf, standardLiteral } from '../statements/tree.ts'

/**
 * Switches row level security on for tables that only the dashboard created and that the repository writes policies for, unless one of
 * its statements says otherwise: a policy is written for a table where it counts, and only so can it be tried. Gives their names. Runs
 * as the owner.
 */
export async function assumeRowSecurity(
  engine: Engine,
  { repairs, provenance, outlines }: Pick<Replayed, 'repairs' | 'provenance' | 'outlines'>,
): Promise<ReadonlySet<string>> {
  const standIns = [...repairs.standIns.all.values()].filter((s) => s.kind === 'table').map((s) => s.name)
  const outlined = [...provenance.relations].flatMap(([oid, r]) => (outlines.has(r.created.path) ? [oid] : []))
  if (!standIns.length && !outlined.length) return new Set()
  const made = [
    ...(standIns.length ? [`n.nspname || '.' || c.relname in (${standIns.map(standardLiteral).join(', ')})`] : []),
    ...(outlined.length ? [`c.oid in (${outlined.join(', ')})`] : []),
  ]
  const { rows } = await engine.ask(
    `select c.oid::int as oid, n.nspname || '.' || c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where not c.relrowsecurity and c.relkind = 'r' and (${made.join(' or ')}) and exists (select 1 from pg_catalog.pg_policy p where p.polrelid = c.oid)`,
  )
  const names = rows
    .filter((r) => {
      const known = provenance.relations.get(r['oid'] as number)
      return (!known?.createdHere || outlines.has(known.created.path)) && !known?.rlsAt
    })
    .map((r) => r['name'] as string)
  for (const name of names) await engine.exec(`alter table ${identOf(name)} enable row level security`)
  return new Set(names)
}
