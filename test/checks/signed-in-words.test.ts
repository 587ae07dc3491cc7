import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

/** Conditions that are true for everybody who is signed in, and for nobody else. */
const SIGNED_IN = { to_role: 'to authenticated true', by_role: "to public auth.role() = 'authenticated'", by_id: 'to public auth.uid() is not null' } as const

/** Tables and policies that are open in every way that the checks tell apart, to whoever the condition lets in. */
function openTo(name: string, rule: string): string {
  const [, roles, condition] = /^(to \w+) (.+)$/.exec(rule) as unknown as [string, string, string]
  const to = roles === 'to public' ? '' : roles
  return `create table ${name}_notes (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, email text, body text);
alter table ${name}_notes enable row level security;
create policy "read" on ${name}_notes for select ${to} using (${condition});
create policy "add" on ${name}_notes for insert ${to} with check (${condition});
create policy "change" on ${name}_notes for update ${to} using (${condition}) with check (${condition});
create table ${name}_claims (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, body text);
alter table ${name}_claims enable row level security;
create policy "own" on ${name}_claims for select using (auth.uid() = user_id);
create policy "take" on ${name}_claims for update ${to} using (user_id is null and ${condition}) with check (${condition});
create table ${name}_levels (id uuid primary key default gen_random_uuid(), label text);
alter table ${name}_levels enable row level security;
create policy "all" on ${name}_levels for all ${to} using (${condition}) with check (${condition});
create table ${name}_turned (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, email text);
alter table ${name}_turned enable row level security;
create policy "turned" on ${name}_turned for select ${to} using (${condition} and auth.uid() <> user_id);
create policy "files" on storage.objects for all ${to} using (bucket_id = '${name}' and ${condition}) with check (bucket_id = '${name}' and ${condition});
`.replace('"files"', `"files of ${name}"`)
}

const SHARED = `create function may_enter() returns boolean language sql stable security definer as $$ select auth.uid() is not null $$;
create table rooms (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, email text);
create table lockers (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users, email text);
alter table rooms enable row level security;
alter table lockers enable row level security;
create policy "enter" on rooms for all using (may_enter());
create policy "open" on lockers for all using (may_enter());
create function clear_rooms(p_room uuid) returns void language sql security definer as $$ delete from rooms where id = p_room $$;
revoke execute on function clear_rooms(uuid) from public, anon;
insert into storage.buckets (id, name, public) values ('to_role', 'to_role', true), ('by_role', 'by_role', false), ('by_id', 'by_id', false);
create policy "old list" on storage.objects for select to authenticated using (bucket_id = 'to_role');
`

/** All people, without the half sentence that says they need an account; not who is named, or who needs the rows. */
const ALL_PEOPLE = /(?<!may name )\b(?:every(?:one|body)|any(?:one|body))\b(?! who (?:is signed in|signs up|has)| else| depends on|'s)/i

test('what only those may do who are signed in is said of them', async () => {
  const report = await auditFiles({
    'supabase/config.toml': 'project_id = "a"\n',
    'supabase/migrations/1_a.sql': [...Object.entries(SIGNED_IN).map(([name, rule]) => openTo(name, rule)), SHARED].join(''),
  })
  const findings = report.checks.filter((c) => c.id.startsWith('rls/')).flatMap((c) => c.findings)
  const subjects = findings.filter((f) => !f.subject.startsWith('bucket ')).map((f) => f.subject)
  for (const name of Object.keys(SIGNED_IN))
    for (const policy of ['notes "read"', 'notes "add"', 'notes "change"', 'claims "take"', 'levels "all"', 'turned "turned"'])
      expect(subjects, `${name}_${policy}`).toContain(`policy public.${name}_${policy}`)
  expect(subjects).toEqual(expect.arrayContaining(['function public.may_enter()', 'function public.clear_rooms(uuid)']))
  const said = findings
    .filter((f) => !f.subject.startsWith('bucket '))
    .flatMap((f) => [f.title, f.message, f.attack, f.fix.text, ...(f.fix.code ? [f.fix.code] : [])].map((words) => `${f.subject}: ${words}`))
  expect(said.filter((words) => ALL_PEOPLE.test(words) || /to anon/.test(words))).toEqual([])
  const buckets = findings.filter((f) => f.subject.startsWith('bucket ')).flatMap((f) => f.related?.map((r) => r.what) ?? [])
  expect(buckets.length).toBeGreaterThan(0)
  expect(buckets.filter((words) => ALL_PEOPLE.test(words ?? ''))).toEqual([])
})

test('what everybody may do is said of everybody', async () => {
  const report = await auditFiles({ 'supabase/config.toml': 'project_id = "a"\n', 'supabase/migrations/1_a.sql': openTo('open', 'to public true') })
  const titles = report.checks.filter((c) => c.id.startsWith('rls/')).flatMap((c) => c.findings.map((f) => f.title))
  expect(titles).toEqual(
    expect.arrayContaining(['Everybody can read open_notes', 'Anyone can change open_notes', 'Rows of open_claims that have no owner are open to everybody']),
  )
  const codes = report.checks.flatMap((c) => c.findings.map((f) => f.fix.code ?? ''))
  expect(codes.filter((code) => code.includes('"Everyone may read" on public.open_levels\n  for select to anon, authenticated'))).not.toEqual([])
})
