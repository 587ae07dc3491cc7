import { describe, expect, test } from 'vitest'
import type { SandboxProcess } from '../../src/database/isolation/sandbox-process.ts'
import { SandboxDatabase } from '../../src/database/sandbox-database.ts'
import { auditFiles } from '../support/audit-files.ts'
import { migration, replaySql, tableNames } from './replay-sql.ts'

const BEFORE = 'create table public.before_it (id uuid primary key);\n'
const AFTER = ';\ncreate table public.after_it (id uuid primary key);\nalter table public.after_it enable row level security;\n'

const AFTER_OPEN = ';\ncreate table public.open_after_it (id uuid primary key, email text);\n'

/** What kills or stalls an engine: the statement ends as a gap at its line and everything around it is applied. */
const KILLERS: readonly (readonly [name: string, sql: string])[] = [
  ['an endless loop', 'do $$ begin loop end loop; end $$'],
  ['an endless series', 'select count(*) from generate_series(1, 1e12)'],
  ['rows without end in a recursive query', 'with recursive r as (select 1 as n union all select n + 1 from r) select count(*) from r'],
  [
    'two gigabytes of inserts',
    "do $$ begin create table public.big (t text); alter table public.big alter t set storage external; insert into public.big select repeat('x', 100000) from generate_series(1, 20000); end $$",
  ],
  ['memory without end', 'create table public.big as select repeat(md5(n::text), 100000) as t, n from generate_series(1, 100000) n'],
]

describe('statements that never end', () => {
  test.each(KILLERS)('%s', async (_name, sql) => {
    const result = await replaySql(migration(`${BEFORE}${sql}${AFTER}`), { stepMs: 2000 })
    expect(tableNames(result)).toEqual(expect.arrayContaining(['public.after_it', 'public.before_it']))
    expect(result.catalog.tables.find((t) => t.name === 'after_it')?.rls.enabled).toBe(true)
    expect(result.gaps).toContainEqual(
      expect.objectContaining({ path: 'supabase/migrations/1_a.sql', line: 2, because: 'it did not end in time or broke the database engine' }),
    )
  })

  test('waiting takes no time', async () => {
    const waits =
      "do $$ begin for i in 1..30 loop perform pg_sleep(1000); end loop; perform pg_sleep_for('5 hours'); perform pg_sleep_until(now() + interval '1 day'); end $$"
    const result = await replaySql(migration(`${BEFORE}${waits}${AFTER}`), { stepMs: 2000 })
    expect(result.gaps).toEqual([])
    expect(tableNames(result)).toEqual(['public.after_it', 'public.before_it'])
  })

  test('200 MB of inserts cost nothing but memory', async () => {
    const inserts = ['create table public.big (t text)', 'alter table public.big alter t set storage external']
    for (let n = 0; n < 5; n++) inserts.push("insert into public.big select repeat('x', 100000) from generate_series(1, 400)")
    const result = await replaySql(migration(`${BEFORE}${inserts.join(';\n')}${AFTER}`))
    expect(tableNames(result)).toEqual(['public.after_it', 'public.before_it', 'public.big'])
    expect(result.catalog.tables.find((t) => t.name === 'after_it')?.rls.enabled).toBe(true)
  })
})

test('a function that never ends, and is called, takes nothing of what was found with it', async () => {
  const result = await replaySql(
    migration(
      'create table public.notes (id uuid primary key, user_id uuid not null references auth.users);\nalter table public.notes enable row level security;\ncreate policy "open" on public.notes for select using (true);\ncreate function public.hang() returns int language plpgsql as $$ begin loop end loop; end $$;\ncreate function public.one() returns int language sql as $$ select 1 $$;',
    ),
    { stepMs: 2000 },
  )
  expect(result.access.holes?.map((h) => `${h.kind} ${h.policy} ${h.proof}`)).toEqual(['policy open executed'])
  expect(result.access.objects.map((o) => o.object)).toEqual(['public.notes', 'public.one()'])
})

test('an audit of a repository that tries all of it ends, declares each statement and finds what is around them', async () => {
  const dangers = [
    'do $$ begin loop end loop; end $$',
    'select count(*) from generate_series(1, 1e12)',
    'create function public.deep(n int) returns int language plpgsql as $$ begin return public.deep(n + 1); end $$; select public.deep(1)',
    "copy public.before_it to program 'touch /tmp/prelaunch-was-here'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "select dblink_connect('host=127.0.0.1')",
  ]
  const database = new SandboxDatabase({ stepMs: 1500 })
  const files = {
    'package.json': '{ "dependencies": { "@supabase/supabase-js": "2.0.0" } }',
    'supabase/migrations/1_a.sql': `${BEFORE}${dangers.join(';\n')}${AFTER_OPEN}`,
  }
  const report = await auditFiles(files, {}, { database })
  await database.close()
  expect(report.checks[0]?.findings.map((f) => `${f.severity} ${f.subject} ${f.line}`)).toEqual([
    'Critical table public.before_it 1',
    `Critical table public.open_after_it ${dangers.length + 2}`,
  ])
  const declared = report.gaps.filter((g) => g.path === 'supabase/migrations/1_a.sql').map((g) => g.line)
  expect(declared).toEqual(dangers.map((_, i) => i + 2))
}, 240_000)

