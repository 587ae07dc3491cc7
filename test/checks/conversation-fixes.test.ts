import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

test('a conversation is read by those who take part in it, as far as the schema says who does', async () => {
  const people = 'references auth.users (id)'
  const key = 'id uuid primary key default gen_random_uuid()'
  const open = (table: string) => `alter table ${table} enable row level security;\ncreate policy "read" on ${table} for select to authenticated using (true);`
  const report = await auditFiles({
    'package.json': '{ "name": "talk" }',
    'supabase/migrations/1.sql': `create table conversations (${key}, created_by uuid not null ${people}, title text);
create table conversation_participants (${key}, conversation_id uuid not null references conversations (id), user_id uuid not null ${people});
create table messages (${key}, conversation_id uuid not null references conversations (id), sender_id uuid not null ${people}, content text not null);
alter table conversation_participants enable row level security;
create policy "own" on conversation_participants for select to authenticated using (user_id = auth.uid());
${open('conversations')}
${open('messages')}

create table deals (${key}, buyer_id uuid not null ${people}, seller_id uuid not null ${people});
create table deal_messages (${key}, deal_id uuid not null references deals (id), sender_id uuid not null ${people}, content text not null);
${open('deals')}
${open('deal_messages')}

create table channels (${key}, created_by uuid ${people}, name text);
create table channel_messages (${key}, channel_id uuid not null references channels (id), user_id uuid not null ${people}, content text not null);
${open('channel_messages')}

create table chats (${key}, user_id uuid not null ${people}, title text);
create table chat_messages (${key}, chat_id uuid not null references chats (id), user_id uuid not null ${people}, content text not null);
${open('chat_messages')}

create table group_members (${key}, group_id uuid not null, user_id uuid not null ${people});
create table groups (${key}, created_by uuid not null ${people});
alter table group_members add foreign key (group_id) references groups (id);
alter table group_members enable row level security;
create policy "own" on group_members for select to authenticated using (user_id = auth.uid());
create table group_messages (${key}, group_id uuid not null references groups (id), sender_id uuid not null ${people}, content text not null);
create table group_grades (${key}, group_id uuid not null references groups (id), user_id uuid not null ${people}, grade int);
${open('group_grades')}
`,
  })
  const fixes = Object.fromEntries(
    [1, 2].flatMap((check) => findingsOfCheck(report, check)).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''} ${f.fix.proved ?? ''}`]),
  )
  const byMembers = (table: string, column: string) =>
    new RegExp(
      `those who take part[\\s\\S]*conversation_participants m\\s+where m\\.conversation_id = ${table}\\.${column} and m\\.user_id = \\(select auth\\.uid\\(\\)\\)[\\s\\S]*true$`,
    )
  expect(fixes['policy public.messages "read"']).toMatch(byMembers('messages', 'conversation_id'))
  expect(fixes['policy public.conversations "read"']).toMatch(byMembers('conversations', 'id'))
  expect(fixes['policy public.deals "read"']).toMatch(/\(select auth\.uid\(\)\) in \(buyer_id, seller_id\)[\s\S]*true$/)
  expect(fixes['policy public.deal_messages "read"']).toMatch(
    /from public\.deals p\s+where p\.id = deal_messages\.deal_id and \(select auth\.uid\(\)\) in \(p\.buyer_id, p\.seller_id\)[\s\S]*true$/,
  )
  // nothing says who takes part: own rows alone would end the conversation
  expect(fixes['policy public.channel_messages "read"']).toMatch(/nothing says who takes part/)
  expect(fixes['policy public.channel_messages "read"']).not.toMatch(/create policy/)
  // a conversation with a model has one user
  expect(fixes['policy public.chat_messages "read"']).toMatch(/\(own rows\)[\s\S]*\(select auth\.uid\(\)\) = user_id/)
  // what somebody is given in a group is not the group's to read
  expect(fixes['policy public.group_grades "read"']).toMatch(/\(own rows\)[\s\S]*\(select auth\.uid\(\)\) = user_id/)
  expect(fixes['table public.group_messages']).toMatch(
    /take part in it[\s\S]*"Participants read"[\s\S]*group_members m[\s\S]*for insert[\s\S]*= sender_id\s+and exists[\s\S]*true$/,
  )
})
