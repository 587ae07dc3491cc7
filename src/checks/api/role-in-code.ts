import { rememberFor } from '../../lib/remember-for.ts'
import type { Behaviour, Condition, Value } from '../../model/behaviour/behaviour.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { RoleKeeper } from './role-code.ts'

/** Where the checks of the application itself find out who is an administrator, and by which words: what most of them ask. */
export const roleInCode = rememberFor((all: readonly Route[]): RoleKeeper | undefined => {
  const votes = new Map<string, { keeper: RoleKeeper; count: number }>()
  for (const { guard, behaviour } of all) {
    if (guard?.who !== 'admin' || guard.trust !== 'verified' || !behaviour) continue
    const asked = behaviour.steps.flatMap((s) => s.under.filter((c) => !c.negated && c.at.path === guard.at.path && c.at.line === guard.at.line))
    const keeper = firstOf(asked, (c) => keptAs(c, behaviour))
    if (!keeper) continue
    const key = JSON.stringify(keeper)
    const vote = votes.get(key) ?? { keeper, count: 0 }
    votes.set(key, { ...vote, count: vote.count + 1 })
  }
  return [...votes.values()].sort((a, b) => b.count - a.count)[0]?.keeper
})

function firstOf<T, R>(list: readonly T[], find: (x: T) => R | undefined): R | undefined {
  for (const x of list) {
    const found = find(x)
    if (found !== undefined) return found
  }
  return undefined
}

/** `row.role === 'admin'`, of the row that was found by the id of the caller. */
function keptAs({ test }: Condition, behaviour: Behaviour): RoleKeeper | undefined {
  const told = comparisons(test)
  const [first] = told
  if (!first || !told.every((t) => t.column === first.column && t.step === first.step)) return undefined
  const effect = behaviour.steps[first.step]?.effect
  if (effect?.kind !== 'db' || effect.op !== 'select') return undefined
  const user = effect.filters.find((f) => f.op === 'eq' && f.value.v === 'caller' && !/mail/i.test(f.value.field ?? ''))?.column
  if (user === undefined) return undefined
  const words = [...new Set(told.map((t) => t.word))]
  const flag = words.length === 1 && words[0] === true
  const granted = words.filter((w): w is string => typeof w === 'string')
  if (!flag && granted.length !== words.length) return undefined
  return { table: first.table, user, column: first.column, flag, listed: false, ...(flag ? {} : { granted }) }
}

interface Told {
  readonly table: string
  readonly column: string
  readonly step: number
  readonly word: unknown
}

/** What columns of rows are compared with, of alternatives that all are such comparisons; none where something else is asked as well. */
function comparisons(test: Value): readonly Told[] {
  if (test.v === 'row' && test.field !== undefined && /^is_?\w{0,12}admin$/i.test(test.field))
    return [{ table: test.table, column: test.field, step: test.step, word: true }]
  if (test.v !== 'op') return []
  if (test.op === '||') {
    const parts = test.of.map(comparisons)
    return parts.every((p) => p.length) ? parts.flat() : []
  }
  const row = test.of.find((x) => x.v === 'row' && x.field !== undefined && !x.many)
  if (row?.v !== 'row' || row.field === undefined || test.op === '!==' || test.op === '!=') return []
  const { table, field, step } = row
  const words = test.of.flatMap((x) => (x.v === 'const' ? [x.value] : x.v === 'array' ? x.items.map((i) => (i.v === 'const' ? i.value : undefined)) : []))
  return test.of.length > 1 ? words.map((word) => ({ table, column: field, step, word })) : []
}