/** What an engine survives: refused, or applied without any effect outside. */
const REFUSED: readonly (readonly [name: string, sql: string, because: RegExp | undefined])[] = [
  ['reading the server’s files', "select pg_read_file('/etc/passwd')", /permission denied/],
  ['large objects from files', "select lo_import('/etc/passwd')", /permission denied|does not exist/],
  ['COPY to a program', "copy public.before_it to program 'touch /tmp/prelaunch-was-here'", /COPY with a program/],
  ['COPY from a file', "copy public.before_it from '/etc/passwd'", undefined],
  ['server settings', "alter system set shared_buffers = '1MB'", /concerns the server/],
  ['another database', "select dblink_connect('host=127.0.0.1')", /does not exist/],
  ['a library', "create function public.evil() returns int language c as '/lib/libc.so.6', 'system'", /permission denied|untrusted/],
  ['another session user', 'set session authorization supabase_admin', /SET SESSION AUTHORIZATION/],
  [
    'recursion in a function',
    'create function public.deep(n int) returns int language plpgsql as $$ begin return public.deep(n + 1); end $$;\nselect public.deep(1)',
    /stack depth/,
  ],
  ['a sum of 8,000 terms', `select ${'1+'.repeat(8000)}1`, undefined],
  ['row security of the platform’s tables', 'alter table storage.objects disable row level security', /must be owner/],
]

describe('statements that are refused', () => {
  test('each leaves the rest intact', async () => {
    const files = Object.fromEntries(REFUSED.map(([, sql], i) => [`supabase/migrations/${i + 10}_x.sql`, `${sql};\ncreate table public.after_${i} (id int);`]))
    const result = await replaySql({ 'supabase/migrations/1_before.sql': BEFORE, ...files }, { budgetMs: 30_000 })
    expect(tableNames(result)).toEqual(['public.before_it', ...REFUSED.map((_, i) => `public.after_${i}`)].sort())
    for (const [i, [name, , because]] of REFUSED.entries()) {
      const gap = result.gaps.find((g) => g.path === `supabase/migrations/${i + 10}_x.sql`)
      if (because) expect(gap?.because, name).toMatch(because)
    }
    expect(result.catalog.policies).toEqual([])
  })
})

describe('text that is no clean SQL', () => {
  const CASES: readonly (readonly [name: string, text: string, tables: readonly string[], spread?: true])[] = [
    ['a NUL byte hides nothing', 'select 1;\0 create table public.hidden (id int);', ['public.hidden']],
    ['a byte order mark', '\uFEFFcreate table public.a (id int);', ['public.a']],
    ['UTF-16 read as UTF-8', 'create table public.a (id int);', ['public.a'], true],
    ['commands of psql', '\\restrict abc\n\\set x 1\ncreate table public.a (id int);\n\\unrestrict abc', ['public.a']],
    [
      'data of COPY',
      "create table public.a (t text);\ncopy public.a (t) from stdin;\nit's; create table public.b (id int);\n\\.\ncreate table public.c (id int);",
      ['public.a', 'public.c'],
    ],
    ['a statement that is no SQL', 'create table public.a (id int);\nthis is not sql;\ncreate table public.b (id int);', ['public.a', 'public.b']],
    ['an unclosed quote takes only the end', "create table public.a (id int);\nselect 'oops;\ncreate table public.b (id int);", ['public.a']],
    ['comments between and inside', '/* a; /* b; */ */ create /* ; */ table public.a (id int) -- ;\n;', ['public.a']],
    [
      'semicolons in bodies',
      "create function public.f() returns int language sql begin atomic select 1; select 2; end;\ncreate table public.a (id int);\ncreate table public.b (t text default 'a;b', u text default $x$;$x$);",
      ['public.a', 'public.b'],
    ],
  ]

  // One sandbox for all: each case has a schema of its own.
  test('each gives the tables that are really there', async () => {
    const files = CASES.map(([, text, , spread], i) => {
      const own = text.replaceAll('public.', `case_${i}.`)
      return [`supabase/migrations/${i + 10}_x.sql`, spread ? [...own].join('\0') : own] as const
    })
    const result = await replaySql(Object.fromEntries(files), { budgetMs: 30_000 })
    for (const [i, [name, , tables]] of CASES.entries()) {
      expect(
        result.catalog.tables.filter((t) => t.schema === `case_${i}`).map((t) => `public.${t.name}`),
        name,
      ).toEqual(tables)
    }
  })

  test('comments nested without end are not scanned', async () => {
    const result = await replaySql(migration(`create table public.a (id int);\n${'/*'.repeat(200_000)}`))
    expect(tableNames(result)).toEqual(['public.a'])
    expect(result.gaps).toEqual([
      { path: 'supabase/migrations/1_a.sql', line: 2, because: expect.stringContaining('nested deeper than 50'), touches: [{ topic: 'anything' }] },
    ])
  })
})

test('a sandbox that is not needed ends, and another comes when one is', async () => {
  const database = new SandboxDatabase()
  database.warm()
  const child = await (database as unknown as { spare: Promise<SandboxProcess> }).spare
  const gone = child.gone()
  database.rest()
  await gone
  const file = { path: 'supabase/migrations/1_a.sql', text: 'create table a (id int);', role: 'migration' } as const
  const result = await database.replay({ files: [file], exposedSchemas: ['public'], exposedToBrowsers: true })
  await database.close()
  expect(tableNames(result)).toEqual(['public.a'])
})

test('a sandbox that dies is replaced', async () => {
  const database = new SandboxDatabase()
  database.warm()
  const child = await (database as unknown as { spare: Promise<SandboxProcess> }).spare
  const gone = child.gone()
  child.end()
  await gone
  const result = await database.replay({
    files: [{ path: 'supabase/migrations/1_a.sql', text: 'create table a (id int);', role: 'migration' }],
    exposedSchemas: ['public'],
    exposedToBrowsers: true,
  })
  await database.close()
  expect(tableNames(result)).toEqual(['public.a'])
  expect(result.gaps).toEqual([])
})
