import { expect, test } from 'vitest'
import { edgeFunction } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

test('a guard asks what whoever calls can bring: a job, a captcha, a trial, a trigger and a sender that signs have no session', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "club", "dependencies": { "next": "15.0.0", "@supabase/supabase-js": "2.45.0" } }',
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users (id), tokens int, email text);
alter table profiles enable row level security;
create function tell() returns trigger language plpgsql security definer as $$
begin
  perform net.http_post(url := 'https://abc.supabase.co/functions/v1/send-note', body := '{}'::jsonb);
  return new;
end $$;
revoke execute on function tell() from public, anon, authenticated;
`,
    'supabase/functions/process-anniversary-resets/index.ts': edgeFunction("  await admin.from('profiles').update({ tokens: 100 }).lt('tokens', 100)"),
    'supabase/functions/reset-member/index.ts': edgeFunction(
      "  const { id } = await req.json()\n  await admin.from('profiles').update({ tokens: 100 }).eq('id', id)",
    ),
    'supabase/functions/verify-turnstile/index.ts': edgeFunction("  const { email } = await req.json()\n  await admin.rpc('is_email_blocked', { email })"),
    'supabase/functions/send-note/index.ts': edgeFunction(
      "  const { to } = await req.json()\n  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${Deno.env.get('RESEND_API_KEY')}` }, body: JSON.stringify({ to }) })",
    ),
    'app/api/webhook/test-secret/route.ts': 'export async function POST() {\n  return Response.json({ secret: process.env.PADDLE_WEBHOOK_SECRET })\n}\n',
    'app/api/webhooks/shopify/route.ts': `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export async function POST(request: Request) {
  const { id } = await request.json()
  await admin.from('profiles').update({ tokens: 100 }).eq('id', id)
  return new Response('ok')
}
`,
  })
  const findings = findingsOfCheck(report, 16)
  const said = Object.fromEntries(findings.map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(said).toMatchObject({
    'function process-anniversary-resets': expect.stringMatching(/nothing of a request enters into it, and no page calls it\. Set CRON_SECRET/),
    'function reset-member': expect.stringMatching(/^Establish who calls/),
    'function verify-turnstile': expect.stringMatching(/whether a visitor is a person, before anybody signs in or up\. Count what comes/),
    'function send-note': expect.stringMatching(
      /supabase\/migrations\/1\.sql:5 calls it\. Let in only who brings the key of the server, which the statement has to take from the vault/,
    ),
    'route POST /api/webhook/test-secret': expect.stringMatching(
      /^By its name this is there to try something out.*git rm 'app\/api\/webhook\/test-secret\/route\.ts'$/,
    ),
    'route POST /api/webhooks/shopify': expect.stringMatching(
      /x-shopify-hmac-sha256.*createHmac\('sha256', process\.env\.SHOPIFY_API_SECRET!\)\.update\(body\)\.digest\('base64'\)/s,
    ),
  })
})

