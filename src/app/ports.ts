import { githubAdvisories } from '../platform/github/advisories.ts'
import { accessToken } from '../platform/github/client.ts'
import { localDatabase } from '../platform/local/database.ts'
import { ExtractionPool } from '../platform/local/extraction-pool.ts'
import { settingsOfProjects } from '../platform/supabase/management-api.ts'
import { AuditThreads } from './audit-thread/audit-threads.ts'
import type { RunnerOptions } from './runner-options.ts'

/**
 * What audits of the App share on this machine: threads for audits and for extraction, the sandboxed database (of the service at `sandboxSocket` when there
 * is one), and GitHub's advisories with their cache.
 */
export function defaultPorts(baseUrl: string, supabaseToken?: string, sandboxSocket?: string): RunnerOptions['ports'] & { close(): Promise<void> } {
  const pool = new ExtractionPool()
  const threads = new AuditThreads()
  return {
    audit: (request, ports, signal) => threads.run(request, ports, signal),
    database: localDatabase(sandboxSocket ? { socket: sandboxSocket } : {}),
    extractText: pool.extractText,
    advisories: (api, onRequest, cache) => githubAdvisories({ baseUrl, cache, onRequest, token: () => accessToken(api).catch(() => undefined) }),
    ...(supabaseToken ? { hosted: () => settingsOfProjects({ token: supabaseToken }) } : {}),
    close: async () => {
      await Promise.all([threads.close(), pool.close()])
    },
  }
}
