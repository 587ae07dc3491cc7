import type { AccessCell, AccessObject, Catalog, Policy } from '../database.ts'
import type { JudgeWorld, Way } from './expression/disjunct.ts'
import type { World } from './expression/scope.ts'
import type { Hole, StoragePolicy } from './hole.ts'
import { askingTheFile, capturedName } from './policies/captured-column-name.ts'
import { type Reading, readPolicies } from './policies/read-policies.ts'
import { isPublication } from './row-audience/published-state.ts'
import { ident, literal, successorOf } from './sql.ts'
import type { AccessSession } from './trials/access-session.ts'
import { SqlFailure } from './trials/access-session.ts'
import { USERS } from './trials/seed-values.ts'
import { type Caller, type TrialResult, Trier } from './trials/trial.ts'

const OBJECTS = { schema: 'storage', name: 'objects' }

/** What the policies on `storage.objects` mean, and where they let in others. */
export function readStorage(catalog: Catalog, world: World & JudgeWorld): { readonly readings: readonly Reading[]; readonly holes: readonly Hole[] } {
  const readings = readPolicies(OBJECTS, catalog, world)
  const groups = new Map<string, { policy: Policy; reading: Reading; way: Way; bucket: string | undefined }[]>()
  for (const reading of readings) {
    const captured = capturedName(reading.policy)
    for (const way of reading.ways) {
      // a role in the tenant whose path was meant binds nobody to the file
      if (
        (way.outcome !== 'open' && !(captured && way.outcome === 'role' && !way.fixed)) ||
        (reading.command === 'select' && [...way.states, ...way.parentStates].some(isPublication))
      )
        continue
      // who uploads knows a secret that the name of the file has to repeat
      if (reading.command === 'insert' && way.capability) continue
      const bucket = bucketOf(way, catalog)
      const key = `${reading.policy.name}\0${reading.command}\0${bucket ?? ''}`
      groups.set(key, [...(groups.get(key) ?? []), { policy: reading.policy, reading, way, bucket }])
    }
  }
  const holes = [...groups.values()].map((group): Hole => {
    const { policy, reading, way, bucket } = group.find((g) => g.reading.role === 'anon') ?? (group[0] as (typeof group)[number])
    const captured = capturedName(policy)
    // every file has a name: that it is there narrows nothing
    const states = way.states.filter((s) => s.column !== 'bucket_id' && !(s.op === 'is not null' && s.column.startsWith('name')))
    return {
      kind: 'policy',
      object: 'storage.objects',
      command: reading.command,
      policy: policy.name,
      ...(bucket !== undefined ? { bucket } : {}),
      who: group.some((g) => g.reading.role === 'anon') ? 'anon' : 'authenticated',
      ...(captured !== undefined
        ? { cause: 'captured-name', because: captured }
        : way.cause
          ? { cause: way.cause === 'row-state' && !states.length ? (way.who === 'anon' ? 'always' : 'signed-in') : way.cause }
          : {}),
      ...(way.because && captured === undefined ? { because: way.because } : {}),
      ...(states.length ? { states } : {}),
      at: policy.at,
      proof: 'inferred',
    }
  })
  return { readings, holes }
}

/** Which buckets the policies name, and how: the check looks for buckets that none names. */
export function storagePolicies(readings: readonly Reading[], catalog: Pick<Catalog, 'buckets'>): StoragePolicy[] {
  const found = new Map<string, StoragePolicy>()
  for (const reading of readings) {
    for (const way of reading.ways) {
      const bucket = bucketOf(way, catalog)
      const entry: StoragePolicy = {
        policy: reading.policy.name,
        command: reading.command,
        ...(bucket !== undefined ? { bucket } : {}),
        bound: way.outcome !== 'open' || way.capability === true,
      }
      found.set(JSON.stringify(entry), entry)
    }
  }
  return [...found.values()]
}

/** The bucket that a way is limited to; names of buckets stand for their ids. */
export function bucketOf(way: Way, catalog: Pick<Catalog, 'buckets'>): string | undefined {
  const state = way.states.find((s) => s.column === 'bucket_id' && s.op === '=' && s.value !== undefined)
  if (state) return String(state.value)
  return way.gates.length || way.tables.includes('storage.buckets')
    ? catalog.buckets.find((b) => way.gates.some((g) => g.table === 'storage.buckets' && String(g.value) === b.name))?.name
    : undefined
}

