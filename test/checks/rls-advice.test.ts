import { expect, test } from 'vitest'
import type { ReportFinding } from '../../src/report/report.ts'
import { BROWSER_APPLICATION, SESSION_CLIENT } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingOfCheck } from '../support/reported.ts'

/** The findings of checks 1 to 6 on a repository, by check and subject. */
async function findingsOf(files: Readonly<Record<string, string>>): Promise<(check: number, subject: string) => ReportFinding> {
  const report = await auditFiles(files)
  return (check, subject) => findingOfCheck(report, check, subject)
}

test('a policy for everything names the other checks that it fails, and two that let the same people in are one finding', async () => {
  const of = await findingsOf({
    'supabase/migrations/1.sql': `create table notes (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, body text);
alter table notes enable row level security;
create policy "service manages notes" on notes for all using (true) with check (true);
create table diaries (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, body text);
alter table diaries enable row level security;
create policy "anyone reads" on diaries for select using (true);
create policy "signed in read" on diaries for select to authenticated using (true);`,
  })
  expect(of(2, 'policy public.notes "service manages notes"').alsoFails).toEqual([3, 4])
  expect(of(3, 'policy public.notes "service manages notes"').alsoFails).toEqual([2, 4])
  expect(of(4, 'policy public.notes "service manages notes"').alsoFails).toEqual([2, 3])
  const diaries = of(2, 'policy public.diaries "anyone reads"')
  expect(diaries.related.map((r) => r.subject)).toEqual(['policy public.diaries "signed in read"'])
  expect(diaries.fix.code).toMatch(/drop policy "signed in read"[\s\S]*drop policy "anyone reads"/)
  expect(() => of(2, 'policy public.diaries "signed in read"')).toThrow(/no finding/)
})

