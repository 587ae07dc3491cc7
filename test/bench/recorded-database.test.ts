import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RecordedDatabase } from '../../bench/same-reports/recorded-database.ts'
import type { Database, DatabaseResult, ReplayInput } from '../../src/database/database.ts'

const INPUT: ReplayInput = { files: [{ path: 'a.sql', text: 'select 1', role: 'migration' }], exposedSchemas: ['public'], exposedToBrowsers: true }

/** A sandbox that gives another number of statements each time. */
function counting(): Database {
  let total = 0
  return { replay: async () => ({ ...EMPTY, statements: { total: ++total, applied: 0, explained: 0 } }) }
}
const EMPTY: Omit<DatabaseResult, 'statements'> = {
  catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false },
  access: { objects: [] },
  gaps: [],
}

it('gives what was recorded for an input, whatever the sandbox would say today', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replays-'))
  const first = await new RecordedDatabase(dir, 'version', counting()).replay(INPUT)
  const never: Database = { replay: () => Promise.reject(new Error('replayed again')) }
  for (const key of ['version', 'input'] as const) expect(await new RecordedDatabase(dir, key, never).replay(INPUT)).toEqual(first)
})

it('replays another input', async () => {
  const database = new RecordedDatabase(mkdtempSync(join(tmpdir(), 'replays-')), 'input', counting())
  await database.replay(INPUT)
  expect((await database.replay({ ...INPUT, exposedSchemas: ['api'] })).statements.total).toBe(2)
  expect(database.replayed).toBe(2)
})

it('keeps the first result of an input when the sandbox has changed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replays-'))
  const sandbox = counting()
  await new RecordedDatabase(dir, 'input', sandbox).replay(INPUT)
  // a new replay version finds nothing by its digest
  rmSync(join(dir, 'by-version'), { recursive: true })
  expect((await new RecordedDatabase(dir, 'version', sandbox).replay(INPUT)).statements.total).toBe(2)
  expect((await new RecordedDatabase(dir, 'input', sandbox).replay(INPUT)).statements.total).toBe(1)
})
