import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

test('what is handed back to browsers is what its owner decides; a grant that says nothing is none', async () => {
  const report = await auditFiles({
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users, username text, bio text, is_admin boolean not null default false, tokens integer not null default 0, push_tokens text, youtube_followers integer, banned_reason text, platform_fee numeric);
create table wallets (id uuid primary key default gen_random_uuid(), user_id uuid not null unique references auth.users, balance numeric not null default 0, created_at timestamptz default now(), updated_at timestamptz default now());
create table user_roles (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, role text not null);
create table notices (id uuid primary key default gen_random_uuid(), title text);
alter table profiles enable row level security;
alter table wallets enable row level security;
alter table user_roles enable row level security;
alter table notices enable row level security;
create policy "own" on profiles for select using (auth.uid() = id);
create policy "change" on profiles for update using (auth.uid() = id);
create policy "own" on wallets for select using (auth.uid() = user_id);
create policy "change" on wallets for update using (auth.uid() = user_id);
create policy "own" on user_roles for select using (auth.uid() = user_id);
create policy "add" on user_roles for insert with check (auth.uid() = user_id);
create policy "staff" on notices for insert with check (exists (select 1 from user_roles r where r.user_id = auth.uid() and r.role = 'admin'));
`,
  })
  const fixes = Object.fromEntries(report.checks.flatMap((c) => c.findings.map((f) => [f.subject, f.fix.code ?? ''] as const)))
  const profiles = fixes['policy public.profiles "change"'] ?? ''
  expect(profiles).toContain('grant update (id, username, bio, push_tokens) on public.profiles to authenticated;')
  expect(profiles).toMatch(/-- tokens, youtube_followers, banned_reason, platform_fee: not handed back/)
  expect(fixes['policy public.wallets "change"']).toBe('revoke update on public.wallets from anon, authenticated;')
  expect(fixes['policy public.user_roles "add"']).toBe('revoke insert on public.user_roles from anon, authenticated;')
})
