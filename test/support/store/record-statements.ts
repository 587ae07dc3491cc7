/**
 * Writes what this version asks its store, as JSON. Run it at a release, before the next version's first addition to the schema:
 *   node test/support/store/record-statements.ts > test/store/version-before.json
 * The test of the next version runs these statements on its own schema: a deployment replaces processes one after the other, so both versions
 * use the store beside each other for a while.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { advisoryCache } from '../../../src/store/advisory-store.ts'
import type { AuditTarget } from '../../../src/store/audit-target.ts'
import { packedFacts, snapshotCache } from '../../../src/store/facts-store.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { forgetInstallation, sweepStore } from '../../../src/store/retention.ts'
import { openSql, type Sql } from '../../../src/store/sql.ts'
import { TargetStore } from '../../../src/store/target-store.ts'

/** One statement with the number of rows that it gave. */
interface Recorded {
  readonly text: string
  readonly values: readonly unknown[]
  readonly rows: number
}

const dataDir = mkdtempSync(join(tmpdir(), 'prelaunch-record-'))
const inner = await openSql({ dataDir })
const recorded: Recorded[] = []
const sql: Sql = {
  ...inner,
  query: async (text, values = []) => {
    const rows = await inner.query(text, values)
    recorded.push({ text, values, rows: rows.length })
    return rows as never
  },
}

const target: AuditTarget = {
  key: '1/pull/1',
  installation: 5,
  repository: { id: 1, owner: 'o', name: 'r', private: false, cloneUrl: '', url: '' },
  kind: 'pull_request',
  headSha: 'a'.repeat(40),
  configRef: 'main',
  baseRef: 'main',
  number: 1,
  reason: 'recorded',
}
const targets = new TargetStore(sql)
const facts = packedFacts(sql, 1)

await migrate(sql)
await targets.want(target, 'd1')
await targets.markRunning(target.key)
await targets.setCheckRun(target.key, 7, target.headSha, true)
await targets.setFindings(target.key, [])
await targets.setComment(target.key, 8)
await targets.get(target.key)
await targets.version(target.key)
await targets.findByHead(1, target.headSha)
await targets.findings(target.key)
await targets.unfinished()
await targets.markDone(target.key, 1, 'concluded', 'run ended')
await targets.endStart(target.key)
await targets.withOpenRuns()
await targets.want({ ...target, headSha: 'b'.repeat(40) }, 'd2')
await targets.keepVerdict(target.key, 2, target.headSha)
await targets.cancel(target.key)
await targets.noteDelivery('d3')
await targets.knownDeliveries(['d1', 'd3', 'd4'])
await targets.noteSuggested(1, 1, ['f1'])
await targets.suggested(1, 1)
await targets.endTurn(5, 3)
await targets.installationsByTurn()
await targets.setMark('deliveries', 'x')
await targets.mark('deliveries')
await targets.takeTurn('sweep', 60)
await facts.put(new Map([['k', 'value']]))
await facts.get(['k'])
await snapshotCache(sql, 1).put({ commit: 'c', blobs: [], complete: true } as never)
await snapshotCache(sql, 1).get('c')
const advisories = advisoryCache(sql)
await advisories.put(new Map([['a@1', { advisories: [], at: 1_700_000_000_000 }]]), new Map([['https://example.com', 'e']]))
await advisories.packages(['a@1'])
await advisories.etag('https://example.com')
// What the old version leaves is what the new one finds: everything but what follows.
const left = recorded.length
await sweepStore(sql)
await forgetInstallation(sql, 5)

console.log(JSON.stringify({ statements: recorded.slice(0, left), cleaning: recorded.slice(left) }, null, 1))
await inner.close()
rmSync(dataDir, { recursive: true, force: true })
