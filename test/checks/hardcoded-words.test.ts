import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

const MAIL = ['maria.keller', 'gmail.com'].join('@')
const send = (to: string) => `export const notify = (mailer) => mailer.send({ subject: 'New order', text: 'one more', ${to} })\n`

test('what reads a value instead of the source fits the place: the runtime, the language, and whether a browser holds it', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "shop", "dependencies": { "vite": "6.0.0", "react": "19.0.0" } }',
    'index.html': '<div id="root"></div><script type="module" src="/src/main.tsx"></script>',
    'src/main.tsx': `import { notify } from './notify'\nnotify(window.mailer)\n`,
    'src/notify.ts': send(`to: '${MAIL}'`),
    'supabase/functions/order/index.ts': `${send(`to: '${MAIL}'`)}Deno.serve(() => new Response())\n`,
    'scripts/report.ts': `export const adminEmail = '${MAIL}'\n`,
  })
  const findings = report.checks.find((c) => c.id === 'code/hardcoded')?.findings ?? []
  const said = Object.fromEntries(findings.map((f) => [f.path, `${f.message} ${f.fix.code ?? f.fix.text}`]))
  expect(said).toMatchObject({
    'src/notify.ts': expect.stringMatching(/is a fixed recipient here\. Let the server know the address/),
    'scripts/report.ts': expect.stringMatching(/stands here as the administrator’s\. const address = process\.env\.ADMIN_EMAIL/),
    'supabase/functions/order/index.ts': expect.stringMatching(/Deno\.env\.get\('NOTIFICATION_EMAIL'\)/),
  })
})

test('a word that stands in for a variable gives way to a refusal, not to the variable once more', async () => {
  const report = await auditFiles({
    'package.json': '{ "name": "shop", "dependencies": { "express": "4.21.0", "pg": "8.13.0" } }',
    'server/login.ts': `import { Client } from 'pg'\nexport const client = new Client({ user: 'shop', host: 'db.shop.dev', password: process.env.DB_PASSWORD || 'Gr8nNov3mber!x' })\n`,
  })
  const fixes = report.checks.flatMap((c) => c.findings).filter((f) => f.path === 'server/login.ts' && f.fix.replaces)
  expect(fixes.map((f) => f.fix.code)).toEqual([expect.stringContaining("process.env.DB_PASSWORD || (() => { throw new Error('DB_PASSWORD is not set') })()")])
})

test('a value that its owner edits is said to be that, and the mailbox of the application is nobody’s own', async () => {
  const house = ['shopmotionapp', 'gmail.com'].join('@')
  const report = await auditFiles({
    'package.json': '{ "name": "shop", "dependencies": { "vite": "6.0.0", "react": "19.0.0", "@supabase/supabase-js": "2.45.0" } }',
    'src/notify.ts': send(`to: '${house}'`),
    'src/report.ts': send(`to: '${MAIL}'`),
    'supabase/functions/ban/index.ts': `import { createClient } from 'npm:@supabase/supabase-js@2'
Deno.serve(async (req) => {
  const db = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  const { data: { user } } = await db.auth.getUser(req.headers.get('Authorization')!.replace('Bearer ', ''))
  const isAdmin = user?.email === '${MAIL}' || user?.user_metadata?.email === '${MAIL}'
  if (!isAdmin) return new Response(null, { status: 403 })
  return new Response('ok')
})
`,
  })
  const findings = report.checks.find((c) => c.id === 'code/hardcoded')?.findings ?? []
  expect(findings.map((f) => f.path)).toEqual(['supabase/functions/ban/index.ts', 'src/report.ts'])
  expect(findings[0]?.message).toContain('with the user’s own metadata, which every user edits.')
  expect(findings[0]?.attack).toMatch(/^Any signed-in user writes this value into the own metadata/)
  expect(findings[0]?.fix.code).toMatch(/^const isAdmin = user\?\.app_metadata\?\.role === 'admin'/)
})
