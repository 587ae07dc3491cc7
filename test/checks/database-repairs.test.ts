import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

const FIRST = 'supabase/migrations/1_init.sql'

/** Findings of a check over the SQL, and over the SQL followed by what the fixes of the named subjects say. */
async function repaired(number: number, sql: string, subjects: readonly string[]) {
  const findings = async (files: Record<string, string>) => findingsOfCheck(await auditFiles(files), number)
  const before = await findings({ [FIRST]: sql })
  const fixes = before.filter((f) => subjects.includes(f.subject)).map((f) => f.fix.code ?? '')
  expect(fixes.filter(Boolean)).toHaveLength(subjects.length)
  const after = await findings({ [FIRST]: sql, 'supabase/migrations/2_fix.sql': fixes.join('\n') })
  return { before: before.map((f) => f.subject), after: after.map((f) => f.subject), code: fixes.join('\n') }
}

const policy = (name: string) => `policy storage.objects "${name}"`

test('repairs of two policies with long names do not get in the way of each other', async () => {
  const names = ['Authenticated users can upload attachments of chats', 'Authenticated users can delete attachments of chats'] as const
  const { after } = await repaired(
    6,
    `insert into storage.buckets (id, name, public) values ('chat-files', 'chat-files', false);
create policy "${names[0]}" on storage.objects for insert to authenticated with check (bucket_id = 'chat-files');
create policy "${names[1]}" on storage.objects for delete to authenticated using (bucket_id = 'chat-files');`,
    names.map(policy),
  )
  expect(after).toEqual([])
})

test('where two storage policies are open, the repair of one takes the other away', async () => {
  const { before, after } = await repaired(
    6,
    `insert into storage.buckets (id, name, public) values ('drafts', 'drafts', false);
create policy "upload" on storage.objects for insert to authenticated with check (bucket_id = 'drafts');
create policy "upload again" on storage.objects for insert to authenticated with check (bucket_id = 'drafts' and auth.role() = 'authenticated');`,
    [policy('upload')],
  )
  expect(before).toEqual([policy('upload')])
  expect(after).toEqual([])
})

test('a function whose check only forgets callers without a session stays open to those who have one', async () => {
  const subject = 'function public.leave(uuid)'
  const { after, code } = await repaired(
    4,
    `create table seats (user_id uuid primary key references auth.users, booked boolean);
alter table seats enable row level security;
create policy "own" on seats for select using (user_id = auth.uid());
create function leave(p_user uuid) returns void language plpgsql security definer set search_path = public as $$
begin
  if auth.uid() is not null and p_user <> auth.uid() then raise exception 'not yours'; end if;
  delete from seats where user_id = p_user;
end $$;`,
    [subject],
  )
  expect(after).toEqual([])
  expect(code).toContain('to authenticated, service_role')
})

/** A role that whoever is not signed in has as well. */
const ROLES_FOR_NOBODY = `create table user_roles (user_id uuid references auth.users, role text, primary key (user_id, role));
create table bookings (id uuid primary key, user_id uuid not null references auth.users, phone text);
alter table user_roles enable row level security;
alter table bookings enable row level security;
create function has_role(_user uuid, _role text) returns boolean language sql stable security definer set search_path = public as $$
  select exists (select 1 from user_roles r where r.user_id = _user and r.role = _role) or _user is null
$$;
create policy "own" on bookings for select using (user_id = auth.uid());
create policy "see all" on bookings for select using (has_role(auth.uid(), 'admin'));`

test('a policy whose function says yes to NULL is given to those who are signed in, and administrators keep it', async () => {
  const subjects = ['policy public.bookings "see all"']
  const { before, after, code } = await repaired(2, ROLES_FOR_NOBODY, subjects)
  expect(before).toEqual(subjects)
  expect(after).toEqual([])
  expect(code).toContain('alter policy "see all" on public.bookings to authenticated;')
  expect(code).not.toContain('drop policy')
})

test('a function that says yes to NULL is mended where several policies ask it, and administrators keep them', async () => {
  const subjects = ['function public.has_role(uuid, text)']
  const asked = `${ROLES_FOR_NOBODY}\ncreate policy "manage" on bookings for all using (has_role(auth.uid(), 'admin'));`
  const { before, after, code } = await repaired(2, asked, subjects)
  expect(before).toEqual(subjects)
  expect(after).toEqual([])
  expect(code).toContain('select auth.uid() is not null and coalesce((')
  expect(code).not.toContain('policy')
})

test('a repair compares the caller with no key that a table makes up itself, nor with what refers to it', async () => {
  const subjects = ['policy public.customers "read"', 'policy public.payments "read"']
  const { after, code } = await repaired(
    2,
    `create table customers (id uuid primary key default gen_random_uuid(), email text unique not null);
alter table customers enable row level security;
create policy "read" on customers for select to authenticated using (true);
create table payments (id uuid primary key default gen_random_uuid(), customer_id uuid references customers, amount numeric);
alter table payments enable row level security;
create policy "read" on payments for select to authenticated using (true);`,
    subjects,
  )
  expect(after).not.toContain(subjects[0])
  expect(after).not.toContain(subjects[1])
  expect(code).not.toContain('auth.uid()')
})

