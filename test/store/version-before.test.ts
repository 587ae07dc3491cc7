import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packedFacts } from '../../src/store/facts-store.ts'
import { ADDITIONS, migrate, SCHEMA } from '../../src/store/migrations.ts'
import { openSql } from '../../src/store/sql.ts'
import { TargetStore } from '../../src/store/target-store.ts'
import { VerdictStore } from '../../src/store/verdict-store.ts'
import { postgresBin, startPostgres } from '../support/postgres.ts'
import before from './version-before.json' with { type: 'json' }

const kinds = [['embedded'], ...(postgresBin() ? [['PostgreSQL']] : [])]

test.each(kinds)('the version before starts and works on the store of this one, beside it (%s)', async (kind) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-before-'))
  const server = kind === 'PostgreSQL' ? await startPostgres() : undefined
  const sql = await openSql({ dataDir, ...(server ? { databaseUrl: server.url } : {}) })
  try {
    await migrate(sql)
    const replay = async (statements: readonly { text: string; values: readonly unknown[]; rows: number }[]) => {
      // Its own migration is among them: an old process that starts again finds nothing that it would refuse.
      for (const { text, values, rows } of statements) expect((await sql.query(text, values)).length, text).toBe(rows)
    }
    await replay(before.statements)
    const known = Math.max(...before.statements.flatMap(({ text }) => [...text.matchAll(/where version = (\d+)\)/g)].map((m) => Number(m[1]))))
    const [newest] = await sql.query<{ version: number }>(`select max(version) as version from ${SCHEMA}.store_version`)
    expect(Number(newest?.version), 'the version before refuses to start on a newer store').toBe(known)

    const targets = new TargetStore(sql)
    const verdicts = new VerdictStore(sql)
    const stored = await targets.get('1/pull/1')
    expect(stored).toMatchObject({ state: 'concluded', checkRun: { id: 7 }, target: { number: 1, headSha: 'a'.repeat(40) } })
    if (!stored) throw new Error('no target')
    expect(await packedFacts(sql, 1).get(['k'])).toEqual(new Map([['k', 'value']]))
    await verdicts.put(stored.target, stored.target.headSha, { conclusion: 'failure', text: { title: 't', summary: 's' }, checkRun: 9 })
    expect(await verdicts.ofCommit(1, stored.target.headSha)).toMatchObject([{ conclusion: 'failure', open: true, checkRun: 9 }])
    await replay(before.cleaning)
    expect(await targets.get('1/pull/1')).toBeUndefined()
  } finally {
    await sql.close()
    server?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a store of the version before is brought to this one with what it holds', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-upgrade-'))
  const sql = await openSql({ dataDir })
  try {
    for (const { text, values } of before.statements) await sql.query(text, values)
    await migrate(sql)
    await migrate(sql)
    expect(await new TargetStore(sql).get('1/pull/1')).toMatchObject({ state: 'concluded' })
    expect(await new VerdictStore(sql).unshown()).toEqual([])
  } finally {
    await sql.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('additions are of the kinds that the version before can live with', () => {
  for (const statement of Object.values(ADDITIONS).flat()) {
    expect(statement).toMatch(/^(create table|create index|alter table \S+ add column) /)
    if (/add column/.test(statement) && /not null/.test(statement)) expect(statement).toMatch(/ default /)
  }
})
