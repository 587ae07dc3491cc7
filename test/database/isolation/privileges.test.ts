import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatabaseResult } from '../../../src/database/database.ts'
import { Engine } from '../../../src/database/sandbox/engine.ts'
import type { Answer } from '../../../src/database/sandbox/protocol.ts'
import { loadParser, type Parser } from '../../../src/database/sandbox/statements/parser.ts'
import { now } from '../../../src/database/sandbox/stopwatch.ts'
import { buildTemplate } from '../../../src/database/sandbox/template.ts'
import { run } from '../../../src/database/sandbox/worker.ts'
import { replaySql } from '../replay-sql.ts'

/**
 * No statement of a repository gets the rights of the superuser or of the auditor's administration. The engine runs here without its process, flags and
 * namespaces: this is what PostgreSQL itself refuses. Sequences keep count, because they outlast transactions that are undone.
 */
let template: Uint8Array
let parser: Parser

beforeAll(async () => {
  template = await buildTemplate()
  parser = await loadParser()
})

const open: Engine[] = []
afterAll(async () => {
  for (const engine of open) await engine.close()
})

/** Counts how often it ran, and how often with somebody's rights who is more than the owner of the schema; tries to become more. */
const ATTACK = `
create sequence public.ran; create sequence public.risen;
grant all on sequence public.ran, public.risen to public;
create function public.attack() returns void language plpgsql as $f$
declare tries text[] := array['set session authorization supabase_admin', 'reset session authorization', 'set role supabase_admin', 'set role none', 'alter role postgres superuser',
  'grant supabase_admin to postgres', 'grant supabase_storage_admin to postgres', 'set event_triggers = off', 'load ''/tmp/x''', 'alter event trigger watch disable',
  'copy (select 1) to ''/tmp/x''', 'create function public.c() returns int language c as ''/tmp/x'', ''c''', 'update pg_catalog.pg_authid set rolsuper = true', 'alter system set work_mem = ''5MB'''];
  t text;
begin
  perform nextval('public.ran');
  foreach t in array tries loop
    begin
      execute t;
    exception when others then null;
    end;
    if exists (select from pg_catalog.pg_roles where rolname in (current_user, session_user) and rolsuper) then perform nextval('public.risen'); end if;
  end loop;
  begin perform set_config('session_authorization', 'supabase_admin', false); perform set_config('role', 'supabase_admin', true); exception when others then null; end;
  begin perform lo_export(lo_from_bytea(0, '\\x00'), '/tmp/x'); perform nextval('public.risen'); exception when others then null; end;
  begin perform pg_read_file('PG_VERSION'); perform nextval('public.risen'); exception when others then null; end;
  if exists (select from pg_catalog.pg_roles where rolname in (current_user, session_user) and rolsuper) then perform nextval('public.risen'); end if;
end $f$;
create function public.says_yes(v text) returns boolean language plpgsql as $f$ begin perform public.attack(); return true; end $f$;
create function public.gives(v text) returns text language plpgsql as $f$ begin perform public.attack(); return v; end $f$;
create function public.gives_immutable(v text) returns text language plpgsql immutable as $f$ begin perform public.attack(); return v; end $f$;
`
const TABLE = `
create table public.cards (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, pan text not null);
`

