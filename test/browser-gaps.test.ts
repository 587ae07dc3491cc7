import { afterAll, expect, test } from 'vitest'
import { audit } from '../src/audit.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import { extractInProcess } from '../src/facts/extract.ts'
import type { Report } from '../src/report/report.ts'
import { testDatabase } from './support/database.ts'
import { MemorySource } from './support/memory-source.ts'

afterAll(async () => {
  await testDatabase().close?.()
})

const RECEIVER = `import Stripe from 'npm:stripe@16'
import { createClient } from 'npm:@supabase/supabase-js@2'
const stripe = new Stripe(Deno.env.get('STRIPE_SECRET_KEY')!)
const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
Deno.serve(async (req) => {
  const event = await stripe.webhooks.constructEventAsync(await req.text(), req.headers.get('stripe-signature')!, Deno.env.get('STRIPE_WEBHOOK_SECRET')!)
  await admin.from('orders').update({ paid: true }).eq('session', event.data.object.id)
  return new Response('ok')
})
`

const APPLICATION = {
  'package.json': '{"dependencies":{"vite":"5","react":"18","@supabase/supabase-js":"2"}}',
  'index.html': '<script type="module" src="/src/main.tsx"></script>',
  'supabase/functions/stripe-webhook/index.ts': RECEIVER,
}

async function reportOn(files: Record<string, string>): Promise<Report> {
  const source = new MemorySource([{ name: 'head', files }])
  const { report } = await audit(
    { commit: 'head', config: DEFAULT_CONFIG, today: '2026-11-20' },
    { source, database: testDatabase(), extractAll: extractInProcess },
  )
  return report
}

async function statusOfSignature(files: Record<string, string>): Promise<string | undefined> {
  const report = await reportOn({ ...APPLICATION, ...files })
  return report.checks.find((c) => c.id === 'payments/signature')?.status
}

const BROKEN = "export const Plan = () => <b onClick={() => save([\\'a\\'])}>plan</b>\n"

test('a component with a syntax error casts no doubt on what the server does', async () => {
  expect(await statusOfSignature({ 'src/main.tsx': "import { Plan } from './plan'\nPlan()\n", 'src/plan.tsx': BROKEN })).toBe('passed')
})

test('nor does one that nothing imports', async () => {
  expect(await statusOfSignature({ 'src/main.tsx': 'document.title = ""\n', 'src/plan.tsx': BROKEN })).toBe('passed')
})

test('one that a function imports does, through others too', async () => {
  const files = {
    'src/main.tsx': "import { Plan } from './plan'\nPlan()\n",
    'src/plan.tsx': BROKEN,
    'src/mail.ts': "import { Plan } from './plan'\nexport const mail = () => Plan()\n",
    'supabase/functions/send/index.ts': "import { mail } from '../../../src/mail.ts'\nDeno.serve(() => new Response(String(mail())))\n",
  }
  expect(await statusOfSignature(files)).toBe('unverified')
})

test('a page that cannot be parsed says nothing of an endpoint, nor does a script that nothing imports; the page itself stays in doubt', async () => {
  const files = {
    'package.json': '{"dependencies":{"next":"15","stripe":"16"}}',
    'app/api/webhook/route.ts': RECEIVER.replaceAll(/npm:|@\d+/g, '')
      .replaceAll(/Deno\.env\.get\('(\w+)'\)/g, 'process.env.$1')
      .replace('Deno.serve(async (req) => {', 'export async function POST(req) {')
      .replace(/}\)\n$/, '}\n'),
    'app/orders/page.tsx': 'export default function Page() {\n  return <b>{orders.map((o) => {</b>\n}\n',
    'scripts/reset.ts': "import { rm } from 'node:fs/promises'\nawait rm('cdn', {\n",
  }
  const { checks } = await reportOn(files)
  expect(checks.find((c) => c.id === 'payments/signature')?.status).toBe('passed')
  expect(checks.find((c) => c.id === 'api/auth')?.status).toBe('unverified')
})

test('what a page shows of a module for browsers casts no doubt on servers, unless an endpoint runs its parts', async () => {
  const files = {
    'package.json': '{"dependencies":{"next":"15","@supabase/supabase-js":"2"}}',
    'app/orders/page.tsx': "import { Plan } from './plan'\nexport default function Page() {\n  return <Plan />\n}\n",
    'app/orders/plan.tsx': `'use client'\nimport { Rows } from './rows'\n${BROKEN}`,
    'app/orders/rows.tsx': BROKEN.replace('Plan', 'Rows'),
    'app/api/orders/route.ts':
      "import { createClient } from '@/lib/server'\nexport async function GET() {\n  const supabase = await createClient()\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) return new Response(null, { status: 401 })\n  return Response.json((await supabase.from('orders').select()).data)\n}\n",
    'lib/server.ts':
      "import { createServerClient } from '@supabase/ssr'\nexport const createClient = async () => createServerClient(process.env.SUPABASE_URL!, process.env.SUPABASE_ANON_KEY!, { cookies: {} })\n",
  }
  const status = async (more: Record<string, string>) => (await reportOn({ ...files, ...more })).checks.find((c) => c.id === 'api/auth')?.status
  expect(await status({})).toBe('passed')
  expect(await status({ 'app/api/rows/route.ts': "import { Rows } from '../../orders/rows'\nexport const GET = () => new Response(String(Rows()))\n" })).toBe(
    'unverified',
  )
})

test('a file of which nothing is known may hold what is said to be absent', async () => {
  const route = (n: number) => `app.get('/api/items/${n}', async (req, res) => {\n  res.json({ ok: true })\n})\n`
  const server = `import express from 'express'\nconst app = express()\n${Array.from({ length: 32_000 }, (_, n) => route(n)).join('')}app.listen(3000)\n`
  const { checks, gaps } = await reportOn({ 'package.json': '{"dependencies":{"express":"4"}}', 'server/index.ts': server, 'src/other.ts': 'export {}\n' })
  expect(gaps.map((g) => g.because)).toEqual([expect.stringMatching(/MiB and was not analysed/)])
  const statuses = Object.fromEntries(checks.map((c) => [c.id, c.status]))
  expect(statuses).toMatchObject({
    'api/auth': 'unverified',
    'api/ownership': 'unverified',
    'api/rate-limit': 'unverified',
    'payments/signature': 'not-applicable',
  })
})
