import { says } from '../../../lib/snake-case.ts'
import type { SqlFunction, Table } from '../../database.ts'
import type { JudgeWorld, RowState, Way } from '../expression/disjunct.ts'
import type { Evaluator } from '../expression/evaluate.ts'
import { isUnguessable, judge } from '../expression/judge.ts'
import { ALWAYS, bases, both, isTotal, type Term, visibleBases, type Ways } from '../expression/predicate.ts'
import type { Alternatives, Scope } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'
import type { Tree } from '../expression/tree.ts'
import { type BrowserRole, nameOf, possibleFor } from '../policies/read-policies.ts'
import { ENTERED_BY_COLUMN } from '../row-audience/for-sale.ts'
import { singlesOut } from '../row-audience/identifying-group.ts'
import { isMeantToBeSeen } from '../row-audience/public-content.ts'
import { isPublication } from '../row-audience/published-state.ts'
import { answersStrangers } from './availability-query.ts'

/** Rows of one table that a function hands to whoever calls it. */
export interface Read {
  readonly table: string
  readonly who: 'anon' | 'authenticated'
  readonly cause?: Way['cause']
  readonly columns: readonly string[]
  /** One result for many rows that have the columns in common. */
  readonly grouped?: true
}

/**
 * What a function returns of rows that do not belong to its caller; `made` are the rows that it has just put in, by their instance,
 * `told` those whose change is reported.
 */
export function readReturned(
  fn: SqlFunction,
  returns: readonly { readonly when: Ways; readonly expression?: Tree; readonly query?: Tree; readonly scope: Scope }[],
  evaluator: Evaluator,
  roles: readonly BrowserRole[],
  tables: ReadonlyMap<string, Table>,
  world: JudgeWorld,
  isOpenAnyway: (table: string, role: BrowserRole, states?: readonly RowState[]) => boolean,
  made: ReadonlyMap<number, Effect> = new Map(),
  told: ReadonlySet<number> = new Set(),
): Read[] {
  if (/^(void|bool|boolean|integer|bigint|smallint|numeric|real|double precision|interval|date|timestamp.*)$/i.test(fn.returns)) return []
  const type = fn.returns.replace(/^setof\s+/i, '').replaceAll('"', '')
  const isRow = /^(table|record|jsonb?)\b/i.test(type) || tables.has(type) || tables.has(`${fn.schema}.${type}`)
  const scalar = !isRow
  const isSeen = (instance: number): boolean => {
    const name = evaluator.instances[instance]?.table ?? ''
    const table = tables.get(name)
    return table !== undefined && (!table.userData || roles.every((role) => isOpenAnyway(name, role)))
  }
  const found: Read[] = []
  for (const result of returns) {
    const selects = result.query
      ? evaluator.select(result.query, result.scope).map((s) => ({
          scope: s.scope,
          when: both(result.when, s.when),
          targets: s.targets.map((t) => t['ResTarget']?.val as Tree | undefined),
          grouped: result.query?.['groupClause'] !== undefined,
        }))
      : [{ scope: result.scope, when: result.when, targets: [result.expression], grouped: false }]
    for (const select of selects) {
      const shown = shownInstances(select.targets, select.scope, evaluator)
      for (const { instance, columns, when, grouped } of shown) {
        const name = evaluator.instances[instance]?.table
        const table = name === undefined ? undefined : tables.get(name)
        if (!name || (!table?.userData && name !== 'auth.users')) continue
        if (told.has(instance) || answersStrangers(fn, columns, table)) continue
        if (shown.some((s) => s.instance !== instance) && columns.every((c) => BYLINE.test(c)) && AUTHOR_TABLE.test(name)) continue
        const row = made.get(instance) ?? madeBefore(instance, both(select.when, when), table, made)
        const names = (column: string) => isId(column) || table?.userData?.ownerColumns.includes(column) === true
        if (row && columns.every((c) => names(c) || isOwnWord(c, row, evaluator, world, isSeen, names))) continue
        const personal = name === 'auth.users' ? ['email', 'phone', 'raw_user_meta_data', '*'] : (table?.userData?.personalColumns ?? [])
        if (scalar && !columns.some((c) => personal.includes(c))) continue
        // totals by day, by category: no row of anybody's is among them
        if ((select.grouped || grouped) && !columns.some((c) => singlesOut(c, table))) continue
        const unsigned = !personal.length && !table?.userData?.tenantColumns.length
        const authored =
          isAuthored(table) && !columns.some((c) => (c === '*' && !unsigned) || personal.includes(c) || table?.userData?.ownerColumns.includes(c))
        const ways = judge(both(select.when, when), evaluator.instances, instance, world)
        for (const role of roles) {
          const open = ways.find(
            (w) =>
              possibleFor(w, role) &&
              w.outcome === 'open' &&
              !w.argumentColumns.some((c) => isUnguessable(c)) &&
              !saysMachinesSecret(w, tables) &&
              ![...w.states, ...w.parentStates].some(isPublication) &&
              !(authored && w.states.length > 0) &&
              !(table && tellsOnlyWhich(columns, w.argumentColumns, table)) &&
              !isOpenAnyway(name, role, w.states),
          )
          if (!open) continue
          found.push({
            table: name,
            who: open.who === 'authenticated' ? 'authenticated' : role,
            columns,
            ...(open.cause ? { cause: open.cause } : {}),
            // the groups of one user, or of one team, are about them
            ...((select.grouped || grouped) && !open.argumentColumns.some((c) => isId(c) && !namesContent(c, table)) ? { grouped: true as const } : {}),
          })
          break
        }
      }
      if (!scalar && !found.length) found.push(...aboutChosenUser(select, evaluator, roles, tables, world, isOpenAnyway, told))
    }
  }
  return found
}

