import { expect, test } from 'vitest'
import { NEXT_ON_SUPABASE, SERVICE_CLIENT, SESSION_CLIENT } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingOfCheck } from '../support/reported.ts'

/** The fixes of an audit of these files, by check and subject. */
async function fixesOf(files: Readonly<Record<string, string>>) {
  const report = await auditFiles(files)
  return (check: number, subject: string) => {
    const { fix } = findingOfCheck(report, check, subject)
    return { text: fix.text, code: fix.code ?? '' }
  }
}

test('whose a row is, a row says that it belongs to by others: the look-up goes all the way', async () => {
  const handler = (ask: string) => `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const serviceClient = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const { data: { user } } = await serviceClient.auth.getUser(req.headers.get('Authorization')!.replace('Bearer ', ''))
  if (!user) return new Response(null, { status: 401 })
  const { chapterId, lessonId } = await req.json()
  ${ask}
  return new Response('ok')
})
`
  const fixOf = await fixesOf({
    'supabase/migrations/1.sql': `create table courses (id uuid primary key, teacher_id uuid not null references auth.users, title text);
create table chapters (id uuid primary key, course_id uuid not null references courses (id), title text);
create table lessons (id uuid primary key, chapter_id uuid not null references chapters (id), title text);
alter table courses enable row level security;
alter table chapters enable row level security;
alter table lessons enable row level security;`,
    'supabase/functions/remove-lesson/index.ts': handler("await serviceClient.from('lessons').delete().eq('id', lessonId)"),
    'supabase/functions/remove-chapter/index.ts': handler("await serviceClient.from('lessons').delete().eq('chapter_id', chapterId)"),
  })
  const lesson = fixOf(17, 'function remove-lesson')
  expect(lesson.text).toContain('courses.teacher_id does, at the end of lessons.chapter_id and chapters.course_id')
  expect(lesson.code).toContain(
    "serviceClient.from('lessons').select('id, chapters!inner(courses!inner(teacher_id))').eq('id', lessonId).eq('chapters.courses.teacher_id', user.id)",
  )
  expect(fixOf(17, 'function remove-chapter').code).toContain(
    "serviceClient.from('chapters').select('id, courses!inner(teacher_id)').eq('id', chapterId).eq('courses.teacher_id', user.id)",
  )
})

test('a check is no example that never lets anybody in, reads the body, or asks for a role in one group', async () => {
  const route = (body: string) => `import { createClient, createServiceClient } from '@/lib/server'\n${body}\n`
  const fixOf = await fixesOf({
    ...NEXT_ON_SUPABASE,
    'lib/server.ts': `${SESSION_CLIENT}${SERVICE_CLIENT}`,
    'supabase/migrations/1.sql': `create table clubs (id uuid primary key, name text);
create table club_members (club_id uuid not null references clubs, user_id uuid not null references auth.users, role text not null default 'member', primary key (club_id, user_id));
create table alerts (id uuid primary key, user_id uuid references auth.users, body text);
create table audit_entries (id uuid primary key, what text);
alter table clubs enable row level security;
alter table club_members enable row level security;
alter table alerts enable row level security;`,
    'app/api/alerts/push/route.ts': route(`export async function POST(request: Request) {
  const supabase = createServiceClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return new Response(null, { status: 401 })
  await supabase.from('alerts').insert({ user_id: user.id, body: 'x' })
  return new Response('ok')
}`),
    'app/api/alerts/route.ts': route(`export async function DELETE(request: Request) {
  const supabase = createServiceClient()
  const { id } = await request.json()
  await supabase.from('alerts').delete().eq('id', id)
  return new Response('ok')
}`),
    'app/api/clubs/admit/route.ts': route(`export async function POST(request: Request) {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return new Response(null, { status: 401 })
  const { clubId, userId } = await request.json()
  const { data: membership } = await supabase.from('club_members').select('role').eq('club_id', clubId).eq('user_id', user.id).single()
  if (membership?.role !== 'admin') return new Response(null, { status: 403 })
  await createServiceClient().from('club_members').insert({ club_id: clubId, user_id: userId, role: 'member' })
  return new Response('ok')
}`),
    'app/api/admin/settings/route.ts': route(`export async function POST(request: Request) {
  const supabase = await createClient()
  await createServiceClient().from('clubs').delete().eq('id', (await request.json()).id)
  await supabase.from('audit_entries').insert({ what: 'deleted' })
  return new Response('ok')
}`),
  })
  const open = fixOf(16, 'route DELETE /api/alerts')
  expect(`${open.text} ${open.code}`).not.toMatch(/createServiceClient\(\)|alerts\/push/)
  expect(open.code).toContain('await createClient()')
  const settings = fixOf(16, 'route POST /api/admin/settings')
  expect(`${settings.text} ${settings.code}`).not.toContain('club_members')
  expect(settings.code).not.toContain('request.json()')
  const entries = fixOf(1, 'table public.audit_entries')
  expect(entries.text).toMatch(/add no policy\. Only pages and handlers for administrators \(app\/api\/admin\/settings\/route\.ts:\d+\)/)
  expect(entries.code).toBe('alter table public.audit_entries enable row level security;')
})

