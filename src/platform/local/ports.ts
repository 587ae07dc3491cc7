import { setFlagsFromString } from 'node:v8'
import type { AuditPorts } from '../../audit.ts'
import { githubAdvisories, memoryAdvisoryCache } from '../github/advisories.ts'
import { isolatedDatabase } from '../isolated/isolated-database.ts'
import { hostedSettings } from '../supabase/management-api.ts'
import { ExtractionPool } from './extraction-pool.ts'
import { FolderSource } from './folder-source.ts'
import { GitSource, isGit } from './git-source.ts'

/**
 * How far the heap may grow beyond what was alive at the last collection, while the model is built. V8 lets it grow threefold when there is
 * memory: of the largest repository measured it held 1.4 GB of which a third was alive. Three collections more make that 1.1 GB.
 */
const GROWTH = '--heap-growing-percent=80'

/** The ports of an audit on this machine. `close` ends worker processes. */
export async function localPorts(
  dir: string,
  options: { readonly offline: boolean; readonly onPhase?: (phase: string) => void },
): Promise<AuditPorts & { close(): Promise<void> }> {
  const source = isGit(dir) ? new GitSource(dir) : new FolderSource(dir)
  const database = isolatedDatabase()
  const pool = new ExtractionPool()
  // Loading the parser takes a third of a second; the tree is read meanwhile.
  pool.warm()
  // The same for the database engine; a sandbox that is never asked keeps nothing alive.
  database.warm()
  return {
    source,
    database,
    extractAll: pool.extractAll,
    rest: () => {
      pool.rest()
      database.rest()
      setFlagsFromString(GROWTH)
    },
    ...onlinePorts(options.offline),
    ...(options.onPhase ? { onPhase: options.onPhase } : {}),
    close: async () => {
      await Promise.all([pool.close(), database.close()])
    },
  }
}

/** What asks the network: advisories always, the hosted project only with a token. */
function onlinePorts(offline: boolean): Pick<AuditPorts, 'advisories' | 'hosted'> {
  if (offline) return { advisories: async () => ({ source: 'none', because: 'the audit ran with --offline', advisories: [] }) }
  const { GITHUB_TOKEN, GH_TOKEN, SUPABASE_ACCESS_TOKEN } = process.env
  return {
    advisories: githubAdvisories({ token: async () => GITHUB_TOKEN ?? GH_TOKEN, cache: memoryAdvisoryCache() }),
    ...(SUPABASE_ACCESS_TOKEN ? { hosted: hostedSettings({ token: SUPABASE_ACCESS_TOKEN }) } : {}),
  }
}
