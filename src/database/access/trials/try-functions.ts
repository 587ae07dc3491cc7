import type { AccessCell, AccessObject, Catalog, SqlFunction } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import type { World } from '../expression/scope.ts'
import { type OwnFailure, ownFailure } from '../functions/always-failing-function.ts'
import { EVERY_TABLE } from '../functions/function-writes.ts'
import { functionObject, functionOf } from '../functions/security-definer.ts'
import type { Hole } from '../hole.ts'
import { BROWSER_ROLES, nameOf } from '../policies/read-policies.ts'
import { ident, identOf, literal } from '../sql.ts'
import type { AccessSession } from './access-session.ts'
import { callFor } from './call-arguments.ts'
import type { Seeded } from './seed-rows.ts'
import { type Caller, type TrialResult, Trier } from './trial.ts'

/** Text of a row that holds something of user B: an id, the e-mail address or a made-up value. */
export const OF_B = String.raw`bbbbbbbb-|user-b@example|\mb\d*-[a-z]`
/** The same for user A. */
export const OF_A = String.raw`aaaaaaaa-|user-a@example|\ma\d*-[a-z]`

/** More functions than this are read, not called. */
const MAX_FUNCTIONS = 300
/** Below this many milliseconds no more calls begin. */
const RESERVE_MS = 900

/** Calls every function that a browser may call. What hangs is left out by the sandbox, which costs time: hence after everything else. */
export async function callFunctions(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  exposed: ReadonlySet<string>,
  world: World & JudgeWorld,
): Promise<readonly AccessObject[]> {
  const functions = new FunctionTrials(new Trier(session), catalog, seeded, world)
  const objects: AccessObject[] = []
  for (const fn of functions.callable(exposed).slice(0, MAX_FUNCTIONS)) {
    const tried = session.remainingMs() < RESERVE_MS ? undefined : await session.attempt(`access function ${functionObject(fn)}`, () => functions.matrix(fn))
    if (tried) objects.push(tried)
  }
  return objects
}

/** Calls functions as a stranger and as an ordinary user, with arguments that mean somebody else's rows. Every call is undone. */
export class FunctionTrials {
  readonly #trier: Trier
  readonly #catalog: Catalog
  readonly #seeded: Seeded
  readonly #calls = new Map<SqlFunction, string>()
  readonly #world: World & JudgeWorld

  constructor(trier: Trier, catalog: Catalog, seeded: Seeded, world: World & JudgeWorld) {
    this.#trier = trier
    this.#catalog = catalog
    this.#seeded = seeded
    this.#world = world
  }

