import type { Database } from '../../src/database/database.ts'
import * as local from '../../src/platform/local/database.ts'

let shared: Database | undefined

/** One sandbox for all tests of a file, its process for many replays: what a death does to a replay is tested in test/database/. */
export function testDatabase(): Database {
  shared ??= local.localDatabase({ replaysPerProcess: 40 })
  return shared
}
