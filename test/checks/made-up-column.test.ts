import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

const schema = (roles: string) => ({
  'supabase/migrations/1_init.sql': `create table profiles (id uuid primary key references auth.users, name text${roles});
create table settings (key text primary key, value text);
alter table profiles enable row level security;
alter table settings enable row level security;
create policy "own" on profiles for all using (auth.uid() = id);
create policy "admins" on settings for all using (exists (select 1 from profiles where id = auth.uid() and role = 'admin'));`,
})

const escalation = async (files: Record<string, string>) =>
  findingsOfCheck(await auditFiles(files), 4).find((f) => f.subject === 'policy public.profiles "own"')

test('what a finding says of a column that no SQL creates rests on its being there', async () => {
  const made = await escalation(schema(''))
  expect(made?.title).toBe('Users can change their own role')
  expect(made?.assumes).toBe('that public.profiles has role, for which the SQL asks and which no SQL in the repository creates')
  const shown = await escalation(schema(", role text not null default 'user'"))
  expect(shown?.title).toBe('Users can change their own role')
  expect(shown?.assumes).toBeUndefined()
})
