import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { findingsOfCheck } from '../support/reported.ts'

const page = (to: string) => `'use client'
import { useEffect } from 'react'
import { useRouter } from 'next/navigation'
export default function Page() {
  const router = useRouter()
  useEffect(() => { fetch('/api/me').then((r) => { if (!r.ok) router.push('${to}') }) }, [router])
  return <p>figures</p>
}
`
const handler = `import { verifyAuth } from '../../../lib/auth'
export async function GET(request: Request) {
  const user = await verifyAuth(request)
  if (!user) return new Response(null, { status: 401 })
  return Response.json(user)
}
`
const verify = `import { jwtVerify } from 'jose'
import { cookies } from 'next/headers'
const key = new TextEncoder().encode(process.env.JWT_SECRET!)
export async function verifyAuth(request: Request) {
  const token = (await cookies()).get('shop-token')?.value
  if (!token) return null
  try {
    return (await jwtVerify(token, key)).payload
  } catch {
    return null
  }
}
`
const fixOf = async (files: Record<string, string>) => {
  const report = await auditFiles({ 'app/admin/page.tsx': page('/login'), 'app/login/page.tsx': 'export default () => <form />\n', ...files })
  const fix = findingsOfCheck(report, 10)[0]?.fix
  return `${fix?.text}\n${fix?.code}`
}
const manifest = (dependencies: string) => `{ "name": "shop", "dependencies": { "next": "15.0.0", "react": "19.0.0"${dependencies} } }`

test('a page asks who is there in the way in which the application keeps its sessions', async () => {
  const own = { 'package.json': manifest(', "jose": "5.0.0"'), 'lib/auth.ts': verify, 'app/api/me/route.ts': handler }
  const cookie = await fixOf(own)
  expect(cookie).toContain("currentUser((await cookies()).get('shop-token')?.value) // stands for the check at lib/auth.ts:")
  expect(cookie).not.toContain('supabase')
  const helper = await fixOf({ ...own, 'lib/auth.ts': `${verify}export async function getCurrentUser() {\n  return verifyAuth(new Request('http://a'))\n}\n` })
  expect(helper).toContain('const user = await getCurrentUser()\n')
  expect(helper).toContain('getCurrentUser comes from lib/auth.ts')
  const platform = page('/login').replace(
    /useEffect\(.*/,
    "useEffect(() => { supabase.auth.getUser().then(({ data }) => { if (!data.user) router.push('/login') }) }, [router])",
  )
  const client =
    "import { createClient } from '@supabase/supabase-js'\nexport const supabase = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)\n"
  const files = { 'package.json': manifest(', "@supabase/supabase-js": "2.45.0"'), 'lib/supabase.ts': client }
  expect(
    await fixOf({ ...files, 'app/admin/page.tsx': platform.replace('export default', "import { supabase } from '../../lib/supabase'\nexport default") }),
  ).toContain('supabase.auth.getUser()')
})

test('a page beside those that the middleware guards is put behind it, and a link that leads to a page keeps its parameters', async () => {
  const asking = page('/login')
  const report = await auditFiles({
    'package.json': manifest(', "next-auth": "4.24.0"'),
    'middleware.ts': "export { default } from 'next-auth/middleware'\nexport const config = { matcher: ['/desk/:path*'] }\n",
    'app/login/page.tsx': 'export default () => <form />\n',
    'app/desk/page.tsx': 'export default () => <p>desk</p>\n',
    'app/usage/page.tsx': asking,
    'app/accept-invitation/page.tsx': asking.replace("'/login'", "'/login?next=/accept-invitation'"),
  })
  const findings = findingsOfCheck(report, 10)
  const fixes = Object.fromEntries(findings.map((f) => [f.subject, f.fix]))
  expect(fixes['route GET /usage']?.text).toMatch(
    /^The check at middleware\.ts:1 stands before other pages already: let it cover \/usage as well\. Or without it: fetch the user/,
  )
  expect(fixes['route GET /usage']?.code).toMatch(/Layout/)
  expect(fixes['route GET /accept-invitation']?.code).toMatch(
    /Page\(\{ searchParams \}\)[\s\S]*redirect\(`\/login\?next=\$\{encodeURIComponent\(`\/accept-invitation\?\$\{new URLSearchParams\(await searchParams\)\}`\)\}`\)/,
  )
})
