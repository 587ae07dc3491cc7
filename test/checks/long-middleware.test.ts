import { expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'

const PACKAGES = JSON.stringify({ name: 'long', dependencies: { next: '15.2.4', 'next-auth': '4.24.11', react: '19.0.0' } })
const PAGE = 'export default function Settings() {\n  return <h1>Settings</h1>\n}\n'

/** Middleware that asks for a session once it has looked at more than is followed. */
const middleware = (looks: number) => `import { NextResponse } from 'next/server'
import { getToken } from 'next-auth/jwt'

export default async function middleware(req) {
  const seen = []
${Array.from({ length: looks }, (_, i) => `  seen.push(req.cookies.get('seen-${i}')?.value ?? ${i})`).join('\n')}
  if (!(await getToken({ req }))) return NextResponse.redirect(new URL('/login', req.url))
  return NextResponse.next()
}
`

const check = async (looks: number) => {
  const report = await auditFiles({ 'package.json': PACKAGES, 'middleware.ts': middleware(looks), 'app/dashboard/settings/page.tsx': PAGE })
  return report.checks.find((c) => c.id === 'auth/protected-routes')
}

test('middleware that cannot be followed as far as a page leaves the check unverified', async () => {
  expect(await check(10)).toMatchObject({ status: 'passed', findings: [] })
  expect(await check(12_000)).toMatchObject({ status: 'unverified', findings: [], because: expect.stringContaining('too long to be followed') })
})
