import type { Table } from '../../database.ts'
import { appointsOthers } from '../column-authority/delegated-grant.ts'
import { letsIn } from '../column-authority/pending-state.ts'
import { grantsPower, grantsThere, isPaidFor, paysOut, powerColumnsOf } from '../column-authority/privilege-columns.ts'
import { listsThoseInCharge } from '../column-authority/role-granting-row.ts'
import type { JudgeWorld, Way } from '../expression/disjunct.ts'
import { placeholderTable } from '../expression/dynamic-sql.ts'
import type { Evaluator } from '../expression/evaluate.ts'
import { isUnguessable, judge } from '../expression/judge.ts'
import { bases, both, type Ways } from '../expression/predicate.ts'
import type { Routine } from '../expression/routine.ts'
import type { Alternatives } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'
import { type BrowserRole, possibleFor } from '../policies/read-policies.ts'
import { takesOff } from '../row-audience/bearer-code.ts'
import { isChoiceOfNames } from './allowlisted-argument.ts'
import { spent } from './balance-decrement.ts'
import { chosenTenant } from './caller-supplied-tenant.ts'
import { givesCredentials } from './credential-write.ts'
import { isDerived } from './derived-value.ts'

/** What a hole's `tables` holds where the caller says which table. */
export const EVERY_TABLE = 'any table that the caller names'

/** What a statement of a function comes to for those who may call it. */
export interface Write {
  readonly table: string
  readonly command: Effect['command']
  readonly who: 'anon' | 'authenticated'
  readonly cause?: Way['cause']
  readonly grants: boolean
  readonly columns: readonly string[]
  /** Conditions name fixed ages or states only: nobody chooses whose rows. */
  readonly maintenance: boolean
  /** The row is the caller's own; what is written grants something. */
  readonly self: boolean
  /** Adds a constant to numbers, no more. */
  readonly counter: boolean
  /** Works out again what follows from rows. */
  readonly derived?: true
  /** Sets columns that grant nothing to values that stand in the function. */
  readonly flag?: true
  /** The row is the caller's own, and waits for somebody else's word, which the function gives. */
  readonly admits?: true
  /** Tied to the caller: no hole. */
  readonly bound?: true
  /** The statement that writes. */
  readonly effect?: Effect
}

/** Whether a write takes nothing from anybody, however often it runs: it counts, sets a mark, or works out again what follows from rows. */
export const isMild =
  (hasOwn: boolean) =>
  (w: Write): boolean =>
    w.counter || w.derived === true || (w.flag === true && hasOwn)

/** Of a table that only the dashboard made no column is known to say whose a row is, but by what it is called. */
const ROW_OWNER_COLUMN = /^(?:user|owner|profile|author|creator|actor|account|member|customer|organi[sz]er)_?(?:id|uid|uuid)$/i

/** Columns that say whose a row is or give its owner something. */
export const decisiveColumns = (table: Table | undefined): readonly string[] => (table ? [...ownersOf(table), ...powerColumnsOf(table)] : [])

/** SQL that the caller writes himself, run with the owner's rights: every table, every command. */
export function chosenSql(routine: Routine, evaluator: Evaluator, roles: readonly BrowserRole[], world: JudgeWorld): Write[] {
  for (const when of routine.chosen) {
    const ways = judge(when, evaluator.instances, -1, world)
    for (const role of roles) {
      const open = ways.find((w) => possibleFor(w, role) && (w.outcome === 'open' || w.outcome === 'owner' || w.outcome === 'via') && !w.needsRole)
      if (!open) continue
      const who = open.who === 'authenticated' ? 'authenticated' : role
      return [{ table: EVERY_TABLE, command: 'update', who, grants: true, columns: [], maintenance: false, self: false, counter: false }]
    }
  }
  return []
}

