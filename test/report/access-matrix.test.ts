import { expect, test } from 'vitest'
import type { AccessObject } from '../../src/database/database.ts'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { auditFiles } from '../support/audit-files.ts'
import { assertReport } from '../support/report-schema.ts'
import { sampleReport } from '../support/sample-report.ts'

const ACCESS: readonly AccessObject[] = [
  {
    kind: 'table',
    object: 'public.projects',
    rls: true,
    cells: [
      { role: 'anon', command: 'select', row: 'other', result: 'refused' },
      { role: 'A', command: 'select', row: 'own', result: 'allowed' },
      { role: 'A', command: 'select', row: 'other', result: 'refused' },
      { role: 'A', command: 'select', row: 'tenant', result: 'allowed' },
      { role: 'A', command: 'delete', row: 'tenant', result: 'allowed' },
    ],
  },
  {
    kind: 'view',
    object: 'public.order_list',
    cells: [
      { role: 'anon', command: 'select', row: 'other', result: 'allowed' },
      { role: 'A', command: 'select', row: 'other', result: 'allowed' },
    ],
  },
  {
    kind: 'function',
    object: 'public.all_orders()',
    definer: true,
    cells: [
      { role: 'anon', command: 'execute', row: 'other', result: 'allowed', because: "it returned another user's row" },
      { role: 'A', command: 'execute', row: 'other', result: 'refused', because: 'P0001 no' },
    ],
  },
  { kind: 'function', object: 'public.mine()', cells: [{ role: 'anon', command: 'execute', row: 'other', result: 'allowed' }] },
]
const report = sampleReport([], { access: ACCESS })

/** Kinds and texts of the cells in the row of an object. */
function cellsOf(html: string, object: string): string[] {
  const row = html.split('<tr>').find((r) => r.includes(`<code>${object}</code>`)) ?? ''
  return [...row.matchAll(/<span class="cell (\w+)"[^>]*>([^<]*)/g)].map((m) => `${m[1]} ${m[2]}`)
}

test('the picture tells a member of the team from strangers, and shows views and callable functions', () => {
  assertReport(report)
  const html = renderHtml(report)
  expect(html).toContain('A member of the same team')
  const none = (n: number) => Array(n).fill('shut –')
  expect(cellsOf(html, 'public.projects')).toEqual(['shut no', ...none(3), 'shut no', ...none(3), 'own yes', ...none(2), 'own yes', 'own yes', ...none(3)])
  expect(cellsOf(html, 'public.order_list').filter((c) => c.startsWith('open'))).toEqual(['open yes', 'open yes'])
  expect(cellsOf(html, 'public.all_orders()')).toEqual(['open yes: it returned another user&#39;s row', 'shut refused'])
  expect(cellsOf(html, 'public.mine()')).toEqual(['own yes', 'shut not tried'])
  expect(html).toContain('<code>public.all_orders()</code> <span class="tag High">past RLS</span>')
})

test('without tenants there is no column for their members', () => {
  expect(renderHtml(sampleReport())).not.toContain('A member of the same team')
})

test('Markdown has a row for each object and each function', () => {
  const markdown = renderMarkdown(report)
  expect(markdown).toContain('| `public.projects` | on | – | – | read, remove | read |')
  expect(markdown).toContain('| `public.order_list` (view) |  | read | read | – | – |')
  expect(markdown).toContain("| `public.all_orders()` | yes | yes: it returned another user's row | refused |")
})

test('the terminal lists what is open to people who own none of it, and nothing else', () => {
  const text = renderTerminal(report, { color: false, details: true })
  expect(text).toMatch(/^ {2}public\.order_list +read +read$/m)
  expect(text).toMatch(/^ {2}public\.all_orders\(\) +yes: it returned another user's row/m)
  expect(text).not.toMatch(/^ {2}public\.(projects|mine)/m)
})

test('what roles of the platform may do is told where browsers reach the tables, not of a Postgres that only the server has', async () => {
  const table = { 'migrations/1.sql': 'create table notes (id integer primary key, body text);' }
  const supabase = await auditFiles({
    ...table,
    'package.json': '{ "dependencies": { "@supabase/supabase-js": "2.0.0" } }',
    'a.ts': "import '@supabase/supabase-js'\n",
  })
  expect(supabase.access.map((o) => o.object)).toContain('public.notes')
  const own = await auditFiles({ ...table, 'package.json': '{ "dependencies": { "pg": "8.0.0" } }', 'a.ts': "import 'pg'\n" })
  expect(own.access).toEqual([])
  expect(renderTerminal(own, { color: false, details: true })).not.toContain('What strangers can reach')
})
