import type { AccessCell, Catalog, Policy, Table } from '../../database.ts'
import { narrowToAdministrators } from '../fixes/tenant-admin-policy.ts'
import type { Hole } from '../hole.ts'
import { invitedTo, isTenantTable, type Membership, seedMember, type Tenancy, tenancyOf, topStanding } from '../owners/tenancy.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { literal } from '../sql.ts'
import type { AccessSession } from './access-session.ts'
import type { Seeded } from './seed-rows.ts'
import { USERS } from './seed-values.ts'
import { type TrialResult, Trier } from './trial.ts'
import { TableTrials } from './try-tables.ts'

/** Below this many milliseconds no more trials begin. */
const RESERVE_MS = 900

/** What a plain member can do beside the owner of the tenant: cells by table, and what should be the owner's alone. */
export interface TenantTrials {
  readonly cells: ReadonlyMap<string, readonly AccessCell[]>
  readonly holes: readonly Hole[]
}

/** Lets a plain member of B's tenant try B's rows: those that say who is in it, the tenant itself, and everything that is shared in it. */
export async function tryTenants(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  readings: ReadonlyMap<string, readonly Reading[]>,
  known: readonly Hole[],
  exposed: ReadonlySet<string>,
): Promise<TenantTrials> {
  const tenancy = tenancyOf(catalog, readings)
  const cells = new Map<string, readonly AccessCell[]>()
  if (!tenancy.memberships.length || session.remainingMs() < RESERVE_MS) return { cells, holes: [] }
  const joined = await session.attempt('seed member', () => seedMember(session, catalog, seeded, tenancy))
  if (!joined) return { cells, holes: [] }
  const trier = new Trier(session)
  const holes: Hole[] = []
  for (const table of catalog.tables) {
    const name = nameOf(table)
    const read = readings.get(name) ?? []
    if (!exposed.has(table.schema) || table.extension || !table.rls.enabled || !isTenantTable(table, tenancy, read)) continue
    if (session.remainingMs() < RESERVE_MS) break
    const trials = new TableTrials(trier, catalog, joined, table)
    if (!trials.seeded) continue
    const tried = await session.attempt(`member ${name}`, () => trials.asMember())
    if (!tried) continue
    cells.set(name, tried)
    for (const candidate of await candidates(trials, table, catalog, tenancy)) {
      const policy = policyThatLetsIn(read, candidate.command)
      if (!policy || isKnown(known, name, policy, candidate)) continue
      const hole: Hole = { ...candidate, object: name, policy: policy.name, at: policy.at }
      const proved = await session.attempt(`member hole ${name} ${policy.name} ${hole.command} ${hole.because}`, () =>
        prove(trier, trials, catalog, tenancy, hole, policy),
      )
      holes.push(proved ?? hole)
    }
  }
  return { cells, holes: merged(holes) }
}

/** Somebody from outside, brought in under a role that administers. */
const STRANGER = literal(USERS.A.id)
const MEMBER = literal(USERS.C.id)

type Candidate = Pick<Hole, 'kind' | 'command' | 'who' | 'columns' | 'because' | 'proof'>

/** What a plain member was allowed to do on rows that decide who may do what. */
async function candidates(trials: TableTrials, table: Table, catalog: Catalog, tenancy: Tenancy): Promise<Candidate[]> {
  const found: Candidate[] = []
  const add = (command: 'insert' | 'update' | 'delete', because: string, columns: readonly string[] = []) =>
    found.push({ kind: 'member', command, who: 'authenticated', because, columns, proof: 'executed' })
  const membership = tenancy.memberships.find((m) => m.table === table && m.standing.length > 0)
  if (membership) {
    for (const command of ['insert', 'update', 'delete'] as const) {
      if ((await tryMembership(trials, membership, catalog, command)).result === 'allowed')
        add(command, 'membership', command === 'delete' ? [] : membership.standing)
    }
  }
  const invited = invitedTo(table, tenancy)
  if (invited && (await tryInvitation(trials, table, invited.standing, catalog)).result === 'allowed') add('insert', 'invitation', invited.standing)
  if (tenancy.tenants.get(nameOf(table))?.some((m) => m.standing.length > 0)) {
    for (const owner of table.userData?.ownerColumns ?? []) if ((await takeOver(trials, owner)).result === 'allowed') add('update', 'tenant', [owner])
    if ((await trials.remove('C', 'other')).result === 'allowed') add('delete', 'tenant')
  }
  return found
}

