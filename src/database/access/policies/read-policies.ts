import type { Catalog, Command, Grant, Policy, Table } from '../../database.ts'
import type { JudgeWorld, Way } from '../expression/disjunct.ts'
import { Evaluator } from '../expression/evaluate.ts'
import { judge } from '../expression/judge.ts'
import { ALWAYS, both, type Ways } from '../expression/predicate.ts'
import { returnsOf } from '../expression/routine.ts'
import type { World } from '../expression/scope.ts'
import { orBranches } from './policy-disjuncts.ts'
import { expressionWays, judgeVisible, speaksOf } from './visibility-of-subqueries.ts'

export const BROWSER_ROLES = ['anon', 'authenticated'] as const
export type BrowserRole = (typeof BROWSER_ROLES)[number]

/** What one permissive policy means for one command and role, restrictive policies included. */
export interface Reading {
  readonly policy: Policy
  readonly command: Command
  readonly role: BrowserRole
  /** Rows that it lets see, change or delete; for INSERT the rows that may be written. */
  readonly ways: readonly Way[]
  /** UPDATE: what the new row must be, when that is another condition. */
  readonly newRow?: readonly Way[]
  /** The alternatives of its condition, each with the ways in that it gives by itself; asked for where a fix is to keep some of them. */
  readonly branches?: () => readonly { readonly text: string; readonly ways: readonly Way[] }[]
}

export const nameOf = (table: { readonly schema: string; readonly name: string }): string => `${table.schema}.${table.name}`

/** Whether a role holds a privilege, for some column at least. */
export function hasPrivilege(grants: readonly Grant[], role: BrowserRole, privilege: Command): boolean {
  return grants.some((g) => g.privilege === privilege && (g.role === role || g.role.toLowerCase() === 'public'))
}

/** Reads every permissive policy of a table for the roles of browsers. */
export function readPolicies(table: Pick<Table, 'schema' | 'name'>, catalog: Catalog, world: World & JudgeWorld): Reading[] {
  const policies = catalog.policies.filter((p) => p.schema === table.schema && p.table === table.name)
  const readings: Reading[] = []
  for (const policy of policies.filter((p) => p.permissive)) {
    for (const command of ['select', 'insert', 'update', 'delete'] as const) {
      if (policy.command !== 'all' && policy.command !== command) continue
      for (const role of BROWSER_ROLES) {
        if (!speaksOf(policy, role)) continue
        const restrictive = policies.filter((p) => !p.permissive && (p.command === 'all' || p.command === command) && speaksOf(p, role))
        const rows = command === 'insert' ? (p: Policy) => p.check ?? p.using : (p: Policy) => p.using
        // a permissive policy without a condition permits nothing, a restrictive one forbids nothing
        const ways = rows(policy) === undefined ? [] : waysOf([policy, ...restrictive].map(rows), table, catalog, world, role)
        const changes = command === 'update' && [policy, ...restrictive].some((p) => p.check !== undefined && p.check !== p.using)
        const text = rows(policy)
        const branches = () => orBranches(text ?? '').map((b) => ({ text: b, ways: waysOf([b, ...restrictive.map(rows)], table, catalog, world, role) }))
        readings.push({
          policy,
          command,
          role,
          ways,
          ...(text !== undefined && (policy.check === undefined || policy.using === undefined || policy.check === policy.using) ? { branches } : {}),
          ...(changes
            ? {
                newRow: waysOf(
                  [policy, ...restrictive].map((p) => p.check ?? p.using),
                  table,
                  catalog,
                  world,
                  role,
                ),
              }
            : {}),
        })
      }
    }
  }
  return readings
}

/** All expressions have to hold; ways that the role cannot take are left out. */
function waysOf(
  expressions: readonly (string | undefined)[],
  table: Pick<Table, 'schema' | 'name'>,
  catalog: Catalog,
  world: World & JudgeWorld,
  role: BrowserRole,
): Way[] {
  const evaluator = new Evaluator(world, returnsOf)
  const scope = evaluator.rowScope(nameOf(table))
  let ways: Ways = ALWAYS
  for (const text of expressions) ways = both(ways, text === undefined ? ALWAYS : expressionWays(text, evaluator, scope, world))
  const visible = (way: Ways[number]) => judgeVisible(way, evaluator, catalog, role, world)
  return judge(ways, evaluator.instances, 0, world)
    .flatMap((way, i) => (way.outcome === 'open' ? visible(ways[i] ?? []) : [way]))
    .filter((way) => possibleFor(way, role))
}

/** The role that a way needs. */
export function possibleFor(way: Way, role: BrowserRole): boolean {
  return role === 'anon' ? way.who !== 'authenticated' : way.who !== 'anon-only'
}