/** Tries the buckets: a file in A's own folder and one in B's, as anon and as A; then the holes, with their fixes. */
export async function tryStorage(session: AccessSession, catalog: Catalog, holes: readonly Hole[]): Promise<{ objects: AccessObject[]; holes: Hole[] }> {
  const named = new Set([...catalog.buckets.map((b) => b.name), ...holes.flatMap((h) => (h.bucket === undefined ? [] : [h.bucket]))])
  if (holes.some((h) => h.bucket === undefined) || (!named.size && catalog.policies.some((p) => p.schema === 'storage' && p.table === 'objects')))
    named.add('prelaunch-trial')
  const buckets = [...named].slice(0, 40)
  const trier = new Trier(session)
  const prepared = await session.attempt('seed storage', () => prepare(session, buckets))
  if (!prepared) return { objects: [], holes: [...holes] }
  const objects: AccessObject[] = []
  for (const bucket of buckets) {
    if (session.remainingMs() < 900 || bucket === 'prelaunch-trial') continue
    const cells = await session.attempt(`access bucket ${bucket}`, () => matrix(trier, bucket))
    if (cells) objects.push({ kind: 'bucket', object: bucket, cells })
  }
  const confirmed: Hole[] = []
  for (const hole of holes) {
    if (session.remainingMs() < 900) {
      confirmed.push(hole)
      continue
    }
    const done = await session.attempt(`hole storage ${hole.policy} ${hole.command} ${hole.bucket ?? ''}`, () => confirmStorage(trier, catalog, hole, holes))
    confirmed.push(done ?? hole)
  }
  return { objects, holes: confirmed }
}

async function prepare(session: AccessSession, buckets: readonly string[]): Promise<boolean> {
  await session.exec('set session_replication_role = replica')
  try {
    for (const bucket of buckets) {
      await session.exec(`insert into storage.buckets (id, name, public) values (${literal(bucket)}, ${literal(bucket)}, false) on conflict do nothing`)
      for (const user of ['A', 'B'] as const) {
        const { id } = USERS[user]
        await session.exec(
          `insert into storage.objects (bucket_id, name, owner, owner_id, metadata) values (${literal(bucket)}, ${literal(`${id}/photo.png`)}, ${literal(id)}, ${literal(id)}, '{"size": 1, "mimetype": "image/png"}') on conflict do nothing`,
        )
      }
    }
    return true
  } catch (error) {
    if (error instanceof SqlFailure) return false
    throw error
  } finally {
    await session.exec('set session_replication_role = origin')
  }
}

async function matrix(trier: Trier, bucket: string): Promise<AccessCell[]> {
  const cells: AccessCell[] = []
  for (const role of ['anon', 'A'] as const) {
    for (const command of ['select', 'insert', 'update', 'delete'] as const) {
      for (const row of role === 'anon' ? (['other'] as const) : (['own', 'other'] as const)) {
        const { result, because } = await tryObject(trier, role, bucket, command, row)
        cells.push({ role, command, row, result, ...(because ? { because } : {}) })
      }
    }
  }
  return cells
}

