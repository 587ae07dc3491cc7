import { githubAdvisories } from '../platform/github/advisories.ts'
import { accessToken } from '../platform/github/client.ts'
import { localDatabase } from '../platform/local/database.ts'
import { ExtractionPool } from '../platform/local/extraction-pool.ts'
import type { RunnerOptions } from './run-target.ts'

/** What audits of the App share on this machine: the sandboxed database, worker threads, and GitHub's advisories with their cache. */
export function defaultPorts(baseUrl: string): RunnerOptions['ports'] & { close(): Promise<void> } {
  const pool = new ExtractionPool()
  return {
    database: localDatabase(),
    extractAll: pool.extractAll,
    advisories: (api, onRequest, cache) => githubAdvisories({ baseUrl, cache, onRequest, token: () => accessToken(api).catch(() => undefined) }),
    close: () => pool.close(),
  }
}
