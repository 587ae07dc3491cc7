import type { Catalog, SqlFunction, Table } from '../../database.ts'
import type { JudgeWorld, RowState } from '../expression/disjunct.ts'
import { Evaluator } from '../expression/evaluate.ts'
import { readRoutine, returnsOf, scopeOfCall } from '../expression/routine.ts'
import type { World } from '../expression/scope.ts'
import type { Hole, MayRead, TooMuch } from '../hole.ts'
import { BROWSER_ROLES, type BrowserRole, nameOf } from '../policies/read-policies.ts'
import { limitersOf } from './attempt-limiter.ts'
import { isHandedOver } from './balance-decrement.ts'
import { changesFilesOverHttp, QUEUES, queueCommands, schedulesChosenSql } from './external-effects.ts'
import { readReturned } from './function-reads.ts'
import { chosenSql, decisiveColumns, EVERY_TABLE, isMild, judgeEffect, type Write } from './function-writes.ts'
import { isCarried, isFounded, withoutPaired } from './propagated-write.ts'
import { freshRows } from './rows-created-here.ts'

/** Judges the functions that run with their owner's rights and that browsers may call. */
export function readFunctions(
  catalog: Catalog,
  exposed: ReadonlySet<string>,
  world: World & JudgeWorld,
  isOpenAnyway: (table: string, role: BrowserRole, states?: readonly RowState[]) => boolean,
  mayRead: MayRead,
  tooMuch: TooMuch = () => undefined,
): Hole[] {
  const tables = new Map(catalog.tables.map((t) => [nameOf(t), t]))
  const outgoing = changesFilesOverHttp(catalog.functions.filter((fn) => fn.securityDefiner && !fn.stub))
  return catalog.functions
    .filter((fn) => fn.securityDefiner && !fn.isTrigger && !fn.stub && exposed.has(fn.schema) && !/^(trigger|event_trigger)$/.test(fn.returns))
    .flatMap((fn) =>
      // asked right before each: the time of one is not another's
      mayRead('function', functionObject(fn), fn.at)
        ? [...readFunction(fn, tables, world, isOpenAnyway, tooMuch), ...(outgoing.has(fn) ? fileHole(fn) : []), ...queueHole(fn), ...scheduleHole(fn)]
        : [],
    )
}

/** Files are rows of storage.objects, however they are reached. */
function fileHole(fn: SqlFunction): Hole[] {
  const command =
    /'DELETE'|http_delete/i.test(fn.body) || !/'(?:POST|PUT|PATCH)'|http_(?:post|put|patch)/i.test(fn.body) ? ('delete' as const) : ('update' as const)
  return holeOf(fn, [{ table: 'storage.objects', command }])
}

/** What is put into a queue the server does (a mail is sent); what is taken out of one it never does. */
function queueHole(fn: SqlFunction): Hole[] {
  const all = queueCommands(fn)
  const commands = all.filter((command) => command !== 'select')
  return [
    ...(all.includes('select')
      ? holeOf(fn, [{ table: QUEUES, command: 'select' }]).map((h) => ({ ...h, kind: 'function-read' as const, columns: ['message'] }))
      : []),
    ...(commands.length
      ? holeOf(
          fn,
          commands.map((command) => ({ table: QUEUES, command, grants: true as const })),
        )
      : []),
  ]
}

/** SQL that the caller writes and the database runs later. */
const scheduleHole = (fn: SqlFunction): Hole[] => (schedulesChosenSql(fn) ? holeOf(fn, [{ table: EVERY_TABLE, command: 'update', grants: true }]) : [])

function holeOf(fn: SqlFunction, tables: NonNullable<Hole['tables']>): Hole[] {
  const who = BROWSER_ROLES.find((r) => fn.executableBy.includes(r) || fn.executableBy.some((e) => e.toLowerCase() === 'public'))
  if (!who) return []
  return [{ kind: 'function-write', object: functionObject(fn), command: 'execute', who, columns: [], tables, at: fn.at, proof: 'inferred' }]
}

/** The function that a finding or a cell of the matrix names. */
export const functionOf = ({ functions }: Pick<Catalog, 'functions'>, object: string | undefined): SqlFunction | undefined =>
  functions.find((f) => functionObject(f) === object)

/** `schema.f(types)`, however the catalog qualifies the identity. */
export function functionObject(fn: SqlFunction): string {
  const open = fn.identity.indexOf('(')
  const name = open < 0 ? fn.identity : fn.identity.slice(fn.identity.lastIndexOf('.', open) + 1)
  return `${fn.schema}.${name}`
}

