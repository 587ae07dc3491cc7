import { lastPart } from '../../../lib/last-part.ts'
import { plural } from '../../../lib/plural.ts'
import type { AccessMatrix, AccessObject, Catalog, Table, View } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import type { World } from '../expression/scope.ts'
import { fixFor, holdsWithSession } from '../fixes/fix-for-hole.ts'
import { fixByFunction, isRecursion } from '../fixes/non-recursive-fix.ts'
import type { Hole } from '../hole.ts'
import { askedByFunctions, recursions } from '../policies/policy-recursion.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { asksWhoWorksHere } from '../policies/staff-condition.ts'
import { ident, identOf, readableName } from '../sql.ts'
import type { AccessSession } from './access-session.ts'
import type { Seeded } from './seed-rows.ts'
import { type TrialResult, Trier } from './trial.ts'
import { FunctionTrials } from './try-functions.ts'
import { TableTrials } from './try-tables.ts'
import { tryView } from './try-views.ts'

/** Below this many milliseconds no more trials begin. */
const RESERVE_MS = 900

/** Tries every table and view, then every hole, and proves its fix. */
export async function confirm(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  holes: readonly Hole[],
  readings: ReadonlyMap<string, readonly Reading[]>,
  exposed: ReadonlySet<string>,
  world: World & JudgeWorld,
): Promise<AccessMatrix> {
  const objects: AccessObject[] = []
  const confirmed: Hole[] = []
  const untried: string[] = []
  const trier = new Trier(session)
  const functions = new FunctionTrials(trier, catalog, seeded, world)
  const tables = catalog.tables.filter((t) => exposed.has(t.schema) && !t.extension && t.kind !== 'foreign' && t.kind !== 'partition')
  const byTable = new Map(tables.map((t) => [nameOf(t), new TableTrials(trier, catalog, seeded, t)]))
  const settle = async (hole: Hole) => {
    const trials = byTable.get(hole.object)
    const view = catalog.views.find((v) => nameOf(v) === hole.object)
    if (session.remainingMs() < RESERVE_MS || hidesItsReaders(hole, catalog, readings)) {
      confirmed.push(withFix(hole, fixFor(hole, catalog, readings), false))
      return
    }
    const label = `hole ${hole.kind} ${hole.object} ${hole.policy ?? ''} ${hole.command}`
    const done = await session.attempt(label, () =>
      trials?.seeded
        ? confirmHole(trier, catalog, trials, hole, readings, holes)
        : view
          ? confirmView(trier, catalog, view, hole, readings)
          : confirmCall(trier, catalog, functions, hole, readings),
    )
    if (done !== 'gone') confirmed.push(done ?? withFix(hole, fixFor(hole, catalog, readings), false))
  }
  // what the parse tree shows open is settled first; the rest of the matrix follows while there is time
  for (const hole of holes) await settle(hole)
  for (const table of tables) {
    const name = nameOf(table)
    if (session.remainingMs() < RESERVE_MS) {
      untried.push(name)
      continue
    }
    const tried = await session.attempt(`access ${name}`, async () => byTable.get(name)?.matrix())
    if (!tried) continue
    objects.push(tried)
    for (const hole of fromTrials(table, tried, holes, readings.get(name) ?? [])) await settle(hole)
  }
  for (const view of catalog.views.filter((v) => exposed.has(v.schema))) {
    const tried = session.remainingMs() < RESERVE_MS ? undefined : await session.attempt(`access view ${nameOf(view)}`, () => tryView(trier, view))
    if (tried) objects.push(tried)
  }
  if (untried.length)
    session.gap({
      path: catalog.tables.find((t) => nameOf(t) === untried[0])?.at.path ?? '',
      because: `the time for trials ended before ${plural(untried.length, 'table')} could be tried; their policies were read only`,
      touches: [],
    })
  for (const hole of recursions(catalog, objects)) {
    const trials = byTable.get(hole.object)
    const codes = trials?.seeded ? [hole.fix?.code, askedByFunctions(trials.table, catalog, 'itself')].filter((c) => c !== undefined) : []
    const proved = await session.attempt(`fix ${hole.object}`, async () => {
      for (const code of codes) if ((await trier.withFix(code, async () => trials?.select('A', 'own')))?.result === 'allowed') return code
      return undefined
    })
    confirmed.push(proved ? withFix(hole, proved, true) : hole)
  }
  return { objects, holes: confirmed }
}

