import { describe, expect, test } from 'vitest'
import type { Catalog, DatabaseResult, Policy } from '../../src/database/database.ts'
import { REAL_EXTENSIONS } from '../../src/database/sandbox/extension-files.ts'
import { migration, replaySql, tableNames } from './replay-sql.ts'

function table(catalog: Catalog, name: string) {
  const found = catalog.tables.find((t) => `${t.schema}.${t.name}` === name)
  if (!found) throw new Error(`no table ${name} in ${catalog.tables.map((t) => t.name).join(', ')}`)
  return found
}

function policy(catalog: Catalog, name: string): Policy {
  const found = catalog.policies.find((p) => p.name === name)
  if (!found) throw new Error(`no policy ${name}`)
  return found
}

describe('places', () => {
  const sql = `-- a comment first
create table public.notes ( -- line 2
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users,

  title text
);
/* two
lines */ alter table public.notes
  enable row level security;
create policy "own" on public.notes for select using (auth.uid() = user_id);
alter table public.notes add column body text;
create view public.titles as select title from public.notes;
create or replace view public.titles with (security_invoker = true) as select title from public.notes;
grant select (title) on public.notes to anon;
revoke all on public.notes from authenticated;
grant insert, select on public.notes to authenticated;
create function public.count_notes() returns bigint language sql security definer as $$ select count(*) from public.notes $$;
insert into storage.buckets (id, name, public) values
  ('avatars', 'avatars', true),
  ('files', 'files', false);
update storage.buckets set public = true where id = 'files';
do $$
declare t text;
begin
  foreach t in array array['one', 'two'] loop
    execute format('create table public.%I (id int)', t);
    execute format('alter table public.%I enable row level security', t);
    execute format('create policy "all %s" on public.%I using (true)', t, t);
    execute format('grant delete on public.%I to anon', t);
  end loop;
end $$;
alter policy "own" on public.notes using (auth.uid() = user_id and title <> '');

alter table public.one disable row level security;
create policy "avatars are public" on storage.objects for select using (bucket_id = 'avatars');
`
  test('every object knows the statement that a person must change', async () => {
    const path = 'supabase/migrations/1_a.sql'
    const { catalog, gaps, statements } = await replaySql(migration(sql))
    expect(gaps).toEqual([])
    expect(statements).toEqual({ total: 16, applied: 16, explained: 0 })
    const notes = table(catalog, 'public.notes')
    expect(notes.at).toEqual({ path, line: 2, endLine: 7 })
    expect(notes.rls).toEqual({ enabled: true, forced: false, at: { path, line: 9, endLine: 10 } })
    expect(Object.fromEntries(notes.columns.map((c) => [c.name, c.at?.line]))).toEqual({ id: 3, user_id: 4, title: 6, body: 12 })
    expect(notes.foreignKeys).toEqual([{ columns: ['user_id'], references: 'auth.users', referencedColumns: ['id'] }])
    expect(policy(catalog, 'own')).toMatchObject({ command: 'select', roles: ['public'], permissive: true, at: { path, line: 33 } })
    expect(policy(catalog, 'all one').at).toEqual({ path, line: 23, endLine: 32 })
    expect(table(catalog, 'public.two')).toMatchObject({ at: { path, line: 23 }, rls: { enabled: true, at: { path, line: 23 } } })
    expect(table(catalog, 'public.one').rls).toMatchObject({ enabled: false, at: { path, line: 35 } })
    expect(table(catalog, 'public.two').owner).toBe('postgres')
    expect(notes.grants.filter((g) => g.role === 'authenticated')).toEqual([
      { role: 'authenticated', privilege: 'insert', at: { path, line: 17 } },
      { role: 'authenticated', privilege: 'select', at: { path, line: 17 } },
    ])
    expect(notes.grants.filter((g) => g.columns)).toEqual([{ role: 'anon', privilege: 'select', columns: ['title'], at: { path, line: 15 } }])
    expect(catalog.views).toMatchObject([{ name: 'titles', securityInvoker: true, reads: ['public.notes'], at: { path, line: 14 } }])
    expect(catalog.functions.find((f) => f.name === 'count_notes')).toMatchObject({
      identity: 'count_notes()',
      securityDefiner: true,
      executableBy: ['anon', 'authenticated', 'service_role'],
      at: { path, line: 18 },
    })
    expect(catalog.buckets).toEqual([
      { name: 'avatars', public: true, at: { path, line: 20 } },
      { name: 'files', public: true, at: { path, line: 22 } },
    ])
    expect(policy(catalog, 'avatars are public')).toMatchObject({ schema: 'storage', table: 'objects', at: { path, line: 36 } })
    expect(catalog.speaksOfStorage).toBe(true)
  })
})

