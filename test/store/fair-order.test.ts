import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditQueue } from '../../src/store/audit-queue.ts'
import { migrate, SCHEMA } from '../../src/store/migrations.ts'
import { openSql, type Sql } from '../../src/store/sql.ts'
import { postgresBin, startPostgres } from '../support/postgres.ts'

const kinds = [
  ['embedded', 1] as const,
  ...(postgresBin()
    ? ([
        ['PostgreSQL', 1],
        ['PostgreSQL', 4],
      ] as const)
    : []),
]

/** An audit that ends when it is told to. */
interface Running {
  readonly key: string
  readonly end: () => void
}

describe.each(kinds)('the queue (%s, %i processes)', (kind, processes) => {
  let sql: Sql
  let dataDir: string
  let stopServer = () => {}
  const queues: AuditQueue[] = []
  const started: string[] = []
  const running: Running[] = []
  let onStart = () => {}

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-fair-'))
    const server = kind === 'PostgreSQL' ? await startPostgres() : undefined
    stopServer = server?.stop ?? stopServer
    sql = await openSql({ dataDir, ...(server ? { databaseUrl: server.url } : {}) })
    await migrate(sql)
    for (let i = 0; i < processes; i++) {
      const queue = new AuditQueue(sql, { concurrency: 1, pollSeconds: 0.5, onError: (error) => expect.unreachable(String(error)) })
      await queue.start()
      queues.push(queue)
    }
  })
  afterAll(async () => {
    for (const queue of queues) await queue.stop(1000)
    await sql.close()
    stopServer()
    await rm(dataDir, { recursive: true, force: true })
  })

  const work = () =>
    Promise.all(
      queues.map((queue) =>
        queue.work(
          (key) =>
            new Promise<void>((end) => {
              started.push(key)
              running.push({ key, end })
              onStart()
            }),
        ),
      ),
    )

  /** Resolves when so many audits have started since the beginning. */
  const untilStarted = (count: number) =>
    new Promise<void>((resolve) => {
      onStart = () => (started.length >= count ? resolve() : undefined)
      onStart()
    })

  test('takes the one audit of an installation, or of a repository, after at most two of another that has forty waiting', async () => {
    const [queue] = queues as [AuditQueue]
    // All at once and to all processes, as webhooks come.
    await Promise.all(Array.from({ length: 40 }, (_, i) => (queues[i % processes] as AuditQueue).send(`1/pull/${i}`, 100)))
    await work()
    await untilStarted(processes)
    for (let i = 0; i < 5; i++) {
      running.shift()?.end()
      await untilStarted(processes + i + 1)
    }
    const before = started.length
    await queue.send('2/pull/1', 200)
    await queue.send('3/pull/1', 100)
    for (let i = 0; i < 8; i++) {
      running.shift()?.end()
      await untilStarted(before + i + 1)
    }
    const after = started.slice(before)
    expect(after.indexOf('2/pull/1'), after.join()).toBeLessThanOrEqual(2)
    expect(after.indexOf('2/pull/1')).toBeGreaterThanOrEqual(0)
    // Two places go to others: the installation's own round and the audit of the other installation.
    expect(after.indexOf('3/pull/1'), after.join()).toBeLessThanOrEqual(3)
    expect(after.indexOf('3/pull/1')).toBeGreaterThanOrEqual(0)
    // The order of one repository's own audits stays.
    const noisy = started.filter((key) => key.startsWith('1/')).map((key) => Number(key.split('/')[2]))
    if (processes === 1) expect(noisy).toEqual([...noisy].sort((a, b) => a - b))
  })

  test('drains what the version before queued, which knew no installations', async () => {
    await sql.query(`update ${SCHEMA}.job set priority = 0, group_id = null where state in ('created', 'retry')`)
    const [queue] = queues as [AuditQueue]
    await queue.send('4/pull/1', 400)
    for (let i = started.length; i < 43; i++) {
      running.shift()?.end()
      await untilStarted(i + 1)
    }
    expect(new Set(started).size).toBe(43)
    for (const { end } of running.splice(0)) end()
  })
})