test('switching row level security on lets nobody appoint himself and locks out nobody whom the code serves', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function save(id: string) {
  await supabase.from('profiles').upsert({ id, nickname: 'x' })
  await supabase.from('profiles').select('*')
  await supabase.from('super_admins').insert({ user_id: id })
  await supabase.from('todos').delete().eq('user_id', id)
  await supabase.from('chat_messages').insert({ user_id: id, body: 'x' })
  await supabase.from('menu_items').select('*')
  const path = \`\${conversation.id}/\${file.name}\`
  await supabase.storage.from('attachments').upload(path, file)
  await supabase.storage.from('clips').upload(\`posts/\${file.name}\`, file)
  await supabase.storage.from('papers').upload(\`\${user.id}/\${file.name}\`, file)
}
`,
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users, nickname text, is_subscribed boolean default false, subscription_tier text);
create table super_admins (user_id uuid primary key references auth.users);
create table audit_logs (id uuid primary key, user_id uuid references auth.users, action text);
create table todos (id uuid primary key, user_id uuid references auth.users, title text);
create table wallet_passes (id uuid primary key, pass_url text, serial text);
create table menu_items (id uuid primary key, title text);
create table chat_messages (id uuid primary key, user_id uuid references auth.users, body text);
create policy "edit" on chat_messages for update using (auth.uid() = user_id);
insert into storage.buckets (id, name, public) values ('attachments', 'attachments', false), ('clips', 'clips', false), ('papers', 'papers', false);
create policy "put attachments" on storage.objects for insert to authenticated with check (bucket_id = 'attachments');
create policy "put clips" on storage.objects for insert to authenticated with check (bucket_id = 'clips');
create policy "drop clips" on storage.objects for delete to authenticated using (bucket_id = 'clips');
create policy "put papers" on storage.objects for insert to authenticated with check (bucket_id = 'papers');`,
  })
  const codeOf = (name: string) => of(1, `table public.${name}`).fix.code ?? ''
  expect(codeOf('profiles')).toContain('for insert to authenticated')
  expect(codeOf('profiles')).toContain('grant update (id, nickname) on public.profiles to authenticated;')
  expect(codeOf('super_admins')).not.toMatch(/for (insert|all)/)
  expect(of(1, 'table public.super_admins').fix.text).toContain('src/main.tsx:5')
  expect(codeOf('audit_logs')).toBe('alter table public.audit_logs enable row level security;')
  expect(codeOf('wallet_passes')).toBe('alter table public.wallet_passes enable row level security;')
  expect(codeOf('todos')).toContain('for all to authenticated')
  expect(codeOf('menu_items')).toContain('Everyone may read')
  expect(of(1, 'table public.menu_items').fix.text).toContain('(id and title)')
  expect(of(1, 'table public.chat_messages').fix.text).toContain('insert (src/main.tsx:7)')
  expect(of(1, 'table public.super_admins').fix.proved).toBe(true)
  const folders = (name: string) => of(6, `policy storage.objects "${name}"`).fix
  expect(folders('put attachments').code).toBeUndefined()
  expect(folders('put attachments').text).toContain('under ${conversation.id}/ (src/main.tsx:10)')
  expect(folders('put clips').code).toContain('(storage.foldername(name))[2] = (select auth.uid())::text')
  expect(folders('drop clips').code).toContain('owner_id = (select auth.uid())::text')
  expect(folders('put papers')).toMatchObject({ proved: true, code: expect.stringContaining('(storage.foldername(name))[1]') })
})

test('column privileges hand back nothing that others decide, neither for changing rows nor for adding them', async () => {
  const of = await findingsOf({
    'supabase/migrations/1.sql': `create table affiliates (id uuid primary key default gen_random_uuid(), user_id uuid unique references auth.users, bio text, role text default 'user', status text default 'pending', commission_rate numeric, total_earnings numeric, is_verified boolean default false);
alter table affiliates enable row level security;
create policy "own" on affiliates for all using (auth.uid() = user_id) with check (auth.uid() = user_id);
create table memberships_paid (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, plan text default 'pro', status text not null default 'active');
alter table memberships_paid enable row level security;
create policy "see" on memberships_paid for select using (auth.uid() = user_id);
create policy "add" on memberships_paid for insert with check (auth.uid() = user_id);
create table mentor_usage (user_id uuid primary key references auth.users, messages_used integer default 0, note text);
alter table mentor_usage enable row level security;
create policy "own usage" on mentor_usage for update using (auth.uid() = user_id);
create policy "see usage" on mentor_usage for select using (auth.uid() = user_id);
create function consume_message() returns void language sql as $$ update public.mentor_usage set messages_used = messages_used + 1 where user_id = auth.uid() $$;`,
  })
  const { code = '' } = of(4, 'policy public.affiliates "own"').fix
  expect(code).toContain('grant insert (id, user_id, bio) on public.affiliates to authenticated;')
  expect(code).toContain('grant update (user_id, bio) on public.affiliates to authenticated;')
  expect(code).toMatch(/-- .*commission_rate.*: not handed back/)
  expect(of(3, 'policy public.memberships_paid "add"').fix.code).toMatch(/^drop policy "?add"? on public\.memberships_paid;/)
  expect(of(4, 'policy public.mentor_usage "own usage"').fix.code).toContain('-- public.consume_message() writes them with the rights of its caller')
})

test('guests go on adding rows, and whoever corrects a row need not have written it', async () => {
  const of = await findingsOf({
    'supabase/migrations/1.sql': `create table chats (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, topic text, visitor text);
alter table chats enable row level security;
create policy "Visitors can create chats" on chats for insert to anon, authenticated with check (true);
create policy "see" on chats for select using (auth.uid() = user_id);
create table inquiries (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, body text);
alter table inquiries enable row level security;
create policy "Anyone may ask" on inquiries for insert to anon with check (length(body) > 3);
create table leads (id uuid primary key default gen_random_uuid(), email text, assigned_to uuid references auth.users);
alter table leads enable row level security;
create policy "Anyone leaves an address" on leads for insert to anon with check (true);
create table users (id uuid primary key references auth.users, organisation_id uuid);
alter table users enable row level security;
create policy "own user" on users for select using (id = auth.uid());
create table clients (id uuid primary key default gen_random_uuid(), organisation_id uuid, name text);
alter table clients enable row level security;
create policy "office" on clients for select using (organisation_id = (select organisation_id from users where id = auth.uid()));
create table meals (id uuid primary key default gen_random_uuid(), client_id uuid references clients, witness_staff_id uuid references users, administered_by uuid references users, note text);
alter table meals enable row level security;
create policy "office meals" on meals for all using (client_id in (select id from clients where organisation_id = (select organisation_id from users where id = auth.uid())));
create table conversations (id uuid primary key default gen_random_uuid(), title text, body text);
alter table conversations enable row level security;
create table conversation_participants (conversation_id uuid references conversations, user_id uuid references auth.users, primary key (conversation_id, user_id));
alter table conversation_participants enable row level security;
create policy "see them" on conversation_participants for select using (user_id = auth.uid());
create policy "add them" on conversation_participants for insert to authenticated with check (true);
create policy "take part" on conversations for select using (exists (select 1 from conversation_participants p where p.conversation_id = id and p.user_id = auth.uid()));
create table registrations (id uuid primary key default gen_random_uuid(), email text, phone text, payment_status text default 'open');
alter table registrations enable row level security;
create policy "register" on registrations for insert with check (true);
create table workshops (id uuid primary key default gen_random_uuid(), title text, price numeric);
alter table workshops enable row level security;
create policy "manage" on workshops for update to authenticated using (true);
create table monitoring_logs (id uuid primary key default gen_random_uuid(), entry text);
alter table monitoring_logs enable row level security;
create policy "all" on monitoring_logs for all using (true);
create function close_expired_workshops() returns void language sql security definer as $$ update public.workshops set title = 'closed' where price > 0 $$;
create view checked as select u.id, u.email from auth.users u;`,
  })
  const chats = of(3, 'policy public.chats "Visitors can create chats"').fix
  expect(chats.code).toContain('with check ((user_id is null or user_id = (select auth.uid())))')
  expect(chats.proved).toBe(true)
  expect(of(3, 'policy public.inquiries "Anyone may ask"').fix.code).toMatch(/length\(body\) > 3.* and \(user_id is null or/)
  expect(of(3, 'policy public.leads "Anyone leaves an address"').fix.code).toMatch(/^drop policy/)
  const meals = of(3, 'policy public.meals "office meals"')
  expect(meals.severity).toBe('High')
  expect(meals.fix.code).toMatch(/for insert to authenticated\n {2}with check \([^;]*\(select auth\.uid\(\)\) = administered_by\);/)
  expect(meals.fix.code).toMatch(/for update to authenticated\n {2}using \((?:(?!administered_by)[^;])*;/)
  expect(meals.fix.proved).toBe(true)
  expect(of(3, 'policy public.conversation_participants "add them"').fix.code).toMatch(/^drop policy "?add them"? on public\.conversation_participants;\n-- /)
  expect(of(3, 'policy public.registrations "register"')).toMatchObject({ severity: 'Critical', attack: expect.stringContaining('(payment_status)') })
  expect(of(4, 'policy public.workshops "manage"')).toMatchObject({
    severity: 'Critical',
    attack: expect.stringMatching(/everybody depends on in workshops, price included/),
  })
  expect(of(4, 'policy public.monitoring_logs "all"')).toMatchObject({ severity: 'High', attack: expect.stringMatching(/every row in monitoring_logs/) })
  expect(of(4, 'function public.close_expired_workshops()').severity).toBe('High')
  expect(of(2, 'view public.checked').fix.code).toContain('revoke select on public.checked')
})

test('what code reads with the rights of whoever visits is not taken from it in silence', async () => {
  const fixes = Object.fromEntries(
    (
      await auditFiles({
        'package.json': '{ "name": "contest", "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0" } }',
        'supabase/migrations/1.sql': `create table admin_users (id uuid primary key default gen_random_uuid(), email text unique, role text);
create table sessions (id uuid primary key default gen_random_uuid(), city text, year int);
create table candidates (id uuid primary key default gen_random_uuid(), stage_name text, email text, phone text);
create table reset_tokens (id uuid primary key default gen_random_uuid(), token text);
`,
        'lib/server.ts': SESSION_CLIENT,
        'app/admin/page.tsx': `import { redirect } from 'next/navigation'
import { createClient } from '../../lib/server'
export default async function Page() {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) redirect('/login')
  const { data: admin } = await supabase.from('admin_users').select('role').eq('email', user.email).maybeSingle()
  if (!admin) redirect('/login')
  return null
}
`,
        'app/page.tsx': `import { createClient } from '../lib/server'
