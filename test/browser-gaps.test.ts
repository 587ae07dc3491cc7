import { afterAll, expect, test } from 'vitest'
import { audit } from '../src/audit.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import { extractInProcess } from '../src/facts/extract.ts'
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

async function statusOfSignature(files: Record<string, string>): Promise<string | undefined> {
  const source = new MemorySource([{ name: 'head', files: { ...APPLICATION, ...files } }])
  const { report } = await audit(
    { commit: 'head', config: DEFAULT_CONFIG, today: '2026-11-20' },
    { source, database: testDatabase(), extractAll: extractInProcess },
  )
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