test('administrators with a session of their own are let in by their own check, and by no policy', async () => {
  const admin = (body: string) => `import { verifyAdmin } from '@/lib/admin'\nimport { createClient } from '@/lib/server'\n${body}\n`
  const guarded = admin(`export async function GET() {
  if (!(await verifyAdmin())) return new Response(null, { status: 401 })
  const supabase = await createClient()
  return Response.json((await supabase.from('rules').select('*')).data)
}`)
  const fixOf = await fixesOf({
    ...NEXT_ON_SUPABASE,
    'package.json': '{ "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0", "jose": "5.0.0" } }',
    'lib/admin.ts': `import { jwtVerify } from 'jose'
import { cookies } from 'next/headers'
export async function verifyAdmin() {
  const token = (await cookies()).get('admin_session')?.value
  if (!token) return null
  const { payload } = await jwtVerify(token, new TextEncoder().encode(process.env.ADMIN_SESSION_SECRET!))
  return payload
}
`,
    'supabase/migrations/1.sql': `create table admins (id uuid primary key default gen_random_uuid(), email text unique not null, role text);
create table rules (id uuid primary key default gen_random_uuid(), body text);
create table notes (id uuid primary key default gen_random_uuid(), body text);
alter table admins enable row level security;
alter table rules enable row level security;
alter table notes enable row level security;
create policy "admins write notes" on notes for all to authenticated using (exists (select 1 from admins where admins.email = (select email from auth.users where id = auth.uid()) and admins.role = 'owner'));
create policy "Service role manages rules" on rules for all using (true);`,
    'app/api/admin/rules/route.ts': guarded,
    'app/api/admin/rules/list/route.ts': guarded,
    'app/api/admin/rules/clear/route.ts': admin(`export async function POST(request: Request) {
  const supabase = await createClient()
  await supabase.from('rules').delete().eq('id', (await request.json()).id)
  return new Response('ok')
}`),
    'app/admin/rules/page.tsx': `'use client'\nexport default function Page() {\n  return <button onClick={() => fetch('/api/admin/rules/clear', { method: 'POST', body: '{}' })}>clear</button>\n}\n`,
  })
  const rules = fixOf(4, 'policy public.rules "Service role manages rules"')
  expect(rules.code).not.toMatch(/auth\.users|create policy/)
  expect(rules.text).toMatch(/app\/api\/admin\/rules[\w/.]*route\.ts:\d+[\s\S]* with the service role, after it has asked who calls/)
  expect(fixOf(16, 'route POST /api/admin/rules/clear').code).toContain('if (!(await verifyAdmin())) return new Response(null, { status: 403 })')
})

