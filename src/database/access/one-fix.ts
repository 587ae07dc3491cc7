import type { Catalog } from '../database.ts'
import { fixFor } from './fixes/fix-for-hole.ts'
import type { Hole } from './hole.ts'
import { withStaffLists } from './owners/staff-table.ts'
import { readTableAgain } from './policies/find-violations.ts'
import { worldOf } from './policies/name-resolution.ts'
import { nameOf, type Reading } from './policies/read-policies.ts'
import { isMeantToBeSeen } from './row-audience/public-content.ts'
import { withUserData } from './row-audience/user-data-by-name.ts'
import type { AccessSession } from './trials/access-session.ts'
import type { Seeded } from './trials/seed-rows.ts'
import { Trier } from './trials/trial.ts'
import { TableTrials } from './trials/try-tables.ts'

/** Below this many milliseconds no more fixes are tried. */
const RESERVE_MS = 900

/** Statements that are added to a fix after it was tried, at most so many times. */
const MAX_STEPS = 3

type Readings = ReadonlyMap<string, readonly Reading[]>

/**
 * One policy that is open for several commands is one cause and gets one fix. Each hole was given a fix of its own; where they differ, the first
 * that closes all of them and opens nothing is given to all. Holes that no such fix was found for keep their own and count as separate causes.
 */
export async function oneFixForEachCause(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  readings: Readings,
  holes: readonly Hole[],
): Promise<readonly Hole[]> {
  const settled = new Map<Hole, Hole>()
  for (const group of byPolicies(holes, catalog)) {
    const cause = causeOf(group)
    const codes = new Set(group.map((h) => h.fix?.code))
    const alike = codes.size === 1 && (group.every((h) => h.kind === 'policy') || group.every((h) => h.fix))
    if (alike) {
      const proved = isProved(group)
      for (const hole of group) settled.set(hole, { ...hole, rootCause: cause, ...(hole.fix ? { fix: { ...hole.fix, proved } } : {}) })
      continue
    }
    const worthTrying = session.remainingMs() > RESERVE_MS
    const fix = worthTrying ? await session.attempt(`one fix ${cause}`, () => closingAll(session, catalog, seeded, readings, group)) : undefined
    for (const hole of group) settled.set(hole, fix ? shared(hole, fix, cause) : { ...hole, rootCause: `${cause} ${hole.fix?.code ?? hole.command}` })
  }
  return holes.map((h) => settled.get(h) ?? h)
}

/** Holes of one policy, and of those whose fix takes others with it; only what several holes share is listed. */
function byPolicies(holes: readonly Hole[], catalog: Catalog): (readonly Hole[])[] {
  const groups: Hole[][] = []
  for (const hole of holes) {
    if (hole.policy === undefined || hole.helper || hole.kind === 'view' || hole.kind === 'locked' || mayBeMeant(hole, catalog)) continue
    const names = new Set([hole.policy, ...(hole.beside ?? [])])
    const joined = groups.filter((g) => g.some((h) => h.object === hole.object && [h.policy ?? '', ...(h.beside ?? [])].some((name) => names.has(name))))
    for (const g of joined) groups.splice(groups.indexOf(g), 1)
    groups.push([...joined.flat(), hole])
  }
  return groups.filter((g) => g.length > 1)
}

/** What another policy shows as well may be meant to be shown: who closes the writes does not have to close that. */
function mayBeMeant({ command, beside = [], object, policy }: Hole, { tables }: Catalog): boolean {
  if (command !== 'select' || !beside.length) return false
  const table = tables.find((t) => nameOf(t) === object)
  return table !== undefined && isMeantToBeSeen(withUserData(table), [policy, ...beside].join(' '), tables)
}

/** What every command that was open when it was tried is refused with, is proved for all: what an error kept from being tried is no doubt. */
const isProved = (group: readonly Hole[]): boolean =>
  group.some((h) => h.fix?.proved === true) && group.every((h) => h.fix?.proved === true || h.proof !== 'executed')

const causeOf = (group: readonly Hole[]): string => {
  const [name] = group.flatMap((h) => [h.policy ?? '', ...(h.beside ?? [])]).sort()
  return `policy ${group[0]?.object} "${name}"`
}

interface SharedFix {
  readonly code: string
  readonly proved: boolean
  /** The hole whose fix it is, or begins with. */
  readonly of: Hole
  /** What was added does more than take other policies away that let the same people in. */
  readonly mixed: boolean
}

