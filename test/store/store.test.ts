import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Extraction } from '../../src/facts/facts.ts'
import { advisoryCache } from '../../src/store/advisory-store.ts'
import type { AuditTarget } from '../../src/store/audit-target.ts'
import { factsCache, snapshotCache } from '../../src/store/facts-store.ts'
import { migrate } from '../../src/store/migrations.ts'
import { forgetInstallation, sweepStore } from '../../src/store/retention.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { postgresBin, startPostgres } from '../support/postgres.ts'

const fail = (error: Error) => {
  throw error
}

function target(changes: Partial<AuditTarget> = {}): AuditTarget {
  return {
    key: '1/pull/1',
    installation: 5,
    repository: { id: 1, owner: 'o', name: 'r', private: false, cloneUrl: '', url: '' },
    kind: 'pull_request',
    headSha: 'a'.repeat(40),
    configRef: 'main',
    baseRef: 'main',
    reason: 'test',
    ...changes,
  }
}

const kinds = [['embedded'], ...(postgresBin() ? [['PostgreSQL']] : [])]

describe.each(kinds)('the store on %s', (kind) => {
  let store: Store
  let dataDir: string
  let stopServer = () => {}

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-store-'))
    const server = kind === 'PostgreSQL' ? await startPostgres() : undefined
    stopServer = server?.stop ?? (() => {})
    store = await openStore({ dataDir, ...(server ? { databaseUrl: server.url } : {}), concurrency: 2, onError: fail })
  })
  afterAll(async () => {
    await store.close(1000)
    stopServer()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('brings its tables up twice without harm', async () => {
    await migrate(store.sql)
    await migrate(store.sql)
  })

  test('keeps answers of the advisory database, the newest of each package, until they are old', async () => {
    const cache = advisoryCache(store.sql)
    const advisory = {
      id: 'GHSA-1',
      package: 'a',
      severity: 'high',
      summary: 'Flaw ü',
      vulnerable: '< 2',
      fixedIn: '2.0.0',
      url: 'https://github.com/advisories/GHSA-1',
    } as const
    const now = Date.now()
    const long = `https://api.github.com/advisories?affects=${'left-pad@1.0.0,'.repeat(1000)}`
    await cache.put(
      new Map([
        ['a@1.0.0', { advisories: [advisory], at: now }],
        ['b@1.0.0', { advisories: [], at: now - 8 * 86_400_000 }],
      ]),
      new Map([[long, 'W/"1"']]),
    )
    await cache.put(new Map([['a@1.0.0', { advisories: [], at: now - 1000 }]]), new Map([[long, 'W/"2"']]))
    expect(await cache.packages(['a@1.0.0', 'b@1.0.0', 'c@1.0.0'])).toEqual(
      new Map([
        ['a@1.0.0', { advisories: [advisory], at: now }],
        ['b@1.0.0', { advisories: [], at: now - 8 * 86_400_000 }],
      ]),
    )
    expect([await cache.etag(long), await cache.etag(`${long}x`)]).toEqual(['W/"2"', undefined])
    await sweepStore(store.sql)
    expect([...(await cache.packages(['a@1.0.0', 'b@1.0.0'])).keys()]).toEqual(['a@1.0.0'])
  })

  test('keeps facts by repository and forgets none of another', async () => {
    // Nothing is kept of a repository without a target.
    for (const id of [1, 3])
      await store.targets.want(target({ key: `${id}/push/main`, repository: { ...target().repository, id }, kind: 'push' }), `facts-${id}`)
    const facts = { kind: 'text', facts: { a: 'ü\u0000'.slice(0, 1) }, problems: [] } as unknown as Extraction
    await factsCache(store.sql, 1).put(new Map([['k', facts]]))
    expect(await factsCache(store.sql, 1).get(['k', 'other'])).toEqual(new Map([['k', facts]]))
    expect((await factsCache(store.sql, 2).get(['k'])).size).toBe(0)
    await factsCache(store.sql, 1).put(new Map([['k', facts]]))
    const many = new Map(Array.from({ length: 1200 }, (_, i) => [`m${i}`, facts]))
    await factsCache(store.sql, 3).put(many)
    expect((await factsCache(store.sql, 3).get([...many.keys()])).size).toBe(1200)
  })

  test('keeps listings of commits', async () => {
    const snapshot = { commit: 'c1', blobs: [{ path: 'a', sha: 's', size: 1, mode: 'file' as const }], complete: true }
    await snapshotCache(store.sql, 1).put(snapshot)
    expect(await snapshotCache(store.sql, 1).get('c1')).toEqual(snapshot)
    expect(await snapshotCache(store.sql, 2).get('c1')).toBeUndefined()
  })

  test('takes a delivery once, a commit once, and a newer commit at any time', async () => {
    const { targets } = store
    expect(await targets.want(target(), 'd1')).toBe('stored')
    expect(await targets.want(target(), 'd1')).toBe('known')
    expect(await targets.want(target(), 'd2')).toBe('known')
    expect(await targets.want(target({ headSha: 'b'.repeat(40) }), 'd3')).toBe('stored')
    expect(await targets.get('1/pull/1')).toMatchObject({ version: 2, done: 0, state: 'queued', target: { headSha: 'b'.repeat(40) } })
    await targets.markDone('1/pull/1', 2, 'concluded', 'run ended')
    expect(await targets.want(target({ headSha: 'b'.repeat(40) }), 'd3')).toBe('known')
    expect(await targets.want(target({ headSha: 'b'.repeat(40), again: true }), 'd4')).toBe('stored')
  })

  test('processes a redelivery again whose audit ended in error', async () => {
    const { targets } = store
    const one = target({ key: '1/pull/2' })
    await targets.want(one, 'e1')
    await targets.markDone('1/pull/2', 1, 'error', 'no run', 'GitHub was away')
    expect(await targets.knownDeliveries(['e1', 'd1'])).toEqual(new Set(['d1']))
    expect(await targets.want(one, 'e1')).toBe('stored')
  })

  test('an older version that ends late leaves the newer wish queued', async () => {
    const { targets } = store
    await targets.want(target({ key: '1/pull/3' }), 'f1')
    await targets.markRunning('1/pull/3')
    await targets.want(target({ key: '1/pull/3', headSha: 'c'.repeat(40) }), 'f2')
    await targets.markDone('1/pull/3', 1, 'concluded', 'run ended')
    expect(await targets.get('1/pull/3')).toMatchObject({ version: 2, done: 1, state: 'queued' })
    expect((await targets.unfinished()).get('1/pull/3')).toBe(5)
  })

  test('runs one audit of a key at a time, and another after it when asked meanwhile', async () => {
    let running = 0
    let most = 0
    let runs = 0
    await store.queue.work(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 500))
      running--
      runs++
    })
    for (let i = 0; i < 5; i++) await store.queue.send('same', 1)
    const until = Date.now() + 20_000
    while (running === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5))
    for (let i = 0; i < 5; i++) await store.queue.send('same', 1)
    while ((runs < 2 || (await store.queue.depth()).waiting > 0) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(most).toBe(1)
    expect(runs).toBe(2)
  })

  test('one process at a time has a turn', async () => {
    expect(await store.targets.takeTurn('t', 60)).toBe(true)
    expect(await store.targets.takeTurn('t', 60)).toBe(false)
  })

  test('keeps within its size, the least recently used go first, and forgets an installation', async () => {
    await store.sql.query(`update prelaunch.facts set used = current_date - 3 where repository = 3 and key < 'm5'`)
    await sweepStore(store.sql)
    expect((await factsCache(store.sql, 3).get(['m1', 'm999'])).size).toBe(2)
    const [{ bytes } = { bytes: 0 }] = await store.sql.query<{ bytes: number }>('select sum(bytes) as bytes from prelaunch.facts')
    await sweepStore(store.sql, { unusedDays: 30, maxBytes: Number(bytes) / 2 })
    const left = await store.sql.query<{ n: string }>(`select count(*) as n from prelaunch.facts where repository = 3 and key < 'm5'`)
    expect(Number(left[0]?.n)).toBeLessThan(300)
    await store.sql.query('update prelaunch.facts set used = current_date - 31')
    await sweepStore(store.sql)
    expect(await store.sql.query('select 1 from prelaunch.facts')).toEqual([])
    await factsCache(store.sql, 1).put(new Map([['k', { kind: 'text', facts: {}, problems: [] } as unknown as Extraction]]))
    await forgetInstallation(store.sql, 5)
    expect(await store.sql.query('select 1 from prelaunch.facts')).toEqual([])
    expect(await store.sql.query('select 1 from prelaunch.targets')).toEqual([])
  })
})

describe('the lock of the data folder', () => {
  const open = (dataDir: string) => openStore({ dataDir, concurrency: 1, onError: fail })

  test('refuses a living holder with a sentence, and takes over from a dead one', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-lock-'))
    const lock = join(dataDir, 'prelaunch.lock')
    await writeFile(lock, JSON.stringify({ pid: process.ppid, host: hostname(), started: '2026-01-01T00:00:00Z' }))
    await expect(open(dataDir)).rejects.toThrow(`is in use by process ${process.ppid} on ${hostname()} since 2026-01-01T00:00:00Z`)
    await writeFile(lock, JSON.stringify({ pid: process.pid, host: 'another-host', started: '2026-01-01T00:00:00Z' }))
    await expect(open(dataDir)).rejects.toThrow('on another-host')
    await writeFile(lock, JSON.stringify({ pid: 2 ** 22 - 1, host: hostname(), started: '2026-01-01T00:00:00Z' }))
    const store = await open(dataDir)
    await expect(open(dataDir)).rejects.toThrow(`is in use by process ${process.pid}`)
    await store.close(100)
    await rm(dataDir, { recursive: true, force: true })
  })
})