function tryObject(trier: Trier, role: Caller, bucket: string, command: Hole['command'], row: 'own' | 'other', name?: string): Promise<TrialResult> {
  const id = USERS[row === 'own' ? 'A' : 'B'].id
  const where = `bucket_id = ${literal(bucket)} and name = ${literal(`${id}/photo.png`)}`
  const uploader = role === 'anon' ? 'null' : literal(USERS.A.id)
  if (command === 'insert')
    return trier.attempt(
      role,
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata) values (${literal(bucket)}, ${literal(name ?? `${id}/new.png`)}, ${uploader}, ${uploader}, '{"size": 1, "mimetype": "image/png"}')`,
    )
  if (command === 'update') return trier.attempt(role, `update storage.objects set metadata = '{}' where ${where}`)
  if (command === 'delete') return trier.attempt(role, `delete from storage.objects where ${where}`)
  return trier.attempt(role, `select 1 as seen from storage.objects where ${where}`)
}

async function confirmStorage(trier: Trier, catalog: Catalog, hole: Hole, all: readonly Hole[]): Promise<Hole> {
  const bucket = hole.bucket ?? 'prelaunch-trial'
  const role = hole.who === 'anon' ? 'anon' : 'A'
  const before = await tryObject(trier, role, bucket, hole.command, 'other')
  const current: Hole = before.result === 'allowed' ? { ...hole, proof: 'executed' } : hole
  const code = storageFix(hole, catalog, all)
  if (!code) return current
  const tryWith = (fix: string) => trier.withFix(fix, () => tryObject(trier, role, bucket, hole.command, 'other'))
  const after = await tryWith(code)
  if (after === undefined) return current
  if (after.result !== 'allowed') return { ...current, fix: { code, proved: before.result === 'allowed' && after.result === 'refused' } }
  // another open policy lets the same people in: both have to go
  const open = all.filter((h) => h.command === hole.command && h.policy !== hole.policy && (h.bucket === undefined || h.bucket === hole.bucket))
  const others = [...new Set(open.map((h) => h.policy ?? ''))]
  if (!others.length) return current
  const both = [code, ...others.map((p) => `drop policy ${ident(p)} on storage.objects;`)].join('\n')
  const closed = await tryWith(both)
  return closed?.result === 'refused' ? { ...current, fix: { code: both, proved: before.result === 'allowed' }, beside: others } : current
}

/** A condition that compares the name of a file with what the caller is or may reach. */
const FILE_NAME_CONDITION = /\bname\b(?=.*(?:\bauth\.|\w\())|(?:\bauth\.|\w\().*\bname\b/is

/** How code ends that leaves the matter to a policy which is there, or says what another one of the same bucket asks. */
const STAYS = (name: string) => `-- the policy ${ident(name)} stays`
const AS_ANOTHER = (name: string) => `-- as the policy ${ident(name)} asks of the same bucket`

/** Policies of a bucket that look at the name of the file and let in nobody else, those of the same command first. */
function boundBeside(bucket: string, policy: Policy, catalog: Catalog, open: readonly Hole[]): Policy | undefined {
  const bound = catalog.policies.filter(
    (p) =>
      p.schema === 'storage' &&
      p.table === 'objects' &&
      p.permissive &&
      p.name !== policy.name &&
      !open.some((h) => h.policy === p.name) &&
      !(p.dependsOnStubs ?? []).length &&
      [p.using ?? p.check ?? ''].every(
        (text) => text.includes(`bucket_id = ${literal(bucket)}`) && /\bauth\.(?:uid|jwt)\(\)/.test(text) && FILE_NAME_CONDITION.test(text),
      ),
  )
  return bound.find((p) => p.command === policy.command || p.command === 'all') ?? bound[0]
}

/** The policy again, with the bucket and the caller's own folder, or with what another policy of the bucket asks of the name. */
function storageFix(hole: Hole, catalog: Catalog, all: readonly Hole[]): string | undefined {
  const policy = catalog.policies.find((p) => p.schema === 'storage' && p.table === 'objects' && p.name === hole.policy)
  if (!policy) return undefined
  if (hole.cause === 'captured-name') return withFilesName(policy)
  const beside = hole.bucket === undefined ? undefined : boundBeside(hole.bucket, policy, catalog, all)
  const drop = `drop policy ${ident(policy.name)} on storage.objects;`
  if (beside && (beside.command === policy.command || beside.command === 'all')) return `${drop}\n${STAYS(beside.name)}`
  if (beside && policy.command !== 'all') {
    const asked = beside.using ?? beside.check ?? ''
    const clause =
      policy.command === 'insert' ? `with check (${asked})` : policy.command === 'update' ? `using (${asked})\n  with check (${asked})` : `using (${asked})`
    return `${drop}\ncreate policy ${ident(successorOf(policy.name, '(own files)'))} on storage.objects\n  for ${policy.command} to authenticated\n  ${clause};\n${AS_ANOTHER(beside.name)}`
  }
  const bucket = hole.bucket ?? catalog.buckets[0]?.name
  if (bucket === undefined) return `drop policy ${ident(policy.name)} on storage.objects;`
  const asked = policy.check ?? policy.using
  // what it asks of the caller or the file beside that it goes on asking
  const also =
    asked !== undefined && asked.length <= 600 && (hole.cause === 'not-tied' || hole.cause === 'no-caller' || hole.states?.length) ? `${asked} and ` : ''
  const named = also.includes(`bucket_id = ${literal(bucket)}::text`) ? '' : `bucket_id = ${literal(bucket)} and `
  const condition = `${also}${named}(storage.foldername(name))[1] = (select auth.uid())::text`
  const clauses =
    policy.command === 'insert'
      ? `with check (${condition})`
      : policy.command === 'update' || policy.command === 'all'
        ? `using (${condition})\n  with check (${condition})`
        : `using (${condition})`
  return `drop policy ${ident(policy.name)} on storage.objects;\ncreate policy ${ident(successorOf(policy.name, '(own folder)'))} on storage.objects\n  for ${policy.command} to authenticated\n  ${clauses};`
}

/** The same policy, asking for the name of the file. */
function withFilesName({ name, command, using, check }: Policy): string {
  const clauses = [
    ...(using === undefined ? [] : [`using (${askingTheFile(using)})`]),
    ...(check === undefined ? [] : [`with check (${askingTheFile(check)})`]),
  ]
  return `drop policy ${ident(name)} on storage.objects;\ncreate policy ${ident(name)} on storage.objects\n  for ${command} to authenticated\n  ${clauses.join('\n  ')};`
}
