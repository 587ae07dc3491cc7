import { describe, expect, test } from 'vitest'
import { audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import type { ReportFinding } from '../../src/report/report.ts'
import { testDatabase } from '../support/database.ts'
import { MemorySource } from '../support/memory-source.ts'
import { assertReport } from '../support/report-schema.ts'

const PACKAGE = '{ "name": "shop", "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0" } }'
const NOTES = `create table public.notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id),
  body text not null
);
alter table public.notes enable row level security;
create policy "read" on public.notes for select to authenticated using (true);
create policy "own" on public.notes as restrictive for select to authenticated using ((select auth.uid()) = user_id);
`
const MIDDLEWARE = (matcher: string) => `import { createServerClient } from '@supabase/ssr'
import { NextResponse } from 'next/server'
export async function middleware(request) {
  const supabase = createServerClient(process.env.URL, process.env.KEY, { cookies: { getAll: () => request.cookies.getAll(), setAll() {} } })
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return NextResponse.redirect(new URL('/login', request.url))
  return NextResponse.next()
}
export const config = { matcher: ${matcher} }
`
const ROUTE = `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.URL, process.env.SUPABASE_SERVICE_ROLE_KEY)
export async function POST(request) {
  const { id } = await request.json()
  await admin.from('notes').delete().eq('id', id)
  return Response.json({})
}
`
const ADMIN = `import { createClient } from '@supabase/supabase-js'
export const admin = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL, process.env.NEXT_PUBLIC_SUPABASE_SERVICE_ROLE_KEY)
`

/** What a pull request from `before` to `after` introduces; a file that is undefined is removed. */
async function introduced(before: Record<string, string>, after: Record<string, string | undefined>): Promise<readonly ReportFinding[]> {
  const base = { 'package.json': PACKAGE, '.gitignore': '.env*\n', ...before }
  const head = Object.fromEntries(Object.entries({ ...base, ...after }).filter((e): e is [string, string] => e[1] !== undefined))
  const source = new MemorySource([
    { name: 'base', files: base },
    { name: 'head', files: head },
  ])
  const { report } = await audit(
    { commit: 'head', base: 'main', mergeBase: 'base', config: DEFAULT_CONFIG, today: '2026-11-20' },
    { source, database: testDatabase() },
  )
  assertReport(report)
  return report.checks.flatMap((c) => c.findings).filter((f) => f.state === 'introduced')
}

describe('a finding whose own code nobody touched is shown at the change that caused it', () => {
  test('a dropped policy', async () => {
    const [finding] = await introduced(
      { 'supabase/migrations/001.sql': NOTES },
      { 'supabase/migrations/002.sql': '-- sharing\ndrop policy "own" on public.notes;\n' },
    )
    expect(finding).toMatchObject({ severity: 'Critical', path: 'supabase/migrations/002.sql', line: 2 })
    expect(finding?.related[0]).toMatchObject({ path: 'supabase/migrations/001.sql', line: 7, what: 'is affected' })
    expect(finding?.related[0]?.subject).toContain('notes')
  })

  test('row level security that is switched off', async () => {
    const findings = await introduced(
      { 'supabase/migrations/001.sql': NOTES },
      { 'supabase/migrations/002.sql': 'alter table public.notes disable row level security;\n' },
    )
    expect(findings.map((f) => [f.check, f.path, f.line])).toContainEqual(['rls/enabled', 'supabase/migrations/002.sql', 1])
  })

  test('a helper function that now says yes to everybody', async () => {
    const helper = (body: string) => `create or replace function public.owns(row_owner uuid) returns boolean language sql stable as $$ select ${body} $$;\n`
    const [finding] = await introduced(
      {
        'supabase/migrations/001.sql': `${helper('row_owner = auth.uid()')}create table public.notes (id uuid primary key, user_id uuid not null references auth.users (id), body text);
alter table public.notes enable row level security;
create policy "own" on public.notes for select to authenticated using (public.owns(user_id));\n`,
      },
      { 'supabase/migrations/002.sql': `-- quicker\n${helper('true')}` },
    )
    expect(finding).toMatchObject({ path: 'supabase/migrations/002.sql', line: 2 })
    expect(finding?.related[0]).toMatchObject({ path: 'supabase/migrations/001.sql', what: 'is affected' })
  })

  test('an entry taken out of the matcher', async () => {
    const findings = await introduced(
      { 'middleware.ts': MIDDLEWARE("['/dashboard/:path*', '/api/notes']"), 'app/api/notes/route.ts': ROUTE },
      { 'middleware.ts': MIDDLEWARE("['/dashboard/:path*']") },
    )
    const finding = findings.find((f) => f.check === 'api/auth')
    expect(finding).toMatchObject({ subject: 'route POST /api/notes', path: 'middleware.ts', line: 9 })
    expect(finding?.related[0]).toMatchObject({ path: 'app/api/notes/route.ts', subject: 'route POST /api/notes' })
    expect(finding?.message).toContain('This change causes it')
  })

  test('a middleware that is removed leaves no line, and the message names it', async () => {
    const findings = await introduced({ 'middleware.ts': MIDDLEWARE("['/api/notes']"), 'app/api/notes/route.ts': ROUTE }, { 'middleware.ts': undefined })
    const finding = findings.find((f) => f.check === 'api/auth')
    expect(finding).toMatchObject({ path: 'app/api/notes/route.ts', line: 3 })
    expect(finding?.message).toContain('middleware.ts, which guarded it, is removed')
  })

  test('a new importer of an admin client', async () => {
    const findings = await introduced(
      { 'lib/admin.ts': ADMIN, 'app/api/x/route.ts': "import { admin } from '../../../lib/admin'\nexport const GET = () => Response.json(String(admin))\n" },
      {
        'app/panel/page.tsx':
          "'use client'\nimport { admin } from '../../lib/admin'\nexport default () => <p onClick={() => admin.from('notes').select()}>x</p>\n",
      },
    )
    const finding = findings.find((f) => f.check === 'rls/service-role-client')
    expect(finding).toMatchObject({ subject: 'file lib/admin.ts', path: 'app/panel/page.tsx', line: 2 })
    expect(finding?.related[0]).toMatchObject({ path: 'lib/admin.ts', what: 'is affected' })
  })

  test('what stands in a changed file stays where it is', async () => {
    const [finding] = await introduced({}, { 'supabase/migrations/001.sql': NOTES.replace('create policy "own"', '-- create policy "own"') })
    expect(finding).toMatchObject({ path: 'supabase/migrations/001.sql', line: 7 })
    expect(finding?.related.map((r) => r.what)).not.toContain('is affected')
  })
})