/** Ways by which the engine runs code of a repository, in the replay, while rows are made, and in trials. */
const DOORS: readonly (readonly [name: string, sql: string])[] = [
  ['a block', 'do $$ begin perform public.attack(); end $$;'],
  ['a function that is called', 'select public.attack();'],
  [
    'a function with a setting of its own',
    "create function public.f() returns void language sql set session_authorization to default as 'select public.attack()'; select public.f();",
  ],
  ['a procedure that commits', 'create procedure public.p() language plpgsql as $$ begin commit; perform public.attack(); commit; end $$; call public.p();'],
  [
    'a function with the rights of its owner',
    'create function public.d() returns void language plpgsql security definer as $$ begin perform public.attack(); end $$; select public.d();',
  ],
  ['a CHECK constraint', 'alter table public.cards add constraint c check (public.says_yes(pan));'],
  ['a default', "alter table public.cards add column tag text not null default public.gives('x');"],
  ['a generated column', 'alter table public.cards add column tag text generated always as (public.gives_immutable(pan)) stored;'],
  ['an index expression', 'create index on public.cards (public.gives_immutable(pan));'],
  ['an index predicate', 'create index on public.cards (id) where public.gives_immutable(pan) is not null;'],
  ['a domain', 'create domain public.checked as text check (public.says_yes(value)); alter table public.cards alter column pan type public.checked;'],
  [
    'a trigger that is always enabled',
    'create function public.t() returns trigger language plpgsql as $$ begin perform public.attack(); return new; end $$; create trigger t before insert or update on public.cards for each row execute function public.t(); alter table public.cards enable always trigger t;',
  ],
  [
    'a trigger at sign-up',
    "create function public.t() returns trigger language plpgsql security definer as $$ begin perform public.attack(); insert into public.cards (user_id, pan) values (new.id, new.raw_user_meta_data ->> 'tenant'); return new; end $$; create trigger t after insert on auth.users for each row execute function public.t(); insert into auth.users (id) values (gen_random_uuid());",
  ],
  [
    'a policy',
    'alter table public.cards enable row level security; create policy p on public.cards for all using (public.says_yes(pan)) with check (public.says_yes(pan));',
  ],
  [
    'a policy on files whose text is read',
    "create domain public.checked as text check (public.says_yes(value)); create type public.pair as (a public.checked); create policy p on storage.objects for select using (bucket_id = ('{x}'::public.checked[])[1] or name = (('(x)'::public.pair).a)::text);",
  ],
  [
    'a cast',
    "create type public.label as (v text); create function public.to_label(text) returns public.label language plpgsql as $$ begin perform public.attack(); return row($1)::public.label; end $$; create cast (text as public.label) with function public.to_label(text) as assignment; alter table public.cards add column l public.label default 'x'::text;",
  ],
  [
    'an operator',
    'create operator public.=== (leftarg = text, rightarg = text, function = public.same); alter table public.cards add constraint c check (pan === pan);',
  ],
  [
    'an operator that shadows one of the platform',
    'create function public.oid_is(oid, integer) returns boolean language plpgsql as $$ begin perform public.attack(); return true; end $$; create operator public.= (leftarg = oid, rightarg = integer, function = public.oid_is); create operator public.>= (leftarg = oid, rightarg = integer, function = public.oid_is); select oid = 1 from pg_catalog.pg_class limit 1; set search_path = public, pg_catalog;',
  ],
  [
    'an event trigger',
    'create function public.on_ddl() returns event_trigger language plpgsql as $$ begin perform public.attack(); end $$; create event trigger watch on ddl_command_end execute function public.on_ddl(); create policy p on storage.objects for select using (false); create extension if not exists citext; create role somebody; alter table public.cards add column later int;',
  ],
  [
    'an event trigger with a name of ours',
    'create function public.on_ddl() returns event_trigger language plpgsql as $$ begin perform public.attack(); end $$; create event trigger prelaunch_x on ddl_command_end execute function public.on_ddl(); alter event trigger prelaunch_x enable always; create policy p on storage.objects for select using (false); alter table public.cards add column later int;',
  ],
  ['a view that is refreshed', 'create materialized view public.seen as select public.gives(pan) as pan from public.cards;'],
  ['a view that is looked at', "create view public.seen as select public.gives(coalesce(max(pan), 'x')) as pan from public.cards;"],
  [
    'a function that a browser may call',
    'create function public.mine(v text) returns setof public.cards language plpgsql security definer as $$ begin perform public.attack(); return query select * from public.cards; end $$;',
  ],
  [
    'an aggregate',
    "create function public.step(text, text) returns text language plpgsql as $$ begin perform public.attack(); return $1; end $$; create aggregate public.gather(text) (sfunc = public.step, stype = text, initcond = ''); select public.gather('x');",
  ],
  [
    'a rule',
    "create rule r as on insert to public.cards do also select public.attack(); insert into auth.users (id) values ('00000000-0000-4000-8000-000000000001'); insert into public.cards (user_id, pan) values ('00000000-0000-4000-8000-000000000001', 'x');",
  ],
  [
    'statistics',
    "create statistics public.s on (public.gives_immutable(pan)), pan from public.cards; insert into auth.users (id) values ('00000000-0000-4000-8000-000000000001'); insert into public.cards (user_id, pan) values ('00000000-0000-4000-8000-000000000001', 'x'); analyze public.cards;",
  ],
]
const SAME = 'create function public.same(text, text) returns boolean language plpgsql as $f$ begin perform public.attack(); return true; end $f$;'

