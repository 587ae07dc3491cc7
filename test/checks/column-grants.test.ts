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

test('rights, bans, marks, places, money and what a deal costs are not handed back; what somebody says of himself is', async () => {
  const report = await auditFiles({
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users, username text, is_admin boolean default false, is_organizer boolean default false, can_publish boolean default false,
  content_ban_until timestamptz, content_trust_score integer default 50, approved_uploads integer default 0, predictions_correct integer default 0, career_tournaments integer default 0, deleted_at timestamptz,
  is_public boolean default true, target_score integer, skill_level text, birthday date);
create table advertisers (id uuid primary key default gen_random_uuid(), user_id uuid not null unique references auth.users, account_name text, is_verified boolean default false, balance_cents bigint default 0, daily_spend_limit_cents bigint, wallet_balance numeric);
create table bookings (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, contact_phone text, event_date date, total_cents integer not null, deposit_cents integer, deposit_paid boolean default false, status text default 'inquiry', stripe_payment_intent_id text);
create table leaderboard_entries (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, tournaments_won integer default 0, best_placement integer, season text);
alter table profiles enable row level security;
alter table advertisers enable row level security;
alter table bookings enable row level security;
alter table leaderboard_entries enable row level security;
create policy "own" on profiles for select using (auth.uid() = id);
create policy "change" on profiles for update using (auth.uid() = id);
create policy "own" on advertisers for all using (auth.uid() = user_id);
create policy "own" on bookings for select using (auth.uid() = user_id);
create policy "add" on bookings for insert with check (auth.uid() = user_id and status = 'inquiry');
create policy "change" on bookings for update using (auth.uid() = user_id);
create policy "all see" on leaderboard_entries for select using (true);
create policy "System can manage entries" on leaderboard_entries for all using (true) with check (true);
`,
  })
  const codeOf = (check: number, subject: string) => report.checks.find((c) => c.number === check)?.findings.find((f) => f.subject === subject)?.fix.code ?? ''
  expect(codeOf(4, 'policy public.profiles "change"')).toContain(
    'grant update (id, username, is_public, target_score, skill_level, birthday) on public.profiles',
  )
  const advertisers = codeOf(4, 'policy public.advertisers "own"')
  expect(advertisers).toContain('grant update (user_id, account_name) on public.advertisers')
  const bookings = codeOf(4, 'policy public.bookings "change"')
  expect(bookings).toContain('grant update (contact_phone, event_date) on public.bookings')
  // who plays does not write how he did
  expect(codeOf(3, 'policy public.leaderboard_entries "System can manage entries"')).toBe(
    'drop policy "System can manage entries" on public.leaderboard_entries;\n-- insert, update, delete: through the server, with the service role, which needs no policy',
  )
})