  /** Functions of the exposed schemas that a browser may call. */
  callable(exposed: ReadonlySet<string>): readonly SqlFunction[] {
    return this.#catalog.functions.filter(
      (fn) => exposed.has(fn.schema) && !fn.stub && !fn.isTrigger && !/^(trigger|event_trigger)$/.test(fn.returns) && BROWSER_ROLES.some((r) => mayCall(fn, r)),
    )
  }

  /** Who can call the function, and what came back. */
  async matrix(fn: SqlFunction): Promise<AccessObject> {
    const cells: AccessCell[] = []
    for (const role of ['anon', 'A'] as const) {
      const trial = mayCall(fn, role === 'anon' ? 'anon' : 'authenticated')
        ? await this.call(fn, role)
        : { result: 'refused' as const, because: 'no privilege' }
      cells.push({ role, command: 'execute', row: 'other', result: trial.result, ...(trial.because ? { because: trial.because } : {}) })
    }
    return { kind: 'function', object: functionObject(fn), ...(fn.securityDefiner ? { definer: true as const } : {}), cells }
  }

  /** One call. An exception of the function's own is its refusal; any other error decides nothing. */
  async call(fn: SqlFunction, role: Caller): Promise<TrialResult> {
    const trial = await this.#trier.attempt(
      role,
      `select coalesce(bool_or(answer::text ~ ${literal(OF_B)}), false) as others from ${this.callOf(fn)} as answer`,
    )
    if (trial.result === 'allowed') return { ...trial, ...(trial.rows?.[0]?.['others'] === true ? { because: SHOWS_OTHERS } : {}) }
    return trial.result === 'error' && /^P0001/.test(trial.because ?? '') ? { ...trial, result: 'refused' } : trial
  }

  /** Repeats what decides a hole of the function: another user's row comes back, or is another afterwards. */
  async tryHole(hole: Hole): Promise<TrialResult> {
    const fn = functionOf(this.#catalog, hole.object)
    const role: Caller = hole.who === 'anon' ? 'anon' : 'A'
    if (!fn) return { result: 'error', because: 'the function is gone' }
    if (hole.kind === 'function-read') {
      const trial = await this.call(fn, role)
      return trial.result === 'allowed' && trial.because !== SHOWS_OTHERS ? { result: 'error', because: 'no row of another user came back' } : trial
    }
    const wanted = hole.tables?.some((t) => t.table === EVERY_TABLE) ? this.#anySql(fn) : { call: this.callOf(fn), checks: this.#checks(hole) }
    if (!wanted?.checks.length) return { result: 'error', because: 'no argument could be made up' }
    return this.#trier.attempt(role, `select 1 as called from ${wanted.call} as answer`, {
      prepare: wanted.checks.map((c) => c.before).join('; '),
      inspect: `select 1 as changed where ${wanted.checks.map((c) => c.after).join(' or ')}`,
    })
  }

  /** What keeps every call of a hole's function from having an effect. */
  async ownFailure(hole: Hole): Promise<OwnFailure | undefined> {
    const fn = functionOf(this.#catalog, hole.object)
    return fn && ownFailure(this.#trier.session, this.#catalog, this.#world, fn, hole.object, this.callOf(fn))
  }

  /** For each table that the hole names: B's row is another than before, or there are more rows. */
  #checks(hole: Hole): readonly ChangeCheck[] {
    return (hole.tables ?? []).flatMap(({ table, command }, i): ChangeCheck[] => {
      if (!this.#catalog.tables.some((t) => nameOf(t) === table)) return []
      if (command === 'insert') return [moreRows(table, i)]
      const row = this.#seeded.rows.get(table)?.B
      return row ? [rowChanged(table, row.ctid)] : []
    })
  }

  /** For a function that takes SQL: a harmless change of somebody's row, handed over as text. */
  #anySql(fn: SqlFunction): { readonly call: string; readonly checks: readonly ChangeCheck[] } | undefined {
    const text = fn.args.findIndex((a) => /^(text|character varying)/.test(a.type))
    for (const table of this.#catalog.tables) {
      const name = nameOf(table)
      const row = this.#seeded.rows.get(name)?.B
      const column = table.columns.find((c) => !c.generated && c.identity !== 'always')
      if (!row || !column || !table.userData?.ownerColumns.length || text < 0) continue
      const sql = `update ${identOf(name)} set ${ident(column.name)} = ${ident(column.name)}`
      const given = fn.args.slice(0, text + 1).map((a, i) => (i === text ? literal(sql) : `null::${a.type}`))
      return { call: `${identOf(`${fn.schema}.${fn.name}`)}(${given.join(', ')})`, checks: [rowChanged(name, row.ctid)] }
    }
    return undefined
  }

  /** A call with arguments that mean somebody else's rows, as SQL. */
  callOf(fn: SqlFunction): string {
    const known = this.#calls.get(fn)
    if (known) return known
    const call = callFor(fn, this.#catalog, this.#seeded, this.#world)
    this.#calls.set(fn, call)
    return call
  }
}

/** SQL that shows a change: what to note before, and what is true afterwards. */
interface ChangeCheck {
  readonly before: string
  readonly after: string
}

function rowChanged(table: string, ctid: string): ChangeCheck {
  return { before: 'select 1', after: `not exists (select 1 from ${identOf(table)} where ctid = '${ctid}')` }
}

function moreRows(table: string, n: number): ChangeCheck {
  const count = `(select count(*) from ${identOf(table)})::text`
  return { before: `select set_config('prelaunch.count_${n}', ${count}, true)`, after: `${count} <> current_setting('prelaunch.count_${n}')` }
}

/** What a call is said to have done when another user's values came back. */
export const SHOWS_OTHERS = "it returned another user's row"

function mayCall(fn: SqlFunction, role: 'anon' | 'authenticated'): boolean {
  return fn.executableBy.includes(role) || fn.executableBy.some((e) => e.toLowerCase() === 'public')
}
