import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

test('taking the privilege to call a function names the code of the server and the SQL that calls it under the rights of whoever visits', async () => {
  const report = await auditFiles({
    'package.json': '{"dependencies":{"@supabase/supabase-js":"2","@supabase/ssr":"0.5","next":"15","react":"19"}}',
    'lib/server.ts': `import { createServerClient } from '@supabase/ssr'
import { createClient as create } from '@supabase/supabase-js'
import { cookies } from 'next/headers'
export async function createClient() {
  const jar = await cookies()
  return createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, { cookies: { getAll: () => jar.getAll(), setAll() {} } })
}
export const admin = () => create(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export const plain = () => create(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)
`,
    'app/api/points/route.ts': `import { admin, createClient, plain } from '../../../lib/server'
export async function POST(request: Request) {
  const { id } = await request.json()
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return Response.json({}, { status: 401 })
  await supabase.rpc('approve_purse', { p_id: id })
  await supabase.rpc('lock_purse', { p_id: id })
  await plain().rpc('count_purse', { p_id: id })
  await admin().rpc('close_purse', { p_id: id })
  return Response.json({})
}
`,
    'supabase/migrations/1.sql': `create table purses (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, wallet_balance numeric, locked_by uuid, points int not null default 0);
alter table purses enable row level security;
create policy "own" on purses for select using (auth.uid() = user_id);
create function approve_purse(p_id uuid) returns void language sql security definer as $$ update purses set wallet_balance = 5 where id = p_id $$;
create function lock_purse(p_id uuid) returns void language sql security definer as $$ update purses set locked_by = auth.uid(), wallet_balance = 0 where id = p_id $$;
create function count_purse(p_id uuid) returns void language sql security definer as $$ update purses set wallet_balance = 7 where id = p_id $$;
create function close_purse(p_id uuid) returns void language sql security definer as $$ update purses set wallet_balance = 0 where id = p_id $$;
create function void_purse(p_id uuid) returns void language sql security definer as $$ update purses set wallet_balance = 9 where id = p_id $$;
create function void_mine() returns void language sql as $$ select void_purse(id) from purses $$;`,
  })
  const fixOf = (name: string) => {
    const found = report.checks.find((c) => c.number === 4)?.findings.find((f) => f.subject === `function public.${name}(uuid)`)
    if (!found) throw new Error(`nothing on ${name}`)
    return found.fix
  }
  const half = 'revoke execute on function public.lock_purse(uuid) from public, anon;\ngrant execute'
  expect(fixOf('approve_purse').text).toMatch(/points\/route\.ts:7 calls it on the server with the session .* Make that call with a client of the service role/)
  expect(fixOf('approve_purse')).not.toHaveProperty('proved')
  expect(fixOf('approve_purse').code).toMatch(/^-- after the calls .*\nrevoke execute .* from public, anon, authenticated;/)
  // nobody is signed in with the service role
  expect(fixOf('lock_purse').text).toMatch(/points\/route\.ts:8 .*auth\.uid\(\) is empty there/)
  expect(fixOf('lock_purse').code).toContain(half)
  expect(fixOf('count_purse').text).toMatch(/points\/route\.ts:9 calls it on the server with the anon key and without a session/)
  expect(fixOf('close_purse')).toMatchObject({ proved: true })
  expect(fixOf('close_purse').text).not.toContain('route.ts')
  expect(fixOf('void_purse').text).toMatch(/public\.void_mine\(\) calls it with the rights of whoever is signed in and fails/)
})
