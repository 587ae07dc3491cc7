import type { AccessObject, Catalog, Policy, Table } from '../database.ts'
import type { Hole } from './hole.ts'
import { nameOf } from './policies.ts'
import { ident, readable, readableName } from './sql.ts'

const RECURSION = /^42P17 infinite recursion detected in policy for relation "([^"]+)"/

/**
 * Policies that ask their own table on the way: PostgreSQL refuses every query that comes to them, of the table and of those whose policies ask it,
 * owners included. One for each table that goes round in a circle.
 */
export function recursions(catalog: Catalog, objects: readonly AccessObject[]): readonly Hole[] {
  const stopped = new Map<string, string[]>()
  for (const { kind, object, cells } of objects) {
    const cell = kind === 'table' ? cells.find((c) => c.role === 'A' && c.command === 'select' && c.row === 'own') : undefined
    const relation = RECURSION.exec(cell?.because ?? '')?.[1]
    if (relation !== undefined) stopped.set(relation, [...(stopped.get(relation) ?? []), object])
  }
  return [...stopped].flatMap(([relation, found]) => {
    const table = catalog.tables.find((t) => t.name === relation && found.includes(nameOf(t))) ?? catalog.tables.find((t) => t.name === relation)
    const policy = table && asksItself(table, catalog)
    if (!table || !policy || table.stub) return []
    const code = throughFunction(table, policy)
    return [
      {
        kind: 'locked' as const,
        object: nameOf(table),
        command: 'select' as const,
        policy: policy.name,
        who: 'authenticated' as const,
        because: 'recursion',
        tables: found.filter((f) => f !== nameOf(table)).map((f) => ({ table: f, command: 'select' as const })),
        at: policy.at,
        proof: 'executed' as const,
        ...(code ? { fix: { code, proved: false } } : {}),
      },
    ]
  })
}

/** The policy for reading that has the table in a query of its own. */
function asksItself(table: Table, { policies }: Catalog): Policy | undefined {
  const asks = new RegExp(`\\b(?:from|join)\\s+\\(*"?(?:${table.schema}"?\\."?)?${table.name.replace(/\W/g, '.')}"?\\b`, 'i')
  return policies.find(
    (p) => p.schema === table.schema && p.table === table.name && (p.command === 'select' || p.command === 'all') && asks.test(p.using ?? ''),
  )
}

/** `org_id IN ( SELECT profiles_1.org_id FROM profiles profiles_1 WHERE (profiles_1.id = auth.uid()))`, as the database writes it. */
const MY_OWN =
  /^\(?(\w{1,63}) IN \( SELECT (?:\w{1,63}\.)?(\w{1,63})\s+FROM (?:public\.)?(\w{1,63})(?: \w{1,63})?\s+WHERE \((?:\w{1,63}\.)?(\w{1,63}) = auth\.uid\(\)\)\)\)?$/

/** The same question, put to a function that row level security does not stop. */
function throughFunction(table: Table, policy: Policy): string | undefined {
  const [, asked, column, from, key] = MY_OWN.exec((policy.using ?? '').trim()) ?? []
  const type = table.columns.find((c) => c.name === column)?.type
  if (!asked || !column || from !== table.name || !key || !type) return undefined
  const name = readableName(`${table.schema}.my_${column}`)
  const on = readableName(nameOf(table))
  return `create function ${name}() returns setof ${type}\n  language sql stable security definer set search_path = ''\nas $$ select ${readable(column)} from ${on} where ${readable(key)} = (select auth.uid()) $$;\nalter policy ${ident(policy.name)} on ${on} using (${readable(asked)} in (select ${name}()));`
}
