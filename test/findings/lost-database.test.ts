import { expect, test } from 'vitest'
import { verdict } from '../../src/annotations/verdict.ts'
import type { Database, DatabaseResult } from '../../src/database/database.ts'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { audience } from '../annotations/sample-report.ts'
import { auditFiles } from '../support/audit-files.ts'
import { MemorySource } from '../support/memory-source.ts'

const BECAUSE = 'the SQL could not be replayed: the time budget ended'

const EMPTY: DatabaseResult = {
  catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false },
  access: { objects: [] },
  gaps: [],
  statements: { total: 0, applied: 0, explained: 0 },
}

const OPEN: DatabaseResult = {
  ...EMPTY,
  catalog: {
    ...EMPTY.catalog,
    tables: [
      {
        schema: 'public',
        name: 'todos',
        kind: 'table',
        owner: 'postgres',
        columns: [],
        primaryKey: [],
        uniques: [],
        foreignKeys: [],
        rls: { enabled: false, forced: false },
        grants: [{ role: 'anon', privilege: 'select' }],
        at: { path: 'supabase/migrations/1_a.sql', line: 1 },
      },
    ],
  },
}

const LOST: DatabaseResult = { ...EMPTY, gaps: [{ path: 'supabase/migrations/1_a.sql', because: BECAUSE, touches: [{ topic: 'anything' }], lost: true }] }

/** Replays what has one migration; two are too much for it. */
const database: Database = { replay: async (input) => (input.files.length > 1 ? LOST : OPEN) }

const FIRST = { 'supabase/migrations/1_a.sql': 'create table public.todos (id int);' }
const BOTH = { ...FIRST, 'supabase/migrations/2_b.sql': 'do $$ begin loop end loop; end $$;' }

function auditPullRequest(base: Readonly<Record<string, string>>, head: Readonly<Record<string, string>>) {
  const source = new MemorySource([
    { name: 'base', files: base },
    { name: 'head', files: head },
  ])
  return auditFiles(head, { base: 'base' }, { source, database })
}

test('SQL that a change makes unreplayable is no repair, and the verdict is not green', async () => {
  const report = await auditPullRequest(FIRST, BOTH)
  expect(report.comparison?.fixed).toEqual([])
  expect(report.comparison?.unreadable.map((f) => f.subject)).toEqual(['table public.todos'])
  expect(report.comparison?.lost).toBe(BECAUSE)
  const nothing = { introduced: [], blocking: [], fixed: [], unreadable: [], existing: [] }
  expect(verdict(report, nothing as never, audience())).toMatchObject({ conclusion: 'failure', title: 'The SQL can no longer be replayed' })
  expect(renderHtml(report)).toContain('<strong>The SQL can no longer be replayed</strong>')
  expect(renderTerminal(report, { color: false })).toContain('The SQL can no longer be replayed')
  expect(renderMarkdown(report)).toContain('**The SQL can no longer be replayed')
})

test('what the base could not judge either blocks nobody', async () => {
  const report = await auditPullRequest(BOTH, { ...BOTH, 'README.md': 'x' })
  expect(report.comparison?.lost).toBeUndefined()
})

test('what a gap cannot have touched is fixed all the same', async () => {
  const bucket = (open: boolean, gap: boolean): DatabaseResult => ({
    ...EMPTY,
    catalog: { ...EMPTY.catalog, buckets: [{ name: 'papers', public: open, at: { path: 'supabase/migrations/1_a.sql', line: 1 } }], speaksOfStorage: true },
    gaps: gap ? [{ path: 'supabase/migrations/1_a.sql', line: 2, because: 'PostgreSQL cannot parse it', touches: [{ topic: 'policy' }] }] : [],
  })
  const base = { 'supabase/migrations/1_a.sql': "insert into storage.buckets (id, public) values ('papers', true);" }
  const head = { 'supabase/migrations/1_a.sql': "insert into storage.buckets (id, public) values ('papers', false);\ncreate policy if not exists;" }
  const source = new MemorySource([
    { name: 'base', files: base },
    { name: 'head', files: head },
  ])
  const replay: Database['replay'] = async (input) => (input.files.some((f) => f.text.includes('true')) ? bucket(true, false) : bucket(false, true))
  const report = await auditFiles(head, { base: 'base' }, { source, database: { replay } })
  expect(report.comparison?.fixed.map((f) => f.subject)).toEqual(['bucket papers'])
})
