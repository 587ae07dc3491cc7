import type { Catalog, Policy, Table } from '../../database.ts'
import type { JudgeWorld, Way } from '../expression/disjunct.ts'
import type { Evaluator } from '../expression/evaluate.ts'
import { judge } from '../expression/judge.ts'
import { ALWAYS, both, either, NEVER, type Ways } from '../expression/predicate.ts'
import type { Scope, World } from '../expression/scope.ts'
import { parseExpression } from '../expression/tree.ts'

/** How far policies of tables that policies ask are followed. */
const MAX_STEPS = 4

/**
 * Judges a way that binds nobody by itself once more, with row level security of the tables that its sub-queries read: they run with the
 * caller's rights, so `exists (select 1 from invoices where id = invoice_id)` finds the caller's own invoices only.
 */
export function judgeVisible(
  way: Ways[number],
  evaluator: Evaluator,
  catalog: Catalog,
  role: string,
  world: World & JudgeWorld,
  seen: ReadonlySet<number> = new Set(),
): Way[] {
  const judged = (ways: Ways) => judge(ways, evaluator.instances, 0, world)
  const asked = way.flatMap((atom) => (atom.a === 'exists' && atom.instance !== 0 && !seen.has(atom.instance) ? [atom.instance] : []))
  const narrowing = asked.flatMap((instance) => rowsFor(instance, evaluator, catalog, role, world) ?? [])
  if (!narrowing.length || seen.size > MAX_STEPS) return judged([way])
  const narrowed = narrowing.reduce<Ways>(both, [way])
  const known = new Set([...seen, ...asked])
  return judged(narrowed).flatMap((result, i) =>
    result.outcome === 'open' ? judgeVisible(narrowed[i] ?? [], evaluator, catalog, role, world, known) : [result],
  )
}

/** Ways in which a role sees a row of an instance; undefined when it sees all of them. */
function rowsFor(id: number, evaluator: Evaluator, catalog: Catalog, role: string, world: World): readonly [Ways] | undefined {
  const instance = evaluator.instances[id]
  const table = instance?.definer ? undefined : catalog.tables.find((t) => `${t.schema}.${t.name}` === instance?.table)
  if (!table) return undefined
  if (!table.rls.enabled)
    return table.stub || table.outlined ? [[[{ a: 'unknown', because: `row level security of ${table.schema}.${table.name} is not known` }]]] : undefined
  const scope = scopeOf(id, table)
  const holds = (p: Policy) => (p.using === undefined ? (p.permissive ? NEVER : ALWAYS) : expressionWays(p.using, evaluator, scope, world))
  const policies = catalog.policies.filter(
    (p) => p.schema === table.schema && p.table === table.name && (p.command === 'all' || p.command === 'select') && speaksOf(p, role),
  )
  const permitted = policies.filter((p) => p.permissive).reduce<Ways>((ways, p) => either(ways, holds(p)), NEVER)
  return [policies.filter((p) => !p.permissive).reduce<Ways>((ways, p) => both(ways, holds(p)), permitted)]
}

/** The scope of the table's own policies, on the row that the instance stands for. */
function scopeOf(instance: number, table: Table): Scope {
  const columns = table.stub || table.columns.some((c) => c.stub) ? undefined : table.columns.map((c) => c.name)
  return {
    frames: [{ alias: table.name, schema: table.schema, instance, ...(columns ? { columns } : {}) }],
    variables: new Map(),
    inside: [],
  }
}

/** Whether a policy speaks of a role; PUBLIC speaks of all. */
export function speaksOf(policy: Policy, role: string): boolean {
  return policy.roles.length === 0 || policy.roles.some((r) => r === role || r.toLowerCase() === 'public')
}

/** Ways in which an expression holds, as the database deparses it. */
export function expressionWays(text: string, evaluator: Evaluator, scope: Scope, world: World): Ways {
  const tree = parseExpression(world.parse, text)
  if (!tree) return [[{ a: 'unknown', because: 'its expression could not be parsed' }]]
  return evaluator.truth(tree, scope)
}
