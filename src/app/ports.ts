import { localDatabase } from '../platform/local/database.ts'
import type { RunnerOptions } from './run-target.ts'

/** What audits of the App use on this machine. */
export async function defaultPorts(): Promise<RunnerOptions['ports']> {
  return { database: localDatabase() }
}
