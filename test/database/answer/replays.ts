import type { ToldResult } from '../../../src/database/answer/outcome.ts'
import type { DatabaseResult, ReplayInput, SqlFile } from '../../../src/database/database.ts'
import { testDatabase } from '../../support/database.ts'
import { type Told, wire } from './listening.ts'

/** Replays files in the real sandbox; `as` changes what its process answers. */
export async function replayed(
  files: Readonly<Record<string, string>>,
  as: (told: ToldResult) => unknown = (told) => told,
): Promise<Told & { readonly result: DatabaseResult }> {
  wire.forge = as
  const input: ReplayInput = {
    files: Object.entries(files).map(([path, text]): SqlFile => ({ path, text, role: path.includes('/migrations/') ? 'migration' : 'loose' })),
    exposedSchemas: ['public'],
    exposedToBrowsers: true,
  }
  const result = await testDatabase().replay(input)
  return { ...(wire.heard.at(-1) as Told), result }
}

/** Small applications that make tables, policies, functions, views and privileges in many ways. */
export const APPLICATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tables with and without row level security': {
    'supabase/migrations/1_tables.sql': `create table public.cards (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, pan text not null);
create table notes (id uuid primary key, user_id uuid references auth.users, body text);
alter table notes enable row level security;
create policy "Own notes of a user whose name is longer than what a name may have in bytes" on notes for select to authenticated using ((select auth.uid()) = user_id);
create policy "open" on notes for update using (true) with check (true);
create table "Plans" (id int primary key, price int);
grant select on "Plans" to anon;
`,
  },
  'functions and views': {
    'supabase/migrations/1_a.sql': `create table public.accounts (id uuid primary key references auth.users, email text, plan text);
alter table public.accounts enable row level security;
create function public.all_accounts() returns setof public.accounts language sql security definer set search_path = '' as $$ select * from public.accounts $$;
create or replace function public.touch() returns trigger language plpgsql as $body$
begin
  new.plan := 'free'; -- no SECURITY DEFINER here; drop nothing
  return new;
end $body$;
create trigger touch before insert on public.accounts for each row execute function public.touch();
create view public.emails as select id, email from public.accounts;
create policy "files" on storage.objects for select using (bucket_id = 'a');
create view public.own with (security_invoker = true) as select id from public.accounts;
`,
  },
  'what is dropped, renamed and made again': {
    'supabase/migrations/1_a.sql': `create table a (id int primary key, user_id uuid);
create table old_name (id int primary key, user_id uuid references auth.users);
alter table old_name enable row level security;
create policy p on old_name using (true);
create view v as select id from a;
create function f() returns int language sql as 'select 1';`,
    'supabase/migrations/2_b.sql': `alter table old_name rename to new_name;
alter policy p on new_name rename to q;
drop table a cascade;
drop function if exists f();
drop policy if exists q on new_name;
create policy q on new_name for delete to authenticated using (user_id = auth.uid());
create table if not exists new_name (id int);
`,
  },
  'blocks that do what they are not read for': {
    'supabase/migrations/1_a.sql': `create table t1 (id int, user_id uuid);
create table t2 (id int, user_id uuid);
create table gone (id int);
do $$ declare t text; begin
  foreach t in array array['t1', 't2'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy "own" on %I for select using (auth.uid() = user_id)', t);
  end loop;
  execute 'drop table ' || 'gone';
end $$;`,
  },
  'what the dashboard made, a squashed copy and what PostgreSQL refuses': {
    'supabase/migrations/1_a.sql': `create table posts (id uuid primary key, author uuid);
alter table posts enable row level security;
create policy "read" on posts for select using (true);
create policy "made in the dashboard" on profiles for select using (auth.uid() = id);
create table broken (id int, ,);
alter table posts add column title text;`,
    'schema.sql': `create table posts (id uuid primary key, author uuid);
create table extra (id int primary key);
create policy "read" on posts for select using (true);`,
  },
  'privileges that are given and taken': {
    'supabase/migrations/1_a.sql': `revoke all on all tables in schema public from anon;
create table prices (id int primary key, price int);
create table costs (id int primary key, price int);
revoke all on costs from anon, authenticated;
grant select on prices to anon;
grant select (id) on costs to anon;`,
    'supabase/migrations/2_b.sql': 'create table later (id int primary key);',
  },
}
