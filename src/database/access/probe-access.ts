import type { Place } from '../../lib/place.ts'
import type { AccessMatrix, Catalog, ReplayInput } from '../database.ts'
import type { Hole, MayRead } from './hole.ts'
import { oneFixForEachCause } from './one-fix.ts'
import { withStaffLists } from './owners/staff-table.ts'
import { isExposed } from './policies/exposed-table.ts'
import { readAccess } from './policies/find-violations.ts'
import { worldOf } from './policies/name-resolution.ts'
import { nameOf } from './policies/read-policies.ts'
import { readStorage, storagePolicies, tryStorage } from './storage.ts'
import type { AccessSession } from './trials/access-session.ts'
import { confirm } from './trials/confirm-holes.ts'
import { seed } from './trials/seed-rows.ts'
import { Trier } from './trials/trial.ts'
import { callFunctions, FunctionTrials } from './trials/try-functions.ts'
import { tryAppointments } from './trials/try-privilege-grant.ts'
import { tryTenants } from './trials/try-tenant-member.ts'
import { trySignUpsIntoTenants } from './trials/try-tenant-sign-up.ts'

/** Reads what policies, views and functions allow, tries it, and proves the fixes. `soFar` is told what stands should the rest not be reached. */
export async function tryAccess(
  session: AccessSession,
  catalog: Catalog,
  input: ReplayInput,
  soFar: (access: AccessMatrix) => void = () => undefined,
): Promise<AccessMatrix> {
  const world = withStaffLists(worldOf(session, catalog), catalog)
  const mayRead: MayRead = (topic, object, at) => {
    const may = session.mayRead(`reading ${topic} ${object}`)
    if (!may) session.gap({ path: at.path, line: at.line, because: `reading ${object} did not end in time`, touches: [{ topic, object }] })
    return may
  }
  const tooMuch = (object: string, at: Place) =>
    session.gap({ path: at.path, line: at.line, because: `${object} has more ways through it than are followed`, touches: [{ topic: 'function', object }] })
  const { holes, readings, undecided } = readAccess(catalog, input, world, mayRead, tooMuch)
  const exposed = new Set(input.exposedSchemas)
  const all = [...withoutRls(catalog, exposed), ...holes]
  const storage = readStorage(catalog, world)
  const exposure = { exposedSchemas: input.exposedSchemas, ...(input.autoExpose === undefined ? {} : { autoExpose: input.autoExpose }) }
  const matrix = (objects: AccessMatrix['objects'], found: readonly Hole[]): AccessMatrix => ({
    objects,
    holes: found,
    storage: storagePolicies(storage.readings, catalog),
    ...(undecided.length ? { undecided } : {}),
    ...exposure,
  })
  soFar(matrix([], [...all, ...storage.holes]))
  const seeded = await session.attempt('seed rows', () => seed(session, catalog, readings, world))
  if (!seeded) return matrix([], [...all, ...storage.holes])
  const tables = await confirm(session, catalog, seeded, all, readings, exposed, world)
  soFar(matrix(tables.objects, [...(tables.holes ?? []), ...storage.holes]))
  const files = await tryStorage(session, catalog, storage.holes)
  const calls = new FunctionTrials(new Trier(session), catalog, seeded, world)
  const posts = await tryAppointments(session, catalog, seeded, calls, readings, tables.holes ?? [])
  const appointed = await trySignUpsIntoTenants(session, catalog, seeded, readings, posts)
  // the third user comes last: nothing that was tried with two changes by it
  const members = await tryTenants(session, catalog, seeded, readings, tables.holes ?? [], exposed)
  const objects = tables.objects.map((o) => ({ ...o, cells: [...o.cells, ...(members.cells.get(o.object) ?? [])] }))
  const rows = [...(tables.holes ?? []), ...appointed, ...members.holes]
  const found = [...(await oneFixForEachCause(session, catalog, seeded, readings, rows)), ...files.holes]
  soFar(matrix([...objects, ...files.objects], found))
  const functions = await callFunctions(session, catalog, seeded, exposed, world)
  return matrix([...objects, ...files.objects, ...functions], found)
}

/** Tables that the API exposes and that row level security does not protect. */
function withoutRls(catalog: Catalog, exposed: ReadonlySet<string>): Hole[] {
  return catalog.tables
    .filter((t) => isExposed(t, exposed) && !t.rls.enabled && (!(t.stub || t.outlined) || t.rls.at) && !t.extension)
    .map((t) => {
      const anon = t.grants.some((g) => g.privilege === 'select' && (g.role === 'anon' || g.role.toLowerCase() === 'public'))
      return {
        kind: 'no-rls' as const,
        object: nameOf(t),
        command: 'select' as const,
        who: anon ? ('anon' as const) : ('authenticated' as const),
        at: t.at,
        proof: 'inferred' as const,
      }
    })
}
