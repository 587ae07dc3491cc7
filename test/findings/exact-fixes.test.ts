import { describe, expect, test } from 'vitest'
import { stateExactFixes } from '../../src/findings/exact-fixes.ts'
import { applyFix } from '../support/apply-fix.ts'
import { auditFiles } from '../support/audit-files.ts'
import { finding } from '../support/findings.ts'
import { fillPlaceholders } from '../support/placeholders.ts'

const PACKAGE = '{ "name": "shop", "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0", "stripe": "17.0.0" } }'
const TABLE = `create table public.notes (id uuid primary key, user_id uuid not null references auth.users (id), body text not null);
alter table public.notes enable row level security;
create policy "own" on public.notes for all to authenticated using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
`
const HANDLER = `import { createClient } from '@supabase/supabase-js'
import { createServer } from '../../../lib/server'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export async function DELETE(request: Request) {
  const supabase = await createServer()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return new Response(null, { status: 401 })
  const { id } = await request.json()
  await admin.from('notes').delete().eq('id', id)
  return Response.json({})
}
`
const SERVER = `import { createServerClient } from '@supabase/ssr'
import { cookies } from 'next/headers'
export async function createServer() {
  const store = await cookies()
  return createServerClient(process.env.SUPABASE_URL!, process.env.SUPABASE_ANON_KEY!, { cookies: { getAll: () => store.getAll(), setAll: () => {} } })
}
`
const WEBHOOK = (verify: string) => `import Stripe from 'stripe'
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY!)
export async function POST(request: Request) {
  const body = await request.text()
${verify}
  if (event.type === 'checkout.session.completed') console.log(event.id)
  return new Response(null, { status: 200 })
}
`

/** The exact change that the finding of a check is given, and that the finding is gone when it is made. */
async function exactFix(check: string, path: string, files: Record<string, string>): Promise<string | undefined> {
  const all = { 'package.json': PACKAGE, '.gitignore': '.env*\n!.env.example\n', ...files }
  const found = (await auditFiles(all)).checks.find((c) => c.id === check)?.findings.find((f) => f.fix.replaces?.path === path)
  if (!found) return undefined
  const repaired = await auditFiles({ ...all, [path]: applyFix(all[path as keyof typeof all], found.fix) })
  expect(repaired.checks.flatMap((c) => c.findings.map((f) => f.fingerprint))).not.toContain(found.fingerprint)
  return found.fix.code
}

describe('the exact change of lines', () => {
  test('binds a query to the caller by the column that the schema names', async () => {
    const files = { 'supabase/migrations/001.sql': TABLE, 'lib/server.ts': SERVER, 'app/api/notes/route.ts': HANDLER }
    expect(await exactFix('api/ownership', 'app/api/notes/route.ts', files)).toBe("  await admin.from('notes').delete().eq('id', id).eq('user_id', user.id)")
  })

  test('takes the empty default of a signing secret away', async () => {
    const verify =
      "  const event = await stripe.webhooks.constructEventAsync(body, request.headers.get('stripe-signature')!, process.env.STRIPE_WEBHOOK_SECRET || '')"
    expect(await exactFix('payments/signature', 'app/api/webhook/route.ts', { 'app/api/webhook/route.ts': WEBHOOK(verify) })).toContain(
      "process.env.STRIPE_WEBHOOK_SECRET || (() => { throw new Error('STRIPE_WEBHOOK_SECRET is not set') })())",
    )
  })

  test('reads a secret of server code from the environment, and leaves code for browsers alone', async () => {
    const key = fillPlaceholders('{{stripe-live-secret}}')
    const server = {
      'app/api/pay/route.ts': `import Stripe from 'stripe'\nconst stripe = new Stripe('${key}')\nexport const GET = () => Response.json(String(stripe))\n`,
    }
    expect(await exactFix('code/hardcoded', 'app/api/pay/route.ts', server)).toBe('const stripe = new Stripe(process.env.STRIPE_LIVE_SECRET!)')
    const browser = { 'app/pay/page.tsx': `'use client'\nconst key = '${key}'\nexport default () => <p>{key}</p>\n` }
    expect(await exactFix('code/hardcoded', 'app/pay/page.tsx', browser)).toBeUndefined()
  })

  test('lets no env file in and keeps what the ignore file kept out before', async () => {
    const files = { '.gitignore': 'node_modules\n.env\n.dev.vars\n', '.env.sample': 'SITE_URL=\n' }
    expect(await exactFix('env/committed', '.gitignore', files)).toBe('.dev.vars\n.env\n.env.*\n!.env.sample')
  })

  test('empties the one secret of a template', async () => {
    const files = { '.env.example': `SITE_URL=https://shop.example\nSTRIPE_SECRET_KEY=${fillPlaceholders('{{stripe-live-secret}}')}\n` }
    const report = await auditFiles({ 'package.json': PACKAGE, '.gitignore': '.env*\n!.env.example\n', ...files })
    const fix = report.checks.find((c) => c.id === 'env/committed')?.findings[0]?.fix
    // The history keeps the value, so that the finding stays until it is replaced at its provider.
    expect(fix).toMatchObject({ code: 'STRIPE_SECRET_KEY=', replaces: { path: '.env.example', line: 2, endLine: 2 } })
  })
})

describe('stateExactFixes', () => {
  const rewritten = (apply: (lines: readonly string[]) => readonly string[] | undefined, line = 1, endLine = 3) =>
    finding({ subject: 'file a', fix: { text: 'Do.', code: 'general', rewrite: { path: 'a', line, endLine, apply } } })
  const stated = (text: string, apply: (lines: readonly string[]) => readonly string[] | undefined) =>
    stateExactFixes([rewritten(apply)], new Map([['a', text]]))[0]?.fix

  test('keeps only the lines that change, and a line before what is added or taken away', () => {
    expect(stated('a\nb\nc\n', ([a, , c]) => [a as string, 'B', c as string])).toEqual({ text: 'Do.', code: 'B', replaces: { path: 'a', line: 2, endLine: 2 } })
    expect(stated('a\nb\nc\n', ([a, b, c]) => [a as string, b as string, 'new', c as string])).toMatchObject({
      code: 'b\nnew',
      replaces: { line: 2, endLine: 2 },
    })
    expect(stated('a\nb\nc\n', ([a, , c]) => [a as string, c as string])).toMatchObject({ code: 'a', replaces: { line: 1, endLine: 2 } })
  })

  test('says what it said before when nothing exact can be said', () => {
    const general = { text: 'Do.', code: 'general' }
    const change = ([a, ...rest]: readonly string[]) => [`${a}!`, ...rest]
    expect(stated('a\r\nb\r\nc\r\n', change)).toEqual(general)
    expect(stated(`${'x'.repeat(2000)}\nb\nc\n`, change)).toEqual(general)
    expect(stated('a\nb\nc\n', () => undefined)).toEqual(general)
    expect(stated('a\nb\nc\n', (lines) => lines)).toEqual(general)
    expect(stateExactFixes([rewritten(change)], new Map())[0]?.fix).toEqual(general)
    const secret = fillPlaceholders('{{stripe-live-secret}}')
    expect(stated(`const a = '${secret}'\nb\nc\n`, ([a, ...rest]) => [`${a} // note`, ...rest])).toEqual(general)
  })
})