/** Whoever changes a row has to see it, and of a table that only the dashboard made the repository may not say who does: a trial would tell nothing. */
function hidesItsReaders(hole: Hole, { tables }: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): boolean {
  if (hole.command !== 'update' && hole.command !== 'delete') return false
  const madeUp = tables.some((t) => t.stub && nameOf(t) === hole.object)
  return madeUp && !readings.get(hole.object)?.some((r) => r.command === 'select')
}

/** What was allowed although the parse tree could not tell, or says that only the owner of the row is let in: "allowed" wins. */
function fromTrials(table: Table, tried: AccessObject | undefined, holes: readonly Hole[], readings: readonly Reading[]): Hole[] {
  if (!tried || !table.rls.enabled || !table.userData?.ownerColumns.length) return []
  const found: Hole[] = []
  for (const cell of tried.cells) {
    if (cell.result !== 'allowed' || cell.command === 'execute' || (cell.row !== 'other' && cell.row !== 'forged')) continue
    const role = cell.role === 'anon' ? 'anon' : 'authenticated'
    const mine = readings.filter((r) => r.command === cell.command && r.role === role)
    if (holes.some((h) => h.object === tried.object && h.command === cell.command) || found.some((h) => h.command === cell.command)) continue
    // only where the tree was silent or is contradicted: published rows and rows that belong to nobody are open on purpose
    const silent =
      mine.find((r) => r.ways.some((w) => w.outcome === 'unknown')) ??
      (cell.row === 'other' && cell.because === undefined && mine.every(bindsToOwner) ? mine[0] : undefined)
    if (!silent || mine.some((r) => r.ways.some((w) => w.outcome === 'open'))) continue
    found.push({ kind: 'policy', object: tried.object, command: cell.command, policy: silent.policy.name, who: role, at: silent.policy.at, proof: 'executed' })
  }
  return found
}

/** Whether a policy, as it reads, compares the caller with the row or with somebody who stands in it, and asks nothing else that could let in others. */
const bindsToOwner = ({ ways }: Reading): boolean =>
  ways.length > 0 && ways.every((w) => (w.outcome === 'owner' || w.fixed === true) && !w.tables.length && !w.gates.length && w.capability !== true)