describe('what is missing', () => {
  test('is made up, marked, and the rest applied', async () => {
    const { catalog, gaps, statements } = await replaySql(
      migration(`
alter table bookings enable row level security;
create policy "mine" on bookings for select using (auth.uid() = guest and is_open and public.is_staff(auth.uid()));
create table reviews (id uuid primary key, booking_id uuid references bookings(id), mood feeling);
create trigger stamp before update on reviews for each row execute function stamp_it();
create policy "staff" on reviews for all to reviewer using (exists (select 1 from staff s where s.person = auth.uid() and s.level > 3));
create schema if not exists app;
create table other.things (id int);
grant select on other.things to robot;
drop policy "never was" on reviews;
comment on table nowhere is 'x';
insert into nowhere values (1);
`),
    )
    expect(Object.fromEntries(catalog.tables.map((t) => [`${t.schema}.${t.name}`, t.stub ?? false]))).toEqual({
      'other.things': false,
      'public.bookings': true,
      'public.reviews': false,
      'public.staff': true,
    })
    expect(table(catalog, 'public.bookings')).toMatchObject({ rls: { enabled: true }, at: { line: 2 } })
    expect(table(catalog, 'public.bookings').columns.map((c) => `${c.name} ${c.type}`)).toEqual(['id uuid', 'guest uuid', 'is_open boolean'])
    expect(table(catalog, 'public.staff').columns.map((c) => `${c.name} ${c.type}`)).toEqual(['id uuid', 'person uuid', 'level integer'])
    expect(policy(catalog, 'mine').dependsOnStubs).toEqual(expect.arrayContaining(['public.bookings', 'public.is_staff']))
    expect(policy(catalog, 'staff')).toMatchObject({ roles: ['reviewer'], command: 'all' })
    expect(catalog.functions.find((f) => f.name === 'is_staff')).toMatchObject({ stub: true, returns: 'boolean' })
    expect(gaps.map((g) => [g.line, g.touches])).toEqual([[12, []]])
    expect(statements).toEqual({ total: 11, applied: 8, explained: 3 })
  })

  test('columns that only the dashboard knows get the types of what they are compared with, each its own', async () => {
    const { gaps, catalog } = await replaySql(
      migration(`create table fees (id uuid primary key, company_id uuid, state text);
alter table fees enable row level security;
create policy "admins" on fees for all using (exists (select 1 from profiles p where p.id = auth.uid() and p.kind_id = 1));
create policy "members" on fees for select using (exists (select 1 from companies c where c.id = company_id and auth.uid() = any (c.staff_list)));
create policy "own" on fees for select using (exists (select 1 from profiles where id = auth.uid() and profiles.settings_text ->> 'a' = 'b'));
create table receipts (id uuid primary key, fee_id uuid references fees (id), made_by uuid references staff (id), shop_id integer references shops (id));
alter table shops add constraint level_known check (level_number in ('low', 'high'));`),
    )
    expect(gaps).toEqual([])
    const types = (name: string) => Object.fromEntries(table(catalog, name).columns.map((c) => [c.name, c.type]))
    expect(types('public.profiles')).toEqual({ id: 'uuid', kind_id: 'integer', settings_text: 'jsonb' })
    expect(types('public.companies')).toEqual({ id: 'uuid', staff_list: 'uuid[]' })
    expect([types('public.staff')['id'], types('public.shops')['id'], types('public.shops')['level_number']]).toEqual(['uuid', 'integer', 'text'])
  })

  test('two statements that want different types of a column do not take turns', async () => {
    const { gaps } = await replaySql(
      migration(`create table fees (id uuid primary key, a_number integer, a_key uuid);
create view one as select 1 as n from fees join shops s on s.ref = fees.a_key;
create policy "a" on fees for select using (exists (select 1 from shops s where s.ref = a_number and s.ref = a_key));`),
    )
    expect(gaps.map((g) => `${g.line} ${g.because}`)).toEqual(['3 failed: operator does not exist: uuid = integer'])
  })

  test('a table that cannot be created as written keeps its columns', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`create table parents (id bigint primary key);
create table children (id uuid primary key, parent_id uuid references parents (id), owner_id uuid default nowhere.f());
alter table children enable row level security;`),
    )
    expect(table(catalog, 'public.children')).toMatchObject({ at: { line: 2 }, primaryKey: ['id'], rls: { enabled: true } })
    expect(table(catalog, 'public.children').stub).toBeUndefined()
    expect(table(catalog, 'public.children').columns.map((c) => `${c.name} ${c.type}`)).toEqual(['id uuid', 'parent_id uuid', 'owner_id uuid'])
    expect(gaps).toEqual([
      {
        path: 'supabase/migrations/1_a.sql',
        line: 2,
        because: expect.stringContaining('only its columns were applied'),
        touches: [{ topic: 'table', object: 'public.children' }],
      },
    ])
  })

  test('indexes among the columns, as MySQL has them, take no table away', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`create table payouts (
  id uuid primary key,
  user_id uuid references auth.users, -- who is paid

  -- Indexes
  INDEX idx_payouts_user (user_id, created_at DESC),
  UNIQUE KEY by_id (id)
);
alter table payouts enable row level security;`),
    )
    expect(table(catalog, 'public.payouts')).toMatchObject({ at: { line: 1 }, rls: { enabled: true, at: { line: 9 } } })
    expect(table(catalog, 'public.payouts').foreignKeys).toHaveLength(1)
    expect(gaps).toEqual([{ path: 'supabase/migrations/1_a.sql', line: 1, because: expect.stringContaining('knows no INDEX'), touches: [] }])
  })

  test('what a statement without a parse tree may have changed is told by its first words', async () => {
    const { gaps } = await replaySql(
      migration(`create table jobs (id uuid primary key, email text);
create trigger told after insert on jobs for each row execute procedure tell(new.id);
alter table jobs add constraint if not exists right_address check (email like '%@%');
alter table jobs add constraint of_somebody if not exists foreign key (id) references auth.users unique;
create policy if not exists "mine" on jobs for select using (true);
insert into jobs values (gen_random_uuid(), 'x' 'y');
reindex index if exists jobs_pkey;
no words of ours;
`),
    )
    expect(gaps.map((g) => [g.line, g.touches]).sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [2, [{ topic: 'policy' }]],
      [3, []],
      [4, [{ topic: 'table' }]],
      [5, []],
      [6, []],
      [7, []],
      [8, [{ topic: 'anything' }]],
    ])
  })

  test('mistakes of one word leave the statement what it means', async () => {
    const { gaps, catalog } = await replaySql(
      migration(`\`\`\`sql
create table jobs (id uuid primary key, email text);
\`\`\`
alter table jobs enable row level security;
.
create policy "first" on jobs for select using (true);
create policy if not exists "first" on jobs for select using (false);
create policy if not exists "second" on jobs for insert with check (false);
create type if not exists mood as enum ('good');
create trigger if not exists stamp before update on jobs for each row execute function set_time();
create function set_time() returns trigger language plpgsql as \\$\\$ begin new.email = 'x'; return new; end \\$\\$;
create function one() returns int language plpgsql security definer as $
begin
  return 1;
end
$;
`),
    )
    expect(catalog.policies.map((p) => [p.name, p.using ?? p.check, p.at.line])).toEqual([
      ['first', 'true', 6],
      ['second', 'false', 8],
    ])
    expect([catalog.enums.map((e) => e.name), catalog.triggers.length]).toEqual([['mood'], 1])
    expect(catalog.functions.map((f) => [f.name, f.at.line])).toEqual([
      ['one', 12],
      ['set_time', 11],
    ])
    expect(gaps.map((g) => [g.line, g.touches])).toEqual([2, 4, 6, 7, 8, 9, 10].map((line) => [line, []]))
  })

  test('statements between which a semicolon is missing are each what they are', async () => {
    const { gaps, catalog } = await replaySql(
      migration(`create table jobs (id uuid primary key, owner uuid, at date,
  index idx_jobs_owner (owner, at desc) where owner is not null
);
create function mine(job uuid) returns boolean language sql security definer as $$
  select exists (
    select 1 from jobs where id = job
  )
$$

-- who may read them
drop policy if exists "first" on jobs
create policy "first" on jobs
for select using (mine(id))
grant select on jobs to anon;
alter table jobs
  alter column owner set not null
  drop column id;
`),
    )
    expect(catalog.policies.map((p) => [p.name, p.at.line])).toEqual([['first', 12]])
    expect(catalog.functions.map((f) => [f.name, f.at.line, f.at.endLine])).toEqual([['mine', 4, 8]])
    expect(catalog.tables[0]?.columns.map((c) => c.name)).toEqual(['id', 'owner', 'at'])
    expect(gaps.map((g) => [g.line, g.because.slice(0, 50)])).toEqual([
      [1, 'PostgreSQL cannot parse it: CREATE TABLE knows no I'.slice(0, 50)],
      [4, 'PostgreSQL cannot parse it: a semicolon is missing'],
      [15, 'PostgreSQL cannot parse it'],
    ])
  })

  test('a message at the end of a script is no rest of a body', async () => {
    const alone = await replaySql(migration("create table jobs (id uuid primary key);\nraise notice 'done';"))
    expect(alone.gaps.map((g) => [g.line, g.touches])).toEqual([[2, []]])
    const bare = await replaySql(migration("create table jobs (id uuid primary key);\nraise notice 'done';\nend;"))
    expect(bare.gaps.map((g) => [g.line, g.touches])).toEqual([[2, []]])
    const broken = await replaySql(migration("create function one() returns int language sql as $$ select 1 $$;\nraise notice 'done';\nend;"))
    expect(broken.gaps.map((g) => [g.line, g.touches])).toEqual([[2, [{ topic: 'function' }]]])
  })

  test('waits for what a later statement creates', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`
create policy "too early" on later for select using (owner_of(id) = auth.uid());
create table later (id uuid primary key);
create function owner_of(x uuid) returns uuid language sql as $$ select x $$;
alter table later enable row level security;
create policy "column" on later for delete using (author = auth.uid());
alter table later add column author uuid;
`),
    )
    expect(gaps).toEqual([])
    expect(table(catalog, 'public.later').stub).toBeUndefined()
    expect(catalog.policies.map((p) => [p.name, p.at.line, p.dependsOnStubs])).toEqual([
      ['column', 6, undefined],
      ['too early', 2, undefined],
    ])
  })

  test('but not past a view of the same name that was made meanwhile', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`
create table hotels (id uuid primary key, status text);
create view shown as select h.id, h.status from hotels h join reviews r on r.hotel_id = h.id where h.status = 'approved';
create view taken_back as select r.id from reviews r;
drop view if exists shown, taken_back;
create view shown as select h.id, h.status from hotels h;
create table reviews (id uuid primary key, hotel_id uuid references hotels (id));
`),
    )
    expect(gaps).toEqual([])
    expect(catalog.views).toMatchObject([{ name: 'shown', reads: ['public.hotels'], at: { line: 6 } }])
  })
})

