import type { Expr, FunctionId, JavaScriptFacts } from '../../facts/javascript.ts'

/** Visits every expression below a node of the lowered code, bodies of functions included. */
export function walkExpressions(js: JavaScriptFacts, root: unknown, visit: (e: Expr) => void, skip: ReadonlySet<FunctionId> = NO_MODULES): void {
  const entered = new Set<FunctionId>()
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    if (Array.isArray(node)) {
      for (let i = node.length - 1; i >= 0; i--) stack.push(node[i])
      continue
    }
    if (node === null || typeof node !== 'object') continue
    const record = node as Record<string, unknown>
    if (typeof record.k === 'string') visit(node as Expr)
    const fn = record.fn
    if (typeof fn === 'number' && !entered.has(fn) && !skip.has(fn)) {
      entered.add(fn)
      const f = js.functions[fn]
      if (f) stack.push(f.params, f.body)
    }
    for (const key in record) {
      const value = record[key]
      if (value !== null && typeof value === 'object') stack.push(value)
    }
  }
}

const NO_MODULES: ReadonlySet<FunctionId> = new Set()

/** String literals below a node, in no order that matters. */
export function stringsIn(js: JavaScriptFacts, root: unknown): string[] {
  const found: string[] = []
  walkExpressions(js, root, (e) => {
    if (e.k === 'lit' && typeof e.v === 'string') found.push(e.v)
  })
  return found
}
