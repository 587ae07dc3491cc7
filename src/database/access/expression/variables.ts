import type { Evaluator } from './evaluate.ts'
import type { Frame, Scope, Variable } from './scope.ts'

/** What the variables hold where several branches come together. */
export function merge(before: Scope, after: readonly Scope[]): Scope {
  const variables = new Map(before.variables)
  const all = new Set(after.flatMap((s) => [...s.variables.keys()]))
  for (const name of all) {
    const distinct = [...new Set(after.map((s) => s.variables.get(name)).filter((v) => v !== undefined))]
    const [only] = distinct
    variables.set(name, distinct.length === 1 && only ? only : joinedVariables(distinct))
  }
  return { ...before, variables }
}

function joinedVariables(all: readonly Variable[]): Variable {
  const texts = all.flatMap((v) => v.texts ?? [])
  return { value: all.flatMap((v) => v.value).slice(0, 16), ...(texts.length ? { texts: texts.slice(0, 8) } : {}) }
}

export function columnsOfFrames(frames: readonly Frame[]) {
  return frames.map((f) => ({ t: 'column' as const, instance: f.instance, column: '*' }))
}

export function withColumns(evaluator: Evaluator, table: string): { columns?: readonly string[] } {
  const columns = evaluator.world.columns(table)
  return columns ? { columns } : {}
}