interface Tried {
  readonly result: DatabaseResult
  readonly engine: Engine
  readonly ran: number
  readonly risen: number
}

/** Replays SQL with all its trials in an engine of its own. */
async function replay(sql: string): Promise<Tried> {
  const engine = await Engine.start(Uint8Array.from(template))
  open.push(engine)
  let result: DatabaseResult | undefined
  const post = (answer: Answer) => {
    if (answer.type === 'result' || answer.type === 'replayed') result = answer.result
  }
  const files = [{ path: 'supabase/migrations/1_a.sql', text: sql, role: 'migration' as const }]
  const input = { files, exposedSchemas: ['public'], exposedToBrowsers: true }
  const job = { input, budgetMs: 60_000, started: now(), skip: [], hintsFollow: false }
  await run(job, Promise.resolve([]), engine, parser, post).catch((error: Error) => {
    // who changes rights while rows are made ends the run; the supervisor goes on without those rows
    if (error.name !== 'Tampered') throw error
  })
  const count = async (name: string) => {
    const { rows } = await engine.ask(`select case when is_called then last_value else 0 end::int as n from public.${name}`)
    return Number(rows[0]?.['n'])
  }
  return { result: result as DatabaseResult, engine, ran: await count('ran'), risen: await count('risen') }
}

describe('code of a repository runs, and never with more than the rights of the owner, by', () => {
  test.each(DOORS)('%s', async (_name, sql) => {
    const { ran, risen, result } = await replay(`${ATTACK}${SAME}${TABLE}${sql}`)
    expect(ran).toBeGreaterThan(0)
    expect(risen).toBe(0)
    expect(result.catalog.tables.map((t) => t.name)).toContain('cards')
  })
})

test('after all of it the owner is still who the session is, and no superuser was made', async () => {
  const { engine } = await replay(`${ATTACK}${TABLE}select public.attack();`)
  const { rows } = await engine.ask("select session_user, current_user, (select string_agg(rolname, ',' order by 1) from pg_roles where rolsuper) as super")
  expect(rows).toEqual([{ session_user: 'postgres', current_user: 'postgres', super: 'supabase_admin' }])
})

test('the sandbox shows a statement nothing of the auditor', async () => {
  const { result } = await replay(
    `${ATTACK}${TABLE}do $$ declare r record; begin
      for r in select 'create table public.found_' || md5(n) || ' ()' as make from (
        select nspname from pg_namespace union all select proname from pg_proc union all select evtname from pg_event_trigger union all select relname from pg_class union all select rolname from pg_roles
        union all select prosrc from pg_proc union all select name from pg_prepared_statements) t (n) where n ilike '%prelaunch%' and n not like '%public.attack%' loop execute r.make; end loop; end $$;`,
  )
  expect(result.catalog.tables.map((t) => t.name)).toEqual(['cards'])
})

