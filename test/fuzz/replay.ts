import { audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import type { Database, DatabaseResult } from '../../src/database/database.ts'
import { MemorySource } from '../support/memory-source.ts'
import { assertReport } from '../support/report-schema.ts'

/** Seconds that an audit of one mutated migration may take, the sandbox's own limits included. */
const SLOW_SECONDS = 60

export interface AuditedSql {
  readonly results: readonly DatabaseResult[]
  readonly wrong?: string
}

/** Audits SQL as the only content of an application, database sandbox included. Gives what the sandbox answered and what is wrong: an exception, a crashed check, statements that vanish without a gap, a result that is no JSON. */
export async function auditSql(files: Readonly<Record<string, string>>, database: Database): Promise<AuditedSql> {
  const results: DatabaseResult[] = []
  const watched: Database = {
    replay: async (input) => {
      const result = await database.replay(input)
      results.push(result)
      return result
    },
  }
  const source = new MemorySource([
    { name: 'head', files: { 'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}', 'supabase/config.toml': 'project_id = "a"\n', ...files } },
  ])
  const begin = performance.now()
  try {
    const { report, crashes } = await audit({ commit: 'head', config: DEFAULT_CONFIG, today: '2026-11-20' }, { source, database: watched })
    if (crashes.length) return { results, wrong: `check ${crashes[0]?.check} crashed: ${crashes[0]?.error.split('\n')[0]}` }
    assertReport(report)
  } catch (error) {
    return { results, wrong: `audit: ${error instanceof Error ? error.message : String(error)}` }
  }
  const seconds = (performance.now() - begin) / 1000
  const wrong = seconds > SLOW_SECONDS ? `took ${Math.round(seconds)} s` : results.map(whatIsWrongWith).find((w) => w !== undefined)
  return { results, ...(wrong ? { wrong } : {}) }
}

function whatIsWrongWith(result: DatabaseResult): string | undefined {
  const { applied, explained, total } = result.statements
  if (applied + explained > total) return `${applied} applied and ${explained} explained of ${total}`
  if (applied + explained < total && result.gaps.length === 0) return 'statements were not applied and there is no gap'
  if (JSON.stringify(JSON.parse(JSON.stringify(result))) !== JSON.stringify(result)) return 'the result is no JSON'
  return undefined
}
