import { besidePolicies, migrating, onKeyed, onOwned, onPrivate, undeclared } from '../migrations.ts'
import { adding, isCode, type Operator, replacing } from '../plant.ts'
import { jwt } from '../secrets.ts'

/** What relies on row level security is reported where it falls. */
const also = [16, 17]

const PAPERS = "insert into storage.buckets (id, name, public) values ('papers', 'papers', false) on conflict do nothing;\n"

/** Checks 1 to 6: the database, the service role, storage. */
export const RLS: readonly Operator[] = [
  { check: 1, name: 'a migration disables RLS', also, plant: undeclared(onOwned((t) => `alter table public.${t} disable row level security;`)) },
  {
    check: 1,
    name: 'a new table without RLS',
    also,
    plant: migrating((sql) =>
      /row level security/i.test(sql)
        ? ['create table public.private_notes (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users (id), body text);']
        : [],
    ),
  },
  {
    check: 1,
    name: 'a DO block disables RLS',
    also,
    plant: undeclared(onOwned((t) => `do $$ begin execute format('alter table public.%I disable row level security', '${t}'); end $$;`)),
  },
  { check: 2, name: 'SELECT open to everybody', also, plant: onPrivate((t) => `create policy "read all" on public.${t} for select using (true);`) },
  {
    check: 2,
    name: 'SELECT for everyone signed in',
    also,
    plant: onPrivate((t) => `create policy "read signed in" on public.${t} for select to authenticated using ((select auth.uid()) is not null);`),
  },
  { check: 2, name: 'a view that bypasses RLS', also, plant: onPrivate((t) => `create view public.all_${t} as select * from public.${t};`) },
  {
    check: 2,
    name: 'a SECURITY DEFINER function that returns rows',
    also,
    plant: onPrivate(
      (t) =>
        `create function public.list_${t}() returns setof public.${t} language sql security definer set search_path = '' as $$ select * from public.${t} $$;`,
    ),
  },
  { check: 3, name: 'INSERT with any value', also, plant: onOwned((t) => `create policy "add any" on public.${t} for insert with check (true);`) },
  {
    check: 3,
    name: 'INSERT for everyone signed in',
    also,
    plant: onOwned((t) => `create policy "add signed in" on public.${t} for insert to authenticated with check (auth.role() = 'authenticated');`),
  },
  {
    check: 3,
    name: 'INSERT check that is a tautology',
    also,
    plant: onOwned((t, o) => `create policy "add self" on public.${t} for insert to authenticated with check (${o} = ${o});`),
  },
  { check: 4, name: 'UPDATE open', also, plant: onOwned((t) => `create policy "change any" on public.${t} for update to authenticated using (true);`) },
  { check: 4, name: 'DELETE open', also, plant: onOwned((t) => `create policy "remove any" on public.${t} for delete using (true);`) },
  {
    check: 4,
    name: 'a SECURITY DEFINER function that deletes',
    also,
    plant: onKeyed(
      (t) =>
        `create function public.purge_${t}(target uuid) returns void language sql security definer set search_path = '' as $$ delete from public.${t} where id = target $$;`,
    ),
  },
  {
    check: 5,
    name: 'a service-role key in a client component',
    plant: replacing(isCode, /^(['"])use client\1;?/, "'use client'\nexport const adminKey = process.env.SUPABASE_SERVICE_ROLE_KEY\n"),
    also: [13, 25],
  },
  {
    check: 5,
    name: 'the entry of a single-page application reads the service-role key',
    plant: replacing((p) => /(^|\/)src\/(main|App)\.(tsx|jsx|ts|js)$/.test(p), /^/, 'export const adminKey = import.meta.env.VITE_SUPABASE_SERVICE_ROLE_KEY\n'),
    also: [13],
  },
  {
    check: 5,
    name: 'a service-role token in committed build output',
    plant: adding('dist/assets/index-4f2a.js', `const k="${jwt('service_role')}";createClient(u,k)\n`),
    also: [25],
  },
  {
    check: 6,
    name: 'uploads anywhere in a bucket',
    plant: besidePolicies(`${PAPERS}create policy "up" on storage.objects for insert to authenticated with check (bucket_id = 'papers');`),
  },
  {
    check: 6,
    name: 'a private bucket read by everyone signed in',
    plant: besidePolicies(`${PAPERS}create policy "down" on storage.objects for select to authenticated using (bucket_id = 'papers');`),
  },
  {
    check: 6,
    name: 'a delete policy without a bucket',
    plant: besidePolicies('create policy "del" on storage.objects for delete to authenticated using (true);'),
  },
  {
    check: 6,
    name: 'anybody lists and writes every bucket',
    plant: migrating(() => ['create policy "all files" on storage.objects for all using (true) with check (true);']),
  },
]