test('whom a handler is for is told by the pages that use it', async () => {
  const remove = (name: string, table: string) => `export async function ${name}(id: string) {\n  await prisma.${table}.delete({ where: { id } })\n}\n`
  const report = await auditFiles({
    'package.json': '{ "name": "salon", "dependencies": { "next": "15.0.0", "next-auth": "4.24.0", "@prisma/client": "6.0.0" } }',
    'lib/prisma.ts': "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n",
    'middleware.ts': "export { default } from 'next-auth/middleware'\nexport const config = { matcher: ['/desk/:path*'] }\n",
    'lib/actions.ts': `'use server'\nimport { prisma } from './prisma'\n${remove('cancelVisit', 'visit')}${remove('removeBoth', 'note')}
export async function checkoutCustomer(id: string) {
  await prisma.ticket.update({ where: { id }, data: { status: 'done' } })
}
export async function leaveNote(text: string) {
  await prisma.note.create({ data: { text } })
}
`,
    'app/api/visits/[id]/route.ts': `import { prisma } from '../../../../lib/prisma'
export async function PATCH(request: Request, { params }: { params: Promise<{ id: string }> }) {
  await prisma.visit.update({ where: { id: (await params).id }, data: { note: (await request.json()).note } })
  return Response.json({})
}
`,
    'app/visit/[id]/page.tsx': `'use client'
import { cancelVisit, leaveNote, removeBoth } from '../../../lib/actions'
export default function Page({ params }) {
  const save = () => fetch(\`/api/visits/\${params.id}\`, { method: 'PATCH', body: '{}' })
  return <div onClick={save}><a onClick={() => cancelVisit(params.id)} /><b onClick={() => removeBoth(params.id)} /><i onClick={() => leaveNote('')} /></div>
}
`,
    'app/desk/page.tsx': `'use client'
import { checkoutCustomer, removeBoth } from '../../lib/actions'
export default () => <div onClick={() => checkoutCustomer('1')}><b onClick={() => removeBoth('1')} /></div>
`,
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['action lib/actions.ts#cancelVisit']).toMatch(/page \/visit\/\[id\] uses this[\s\S]*random token[\s\S]*accessToken/)
  expect(fixes['route PATCH /api/visits/[id]']).toMatch(/page \/visit\/\[id\] uses this[\s\S]*random token/)
  expect(fixes['action lib/actions.ts#leaveNote']).toMatch(/refuse with 429/)
  // by its name for guests, and only whoever has signed in sees it
  expect(fixes['action lib/actions.ts#checkoutCustomer']).toMatch(/^Establish who calls/)
  expect(fixes['action lib/actions.ts#removeBoth']).toMatch(/^Establish who calls[\s\S]*page \/visit\/\[id\] uses this too/)
})

test('the pages of a single-page application say whom an edge function is for', async () => {
  const mail = edgeFunction(
    "  const { to, text } = await req.json()\n  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${Deno.env.get('RESEND_API_KEY')}` }, body: JSON.stringify({ to, text }) })",
  )
  const page = (name: string) =>
    `import { supabase } from '../client'\nexport default function Page() {\n  return <a onClick={() => supabase.functions.invoke('${name}', { body: {} })} />\n}\n`
  const report = await auditFiles({
    'package.json': '{ "name": "crew", "dependencies": { "vite": "5", "react": "18", "react-router-dom": "6", "@supabase/supabase-js": "2.45.0" } }',
    'index.html': '<script type="module" src="/src/main.tsx"></script>',
    'src/client.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)\n",
    'src/main.tsx': `import { lazy } from 'react'
import { Route, Routes } from 'react-router-dom'
import { ProtectedRoute } from './gate'
import Join from './pages/join'
const Quote = lazy(() => import('./pages/quote'))
export default () => (
  <Routes>
    <Route path="/join" element={<Join />} />
    <Route element={<ProtectedRoute />}>
      <Route path="/quotes" element={<Quote />} />
    </Route>
  </Routes>
)
`,
    'src/gate.tsx': "import { Outlet } from 'react-router-dom'\nexport const ProtectedRoute = () => <Outlet />\n",
    'src/pages/join.tsx': page('welcome-applicant'),
    'src/pages/quote.tsx': page('send-quote'),
    'supabase/functions/welcome-applicant/index.ts': mail,
    'supabase/functions/send-quote/index.ts': mail,
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['function welcome-applicant']).toMatch(/page \/join uses this[\s\S]*refuse with 429/)
  expect(fixes['function send-quote']).toMatch(/^Establish who calls[\s\S]*getUser/)
})

test('a layout of a single-page application that turns away who is not signed in is a gate, whatever it is called', async () => {
  const mail = edgeFunction(
    "  const { to, text } = await req.json()\n  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${Deno.env.get('RESEND_API_KEY')}` }, body: JSON.stringify({ to, text }) })",
  )
  const page = (name: string) =>
    `import { supabase } from '../client'\nexport default function Page() {\n  return <a onClick={() => supabase.functions.invoke('${name}', { body: {} })} />\n}\n`
  const report = await auditFiles({
    'package.json': '{ "name": "desk", "dependencies": { "vite": "5", "react": "18", "react-router-dom": "6", "@supabase/supabase-js": "2.45.0" } }',
    'index.html': '<script type="module" src="/src/main.tsx"></script>',
    'src/client.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)\n",
    'src/main.tsx': `import { Route, Routes } from 'react-router-dom'
import { AppLayout } from './AppLayout'
import { Shell } from './Shell'
import Ask from './pages/ask'
import Team from './pages/team'
import Bill from './pages/bill'
export default () => (
  <Routes>
    <Route element={<Shell />}>
      <Route path="/ask" element={<Ask />} />
    </Route>
    <Route element={<AppLayout />}>
      <Route path="/team" element={<Team />} />
    </Route>
    <Route path="/bill" element={<AppLayout><Bill /></AppLayout>} />
  </Routes>
)
`,
    'src/Shell.tsx': "import { Outlet } from 'react-router-dom'\nexport const Shell = () => <main><Outlet /></main>\n",
    'src/AppLayout.tsx': `import { useEffect } from 'react'
import { Outlet, useNavigate } from 'react-router-dom'
import { useAuth } from './useAuth'
export function AppLayout({ children }) {
  const { profile, loading } = useAuth()
  const navigate = useNavigate()
  useEffect(() => {
    if (!loading && !profile) navigate('/auth')
  }, [loading, profile, navigate])
  if (!profile) return null
  return <main>{children ?? <Outlet />}</main>
}
`,
    'src/pages/ask.tsx': page('send-question'),
    'src/pages/team.tsx': page('send-invitation'),
    'src/pages/bill.tsx': page('send-bill'),
    'supabase/functions/send-question/index.ts': mail,
    'supabase/functions/send-invitation/index.ts': mail,
    'supabase/functions/send-bill/index.ts': mail,
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['function send-question']).toMatch(/page \/ask uses this[\s\S]*refuse with 429/)
  expect(fixes['function send-invitation']).toMatch(/^Establish who calls[\s\S]*getUser/)
  expect(fixes['function send-bill']).toMatch(/^Establish who calls[\s\S]*getUser/)
})

test('a handler of a server with many in one file is not asked for the signature of the webhook beside it', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "scores", "dependencies": { "express": "4", "@supabase/supabase-js": "2.45.0" } }',
    'server.ts': `import express from 'express'
import { createClient } from '@supabase/supabase-js'
import { Webhook } from 'standardwebhooks'
const db = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
const app = express()
app.post('/events', express.raw({ type: '*/*' }), async (req, res) => {
  const event = new Webhook(process.env.HOOK_SECRET!).verify(req.body, { 'webhook-id': req.headers['webhook-id'], 'webhook-signature': req.headers['webhook-signature'], 'webhook-timestamp': req.headers['webhook-timestamp'] })
  await db.from('payments').insert({ id: event.id })
  res.end()
})
app.get('/people/:id', async (req, res) => {
  const { data } = await db.from('profiles').select('email, phone').eq('id', req.params.id).single()
  res.json(data)
})
app.listen(3000)
`,
  })
  const [found, ...others] = findingsOfCheck(report, 16)
  expect(others).toEqual([])
  expect(found?.subject).toBe('route GET /people/[id]')
  expect(`${found?.fix.text} ${found?.fix.code}`).not.toMatch(/webhook|signature/i)
})

