import type { AccessObject } from '../database/database.ts'
import type { AppModel } from '../model/app-model.ts'

/**
 * Names of the objects of the access matrix that a change touches: new ones, those that somebody can now reach more or less of, and tables
 * whose definition or policies were written by files of the change.
 */
export function touchedObjects(base: Pick<AppModel, 'access' | 'schema'>, head: Pick<AppModel, 'access' | 'schema'>): string[] {
  const key = (o: AccessObject) => `${o.kind} ${o.object}`
  const before = new Map(base.access.objects.map((o) => [key(o), JSON.stringify(o)]))
  const rewritten = changedTables(base, head)
  return head.access.objects.filter((o) => before.get(key(o)) !== JSON.stringify(o) || rewritten.has(o.object)).map((o) => o.object)
}

/** Tables with a policy, privilege or switch that the base does not have as it is. */
function changedTables({ schema: base }: Pick<AppModel, 'schema'>, { schema: head }: Pick<AppModel, 'schema'>): Set<string> {
  const describe = (schema: AppModel['schema']) => {
    const parts = new Map<string, string[]>()
    const add = (table: string, part: unknown) => parts.set(table, [...(parts.get(table) ?? []), JSON.stringify(part)])
    for (const t of schema.tables)
      add(`${t.schema}.${t.name}`, [t.rls.enabled, t.rls.forced, t.columns.map((c) => [c.name, c.type]), t.grants.map(({ at: _, ...g }) => g)])
    for (const { at: _, ...p } of schema.policies) add(`${p.schema}.${p.table}`, p)
    return parts
  }
  const before = describe(base)
  return new Set([...describe(head)].filter(([table, parts]) => parts.sort().join() !== (before.get(table) ?? []).sort().join()).map(([table]) => table))
}