export default async function Page() {
  const supabase = await createClient()
  await supabase.from('sessions').select('*')
  await supabase.from('candidates').select('*')
  return null
}
`,
      })
    ).checks
      .find((c) => c.number === 1)
      ?.findings.map((f) => [f.subject, `${f.fix.text}\n${f.fix.code}`]) ?? [],
  )
  expect(fixes['table public.admin_users']).toMatch(
    /app\/admin\/page\.tsx:7 looks whoever calls up[\s\S]*using \(email = \(select auth\.jwt\(\) ->> 'email'\)\)/,
  )
  expect(fixes['table public.sessions']).toMatch(/app\/page\.tsx:4 uses it[\s\S]*for select to anon, authenticated/)
  expect(fixes['table public.candidates']).toMatch(/stops what app\/page\.tsx:5 does[\s\S]*without email and phone/)
  expect(fixes['table public.candidates']).not.toMatch(/create policy/)
  expect(fixes['table public.reset_tokens']).toMatch(/No policy is needed/)
})

test('an open policy is not handed to administrators whom nobody can be, nor what visitors send in to administrators', async () => {
  const schema = (key: string) => `create table admin_users (${key}, email text unique not null, role text not null check (role in ('head', 'helper')));
alter table admin_users enable row level security;
create policy "Users see themselves" on admin_users for select using (id = auth.uid());
create table news (id uuid primary key, title text);
alter table news enable row level security;
create policy "Admins manage news" on news for all using (exists (select 1 from admin_users where admin_users.id = auth.uid()));
create table posts (id uuid primary key, title text);
alter table posts enable row level security;
create policy "Staff can do anything" on posts for all using (true) with check (true);
create table letters (id uuid primary key, body text);
alter table letters enable row level security;
create policy "Anyone can write" on letters for insert with check (true);`
  const made = await findingsOf({ 'supabase/migrations/1.sql': schema('id uuid primary key default gen_random_uuid()') })
  expect(made(4, 'policy public.posts "Staff can do anything"').fix.code).not.toMatch(/admin_users/)
  const bound = await findingsOf({ 'supabase/migrations/1.sql': schema('id uuid primary key references auth.users') })
  expect(bound(4, 'policy public.posts "Staff can do anything"').fix.code).toMatch(/admin_users\.id = auth\.uid\(\)/)
  expect(bound(3, 'policy public.letters "Anyone can write"').fix.code).not.toMatch(/create policy/)
})

test('what the code goes on doing: what a query compares is not written, ids of another service are no UUIDs, pages call functions', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function seen(id: string, user: string) {
  await supabase.from('messages').update({ is_read: true }).eq('sender_id', user).eq('receiver_id', id)
  await supabase.from('chat_messages').update({ content: 'x' }).eq('id', id)
  await supabase.rpc('take_points', { p_user_id: user })
  await supabase.rpc('close_day')
  await supabase.from('purses').update({ points: 5 }).eq('user_id', user)
}
export async function more(id: string, user: string) {
  await supabase.from('purses').update({ points: 6 }).eq('user_id', user)
  return supabase.from('visitors').select('*')
}
`,
    'supabase/migrations/1.sql': `create table messages (id uuid primary key default gen_random_uuid(), sender_id uuid not null references auth.users, receiver_id uuid not null references auth.users, content text, is_read boolean default false);
create table chat_messages (id uuid primary key default gen_random_uuid(), sender_id uuid not null references auth.users, receiver_id uuid not null references auth.users, content text, is_read boolean default false);
alter table messages enable row level security;
alter table chat_messages enable row level security;
create policy "see" on messages for select using (auth.uid() in (sender_id, receiver_id));
create policy "see" on chat_messages for select using (auth.uid() in (sender_id, receiver_id));
create policy "mark as read" on messages for update using (auth.uid() = receiver_id);
create policy "mark as read" on chat_messages for update using (auth.uid() = receiver_id);
create table members (id text primary key, name text, email text);
alter table members enable row level security;
create policy "everybody" on members for select using (true);
create policy "change" on members for update using ((auth.jwt() ->> 'sub') = id);
create table purses (user_id uuid primary key references auth.users, points int not null default 0, wallet_balance numeric);
create table visitors (id uuid primary key default gen_random_uuid(), email text);
alter table purses enable row level security;
alter table visitors enable row level security;
create policy "own" on purses for all using (auth.uid() = user_id);
create policy "all" on visitors for select using (true);
create function take_points(p_user_id uuid) returns setof purses language sql security definer as $$ update purses set points = points - 1 where user_id = p_user_id; select * from purses where user_id = p_user_id $$;
create function close_day() returns void language sql security definer as $$ delete from visitors $$;
create function read_points(p_user_id uuid) returns setof purses language sql security definer as $$ select * from purses where user_id = p_user_id $$;`,
  })
  const points = of(4, 'function public.take_points(uuid)')
  expect(points.alsoFails).toEqual([2])
  expect(points.message).toContain('It also returns rows of public.purses')
  expect(points.fix.text).toMatch(
    /main\.tsx:5 calls it in the browser .*p_user_id is distinct from auth\.uid\(\).*take the privilege from public and anon alone/,
  )
  expect(() => of(2, 'function public.take_points(uuid)')).toThrow(/no finding/)
  expect(of(2, 'function public.read_points(uuid)').fix.text).not.toContain('in the browser')
  expect(of(4, 'function public.close_day()').fix.text).toContain('make the call on the server, or let the function find out')
  expect(of(4, 'policy public.purses "own"').fix.text).toMatch(/main\.tsx:7 and src\/main\.tsx:10 write points .* and are refused then/)
  const visitors = of(2, 'policy public.visitors "all"').fix.text
  expect(visitors).toMatch(/nothing in such a row says whose it is.*main\.tsx:11 reads them .* finds none without the policy/)
  expect(of(4, 'policy public.messages "mark as read"').fix.text).not.toContain('is refused then')
  expect(of(4, 'policy public.chat_messages "mark as read"').fix.text).toMatch(/main\.tsx:4 writes content with .* is refused then/)
  const members = of(2, 'policy public.members "everybody"').fix
  expect(members).toMatchObject({ proved: true, code: expect.stringContaining("using ((select auth.jwt() ->> 'sub') = id)") })
})