test('what records which statement made what cannot be switched off, forged or filled', async () => {
  const { result } = await replay(
    `${ATTACK}do $$ begin execute 'set local event_triggers = off'; exception when others then null; end $$;
set session_replication_role = replica;
${TABLE}do $$ begin execute 'alter table public.cards enable row level security'; end $$;
set client_min_messages = error; set track_counts = off;
create policy "p" on public.cards for select using (true);`,
  )
  const cards = result.catalog.tables.find((t) => t.name === 'cards')
  const lines = `${ATTACK}`.split('\n').length - 1
  expect(cards?.at).toEqual({ path: 'supabase/migrations/1_a.sql', line: lines + 4 })
  expect(cards?.rls.at).toEqual({ path: 'supabase/migrations/1_a.sql', line: lines + 5 })
  expect(result.catalog.policies.map((p) => p.at.line)).toEqual([lines + 7])
})

test('what code makes that runs along with a statement is that statement’s', async () => {
  const { result } = await replay(
    `${ATTACK}create function public.makes() returns text language plpgsql as $f$ begin execute 'create table if not exists public.hidden (id int)'; return 'x'; end $f$;
create table public.notes (id int, body text default public.makes());
insert into public.notes (id) values (1);`,
  )
  const lines = ATTACK.split('\n').length
  expect(result.catalog.tables.map((t) => [t.name, t.at.line])).toEqual([
    ['hidden', lines + 2],
    ['notes', lines + 1],
  ])
})

describe('roles of the platform stay what they are', () => {
  test.each([
    ['renamed by a statement', 'alter role anon rename to anon2; create role anon;'],
    [
      'renamed in a block, which is undone as a whole',
      "do $$ begin execute 'alter role anon rename to anon2'; execute 'create role anon'; execute 'alter table public.cards enable row level security'; end $$;",
    ],
    [
      'given more by a function',
      "create function public.f() returns void language plpgsql as $$ begin execute 'alter role anon bypassrls'; end $$; select public.f();",
    ],
  ])('%s', async (_name, sql) => {
    const { result } = await replay(`${ATTACK}${TABLE}\n${sql}`)
    expect(result.catalog.tables.map((t) => [t.name, t.rls.enabled])).toEqual([['cards', false]])
    expect(result.access.holes?.map((h) => `${h.kind} ${h.object} ${h.who} ${h.proof}`)).toContain('no-rls public.cards anon executed')
    expect(result.gaps.map((g) => g.because).join()).toContain('reserved role')
  })

  test('they may be configured and granted', async () => {
    const { result } = await replay(`${ATTACK}${TABLE}alter role authenticated set statement_timeout = '8s'; create role reports; grant anon to reports;`)
    expect(result.gaps).toEqual([])
  })

  test('a block that ends transactions itself is run as it is', async () => {
    const { result } = await replay(
      `${ATTACK}${TABLE}do $$ begin create table public.first (id int); commit; create table public.second (id int); commit; end $$;`,
    )
    expect(result.catalog.tables.map((t) => t.name)).toEqual(['cards', 'first', 'second'])
  })
})

describe('code that changes who may do what while rows are made', () => {
  test.each([
    ['a check', 'alter table public.cards add constraint c check (public.shut(pan));'],
    ['a default', 'alter table public.cards add column tag boolean not null default public.shut(null);'],
    [
      'a trigger that is always enabled',
      'create function public.t() returns trigger language plpgsql as $$ begin perform public.shut(null); return new; end $$; create trigger t before insert on public.cards for each row execute function public.t(); alter table public.cards enable always trigger t;',
    ],
  ])('%s: is a gap, and the open table is told', async (_name, sql) => {
    const shut =
      "create function public.shut(v text) returns boolean language plpgsql security definer as $f$ begin execute 'revoke all on public.cards from anon, authenticated'; return true; end $f$;"
    const result = await replaySql({ 'supabase/migrations/1_a.sql': `${shut}${TABLE}${sql}` })
    expect(result.access.holes?.map((h) => `${h.kind} ${h.object}`)).toContain('no-rls public.cards')
    expect(result.gaps.map((g) => g.because)).toContain(
      'a new row of public.cards runs code that changes who may do what (a default, a check or a trigger): what public.cards allows was read, not tried',
    )
    expect(result.access.objects.filter((o) => o.object === 'public.cards').flatMap((o) => o.cells.filter((c) => c.result === 'refused'))).toEqual([])
  })
})
