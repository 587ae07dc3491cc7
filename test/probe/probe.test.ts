import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeAnswer, sameResource } from '../../src/probe/judge-answer.ts'
import { planProbe } from '../../src/probe/plan-probe.ts'
import { probeFindings } from '../../src/probe/probe-findings.ts'
import { runProbe } from '../../src/probe/run-probe.ts'
import { auditFiles } from '../support/audit-files.ts'

/** A small application: two guarded APIs, of which one is not guarded in the running version, and two protected pages. */
const FILES = {
  'package.json': JSON.stringify({ name: 'shop', dependencies: { next: '15.0.0', '@supabase/ssr': '0.5.0' } }),
  'lib/server.ts':
    "import { createServerClient } from '@supabase/ssr'\nexport const createClient = () => createServerClient(process.env.URL!, process.env.KEY!, { cookies: { getAll: () => [], setAll() {} } })\n",
  'app/dashboard/page.tsx':
    "import { redirect } from 'next/navigation'\nimport { createClient } from '../../lib/server'\nexport default async function Page() {\n  const { data: { user } } = await createClient().auth.getUser()\n  if (!user) redirect('/login')\n  return <p>{user.email}</p>\n}\n",
  'app/settings/page.tsx': "'use client'\nexport default function Page() {\n  return <p>Settings</p>\n}\n",
  'app/api/orders/route.ts':
    "import { createClient } from '../../../lib/server'\nexport async function GET() {\n  const supabase = createClient()\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) return new Response(null, { status: 401 })\n  const { data } = await supabase.from('orders').select('*').eq('user_id', user.id)\n  return Response.json(data)\n}\n",
  'app/api/orders/[id]/route.ts':
    "import { createClient } from '../../../../lib/server'\nexport async function DELETE() {\n  const supabase = createClient()\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) return new Response(null, { status: 401 })\n  await supabase.from('orders').delete().eq('user_id', user.id)\n  return new Response(null, { status: 204 })\n}\n",
}

describe('prelaunch probe', () => {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; at: number }[] = []
  let server: Server
  let elsewhere: Server
  let base: URL

  beforeAll(async () => {
    elsewhere = createServer((_, res) => res.end('must never be asked'))
    await new Promise<void>((r) => elsewhere.listen(0, '127.0.0.1', r))
    server = createServer((req, res) => {
      seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, at: performance.now() })
      if (req.url === '/dashboard') return res.writeHead(307, { location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/login` }).end()
      if (req.url === '/settings') return res.writeHead(308, { location: '/settings/' }).end()
      if (req.url === '/settings/') return res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Settings</h1>')
      if (req.url === '/api/orders') return res.writeHead(401).end()
      return res.writeHead(404).end()
    })
    await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
    base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  afterAll(() => {
    server.close()
    elsewhere.close()
  })

  test('asks every protected route with GET, stays on the host, and reports what opens', async () => {
    const report = await auditFiles(FILES)
    const plan = planProbe(report)
    expect(plan.requests.map((r) => [r.path, r.check])).toEqual([
      ['/api/orders', 16],
      ['/dashboard', 10],
      ['/settings', 10],
    ])
    expect(plan.skipped).toEqual([{ subject: 'route DELETE /api/orders/[id]', because: 'the probe sends GET only' }])

    let foreign = 0
    elsewhere.on('request', () => foreign++)
    const results = await runProbe(base, plan.requests, { perSecond: 20 })
    expect(foreign).toBe(0)
    expect(new Set(seen.map((s) => s.method))).toEqual(new Set(['GET']))
    expect(seen.every((s) => s.headers.cookie === undefined && s.headers.authorization === undefined)).toBe(true)
    // four requests at twenty a second take at least three intervals; arrival times jitter
    expect((seen.at(-1)?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(100)
    expect(results.map((r) => [r.request.path, r.verdict.kind])).toEqual([
      ['/api/orders', 'refused'],
      ['/dashboard', 'refused'],
      ['/settings', 'open'],
    ])
    expect(probeFindings(base, results).map((f) => [f.check, f.severity, f.subject, f.proof, f.path])).toEqual([
      ['auth/protected-routes', 'High', 'route GET /settings', 'executed', 'app/settings/page.tsx'],
    ])
  })

  test('a server that is not there is unclear, not open', async () => {
    const report = await auditFiles(FILES)
    const results = await runProbe(new URL('http://127.0.0.1:1'), planProbe(report).requests.slice(0, 1), { timeoutMs: 500 })
    expect(results[0]?.verdict.kind).toBe('unclear')
    expect(probeFindings(base, results)).toEqual([])
  })

  const request = { path: '/dashboard', subject: 'route GET /dashboard', check: 10, route: {} as never, because: '', reported: false } as const
  test.each([
    [{ status: 200, body: '<form><input name="p" type="password"></form>' }, 'refused'],
    [{ status: 200, body: '<h1>Your orders</h1>' }, 'open'],
    [{ status: 200, body: ' [] ' }, 'refused'],
    [{ status: 204, body: '' }, 'refused'],
    [{ status: 403, body: 'no' }, 'refused'],
    [{ status: 302, body: '', location: '/login' }, 'refused'],
    [{ status: 500, body: 'boom' }, 'unclear'],
  ])('judges %j as %s', (answer, kind) => {
    expect(judgeAnswer(request, answer).kind).toBe(kind)
  })

  test('only another spelling of the same page on the same host is followed', () => {
    const host = new URL('http://localhost:3000')
    expect(sameResource('/dashboard', '/dashboard/', host)?.pathname).toBe('/dashboard/')
    expect(sameResource('/dashboard', '/en/dashboard', host)?.pathname).toBe('/en/dashboard')
    expect(sameResource('/dashboard', '/login', host)).toBeUndefined()
    expect(sameResource('/dashboard', 'https://evil.example/dashboard', host)).toBeUndefined()
  })
})