describe('as the platform does it', () => {
  test('statements that repeat, fail or are refused', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`
begin;
create table a (id uuid primary key default uuid_generate_v4(), n int check (n > 0));
create table if not exists a (id int);
set local search_path = extensions;
commit;
create table a (id int);
alter table a add column n int, add column m int;
create policy p on a for select using (true);
create policy p on a for select using (true);
create policy p on a for select using (false);
create extension if not exists vector;
create extension if not exists "pg_cron" with schema extensions;
create extension postgis;
create table b (e vector(3), g geography(point, 4326));
select cron.schedule('x', '* * * * *', 'select 1');
alter table auth.users enable row level security;
create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();
create function public.handle_new_user() returns trigger language plpgsql security definer as $$ begin return new; end $$;
alter publication supabase_realtime add table a;
set role anon;
create table c (id int);
reset role;
set session_replication_role = replica;
create table d (id int);
do $$ begin create policy q on a for insert with check (true); exception when duplicate_object then null; end $$;
do $$ begin create policy q on a for insert with check (true); exception when duplicate_object then null; end $$;
insert into a (n) values (-1);
revoke execute on function public.handle_new_user() from public, anon, authenticated;
alter default privileges in schema public revoke all on tables from anon;
create table e (id int);
`),
    )
    expect(tableNames({ catalog } as never)).toEqual(['public.a', 'public.b', 'public.d', 'public.e', 'public.spatial_ref_sys'])
    expect(table(catalog, 'public.a').columns.map((c) => c.name)).toEqual(['id', 'n', 'm'])
    expect(gaps.map((g) => [g.line, g.touches])).toEqual([
      [11, [{ topic: 'policy', object: 'public.a', command: 'select' }]],
      [22, []],
      [28, []],
    ])
    expect(catalog.triggers).toMatchObject([{ table: 'auth.users', timing: 'after', events: ['insert'], perRow: true }])
    expect(catalog.functions.find((f) => f.name === 'handle_new_user')?.executableBy).toEqual(['service_role'])
    expect(table(catalog, 'public.e').grants.some((g) => g.role === 'anon')).toBe(false)
    expect(table(catalog, 'public.d').grants.some((g) => g.role === 'anon')).toBe(true)
  })

  test('an extension made by a file leaves its search path alone', async () => {
    const { catalog, gaps } = await replaySql(
      migration(
        'create extension if not exists "uuid-ossp";\ncreate table a (id uuid primary key default uuid_generate_v4(), n int);\ninsert into a (n) values (1);',
      ),
    )
    expect(gaps).toEqual([])
    expect(table(catalog, 'public.a').columns[0]?.default).toBe('extensions.uuid_generate_v4()')
  })

  test('every extension that is bundled can be made and moved', async () => {
    const made = [...REAL_EXTENSIONS].map((name) => `create extension if not exists "${name}" cascade;`)
    const moved = ['alter extension vector set schema extensions;', 'create table a (id int, e extensions.vector(3), at timestamptz);']
    const { catalog, gaps } = await replaySql(
      migration([...made, ...moved, 'create trigger t before update on a for each row execute function moddatetime(at);'].join('\n')),
    )
    expect(gaps).toEqual([])
    expect(table(catalog, 'public.a').columns[1]?.type).toBe('extensions.vector(3)')
    expect(catalog.triggers).toMatchObject([{ table: 'public.a' }])
  })

  test('what a block makes beside an extension that the engine lacks is there', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`
do $$ begin
  if not exists (select 1 from pg_extension where extname = 'pg_cron') then
    create extension pg_cron;
  end if;
  create table a (id int);
end $$;
create extension if not exists pg_net;
alter extension pg_net set schema extensions;
alter extension pg_cron set schema extensions;
`),
    )
    expect(gaps).toEqual([])
    expect(tableNames({ catalog } as never)).toEqual(['public.a'])
  })

  test('tables of a project that does not expose new ones are closed', async () => {
    const { catalog } = await replaySql(migration('create table a (id int); grant select on a to anon;'), {}, { autoExpose: false })
    expect(table(catalog, 'public.a').grants).toEqual([{ role: 'anon', privilege: 'select', at: { path: 'supabase/migrations/1_a.sql', line: 1 } }])
  })
})

