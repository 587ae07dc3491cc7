import { expect, test } from 'vitest'
import { ADMIN_CLIENT, edgeFunction, IMPORTS_CLIENT, prismaSchema, SESSION_CLIENT } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

type Findings = Awaited<ReturnType<typeof auditFiles>>['checks'][number]['findings']

const of = (all: Findings, subject: string) => {
  const found = all.find((f) => f.subject === subject)
  if (!found) throw new Error(`no finding of ${subject}: ${all.map((f) => f.subject).join(', ')}`)
  return { ...found.fix, message: found.message, title: found.title }
}

test('what is asked of the caller of an edge function depends on who calls it', async () => {
  const report = await auditFiles({
    'supabase/migrations/001.sql': `create table profiles (id uuid primary key references auth.users (id), email text);
create table user_roles (user_id uuid references auth.users (id), role text);
create table tickets (id uuid primary key, user_id uuid references auth.users (id), note text, sent boolean);
alter table profiles enable row level security;
alter table user_roles enable row level security;
alter table tickets enable row level security;
select cron.schedule('tickets', '0 * * * *', $$ select net.http_post(url := 'https://abc.supabase.co/functions/v1/settle-tickets') $$);
`,
    'supabase/functions/settle-tickets/index.ts': edgeFunction("  await admin.from('tickets').update({ sent: true }).eq('sent', false)"),
    'supabase/functions/ticket-reminder/index.ts': edgeFunction("  await admin.from('tickets').update({ sent: true }).eq('sent', false)"),
    'supabase/functions/receive-mail/index.ts': edgeFunction(
      "  const { id, note } = await req.json()\n  await admin.from('tickets').update({ note }).eq('id', id)",
      "const corsHeaders = { 'Access-Control-Allow-Headers': 'authorization, svix-id, svix-signature' }\n",
    ),
    'supabase/functions/admin-close-ticket/index.ts': edgeFunction("  const { id } = await req.json()\n  await admin.from('tickets').delete().eq('id', id)"),
    'supabase/functions/contact-form/index.ts': edgeFunction("  const { note } = await req.json()\n  await admin.from('contact_messages').insert({ note })"),
    'supabase/functions/set-gateway-key/index.ts': edgeFunction(
      "  const { secretKey } = await req.json()\n  await admin.from('payment_gateways').update({ config: { secretKey } }).eq('type', 'stripe')",
    ),
    'supabase/functions/close-account/index.ts': edgeFunction(
      "  const { user_id, user } = await req.json()\n  await admin.from('tickets').delete().eq('user_id', user_id)",
    ),
    'supabase/functions/move-ticket/index.ts': edgeFunction(
      "  const { ticket_id, note } = await req.json()\n  const { data: user } = await admin.from('tickets').update({ note }).eq('id', ticket_id).select()\n  console.log(user)",
      "const corsHeaders = { 'Access-Control-Allow-Origin': '*' }\n",
    ),
    'supabase/functions/own-tickets/index.ts': `${IMPORTS_CLIENT}Deno.serve(async (request) => {
  if (request.method === 'OPTIONS') return new Response('ok')
  const asking = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, { global: { headers: { Authorization: request.headers.get('Authorization') ?? '' } } })
  const { data: { user: me } } = await asking.auth.getUser()
  if (!me) return new Response(null, { status: 401 })
  ${ADMIN_CLIENT}
  const { data } = await admin.from('tickets').select('note').eq('user_id', me.id)
  return Response.json(data)
})
`,
  })
  const all = findingsOfCheck(report, 16)
  for (const name of ['settle-tickets', 'ticket-reminder'])
    expect(of(all, `function ${name}`).code).toMatch(/CRON_SECRET[\s\S]*!secret \|\|[\s\S]*'x-cron-secret'/)
  expect(of(all, 'function settle-tickets').text).toMatch(/pg_cron starts it/)
  expect(of(all, 'function receive-mail').code).toMatch(/npm:svix[\s\S]*new Webhook[\s\S]*svix-signature/)
  const closing = of(all, 'function admin-close-ticket')
  expect(closing.text).toMatch(/user_roles\.role/)
  expect(closing.code).toMatch(/from\('user_roles'\)\.select\('role'\)\.eq\('user_id', user\.id\)[\s\S]*403/)
  expect(of(all, 'function contact-form').title).toBe('Nothing limits how often visitors send something in')
  expect(of(all, 'function contact-form').code).not.toMatch(/getUser/)
  // written after the one check that there is, for the parameter that this handler has
  const account = of(all, 'function close-account')
  expect(account.text).toMatch(/answer to OPTIONS[\s\S]*not `user_id` of the request/)
  expect(account.code).toMatch(/req\.headers\.get\('Authorization'\)[\s\S]*if \(!me\) return new Response\(null, \{ status: 401 \}\)$/)
  expect(account.code).not.toMatch(/OPTIONS|corsHeaders|import/)
  expect(of(all, 'function set-gateway-key').text).toMatch(/Whoever has signed up is signed in: where this is for those who run the application, ask for/)
  const moving = of(all, 'function move-ticket')
  expect(moving.text).toMatch(/could still name any `ticket_id`/)
  expect(moving.code).toMatch(/headers: corsHeaders/)
})

