import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Engine } from '../../src/store/embedded-engine.ts'
import { openStore } from '../../src/store/store.ts'
import { isStoreProblem, storeProblem } from '../../src/store/store-problem.ts'

const unreachable = (error: Error) => expect.unreachable(String(error))

test('a damaged embedded store is told in sentences that name the folder and what to do', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-damaged-'))
  try {
    const store = await openStore({ dataDir, concurrency: 1, onError: unreachable })
    await store.close(1000)
    const base = join(dataDir, 'postgres', 'base')
    for (const database of await readdir(base)) for (const file of await readdir(join(base, database))) await truncate(join(base, database, file), 100)
    await expect(openStore({ dataDir, concurrency: 1, onError: unreachable })).rejects.toThrow(
      /^The embedded database in .*postgres is damaged and cannot be opened \(.*\)\. Put a copy of the folder in its place, or move the folder away to begin anew/,
    )
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('an engine that ended is opened again from its files, with its listeners', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-engine-'))
  const engine = await Engine.open(join(dataDir, 'postgres'))
  try {
    const heard: string[] = []
    await engine.db().listen?.(
      'news',
      (payload) => heard.push(payload),
      () => {},
    )
    await engine.use((lite) => lite.query('create table kept as select 1 as one'))
    await engine.use((lite) => lite.close())
    await expect(engine.use((lite) => lite.query('select 1'))).rejects.toThrow('closed')
    expect((await engine.use((lite) => lite.query('select one from kept'))).rows).toEqual([{ one: 1 }])
    await engine.db().executeSql(`select pg_notify('news', 'again')`, [])
    expect(heard).toEqual(['again'])
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test.each([
  [{ code: '53100', message: 'could not extend file "base/5/1": No space left on device' }, /no room left/, true],
  [{ code: 'ENOSPC', message: 'write' }, /no room left/, true],
  [{ code: '57P01', message: 'terminating connection due to administrator command' }, /does not answer/, true],
  [{ message: 'RuntimeError: Aborted(). Build with -sASSERTIONS for more info.' }, /is opened again/, true],
  [{ code: '42P01', message: 'relation "x" does not exist\nat character 5' }, /^The store reports an error: Error: relation "x" does not exist\.$/, false],
])('an error of the store or the queue is told in sentences: %j', (failure, sentence, repeated) => {
  const error = Object.assign(new Error(failure.message), failure)
  expect(storeProblem(error)).toMatch(sentence)
  expect(isStoreProblem(error)).toBe(repeated)
})