describe('what the platform allows beyond ownership', () => {
  test('policies on storage from a DO block, and event triggers', async () => {
    const { catalog, gaps } = await replaySql(
      migration(`
do $$ begin
  execute 'create policy "by DO" on storage.objects for select using (bucket_id = ''a'')';
  execute 'alter table storage.objects disable row level security';
end $$;
create policy "again" on storage.objects for insert with check (false);
create policy "again" on storage.objects for insert with check (false);
create function public.secure_it() returns event_trigger language plpgsql as $$
declare c record;
begin
  for c in select * from pg_event_trigger_ddl_commands() where command_tag = 'CREATE TABLE' loop
    execute format('alter table %s enable row level security', c.object_identity);
  end loop;
end $$;
create event trigger secure_all on ddl_command_end when tag in ('CREATE TABLE') execute function public.secure_it();
create table public.secured (id int);
drop event trigger secure_all;
create table public.open (id int);
`),
    )
    expect(gaps).toEqual([])
    expect(catalog.policies.map((p) => [p.name, p.at.line])).toEqual([
      ['again', 6],
      ['by DO', 2],
    ])
    expect(catalog.tables.map((t) => [t.name, t.rls.enabled, t.rls.at?.line])).toEqual([
      ['open', false, undefined],
      ['secured', true, 16],
    ])
  })

  test('databases that repeat a name are replayed apart', async () => {
    const file = (path: string, database: string, text: string) => ({ path, text, role: 'migration' as const, database })
    const { catalog, gaps, order } = await replaySql(
      {},
      {},
      {
        files: [
          file('apps/a/supabase/migrations/1_a.sql', 'apps/a/supabase/', 'create table users_a (id int); create table shared (id int);'),
          file('apps/a/supabase/migrations/2_a.sql', 'apps/a/supabase/', 'alter table shared enable row level security;'),
          file('apps/b/supabase/migrations/1_b.sql', 'apps/b/supabase/', 'create table shared (id int, x text); create table users_b (id int);'),
        ],
      },
    )
    expect(catalog.tables.map((t) => [t.name, t.columns.length, t.rls.enabled])).toEqual([
      // the open one is shown
      ['shared', 2, false],
      ['users_a', 1, false],
      ['users_b', 1, false],
    ])
    expect(gaps).toEqual([
      {
        path: 'apps/b/supabase/migrations/1_b.sql',
        line: 1,
        because: expect.stringContaining('another database'),
        touches: [],
      },
    ])
    expect(order).toHaveLength(3)
  })
})

