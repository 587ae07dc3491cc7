import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

test('a later definition that PostgreSQL refuses is named where the earlier one is shown', async () => {
  const report = await auditFiles({
    'supabase/migrations/1_init.sql': `create table profiles (id uuid primary key references auth.users, email text);
alter table profiles enable row level security;
create policy "own" on profiles for select using (auth.uid() = id);
create function everybody() returns table (id uuid, email text) language sql stable security definer as $$ select p.id, p.email from profiles p $$;`,
    'supabase/migrations/2_harden.sql': `create or replace function everybody() returns table (id uuid) language sql stable security definer as $$
  select p.id from profiles p where p.id = auth.uid() $$;`,
  })
  const [finding] = findingsOfCheck(report, 2)
  expect(finding?.subject).toBe('function public.everybody()')
  expect(finding?.message).toMatch(
    /without checking who calls\. The later definition at supabase\/migrations\/2_harden\.sql:1 is not in force: PostgreSQL refuses it \(cannot change return type of existing function\)/,
  )
})