test('what lists everything that visitors have sent in is for administrators, though the same function takes it', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "parish" }',
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users (id), role text not null default 'user');
create table contact_messages (id uuid primary key default gen_random_uuid(), email text not null, body text);
alter table profiles enable row level security;
alter table contact_messages enable row level security;
create policy "own" on profiles for select using (id = auth.uid());
`,
    'supabase/functions/contact-form/index.ts': edgeFunction(`  if (req.method === 'GET') {
    const { data } = await admin.from('contact_messages').select('*')
    return Response.json(data)
  }
  await admin.from('contact_messages').insert(await req.json())`),
    'supabase/functions/bulk/index.ts': edgeFunction("  const { table, ids } = await req.json()\n  await admin.from(table).delete().in('id', ids)"),
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['function contact-form']).toMatch(
    /administrator where all rows of contact_messages are read[\s\S]*where all rows are read[\s\S]*403[\s\S]*for the rest[\s\S]*429/,
  )
  expect(fixes['function bulk']).toMatch(/which tables and columns it is for and who may have them[\s\S]*Asking who is signed in is not enough/)
})

test('who calls decides what is asked: the clock names no row, and the server sends itself no session', async () => {
  const change = (name: string) => `import { admin } from '${name}'
export async function POST(request: Request) {
  const { id, userId } = await request.json()
  await admin.from('visits').update({ note: 'seen', seen_by: userId }).eq('id', id)
  return new Response('ok')
}
`
  const report = await auditFiles({
    'package.json':
      '{ "name": "club", "dependencies": { "next": "15.0.0", "@supabase/supabase-js": "2.45.0", "@upstash/redis": "1.0.0", "@upstash/ratelimit": "1.0.0" } }',
    'supabase/migrations/1.sql':
      'create table visits (id uuid primary key, user_id uuid references auth.users (id), note text);\nalter table visits enable row level security;\n',
    'lib/admin.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n",
    // things that are called what jobs are called
    'app/api/visits/[id]/reminders/route.ts': change('../../../../../lib/admin'),
    'app/api/visits/send-reminder/route.ts': change('../../../../lib/admin'),
    'app/api/visits/cleanup/route.ts': change('../../../../lib/admin'),
    'components/remind.tsx':
      "'use client'\nexport function Remind() {\n  return <button onClick={() => fetch('/api/visits/send-reminder', { method: 'POST', body: '{}' })}>Remind</button>\n}\n",
    // the server alone, and the server beside a page
    'app/api/mark/route.ts': change('../../../lib/admin'),
    'app/api/note/route.ts': change('../../../lib/admin'),
    'components/note.tsx':
      "'use client'\nexport function Desk() {\n  return <button onClick={() => fetch('/api/note', { method: 'POST', body: '{}' })}>Note</button>\n}\n",
    'app/api/events/route.ts': `export async function POST(request: Request) {
  const event = await request.json()
  if (event.type === 'url_verification') return Response.json({ challenge: event.challenge })
  await fetch(\`\${process.env.SITE}/api/mark\`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(event) })
  await fetch(\`\${process.env.SITE}/api/note\`, { method: 'POST', body: JSON.stringify(event) })
  return new Response('ok')
}
`,
    'app/api/groupme/webhook/route.ts': change('../../../../lib/admin'),
    // a database's own event, a view that shows a file, a trial without a caller, and a function that others call with the key of the server
    'supabase/functions/on-visit/index.ts': edgeFunction(
      "  const payload = await req.json()\n  if (payload.old_record?.note !== payload.record.note) await admin.from('visits').update({ note: 'x' }).eq('id', payload.record.id)",
    ),
    'supabase/functions/test-visits/index.ts': edgeFunction("  const { id } = await req.json()\n  await admin.from('visits').delete().eq('id', id)"),
    'supabase/functions/tell-person/index.ts': edgeFunction(
      "  const { userId, note } = await req.json()\n  await admin.from('visits').update({ note }).eq('user_id', userId)",
    ),
    'supabase/functions/receive/index.ts': edgeFunction(
      "  await fetch(`${Deno.env.get('SUPABASE_URL')}/functions/v1/tell-person`, { method: 'POST', headers: { Authorization: `Bearer ${Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')}` } })",
    ),
    'app/tell/page.tsx':
      "'use client'\nimport { supabase } from '../../lib/browser'\nexport default function Tell() {\n  return <button onClick={() => supabase.functions.invoke('tell-person', { body: {} })}>Tell</button>\n}\n",
    'lib/browser.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)\nexport const signIn = (email: string, password: string) => supabase.auth.signInWithPassword({ email, password })\n",
  })
  const findings = findingsOfCheck(report, 16)
  const said = Object.fromEntries(findings.map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(said).toMatchObject({
    'route POST /api/visits/[id]/reminders': expect.stringMatching(/^Establish who calls/),
    'route POST /api/visits/send-reminder': expect.stringMatching(/^Establish who calls/),
    'route POST /api/visits/cleanup': expect.stringMatching(/CRON_SECRET.*Where a person starts it, ask for an administrator/s),
    'route POST /api/mark': expect.stringMatching(/^Nobody signs in here: app\/api\/events\/route\.ts:4 calls it from the server.*INTERNAL_API_SECRET/s),
    'route POST /api/note': expect.stringMatching(/^Establish who calls.*app\/api\/events\/route\.ts:5 calls it from the server/s),
    'route POST /api/groupme/webhook': expect.stringMatching(/^GroupMe calls this.*searchParams\.get\('secret'\) !== secret/s),
    'function on-visit': expect.stringMatching(/a webhook of the database calls this.*x-webhook-secret/s),
    'function test-visits': expect.stringMatching(/^By its name this is there to try something out/),
    'function tell-person': expect.stringMatching(/receive\/index\.ts:4\): they bring the key of the server.*if \(!user && !ofTheServer\)/s),
  })
})

