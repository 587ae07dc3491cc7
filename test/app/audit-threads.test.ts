import { afterAll, describe, expect, test } from 'vitest'
import { AuditThreads, type ThreadPorts } from '../../src/app/audit-thread/audit-threads.ts'
import { type AuditRequest, audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import { localDatabase } from '../../src/platform/local/database.ts'
import { ExtractionPool } from '../../src/platform/local/extraction-pool.ts'
import { SourceError } from '../../src/source/source.ts'
import { testDatabase } from '../support/database.ts'
import { MemorySource } from '../support/memory-source.ts'

const FILES = {
  'package.json': '{"dependencies":{"next":"15.0.0","@supabase/supabase-js":"2"}}',
  'app/api/notes/route.ts': 'export async function GET() { return Response.json(await db.from("notes").select()) }\n',
  'supabase/migrations/1.sql': 'create table public.notes (id uuid primary key, user_id uuid);\n',
}
const source = new MemorySource([
  { name: 'base', files: { 'package.json': '{}' } },
  { name: 'head', files: FILES },
])
const request = (commit: string): AuditRequest => ({ commit, mergeBase: 'base', config: DEFAULT_CONFIG, today: '2026-11-20' })

const pool = new ExtractionPool({ size: 1 })
const threads = new AuditThreads()
const ill = new AuditThreads({ entry: new URL('./stuck-audit-worker.mjs', import.meta.url), heapMiB: 64 })
const stored = new Map<string, string>()
const ports: ThreadPorts = {
  source,
  database: testDatabase(),
  extractText: pool.extractText,
  facts: {
    get: async (keys) => new Map(keys.flatMap((k) => (stored.has(k) ? [[k, stored.get(k) as string] as const] : []))),
    put: async (entries) => {
      for (const [key, value] of entries) stored.set(key, value)
    },
  },
}
const run = (commit: string, signal = new AbortController().signal, changes: Partial<ThreadPorts> = {}, on = threads) =>
  on.run(request(commit), { ...ports, ...changes }, signal)

afterAll(async () => {
  await Promise.all([threads.close(), ill.close(), pool.close(), testDatabase().close?.()])
})

describe('an audit in a thread', () => {
  test('finds what an audit in this thread finds, with new facts and with known ones', async () => {
    const here = await audit(request('head'), { source, database: testDatabase() })
    expect(here.report.comparison?.introduced.length).toBeGreaterThan(1)
    const first = await run('head')
    expect(first.report).toEqual(here.report)
    const second = await run('head')
    expect(second.report).toEqual(here.report)
    expect([first.run.cacheHits, second.run.cacheMisses]).toEqual([0, 0])
  })

  test('replays the same SQL once, whichever process comes to it', async () => {
    const here = localDatabase()
    const there = localDatabase({ budgetMs: 1 })
    const { report } = await run('head', undefined, { database: here })
    expect([...stored.keys()].filter((key) => key.startsWith('replay:'))).toHaveLength(1)
    expect((await run('head', undefined, { database: there })).report).toEqual(report)
    await Promise.all([here.close?.(), there.close?.()])
  })

  test('asks this thread for the settings of the hosted projects that the repository names, and gets no token', async () => {
    const project = 'abcdefghijklmnopqrst'
    const named = new MemorySource([
      { name: 'base', files: { 'package.json': '{}' } },
      {
        name: 'head',
        files: {
          ...FILES,
          'supabase/config.toml': `project_id = "${project}"\n`,
          'src/auth.ts': "export const signIn = (supabase) => supabase.auth.signInWithOAuth({ provider: 'google' })\n",
        },
      },
    ])
    const asked: (readonly string[])[] = []
    const hosted = async (projects: readonly string[]) => {
      asked.push(projects)
      return { projectRef: project, siteUrl: 'http://localhost:3000', redirectUrls: [], externalProviders: ['google'] }
    }
    const { report } = await run('head', undefined, { source: named, hosted })
    expect(asked).toContainEqual([project])
    expect(report.checks[6]?.findings.map((f) => f.subject)).toEqual(['file supabase/config.toml [auth] site_url'])
    expect((await run('head', undefined, { source: named })).report.checks[6]?.status).toBe('unverified')
  })

  test('ends with the very error of the port that failed', async () => {
    await expect(run('gone')).rejects.toBeInstanceOf(SourceError)
    const limit = Object.assign(new Error('secondary rate limit'), { status: 403 })
    const failing = { ...source, snapshot: () => Promise.reject(limit) } as unknown as MemorySource
    await expect(run('head', undefined, { source: failing })).rejects.toBe(limit)
  })

  test('that never ends is ended from outside, while this thread goes on', async () => {
    const stop = new AbortController()
    const reason = new Error('a newer commit')
    let beats = 0
    const heart = setInterval(() => ++beats === 20 && stop.abort(reason), 10)
    await expect(run('hang', stop.signal, {}, ill)).rejects.toBe(reason)
    clearInterval(heart)
    expect(beats).toBeGreaterThanOrEqual(20)
  })

  test('that takes too much memory ends with a sentence for users', async () => {
    await expect(run('grow', undefined, {}, ill)).rejects.toThrow('needed more than 64 MiB of memory')
  })

  test('whose thread dies ends with an error, and the next one gets a new thread', async () => {
    await expect(run('exit', undefined, {}, ill)).rejects.toThrow('ended by itself')
    expect((await run('fine', undefined, {}, ill)).report).toBe('fine')
  })

  test('is not begun when nobody wants it any more', async () => {
    await expect(run('head', AbortSignal.abort(new Error('closed')))).rejects.toThrow('closed')
  })
})
