import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

/**
 * The lints of supabase/splinter (its `lints/` folder) that can open something: what meets them, and the finding that must name them.
 * Whoever knows the lint from the dashboard finds it here again.
 */
const COUNTERPARTS: readonly (readonly [lint: string, subject: string, sql: string])[] = [
  ['0002', 'view public.people', 'create view public.people as select id, email from auth.users;'],
  [
    '0007',
    'table public.inert',
    'create table public.inert (id uuid primary key, user_id uuid references auth.users);\ncreate policy "own" on public.inert for select using (auth.uid() = user_id);',
  ],
  [
    '0008',
    'table public.locked',
    'create table public.locked (id uuid primary key, user_id uuid references auth.users);\nalter table public.locked enable row level security;',
  ],
  ['0010', 'view public.order_list', 'create view public.order_list as select id, email from public.orders;'],
  [
    '0011',
    'function public.all_orders()',
    'create function public.all_orders() returns setof public.orders language sql security definer as $$ select * from public.orders $$;',
  ],
  ['0013', 'table public.open', 'create table public.open (id uuid primary key, note text);'],
  [
    '0015',
    'policy public.reports "admins"',
    "create table public.reports (id uuid primary key, user_id uuid references auth.users);\nalter table public.reports enable row level security;\ncreate policy \"admins\" on public.reports for select using ((auth.jwt() -> 'user_metadata' ->> 'role') = 'admin');",
  ],
  ['0016', 'view public.order_cache', 'create materialized view public.order_cache as select id, email from public.orders;'],
  ['0017', 'table public.remote', 'create server elsewhere foreign data wrapper postgres_fdw;\ncreate foreign table public.remote (id int) server elsewhere;'],
  ['0019', 'table pgmq.q_jobs', "create extension pgmq;\nselect pgmq.create('jobs');\ngrant select, insert on pgmq.q_jobs to authenticated;"],
  ['0023', 'table public.patients', 'create table public.patients (id uuid primary key, email text, ssn text);'],
  [
    '0024',
    'policy public.notes "anyone"',
    'create table public.notes (id uuid primary key, user_id uuid references auth.users);\nalter table public.notes enable row level security;\ncreate policy "own" on public.notes for select using (auth.uid() = user_id);\ncreate policy "anyone" on public.notes for insert with check (true);',
  ],
  [
    '0025',
    'bucket logos',
    "insert into storage.buckets (id, name, public) values ('logos', 'logos', true);\ncreate policy \"list\" on storage.objects for select using (bucket_id = 'logos');",
  ],
  ['0028', 'function public.all_orders()', ''],
  [
    '0029',
    'function public.orders_of(uuid)',
    "create function public.orders_of(p uuid) returns setof public.orders language plpgsql security definer set search_path = '' as $$\nbegin if auth.uid() is null then raise exception 'no'; end if; return query select * from public.orders where user_id = p; end $$;",
  ],
]

/** Lints that no finding names, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  '0001': 'speed',
  '0003': 'speed',
  '0004': 'design',
  '0005': 'speed',
  '0006': 'speed; policies that add up are judged together',
  '0009': 'speed',
  '0012': 'a setting of the hosted platform',
  '0014': 'opens nothing',
  '0018': 'upgrades',
  '0020': 'needs the live database',
  '0021': 'upgrades of the platform; opens nothing',
  '0022': 'needs the live database',
  '0026': 'names of tables, no rows',
  '0027': 'names of tables, no rows',
}

test('every lint of splinter has its counterpart or a reason for having none', async () => {
  const known = [...COUNTERPARTS.map(([lint]) => lint), ...Object.keys(LEFT_OUT)].sort()
  expect(known).toEqual(Array.from({ length: 29 }, (_, i) => String(i + 1).padStart(4, '0')))
  const report = await auditFiles({
    'supabase/config.toml': '[api]\nschemas = ["public", "pgmq_public"]\n',
    'supabase/migrations/1_orders.sql':
      'create table public.orders (id uuid primary key, user_id uuid not null references auth.users, email text);\nalter table public.orders enable row level security;\ncreate policy "own" on public.orders for select using (auth.uid() = user_id);\n',
    ...Object.fromEntries(COUNTERPARTS.filter(([, , sql]) => sql).map(([lint, , sql]) => [`supabase/migrations/2_${lint}.sql`, sql])),
  })
  const named = report.checks.flatMap((c) => c.findings.flatMap((f) => f.aliases.map((alias) => `${alias} ${f.subject}`)))
  for (const [lint, subject] of COUNTERPARTS) expect(named).toContain(`splinter:${lint} ${subject}`)
}, 60_000)