test('the fix of an action is called for by what its file exports, and by the library that the application has', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "14.2.0", "next-auth": "^4.24.0", "@prisma/client": "5.0.0", "bcryptjs": "2.4.3" } }',
    'prisma/schema.prisma': prismaSchema(`model User {
  id       String  @id
  email    String  @unique
  password String
  role     String
  orders   Order[]
}
model Order {
  id     String  @id
  isPaid Boolean
  userId String
  user   User    @relation(fields: [userId], references: [id])
}
`),
    'lib/db.ts': "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n",
    'lib/auth.ts': `import CredentialsProvider from 'next-auth/providers/credentials'
import { compare } from 'bcryptjs'
import { prisma } from './db'
export const authOptions = {
  providers: [
    CredentialsProvider({
      async authorize(credentials) {
        const user = await prisma.user.findUnique({ where: { email: credentials.email } })
        if (!user || !(await compare(credentials.password, user.password))) return null
        return user
      },
    }),
  ],
}
`,
    'app/api/auth/[...nextauth]/route.ts':
      "import NextAuth from 'next-auth'\nimport { authOptions } from '@/lib/auth'\nconst handler = NextAuth(authOptions)\nexport { handler as GET, handler as POST }\n",
    'lib/orders.ts': `'use server'
import { prisma } from './db'
export async function markPaid(id: string) {
  await prisma.order.update({ where: { id }, data: { isPaid: true } })
}
export async function allOrders() {
  return prisma.order.findMany({ include: { user: true } })
}
`,
    'components/pay.tsx':
      "'use client'\nimport { useSession } from 'next-auth/react'\nimport { markPaid } from '@/lib/orders'\nexport const Pay = ({ id }) => useSession().data && <button onClick={() => markPaid(id)}>paid</button>\n",
    'app/page.tsx':
      "import { Pay } from '@/components/pay'\nimport { allOrders } from '@/lib/orders'\nexport default async function Page() {\n  const orders = await allOrders()\n  return orders.map((o) => <Pay key={o.id} id={o.id} />)\n}\n",
  })
  const found = (number: number) => findingsOfCheck(report, number)
  const paid = of(found(16), 'action lib/orders.ts#markPaid')
  expect(paid.message).toMatch(/\(isPaid\)/)
  expect(paid.code).toMatch(/import \{ getServerSession \} from 'next-auth'\nimport \{ authOptions \} from '\.\/auth'[\s\S]*getServerSession\(authOptions\)/)
  expect(paid.text).toMatch(/could still name any `id`/)
  const unlinked = found(16).find((f) => f.title === 'Helpers of the server are endpoints')
  expect(unlinked?.fix.text).toMatch(/Move `allOrders` into a module[\s\S]*`markPaid` stays/)
  const tried = found(18).find((f) => f.path === 'lib/auth.ts')
  expect(tried?.fix.code).toMatch(/return null$/)
  expect(tried?.fix.code).not.toMatch(/new Response/)
})

test('a router that is mounted under a prefix is told its own path', async () => {
  const report = await auditFiles({
    'package.json': '{ "type": "module", "dependencies": { "express": "4.0.0", "pg": "8.0.0" } }',
    'server/index.ts':
      "import express from 'express'\nimport { notes } from './notes'\nconst app = express()\napp.use('/api/notes', notes)\napp.listen(3000)\n",
    'server/notes.ts': `import { Router } from 'express'
import { Pool } from 'pg'
const pool = new Pool()
export const notes = Router()
notes.delete('/:id', async (req, res) => {
  await pool.query('delete from notes where id = $1', [req.params.id])
  res.end()
})
`,
  })
  const fix = of(findingsOfCheck(report, 16), 'route DELETE /api/notes/[id]')
  expect(fix.code).toContain("notes.delete('/:id', requireUser, handler)")
  expect(fix.code).not.toMatch(/supabase/)
})

test('who is an administrator is asked as the application asks it, where no schema says it', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "school", "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0" } }',
    'lib/server.ts': SESSION_CLIENT,
    'app/admin/logs/route.ts': `import { createClient } from '../../../lib/server'
export async function GET() {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return new Response(null, { status: 401 })
  const { data: profile } = await supabase.from('profiles').select('role').eq('id', user.id).single()
  if (!profile || (profile.role !== 'owner' && profile.role !== 'head')) return new Response(null, { status: 403 })
  const { data } = await supabase.from('logs').select('*')
  return Response.json(data)
}
`,
    'app/admin/pages/actions.ts': `'use server'
import { createClient as connect } from '@supabase/supabase-js'
const db = connect(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export async function removePages() {
  await db.from('pages').delete().neq('id', 0)
}
`,
    'app/admin/pages/page.tsx': "import { removePages } from './actions'\nexport default () => <form action={removePages} />\n",
  })
  const { code } = of(findingsOfCheck(report, 16), 'action app/admin/pages/actions.ts#removePages')
  expect(code).toMatch(/from\('profiles'\)\.select\('role'\)\.eq\('id', user\.id\)/)
  expect(code).toMatch(/\['owner', 'head'\]\.includes\(me\?\.role \?\? ''\)/)
})
