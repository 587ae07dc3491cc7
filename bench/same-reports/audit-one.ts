/**
 * Audits one commit and prints its report as JSON, without the values of the run. Started by `bench/same-reports.ts`, one process for each
 * repository: what one leaves in memory must not reach the next.
 *
 *   node bench/same-reports/audit-one.ts GIT_DIR COMMIT REPLAYS_DIR version|input OUTPUT
 */
import { writeFileSync } from 'node:fs'
import { audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import { localDatabase } from '../../src/platform/local/database.ts'
import { GitSource } from '../../src/platform/local/git-source.ts'
import { RecordedDatabase, type ReplayKey } from './recorded-database.ts'

const [dir, commit, replays, key, output] = process.argv.slice(2) as [string, string, string, ReplayKey, string]
const database = new RecordedDatabase(replays, key, localDatabase({ budgetMs: 120_000, stepMs: 20_000 }))
// suppressions expire by date: the day is part of the input
const { report, crashes } = await audit({ commit, config: DEFAULT_CONFIG, today: '2026-11-20' }, { source: new GitSource(dir), database })
writeFileSync(output, `${JSON.stringify({ report, crashes: crashes.map((c) => c.check) }, null, 1)}\n`)
await database.close()
process.send?.({ replayed: database.replayed })
process.disconnect?.()