/** Raising oneself, removing the owner, or bringing in an accomplice as administrator. */
async function tryMembership(trials: TableTrials, m: Membership, catalog: Catalog, command: 'insert' | 'update' | 'delete'): Promise<TrialResult> {
  if (command === 'delete') return trials.remove('C', 'other')
  const refused: TrialResult = { result: 'refused' }
  for (const column of m.standing) {
    const top = topStanding(m.table, column, catalog)
    if (top === undefined) continue
    const trial = command === 'update' ? await trials.change('C', 'C', column, top) : await trials.insert('C', { [m.user]: STRANGER, [column]: top })
    if (trial.result === 'allowed' && trial.because === undefined) return trial
  }
  return refused
}

/** Inviting somebody as what administers. */
async function tryInvitation(trials: TableTrials, table: Table, standing: readonly string[], catalog: Catalog): Promise<TrialResult> {
  const top = standing.flatMap((column): [string, string][] => {
    const value = topStanding(table, column, catalog)
    return value === undefined ? [] : [[column, value]]
  })
  return top.length ? trials.insert('C', Object.fromEntries(top)) : { result: 'refused' }
}

function takeOver(trials: TableTrials, owner: string): Promise<TrialResult> {
  return trials.change('C', 'B', owner, MEMBER)
}

/** The permissive policy by which a plain member gets in: one that goes through memberships and asks for no role. */
function policyThatLetsIn(readings: readonly Reading[], command: Hole['command']): Policy | undefined {
  const mine = readings.filter((r) => r.command === command && r.role === 'authenticated')
  const by = mine.find((r) => r.ways.some((w) => w.outcome === 'via' && !w.needsRole)) ?? mine.find((r) => r.ways.some((w) => w.outcome === 'unknown'))
  return by?.policy
}

/** What is open to everybody, or to the row's owner, is reported as that. */
function isKnown(known: readonly Hole[], table: string, policy: Policy, candidate: Candidate): boolean {
  return known.some(
    (h) =>
      h.object === table &&
      h.policy === policy.name &&
      h.command === candidate.command &&
      (h.kind === 'policy' || ((h.kind === 'escalation' || h.kind === 'self-grant') && (candidate.columns ?? []).every((c) => h.columns?.includes(c)))),
  )
}

async function prove(trier: Trier, trials: TableTrials, catalog: Catalog, tenancy: Tenancy, hole: Hole, policy: Policy): Promise<Hole> {
  const code = narrowToAdministrators(hole, policy, catalog, tenancy)
  if (!code) return hole
  const membership = tenancy.memberships.find((m) => nameOf(m.table) === hole.object)
  const table = catalog.tables.find((t) => nameOf(t) === hole.object)
  const after = await trier.withFix(code, () =>
    hole.because === 'membership' && membership
      ? tryMembership(trials, membership, catalog, hole.command as 'insert')
      : hole.because === 'invitation' && table
        ? tryInvitation(trials, table, hole.columns ?? [], catalog)
        : hole.command === 'delete'
          ? trials.remove('C', 'other')
          : takeOver(trials, hole.columns?.[0] ?? ''),
  )
  if (after === undefined || after.result === 'allowed') return hole
  return { ...hole, fix: { code, proved: after.result === 'refused' } }
}

/** One hole for each policy and command. */
function merged(holes: readonly Hole[]): Hole[] {
  const byPolicy = new Map<string, Hole>()
  for (const hole of holes) {
    const key = `${hole.object}\0${hole.policy}\0${hole.command}`
    const earlier = byPolicy.get(key)
    byPolicy.set(key, earlier ? { ...earlier, columns: [...new Set([...(earlier.columns ?? []), ...(hole.columns ?? [])])] } : hole)
  }
  return [...byPolicy.values()]
}