describe('loose files', () => {
  test('come where they work, and repeat nothing', async () => {
    const result = await replaySql({
      'database/b_policies.sql': 'create policy "p" on posts for select using (exists (select 1 from authors where id = author));',
      'database/a_posts.sql': 'create table posts (id int primary key, author int references authors);',
      'database/z_authors.sql': 'create table authors (id int primary key);',
      'schema.sql': 'create table profiles (id uuid primary key);\ncreate policy "stale" on profiles using (true);',
      'base.sql': 'create table tenants (id uuid primary key);',
      'supabase/migrations/1_a.sql': 'create table profiles (id uuid primary key);\nalter table tenants enable row level security;',
    })
    expect(result.order).toEqual(
      ['base.sql', 'supabase/migrations/1_a.sql', 'database/z_authors.sql', 'database/a_posts.sql', 'database/b_policies.sql', 'schema.sql'].filter(
        (p) => p !== 'schema.sql',
      ),
    )
    expect(result.catalog.policies.map((p) => p.name)).toEqual(['p'])
    expect(table(result.catalog, 'public.profiles').at).toEqual({ path: 'supabase/migrations/1_a.sql', line: 1 })
    expect(result.gaps).toEqual([{ path: 'schema.sql', because: '2 statements would repeat what the migrations create and were left out', touches: [] }])
  })

  test('go by their numbers, whatever words come after them', async () => {
    const result = await replaySql({
      'scripts/1_tables.sql': 'create table profiles (id uuid primary key, name text, email text);',
      'scripts/2_fix_grants.sql': 'grant select on profiles to anon;',
      'scripts/10_revoke_columns.sql': 'revoke select on profiles from anon;\ngrant select (id, name) on profiles to anon;',
      'scripts/add_index.sql': 'create index on profiles (name);',
    })
    expect(result.order).toEqual(['scripts/1_tables.sql', 'scripts/2_fix_grants.sql', 'scripts/10_revoke_columns.sql', 'scripts/add_index.sql'])
    const select = table(result.catalog, 'public.profiles').grants.filter((g) => g.role === 'anon' && g.privilege === 'select')
    expect(select.map((g) => g.columns)).toEqual([['id', 'name']])
  })

  test('that are written again under the same name with a number come after the first', async () => {
    const grants = (role: string) => `revoke all on totals from anon, authenticated;\ngrant select on totals to ${role};`
    const result = await replaySql({
      'scripts/1_tables.sql': 'create table people (id uuid primary key);\ncreate view totals as select count(*) as n from people;',
      'scripts/fix-warnings.sql': grants('anon, authenticated'),
      'scripts/fix-warnings-v2.sql': grants('authenticated'),
      'scripts/fix-warnings-v10.sql': grants('service_role'),
    })
    expect(result.order).toEqual(['scripts/1_tables.sql', 'scripts/fix-warnings.sql', 'scripts/fix-warnings-v2.sql', 'scripts/fix-warnings-v10.sql'])
  })

  test('that drop every policy there is were run before the tables that they pass over', async () => {
    const wipe =
      "do $$ declare r record; begin for r in (select tablename, policyname from pg_policies where schemaname = 'public') loop\n  execute 'drop policy ' || quote_ident(r.policyname) || ' on ' || quote_ident(r.tablename); end loop; end $$;"
    const own = (name: string) =>
      `create table if not exists ${name} (id uuid primary key, user_id uuid);\nalter table ${name} enable row level security;\ncreate policy "${name}" on ${name} using (user_id = auth.uid());`
    const later = { 'scripts/02_notes.sql': own('notes'), 'scripts/03_files.sql': own('files'), 'scripts/04_plans.sql': own('plans') }
    const first = { 'scripts/01_users.sql': own('people') }
    const start = await replaySql({ ...first, ...later, 'scripts/complete-setup-v2.sql': `${wipe}\n${own('people').replace('"people"', '"again"')}` })
    expect(start.order).toEqual(['scripts/01_users.sql', 'scripts/complete-setup-v2.sql', ...Object.keys(later)])
    expect(start.catalog.policies.map((p) => p.name).sort()).toEqual(['again', 'files', 'notes', 'plans'])
    // a repair that gives policies to what it opens runs last
    const all = ['people', 'notes', 'files', 'plans'].map((name) => `create policy "${name} mended" on ${name} using (user_id = auth.uid());`)
    const repair = await replaySql({ ...first, ...later, 'scripts/policies.sql': [wipe, ...all].join('\n') })
    expect(repair.order?.at(-1)).toBe('scripts/policies.sql')
    expect(repair.catalog.policies).toHaveLength(4)
  })

  test('come after those whose policies they take away', async () => {
    const result = await replaySql({
      'schema.sql': 'create table groups (id uuid primary key, owner uuid);\nalter table groups enable row level security;',
      // made anew by both, so its name says nothing of which was first
      'fix_access.sql':
        'drop policy if exists "open" on groups;\ndrop policy if exists "own" on groups;\ncreate policy "own" on groups using (owner = auth.uid());',
      'fix_owner.sql': 'drop policy if exists "own" on groups;\ncreate policy "own" on groups using (true);',
      'fix_recursion.sql': 'create policy "open" on groups using (true);',
    })
    expect(result.order).toEqual(['schema.sql', 'fix_owner.sql', 'fix_recursion.sql', 'fix_access.sql'])
    expect(result.catalog.policies.map((p) => p.name)).toEqual(['own'])
  })

  test('wait for the first that creates what they need, not for all that would', async () => {
    const result = await replaySql({
      'setup.sql': 'create table if not exists categories (id int primary key);',
      'schema_items.sql': 'create table items (id int primary key, category int references categories);\nalter table items enable row level security;',
      'fix_all.sql': 'create policy "old" on items using (true);',
      'fix_items.sql': 'drop policy "old" on items;',
      'repair_schema.sql': 'create table if not exists categories (id int primary key, name text);',
    })
    expect(result.order).toEqual(['setup.sql', 'schema_items.sql', 'fix_all.sql', 'fix_items.sql', 'repair_schema.sql'])
    expect(result.catalog.policies).toEqual([])
  })

  test('that reset the database take nothing away', async () => {
    const result = await replaySql({
      'supabase/migrations/1_a.sql':
        'create table notes (id int primary key, owner uuid);\nalter table notes enable row level security;\ncreate policy "own" on notes using (auth.uid() = owner);',
      'reset.sql': `do $$ declare p record; begin
  for p in select policyname, tablename from pg_policies where schemaname = 'public' loop
    execute format('drop policy if exists %I on public.%I', p.policyname, p.tablename);
  end loop; end $$;
drop table if exists notes cascade;
create table notes (id int primary key, owner uuid);
create table extra (id int primary key);`,
      'scripts/down.sql': 'drop table notes cascade;\ndrop schema public cascade;',
    })
    expect(result.catalog.tables.filter((t) => t.schema === 'public').map((t) => [t.name, t.rls.enabled])).toEqual([
      ['extra', false],
      ['notes', true],
    ])
    expect(result.catalog.policies.map((p) => p.name)).toEqual(['own'])
    expect(result.gaps.map((g) => `${g.path}: ${g.because}`).sort()).toEqual([
      'reset.sql: 1 statement would repeat what the migrations create and was left out',
      'reset.sql: 2 statements would take down what the migrations create and were left out',
      'scripts/down.sql: 2 statements would take down what the migrations create and were left out',
    ])
  })
})

