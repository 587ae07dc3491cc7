import { expect, test } from 'vitest'
import { itemsOf } from '../../src/report/items.ts'
import type { ReportFinding } from '../../src/report/report.ts'
import { auditFiles } from '../support/audit-files.ts'

const FIRST = 'supabase/migrations/1_init.sql'

/** A table with an owner; `rest` follows its columns. */
const owned = (name: string, rest = 'body text') =>
  `create table ${name} (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, ${rest});
alter table ${name} enable row level security;
`

/** Findings of checks 1 to 4. */
async function findings(files: Record<string, string>): Promise<readonly ReportFinding[]> {
  return (await auditFiles(files)).checks.slice(0, 4).flatMap((c) => c.findings)
}

const NOTES_FOR_ALL = `${owned('notes')}create policy "p" on notes for all using (true) with check (true);`

const CASES: readonly (readonly [what: string, sql: string, checks: readonly string[]])[] = [
  ['always true', NOTES_FOR_ALL, ['select', 'insert', 'write']],
  [
    'rows that WITH CHECK leaves free',
    `${owned('notes')}create policy "p" on notes for all using (user_id = auth.uid()) with check (true);`,
    ['insert', 'write'],
  ],
  [
    'a state that is asked for, and no caller',
    `${owned('orders', "status text default 'open', amount int, email text")}create policy "p" on orders for all using (status = 'open');`,
    ['select', 'insert', 'write'],
  ],
  ['another open policy beside it', `${NOTES_FOR_ALL} create policy "q" on notes for select using (true);`, ['select', 'insert', 'write']],
  [
    'three more, each for another command',
    `${NOTES_FOR_ALL} create policy "q" on notes for select using (true); create policy "r" on notes for insert with check (true);
create policy "s" on notes for delete using (auth.uid() is not null);`,
    ['select', 'insert', 'write', 'write'],
  ],
  [
    'one that is wider, whose finding speaks of that one',
    `${owned('notes')}create policy "a" on notes for select to anon, authenticated using (true); create policy "p" on notes for all to authenticated using (true);`,
    ['select', 'insert', 'write'],
  ],
  [
    'columns that grant power, of which another policy asks one more',
    `create table profiles (id uuid primary key references auth.users, name text, role text default 'user', is_active boolean default true, credits int default 0);
alter table profiles enable row level security;
create policy "p" on profiles for all using (auth.uid() = id);
${owned('secrets', 'phone text')}create policy "adm" on secrets for select using (exists (select 1 from profiles p where p.id = auth.uid() and p.role = 'admin' and p.is_active));`,
    ['insert', 'write'],
  ],
  [
    'what the parties of a deal write',
    `create table deals (id uuid primary key default gen_random_uuid(), buyer_id uuid references auth.users, seller_id uuid references auth.users, price int, status text default 'pending', paid boolean default false);
alter table deals enable row level security;
create policy "p" on deals for all using (auth.uid() in (buyer_id, seller_id));`,
    ['insert', 'write'],
  ],
  [
    'members who appoint administrators and raise themselves',
    `create table orgs (id uuid primary key default gen_random_uuid(), name text);
create table org_members (org_id uuid references orgs, user_id uuid references auth.users, role text not null default 'member' check (role in ('owner', 'admin', 'member')), primary key (org_id, user_id));
alter table orgs enable row level security;
alter table org_members enable row level security;
create function my_orgs() returns setof uuid language sql stable security definer set search_path = '' as $$ select org_id from public.org_members where user_id = auth.uid() $$;
create policy "see" on orgs for select using (id in (select my_orgs()));
create policy "p" on org_members for all using (org_id in (select my_orgs()));`,
    ['insert', 'write'],
  ],
]

test.each(CASES)('one policy for everything, open by %s, is one item whose fix closes all and opens nothing', async (_, sql, checks) => {
  const before = await findings({ [FIRST]: sql })
  expect(before.map((f) => f.check.replace(/^rls\/(\w+)-owner$/, '$1'))).toEqual(checks)
  expect(new Set(before.map((f) => f.fix.code)).size).toBe(1)
  expect(new Set(before.map((f) => f.fix.text)).size).toBe(1)
  expect(before.every((f) => f.fix.proved)).toBe(true)
  expect(itemsOf(before)).toHaveLength(1)
  const after = await findings({ [FIRST]: sql, 'supabase/migrations/2_fix.sql': before[0]?.fix.code ?? '' })
  expect(after.map((f) => `${f.check} ${f.subject}`)).toEqual([])
})

test('a single fix that is enough is taken before one that is put together', async () => {
  const [first] = await findings({ [FIRST]: CASES.find(([what]) => what.startsWith('what the parties'))?.[1] ?? '' })
  expect(first?.fix.code?.match(/revoke update on public\.deals/g)).toHaveLength(1)
})

test('policies of two tables, and two policies of one table for other people, are causes of their own', async () => {
  const all = await findings({
    [FIRST]: `${NOTES_FOR_ALL}
${owned('diaries')}create policy "p" on diaries for all using (true);
${owned('letters')}create policy "signed in" on letters for all to authenticated using (true);
create policy "visitors" on letters for select to anon using (true);`,
  })
  const items = itemsOf(all)
  expect(items.map((i) => i.subject)).toEqual([
    'policy public.notes "p"',
    'policy public.diaries "p"',
    'policy public.letters "signed in"',
    'policy public.letters "visitors"',
  ])
  expect(items.map((i) => i.members.length)).toEqual([3, 3, 3, 1])
})

test('who closes the writes of what is meant to be seen does not have to close the policy that shows it', async () => {
  const all = await findings({
    [FIRST]: `${owned('leaderboard_entries', 'wins int default 0, season text')}create policy "all see" on leaderboard_entries for select using (true);
create policy "System manages entries" on leaderboard_entries for all using (true) with check (true);`,
  })
  const items = itemsOf(all).map((i) => [i.severity, i.members.map((m) => m.check)])
  expect(items).toEqual([
    ['Critical', ['rls/insert-owner', 'rls/write-owner']],
    ['High', ['rls/select-owner']],
  ])
  expect(all.find((f) => f.check === 'rls/write-owner')?.fix.code).not.toContain('all see')
})

test('the checks keep their own findings, and name each other', async () => {
  const report = await auditFiles({ [FIRST]: CASES.find(([what]) => what.startsWith('columns'))?.[1] ?? '' })
  const [, , insert, write] = report.checks
  expect([insert?.status, write?.status]).toEqual(['failed', 'failed'])
  expect([insert?.findings[0]?.alsoFails, write?.findings[0]?.alsoFails]).toEqual([[4], [3]])
  expect(insert?.findings[0]?.cause).toBe(write?.findings[0]?.cause)
})
