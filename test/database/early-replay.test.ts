import { afterEach, expect, test } from 'vitest'
import type { DatabaseResult, ReplayInput } from '../../src/database/database.ts'
import type { SandboxProcess } from '../../src/database/isolation/sandbox-process.ts'
import { elapsedMs, type Moment, withoutSince } from '../../src/database/sandbox/stopwatch.ts'
import { SandboxDatabase } from '../../src/database/sandbox-database.ts'
import { extractInProcess } from '../../src/facts/extract.ts'
import { auditFiles } from '../support/audit-files.ts'
import { testDatabase } from '../support/database.ts'

const NEEDS_A_HINT: ReplayInput = {
  files: [
    {
      path: 'supabase/migrations/1_a.sql',
      role: 'migration',
      text: 'create table public.notes (id uuid primary key);\nalter table public.bookings enable row level security;\ncreate policy "own" on public.bookings for select using (auth.uid() = guest);\n',
    },
  ],
  exposedSchemas: ['public'],
  exposedToBrowsers: true,
}
const HINTED: ReplayInput = { ...NEEDS_A_HINT, hints: [{ table: 'bookings', columns: [{ name: 'guest', type: 'uuid' }, { name: 'nights' }] }] }
const OTHER: ReplayInput = { ...NEEDS_A_HINT, files: [{ path: 'a.sql', role: 'loose', text: 'create table public.other (id uuid primary key);' }] }

let database: SandboxDatabase | undefined
afterEach(() => database?.close())
/** Sandboxes that run; those in reserve do not count as active resources of this process. */
const running = () => [...(database as unknown as { children: ReadonlyMap<SandboxProcess, number> }).children.keys()].filter((c) => !c.ended).length
const columns = (result: DatabaseResult) => result.catalog.tables.map((t) => `${t.name}: ${t.columns.map((c) => c.name).join(', ')}`)

test('a replay that began before its hints were known waits for them and gives what a whole one gives', async () => {
  database = new SandboxDatabase()
  database.begin(NEEDS_A_HINT)
  // Long enough to come to the statement that needs them; the result is the same when it is not.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const early = await database.replay(HINTED)
  expect(columns(early)).toEqual(['bookings: id, guest, nights', 'notes: id'])
  await database.close()
  database = new SandboxDatabase()
  expect(early).toEqual(await database.replay(HINTED))
})

test('time spent waiting for hints is no time of the replay', () => {
  const [started, waiting, until] = [0, 700, 9000].map((ms) => ({ wallMs: ms, cpuMs: ms / 2 })) as [Moment, Moment, Moment]
  expect(elapsedMs(withoutSince(started, waiting, until), until)).toBe(elapsedMs(started, waiting))
})

test('other SQL than what was begun is replayed by itself', async () => {
  database = new SandboxDatabase()
  database.begin(NEEDS_A_HINT)
  expect(columns(await database.replay(OTHER))).toEqual(['other: id'])
  expect(columns(await database.replay(HINTED))).toEqual(['bookings: id, guest, nights', 'notes: id'])
})

test('an early replay that nobody takes over ends with the database', async () => {
  database = new SandboxDatabase()
  database.begin(NEEDS_A_HINT)
  await expect.poll(running, { timeout: 60_000 }).toBe(1)
  await database.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(running()).toBe(0)
})

test('without SQL nothing stands ready any more', async () => {
  database = new SandboxDatabase()
  database.warm()
  await expect.poll(running, { timeout: 60_000 }).toBe(1)
  database.begin({ ...NEEDS_A_HINT, files: [] })
  expect(running()).toBe(0)
})

const SQL = { 'supabase/migrations/1_a.sql': 'create table t (id int);' }

test.each<[string, Record<string, string>, string[]]>([
  ['before code is read', SQL, ['begin supabase/migrations/1_a.sql', 'read src/a.ts', 'replay supabase/migrations/1_a.sql']],
  [
    'not when code may declare tables',
    { ...SQL, 'package.json': '{"dependencies":{"drizzle-orm":"^1"}}' },
    ['read package.json', 'read src/a.ts', 'replay supabase/migrations/1_a.sql'],
  ],
  ['not without SQL', {}, ['read src/a.ts']],
])('an audit begins the replay: %s', async (_name, files, expected) => {
  const done: string[] = []
  const say = (what: string, paths: readonly { path: string }[]) => done.push(...paths.map(({ path }) => `${what} ${path}`))
  const sandbox = testDatabase()
  await auditFiles(
    { 'src/a.ts': 'export const a = 1\n', ...files },
    {},
    {
      extractAll: (jobs) => {
        say(
          'read',
          jobs.filter((j) => !j.path.endsWith('.sql')),
        )
        return extractInProcess(jobs)
      },
      database: {
        begin: (input) => say('begin', input.files),
        replay: (input) => {
          say('replay', input.files)
          return sandbox.replay(input)
        },
      },
    },
  )
  expect(done).toEqual(expected)
})
