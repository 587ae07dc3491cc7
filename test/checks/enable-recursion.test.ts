import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

test('row level security is not switched on for policies that would never come to an end: a function asks, or words say so', async () => {
  const report = await auditFiles({
    'supabase/migrations/1.sql': `create table staff_roles (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, role text not null);
create policy "own" on staff_roles for select using (auth.uid() = user_id);
create policy "admins see" on staff_roles for select using (exists (select 1 from staff_roles sr where sr.user_id = auth.uid() and sr.role in ('owner', 'admin')));
create policy "admins manage" on staff_roles for all using (exists (select 1 from staff_roles sr where sr.user_id = auth.uid() and sr.role in ('owner', 'admin')));
create table crew (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, team_id uuid not null);
create policy "own or of the team" on crew for select using (user_id = auth.uid() or exists (select 1 from crew c where c.team_id = crew.team_id and c.user_id = auth.uid()));
create table plain (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, body text);
create policy "own" on plain for all using (user_id = auth.uid());
create table org_members (id uuid primary key default gen_random_uuid(), org_id uuid not null, user_id uuid not null references auth.users, role text default 'member');
alter table org_members enable row level security;
create policy "see" on org_members for select using (user_id = auth.uid() or org_id in (select org_id from org_members where user_id = auth.uid()));
create policy "manage" on org_members for all using (org_id in (select org_id from org_members where user_id = auth.uid() and role = 'owner'));
`,
  })
  const fixOf = (check: number, subject: string) => report.checks.find((c) => c.number === check)?.findings.find((f) => f.subject === subject)?.fix
  const staff = fixOf(1, 'table public.staff_roles')
  expect(staff).toMatchObject({ proved: true, text: expect.stringContaining('a function asks that') })
  // both policies ask the same
  expect(staff?.code?.match(/create function/g)).toHaveLength(1)
  expect(staff?.code).toMatch(/alter policy "admins manage" [^;]*may_reach_staff_roles\(\)\)\);\nalter policy "admins see"/)
  expect(fixOf(1, 'table public.crew')).toEqual({ text: expect.stringMatching(/^Before row level security is switched on, put what its policies ask/) })
  expect(fixOf(1, 'table public.plain')?.code).toBe('alter table public.plain enable row level security;')
  expect(fixOf(2, 'policy public.org_members "manage"')).toMatchObject({
    proved: true,
    code: expect.stringMatching(/returns setof uuid[^;]*;\n[\s\S]*org_id in \(select public\.may_reach_org_members(?:_2)?\(\)\)/),
  })
})
