import type { Evaluator } from './evaluate.ts'
import { ALWAYS, anyOf, both, either, NEVER, type Ways } from './predicate.ts'
import { type Alternatives, type Frame, type Scope, under } from './scope.ts'
import { kindAndFields, type Tree } from './tree.ts'

/** One statement of a function that changes data, with the ways of getting there. */
export interface Effect {
  readonly command: 'insert' | 'update' | 'delete'
  readonly table: string
  /** The instance of the rows that it changes; a new row for INSERT. */
  readonly instance: number
  readonly when: Ways
  /** What it writes, by column; `*` when the columns are not listed. */
  readonly writes: ReadonlyMap<string, Alternatives>
  /** INSERT … ON CONFLICT DO UPDATE also changes existing rows. */
  readonly upsert?: true
  /** Of an upsert: the ways in which the row that it comes upon, new or not, holds what was given for the columns of the conflict. */
  readonly found?: Ways
  /** What each row of `VALUES (…), (…)` holds, where there are several: they are put in together or not at all. */
  readonly rows?: readonly ReadonlyMap<string, Alternatives>[]
  /** INSERT … DEFAULT VALUES: a row that nobody has said anything of. */
  readonly blank?: true
  /** Done by a handler that catches what refused the caller. */
  readonly refused?: true
}

/** What is found while a function is read. */
export interface Recorder {
  readonly effects: Effect[]
  readonly returns: { when: Ways; expression?: Tree; query?: Tree; scope: Scope }[]
  readonly dynamic: Ways[]
  readonly chosen: Ways[]
  /** Paths on which a bare RETURN ends the function. */
  readonly left: Ways[]
}

/** Where in a function a statement stands: the ways of getting there, and what its variables hold. */
export interface State {
  readonly path: Ways
  readonly scope: Scope
}

/** Records what one SQL statement changes, data-changing WITH parts included. */
export function recordStatement(evaluator: Evaluator, statement: Tree, state: State, out: Recorder): void {
  const [kind, n] = kindAndFields(statement)
  const ctes = new Map(state.scope.ctes ?? [])
  for (const cte of n['withClause']?.ctes ?? []) {
    const inner = cte.CommonTableExpr?.ctequery
    if (inner?.SelectStmt) ctes.set(cte.CommonTableExpr.ctename, inner.SelectStmt)
    else if (inner) recordStatement(evaluator, inner, { ...state, scope: { ...state.scope, ctes: new Map(ctes) } }, out)
  }
  const relation = n['relation']
  if (!relation || !['InsertStmt', 'UpdateStmt', 'DeleteStmt'].includes(kind)) return
  const table = evaluator.world.table(relation.schemaname, relation.relname)
  const frames: Frame[] = []
  const scope: Scope = { ...state.scope, frames, outer: state.scope, ctes }
  const frame = evaluator.frame(table, relation.alias?.aliasname ?? relation.relname)
  const writes = new Map<string, Alternatives>()
  if (kind === 'InsertStmt') {
    const columns = (n['cols'] ?? []).map((c: Tree) => String(c['ResTarget']?.name))
    const select: Tree | undefined = n['selectStmt']?.SelectStmt
    let when = state.path
    const rows: readonly Tree[] = select?.['valuesLists'] ?? []
    const known: readonly string[] = columns.length ? columns : (evaluator.world.columns(table) ?? [])
    const together = rows.slice(0, 8).map((row) => {
      const items: readonly Tree[] = row['List']?.items ?? []
      return new Map(items.flatMap((item, i) => (known[i] ? [[known[i], evaluator.values(item, scope)] as const] : [])))
    })
    for (const row of together) for (const [column, values] of row) writes.set(column, [...(writes.get(column) ?? []), ...values])
    if (select && !rows.length) {
      const opened = evaluator.select(select, scope)
      when = both(when, opened.map((s) => s.when).reduce(either, NEVER))
      for (const s of opened) {
        s.targets.forEach((t, i) => {
          const column = known[i]
          if (column) writes.set(column, [...(writes.get(column) ?? []), ...evaluator.values(t['ResTarget']?.val, s.scope)])
        })
      }
    }
    const upsert = n['onConflictClause']?.action === 'ONCONFLICT_UPDATE'
    const found = upsert ? alikeIn(n['onConflictClause'], writes, frame.instance, evaluator) : ALWAYS
    out.effects.push({
      command: 'insert',
      table,
      instance: frame.instance,
      when,
      writes,
      ...(upsert ? { upsert: true } : {}),
      ...(found === ALWAYS ? {} : { found }),
      ...(together.length > 1 ? { rows: together } : {}),
      ...(select ? {} : { blank: true }),
    })
    return
  }
  frames.push(frame)
  let when = state.path
  for (const item of n['fromClause'] ?? n['usingClause'] ?? []) when = both(when, evaluator.from(item, scope, frames))
  if (n['whereClause']) when = both(when, evaluator.truth(n['whereClause'], scope))
  if (kind === 'UpdateStmt') {
    for (const target of n['targetList'] ?? []) {
      const t: Tree = target.ResTarget ?? {}
      writes.set(String(t['name']), t['val']?.MultiAssignRef ? oneOfSeveral(evaluator, t['val'].MultiAssignRef, scope) : evaluator.values(t['val'], scope))
    }
  }
  out.effects.push({ command: kind === 'UpdateStmt' ? 'update' : 'delete', table, instance: frame.instance, when, writes })
}

/** What one column gets in `SET (total, rated) = (SELECT sum(points), count(*) …)`. */
function oneOfSeveral(evaluator: Evaluator, { source, colno }: Tree, scope: Scope): Alternatives {
  const query: Tree | undefined = source?.SubLink?.subselect?.SelectStmt
  const nth = Number(colno) - 1
  if (query)
    return evaluator
      .select(query, scope)
      .flatMap((s) => under(s.when, evaluator.values(s.targets[nth]?.['ResTarget']?.val, s.scope)))
      .slice(0, 32)
  const item: Tree | undefined = source?.RowExpr?.args?.[nth]
  return item ? evaluator.values(item, scope) : [{ term: { t: 'unknown', because: 'row' }, when: ALWAYS }]
}

/** `ON CONFLICT (user_id, kind) DO UPDATE`: the row that was there has the same values in these columns as the new one was to have. */
function alikeIn(clause: Tree, writes: ReadonlyMap<string, Alternatives>, instance: number, evaluator: Evaluator): Ways {
  const columns: readonly string[] = (clause['infer']?.indexElems ?? []).flatMap((e: Tree) => e['IndexElem']?.name ?? [])
  return columns.reduce<Ways>((ways, column) => {
    const values = writes.get(column) ?? []
    const same = values.map((v) => both(v.when, evaluator.compare('=', { t: 'column', instance, column }, v.term)))
    return same.length ? both(ways, anyOf(same)) : ways
  }, ALWAYS)
}