test('pages for administrators go on with all rows, and what visitors are shown stays shown', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'package.json': '{"dependencies":{"@supabase/supabase-js":"2","vite":"5","react":"18","react-router-dom":"6"}}',
    'src/main.tsx': "import './pages/Events'\nimport './pages/Mine'\nimport './pages/Contact'\nimport './pages/admin/Office'\n",
    'src/pages/Events.tsx': "import { supabase } from '../client'\nexport const load = () => supabase.from('events').select('*')\n",
    'src/pages/Mine.tsx': "import { supabase } from '../client'\nexport const load = () => supabase.from('visits').select('*')\n",
    'src/pages/Contact.tsx': "import { supabase } from '../client'\nexport const send = (email: string) => supabase.from('letters').insert({ email })\n",
    'src/pages/admin/Office.tsx': `import { supabase } from '../../client'
export async function load() {
  await supabase.from('letters').select('*')
  await supabase.from('visits').update({ answer: 'x' }).eq('id', 1)
  await supabase.from('campaigns').select('*')
}
`,
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users, role text not null default 'user');
alter table profiles enable row level security;
create policy "own" on profiles for select using (id = auth.uid());
create table events (id uuid primary key, title text, created_by uuid references auth.users);
create table letters (id uuid primary key, email text, body text);
create table visits (id uuid primary key, user_id uuid not null references auth.users, answer text, responded_by uuid references auth.users);
create table campaigns (id uuid primary key, subject text, created_by uuid references auth.users);`,
  })
  const fixOf = (table: string) => {
    const { fix } = of(1, `table public.${table}`)
    return `${fix.text}\n${fix.code}`
  }
  expect(fixOf('events')).toMatch(/src\/pages\/Events\.tsx:2 shows rows[\s\S]*for select to anon, authenticated[\s\S]*Administrators manage all rows/)
  expect(fixOf('letters')).toMatch(
    /admin\/Office\.tsx:3[\s\S]*Contact\.tsx:2 adds belongs on the server[\s\S]*create or replace function public\.is_admin\(\)[\s\S]*role = 'admin'/,
  )
  expect(fixOf('letters')).not.toMatch(/anon, authenticated/)
  expect(fixOf('visits')).toMatch(/= user_id[\s\S]*admin\/Office\.tsx:4|admin\/Office\.tsx:4[\s\S]*= user_id[\s\S]*Administrators manage all rows/)
  expect(fixOf('campaigns')).not.toMatch(/created_by/)
})

test('a policy that is closed keeps whom its other alternatives let in, and what it asks beside the owner', async () => {
  const of = await findingsOf({
    'supabase/migrations/1.sql': `create table user_roles (user_id uuid primary key references auth.users, role text not null default 'user');
