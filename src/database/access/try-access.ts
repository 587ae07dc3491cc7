import type { AccessMatrix, Catalog, ReplayInput } from '../database.ts'
import { readAccess } from './read-holes.ts'
import type { AccessSession } from './session.ts'
import { worldOf } from './world.ts'

/** Tries who can read and write what, in the database that was just replayed. */
export async function tryAccess(session: AccessSession, catalog: Catalog, input: ReplayInput): Promise<AccessMatrix> {
  const world = worldOf(session, catalog)
  const { holes } = readAccess(catalog, input, world)
  return { objects: [], holes }
}
