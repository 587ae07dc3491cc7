import type { Evaluator } from './evaluate.ts'
import { ALWAYS, both, type Ways } from './predicate.ts'
import type { Alternatives, Scope, Variable } from './scope.ts'
import { columnParts, kindAndFields, type Tree } from './tree.ts'
import { columnsOfFrames } from './variables.ts'

/** A row that a query found: its target list, what its names mean, and the ways of finding it. */
interface Found {
  readonly scope: Scope
  readonly when: Ways
  readonly targets: readonly Tree[]
}

/** The variables of a scope after `INTO target`; without a query that is known, what they hold is unknown. */
export function into(evaluator: Evaluator, target: Tree | undefined, scope: Scope, select: Found | undefined): Map<string, Variable> {
  const variables = new Map(scope.variables)
  const [, t] = kindAndFields(target)
  const record: string | undefined = target?.['PLpgSQL_rec']?.refname
  if (record) variables.set(record, select ? recordOf(evaluator, select) : { value: [{ term: { t: 'unknown', because: 'dynamic SQL' }, when: ALWAYS }] })
  ;(t['fields'] ?? []).forEach((field: Tree, i: number) => {
    const node = select?.targets[i]?.['ResTarget']?.val
    const value: Alternatives =
      select && node
        ? evaluator.values(node, select.scope).map((v) => ({ ...v, when: both(select.when, v.when) }))
        : [{ term: { t: 'unknown', because: 'value' }, when: ALWAYS }]
    variables.set(String(field['name']), { value })
  })
  return variables
}

function recordOf(evaluator: Evaluator, select: Found): Variable {
  const fields = new Map<string, Alternatives>()
  for (const target of select.targets) {
    const t: Tree = target['ResTarget'] ?? {}
    const name = t['name'] ?? columnParts(t['val']).at(-1)
    if (name && name !== '*')
      fields.set(
        name,
        evaluator.values(t['val'], select.scope).map((v) => ({ ...v, when: both(v.when, select.when) })),
      )
  }
  const [value] = fields.size === 1 ? [...fields.values()] : []
  return {
    value: value ?? [{ term: { t: 'expression', name: 'record', of: columnsOfFrames(select.scope.frames) }, when: select.when }],
    record: select.scope.frames,
    fields,
  }
}