/** What one statement writes that its caller should not; undefined when nothing of the kind. */
export function judgeEffect(
  effect: Effect,
  evaluator: Evaluator,
  roles: readonly BrowserRole[],
  tables: ReadonlyMap<string, Table>,
  world: JudgeWorld,
): Write | undefined {
  if (effect.blank || /^(pg_temp|pg_catalog|information_schema|net|cron)\./.test(effect.table)) return undefined
  const placeholder = placeholderTable(effect.table)
  if (placeholder === 'unknown') return undefined
  const name = placeholder === 'chosen' ? EVERY_TABLE : effect.table
  const table = tables.get(effect.table)
  const owners = ownersOf(table)
  const meant = table ? powerColumnsOf(table) : []
  const power = [...effect.writes.keys()].filter((c) => table?.userData?.powerColumns.includes(c) || meant.includes(c) || grantsPower(c))
  let when: Ways = effect.when
  if (effect.command === 'insert') {
    // the new row's columns equal what is written into them
    const identifying = new Set([...owners, ...(table?.userData?.tenantColumns ?? []), ...(table?.foreignKeys.flatMap((f) => f.columns) ?? [])])
    for (const [column, values] of effect.writes) {
      // what is written elsewhere (a total, a date) says nothing about whose row it is, unless it is the caller
      if (
        !identifying.has(column) &&
        !((!table || table.stub) && ROW_OWNER_COLUMN.test(column)) &&
        !values.some((v) => bases(v.term).some((t) => t.t === 'caller'))
      )
        continue
      const all = values.map((v) =>
        // nothing equals NULL: a column that is written empty ties the row to nobody and hides no other tie
        v.term.t === 'const' && v.term.value === null
          ? v.when
          : both(v.when, evaluator.compare('=', { t: 'column', instance: effect.instance, column }, v.term)),
      )
      when = both(when, all.flat().slice(0, 16))
    }
  }
  const ways = judge(when, evaluator.instances, effect.instance, world)
  const chosen = power.filter((c) =>
    effect.writes.get(c)?.some((v) => bases(v.term).some((t) => t.t === 'argument') && !isChoiceOfNames(both(effect.when, v.when), v.term)),
  )
  // a code of an advertisement is no secret: whoever has it counts up its uses until it is taken for used up
  const known = (column: string) => (/code$/i.test(column) && takesOff(effect.table) && isCounter(effect)) || isNameOf(effect, column)
  for (const role of roles) {
    const usable = ways.filter((w) => possibleFor(w, role))
    const open = usable.filter((w) => w.outcome === 'open' && !w.bySecret && !w.argumentColumns.some((c) => isUnguessable(c) && !known(c)))
    // a row that follows from something the caller was allowed to do (a notification to whom he invited)
    const grants =
      power.some((c) => grantsThere(table, c, effect.command === 'insert' ? 'added' : 'changed') && !isAsByDefault(effect, c, world)) ||
      givesCredentials(effect, table, evaluator.instances) ||
      (effect.command !== 'delete' && paysOut(effect.table)) ||
      (effect.command === 'insert' && (listsThoseInCharge(table) || isPaidFor(table)))
    const follows = effect.command === 'insert' && !grants && (open.every((w) => w.tables.length > 0) || isOneOfThem(effect, owners, role, evaluator, world))
    if (open.length && !follows) {
      const [first] = open as [Way]
      const who = first.who === 'authenticated' ? 'authenticated' : role
      return {
        table: name,
        command: effect.command,
        who,
        ...(first.cause ? { cause: first.cause } : {}),
        grants: placeholder === 'chosen' || grants,
        columns: owners.filter((c) => effect.writes.has(c)),
        maintenance:
          first.argumentColumns.length === 0 &&
          (effect.command === 'delete' || ([...first.states, ...first.parentStates].length > 0 && isFlag(effect, [...power, ...owners]))),
        self: false,
        counter: isCounter(effect),
        ...(isDerived(effect, table, evaluator.instances, owners, grants) ? { derived: true as const } : {}),
        ...(isFlag(effect, [...power, ...owners]) ? { flag: true as const } : {}),
      }
    }
    const own = usable.filter((w) => w.outcome === 'owner' && !w.needsRole && !(table && appointsOthers(table, [w])))
    const raised = chosen.filter((c) => spent(effect, c) === undefined)
    const tenant = chosenTenant(effect, table, evaluator.instances)
    const granting = [...raised.filter((c) => grantsThere(table, c, 'own')), ...(tenant === undefined ? [] : [tenant])]
    if (own.length && (granting.length || (effect.command !== 'insert' && raised.some((c) => meant.includes(c)))))
      return {
        table: name,
        command: effect.command,
        who: role,
        grants: granting.length > 0,
        columns: tenant === undefined ? raised : [...raised, tenant],
        maintenance: false,
        self: true,
        counter: false,
      }
    const admitted = own.length ? admits(effect, own, world) : undefined
    if (admitted)
      return {
        table: name,
        command: effect.command,
        who: role,
        grants: true,
        columns: [admitted],
        maintenance: false,
        self: true,
        counter: false,
        admits: true,
      }
    if (own.length)
      return {
        table: name,
        command: effect.command,
        who: role,
        grants: false,
        columns: [],
        maintenance: false,
        self: false,
        counter: false,
        bound: true,
      }
  }
  return undefined
}

