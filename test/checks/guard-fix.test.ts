import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

const HANDLER = `import { createClient } from 'jsr:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const { id, status } = await req.json()
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  await admin.from('documents').update({ status }).eq('id', id)
  return new Response('ok')
})
`

test.each([
  ['a service calls, by its name, asks for a secret', 'process-document-callback', /CALLBACK_SECRET.*!secret \|\|/s],
  ['people call asks who is signed in', 'process-document', /auth\.getUser\(token\)/],
])('the fix of an open function that %s', async (_who, name, code) => {
  const report = await auditFiles({
    'supabase/config.toml': `project_id = "a"\n[functions.${name}]\nverify_jwt = false\n`,
    [`supabase/functions/${name}/index.ts`]: HANDLER,
  })
  const [finding] = report.checks.find((c) => c.number === 16)?.findings ?? []
  expect(finding?.severity).toBe('Critical')
  expect(finding?.fix.code).toMatch(code)
})
