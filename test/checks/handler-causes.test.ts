import { expect, test } from 'vitest'
import { type Item, itemsOf } from '../../src/report/items.ts'
import { NEXT_ON_SUPABASE, SERVICE_CLIENT } from '../support/applications.ts'
import { auditFiles } from '../support/audit-files.ts'

const APPLICATION = { ...NEXT_ON_SUPABASE, 'lib/admin.ts': SERVICE_CLIENT, '.gitignore': '.env*\n' }
const ADMIN = "import { createServiceClient } from '@/lib/admin'\nconst admin = createServiceClient()\n"
const SESSION = "import { createClient } from '@/lib/server'\n"
const SIGNED_IN = `  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return new Response(null, { status: 401 })
`
const SCHEMA = {
  'supabase/migrations/1.sql': `create table invoices (id uuid primary key, user_id uuid references auth.users, total int, note text);
alter table invoices enable row level security;
create policy "own" on invoices for select using (user_id = auth.uid());`,
}

const change = (method: string, statement: string, guard = '') =>
  `export async function ${method}(request: Request, { params }: { params: { id: string } }) {\n${guard}  ${statement}\n}\n`
const READ = "const { data } = await admin.from('invoices').select('*').eq('id', params.id).single()\n  return Response.json(data)"
const WRITE = "await admin.from('invoices').update({ note: (await request.json()).note }).eq('id', params.id)\n  return Response.json({})"
const REMOVE = "await admin.from('invoices').delete().eq('id', params.id)\n  return Response.json({})"

/** Items of checks 16 to 18. */
async function items(files: Record<string, string>): Promise<readonly Item[]> {
  const report = await auditFiles({ ...APPLICATION, ...SCHEMA, ...files })
  return itemsOf(report.checks.filter((c) => c.number >= 16 && c.number <= 18).flatMap((c) => c.findings))
}

const subjects = (item: Item | undefined) => item?.members.map((m) => m.subject).sort()

test('methods of one address that ask nobody are one item with the places of all, and another address is another', async () => {
  const found = await items({
    'app/api/invoices/[id]/route.ts': `${ADMIN}${change('GET', READ)}${change('PUT', WRITE)}${change('DELETE', REMOVE)}`,
    'app/api/bills/[id]/route.ts': `${ADMIN}${change('DELETE', REMOVE)}`,
  })
  expect(found.map(subjects)).toContainEqual(['route DELETE /api/invoices/[id]', 'route GET /api/invoices/[id]', 'route PUT /api/invoices/[id]'])
  expect(found).toHaveLength(2)
  const item = found.find((i) => i.members.length === 3)
  expect(item?.severity).toBe('Critical')
  expect(item?.related.filter((r) => r.path === 'app/api/invoices/[id]/route.ts' && r.what === 'the same problem')).toHaveLength(2)
  expect(item?.message).toMatch(/The same problem is at route \w+ \/api\/invoices\/\[id\], route \w+ \/api\/invoices\/\[id\]\.$/)
  expect(item?.fix.text).toMatch(
    /Make sure that the change covers app\/api\/invoices\/\[id\]\/route\.ts:\d+, app\/api\/invoices\/\[id\]\/route\.ts:\d+ as well\.$/,
  )
})

test('methods that know who calls and forget whose row it is are one item as well', async () => {
  const found = await items({
    'app/api/invoices/[id]/route.ts': `${SESSION}${ADMIN}${change('GET', READ, SIGNED_IN)}${change('DELETE', REMOVE, SIGNED_IN)}`,
  })
  expect(found.map((i) => i.check)).toEqual(['api/ownership'])
  expect(subjects(found[0])).toEqual(['route DELETE /api/invoices/[id]', 'route GET /api/invoices/[id]'])
})

test('a method that asks nobody and one that forgets the owner are two causes', async () => {
  const found = await items({
    'app/api/invoices/[id]/route.ts': `${SESSION}${ADMIN}${change('GET', READ, SIGNED_IN)}${change('DELETE', REMOVE)}`,
  })
  expect(found.map((i) => i.members.map((m) => m.check))).toEqual(expect.arrayContaining([['api/ownership'], ['api/auth']]))
  expect(found).toHaveLength(2)
})

test('a callback that believes a state fails two checks by one cause, and both carry one fix', async () => {
  const found = await items({
    'supabase/migrations/2.sql': 'create table users (id uuid primary key references auth.users, token text);\nalter table users enable row level security;',
    'app/api/github/callback/route.ts': `${ADMIN}export async function GET(request: Request) {
  const url = new URL(request.url)
  const userId = url.searchParams.get('state')
  const answer = await fetch('https://github.com/login/oauth/access_token', { method: 'POST', body: JSON.stringify({ code: url.searchParams.get('code') }) })
  const { access_token } = await answer.json()
  await admin.from('users').update({ token: access_token }).eq('id', userId)
  return Response.redirect('https://shop.example/settings')
}
`,
  })
  expect(found).toHaveLength(1)
  expect(found[0]?.members.map((m) => m.check).sort()).toEqual(['api/auth', 'api/ownership'])
  expect(new Set(found[0]?.members.map((m) => m.fix.code)).size).toBe(1)
  expect(found[0]?.message).toContain('The same fix also closes: ')
})

test('what people call and what the clock calls are asked in different ways: two causes', async () => {
  const body =
    "const { data } = await admin.from('invoices').select('*')\n  for (const row of data ?? []) await admin.from('invoices').update({ total: 0 }).eq('id', row.id)\n  return Response.json({})"
  const found = await items({
    'vercel.json': '{ "crons": [{ "path": "/api/cron/close", "schedule": "0 0 * * *" }] }',
    'app/api/cron/close/route.ts': `${ADMIN}export async function GET() {\n  ${body}\n}\n`,
    'app/api/invoices/[id]/route.ts': `${ADMIN}${change('DELETE', REMOVE)}`,
  })
  expect(found.map((i) => i.members.length)).toEqual([1, 1])
})

test('pages of one folder without a check are one item, and those of another folder are another', async () => {
  const page =
    "import { createServiceClient } from '@/lib/admin'\nexport default async function Page() {\n  const { data } = await createServiceClient().from('invoices').select('*')\n  return <pre>{JSON.stringify(data)}</pre>\n}\n"
  const report = await auditFiles({
    ...APPLICATION,
    ...SCHEMA,
    'app/dashboard/invoices/page.tsx': page,
    'app/dashboard/billing/page.tsx': page,
    'app/account/page.tsx': page,
  })
  const found = itemsOf(report.checks.find((c) => c.number === 10)?.findings ?? [])
  expect(found.map(subjects)).toEqual([['route GET /account'], ['route GET /dashboard/billing', 'route GET /dashboard/invoices']])
})
