import type { Evaluator } from './evaluate.ts'
import type { Ways } from './predicate.ts'
import { type Frame, type Scope, under, type Variable } from './scope.ts'

/** More ways than these into one branch are not kept with what it leaves in a variable. */
const MAX_WAYS_KEPT = 8

/** What the variables hold where several branches come together: of each branch what it leaves, under what led into it. */
export function joinScopes(before: Scope, after: readonly { readonly scope: Scope; readonly taken: Ways }[]): Scope {
  const variables = new Map(before.variables)
  const all = new Set(after.flatMap((s) => [...s.scope.variables.keys()]))
  for (const name of all) {
    const held = after.flatMap(({ scope, taken }) => {
      const variable = scope.variables.get(name)
      return variable ? [{ variable, taken }] : []
    })
    const distinct = [...new Set(held.map((h) => h.variable))]
    const [only] = distinct
    variables.set(name, distinct.length === 1 && only ? only : joinedVariables(held))
  }
  return { ...before, variables }
}

function joinedVariables(all: readonly { readonly variable: Variable; readonly taken: Ways }[]): Variable {
  const texts = [...new Set(all.map((h) => h.variable))].flatMap((v) => v.texts ?? [])
  const value = all.flatMap(({ variable, taken }) => (taken.length > MAX_WAYS_KEPT ? variable.value : under(taken, variable.value)))
  return { value: value.slice(0, 16), ...(texts.length ? { texts: texts.slice(0, 8) } : {}) }
}

export function columnsOfFrames(frames: readonly Frame[]) {
  return frames.map((f) => ({ t: 'column' as const, instance: f.instance, column: '*' }))
}

export function withColumns(evaluator: Evaluator, table: string): { columns?: readonly string[] } {
  const columns = evaluator.world.columns(table)
  return columns ? { columns } : {}
}