test('what limits other handlers limits here, unless it counts those who are signed in', async () => {
  const signIn = (path: string, limit = '') => `import bcrypt from 'bcryptjs'
import { prisma } from '${path}/prisma'
${limit ? `import { withRateLimit, limiters } from '${path}/limits'\n` : ''}
export async function POST(request: Request) {
${limit}  const { email, password } = await request.json()
  const user = await prisma.user.findUnique({ where: { email } })
  if (!user || !(await bcrypt.compare(password, user.password))) return new Response(null, { status: 401 })
  return Response.json({ ok: true })
}
`
  const limited = '  const refused = await withRateLimit(request, limiters.auth)\n  if (refused instanceof Response) return refused\n'
  const files = (limit: string) => ({
    'package.json':
      '{ "name": "club", "dependencies": { "next": "15.0.0", "@prisma/client": "6.0.0", "bcryptjs": "2.4.3", "@upstash/redis": "1.0.0", "@upstash/ratelimit": "1.0.0" } }',
    'lib/prisma.ts': "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n",
    'lib/limits.ts': `import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
const redis = new Redis({ url: process.env.KV_URL_OF_OURS!, token: process.env.KV_TOKEN_OF_OURS! })
export const limiters = { auth: new Ratelimit({ redis, limiter: Ratelimit.slidingWindow(5, '15 m') }) }
export async function withRateLimit(request: Request, limiter: Ratelimit) {
  const { success } = await limiter.limit(request.headers.get('x-forwarded-for') ?? '')
  if (!success) return new Response(null, { status: 429 })
  return { success }
}
`,
    'app/api/staff/login/route.ts': signIn('../../../../lib'),
    ...(limit ? { 'app/api/guests/login/route.ts': signIn('../../../../lib', limit) } : {}),
  })
  const codeOf = async (limit: string) => {
    const report = await auditFiles(files(limit))
    return findingsOfCheck(report, 18).find((f) => f.subject === 'route POST /api/staff/login')?.fix
  }
  expect((await codeOf(limited))?.code).toMatch(
    /import \{ withRateLimit[\s\S]*withRateLimit\(request, limiters\.auth\)\nif \(refused instanceof Response\) return refused$/,
  )
  expect((await codeOf(''))?.code).toMatch(/new Redis\(\{ url: process\.env\.KV_URL_OF_OURS/)
})

test('who calls an edge function besides pages is let through: functions, triggers and jobs that are named in rows', async () => {
  const change = edgeFunction("  const { id, note } = await req.json()\n  await admin.from('notes').update({ note }).eq('id', id)")
  const report = await auditFiles({
    'package.json': '{ "name": "desk", "dependencies": { "vite": "5", "react": "18", "@supabase/supabase-js": "2.45.0" } }',
    'supabase/migrations/1.sql': `create table notes (id uuid primary key, user_id uuid references auth.users (id), note text);
alter table notes enable row level security;
create table jobs (name text primary key, schedule text, fn text);
alter table jobs enable row level security;
create function on_note() returns trigger language plpgsql security definer as $$
begin
  perform net.http_post(url := 'https://abc.supabase.co/functions/v1/tell-note', body := '{}'::jsonb);
  return new;
end $$;
`,
    'supabase/migrations/2.sql': `create or replace function call_edge(fn text) returns bigint language plpgsql security definer as $$
begin
  return net.http_post(url := 'https://abc.supabase.co/functions/v1/' || fn, body := '{}'::jsonb);
end $$;
insert into jobs (name, schedule, fn) values ('watch', '*/5 * * * *', 'watch-inbound');
create or replace function on_note() returns trigger language plpgsql security definer as $$
begin
  perform public.call_edge('tell-note');
  perform public.call_edge('share-note');
  return new;
end $$;
`,
    'src/desk.tsx': `import { supabase } from './client'
export const Desk = () => <a onClick={() => supabase.functions.invoke('send-note', { body: {} })}><i onClick={() => supabase.functions.invoke('share-note', { body: {} })} /><b onClick={() => supabase.functions.invoke('manage-cron-jobs', { body: {} })} /></a>
`,
    'src/client.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)\n",
    'supabase/functions/send-note/index.ts': change,
    'supabase/functions/share-note/index.ts': change,
    'supabase/functions/dispatch-notes/index.ts': edgeFunction(
      "  await fetch(`${Deno.env.get('SUPABASE_URL')}/functions/v1/send-note`, { method: 'POST', body: '{}' })\n  await admin.from('notes').delete().lt('id', '')",
    ),
    'supabase/functions/tell-note/index.ts': change,
    'supabase/functions/watch-inbound/index.ts': change,
    'supabase/functions/manage-cron-jobs/index.ts': change,
    'supabase/functions/remind-all/index.ts': edgeFunction("  await admin.from('notes').update({ note: 'due' }).is('note', null)"),
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['function send-note']).toMatch(/^Establish who calls[\s\S]*dispatch-notes\/index\.ts:\d+\): they bring the key of the server[\s\S]*!ofTheServer/)
  // what a trigger calls as well as a page
  expect(fixes['function share-note']).toMatch(
    /^Establish who calls[\s\S]*2\.sql:9 calls it from the server as well[\s\S]*const byServer = [\s\S]*if \(!byServer\) \{\n {2}[\s\S]*\n\}$/,
  )
  expect(fixes['function tell-note']).toMatch(
    /2\.sql:8 calls it\. Let in only who brings the key of the server, which supabase\/migrations\/2\.sql:3 has to take from the vault/,
  )
  expect(fixes['function watch-inbound']).toMatch(/a job of pg_cron starts it[\s\S]*2\.sql:3 makes the request/)
  expect(fixes['function manage-cron-jobs']).toMatch(/they are an administrator/)
  expect(fixes['function remind-all']).toMatch(/nothing of a request enters into it, and no page calls it[\s\S]*CRON_SECRET/)
})

test('who uses an address is who takes it out of the list that keeps it, and a page that sends nobody away says that visitors do', async () => {
  const search =
    "export async function POST(request: Request) {\n  const { q } = await request.json()\n  const found = await fetch(`https://places.googleapis.com/v1/places?q=${q}`, { headers: { 'X-Goog-Api-Key': process.env.GOOGLE_API_KEY! } })\n  return Response.json(await found.json())\n}\n"
  const page = (body: string) =>
    `'use client'\nimport { useUser } from '@supabase/auth-helpers-react'\nimport { API } from '../../lib/addresses'\nexport default function Page() {\n  const user = useUser()\n  return <div onClick={() => fetch(${body}, { method: 'POST' })}>{user?.email}</div>\n}\n`
  const report = await auditFiles({
    'package.json': '{ "name": "clinic", "dependencies": { "next": "15.0.0", "@supabase/auth-helpers-react": "0.5.0", "@supabase/supabase-js": "2.45.0" } }',
    'lib/addresses.ts': "export const API = { places: '/api/places', towns: '/api/towns' } as const\n",
    'middleware.ts': `import { createServerClient } from '@supabase/ssr'
import { NextResponse } from 'next/server'
export async function middleware(request) {
  const supabase = createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, { cookies: { getAll: () => request.cookies.getAll(), setAll() {} } })
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return NextResponse.redirect(new URL('/login', request.url))
  return NextResponse.next()
}
export const config = { matcher: ['/desk/:path*'] }
`,
    'app/find/page.tsx': page('API.places'),
    'app/desk/page.tsx': page('API.towns'),
    'app/api/places/route.ts': search,
    'app/api/towns/route.ts': search,
  })
  const fixes = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(fixes['route POST /api/places']).toMatch(/^The page \/find uses this and sends nobody away[\s\S]*429/)
  expect(fixes['route POST /api/towns']).toMatch(/^Establish who calls/)
  expect(fixes['route POST /api/towns']).not.toMatch(/\/find/)
})

test('a gate around a list of routes stands before each; who comes from a mail or a sign-up has no session; callers are told which key they bring', async () => {
  const page = (name: string, fn: string, before = '') => `import { supabase } from '../lib/client'
export default function ${name}() {
  const { user } = useAuth()
${before}  const run = () => supabase.functions.invoke('${fn}', { body: { userId: '1' } })
  return <button onClick={run}>go</button>
}
`
  const mail = (to: string) =>
    `  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: \`Bearer \${Deno.env.get('RESEND_API_KEY')}\` }, body: JSON.stringify({ to: ${to} }) })`
  const report = await auditFiles({
    'package.json': '{ "name": "stays", "dependencies": { "react-router-dom": "6.22.0", "@supabase/supabase-js": "2.45.0" } }',
    'src/lib/client.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(import.meta.env.VITE_URL, import.meta.env.VITE_ANON)\n",
    'src/App.tsx': `import { BrowserRouter, Routes, Route } from 'react-router-dom'
import { ProtectedRoute } from './ProtectedRoute'
import Panel from './pages/Panel'
import Desk from './pages/Desk'
import Account from './pages/Account'
import AuthCallback from './pages/AuthCallback'
import Register from './pages/Register'
export default function App() {
  return (
    <BrowserRouter>
      <Routes>
        <Route path="/panel/*" element={<Panel />} />
        <Route path="/desk" element={<Desk />} />
        <Route path="/auth/callback" element={<AuthCallback />} />
        <Route path="/register" element={<Register />} />
        <Route path="/account" element={<ProtectedRoute><Account /></ProtectedRoute>} />
      </Routes>
    </BrowserRouter>
  )
}
`,
    'src/pages/Panel.tsx': `import { Routes, Route } from 'react-router-dom'
import { AdminAuthGuard } from '../AdminAuthGuard'
import Logs from './Logs'
import Batch from '../components/admin/Batch'
export default function Panel() {
  return (
    <AdminAuthGuard>
      <main>
        <Routes>
          <Route path="/logs" element={<Logs />} />
          <Route path="/batch" element={<Batch />} />
        </Routes>
      </main>
    </AdminAuthGuard>
  )
}
`,
    'src/pages/Logs.tsx': page('Logs', 'address-of'),
    'src/components/admin/Batch.tsx': page('Batch', 'cleanup-duplicates').replace('../lib', '../../lib'),
    'src/pages/Account.tsx': page('Account', 'none'),
    'src/pages/AuthCallback.tsx': page('AuthCallback', 'confirm-user'),
    'src/pages/Register.tsx': page('Register', 'work-off-notices'),
    'src/pages/Desk.tsx': page(
      'Desk',
      'translate-offer',
      "  if (!user) {\n    if (isDevelopment()) console.log('let in')\n    else {\n      window.location.href = '/'\n      return <p>…</p>\n    }\n  }\n",
    ),
    'supabase/migrations/1.sql': `create table profiles (id uuid primary key references auth.users (id), email text);
alter table profiles enable row level security;
create table notices (id uuid primary key, user_id uuid references auth.users (id), sent boolean);
alter table notices enable row level security;
create function tell() returns trigger language plpgsql security definer as $$
declare
  v_url text := 'https://abc.supabase.co/functions/v1/send-note';
begin
  perform net.http_post(url := v_url, body := '{}'::jsonb);
  return new;
end $$;
revoke execute on function tell() from public, anon, authenticated;
`,
    'supabase/functions/address-of/index.ts': edgeFunction(
      '  const { userId } = await req.json()\n  const { data } = await admin.auth.admin.getUserById(userId)\n  return Response.json({ email: data.user.email })',
    ),
    'supabase/functions/translate-offer/index.ts': edgeFunction(
      "  const { text } = await req.json()\n  const r = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', headers: { Authorization: `Bearer ${Deno.env.get('OPENAI_API_KEY')}` }, body: JSON.stringify({ text }) })\n  return Response.json(await r.json())",
    ),
    'supabase/functions/cleanup-duplicates/index.ts': edgeFunction("  await admin.from('notices').delete().eq('sent', true)"),
    'supabase/functions/confirm-user/index.ts': edgeFunction(
      '  const { userId } = await req.json()\n  await admin.auth.admin.updateUserById(userId, { email_confirm: true })',
    ),
    'supabase/functions/work-off-notices/index.ts': edgeFunction("  await admin.from('notices').update({ sent: true }).eq('sent', false)"),
    'supabase/functions/send-note/index.ts': edgeFunction(`  const { to } = await req.json()\n${mail('to')}`),
    'supabase/functions/send-referral/index.ts': edgeFunction(`  const { to } = await req.json()\n${mail('to')}`),
    'supabase/functions/referral-hook/index.ts': `Deno.serve(async (req) => {
  const { record } = await req.json()
  await fetch(\`\${Deno.env.get('SUPABASE_URL')}/functions/v1/send-referral\`, {
    method: 'POST',
    headers: { Authorization: \`Bearer \${Deno.env.get('SUPABASE_ANON_KEY')}\` },
    body: JSON.stringify({ to: record.email }),
  })
  return new Response('ok')
})
`,
    'supabase/functions/new-password/index.ts': edgeFunction(
      "  const { token, password } = await req.json()\n  const { data, error } = await admin.rpc('validate_password_reset_token', { p_token: token })\n  if (error || !data?.length) return new Response(null, { status: 400 })\n  await admin.auth.admin.updateUserById(data[0].user_id, { password })",
    ),
  })
  const findings = report.checks.find((c) => c.number === 16)?.findings ?? []
  const said = Object.fromEntries(findings.map((f) => [f.subject, `${f.fix.text} ${f.fix.code ?? ''}`]))
  expect(said).toEqual({
    'function address-of': expect.stringMatching(/^Establish who calls, and that they are an administrator(?!.*\/logs)/s),
    'function cleanup-duplicates': expect.stringMatching(/^Establish who calls, and that they are an administrator.*By its name it is a job/s),
    'function translate-offer': expect.stringMatching(/^Establish who calls(?!.*sends nobody away)/s),
    'function confirm-user': expect.stringMatching(/^Whoever comes from the link of a mail calls this \(src\/pages\/AuthCallback\.tsx:\d+\)/),
    'function work-off-notices': expect.stringMatching(/^The page \/register uses this.*429.*let the database do so/s),
    'function send-note': expect.stringMatching(/supabase\/migrations\/1\.sql:7 calls it\. Let in only who brings the key of the server/),
    'function send-referral': expect.stringMatching(/referral-hook\/index\.ts:3 brings the anon key/),
  })
})

test('a button of administrators that names whom it is about is no job, and nobody bans the own account', async () => {
  const admin =
    "import { createClient } from '@supabase/supabase-js'\nconst admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n"
  const mail =
    "await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${process.env.RESEND_API_KEY}` }, body: JSON.stringify({ to: row.email }) })"
  const report = await auditFiles({
    'package.json': '{ "name": "yard", "dependencies": { "next": "15.0.0", "@supabase/supabase-js": "2.45.0" } }',
    'components/admin/Expiries.tsx': `'use client'
export function Expiries({ worker }) {
  const tell = () => fetch('/api/reminders/notify-worker', { method: 'POST', body: JSON.stringify({ workerId: worker }) })
  return <button onClick={tell} />
}
`,
    'app/api/reminders/notify-worker/route.ts': `${admin}export async function POST(request: Request) {
  const { workerId } = await request.json()
  if (!workerId) return new Response(null, { status: 400 })
  const { data: rows } = await admin.from('workers').select('id, email')
  for (const row of rows.filter((r) => r.id === workerId)) ${mail}
  return new Response('ok')
}
`,
    'app/api/reminders/notify-all/route.ts': `${admin}export async function POST() {
  const { data: rows } = await admin.from('workers').select('id, email')
  for (const row of rows) ${mail}
  return new Response('ok')
}
`,
    'app/api/people/revoke/route.ts': `${admin}export async function POST(request: Request) {
  const { userId } = await request.json()
  await admin.auth.admin.updateUserById(userId, { ban_duration: '876000h' })
  return new Response('ok')
}
`,
  })
  const said = Object.fromEntries(findingsOfCheck(report, 16).map((f) => [f.subject, f.fix.text]))
  expect(said).toMatchObject({
    'route POST /api/reminders/notify-worker': expect.stringMatching(/^Establish who calls, and that they are an administrator/),
    'route POST /api/reminders/notify-all': expect.stringMatching(/by its name it is a job that a scheduler starts/),
    'route POST /api/people/revoke': expect.stringMatching(/^Establish who calls, and that they are an administrator/),
  })
})