describe('loose files beside migrations', () => {
  const fn = (args: string, body: string) => `create or replace function public.book(${args}) returns text language sql as $$ select '${body}' $$;`
  const schema = `create type user_role as enum ('admin', 'customer');
create table people (id uuid primary key, role user_role);
create table seats (id uuid primary key, owner uuid);
alter table people enable row level security;
alter table seats enable row level security;
create policy "read" on people for select to authenticated using (true);
create policy "own" on seats using (owner = auth.uid());
${fn('a uuid', 'first')}
${fn('a uuid, b text', 'second')}
drop function public.book(uuid);`
  const wipe = `do $$ declare r record; begin
  for r in (select tablename, policyname from pg_policies where schemaname = 'public') loop
    execute 'drop policy ' || quote_ident(r.policyname) || ' on ' || quote_ident(r.tablename);
  end loop; end $$;`
  const overloads = `do $$ declare r record; begin
  for r in (select oid::regprocedure as f from pg_proc where proname = 'book') loop execute 'drop function ' || r.f; end loop; end $$;`
  const migrations = { 'supabase/migrations/20260101000000_a.sql': schema }
  const made = (result: DatabaseResult) => ({
    columns: table(result.catalog, 'public.people').columns.map((c) => c.name),
    policies: result.catalog.policies.map((p) => p.name).sort(),
    functions: result.catalog.functions.filter((f) => f.name === 'book').map((f) => `${f.args.length} ${/'(\w+)'/.exec(f.body)?.[1]}`),
  })

  test('take away nothing that the migrations made, and bring no earlier copy back', async () => {
    const result = await replaySql({
      ...migrations,
      'database/anew.sql': `${wipe}\ndrop type if exists public.user_role cascade;`,
      'database/book.sql': `${overloads}\n${fn('a uuid', 'stale')}\n${fn('a uuid, b text', 'stale')}\n${fn('a uuid, b text, c int', 'own')}`,
    })
    expect(made(result)).toEqual({ columns: ['id', 'role'], policies: ['own', 'read'], functions: ['2 second', '3 own'] })
    expect(result.gaps.map((g) => `${g.path}: ${g.because}`).sort()).toEqual([
      'database/anew.sql: 2 statements would undo what the migrations make, or put an earlier copy in its place, and were left out',
      'database/book.sql: 3 statements would undo what the migrations make, or put an earlier copy in its place, and were left out',
    ])
  })

  test('also where a block makes the type unless it is there', async () => {
    const inBlock = schema.replace(
      /create type [^;]+;/,
      (text) => `do $$ begin ${text.replace('create type ', 'create type public.')} exception when duplicate_object then null; end $$;`,
    )
    expect(inBlock).not.toBe(schema)
    const result = await replaySql({ 'supabase/migrations/20260101000000_a.sql': inBlock, 'supabase/RESET.sql': 'drop type if exists user_role cascade;' })
    expect(made(result).columns).toEqual(['id', 'role'])
  })

  test('count where their name dates them after the migrations, or they mend a function or give the policies that they drop', async () => {
    const later = await replaySql({ ...migrations, 'database/20260301_book.sql': fn('a uuid, b text', 'newer') })
    expect(made(later).functions).toEqual(['2 newer'])
    const repair = await replaySql({
      ...migrations,
      'database/fix_book.sql': fn('a uuid, b text', 'mended'),
      'database/policies.sql': `${wipe}\ncreate policy "mine" on people using (id = auth.uid());\ncreate policy "again" on seats using (owner = auth.uid());`,
    })
    expect(made(repair)).toMatchObject({ policies: ['again', 'mine'], functions: ['2 mended'] })
  })

  test('of two policies of one name that nothing dates the open one is kept, and what a migration says counts', async () => {
    const logs = 'create table if not exists logs (id uuid primary key, owner uuid);\nalter table logs enable row level security;\n'
    const closed = 'create policy "see" on logs for select using (owner = auth.uid());'
    const open = 'create policy "see" on logs for select using (true);'
    const conditions = (result: DatabaseResult) => result.catalog.policies.map((p) => p.using)
    const loose = await replaySql({ 'a_admin.sql': logs + closed, 'b_logs.sql': logs + open })
    expect(conditions(loose)).toEqual(['true'])
    expect(loose.gaps.map((g) => g.because)).toEqual([
      'policy "see" exists already with another definition; that of a_admin.sql lets in fewer, and which of the two scripts ran is not known',
    ])
    expect(conditions(await replaySql({ 'a_admin.sql': logs + open, 'b_logs.sql': logs + closed }))).toEqual(['true'])
    expect(conditions(await replaySql({ ...migration(logs + closed), 'policies.sql': open }))).toEqual(['(owner = auth.uid())'])
    expect(conditions(await replaySql({ 'base.sql': logs + open, ...migration(`alter table logs add column note text;\n${closed}`) }))).toEqual([
      '(owner = auth.uid())',
    ])
  })
})