create table passes (user_id uuid primary key references auth.users, kind text);
create table rooms (id uuid primary key default gen_random_uuid(), type text not null, created_by uuid not null references auth.users);
create table room_members (room_id uuid references rooms, user_id uuid references auth.users, primary key (room_id, user_id));
create table lines (id uuid primary key default gen_random_uuid(), room_id uuid not null references rooms, user_id uuid not null references auth.users, private_note text);
create table ledgers (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, email text);
alter table user_roles enable row level security;
alter table passes enable row level security;
alter table rooms enable row level security;
alter table room_members enable row level security;
alter table lines enable row level security;
alter table ledgers enable row level security;
create policy "own" on user_roles for select using (user_id = auth.uid());
create policy "own" on passes for select using (user_id = auth.uid());
create policy "own" on room_members for select using (user_id = auth.uid());
create policy "own" on rooms for select using (created_by = auth.uid());
create policy "read" on lines for select to authenticated using (
  exists (select 1 from user_roles r where r.user_id = auth.uid() and r.role = 'admin')
  or exists (select 1 from passes p where p.user_id = auth.uid() and p.kind = 'gold')
  or exists (select 1 from room_members m where m.room_id = lines.room_id and m.user_id = auth.uid()));
create policy "found" on rooms for insert to authenticated with check (type = 'market' or type = 'club');
create policy "System can update ledgers" on ledgers for update using (true);
insert into storage.buckets (id, name, public) values ('clips', 'clips', false);
create policy "holders upload" on storage.objects for insert to authenticated with check (bucket_id = 'clips' and exists (select 1 from public.passes p where p.user_id = auth.uid() and p.kind = 'gold'));`,
  })
  const read = of(2, 'policy public.lines "read"')
  expect(read.message).toContain("public.passes where kind = 'gold'")
  expect(read.fix.proved).toBe(true)
  expect(read.fix.code).toMatch(/auth\.uid\(\)\) = user_id\s+or [\s\S]*'admin'[\s\S]*\bor [\s\S]*room_members/)
  expect(read.fix.code).not.toContain('gold')
  expect(of(3, 'policy public.rooms "found"').fix.code).toMatch(/with check \([\s\S]*'market'[\s\S]*'club'[\s\S]*and \(select auth\.uid\(\)\) = created_by\);/)
  expect(of(4, 'policy public.ledgers "System can update ledgers"').fix).toMatchObject({
    text: expect.stringContaining('by its name it is for the server'),
    code: expect.stringMatching(/^drop policy [^;]*;\n--/),
  })
  expect(of(6, 'policy storage.objects "holders upload"').fix.code).toMatch(/'gold'[\s\S]*and \(storage\.foldername\(name\)\)\[1\] = /)
})

test('a policy for everything is replaced where owners need it and nowhere else, and rows that people share are shown to each of them', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function save(id: string) {
  await supabase.from('notes').insert({ user_id: id, body: 'x' })
  await supabase.from('sketches').insert({ user_id: id, body: 'x' })
  await supabase.from('deals').update({ note: 'x' }).eq('id', 1)
}
`,
    'supabase/migrations/1.sql': `create table notes (id uuid primary key, user_id uuid not null references auth.users, body text);
alter table notes enable row level security;
create policy "own" on notes for all using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy "allow all" on notes for all using (true) with check (true);
create table sketches (id uuid primary key, user_id uuid not null references auth.users, body text);
alter table sketches enable row level security;
create policy "own rows" on sketches for select using (user_id = auth.uid());
create policy "allow everything" on sketches for all using (true) with check (true);
create table deals (id uuid primary key, seller_id uuid not null references auth.users, buyer_id uuid not null references auth.users, note text);`,
  })
  const notes = of(3, 'policy public.notes "allow all"').fix
  expect(notes.text).toMatch(/^Drop the policy: another one/)
  expect(notes.text).not.toMatch(/src\/main/)
  const sketches = of(3, 'policy public.sketches "allow everything"').fix
  expect(sketches.code).toMatch(/owner for select stay[\s\S]*for insert to authenticated[\s\S]*for update[\s\S]*for delete/)
  expect(sketches.code).not.toMatch(/for select to/)
  const deals = of(1, 'table public.deals').fix
  expect(deals.code).toMatch(/in \(buyer_id, seller_id\)/)
  expect(deals.text).toMatch(/src\/main\.tsx:5 writes rows/)
})