function readFunction(
  fn: SqlFunction,
  tables: ReadonlyMap<string, Table>,
  world: World & JudgeWorld,
  isOpenAnyway: (table: string, role: BrowserRole, states?: readonly RowState[]) => boolean,
  tooMuch: TooMuch,
): Hole[] {
  const roles = BROWSER_ROLES.filter((r) => fn.executableBy.includes(r) || fn.executableBy.some((e) => e.toLowerCase() === 'public'))
  if (!roles.length) return []
  const evaluator = new Evaluator(world, returnsOf)
  const scope = scopeOfCall(fn)
  const routine = readRoutine(evaluator, fn, scope)
  if (!routine) return []
  const object = functionObject(fn)
  const holes: Hole[] = []
  const judged: Write[] = routine.effects.flatMap((effect) => {
    const write = judgeEffect(effect, evaluator, roles, tables, world)
    return write ? [{ ...write, effect }] : []
  })
  // a counter beside the caller's own row (a vote, a seat taken) is how such functions are meant to work
  judged.push(...chosenSql(routine, evaluator, roles, world))
  const hasOwn = judged.some((w) => w.bound)
  const own = judged.flatMap((w) => (w.bound && w.effect ? [w.effect] : []))
  const added = judged.flatMap((w) => (w.bound && w.effect?.command === 'insert' ? [w.effect] : []))
  const limiters = limitersOf(fn, routine, tables, evaluator.instances)
  const isFresh = freshRows(fn, routine.effects, added, tables, evaluator.instances)
  const writes = judged.filter((w) => {
    if (limiters.has(w.table) || (w.effect && isFresh(w.effect))) return false
    // that somebody was refused is written down
    if (w.effect?.refused && w.command === 'insert' && !w.grants) return false
    if (w.bound || (w.counter && hasOwn) || (w.flag && added.length) || (w.effect && isHandedOver(w.effect, own))) return false
    if (!w.effect || isFounded(w.effect, added) || isCarried(w.effect, added, decisiveColumns(tables.get(w.effect.table)))) return !w.effect
    if (w.command !== 'delete') return true
    const rest = withoutPaired(w.effect, added)
    return rest.length === w.effect.when.length || judgeEffect({ ...w.effect, when: rest }, evaluator, roles, tables, world)?.bound !== true
  })
  if (writes.length) {
    const who = writes.some((w) => w.who === 'anon') ? 'anon' : 'authenticated'
    const touched = [...Map.groupBy(writes, (w) => `${w.command} ${w.table}`).values()].map(touchedBy(hasOwn))
    const slips = writes.every((w) => w.cause === 'null-slips-through')
    const cause = writes.every((w) => w.effect?.refused)
      ? ('handler' as const)
      : writes.find((w) => w.cause && (slips || w.cause !== 'null-slips-through'))?.cause
    holes.push({
      kind: 'function-write',
      object,
      command: 'execute',
      who,
      ...(cause ? { cause } : {}),
      columns: [...new Set(writes.flatMap((w) => w.columns))].sort(),
      tables: touched,
      at: fn.at,
      proof: 'inferred',
      ...(fn.args.length === 0 && writes.every((w) => w.maintenance)
        ? { because: 'maintenance' }
        : writes.every((w) => w.self)
          ? { because: writes.every((w) => w.admits) ? 'admits' : 'self' }
          : writes.every(isMild(hasOwn))
            ? { because: 'counter' }
            : {}),
    })
  }
  const made = new Map(routine.effects.flatMap((e) => (e.command === 'insert' ? [[e.instance, e] as const] : [])))
  // what a write hands back of the rows that it should not have touched is the same hole
  const told = new Set(holes.some((h) => !h.because) ? writes.flatMap((w) => (w.effect ? [w.effect.instance] : [])) : [])
  const byWriting = holes.some((h) => !h.because)
  const reads = readReturned(fn, routine.returns, evaluator, roles, tables, world, isOpenAnyway, made, told).filter(
    // which row it was that it changed for whoever calls, and what its own limit says, is no second hole
    (r) => !limiters.has(r.table) && !(byWriting && r.columns.length > 0 && r.columns.every((c) => /(^|_)(id|uuid)$/.test(c))),
  )
  if (reads.length) {
    holes.push({
      kind: 'function-read',
      object,
      command: 'execute',
      who: reads.some((r) => r.who === 'anon') ? 'anon' : 'authenticated',
      tables: [...new Set(reads.map((r) => r.table))].map((table) => ({ table, command: 'select' as const })),
      columns: [...new Set(reads.flatMap((r) => r.columns))].sort(),
      at: fn.at,
      proof: 'inferred',
      ...(reads[0]?.cause ? { cause: reads[0].cause } : {}),
      ...(reads.every((r) => r.grouped) ? { because: 'grouped' } : {}),
    })
  }
  if (evaluator.exhausted && !holes.length) tooMuch(object, fn.at)
  return holes
}

/** What the writes of one command to one table come to: the worst of them decides. */
const touchedBy =
  (hasOwn: boolean) =>
  (writes: readonly Write[]): NonNullable<Hole['tables']>[number] => {
    const { table, command } = writes[0] as Write
    return {
      table,
      command,
      ...(writes.some((w) => w.grants) ? { grants: true } : {}),
      ...(writes.every(isMild(hasOwn)) ? { mild: true as const } : {}),
    }
  }
