import type { DatabaseGap, ReplayInput } from '../../database.ts'
import type { Engine } from '../engine.ts'
import type { Statement } from './statement.ts'
import { standardLiteral, type Tree } from './tree.ts'

/** Whether a statement drops schemas, with what the platform gives browsers there: default privileges go with the schema that they are of. */
export const dropsSchema = (s: Statement): boolean => s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_SCHEMA'

const schemasOf = (s: Statement): string[] => (s.node.objects ?? []).flatMap((o: Tree) => (o.String ? [String(o.String.sval)] : []))

/**
 * What is not known of exposed schemas that were dropped and made again when no statement gives browsers a privilege on any table there: by the
 * SQL they are closed, but an application that reads them from a browser works only where the dashboard has given them again.
 */
export async function closedByDrops(
  engine: Engine,
  drops: readonly Statement[],
  { exposedSchemas, exposedToBrowsers }: Pick<ReplayInput, 'exposedSchemas' | 'exposedToBrowsers'>,
): Promise<DatabaseGap[]> {
  const last = new Map(drops.flatMap((s) => schemasOf(s).map((name) => [name, s] as const)))
  const gaps: DatabaseGap[] = []
  for (const [name, s] of exposedToBrowsers ? last : []) {
    if (!exposedSchemas.includes(name)) continue
    const { rows } = await engine.ask(
      `select count(*)::int as tables, count(*) filter (where pg_catalog.has_table_privilege('anon', c.oid, 'select, insert, update, delete') or pg_catalog.has_table_privilege('authenticated', c.oid, 'select, insert, update, delete') or pg_catalog.has_any_column_privilege('authenticated', c.oid, 'select, insert, update'))::int as open from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = ${standardLiteral(name)} and c.relkind in ('r', 'p', 'v')`,
    )
    if (!rows[0]?.['tables'] || rows[0]['open']) continue
    gaps.push({
      path: s.path,
      line: s.at.line,
      because: `with the schema ${name} it drops what the platform gives anon and authenticated there, and no statement gives it again: whether the dashboard did is not seen`,
      // with a privilege, what row level security says would count
      touches: [{ topic: 'grant' }, { topic: 'rls' }],
    })
  }
  return gaps
}
