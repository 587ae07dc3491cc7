import type { Evaluator } from './evaluate.ts'
import { kindAndFields, type Tree, uncast } from './tree.ts'

/** The statements of a text; undefined when PostgreSQL cannot parse it. */
export function parseAll(evaluator: Evaluator, sql: string): Tree[] | undefined {
  try {
    return (evaluator.world.parse(sql).stmts ?? []).map((s) => s.stmt)
  } catch {
    return undefined
  }
}

/** The tree of a text that is an expression. */
export function expression(evaluator: Evaluator, text: string): Tree | undefined {
  return parseAll(evaluator, `select ${text}`)?.[0]?.['SelectStmt']?.targetList?.[0]?.ResTarget?.val
}

/** The expression that a node of a plpgsql body holds as text. */
export function expressionOf(evaluator: Evaluator, node: Tree | undefined): Tree | undefined {
  const text = node?.['PLpgSQL_expr']?.query
  return typeof text === 'string' ? expression(evaluator, text) : undefined
}

/** The statement that it holds as text. */
export function queryOf(evaluator: Evaluator, node: Tree | undefined): Tree | undefined {
  const text = node?.['PLpgSQL_expr']?.query
  return typeof text === 'string' ? parseAll(evaluator, text)?.[0] : undefined
}

/** Calls that a statement certainly makes: in its target list or FROM, not behind a condition. */
export function unconditionalCalls(node: Tree | undefined): Tree[] {
  const [kind, n] = kindAndFields(uncast(node))
  if (kind === 'FuncCall') return [n]
  if (kind === 'CallStmt') return [n['funccall'] ?? {}]
  if (kind !== 'SelectStmt') return []
  const targets = (n['targetList'] ?? []).flatMap((t: Tree) => unconditionalCalls(t['ResTarget']?.val))
  const from = (n['fromClause'] ?? []).flatMap((f: Tree) => unconditionalCalls(f['RangeFunction']?.functions?.[0]?.List?.items?.[0]))
  return n['whereClause'] ? [] : [...targets, ...from]
}