function shared(hole: Hole, { code, proved, of, mixed }: SharedFix, cause: string): Hole {
  const from = mixed ? ('several' as const) : hole.fix?.code === of.fix?.code ? undefined : ('sibling' as const)
  return { ...hole, rootCause: cause, fix: { code, proved, ...(from ? { from } : {}) } }
}

/** What a fix makes of the table. */
interface Outcome {
  /** Every hole that can be tried is refused. */
  readonly closed: boolean
  readonly proved: boolean
  /** Holes of the group that can still be read from the policies, and new ones. */
  readonly left: readonly Hole[]
  readonly catalog: Catalog
  readonly readings: Readings
}

/** Changes before reads: what says who may write a row says more than what only says who sees it. */
const COMMAND_ORDER: readonly Hole['command'][] = ['update', 'insert', 'delete', 'select', 'execute']

async function closingAll(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  readings: Readings,
  group: readonly Hole[],
): Promise<SharedFix | undefined> {
  const object = group[0]?.object ?? ''
  const table = catalog.tables.find((t) => nameOf(t) === object)
  if (!table) return undefined
  const trier = new Trier(session)
  const trials = new TableTrials(trier, catalog, seeded, table)
  const known = readTableAgain(object, catalog, readings, withStaffLists(worldOf(session, catalog), catalog))?.holes ?? []
  const candidates = [...group].filter((h) => h.fix).sort((a, b) => COMMAND_ORDER.indexOf(a.command) - COMMAND_ORDER.indexOf(b.command))
  const outcomes = new Map<string, Outcome | undefined>()
  // a fix that is enough by itself is better than one with more statements
  for (const steps of [1, MAX_STEPS]) {
    for (const of of candidates) {
      const fix = await extended(of, steps)
      if (fix) return fix
    }
  }
  return undefined

  /** The fix of one hole, with the fixes of what it leaves open added to it step by step. */
  async function extended(of: Hole, steps: number): Promise<SharedFix | undefined> {
    let code = of.fix?.code ?? ''
    let mixed = false
    for (let step = 0; step < steps && session.remainingMs() > RESERVE_MS; step++) {
      if (!outcomes.has(code)) outcomes.set(code, await underFix(code))
      const outcome = outcomes.get(code)
      if (!outcome) return undefined
      if (outcome.closed && !outcome.left.length) return { code, proved: outcome.proved, of, mixed }
      const next = outcome.left.find((h) => fixFor(h, outcome.catalog, outcome.readings) !== undefined)
      if (!next) return undefined
      mixed ||= next.kind !== 'policy' || of.kind !== 'policy'
      code = `${code}\n${fixFor(next, outcome.catalog, outcome.readings)}`
    }
    return undefined
  }

  /** What is left open, and whether each hole that was tried is refused now; undefined when the statements do not apply. */
  function underFix(code: string): Promise<Outcome | undefined> {
    return trier.withFix(code, async () => {
      const refused: boolean[] = []
      let closed = true
      for (const hole of group) {
        // what only a member of a tenant can try was tried with the fix of its own
        if (hole.fix?.proved && hole.fix.code === code) refused.push(true)
        else if (hole.kind === 'member') closed &&= false
        else if (trials.seeded) {
          const after = await trials.tryHole(hole)
          if (after.result === 'allowed') closed = false
          if (hole.proof === 'executed') refused.push(after.result === 'refused')
        }
      }
      const now = withWhatIsExecuted(await session.catalog(), catalog)
      const again = readTableAgain(object, now, readings, withStaffLists(worldOf(session, now), now))
      const left = again?.holes.filter((h) => isNew(h, known) || group.some((g) => isSame(g, h))) ?? []
      return {
        closed: closed && again !== undefined,
        proved: refused.length > 0 && refused.every(Boolean),
        left,
        catalog: now,
        readings: again?.readings ?? readings,
      }
    })
  }
}

const isSame = (a: Hole, b: Hole): boolean => a.command === b.command && a.kind === b.kind && a.policy === b.policy

const isNew = (hole: Hole, known: readonly Hole[]): boolean => !known.some((k) => isSame(k, hole))

/** Bodies are not parsed again: no fix changes what a function executes. */
function withWhatIsExecuted(now: Catalog, before: Catalog): Catalog {
  const known = new Map(before.functions.map((f) => [`${f.schema}.${f.identity}`, f]))
  return {
    ...now,
    functions: now.functions.map((f) => {
      const same = known.get(`${f.schema}.${f.identity}`)
      return same?.executes !== undefined && same.body === f.body ? { ...f, executes: same.executes } : f
    }),
  }
}