describe('a schema that is dropped and made again', () => {
  const table = 'create table notes (id uuid primary key, owner uuid);\n'
  const anew = 'drop schema public cascade;\ncreate schema public;\n'
  const usage = 'grant usage on schema public to anon, authenticated;\n'
  const rolesOf = (result: DatabaseResult) => [...new Set(result.catalog.tables.flatMap((t) => t.grants.map((g) => g.role)))].sort()

  test('has lost what the platform gave there, default privileges too, unless the SQL gives it again', async () => {
    const closed = await replaySql(migration(`create table old (id int);\n${anew}${usage}${table}`))
    expect(tableNames(closed)).toEqual(['public.notes'])
    expect(rolesOf(closed)).toEqual([])
    expect(closed.gaps).toEqual([
      {
        path: 'supabase/migrations/1_a.sql',
        line: 2,
        because:
          'with the schema public it drops what the platform gives anon and authenticated there, and no statement gives it again: whether the dashboard did is not seen',
        touches: [{ topic: 'grant' }, { topic: 'rls' }],
      },
    ])
    const again = await replaySql(
      migration(`${anew}${usage}alter default privileges in schema public grant select on tables to anon;\n${table}create table more (id int);`),
    )
    expect([rolesOf(again), again.gaps]).toEqual([['anon'], []])
  })

  test('at the head of the only script that builds it: that one comes first, whatever it is called; several, or beside migrations, take nothing away', async () => {
    const build = `begin;\n${anew}${usage}${table}grant select on notes to authenticated;\n`
    const alone = await replaySql({ 'a_more.sql': 'create table more (id int);', 'tables.sql': build })
    expect([alone.order, tableNames(alone), rolesOf(alone), alone.gaps]).toEqual([
      ['tables.sql', 'a_more.sql'],
      ['public.more', 'public.notes'],
      ['authenticated'],
      [],
    ])
    const two = await replaySql({ 'old/tables.sql': `${anew}create table former (id int);`, 'tables.sql': build })
    expect(tableNames(two)).toEqual(['public.former', 'public.notes'])
    expect(two.gaps.map((g) => g.because)).toEqual(Array(2).fill('1 statement would take down what other files create and was left out'))
    const beside = await replaySql({ ...migration('create table posts (id int);'), 'tables.sql': build })
    expect(tableNames(beside)).toEqual(['public.notes', 'public.posts'])
    expect(rolesOf(beside)).toEqual(['anon', 'authenticated', 'service_role'])
  })
})

