import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

test('what is said of a status is true: which env file is for every environment, which handlers there are, and what a condition lists', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "desk", "dependencies": { "vite": "5", "react": "18", "@supabase/supabase-js": "2.45.0" } }',
    '.env': 'VITE_SUPABASE_URL=https://abcdefghijklmnopqrst.supabase.co\n',
    'src/client.ts':
      "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_ANON)\n",
    'supabase/migrations/1.sql': `create table support_requests (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users (id), type text, message text, plan text, status text default 'new');
alter table support_requests enable row level security;
create policy "anyone asks" on support_requests for insert to anon, authenticated with check (type in ('help', 'feature') and length(message) >= 10 and length(message) <= 2000 and status = 'new');
`,
    'supabase/functions/answer/index.ts': `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const { id } = await req.json()
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  await admin.from('support_requests').update({ status: 'answered' }).eq('id', id)
  return new Response('ok')
})
`,
  })
  const check = (n: number) => report.checks.find((c) => c.number === n)
  expect(check(15)?.because).toMatch(/^the values in \.env are read in every environment that sets no others/)
  expect(check(17)?.evidence[0]).toMatch(/^no handler that asks who calls takes an id and .*; 1 reaches rows and asks nobody \(check 16\)$/)
  expect(check(19)?.evidence[0]).toMatch(/ in 1 handler;/)
  const [policy] = check(3)?.findings ?? []
  expect(policy?.message).toMatch(
    /it looks only at type in \('help', 'feature'\) and length\(message\) >= 10 and length\(message\) <= 2000 and status = 'new' and never/,
  )
  expect(policy?.message).not.toMatch(/rights and payment/)
})

test('an event whose case was not reached because the code in front of it is too long is not said to be unhandled', async () => {
  // each calls the next one twice: more steps than are followed for one handler
  const depth = 18
  const long = Array.from(
    { length: depth },
    (_, i) => `export const level${i} = (x) => ${i === depth - 1 ? 'x' : `level${i + 1}(x) + level${i + 1}(x)`}\n`,
  ).join('')
  const route = (cases: string) => `import Stripe from 'stripe'
import { level0 } from '@/lib/long'
import { db } from '@/lib/db'
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY!)
export async function POST(req: Request) {
  const event = stripe.webhooks.constructEvent(await req.text(), req.headers.get('stripe-signature')!, process.env.STRIPE_WEBHOOK_SECRET!)
  switch (event.type) {
    case 'checkout.session.completed':
      await stripe.checkout.sessions.create({ mode: 'subscription', line_items: [{ price: level0(event.id) }] })
      break
${cases}  }
  return new Response('ok')
}
`
  const files = (cases: string) => ({
    'package.json': '{ "dependencies": { "next": "15.0.0", "stripe": "17.0.0" } }',
    'lib/long.ts': long,
    'lib/db.ts': "import { PrismaClient } from '@prisma/client'\nexport const db = new PrismaClient()\n",
    'app/api/webhooks/stripe/route.ts': route(cases),
  })
  const named = await auditFiles(
    files(
      "    case 'invoice.payment_failed':\n      await db.subscription.update({ where: { customer: event.data.object.customer }, data: { status: 'past_due' } })\n      break\n",
    ),
  )
  const check = (report: typeof named, n: number) => report.checks.find((c) => c.number === n)
  expect(check(named, 21)?.status).toBe('unverified')
  expect(check(named, 21)?.because).toMatch(/could not be followed/)
  expect(check(named, 22)?.status).toBe('failed')
  expect(check(await auditFiles(files('')), 21)?.status).toBe('failed')
})
