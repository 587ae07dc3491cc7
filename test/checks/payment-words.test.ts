import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

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
  return [21, 22].map((number) => report.checks.find((c) => c.number === number)?.findings[0])
}

test('where a paid period is stored, a missing case says what that date is worth, in the library of the endpoint', async () => {
  const [failed, deleted] = await audit('paidUntil: new Date(event.data.object.period_end * 1000)')
  expect(failed?.message).toMatch(
    /nobody is told\. Access ends by itself only where the code compares member\.paidUntil \(stored at app\/api\/stripe\/route\.ts:8\)/,
  )
  expect(failed?.fix.code).not.toMatch(/update/)
  expect(deleted?.attack).toMatch(/until paidUntil, and for good wherever that is not compared with the clock/)
  expect(deleted?.fix.code).toMatch(/prisma\.member\.update\(\{ where: \{ stripeSubscriptionId: object\.id \}, data: \{ paidUntil: new Date\(\) \} \}\)/)
})

test('without such a date access goes on', async () => {
  const [failed, deleted] = await audit("status: 'active'")
  expect(failed?.message).toMatch(/nothing happens and access goes on/)
  expect(deleted?.attack).toMatch(/keeps the paid features for good/)
  expect(deleted?.fix.code).toMatch(/data: \{ status: 'canceled' \}/)
})
