import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

const handler = (work: string) => `import { createClient } from 'jsr:@supabase/supabase-js@2'
import Stripe from 'npm:stripe@14'
const stripe = new Stripe(Deno.env.get('STRIPE_SECRET_KEY')!)
Deno.serve(async () => {
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const { data: orders } = await admin.from('orders').select('id, user_id, total').eq('due', true)
  for (const order of orders ?? []) {
${work}
  }
  return Response.json({ orders })
})
`

test.each([
  [
    'the change beside the look-up',
    "    await admin.from('bonuses').insert({ order_id: order.id })",
    /reads orders and inserts into bonuses with the service role/,
  ],
  [
    'money before rows',
    "    await admin.from('orders').update({ state: 'paid' }).eq('id', order.id)\n    await stripe.transfers.create({ amount: order.total, currency: 'eur', destination: order.user_id })",
    /stripe\.transfers\.create/,
  ],
])('an open function is said to do the worst that it does: %s', async (_what, work, words) => {
  const report = await auditFiles({
    'supabase/config.toml': 'project_id = "a"\n[functions.settle]\nverify_jwt = false\n',
    'supabase/functions/settle/index.ts': handler(work),
  })
  const [finding] = findingsOfCheck(report, 16)
  expect(finding?.severity).toBe('Critical')
  expect(finding?.message).toMatch(words)
})

test('rows that are written over HTTP are no service that costs money', async () => {
  const report = await auditFiles({
    'supabase/config.toml': 'project_id = "a"\n',
    'supabase/functions/note/index.ts': `Deno.serve(async (req) => {
  const { text } = await req.json()
  const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')
  const url = Deno.env.get('SUPABASE_URL')
  await fetch(\`\${url}/rest/v1/notes\`, { method: 'POST', headers: { apikey: key, Authorization: \`Bearer \${key}\` }, body: JSON.stringify({ text }) })
  return new Response('ok')
})
`,
  })
  const [finding] = findingsOfCheck(report, 16)
  expect(finding?.message).toMatch(/data API for notes with a key of the server/)
  expect(finding?.attack).not.toMatch(/bill/)
})

test('a secret that may be unset is named, though a header has to be there as well', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.0.0" } }',
    'app/api/hooks/stock/route.ts': `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
const allowed = (token: string) => !process.env.STOCK_TOKEN || token === process.env.STOCK_TOKEN
export async function POST(request: Request) {
  const token = request.headers.get('x-stock-token')
  if (!token || !allowed(token)) return new Response(null, { status: 401 })
  await admin.from('orders').update({ packed: true }).eq('packed', false)
  return new Response(null, { status: 204 })
}
`,
  })
  const [finding] = findingsOfCheck(report, 16)
  expect(finding?.severity).toBe('Critical')
  expect(finding?.message).toMatch(/lets everyone in when STOCK_TOKEN is not set/)
})

test('a cookie that is compared with a value from the code is one cause for all who rely on it, and signing in is none', async () => {
  const route = (name: string) => `import { requireAdmin } from '../../../lib/require-admin'
import { admin } from '../../../lib/clients'
export async function GET() {
  await requireAdmin()
  const { data } = await admin.from('${name}').select('*')
  return Response.json(data)
}
`
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.0.0", "bcryptjs": "2.4.3", "@supabase/supabase-js": "2.45.0" } }',
    'lib/clients.ts': `import { createClient } from '@supabase/supabase-js'
export const admin = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
`,
    'lib/require-admin.ts': `import { cookies } from 'next/headers'
export async function requireAdmin() {
  const jar = await cookies()
  if (jar.get('admin_session')?.value !== 'authenticated') throw new Error('Unauthorized')
}
`,
    'app/api/orders/route.ts': route('orders'),
    'app/api/payments/route.ts': route('payments'),
    'app/actions/accounts.ts': `'use server'
import bcrypt from 'bcryptjs'
import { cookies } from 'next/headers'
import { admin } from '../../lib/clients'
export async function loginUser(email: string, password: string) {
  const { data: user } = await admin.from('users').select('id, password_hash').eq('email', email).maybeSingle()
  if (!user || !(await bcrypt.compare(password, user.password_hash))) return { error: 'Wrong' }
  ;(await cookies()).set('uid', user.id)
  return { id: user.id }
}
`,
  })
  const findings = findingsOfCheck(report, 16)
  expect(findings.map((f) => [f.severity, f.path])).toEqual([['Critical', 'lib/require-admin.ts']])
  expect(findings[0]?.message).toMatch(/2 handlers rely on this check.*cookie admin_session that is only compared with a value from the code/)
})

test('who may give money back is asked, where the price of what is sold would have to come from the server', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.5.0", "stripe": "18.0.0" } }',
    ...Object.fromEntries(
      [
        ['refund', 'refunds.create({ payment_intent: body.intent, amount: body.amount })'],
        ['buy', "paymentIntents.create({ amount: body.amount, currency: 'eur' })"],
      ].map(([name, call]) => [
        `app/api/${name}/route.ts`,
        `import Stripe from 'stripe'
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY!)
export async function POST(request: Request) {
  const body = await request.json()
  return Response.json(await stripe.${call})
}`,
      ]),
    ),
  })
  const findings = findingsOfCheck(report, 16)
  const fixOf = (subject: string) => findings.find((f) => f.subject === subject)?.fix.text
  expect(fixOf('route POST /api/buy')).toMatch(/price from the server/)
  expect(fixOf('route POST /api/refund')).toMatch(/Establish who calls/)
})

test('actions of a file that are alike are told by the worst of them', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "14.2.0", "@supabase/ssr": "0.5.0" } }',
    'lib/server.ts': `import { createServerClient } from '@supabase/ssr'
import { cookies } from 'next/headers'
export const server = () =>
  createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, { cookies: cookies() })`,
    'lib/actions.ts': `'use server'
import { server } from './server'
export async function listNotes() {
  const { data } = await server().from('notes').select('*')
  return data
}
export async function removeNote(id: string) {
  await server().from('notes').delete().eq('id', id)
}`,
    'app/page.tsx': `'use client'
import { listNotes, removeNote } from '../lib/actions'
export default function Page() {
  return <button onClick={async () => removeNote((await listNotes())[0].id)}>x</button>
}`,
  })
  const [finding] = findingsOfCheck(report, 16)
  expect(finding).toMatchObject({ severity: 'High', subject: 'file lib/actions.ts' })
  expect(finding?.message).toMatch(/^2 actions of this file are alike\. The server action removeNote deletes from notes/)
  expect(finding?.attack).toMatch(/which every page that uses it carries, and the server deletes from notes/)
})