describe('rows of tables that only the dashboard created', () => {
  test('a function that returns them before anything else speaks of the table makes the table, not a type', async () => {
    const result = await replaySql(
      migration(`create function public.events_of(p_user uuid) returns setof events language sql security definer set search_path = public as $$
  select * from events where user_id = p_user $$;
create policy "own" on events for delete using (auth.uid() = user_id and created_by_type is null);
create policy "team" on events for update using (created_by_name in (select m.name from members m where m.owner_id = events.user_id));`),
    )
    const { catalog, gaps } = result
    expect(gaps).toEqual([])
    expect(tableNames(result)).toEqual(expect.arrayContaining(['public.events', 'public.members']))
    expect(table(catalog, 'public.events').stub).toBe(true)
    expect(catalog.policies.map((p) => p.name).sort()).toEqual(['own', 'team'])
    expect(catalog.functions.map((f) => f.name)).toContain('events_of')
  })

  test('a type of an argument that only the dashboard knows is made up as well', async () => {
    const result = await replaySql(
      migration(`create function public.has_admin_role(user_id uuid, required admin_role) returns boolean language sql stable security definer as $$
  select exists (select 1 from public.admin_users a where a.user_id = $1 and a.role = required) $$;
create function public.may(kinds staff_kind[]) returns boolean language sql as $$ select true $$;`),
    )
    expect(result.gaps).toEqual([])
    expect(result.catalog.functions.map((f) => f.name)).toEqual(expect.arrayContaining(['has_admin_role', 'may']))
  })

  test('a type of its own stays one, and a table of the same name that cannot be made is told', async () => {
    const result = await replaySql(
      migration(`create type mood as enum ('glad', 'sad');
create function public.moods() returns setof mood language sql as $$ select unnest(enum_range(null::mood)) $$;
create policy "read" on mood for select using (true);
create table public.letters (id uuid primary key, user_id uuid references auth.users);`),
    )
    expect(result.statements).toEqual({ total: 4, applied: 3, explained: 1 })
    expect(tableNames(result)).toContain('public.letters')
  })
})

test('a row whose key is a date is found again by the date that was stored', async () => {
  const { access } = await replaySql(
    migration(
      'create table public.daily (day date primary key, visits int);\ncreate table public.hourly (at timestamptz primary key, visits int);\nalter table public.daily enable row level security;\nalter table public.hourly enable row level security;\ncreate policy "all" on public.hourly for select using (true);',
    ),
  )
  const allowed = access.objects.flatMap((o) => o.cells.filter((c) => c.result === 'allowed').map((c) => `${o.object} ${c.role} ${c.command} ${c.row}`))
  expect(allowed).toEqual(['public.hourly anon select other', 'public.hourly A select own', 'public.hourly A select other'])
})
