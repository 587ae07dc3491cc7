import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import type { Report, ReportCheck } from '../../src/report/report.ts'
import { auditFiles } from '../support/audit-files.ts'

const manifest = (dependencies: Record<string, string>): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'shop', private: true, dependencies }),
})
const EXPRESS = manifest({ express: '4.21.0', pg: '8.13.0' })
const NEXT = manifest({ next: '15.5.0', pg: '8.13.0' })
const DB = "import pg from 'pg'\nexport const db = new pg.Pool()\n"
const GREET = "export const GET = () => new Response('hello')\n"

const check = (report: Report, number: number): ReportCheck => report.checks.find((c) => c.number === number) as ReportCheck
const named = (c: ReportCheck): readonly string[] => (c.coverage?.not ?? []).map((n) => `${n.path}:${n.line} ${n.because}`)

/** What has to be named where no handler can be judged, and what the four checks of endpoints have to answer. */
async function expectUnverified(files: Record<string, string>, place: string, because: RegExp): Promise<void> {
  const report = await auditFiles(files)
  for (const number of [16, 17, 18, 19]) {
    const { status, because: why } = check(report, number)
    expect([number, status], why).toEqual([number, 'unverified'])
  }
  const found = named(check(report, 17)).filter((n) => n.startsWith(`${place} `))
  expect(found.join('\n'), named(check(report, 17)).join('\n')).toMatch(because)
}

describe('handlers that are not followed are named, and nothing passes over them', () => {
  test('a server in which no handler is found', () =>
    expectUnverified(
      { ...EXPRESS, 'src/server.js': "import express from 'express'\nimport { load } from 'loader-of-routes'\nload(express(), './routes')\n" },
      'src/server.js:1',
      /uses express, and no handler could be found/,
    ))

  test('an address that the code makes up', () =>
    expectUnverified(
      {
        ...EXPRESS,
        'src/server.js':
          "import express from 'express'\nconst app = express()\nconst add = (table) => table.forEach((r) => app.get(r.url(), r.run))\nadd(JSON.parse(process.env.ROUTES))\napp.listen(3000)\n",
      },
      'src/server.js:3',
      /registers a route whose address is not written there/,
    ))

  test('a method that the code makes up', () =>
    expectUnverified(
      { ...EXPRESS, 'src/server.js': "import express from 'express'\nconst app = express()\napp[process.env.METHOD]('/orders', (req, res) => res.json([]))\n" },
      'src/server.js:3',
      /method is not written there/,
    ))

  test('a handler that evaluated text is', () =>
    expectUnverified(
      { ...EXPRESS, 'src/server.js': "import express from 'express'\nconst app = express()\napp.get('/orders', eval(process.env.HANDLER))\n" },
      'src/server.js:3',
      /the handler could not be found|run as code/,
    ))

  test('a handler out of a package', () =>
    expectUnverified(
      { ...NEXT, 'app/api/a/route.js': "export { GET } from 'handlers-of-others'\n" },
      'app/api/a/route.js:1',
      /comes from handlers-of-others, which is not in the repository/,
    ))

  test('a handler out of build output', () =>
    expectUnverified(
      { ...NEXT, 'app/api/a/route.js': "export { GET } from '../../../dist/h'\n", 'dist/h.js': GREET },
      'app/api/a/route.js:1',
      /comes from dist\/h.js, which is build output/,
    ))

  test('a name that the file does not export', () =>
    expectUnverified(
      {
        ...NEXT,
        'lib/rows.js': 'export const other = 1\n',
        'app/api/a/route.js': "import { rows } from '../../../lib/rows'\nexport async function GET() { return Response.json(await rows()) }\n",
      },
      'app/api/a/route.js:2',
      /rows is imported from lib\/rows.js, which exports no such name/,
    ))

  test('a store that nothing is known of, asked with what the request brought', () =>
    expectUnverified(
      {
        ...NEXT,
        'app/api/a/route.js':
          "import { store } from 'store-of-others'\nexport async function POST(req) { return Response.json(await store.findOne((await req.json()).id)) }\n",
      },
      'app/api/a/route.js:2',
      /findOne\(\) of store-of-others is given request data/,
    ))

  test('a route of long lines', () =>
    expectUnverified({ ...NEXT, 'app/api/a/route.js': `${GREET.trim()};const pad="${'x'.repeat(11_000)}"\n` }, 'app/api/a/route.js:1', /bundled or minified/))

  test('a pointer of Git LFS', () =>
    expectUnverified(
      { ...NEXT, 'app/api/b/route.js': GREET, 'app/api/a/route.js': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n' },
      'app/api/a/route.js:1',
      /Git LFS/,
    ))
})

describe('what was followed passes, and says how much of it there is', () => {
  test('every handler was read', async () => {
    const report = await auditFiles({ ...NEXT, 'app/api/a/route.js': GREET, 'app/api/b/route.js': GREET })
    expect(check(report, 16)).toMatchObject({ status: 'passed', coverage: { judged: 2, followed: 2, not: [] } })
    expect(renderMarkdown(report)).toContain('2 of 2 handlers followed to the end')
  })

  test('an application without a server stays what it is', async () => {
    const report = await auditFiles({
      ...manifest({ react: '19.0.0' }),
      'src/main.jsx': "import { App } from './App'\nApp()\n",
      'src/App.jsx': 'export const App = () => null\n',
    })
    expect(check(report, 16).status).toBe('not-applicable')
  })

  test('a tool beside the application that cannot be read doubts no handler', async () => {
    const report = await auditFiles({ ...NEXT, 'app/api/a/route.js': GREET, 'gulpfile.js': '\0'.repeat(400) })
    expect(check(report, 16)).toMatchObject({ status: 'passed', coverage: { judged: 1, followed: 1, not: [] } })
  })

  test('frameworks serve folders of any name below their root', async () => {
    const open = `${DB}export async function POST(req) { await db.query('delete from accounts where id = $1', [(await req.json()).id]); return new Response() }\n`
    const folders = ['__tests__', 'e2e', 'third_party', 'build', 'vendor', 'examples']
    const report = await auditFiles({ ...NEXT, ...Object.fromEntries(folders.map((f) => [`app/api/${f}/route.js`, open])) })
    const paths = check(report, 16).findings.flatMap((f) => [f.path, ...f.related.map((r) => r.path)])
    for (const folder of folders) expect(paths).toContain(`app/api/${folder}/route.js`)
  })
})
