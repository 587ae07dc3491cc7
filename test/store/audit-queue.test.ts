import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AuditQueue } from '../../src/store/audit-queue.ts'
import { migrate } from '../../src/store/migrations.ts'
import { openSql } from '../../src/store/sql.ts'
import { postgresBin, startPostgres } from '../support/postgres.ts'

const kinds = [['embedded'], ...(postgresBin() ? [['PostgreSQL']] : [])]

test.each(kinds)('a queue that filled while nobody worked is drained without a pause between audits (%s)', async (kind) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-queue-'))
  const server = kind === 'PostgreSQL' ? await startPostgres() : undefined
  const sql = await openSql({ dataDir, ...(server ? { databaseUrl: server.url } : {}) })
  try {
    await migrate(sql)
    // An idle worker would look again after the end of the test.
    const queue = new AuditQueue(sql, { concurrency: 2, pollSeconds: 3600, onError: (error) => expect.unreachable(String(error)) })
    await queue.start()
    const keys = Array.from({ length: 7 }, (_, i) => `1/pull/${i}`)
    for (const key of keys) await queue.send(key, 1)
    const done: string[] = []
    await new Promise<void>((resolve, reject) => {
      queue
        .work(async (key) => {
          done.push(key)
          if (done.length === keys.length) resolve()
        })
        .catch(reject)
    })
    expect(done.sort()).toEqual(keys)
    await queue.stop(1000)
  } finally {
    await sql.close()
    server?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