async function confirmHole(
  trier: Trier,
  catalog: Catalog,
  trials: TableTrials,
  hole: Hole,
  readings: ReadonlyMap<string, readonly Reading[]>,
  all: readonly Hole[],
): Promise<Hole | 'gone'> {
  let current = hole
  // nobody among those who try it administers the tenant
  if (hole.kind === 'escalation' && hole.because !== 'tenant' && hole.because !== 'above') {
    const kept: string[] = []
    let executed = false
    for (const column of hole.columns ?? []) {
      const trial = await trials.escalate(column, hole.because)
      // what a trigger or a column privilege keeps from changing is no hole
      if (trial.result === 'refused' || (trial.result === 'error' && /^(P0001|42501)/.test(trial.because ?? ''))) continue
      kept.push(column)
      if (trial.result === 'allowed') executed = true
    }
    if (!kept.length) return 'gone'
    current = { ...hole, columns: kept, ...(executed ? { proof: 'executed' as const } : {}) }
  }
  const before = await trials.tryHole(current)
  if (before.result === 'allowed') current = { ...current, proof: 'executed' }
  const anybodysRow = hole.kind === 'policy' && hole.command === 'insert' && hole.who !== 'anon' && !hole.tables?.length
  if (anybodysRow && before.result === 'refused' && before.because === undefined && (await trials.putsRight())) return 'gone'
  if (hole.kind === 'locked' && before.result !== 'allowed') return before.result === 'refused' ? 'gone' : current
  const wanted = fixFor(current, catalog, readings)
  if (!wanted) return current
  const code = await endingFix(trier, trials, wanted, () =>
    current.kind === 'no-rls'
      ? (['itself', 'all'] as const).map((which) => withFunctions(wanted, askedByFunctions(trials.table, catalog, which)))
      : [fixByFunction(current, trials.table, catalog, readings)],
  )
  // what switching it on would stop for good is no fix
  if (!code) return current.kind === 'no-rls' ? { ...current, because: 'recursion' } : current
  const after = await trier.withFix(code, () => trials.tryHole(current))
  if (after === undefined) return current
  if (after.result !== 'allowed') return withFix(current, code, before.result === 'allowed' && after.result === 'refused')
  // another open policy of the table lets the same people do the same: both have to go
  const sameOf = (h: Hole) => h.kind === hole.kind && (h.kind === 'policy' || (h.kind === 'self-grant' && h.because === hole.because))
  const alike = all.filter((h) => sameOf(h) && h.object === hole.object && h.command === hole.command && h.policy !== hole.policy)
  const others = new Map(alike.map((h) => [h.policy, h]))
  const amongStaff = await worksHere(trier, code, catalog)
  if (!others.size) return amongStaff ? withFix(current, code, false) : current
  const isTaken = hole.kind === 'policy' || hole.because === 'appointment'
  const closing = [...others].map(([name, h]) =>
    holdsWithSession(h) || !isTaken ? fixFor(h, catalog, readings) : `drop policy ${ident(name ?? '')} on ${readableName(hole.object)};`,
  )
  const both = [code, ...closing].join('\n')
  const beside = [...others.keys()].filter((name) => name !== undefined)
  if (amongStaff) return { ...withFix(current, both, false), beside }
  const closed = await trier.withFix(both, () => trials.tryHole(current))
  return closed?.result === 'refused' ? { ...withFix(current, both, before.result === 'allowed'), beside } : current
}

/** Whether those who try it are among the people whom a fix lets in, by the rows that they were given: that they still get in says nothing of it. */
async function worksHere(trier: Trier, code: string, { policies }: Catalog): Promise<boolean> {
  const texts = policies.flatMap((p) => [p.using, p.check].filter((text) => text !== undefined))
  const asked = texts.find((text) => asksWhoWorksHere(text) && code.includes(text.trim()))
  return asked !== undefined && (await trier.attempt('A', `select 1 as one where ${asked}`)).result === 'allowed'
}

/** The fix, or the first that asks by functions and comes to an end, where policies would ask each other; undefined where none does. */
async function endingFix(trier: Trier, trials: TableTrials, code: string, byFunctions: () => readonly (string | undefined)[]): Promise<string | undefined> {
  const enables = /enable row level security/i.test(code)
  if (!enables && !/create policy|alter policy/i.test(code)) return code
  const read = () => trials.select('A', 'own')
  const after = await trier.withFix(code, read)
  if (!after || !isRecursion(after) || (!enables && isRecursion(await read()))) return code
  for (const asked of byFunctions()) {
    const again = asked && (await trier.withFix(asked, read))
    if (again && !isRecursion(again)) return asked
  }
  return undefined
}

const withFunctions = (code: string, asked: string | undefined): string | undefined =>
  asked && `-- a policy that asks its own table on the way would never come to an end: a function asks\n${asked}\n${code}`