/** How the application is set up: what such a row is called by is no secret. */
const CONFIGURATION_TABLE = /setting|config|control|feature|flag|option|param|system|content|template|permission|maintenance/i

/** Whether a row of the table is called by what the column holds: the key of a setting. */
const isNameOf = ({ table, when, instance }: Effect, column: string): boolean =>
  /^(?:\w{1,30}_)?(?:key|code|slug)$/i.test(column) &&
  CONFIGURATION_TABLE.test(table) &&
  when.some((way) => way.some((a) => a.a === 'compare' && [a.left, a.right].some((t) => t.t === 'column' && t.instance === instance && t.column === column)))

/** The column by which the caller's own row waits for somebody else's word, where the function gives that word to whoever calls, and asks nothing else. */
function admits(effect: Effect, own: readonly Way[], world: JudgeWorld): string | undefined {
  if (effect.command !== 'update' || !own.every((w) => w.tables.every((t) => t === effect.table) && !w.argumentColumns.some((c) => isUnguessable(c))))
    return undefined
  return world.heldAtFirst?.(effect.table).find(({ column }) => {
    const values = effect.writes.get(column) ?? []
    return values.length > 0 && values.every(({ term }) => term.t === 'const' && letsIn(term.value))
  })?.column
}

/** Whether one of the rows that are put in together is the caller's, whatever way leads there: two people of whom he has to be one. */
function isOneOfThem(effect: Effect, owners: readonly string[], role: BrowserRole, evaluator: Evaluator, world: JudgeWorld): boolean {
  const ownerOf = (row: ReadonlyMap<string, Alternatives>) => owners.flatMap((column) => row.get(column)?.map((value) => ({ column, value })) ?? [])
  return effect.when.every((way) =>
    effect.rows?.some((row) => {
      const named = ownerOf(row)
      return (
        named.length > 0 &&
        named.every(({ column, value }) => {
          const is = both(both([way], value.when), evaluator.compare('=', { t: 'column', instance: effect.instance, column }, value.term))
          return judge(is, evaluator.instances, effect.instance, world).every((w) => !possibleFor(w, role) || w.outcome === 'owner')
        })
      )
    }),
  )
}

/** Whether a new row says in a column what every row says of which nobody said anything. */
function isAsByDefault(effect: Effect, column: string, world: JudgeWorld): boolean {
  const said = effect.command === 'insert' && !effect.upsert ? world.defaultOf(effect.table, column) : undefined
  return said !== undefined && (effect.writes.get(column) ?? []).every(({ term }) => term.t === 'const' && String(term.value) === said)
}

/** `set votes = votes + 1`: numbers that count, and timestamps. */
function isCounter(effect: Effect): boolean {
  if (effect.command !== 'update' || !effect.writes.size) return false
  return [...effect.writes].every(([column, values]) =>
    values.every(({ term }) => {
      if (term.t !== 'expression') return false
      const of = bases(term)
      if (of.length === 0) return true
      return (
        !grantsPower(column) &&
        of.every((t) => t.t === 'const' || (t.t === 'column' && (t.column === column || t.column === '*'))) &&
        (term.name === '+' || term.name === '-' || term.name === 'greatest' || term.name === 'count')
      )
    }),
  )
}

/** `set status = 'reviewed', reviewed_at = now()`: nothing that the caller chooses. */
function isFlag(effect: Effect, decisive: readonly string[]): boolean {
  if (effect.command !== 'update' || !effect.writes.size) return false
  return [...effect.writes].every(([column, values]) => !decisive.includes(column) && values.every((v) => bases(v.term).every((t) => t.t === 'const')))
}

function ownersOf(table: Table | undefined): readonly string[] {
  return table?.userData?.ownerColumns ?? []
}