test('what several people work with is opened to those whom other policies let reach it, and not to its author alone nor to everybody', async () => {
  const asks = (table: string, word: string) => `alter table ${table} enable row level security;
create policy "see ${table}" on ${table} for select to authenticated using (may_reach(auth.uid(), project_id));
create policy "do ${table}" on ${table} for insert to authenticated with check (has_module_permission(auth.uid(), '${word}'));`
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function work(id: string) {
  await supabase.from('budgets').insert({ created_by: id, total: 1 })
  await supabase.from('budget_items').select('*')
  await supabase.from('suppliers').select('*')
  await supabase.from('diaries').insert({ user_id: id, body: 'x' })
  await supabase.from('closed_days').delete().eq('id', id)
  await supabase.from('closed_days').select('*')
}
`,
    'supabase/migrations/1.sql': `create table projects (id uuid primary key, created_by uuid references auth.users, name text);
create table people (project_id uuid references projects, user_id uuid references auth.users);
create table rights (user_id uuid references auth.users, module text);
alter table projects enable row level security;
alter table people enable row level security;
alter table rights enable row level security;
create policy "own" on people for select using (user_id = auth.uid());
create policy "own" on rights for select using (user_id = auth.uid());
create function may_reach(p_user uuid, p_project uuid) returns boolean language sql stable security definer as $$ select exists (select 1 from people where user_id = p_user and project_id = p_project) $$;
create function has_module_permission(p_user uuid, p_module text) returns boolean language sql stable security definer as $$ select exists (select 1 from rights where user_id = p_user and module = p_module) $$;
create policy "see" on projects for select to authenticated using (may_reach(auth.uid(), id));
create table plans (id uuid primary key, project_id uuid references projects, created_by uuid references auth.users);
create table stages (id uuid primary key, project_id uuid references projects);
create table reports (id uuid primary key, project_id uuid references projects);
${['plans', 'stages', 'reports'].map((t) => asks(t, t)).join('\n')}
create table budgets (id uuid primary key, project_id uuid references projects, created_by uuid references auth.users, total numeric);
create table budget_items (id uuid primary key, budget_id uuid references budgets, cost numeric);
create table files (id uuid primary key, project_id uuid references projects, uploaded_by uuid references auth.users);
alter table files enable row level security;
create table suppliers (id uuid primary key, title text, terms text);
create table diaries (id uuid primary key, user_id uuid references auth.users, project_id uuid references projects, body text);
create table closed_days (id uuid primary key, day date);
create policy "see days" on closed_days for select to authenticated using (has_module_permission(auth.uid(), 'days'));
create policy "drop days" on closed_days for delete to authenticated using (true);`,
  })
  const reached = /for select to authenticated\n {2}using \(public\.may_reach\(\(select auth\.uid\(\)\), project_id\)\);\n--/
  expect(of(1, 'table public.budgets').fix.code).toMatch(reached)
  expect(of(1, 'table public.budgets').fix.text).toContain('src/main.tsx:3 writes rows with the rights of whoever visits')
  expect(of(1, 'table public.budget_items').fix.code).toContain(
    'from public.budgets p\n    where p.id = budget_items.budget_id and public.may_reach((select auth.uid()), p.project_id)',
  )
  expect(of(2, 'table public.files').fix.code).toContain('using (public.may_reach((select auth.uid()), project_id))')
  const suppliers = of(1, 'table public.suppliers').fix
  expect(suppliers.code).not.toContain('create policy')
  expect(suppliers.text).toMatch(/others ask has_module_permission\(\).* Without them src\/main\.tsx:5 finds nothing/)
  expect(of(1, 'table public.diaries').fix.code).toContain('using ((select auth.uid()) = user_id)')
  const days = of(1, 'table public.closed_days').fix
  expect(days.code).toBe('alter table public.closed_days enable row level security;\ndrop policy "drop days" on public.closed_days;')
  expect(days.text).toContain('delete (src/main.tsx:7)')
})

test('files go on lying where the code puts them: another policy of the bucket says whose they are, and a root has no folder', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function save(project: { id: string }, file: File, pathOf: (f: File) => string) {
  await supabase.storage.from('plans').upload(\`\${project.id}/\${file.name}\`, file)
  await supabase.storage.from('logos').upload(\`logo-\${Date.now()}.png\`, file)
  await supabase.storage.from('papers').upload(pathOf(file), file)
  await supabase.storage.from('mixed').upload(\`news/\${file.name}\`, file)
  await supabase.storage.from('mixed').upload(pathOf(file), file)
}
`,
    'supabase/migrations/1.sql': `create table people (project_id uuid, user_id uuid references auth.users);
alter table people enable row level security;
create policy "own" on people for select using (user_id = auth.uid());
create function projects_of(p_user uuid) returns uuid[] language sql stable security definer as $$ select array_agg(project_id) from people where user_id = p_user $$;
insert into storage.buckets (id, name, public) values ('plans', 'plans', false), ('logos', 'logos', false), ('papers', 'papers', false), ('mixed', 'mixed', false);
create policy "read plans" on storage.objects for select to authenticated using (bucket_id = 'plans' and split_part(name, '/', 1)::uuid = any (projects_of(auth.uid())));
create policy "put plans" on storage.objects for insert to authenticated with check (bucket_id = 'plans');
create policy "all plans" on storage.objects for select to authenticated using (bucket_id = 'plans');
create policy "put logos" on storage.objects for insert to authenticated with check (bucket_id = 'logos');
create policy "drop logos" on storage.objects for delete to authenticated using (bucket_id = 'logos');
create policy "put papers" on storage.objects for insert to authenticated with check (bucket_id = 'papers');
create policy "put mixed" on storage.objects for insert to authenticated with check (bucket_id = 'mixed');`,
  })
  const fix = (name: string) => of(6, `policy storage.objects "${name}"`).fix
  expect(fix('put plans').code).toContain('= ANY (public.projects_of(auth.uid())')
  expect(fix('put plans').text).toBe('Let the policy ask what "read plans" asks of names in the same bucket.')
  expect(fix('all plans').code).toBe('drop policy "all plans" on storage.objects;\n-- the policy "read plans" stays')
  expect(fix('put logos').text).toContain('at the root of the bucket (src/main.tsx:4), which that refuses')
  expect(fix('drop logos').code).toContain('owner_id = (select auth.uid())::text')
  expect(fix('put papers').text).toContain('where the code uploads (src/main.tsx:5) is not to be seen')
  expect(fix('put mixed').code).toBeUndefined()
  expect(fix('put mixed').text).toContain(
    "under news/ (src/main.tsx:6), so their folder is nobody's id, and elsewhere under one that is not to be seen there (src/main.tsx:7)",
  )
})

