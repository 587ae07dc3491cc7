import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

const webhook = (renewed: string) => `import { PrismaClient } from '@prisma/client'
import Stripe from 'stripe'
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY!)
const prisma = new PrismaClient()
export async function POST(request: Request) {
  const event = stripe.webhooks.constructEvent(await request.text(), request.headers.get('stripe-signature')!, process.env.STRIPE_WEBHOOK_SECRET!)
  if (event.type === 'invoice.paid') {
    await prisma.member.update({ where: { stripeSubscriptionId: event.data.object.subscription }, data: { ${renewed} } })
  }
  return new Response(null, { status: 200 })
}
`

const audit = async (renewed: string) => {
  const report = await auditFiles({
    'package.json': '{ "name": "app", "dependencies": { "next": "15.0.0", "stripe": "17.0.0", "@prisma/client": "5.17.0" } }',
    'app/api/stripe/route.ts': webhook(renewed),
  })
  return [21, 22].map((number) => findingsOfCheck(report, number)[0])
}

test('where a paid period is stored, a missing case says what that date is worth, in the library of the endpoint', async () => {
  const [failed, deleted] = await audit('paidUntil: new Date(event.data.object.period_end * 1000)')
  expect(failed?.message).toMatch(
    /nobody is told\. Access ends by itself only where the code compares member\.paidUntil \(stored at app\/api\/stripe\/route\.ts:8\)/,
  )
  expect(failed?.fix.code).not.toMatch(/update/)
  expect(deleted?.attack).toMatch(/until paidUntil, and for good wherever that is not compared with the clock/)
  expect(deleted?.fix.code).toMatch(/prisma\.member\.updateMany\(\{ where: \{ stripeSubscriptionId: object\.id \}, data: \{ paidUntil: new Date\(\) \} \}\)/)
})

test('without such a date access goes on', async () => {
  const [failed, deleted] = await audit("status: 'active'")
  expect(failed?.message).toMatch(/nothing happens and access goes on/)
  expect(deleted?.attack).toMatch(/keeps the paid features for good/)
  expect(deleted?.fix.code).toMatch(/data: \{ status: 'canceled' \}/)
})

test('what verifies a signature is written for the handler: by the name of its request, in its framework, with what has to be imported', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "shop", "dependencies": { "express": "5.0.0", "pg": "8.13.0" } }',
    'server/index.ts': `import express from 'express'
import { Pool } from 'pg'
const app = express()
const pool = new Pool({ connectionString: process.env.DATABASE_URL })
app.use(express.json())
app.post('/razorpay/webhook', async (incoming, res) => {
  const { event, payload } = incoming.body
  if (event === 'payment.captured') await pool.query('update orders set payment_status = $1 where id = $2', ['paid', payload.payment.entity.notes.order])
  res.json({ ok: true })
})
app.listen(3000)
`,
    'server/pay.ts': `import Razorpay from 'razorpay'\nexport const razorpay = new Razorpay({ key_id: process.env.RAZORPAY_KEY_ID!, key_secret: process.env.RAZORPAY_KEY_SECRET! })\n`,
    'supabase/config.toml': '[functions.stripe-webhook]\nverify_jwt = false\n',
    'supabase/functions/stripe-webhook/index.ts': `import { createClient } from 'npm:@supabase/supabase-js@2'
const SECRET = Deno.env.get('STRIPE_WEBHOOK_SECRET')
async function isSigned(body: string, sent: string, secret: string) {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const made = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(body))
  return Array.from(new Uint8Array(made)).map((b) => b.toString(16).padStart(2, '0')).join('') === sent
}
Deno.serve(async (req) => {
  const body = await req.text()
  const sent = req.headers.get('stripe-signature')
  if (SECRET && sent) {
    if (!(await isSigned(body, sent, SECRET))) return new Response(null, { status: 401 })
  }
  const event = JSON.parse(body)
  const db = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  if (event.type === 'checkout.session.completed') await db.from('quotes').update({ payment_status: 'paid' }).eq('id', event.data.object.metadata.quote)
  return new Response('ok')
})
`,
  })
  const findings = findingsOfCheck(report, 20)
  const of = (subject: string) => findings.find((f) => f.subject === subject)
  const deno = of('function stripe-webhook')
  expect(deno?.title).toBe('Verification is skipped when the header is missing')
  expect(deno?.fix.code).toMatch(
    /^import Stripe from 'npm:stripe'\nconst stripe = new Stripe\(Deno\.env\.get\('STRIPE_SECRET_KEY'\)!\)\nconst body = await req\.text\(\)/,
  )
  expect(deno?.fix.code).not.toMatch(/\brequest\b/)
  const express = of('route POST /razorpay/webhook')?.fix.code
  expect(express).toMatch(/^import \{ createHmac, timingSafeEqual \} from 'node:crypto'\nconst body = incoming\.body \/\/ the bytes: app\.post/)
  expect(express).toContain("incoming.headers['x-razorpay-signature']")
  expect(express).toContain('return res.sendStatus(401)')
})