/** Whoever calls has said the secret of a machine that the operator has set up: a worker's token, not that of a guest, a customer or a user. */
const saysMachinesSecret = (way: Way, tables: ReadonlyMap<string, Table>): boolean =>
  way.secretsOf?.length === 0 ||
  way.secretsOf?.some((t) => MACHINES.test(t) && (tables.get(t)?.userData?.ownerColumns ?? []).every((c) => says(ENTERED_BY_COLUMN, c))) === true
const MACHINES =
  /(?:^|[._])(?:worker|runner|service|machine|daemon|ingestion|cron|scheduler|system|internal)(?:_(?:api|auth|access))?_(?:tokens?|keys?|secrets?|credentials?)$/i

/** Who stands under what the function returns, as everybody sees it there: the author of a post. What it stands under is judged by itself. */
const BYLINE = /^(?:user_?name|display_?name|nick_?name|handle|(?:avatar|profile_?(?:image|photo|picture))(?:_?url)?)$/i
const AUTHOR_TABLE = /(?:^|[._])(?:users?|profiles?|authors?|members|accounts?)$/i

/** Totals of the one user whom the caller names: no rows, and still somebody else's business. */
function aboutChosenUser(
  select: { readonly scope: Scope; readonly when: Ways; readonly targets: readonly (Tree | undefined)[] },
  evaluator: Evaluator,
  roles: readonly BrowserRole[],
  tables: ReadonlyMap<string, Table>,
  world: JudgeWorld,
  isOpenAnyway: (table: string, role: BrowserRole, states?: readonly RowState[]) => boolean,
  told: ReadonlySet<number>,
): Read[] {
  const values = select.targets.flatMap((t) => (t ? evaluator.values(t, select.scope) : [])).filter((v) => !isTold(v.term, told))
  // an answer that says only whether something was done tells nothing of anybody
  if (!values.some((v) => isFigure(v.term))) return []
  for (const when of [select.when, ...values.map((v) => both(select.when, v.when))]) {
    for (const { id, table: name } of evaluator.instances) {
      const owners = idsOfPeople(tables.get(name ?? ''), tables)
      const named = when.some((way) =>
        way.some(
          (a) => a.a === 'compare' && [...bases(a.left), ...bases(a.right)].some((t) => t.t === 'column' && t.instance === id && owners.includes(t.column)),
        ),
      )
      if (!name || !named) continue
      const ways = judge(when, evaluator.instances, id, world)
      for (const role of roles) {
        const open = ways.find((w) => possibleFor(w, role) && w.outcome === 'open' && w.argumentColumns.some((c) => owners.includes(c)))
        // whoever may read the rows adds them up himself
        if (open && !isOpenAnyway(name, role))
          return [{ table: name, who: open.who === 'authenticated' ? 'authenticated' : role, columns: [], ...(open.cause ? { cause: open.cause } : {}) }]
      }
    }
  }
  return []
}

