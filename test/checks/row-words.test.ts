import { expect, test } from 'vitest'
import { prismaSchema } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

test('the words of a breach are those of the library that the handler uses, and of the place where it runs', async () => {
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.0.0", "drizzle-orm": "0.36.0", "pg": "8.13.0", "jose": "5.0.0", "@supabase/supabase-js": "2.45.0" } }',
    'lib/db.ts': `import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, uuid } from 'drizzle-orm/pg-core'
export const cartItems = pgTable('cart_items', { id: uuid('id').primaryKey(), userId: uuid('user_id').notNull(), quantity: integer('quantity') })
export const db = drizzle(process.env.DATABASE_URL!)
`,
    'app/api/cart/[itemId]/route.ts': `import { eq } from 'drizzle-orm'
import { jwtVerify } from 'jose'
import { cookies } from 'next/headers'
import { cartItems, db } from '../../../../lib/db'
export async function DELETE(_: Request, { params }: { params: Promise<{ itemId: string }> }) {
  const token = (await cookies()).get('shop-token')?.value ?? ''
  const { payload: user } = await jwtVerify(token, new TextEncoder().encode(process.env.JWT_SECRET!))
  if (!user) return new Response(null, { status: 401 })
  const { itemId } = await params
  await db.delete(cartItems).where(eq(cartItems.id, itemId))
  return new Response('ok')
}
`,
    'supabase/functions/video-oauth/index.ts': `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const url = new URL(req.url)
  const state = url.searchParams.get('state')
  const answer = await fetch('https://oauth2.googleapis.com/token', { method: 'POST', body: new URLSearchParams({ code: url.searchParams.get('code')! }) })
  const tokens = await answer.json()
  await admin.from('profiles').update({ followers: tokens.count }).eq('user_id', state)
  return new Response('ok')
})
`,
  })
  const findings = findingsOfCheck(report, 17)
  const of = (subject: string) => findings.find((f) => f.subject === subject)
  const row = of('route DELETE /api/cart/[itemId]')
  expect(row?.message).toMatch(/cart_items by path parameter `itemId` with a direct connection, and nothing compares the row's owner with the caller\.$/)
  expect(row?.fix.text).toMatch(/^Bind the query to the caller as well \(column \w+\)\.$/)
  expect(row?.fix.code).toContain('eq(cartItems.id, itemId), eq(cartItems.userId, ')
  const state = of('function video-oauth')
  expect(state?.attack).not.toContain('token')
  expect(state?.fix.code).toMatch(/auth\.getUser\(token\)[\s\S]*from\('oauth_states'\)\.delete\(\)\.eq\('state', state\)\.eq\('user_id', user\.id\)/)
  expect(state?.fix.code).not.toContain('cookies')
})

test('a handler for administrators that compares what every user edits is said to do so', async () => {
  const handler = (test: string) => `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const db = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const { data: { user } } = await db.auth.getUser(req.headers.get('Authorization')!.replace('Bearer ', ''))
  if (!user) return new Response(null, { status: 401 })
${test}
  const { id } = await req.json()
  await db.from('notes').delete().eq('id', id)
  return new Response('ok')
})
`
  const report = await auditFiles({
    'supabase/migrations/1.sql':
      'create table notes (id uuid primary key, user_id uuid references auth.users, body text);\nalter table notes enable row level security;\n',
    'supabase/functions/admin-delete-note/index.ts': handler(
      "  const isAdmin = user.email === 'boss@shop.dev' || user.user_metadata?.email === 'boss@shop.dev'\n  if (!isAdmin) return new Response(null, { status: 403 })",
    ),
    'supabase/functions/admin-drop-note/index.ts': handler(''),
  })
  const findings = findingsOfCheck(report, 17)
  const said = Object.fromEntries(findings.map((f) => [f.subject, `${f.message} ${f.attack} ${f.fix.text}`]))
  expect(said['function admin-delete-note']).toMatch(
    /What supabase\/functions\/admin-delete-note\/index\.ts:6 compares is the user's own metadata, which every user edits\. Beside that .*writes into the own metadata.*Take the comparison/,
  )
  expect(said['function admin-drop-note']).toContain('The handler asks only whether somebody is signed in')
})

test('a row is bound by what the session and its table have in common, and by no column that there is not', async () => {
  const page = (body: string) => `'use server'
import { getServerSession } from 'next-auth'
import { prisma } from '../lib/prisma'
export async function act(id: string) {
  const session = await getServerSession()
  if (!session) throw new Error('Unauthorized')
${body}
}
`
  const report = await auditFiles({
    'package.json': '{ "dependencies": { "next": "15.0.0", "next-auth": "4.24.0", "@prisma/client": "6.0.0" } }',
    'prisma/schema.prisma': prismaSchema(`model User {
  id    String @id
  email String @unique
}
model Campaign {
  id   String @id
  name String
}
model Address {
  id         String @id
  campaignId String
  street     String
  phone      String
}
model Client {
  id    String @id
  email String
  phone String
}
`),
    'lib/prisma.ts': "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n",
    'app/addresses.ts': page(
      '  await prisma.campaign.update({ where: { id: session.user.activeCampaignId }, data: { name: "one" } })\n  return prisma.address.findUnique({ where: { id } })',
    ),
    'app/clients.ts': page('  return prisma.client.findUnique({ where: { id } })'),
  })
  const findings = findingsOfCheck(report, 17)
  const fixOf = (subject: string) => findings.find((f) => f.subject === subject)?.fix
  expect(fixOf('action app/addresses.ts#act')?.code).toBe('where: { id, campaignId: session.user.activeCampaignId }')
  expect(fixOf('action app/clients.ts#act')?.text).toMatch(/^No column of client says whose a row is/)
  expect(fixOf('action app/clients.ts#act')?.code ?? '').not.toContain('userId')
})
