import type { Database } from '../../database/database.ts'
import { SandboxDatabase, type SandboxOptions } from '../../database/sandbox-database.ts'

/** The sandboxed database of this machine. */
export function localDatabase(options: SandboxOptions = {}): Database {
  return new SandboxDatabase(options)
}