test('a repair compares the caller with a key that sign-up fills with the user’s id', async () => {
  const { code } = await repaired(
    2,
    `create table profiles (id uuid primary key default gen_random_uuid(), email text);
alter table profiles enable row level security;
create policy "read" on profiles for select to authenticated using (true);
create function welcome() returns trigger language plpgsql security definer as $$
begin insert into public.profiles (id, email) values (new.id, new.email); return new; end $$;
create trigger welcomed after insert on auth.users for each row execute function welcome();`,
    ['policy public.profiles "read"'],
  )
  expect(code).toContain('(select auth.uid()) = id')
})

test('what the server keeps for itself is opened to nobody by a repair', async () => {
  const { after, code } = await repaired(
    1,
    `create table verification (id text primary key, identifier text not null, value text not null);
create table plans (id text primary key, label text);
create table notes (id uuid primary key, user_id uuid references auth.users);
alter table notes enable row level security;
create policy "own" on notes for select using (user_id = auth.uid());`,
    ['table public.verification', 'table public.plans'],
  )
  expect(after).toEqual([])
  expect(code.split('create policy')).toHaveLength(2)
  expect(code).toMatch(/create policy "Everyone may read" on public\.plans/)
})

test('what the code asks for by the caller’s id is opened to its owners, though the SQL knows no such column', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.5.0", "@supabase/supabase-js": "2.45.0" } }',
    'schema.sql': 'create table tenders (id uuid primary key, title text);\ncreate table plans (id text primary key);',
    'app/api/tenders/route.ts': `import { createClient } from '@supabase/supabase-js'
export async function GET(request: Request) {
  const supabase = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)
  const { data: { user } } = await supabase.auth.getUser(request.headers.get('authorization')!)
  if (!user) return new Response(null, { status: 401 })
  return Response.json(await supabase.from('tenders').select('*').eq('company_id', user.id))
}`,
  })
  const findings = findingsOfCheck(report, 1)
  const codeOf = (subject: string) => findings.find((f) => f.subject === subject)?.fix.code
  expect(codeOf('table public.tenders')).toContain('(select auth.uid())::text = company_id::text')
  expect(codeOf('table public.plans')).toBe('alter table public.plans enable row level security;')
})

test('a repair hands back no column by which other policies let in', async () => {
  const subject = 'policy public.profiles "own row"'
  const { before, code } = await repaired(
    4,
    `create table organizations (id uuid primary key default gen_random_uuid(), name text);
create table profiles (id uuid primary key references auth.users, organization_id uuid not null references organizations, role text default 'helper', full_name text);
create table requests (id uuid primary key default gen_random_uuid(), organization_id uuid not null references organizations, item text);
alter table organizations enable row level security;
alter table profiles enable row level security;
alter table requests enable row level security;
create function my_org() returns uuid language sql stable security definer set search_path = public as $$ select organization_id from profiles where id = auth.uid() $$;
create policy "own row" on profiles for update using (id = auth.uid());
create policy "seen" on profiles for select using (id = auth.uid());
create policy "members" on requests for select using (organization_id = my_org());`,
    [subject],
  )
  expect(before).toEqual([subject])
  expect(code).toContain('grant update (id, full_name) on public.profiles to authenticated')
})

test('a key that a table makes up is the caller’s in no repair, though sign-up writes the id of the user beside it', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "@supabase/supabase-js": "2.45.0" } }',
    [FIRST]: `create table profiles (id uuid primary key default gen_random_uuid(), user_id uuid not null unique references auth.users);
alter table profiles enable row level security;
create policy "own" on profiles for select to authenticated using (user_id = auth.uid());
create table gadgets (id uuid primary key default gen_random_uuid(), profile_id uuid not null references profiles (id) on delete cascade);
alter table gadgets enable row level security;
create policy "own" on gadgets for select to authenticated using (exists (select 1 from profiles p where p.id = profile_id and p.user_id = auth.uid()));
create table readings (id uuid primary key default gen_random_uuid(), gadget_id uuid not null references gadgets (id) on delete cascade, value text);
create function greet() returns trigger language plpgsql security definer set search_path = public as $$
begin
  insert into profiles (user_id) values (new.id);
  return new;
end $$;
create trigger greet after insert on auth.users for each row execute function greet();`,
  })
  const open = findingsOfCheck(report, 1)
  expect(open.map((f) => f.subject)).toEqual(['table public.readings'])
  expect(open[0]?.fix.code).not.toContain('profile_id')
})
