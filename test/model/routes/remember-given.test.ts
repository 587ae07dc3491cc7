import { expect, test } from 'vitest'
import { audit } from '../../../src/audit.ts'
import { emptyMemory } from '../../../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import type { Database } from '../../../src/database/database.ts'
import { firstDifference } from '../../support/first-difference.ts'
import { MemorySource } from '../../support/memory-source.ts'

const INDEX = `import express from 'express'
import { guard } from './guard'
import { setup } from './routes'
import { Reports } from './reports'
import { storage } from './storage'
const app = express()
setup(app, storage, guard)
new Reports(app, storage)
app.listen(3000)
`
const STORAGE = `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export const storage = { remove: (id: string) => admin.from('orders').delete().eq('id', id), all: () => admin.from('orders').select('*') }
export const empty = { remove: () => null, all: () => [] }
`
const FILES = {
  'package.json': '{"name":"shop","dependencies":{"express":"4.0.0","@supabase/supabase-js":"2.45.0"}}',
  'server/index.ts': INDEX,
  'server/guard.ts': "export const guard = (req, res, next) => (process.env.KEY && req.get('x-key') === process.env.KEY ? next() : res.status(401).end())\n",
  'server/routes.ts': `export function setup(app, storage, guard) {
  app.delete('/orders/:id', guard, async (req, res) => res.json(await storage.remove(req.params.id)))
  app.get('/orders', async (req, res) => res.json((await storage.all()).data))
}
`,
  'server/reports.ts': `export class Reports {
  constructor(private app, private storage) { this.setup() }
  setup() {
    this.app.get('/reports', async (req, res) => res.json((await this.storage.all()).data))
    this.app.delete('/reports/:id', async (req, res) => res.json(await this.storage.remove(req.params.id)))
  }
}
`,
  'server/storage.ts': STORAGE,
}
const NO_DATABASE: Database = {
  replay: () => Promise.reject(new Error('there is no SQL')),
}

/** A change, and how many handlers are open after it; there are three of the four before. */
const CHANGES: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
  ['nothing that matters', { 'server/other.ts': 'export const x = 1\n' }, 3],
  [
    'another storage is given to the function',
    { 'server/index.ts': INDEX.replace('import { storage }', 'import { empty, storage }').replace('setup(app, storage', 'setup(app, empty') },
    2,
  ],
  [
    'another storage is given to the class',
    { 'server/index.ts': INDEX.replace('import { storage }', 'import { empty, storage }').replace('Reports(app, storage', 'Reports(app, empty') },
    1,
  ],
  ['what is given does something else', { 'server/storage.ts': STORAGE.replace("admin.from('orders').select('*')", '({ data: [] })') }, 1],
  ['a guard that lets everybody in', { 'server/guard.ts': 'export const guard = (req, res, next) => next()\n' }, 4],
]

test.each(CHANGES)('%s', async (_, changed, open) => {
  const source = new MemorySource([
    { name: 'before', files: FILES },
    { name: 'after', files: { ...FILES, ...changed } },
  ])
  const memory = emptyMemory()
  const reportOf = async (commit: string, kept = emptyMemory()) =>
    (await audit({ commit, config: DEFAULT_CONFIG, today: '2026-11-20' }, { source, database: NO_DATABASE, memory: kept })).report
  const openIn = (report: Awaited<ReturnType<typeof reportOf>>) => report.checks.find((c) => c.id === 'api/auth')?.findings.length
  expect(openIn(await reportOf('before', memory))).toBe(3)
  const incremental = await reportOf('after', memory)
  expect(openIn(incremental)).toBe(open)
  expect(firstDifference(JSON.stringify(incremental), JSON.stringify(await reportOf('after')))).toBeUndefined()
})