test('advice leaves what a policy asks of the new row, those who act on others, readers of a view and what was used up as they are', async () => {
  const of = await findingsOf({
    ...BROWSER_APPLICATION,
    'src/main.tsx': `import { supabase } from './client'
export async function act(id: string) {
  await supabase.rpc('remove_from_chat', { p_chat: id, p_user_id: id })
  await supabase.from('notices').insert({ user_id: id, body: 'x' })
}
`,
    'supabase/migrations/1.sql': `create table people (user_id uuid primary key references auth.users, role text not null default 'guest');
alter table people enable row level security;
create policy "own" on people for select using (user_id = auth.uid());
create function is_admin() returns boolean language sql stable security definer as $$ select exists (select 1 from people where user_id = auth.uid() and role = 'admin') $$;
create function moderates(p_user uuid, p_chat uuid) returns boolean language sql stable security definer as $$ select exists (select 1 from people where user_id = p_user and role = 'moderator') $$;
create table proposals (id uuid primary key, created_by uuid references auth.users, status text not null default 'open', title text);
alter table proposals enable row level security;
create policy "see" on proposals for select using (created_by = auth.uid());
create policy "cancel" on proposals for update using (created_by = auth.uid() and status = 'open') with check (status = 'cancelled');
create table chat_people (chat_id uuid, user_id uuid references auth.users, is_active boolean, primary key (chat_id, user_id));
alter table chat_people enable row level security;
create policy "see" on chat_people for select using (user_id = auth.uid());
create policy "moderate" on chat_people for update using (moderates(auth.uid(), chat_id));
create function remove_from_chat(p_chat uuid, p_user_id uuid) returns void language plpgsql security definer as $$ begin update chat_people set is_active = false where chat_id = p_chat and user_id = p_user_id; end $$;
create table papers (id uuid primary key, user_id uuid references auth.users, body text);
alter table papers enable row level security;
create view paper_list as select id, user_id, body from papers;
create table usage_tracking (user_id uuid primary key references auth.users, plan_tier text, analyses_count int);
alter table usage_tracking enable row level security;
create policy "own" on usage_tracking for all using (user_id = auth.uid());
create table notices (id uuid primary key, user_id uuid references auth.users, body text);
alter table notices enable row level security;
create policy "own" on notices for select using (user_id = auth.uid());
create policy "admins" on notices for all using (is_admin());
create policy "system inserts" on notices for insert with check (true);`,
  })
  const cancel = of(4, 'policy public.proposals "cancel"').fix
  expect(cancel.code).toContain('revoke update on public.proposals')
  expect(cancel.text).toContain('what WITH CHECK asks of the new row stays')
  expect(of(4, 'function public.remove_from_chat(uuid, uuid)').fix.text).toContain('as the policy "moderate" on public.chat_people does')
  expect(of(2, 'view public.paper_list').fix.text).toContain('No policy lets anybody read public.papers')
  expect(of(4, 'policy public.usage_tracking "own"').fix.code).toContain('revoke insert, update, delete on public.usage_tracking')
  expect(of(3, 'policy public.notices "system inserts"').fix.text).toContain(
    'src/main.tsx:4 adds rows with the rights of whoever visits and fails without the policy',
  )
})

