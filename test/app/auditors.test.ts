import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { AuditedForApp, AuditRequestOfApp } from '../../src/app/audit-thread/protocol.ts'
import { Auditors, type AuditorsOptions } from '../../src/app/auditor/auditors.ts'
import type { AuditPortsOfBroker } from '../../src/app/auditor/ports-of-broker.ts'
import { audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import { SourceError } from '../../src/source/source.ts'
import { testDatabase } from '../support/database.ts'
import { MemorySource } from '../support/memory-source.ts'
import { descendants } from '../support/processes.ts'

const rogue = new URL('./rogue-auditor.mjs', import.meta.url)
const FILES = {
  'package.json': '{"dependencies":{"next":"15.0.0","@supabase/supabase-js":"2"}}',
  'app/api/notes/route.ts': 'export async function GET() { return Response.json(await db.from("notes").select()) }\n',
  'supabase/migrations/1.sql': 'create table public.notes (id uuid primary key, user_id uuid);\n',
  '.env.production': 'NAME=1\n',
}
const source = new MemorySource([
  { name: 'base', files: { 'package.json': '{}' } },
  { name: 'head', files: FILES },
])

/** Ports that note what was asked of them. */
function watched(changes: Partial<AuditPortsOfBroker> = {}) {
  const calls: string[] = []
  const stored = new Map<string, string>()
  const noting = <A extends unknown[], R>(name: string, run: (...args: A) => R) => {
    return (...args: A) => {
      calls.push(name)
      return run(...args)
    }
  }
  const ports: AuditPortsOfBroker = {
    source: {
      snapshot: noting('snapshot', (commit: string) => source.snapshot(commit)),
      read: noting('read', (shas: readonly string[]) => source.read(shas)),
      history: noting('history', (commit: string, wanted: (path: string) => boolean) => source.history(commit, wanted)),
      mergeBase: noting('mergeBase', (base: string) => source.mergeBase(base)),
    },
    facts: {
      get: noting('getFacts', async (keys: readonly string[]) => new Map(keys.flatMap((k) => (stored.has(k) ? [[k, stored.get(k) as string] as const] : [])))),
      put: noting('putFacts', async (entries: ReadonlyMap<string, string>) => {
        for (const [key, value] of entries) stored.set(key, value)
      }),
    },
    hosted: noting('hosted', async () => undefined),
    ...changes,
  }
  return { ports, calls }
}

const request = (commit: string, changes: Partial<AuditRequestOfApp> = {}): AuditRequestOfApp => ({ commit, today: '2026-11-20', ...changes })
const forever = new AbortController().signal
let open: Auditors[] = []
const auditors = (options: AuditorsOptions = {}) => {
  const made = new Auditors(options)
  open.push(made)
  return made
}
/** A result as it crosses between processes: as JSON. */
const resultFor = async (commit: string): Promise<AuditedForApp> => {
  const result = await audit({ ...request('head'), config: DEFAULT_CONFIG }, { source, database: testDatabase() })
  return { ...result, config: DEFAULT_CONFIG, report: { ...result.report, audit: { ...result.report.audit, commit } } }
}
const fine = await resultFor('fine')
const later = await resultFor('fine, later')

afterEach(async () => {
  await Promise.all(open.map((a) => a.close()))
  open = []
})
afterAll(() => testDatabase().close?.())

describe('an audit in a process without keys', () => {
  test('finds what an audit in this process finds, and reads the configuration there', async () => {
    const here = await audit({ ...request('head', { mergeBase: 'base' }), config: DEFAULT_CONFIG, configProblems: [] }, { source, database: testDatabase() })
    const { ports, calls } = watched()
    const there = auditors()
    const first = await there.run(request('head', { mergeBase: 'base' }), ports, forever)
    expect(first.report).toEqual(JSON.parse(JSON.stringify(here.report)))
    expect(first.report.comparison?.introduced.length).toBeGreaterThan(1)
    expect(first.config).toEqual(DEFAULT_CONFIG)
    expect(new Set(calls)).toEqual(new Set(['snapshot', 'read', 'history', 'getFacts', 'putFacts', 'hosted']))
    const second = await there.run(request('head', { mergeBase: 'base', configText: 'fail_on: high\nwrong: 1\n', configCommit: 'base' }), ports, forever)
    expect([second.run.cacheMisses, second.config.failOn]).toEqual([0, 'high'])
    expect(second.report.audit.config.problems.map((p) => [p.line, p.message])).toEqual([[2, expect.stringContaining('unknown key "wrong"')]])
  })

  test('ends with the very error of the port that failed, and with its sentences for users', async () => {
    const there = auditors()
    const limit = Object.assign(new Error('secondary rate limit'), { status: 403 })
    const { ports } = watched({ source: { ...source, snapshot: () => Promise.reject(limit) } as unknown as MemorySource })
    await expect(there.run(request('head'), ports, forever)).rejects.toBe(limit)
    await expect(there.run(request('gone'), watched().ports, forever)).rejects.toThrow(new SourceError('no commit gone'))
  })

  test('is stopped by its signal', async () => {
    const stop = new AbortController()
    const reason = new Error('a newer commit')
    const { ports } = watched({
      source: {
        ...watched().ports.source,
        snapshot: () => {
          stop.abort(reason)
          return new Promise(() => {})
        },
      },
    })
    await expect(auditors().run(request('head'), ports, stop.signal)).rejects.toBe(reason)
  })
})

describe('an auditor that was taken over', () => {
  test.each([
    ['other commit', 'asks for a commit that it does not audit'],
    ['other history', 'asks for a commit that it does not audit'],
    ['other merge base', 'asks for the merge base of other commits'],
    ['other content', 'asks for a content that no tree of its audit names'],
    ['facts of other content', 'asks for a content that no tree of its audit names'],
    ['facts for other content', 'asks for a content that no tree of its audit names'],
    ['facts of another repository', 'the argument of getFacts has another shape'],
    ['a key that is none', 'the argument of getFacts has another shape at 0'],
    ['a project that is a path', 'the argument of hosted has another shape at 0'],
    ['a result that is none', 'the result has another shape at report.tool'],
  ])('and says "%s" loses that audit, is told nothing, and the next audit runs', async (act, because) => {
    const there = auditors({ entry: rogue })
    const { ports, calls } = watched()
    const error = await there.run(request(act), ports, forever).catch((e) => e)
    expect(error).toBeInstanceOf(SourceError)
    expect(error.message).toContain(`did not keep to its rules (`)
    expect(error.message).toContain(because)
    expect(calls).toEqual([])
    expect((await there.run(request('fine', { configText: JSON.stringify(fine) }), ports, forever)).report.audit.commit).toBe('fine')
  })

  test('and answers for another commit loses that audit', async () => {
    const text = JSON.stringify(fine)
    await expect(auditors({ entry: rogue }).run(request('a result of another commit', { configText: text }), watched().ports, forever)).rejects.toThrow(
      'the result is of something else',
    )
  })

  test('and asks without waiting for answers loses that audit', async () => {
    const { ports } = watched({ source: { ...watched().ports.source, snapshot: () => new Promise(() => {}) } })
    await expect(auditors({ entry: rogue }).run(request('too many questions'), ports, forever)).rejects.toThrow('asks more than an audit can need')
  })

  test.each(['another port', 'a port of the prototype', 'a member too many', 'another audit', 'no JSON', 'an endless line', 'nothing and ends'])(
    'and says "%s" is ended, and the audit is given up after a second try',
    async (act) => {
      const { ports, calls } = watched()
      const error = await auditors({ entry: rogue })
        .run(request(act), ports, forever)
        .catch((e) => e)
      expect(error).toBeInstanceOf(SourceError)
      expect(error.message).toContain('ended twice before the audit was complete')
      expect(calls).toEqual([])
    },
  )

  test('takes no other audit with it', async () => {
    const there = auditors({ entry: rogue })
    const innocent = there.run(request('fine, later', { configText: JSON.stringify(later) }), watched().ports, forever)
    await expect(there.run(request('other commit'), watched().ports, forever)).rejects.toThrow('did not keep to its rules')
    expect((await innocent).report.audit.commit).toBe('fine, later')
  })

  test('and does not answer any more is ended', async () => {
    const error = await auditors({ entry: rogue, silenceMs: 3000 })
      .run(request('nothing any more'), watched().ports, forever)
      .catch((e) => e)
    expect([error.message, error.cause.message]).toEqual([expect.stringContaining('ended twice'), 'it did not answer any more'])
  })

  test.runIf(process.platform === 'linux')('and takes too much memory is ended from outside', async () => {
    const error = await auditors({ entry: rogue, memoryMiB: 400 })
      .run(request('nothing and grows'), watched().ports, forever)
      .catch((e) => e)
    expect([error.message, error.cause.message]).toEqual([expect.stringContaining('ended twice'), 'it took more memory than allowed'])
  })

  test.runIf(process.platform === 'linux')('leaves no process behind', async () => {
    const there = auditors({ entry: rogue })
    await there.run(request('fine', { configText: JSON.stringify(fine) }), watched().ports, forever)
    expect(descendants(process.pid).filter((p) => p.command.includes('rogue-auditor')).length).toBeGreaterThan(0)
    await there.close()
    await expect.poll(() => descendants(process.pid).filter((p) => p.command.includes('rogue-auditor'))).toEqual([])
  })
})
