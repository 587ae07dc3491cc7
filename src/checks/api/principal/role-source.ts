import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour, Condition, Effect, Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { type RoleKeeper, roleKeeper, type Schema } from '../remediation/role-query.ts'

/** Where the checks of the application itself find out who is an administrator, and by which words: what most of them ask. */
const roleInCode = (all: readonly Route[]): RoleKeeper | undefined => votesOf(all)[0]?.keeper

/** Where the application keeps who administers it: what its own checks ask comes before what a table is called. */
export const keeperOf = (all: readonly Route[], schema: Schema): RoleKeeper | undefined => roleInCode(all) ?? roleKeeper(schema)

/** A check that asks for another role than most of them do, by far: what it was written after is no longer so, or it lets in others. */
export function isOdd(route: Route, all: readonly Route[]): boolean {
  const [most, ...others] = votesOf(all)
  const keeper = most && others.length ? keeperAskedBy(route) : undefined
  if (!keeper || JSON.stringify(keeper) === JSON.stringify(most?.keeper)) return false
  return (others.find((v) => JSON.stringify(v.keeper) === JSON.stringify(keeper))?.count ?? 0) * 4 <= (most?.count ?? 0)
}

/** Checks for the role that the pages ask for which use the handler, where they ask for one; then those that ask what most do. */
export function askingAlike(examples: readonly Route[], all: readonly Route[], pages: readonly Route[]): readonly Route[] {
  const keyOf = (r: Route): string | undefined => {
    const keeper = keeperAskedBy(r)
    return keeper && `${keeper.table}.${keeper.column} ${keeper.flag}`
  }
  const shown = new Set(pages.flatMap((p) => keyOf(p) ?? []))
  const counts = new Map(votesOf(all).map(({ keeper, count }) => [`${keeper.table}.${keeper.column} ${keeper.flag}`, count]))
  const rank = (r: Route): number => {
    const key = keyOf(r)
    return key === undefined ? 0 : (shown.has(key) ? 1e6 : 0) + (counts.get(key) ?? 0)
  }
  return shown.size ? [...examples].sort((a, b) => rank(b) - rank(a)) : examples
}

interface Vote {
  readonly keeper: RoleKeeper
  readonly count: number
}

/** What the checks ask, what most of them ask first. */
const votesOf = rememberFor((all: readonly Route[]): readonly Vote[] => {
  const votes = new Map<string, Vote>()
  for (const route of all) {
    const keeper = keeperAskedBy(route)
    if (!keeper) continue
    const key = JSON.stringify(keeper)
    const vote = votes.get(key) ?? { keeper, count: 0 }
    votes.set(key, { ...vote, count: vote.count + 1 })
  }
  return [...votes.values()].sort((a, b) => b.count - a.count)
})

const keeperAskedBy = rememberFor(({ guard, behaviour }: Route): RoleKeeper | undefined => {
  if (guard?.who !== 'admin' || guard.trust !== 'verified' || !behaviour) return undefined
  const asked = behaviour.steps.flatMap((s) => s.under.filter((c) => !c.negated && c.at.path === guard.at.path && c.at.line === guard.at.line))
  return firstOf(asked, (c) => keptAs(c, behaviour))
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
  // a role in the group, project or tenant that the handler was asked about says nothing of the application
  if (user === undefined || isOfOne(effect)) return undefined
  const words = [...new Set(told.map((t) => t.word))]
  const flag = words.length === 1 && words[0] === true
  const granted = words.filter((w): w is string => typeof w === 'string')
  if (!flag && granted.length !== words.length) return undefined
  return { table: first.table, user, column: first.column, flag, listed: false, ...(flag ? {} : { granted }) }
}

/** Whether a handler asks for a role in one group, project or tenant of several. */
export const asksWithinOne = rememberFor(({ guard, behaviour }: Route): boolean => {
  if (!guard || !behaviour) return false
  const asked = behaviour.steps.flatMap((s) => s.under.filter((c) => c.at.path === guard.at.path && c.at.line === guard.at.line))
  return asked.some(({ test }) =>
    comparisons(test).some(({ step }) => {
      const effect = behaviour.steps[step]?.effect
      return effect?.kind === 'db' && effect.op === 'select' && isOfOne(effect)
    }),
  )
})

/** The row is found by the caller and by something else that the request or another row names. */
const isOfOne = ({ filters }: Extract<Effect, { kind: 'db' }>): boolean =>
  filters.some((f) => f.op === 'eq' && f.value.v === 'caller') && filters.some((f) => f.op === 'eq' && f.value.v !== 'caller' && f.value.v !== 'const')

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
