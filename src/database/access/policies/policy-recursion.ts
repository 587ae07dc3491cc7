import type { AccessObject, Catalog, Policy, Table } from '../../database.ts'
import type { Hole } from '../hole.ts'
import { ident, readable, readableName } from '../sql.ts'
import { orBranches } from './policy-disjuncts.ts'
import { nameOf } from './read-policies.ts'

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
  const asks = asksOf(table)
  return policies.find(
    (p) => p.schema === table.schema && p.table === table.name && (p.command === 'select' || p.command === 'all') && asks.test(p.using ?? ''),
  )
}

const asksOf = (table: Table): RegExp => new RegExp(`\\b(?:from|join)\\s+\\(*"?(?:${table.schema}"?\\."?)?${table.name.replace(/\W/g, '.')}"?\\b`, 'i')

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

/**
 * Policies of a table whose questions to other rows PostgreSQL would refuse once row level security is on, because they come back to the table: the same
 * questions, put to functions that row level security does not stop. Undefined where one of them asks by the row itself.
 */
export function askedByFunctions(table: Table, { policies }: Catalog, which: 'itself' | 'all'): string | undefined {
  const asks = which === 'itself' ? asksOf(table) : /\bfrom\b/i
  const asking = policies.filter((p) => p.schema === table.schema && p.table === table.name && asks.test(`${p.using ?? ''} ${p.check ?? ''}`))
  const functions = new Map<string, { readonly name: string; readonly returns: string; readonly body: string }>()
  const on = readableName(nameOf(table))
  const altered = asking.map((policy) => {
    const clause = (condition: string | undefined) =>
      condition === undefined
        ? undefined
        : orBranches(condition)
            .map((branch) => {
              if (!asks.test(branch)) return branch
              const [, column, query] = IN_SUBQUERY_CONDITION.exec(branch.replace(/^\(([^\0]*)\)$/, '$1')) ?? []
              const type = table.columns.find((c) => c.name === column)?.type
              const asked = type && query ? { returns: `setof ${type}`, body: query } : { returns: 'boolean', body: `select ${branch}` }
              const name = functions.get(asked.body)?.name ?? nameFor(table, functions.size)
              functions.set(asked.body, { ...asked, name })
              return type && query ? `${readable(column as string)} in (select ${name}())` : `(select ${name}())`
            })
            .join(' or ')
    const [using, check] = [clause(policy.using), policy.check === policy.using ? undefined : clause(policy.check)]
    return `alter policy ${ident(policy.name)} on ${on}${using === undefined ? '' : ` using (${using})`}${check === undefined ? '' : ` with check (${check})`};`
  })
  if (!altered.length) return undefined
  const made = [...functions.values()].map(
    ({ name, returns, body }) =>
      `create function ${name}() returns ${returns}\n  language sql stable security definer set search_path = ${readable(table.schema)}, pg_temp\nas $$ ${body} $$;`,
  )
  return [...made, ...altered].join('\n')
}

/** `org_id IN ( SELECT …)`, as the database writes it. */
const IN_SUBQUERY_CONDITION = /^(\w{1,63}) IN \( (SELECT [^\0]{1,2000})\)$/

const nameFor = (table: Table, n: number): string => readableName(`${table.schema}.${`may_reach_${table.name}`.slice(0, 55)}${n ? `_${n + 1}` : ''}`)
