/** Schemas in the shapes in which applications have them: each is a starting point for random changes. */
export const SQL_SEEDS: readonly (readonly [name: string, text: string])[] = [
  [
    'tenants',
    `create schema if not exists private;
create type public.member_role as enum ('owner', 'member');
create table public.teams (id bigint generated always as identity primary key, name text not null check (length(name) < 100));
create table public.members (team_id bigint references public.teams on delete cascade, user_id uuid references auth.users, role public.member_role default 'member', primary key (team_id, user_id));
create table public.documents (id uuid primary key default gen_random_uuid(), team_id bigint not null references public.teams, title text, data jsonb default '{}'::jsonb, created_at timestamptz default now());
alter table public.teams enable row level security;
alter table public.members enable row level security;
alter table public.documents enable row level security;
create function private.is_member(t bigint) returns boolean language sql security definer stable set search_path = '' as $$ select exists (select 1 from public.members m where m.team_id = t and m.user_id = auth.uid()) $$;
create policy "members read" on public.documents for select to authenticated using (private.is_member(team_id));
create policy "owners write" on public.documents for all to authenticated using (exists (select 1 from public.members m where m.team_id = documents.team_id and m.user_id = auth.uid() and m.role = 'owner')) with check (private.is_member(team_id));
create policy "self" on public.members for select using (user_id = auth.uid());
create index on public.documents (team_id, created_at desc);
`,
  ],
  [
    'functions',
    `create table public.credits (user_id uuid primary key references auth.users, amount numeric(12, 2) not null default 0);
alter table public.credits enable row level security;
create or replace function public.spend(p_user uuid, p_amount numeric) returns numeric language plpgsql security definer set search_path = public as $fn$
declare left_over numeric; r record;
begin
  if auth.uid() is distinct from p_user then raise exception 'not yours' using errcode = '42501'; end if;
  for r in select * from public.credits where user_id = p_user for update loop left_over := r.amount - p_amount; end loop;
  update public.credits set amount = left_over where user_id = p_user returning amount into left_over;
  execute format('select %L::numeric', left_over) into left_over;
  return left_over;
exception when others then return null;
end $fn$;
revoke all on function public.spend(uuid, numeric) from public, anon;
grant execute on function public.spend(uuid, numeric) to authenticated;
create function public.search(term text) returns setof public.credits language plpgsql as $$ begin return query execute 'select * from public.credits where user_id::text like ''%' || term || '%'''; end $$;
create trigger touch after insert or update on public.credits for each row when (new.amount > 0) execute function suppress_redundant_updates_trigger();
`,
  ],
  [
    'views and partitions',
    `create table public.events (id bigserial, at date not null, kind text, payload jsonb, primary key (id, at)) partition by range (at);
create table public.events_2025 partition of public.events for values from ('2025-01-01') to ('2026-01-01');
create table public.events_rest partition of public.events default;
create view public.recent with (security_invoker = true) as select id, kind from public.events where at > current_date - 7;
create materialized view public.totals as select kind, count(*) n from public.events group by kind;
create or replace view public.people as select u.id, u.email, p.payload ->> 'name' as name from auth.users u left join public.events p on p.kind = u.email;
grant select on public.people to anon, authenticated;
alter default privileges in schema public grant select on tables to anon;
do $$ declare t text; begin foreach t in array array['events', 'events_2025'] loop execute format('alter table public.%I enable row level security', t); end loop; end $$;
with moved as (delete from public.events where false returning *) insert into public.events_rest select * from moved;
`,
  ],
  [
    'storage and seeds',
    `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ('avatars', 'avatars', true, 1048576, array['image/png']) on conflict (id) do update set public = excluded.public;
create policy "own folder" on storage.objects for insert to authenticated with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text);
create policy "read" on storage.objects for select using (bucket_id = 'avatars');
create table if not exists public.profiles (id uuid primary key references auth.users on delete cascade, username text unique, role text default 'user', avatar text);
alter table public.profiles add column if not exists bio text, alter column role set not null, add constraint short check (char_length(username) between 3 and 30);
comment on table public.profiles is 'one; per; user';
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$ begin insert into public.profiles (id, username) values (new.id, new.raw_user_meta_data ->> 'username'); return new; end $$;
create trigger on_auth_user_created after insert on auth.users for each row execute procedure public.handle_new_user();
insert into public.profiles (id, username) select id, email from auth.users;
alter table public.profiles enable row level security;
create policy "all" on public.profiles for all using (true) with check (auth.uid() = id and role = 'user');
drop policy if exists "gone" on public.profiles;
select cron.schedule('nightly', '0 3 * * *', $$delete from public.profiles where false$$);
`,
  ],
]