/** Lists of people whom an application deals with, and who need no account of their own. */
const DEALT_WITH =
  /(^|_)(contacts?|customers?|clients?|patients?|leads|guests|students?|pupils?|donors?|contatos?|contactos?|clientes?|pacientes?|alunos?|alumnos?|clienti|pazienti)$/i

/** Columns that name somebody: the row's owner, or one of the people in a list with what is personal of them. */
function idsOfPeople(table: Table | undefined, tables: ReadonlyMap<string, Table>): readonly string[] {
  const listed = (table?.foreignKeys ?? []).flatMap((f) => {
    const people = f.columns.length === 1 ? tables.get(f.references) : undefined
    return people?.userData?.personalColumns.length && says(DEALT_WITH, people.name) ? f.columns : []
  })
  return [...(table?.userData?.ownerColumns ?? []), ...listed]
}

/** What the caller put into a new row, or the table's defaults did, or what stands in a row of the caller's or in one that all may read: nothing of anybody's is told by it. */
function isOwnWord(
  column: string,
  row: Effect,
  evaluator: Evaluator,
  world: JudgeWorld,
  isSeen: (instance: number) => boolean,
  names: (column: string) => boolean,
): boolean {
  const written = column === '*' ? [...row.writes].flatMap(([c, values]) => (names(c) ? [] : values)) : (row.writes.get(column) ?? [])
  if (row.upsert) return false
  return written.every((v) =>
    bases(v.term).every((t) => {
      if (t.t === 'const' || t.t === 'argument' || t.t === 'caller') return true
      if (t.t !== 'column') return false
      if (isSeen(t.instance)) return true
      const ways = judge(both(row.when, v.when), evaluator.instances, t.instance, world)
      // whoever has said a row's token was given what it holds
      return ways.length > 0 && ways.every((w) => w.outcome === 'owner' || w.bySecret || w.argumentColumns.some((c) => isUnguessable(c)))
    }),
  )
}

/** The new row that a query looks up again by its key: `insert … returning id into new_id`, then `select … where id = new_id`. */
function madeBefore(instance: number, when: Ways, table: Table | undefined, made: ReadonlyMap<number, Effect>): Effect | undefined {
  const [key, more] = table?.primaryKey ?? []
  if (!table || key === undefined || more !== undefined || !when.length) return undefined
  const isKey = (t: Term, of: number) => t.t === 'column' && t.instance === of && t.column === key
  for (const [id, row] of made) {
    if (row.table !== nameOf(table)) continue
    if (
      when.every((way) =>
        way.some(
          (a) => a.a === 'compare' && a.op === '=' && ((isKey(a.left, instance) && isKey(a.right, id)) || (isKey(a.right, instance) && isKey(a.left, id))),
        ),
      )
    )
      return row
  }
  return undefined
}

/** Made of rows alone whose change is reported. */
function isTold(term: Term, told: ReadonlySet<number>): boolean {
  const columns = bases(term).filter((t) => t.t === 'column')
  return columns.length > 0 && columns.every((t) => told.has(t.instance))
}

const isId = (column: string): boolean => /(^|_)(id|uuid)$/.test(column)

/** A reference to something that is nobody's by itself: totals for it (offers on a request) are about it, not about a user or a team. */
function namesContent(column: string, table: Table | undefined): boolean {
  const { ownerColumns = [], tenantColumns = [] } = table?.userData ?? {}
  return !ownerColumns.includes(column) && !tenantColumns.includes(column) && table?.foreignKeys.some((f) => f.columns.join() === column) === true
}

