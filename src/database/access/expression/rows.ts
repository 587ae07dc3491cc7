import type { Evaluation, Selected } from './evaluation.ts'
import { ALWAYS, anyOf, both, either, grouped, NEVER, type Ways } from './predicate.ts'
import { type Alternatives, type Frame, NO_VARIABLES, type Scope, splitName, under } from './scope.ts'
import { columnParts, kindAndFields, names, type Tree, uncast } from './tree.ts'

/** Opens queries: what stands in FROM becomes instances, its conditions part of the way. */
export class Rows {
  readonly #evaluator: Evaluation

  constructor(evaluator: Evaluation) {
    this.#evaluator = evaluator
  }

  /** Opens a SELECT: per branch of a UNION the scope of its target list, its first target, and the ways in which it yields a row. */
  select(query: Tree, scope: Scope): readonly Selected[] {
    const ctes = new Map(scope.ctes ?? [])
    for (const cte of query['withClause']?.ctes ?? []) {
      const c = cte.CommonTableExpr
      if (c?.ctequery?.SelectStmt) ctes.set(c.ctename, c.ctequery.SelectStmt)
    }
    if (query['larg'] && query['rarg']) {
      const inner = { ...scope, ctes }
      return [...this.select(query['larg'], inner), ...this.select(query['rarg'], inner)].slice(0, 16)
    }
    if (query['valuesLists']) {
      return query['valuesLists'].slice(0, 16).map((v: Tree) => ({ target: v['List']?.items?.[0], targets: [], scope, when: ALWAYS }))
    }
    const frames: Frame[] = []
    const inner: Scope = { frames, outer: scope, variables: scope.variables, inside: scope.inside, ctes }
    let when = ALWAYS
    for (const item of query['fromClause'] ?? []) when = both(when, this.from(item, inner, frames))
    if (query['whereClause']) when = both(when, this.#evaluator.truth(query['whereClause'], inner))
    const targets: readonly Tree[] = query['targetList'] ?? []
    return [{ target: targets[0]?.['ResTarget']?.val, targets, scope: inner, when }]
  }

  /** Adds a FROM item to `frames`; returns the ways in which it yields a row. `outer`: the join keeps its row where this item has none. */
  from(item: Tree, scope: Scope, frames: Frame[], outer = false): Ways {
    const [kind, n] = kindAndFields(item)
    if (kind === 'JoinExpr') {
      const left = this.from(n['larg'], scope, frames, outer || n['jointype'] === 'JOIN_RIGHT')
      const right = this.from(n['rarg'], scope, frames, outer || n['jointype'] === 'JOIN_LEFT')
      const sides = n['jointype'] === 'JOIN_LEFT' ? left : n['jointype'] === 'JOIN_RIGHT' ? right : both(left, right)
      let ways = sides
      if (n['quals']) ways = both(ways, this.#evaluator.truth(n['quals'], scope))
      const [a, b] = [frames.at(-2), frames.at(-1)]
      for (const column of names(n['usingClause'])) {
        if (a && b)
          ways = both(ways, this.#evaluator.compare('=', { t: 'column', instance: a.instance, column }, { t: 'column', instance: b.instance, column }))
      }
      return ways
    }
    const alias = n['alias']?.aliasname
    if (kind === 'RangeVar') {
      const cte = n['schemaname'] ? undefined : scope.ctes?.get(n['relname'])
      if (cte) return this.#derive(cte, alias ?? n['relname'], { ...scope, frames: [], ctes: withoutItself(scope.ctes, n['relname'], cte) }, frames)
      const table = this.#evaluator.world.table(n['schemaname'], n['relname'])
      const view = scope.inside.includes(table) ? undefined : this.#evaluator.world.view(table)
      if (view) return this.#derive(view, alias ?? n['relname'], { frames: [], variables: NO_VARIABLES, inside: [...scope.inside, table] }, frames)
      const frame = this.#evaluator.frame(table, alias ?? n['relname'], alias ? undefined : splitName(table)[0], scope.inside)
      frames.push(frame)
      return [[{ a: 'exists', instance: frame.instance }]]
    }
    if (kind === 'RangeSubselect')
      return this.#derive(n['subquery']?.SelectStmt ?? {}, alias ?? '', { ...scope, frames: n['lateral'] ? scope.frames : [] }, frames, outer)
    if (kind === 'RangeFunction') {
      const call: Tree = n['functions']?.[0]?.List?.items?.[0]?.FuncCall ?? {}
      const fn = this.#evaluator.functionOf(call)
      const name = alias ?? names(call['funcname']).at(-1) ?? ''
      const opened = this.#evaluator.opened(call, scope)
      // a function that returns one value yields one row, whatever it returns; one that returns a set may yield none
      const set = fn ? /^(setof|table)/i.test(fn.returns) : true
      const values = opened?.flatMap((o) => under(o.when, this.#evaluator.values(o.target, o.scope))) ?? this.#evaluator.call(call, scope)
      const instance = this.#evaluator.instance()
      const rows = opened?.filter((o) => o.targets) ?? []
      const columns = (fn?.outputs ?? []).flatMap((column, i) => {
        if (!rows.length || !rows.every((o) => o.targets?.[i])) return []
        const given = rows.flatMap((o) => under(o.when, this.#evaluator.values(o.targets?.[i]?.['ResTarget']?.val, o.scope)))
        return [[column, given.slice(0, 16)] as const]
      })
      frames.push({ alias: name, instance, derived: new Map([['*', values], [name, values], ...columns]) })
      if (!set) return ALWAYS
      return opened?.length ? opened.reduce<Ways>((ways, o) => either(ways, o.when), NEVER) : [[{ a: 'exists', instance }]]
    }
    return [[{ a: 'unknown', because: `${kind} in FROM` }]]
  }

  #derive(query: Tree, alias: string, scope: Scope, frames: Frame[], outer = false): Ways {
    const found = this.select(query, scope)
    const union = found.length > 1
    const id = union ? this.#evaluator.fresh() : 0
    const selects = union ? found.map((s, i) => ({ ...s, when: both([[{ a: 'branch', union: id, query: i }]], s.when) })) : found
    const derived = new Map<string, Alternatives>()
    // the columns of a UNION are called as in its first query, and each value comes with the query that it is from
    const called: (string | undefined)[] = []
    for (const s of selects) {
      s.targets.forEach((target, i) => {
        const t: Tree = target['ResTarget'] ?? {}
        const parts = columnParts(t['val'])
        if (parts.at(-1) === '*') {
          for (const frame of s.scope.frames.filter((f) => parts.length === 1 || f.alias === parts.at(-2))) {
            for (const column of frame.columns ?? []) derived.set(column, [{ term: { t: 'column', instance: frame.instance, column }, when: ALWAYS }])
            for (const [column, values] of frame.derived ?? []) derived.set(column, values)
          }
          return
        }
        const name = called[i] ?? t['name'] ?? parts.at(-1) ?? names(uncast(t['val'])?.['FuncCall']?.funcname).at(-1)
        called[i] = name
        if (!name) return
        const values = this.#evaluator.values(t['val'], s.scope).map((v) => ({
          term: query['groupClause'] ? grouped(v.term) : v.term,
          when: union || outer ? both(s.when, v.when) : v.when,
        }))
        derived.set(name, [...(derived.get(name) ?? []), ...values])
      })
    }
    frames.push({ alias, instance: this.#evaluator.instance(), derived })
    return anyOf(selects.map((s) => s.when))
  }
}

/** What names mean inside a CTE: its own name, in a recursive one, the rows that the recursion begins with. */
function withoutItself(map: ReadonlyMap<string, Tree> | undefined, name: string, query: Tree): ReadonlyMap<string, Tree> {
  const copy = new Map(map ?? [])
  if (query['larg'] && query['rarg']) copy.set(name, query['larg'])
  else copy.delete(name)
  return copy
}
