import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

const FIRST = 'supabase/migrations/1_init.sql'

/** Findings of a check over the SQL, and over the SQL followed by what the fixes of the named subjects say. */
async function repaired(number: number, sql: string, subjects: readonly string[]) {
  const findings = async (files: Record<string, string>) => (await auditFiles(files)).checks.find((c) => c.number === number)?.findings ?? []
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
  expect(before).toEqual([policy('upload'), policy('upload again')])
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
