import type { ParsedFile, Statement } from './statement.ts'
import { nameParts, qualified, relationName, type Tree } from './tree.ts'

/** Policies that a file makes and takes away. */
export interface PolicyLinks {
  /** Made as something new: not dropped before in the same file. */
  readonly made: ReadonlySet<string>
  readonly dropped: ReadonlySet<string>
  /** Tables that it gives policies to. */
  readonly tables: ReadonlySet<string>
}

/** A policy, by its table and its name. */
export const policyKey = (table: string, name: string): string => `${table} ${name}`

/** The policies that a DROP POLICY names. */
export const droppedPolicies = ({ node }: Statement): string[] =>
  ((node.objects ?? []) as readonly Tree[]).map((o) => {
    const parts = nameParts(o.List?.items)
    return policyKey(qualified(parts.slice(0, -1)), parts.at(-1) ?? '')
  })

/** Policies by table and name: who drops one that another file makes was written after it. */
export function policyLinksOf({ statements }: ParsedFile): PolicyLinks {
  const made = new Set<string>()
  const dropped = new Set<string>()
  const tables = new Set<string>()
  for (const s of statements) {
    if (s.kind === 'CreatePolicyStmt') {
      tables.add(relationName(s.node.table))
      const policy = policyKey(relationName(s.node.table), s.node.policy_name)
      if (!dropped.has(policy)) made.add(policy)
    } else if (s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_POLICY') for (const policy of droppedPolicies(s)) dropped.add(policy)
  }
  return { made, dropped, tables }
}

/**
 * A script that drops every policy there is, whatever its table, and gives policies to some tables was run before the tables existed that it passes
 * over: otherwise nobody could reach these. It stands before the first file that gives policies to them.
 */
export function startedOver(ordered: ParsedFile[], policies: ReadonlyMap<ParsedFile, PolicyLinks>): ParsedFile[] {
  for (const f of ordered.filter(dropsEveryPolicy)) {
    const own = policies.get(f)?.tables ?? new Set()
    const otherTables = (o: ParsedFile) => [...(policies.get(o)?.tables ?? [])].filter((t) => !own.has(t))
    const passedOver = ordered.filter((o) => otherTables(o).length > 0)
    const tables = new Set(passedOver.flatMap(otherTables))
    const [first] = passedOver
    if (!own.size || !first || tables.size < WITHOUT_OVERSIGHT) continue
    ordered.splice(ordered.indexOf(f), 1)
    ordered.splice(ordered.indexOf(first), 0, f)
  }
  return ordered
}

/** So many tables are not locked by an oversight. */
export const WITHOUT_OVERSIGHT = 3

/** A script with such a loop. */
export const dropsEveryPolicy = ({ statements }: ParsedFile): boolean => statements.some(dropsEveryPolicyBy)

/** A loop over all policies of the catalog, or of a schema, that drops each. */
export const dropsEveryPolicyBy = (s: Statement): boolean =>
  s.kind === 'DoStmt' &&
  /\bdrop\s+policy\b/i.test(s.text) &&
  /\bpg_polic(?:ies|y)\b/i.test(s.text) &&
  !/\b(?:tablename|policyname|polname|relname)\s{0,9}(?:=|<>|!=|in\b|~|(?:not\s+)?i?like\b)/i.test(s.text)
