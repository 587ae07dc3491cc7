import type { Database } from '../../src/database/database.ts'
import * as local from '../../src/platform/local/database.ts'

let shared: Database | undefined

/** One sandbox for all tests of a file. */
export function testDatabase(): Database {
  shared ??= local.localDatabase()
  return shared
}