test('rights are written by nobody for himself, the work of a house by its roles, and what is kept inside stays inside', async () => {
  const of = await findingsOf({
    'supabase/migrations/1.sql': `create table user_roles (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, role text not null);
alter table user_roles enable row level security;
create policy "own roles" on user_roles for select using (auth.uid() = user_id);
create function has_role(u uuid, r text) returns boolean language sql stable security definer as $$ select exists (select 1 from user_roles where user_id = u and role = r) $$;
create table user_acessos (user_id uuid primary key references auth.users, acesso_total boolean not null default false, lojas text[]);
alter table user_acessos enable row level security;
create policy "anyone manages" on user_acessos for all to authenticated using (true) with check (true);
create table parcels (id uuid primary key default gen_random_uuid(), phone text, received_by uuid references auth.users);
alter table parcels enable row level security;
create policy "desk" on parcels for all to authenticated using (has_role(auth.uid(), 'admin') or has_role(auth.uid(), 'clerk')) with check (has_role(auth.uid(), 'admin') or has_role(auth.uid(), 'clerk'));
create table calls (id uuid primary key default gen_random_uuid(), phone text);
alter table calls enable row level security;
create policy "desk" on calls for all to authenticated using (has_role(auth.uid(), 'admin') or has_role(auth.uid(), 'clerk')) with check (has_role(auth.uid(), 'admin') or has_role(auth.uid(), 'clerk'));
create table enquiries (id uuid primary key default gen_random_uuid(), email text, phone text, created_by uuid references auth.users);
alter table enquiries enable row level security;
create policy "all see" on enquiries for select to authenticated using (true);
create policy "all add" on enquiries for insert to authenticated with check (true);
create table diaries (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, body text);
alter table diaries enable row level security;
create policy "all see" on diaries for select to authenticated using (true);
create table api_usage_tracking (id uuid primary key default gen_random_uuid(), cost numeric);
alter table api_usage_tracking enable row level security;
create policy "service manages" on api_usage_tracking for all using (true);
create policy "admins manage" on api_usage_tracking for all using (has_role(auth.uid(), 'admin'));
create table import_runs (id uuid primary key default gen_random_uuid(), rows int);
alter table import_runs enable row level security;
create policy "service runs" on import_runs for all using (true);`,
  })
  const code = (check: number, subject: string) => of(check, `policy public.${subject}`).fix.code ?? ''
  const rights = code(4, 'user_acessos "anyone manages"')
  expect(rights).toContain('"Users see their own rows" on public.user_acessos\n  for select')
  expect(rights).not.toMatch(/for (?:insert|update|all) to authenticated\s+(?:using|with check) \(\(select auth\.uid\(\)\) = user_id\)/)
  expect(code(2, 'enquiries "all see"')).toMatch(/\(staff\)" on public\.enquiries\n {2}for select[^;]*'admin'[^;]*'clerk'/)
  expect(code(3, 'enquiries "all add"')).toMatch(/'clerk'[^;]*created_by is null or created_by = /)
  expect(code(2, 'diaries "all see"')).toContain('(select auth.uid()) = user_id')
  expect(code(4, 'api_usage_tracking "service manages"')).toMatch(/^drop policy "service manages"[^;]*;\n-- "admins manage": this policy lets in/)
  expect(code(4, 'import_runs "service runs"')).not.toContain('may read')
})

test('where a row alone lets in, the fix is that browsers add none; what its columns say is kept where other policies ask for it', async () => {
  const tables = `create table staff_profiles (user_id uuid primary key references auth.users, role text not null default 'staff');
create table moderators (user_id uuid primary key references auth.users, level text not null default 'none', role text not null default 'none');
create table patients (id uuid primary key, name text not null);
create table reports (id uuid primary key, body text not null);
alter table staff_profiles enable row level security;
alter table moderators enable row level security;
alter table patients enable row level security;
alter table reports enable row level security;
create policy "own" on staff_profiles for insert to authenticated with check (user_id = auth.uid());
create policy "own" on moderators for insert to authenticated with check (user_id = auth.uid());
create policy "staff" on patients for select using (exists (select 1 from staff_profiles s where s.user_id = auth.uid()));
create policy "moderators" on reports for select using (exists (select 1 from moderators m where m.user_id = auth.uid() and m.role = 'moderator'));`
  const of = await findingsOf({ ...BROWSER_APPLICATION, 'supabase/migrations/1.sql': tables })
  const staff = of(3, 'policy public.staff_profiles "own"')
  expect(staff.title).toMatch(/can make himself one of staff_profiles/)
  expect(staff.message).toMatch(/gets in at public\.patients/)
  expect(staff.fix.code).toMatch(/^drop policy "own" on public\.staff_profiles;/)
  expect(of(3, 'policy public.moderators "own"').title).toMatch(/grant themselves/)
})

test('rows that all who work here share are opened to those alone who work here, by the function that other policies ask', async () => {
  const tables = (more: string) => ({
    ...BROWSER_APPLICATION,
    'supabase/migrations/1.sql': `create table allowed_users (id uuid primary key default gen_random_uuid(), email text unique not null);
create table rates (id uuid primary key, hourly numeric, created_by uuid);
create table clients (id uuid primary key, full_name text, phone text, created_by uuid);
create table visits (id uuid primary key, client_id uuid references clients, phone text, notes text, created_by uuid references auth.users);
create function is_allowed_staff() returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.allowed_users a where lower(a.email) = lower(auth.jwt() ->> 'email'))
$$;
alter table allowed_users enable row level security;
alter table rates enable row level security;
alter table clients enable row level security;
alter table visits enable row level security;
create policy "staff" on allowed_users for select to authenticated using (is_allowed_staff());
create policy "staff" on rates for all to authenticated using (is_allowed_staff()) with check (is_allowed_staff());
create policy "signed in" on clients for all to authenticated using (true) with check (true);
create policy "signed in" on visits for select to authenticated using (true);
create policy "look" on visits for select to authenticated using (true);
${more}`,
  })
  const house = await findingsOf(tables(''))
  const clients = house(2, 'policy public.clients "signed in"').fix
  expect(clients.text).toMatch(/^Let in those alone who work with such rows/)
  expect(clients.code).toMatch(/using \((?:public\.)?is_allowed_staff\(\)\)\s+with check \((?:public\.)?is_allowed_staff\(\)\)/)
  expect(clients.code).not.toMatch(/auth\.uid/)
  // both go in one
  const visits = house(2, 'policy public.visits "look"').fix
  expect(visits.code).toMatch(/drop policy "look"[\s\S]*is_allowed_staff\(\)[\s\S]*drop policy "signed in"/)
  // where customers have rows of their own, `created_by` may be one of them
  const shop = await findingsOf(
    tables(`create table orders (id uuid primary key, user_id uuid references auth.users, total numeric);
alter table orders enable row level security;
create policy "own" on orders for select to authenticated using (user_id = auth.uid());`),
  )
  expect(shop(2, 'policy public.clients "signed in"').fix.code).toMatch(/auth\.uid\(\)\) = created_by/)
})
