import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { mutate } from './mutate.ts'
import { auditSql } from './replay.ts'
import { SQL_SEEDS } from './sql-seeds.ts'

/** Runs for each schema in the tests; `bench/fuzz.ts --sql` runs for as long as it is told. */
const RUNS = 3
const FILE = 'supabase/migrations/20250101000000_first.sql'

test.each(SQL_SEEDS)('%s: replayed as it is, every statement is applied or explained', async (_name, text) => {
  const { wrong, results } = await auditSql({ [FILE]: text }, testDatabase())
  expect(wrong).toBeUndefined()
  for (const { statements } of results) expect(statements.applied + statements.explained, JSON.stringify(results[0]?.gaps)).toBe(statements.total)
})

test.each(SQL_SEEDS)('%s: changed at random, the audit comes to an end and names what it could not replay', { timeout: 240_000 }, async (name, text) => {
  const random = seededRandom(name.length)
  for (let run = 0; run < RUNS; run++) {
    const input = mutate(text, random)
    expect((await auditSql({ [FILE]: input }, testDatabase())).wrong, JSON.stringify(input.slice(0, 3000))).toBeUndefined()
  }
})