/** An id or a date of the row that the caller names, or a price on show: `{ member: id, closes_at }` for a session, nothing that the row says about anybody. */
function tellsOnlyWhich(columns: readonly string[], named: readonly string[], table: Table): boolean {
  if (!table.userData) return true
  const { ownerColumns, tenantColumns, personalColumns } = table.userData
  const references = table.foreignKeys.flatMap((f) => f.columns).filter((c) => !table.primaryKey.includes(c))
  const ofOthers = [...ownerColumns.filter((c) => !table.primaryKey.includes(c)), ...tenantColumns, ...personalColumns, ...references]
  if (!named.length || named.some((c) => ofOthers.includes(c))) return false
  // how much is asked for something that stands in a shop window
  const shown = isMeantToBeSeen(table)
  return columns.every((column) => {
    if (personalColumns.includes(column)) return false
    const type = table.columns.find((c) => c.name === column)?.type ?? ''
    return isId(column) || /^(date|timestamp|time)/.test(type) || (shown && /^(boolean|integer|bigint|smallint|numeric|real|double)/.test(type))
  })
}

/** A total, or something that a row says beside its ids. */
function isFigure(term: Term): boolean {
  return (term.t === 'column' && !isId(term.column)) || (term.t === 'expression' && (isTotal(term.name) || term.of.some(isFigure)))
}

/** Rows that staff writes for all (announcements, maintenance windows): their only person is who created them. */
function isAuthored(table: Table | undefined): boolean {
  const owners = table?.userData?.ownerColumns ?? []
  return owners.length > 0 && owners.every((c) => /^\w+_by(_id)?$/i.test(c))
}

/** The expression with aggregates, which show no row, taken out. */
function withoutAggregates(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutAggregates)
  if (!node || typeof node !== 'object') return node
  const tree = node as Tree
  const link = tree['SubLink']
  const [only] = link?.subselect?.SelectStmt?.targetList ?? []
  if (isCount(tree) || (link && isCount(only?.ResTarget?.val ?? {}))) return { A_Const: { isnull: true } }
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, withoutAggregates(value)]))
}

/** Table instances whose columns are in the result, and which; columns inside aggregates that hide the rows do not count. */
function shownInstances(
  targets: readonly (Tree | undefined)[],
  scope: Scope,
  evaluator: Evaluator,
): { instance: number; columns: string[]; when: Ways; grouped: boolean }[] {
  // what one branch of a CASE shows of a row hangs on another condition than what stands beside it
  const shown = new Map<string, { instance: number; columns: Set<string>; when: Ways; grouped: boolean }>()
  const show = (instance: number, column: string, when: Ways, grouped: boolean) => {
    const key = `${instance} ${JSON.stringify(when)}`
    const entry = shown.get(key) ?? { instance, columns: new Set<string>(), when, grouped: true }
    entry.columns.add(column)
    entry.grouped &&= grouped
    shown.set(key, entry)
  }
  const showValue = (value: Alternatives[number]) => {
    for (const { term, inGroup } of visibleBases(value.term)) if (term.t === 'column') show(term.instance, term.column, value.when ?? ALWAYS, inGroup)
  }
  for (const target of targets) {
    if (!target) continue
    const fields: readonly Tree[] = target['ColumnRef']?.fields ?? []
    if (fields.some((f) => f['A_Star'])) {
      const alias = fields[0]?.['String']?.sval
      for (const frame of scope.frames) {
        if (alias !== undefined && frame.alias !== alias) continue
        if (frame.derived) for (const values of frame.derived.values()) for (const value of values) showValue(value)
        else show(frame.instance, '*', ALWAYS, false)
      }
      continue
    }
    if (isCount(target)) continue
    for (const value of evaluator.values(withoutAggregates(target) as Tree, scope)) showValue(value)
  }
  return [...shown.values()].map((s) => ({ ...s, columns: [...s.columns] }))
}

function isCount(target: Tree): boolean {
  return isTotal(target['FuncCall']?.funcname?.at(-1)?.String?.sval ?? '') || target['SubLink']?.subLinkType === 'EXISTS_SUBLINK'
}