test('what a page shows to visitors stays readable when row level security is switched on, and what is private is given by the server', async () => {
  const page = (table: string, filter = '') => `import { createClient } from '@/lib/server'
export default async function Page() {
  const supabase = await createClient()
  const { data } = await supabase.from('${table}').select('*')${filter}
  return <ul>{data?.map((row) => <li key={row.id}>{row.name}</li>)}</ul>
}
`
  const fixOf = await fixesOf({
    ...NEXT_ON_SUPABASE,
    'supabase/migrations/1.sql': `create table squads (id uuid primary key, captain_id uuid not null references auth.users, name text);
create table members (id uuid primary key, user_id uuid not null references auth.users, name text, phone text);
create table shelves (id uuid primary key, user_id uuid not null references auth.users, name text);`,
    'app/squads/page.tsx': page('squads'),
    'app/people/page.tsx': page('members'),
    'app/shelf/page.tsx': `import { redirect } from 'next/navigation'
import { createClient } from '@/lib/server'
export default async function Page() {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) redirect('/login')
  const { data } = await supabase.from('shelves').select('*').eq('user_id', user.id)
  return <ul>{data?.map((row) => <li key={row.id}>{row.name}</li>)}</ul>
}
`,
    'app/squads/new/actions.ts': `'use server'
import { createClient } from '@/lib/server'
export async function found(name: string) {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) throw new Error('Unauthorized')
  await supabase.from('squads').insert({ captain_id: user.id, name })
}
`,
    'app/squads/new/page.tsx': "import { found } from './actions'\nexport default function Page() {\n  return <form action={() => found('x')} />\n}\n",
  })
  const squads = fixOf(1, 'table public.squads')
  expect(squads.text).toMatch(/app\/squads\/page\.tsx:4 shows rows to visitors, so reading stays open/)
  expect(squads.code).toMatch(
    /"Everyone may read" on public\.squads[\s\S]*for insert to authenticated\n {2}with check \(\(select auth\.uid\(\)\) = captain_id\)/,
  )
  expect(squads.code).not.toMatch(/for all/)
  const members = fixOf(1, 'table public.members')
  expect(members.text).toMatch(/shows rows to visitors, who find none then: [\s\S]*without phone/)
  expect(members.code).not.toMatch(/using \(true\)/)
  expect(fixOf(1, 'table public.shelves').code).toMatch(/user_id/)
  expect(fixOf(1, 'table public.shelves').code).not.toMatch(/using \(true\)/)
})

test('who ticks a row off is no author, in any language, and a vote is nobody else’s to correct', async () => {
  const fixOf = await fixesOf({
    'supabase/migrations/1.sql': `create table boards (id uuid primary key, user_id uuid not null references auth.users, title text);
create table steps (id uuid primary key, board_id uuid not null references boards, title text, completado_por uuid references auth.users);
create table picks (board_id uuid not null references boards, user_id uuid not null references auth.users, choice text, primary key (board_id, user_id));
alter table boards enable row level security;
alter table steps enable row level security;
alter table picks enable row level security;
create policy "own boards" on boards for all to authenticated using (auth.uid() = user_id);
create policy "steps of boards" on steps for all to authenticated using (exists (select 1 from boards where boards.id = steps.board_id and boards.user_id = auth.uid()));
create policy "picks of boards" on picks for all to authenticated using (exists (select 1 from boards where boards.id = picks.board_id and boards.user_id = auth.uid()));`,
  })
  expect(() => fixOf(3, 'policy public.steps "steps of boards"')).toThrow(/no finding/)
  const picks = fixOf(3, 'policy public.picks "picks of boards"')
  expect(picks.code.match(/\(select auth\.uid\(\)\) = user_id/g)).toHaveLength(4)
})

test('the columns that may be written are those of the table, taken out of what the handler has the values in', async () => {
  const fixOf = await fixesOf({
    'supabase/migrations/1.sql': `create table goods (id uuid primary key, seller_id uuid not null references auth.users, name text, price_cents int, created_at timestamptz default now());
alter table goods enable row level security;`,
    'supabase/functions/update-goods/index.ts': `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const { data: { user } } = await admin.auth.getUser(req.headers.get('Authorization')!.replace('Bearer ', ''))
  if (!user) return new Response(null, { status: 401 })
  const { goodsId, goodsData } = await req.json()
  const { data } = await admin.from('goods').update(goodsData).eq('id', goodsId).eq('seller_id', user.id).select().single()
  return new Response(JSON.stringify(data))
})
`,
  })
  expect(fixOf(17, 'function update-goods').code).toContain('const { name, price_cents } = goodsData')
})