async function confirmView(trier: Trier, catalog: Catalog, view: View, hole: Hole, readings: ReadonlyMap<string, readonly Reading[]>): Promise<Hole> {
  const name = nameOf(view)
  if (view.materialized) await trier.refresh(name)
  const whole = Number((await trier.look(`select count(*)::int as n from ${identOf(name)}`))?.['n'] ?? 0)
  const look = async (): Promise<TrialResult> => {
    const trial = await trier.attempt(hole.who === 'anon' ? 'anon' : 'A', `select count(*)::int as n from ${identOf(name)}`)
    if (trial.result !== 'allowed') return trial
    return { result: Number(trial.rows?.[0]?.['n'] ?? 0) >= Math.max(whole, 1) ? 'allowed' : 'refused' }
  }
  const before = await look()
  const current: Hole = before.result === 'allowed' ? { ...hole, proof: 'executed' } : hole
  const code = fixFor(current, catalog, readings)
  if (!code) return current
  const after = await trier.withFix(code, look)
  if (after === undefined || after.result === 'allowed') return current
  return withFix(current, code, before.result === 'allowed' && after.result === 'refused')
}

/** It asks for a column that a table of the repository has not: who calls it gets an error. Of a table of the dashboard nobody knows all columns. */
function failsAlways({ result, because = '' }: TrialResult, { tables = [] }: Hole, catalog: Catalog, session: AccessSession): boolean {
  const column = /column "?(?:\w{1,63}"?\."?)?(\w{1,63})"?/.exec(because)?.[1]
  // of several scripts that make a table each in its own way, the one that was left out may have it
  if (column === undefined || tables.some(({ table }) => session.speaksOfColumn(lastPart(table), column))) return false
  const known = tables.map(({ table }) => catalog.tables.find((t) => nameOf(t) === table))
  return result === 'error' && /^42703 /.test(because) && known.length > 0 && known.every((t) => t !== undefined && !t.stub)
}

/** A function is called with arguments that mean somebody else's rows; for the rest the fix has to apply at least. */
async function confirmCall(
  trier: Trier,
  catalog: Catalog,
  functions: FunctionTrials,
  hole: Hole,
  readings: ReadonlyMap<string, readonly Reading[]>,
): Promise<Hole | 'gone'> {
  const isFunction = hole.kind === 'function-read' || hole.kind === 'function-write'
  const before = isFunction ? await functions.tryHole(hole) : undefined
  if (before && failsAlways(before, hole, catalog, trier.session)) {
    trier.session.gap({
      path: hole.at.path,
      line: hole.at.line,
      because: `no call of ${hole.object} comes to an end: ${before.because?.replace(/^\w+ /, '')}, and no SQL of the repository creates it`,
      touches: [{ topic: 'function', object: hole.object.split('(')[0] as string }],
    })
    return 'gone'
  }
  const own = before && before.result !== 'allowed' ? await functions.ownFailure(hole) : undefined
  if (own) {
    trier.session.gap({
      path: hole.at.path,
      line: hole.at.line,
      because: `no call of ${hole.object} has an effect as it is written (${own.because}, line ${own.line} of its body): it is open to others as soon as that is mended`,
      touches: [{ topic: 'function', object: hole.object.split('(')[0] as string }],
    })
    return 'gone'
  }
  const current: Hole = before?.result === 'allowed' ? { ...hole, proof: 'executed' } : hole
  const code = fixFor(current, catalog, readings)
  if (!code) return current
  const mayStillCall = async (): Promise<TrialResult> => {
    if (!isFunction) return { result: 'error' }
    const roles = holdsWithSession(hole) ? ['anon'] : ['anon', 'authenticated']
    const { rows } = await trier.session.query(
      "select bool_or(has_function_privilege(role, $1::regprocedure, 'execute')) as may from unnest($2::text[]) as role",
      [hole.object, roles],
    )
    return { result: rows[0]?.['may'] === true ? 'allowed' : 'refused' }
  }
  const after = await trier.withFix(code, mayStillCall)
  if (after === undefined || after.result === 'allowed') return current
  return withFix(current, code, after.result === 'refused')
}

function withFix(hole: Hole, code: string | undefined, proved: boolean): Hole {
  return code ? { ...hole, fix: { code, proved } } : hole
}
