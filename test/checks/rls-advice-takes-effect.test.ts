import { expect, test } from 'vitest'
import { BROWSER_APPLICATION } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingOfCheck } from '../support/reported.ts'

test('policies that take effect with row level security are looked at: what is open among them goes, and what lets in nobody is said', async () => {
  const admin = 'exists (select 1 from staff s where s.id = auth.uid())'
  const report = await auditFiles({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export const load = async () => [await supabase.from('staff').select('*'), await supabase.from('settings').update({ value: 1 })]
`,
    'src/admin/people.tsx': `import { supabase } from '../client'
export const all = async () => [await supabase.from('people_list').select('*'), await supabase.from('notes_list').select('*')]
`,
    'src/admin/index.tsx': "import '../main'\nimport './people'\n",
    'index.html': '<div id="root"></div><script type="module" src="/src/admin/index.tsx"></script>',
    'supabase/migrations/1.sql': `create table staff (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, email text, password_hash text);
create policy "see" on staff for select using (true);
create policy "change" on staff for update using (${admin});
create table shifts (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, day date);
create policy "own" on shifts for all using (user_id = auth.uid());
create table settings (id uuid primary key default gen_random_uuid(), value int, created_by uuid references staff);
create table notes (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, body text);
alter table notes enable row level security;
create policy "own notes" on notes for select using (user_id = auth.uid());
create function public.is_admin() returns boolean language sql stable security definer set search_path = '' as $$ select exists (select 1 from public.staff where user_id = auth.uid()) $$;
create table redemptions (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, code text, plan_type text not null default 'lifetime');
create table accounts (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, plan_type text not null default 'free');
alter table redemptions enable row level security;
alter table accounts enable row level security;
create policy "see" on redemptions for select using (user_id = auth.uid());
create policy "redeem" on redemptions for insert with check (user_id = auth.uid());
create policy "see" on accounts for select using (user_id = auth.uid());
create policy "open" on accounts for insert with check (user_id = auth.uid());
create view people_list as select u.id, u.email from auth.users u;
create view notes_list as select id, user_id, body from notes;
create view people_count as select u.id, u.email from auth.users u;`,
  })
  const of = (check: number, subject: string) => findingOfCheck(report, check, subject)
  const staff = of(1, 'table public.staff').fix
  expect(staff.code).toBe('alter table public.staff enable row level security;\ndrop policy "see" on public.staff;')
  expect(staff.proved).toBe(true)
  expect(staff.text).toContain('"change" compares staff.id with auth.uid(), which is made up for each row')
  const shifts = of(1, 'table public.shifts').fix
  expect(shifts.code).toBe('alter table public.shifts enable row level security;')
  expect(shifts.text).not.toMatch(/compares|still/)
  const settings = of(1, 'table public.settings').fix
  expect(settings.code).toMatch(/for all to authenticated\n {2}using \(\(select public\.is_admin\(\)\)\)/)
  // a column that is left out has its default: where that is the best plan, nobody may add the row
  expect(of(3, 'policy public.redemptions "redeem"').fix.code).toMatch(/^drop policy "?redeem"? on public\.redemptions;\n--/)
  expect(of(3, 'policy public.redemptions "redeem"').fix.text).toContain('has by default what it grants')
  expect(of(3, 'policy public.accounts "open"').fix.code).toContain('grant insert (id, user_id) on public.accounts to authenticated;')
  // pages for administrators go on reading, and nobody else does
  const list = of(2, 'view public.people_list').fix
  expect(list.code).toMatch(/^create or replace view public\.people_list as\nselect \* from \([\s\S]+\) as shown\nwhere \(select public\.is_admin\(\)\);$/)
  expect(of(2, 'view public.notes_list').fix.text).toContain('Under security_invoker they would see no more than their own rows')
  expect(of(2, 'view public.people_count').fix.code).toContain('revoke select on public.people_count')
})

test('what no page loads is in no bundle, and is said to be that', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "shop", "dependencies": { "vite": "6.0.0", "react": "19.0.0", "@supabase/supabase-js": "2.45.0" } }',
    'index.html': '<div id="root"></div><script type="module" src="/src/main.tsx"></script>',
    'src/main.tsx': "import { sign } from './sign'\nsign('x')\n",
    'src/sign.ts': 'export const sign = (text: string) => text + import.meta.env.VITE_SIGN_SECRET\n',
    'src/left.ts': 'export const left = (text: string) => text + import.meta.env.VITE_LEFT_SECRET\n',
  })
  const said = (name: string) => findingOfCheck(report, 13, `env ${name}`)
  expect(said('VITE_SIGN_SECRET').message).toMatch(/the JavaScript that every visitor downloads\.$/)
  expect(said('VITE_LEFT_SECRET').message).toContain('as soon as a page loads src/left.ts: nothing that a page loads imports it today')
  expect(said('VITE_LEFT_SECRET').fix.text).toContain('Delete the file and the variable')
})
