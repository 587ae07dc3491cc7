import { afterAll, describe, expect, test } from 'vitest'
import { type AuditResult, audit } from '../src/audit.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import { ExtractionPool } from '../src/platform/local/extraction-pool.ts'
import { testDatabase } from './support/database.ts'
import { MemorySource } from './support/memory-source.ts'

const pool = new ExtractionPool({ fileTimeout: 20_000 })
afterAll(async () => {
  await Promise.all([pool.close(), testDatabase().close?.()])
})

/** A finding that must still be there: whatever else lies in the repository hides nothing. */
const HOLE = {
  'supabase/migrations/1.sql': 'create table public.orders (id uuid primary key, user_id uuid);\n',
  'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}',
}

async function auditOf(files: Record<string, string | Uint8Array>): Promise<AuditResult['report']> {
  const source = new MemorySource([{ name: 'head', files: { ...HOLE, ...files } }])
  const { report, crashes } = await audit(
    { commit: 'head', config: DEFAULT_CONFIG, today: '2026-11-20' },
    { source, database: testDatabase(), extractAll: async (jobs) => (await pool.extractText(jobs)).map((text) => JSON.parse(text)) },
  )
  expect(crashes).toEqual([])
  expect(report.checks[0]).toMatchObject({ id: 'rls/enabled', status: 'failed' })
  return report
}
const gapOf = (report: AuditResult['report'], path: string) => report.gaps.filter((g) => g.path === path).map((g) => g.because)

describe('a hostile repository is audited to the end, and what could not be read is named:', () => {
  test('code that is nested without end', async () => {
    const report = await auditOf({
      'src/parentheses.js': `export const a = ${'('.repeat(20_000)}1${')'.repeat(20_000)}\n`,
      'src/arrays.ts': `export const a = ${'[\n'.repeat(20_000)}`,
      'src/blocks.js': `${'if (a) {'.repeat(10_000)}${'}'.repeat(10_000)}\n`,
      'src/calls.js': `${'f('.repeat(10_000)}${')'.repeat(10_000)}\n`,
      'src/elements.tsx': `export default () => ${'<div>'.repeat(5000)}${'</div>'.repeat(5000)}\n`,
      'src/templates.js': `${'`${'.repeat(5000)}1${'}`'.repeat(5000)}\n`,
      'src/sum.js': `export const a = ${'1+'.repeat(50_000)}1\n`,
    })
    // One endless line counts as a bundle; this is written by hand and never closed.
    expect(report.gaps.map((g) => g.path)).toContain('src/arrays.ts')
  })

  test('lines of a megabyte', async () => {
    const report = await auditOf({
      'src/spaces.js': `export const a = 1${' '.repeat(1_000_000)}\n`,
      'src/word.js': `export const ${'a'.repeat(1_000_000)} = 1\n`,
      'src/string.ts': `export const a = "${'\\\\'.repeat(500_000)}"\n`,
      '.env': `KEY=${'#'.repeat(1_000_000)}\n`,
      'supabase/config.toml': `a = "${'\\"'.repeat(400_000)}"\n`,
      'index.html': `<script>${'<'.repeat(1_000_000)}`,
      'supabase/migrations/2.sql': `select '${'x'.repeat(1_000_000)}';\n`,
    })
    expect(report.audit.complete).toBe(true)
  })

  test('aliases in YAML that expand to billions', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghijk'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`).join('\n')}\n`
    const report = await auditOf({ '.github/workflows/ci.yml': bomb, 'docker-compose.yml': bomb, 'pnpm-lock.yaml': bomb })
    for (const path of ['docker-compose.yml', 'pnpm-lock.yaml']) expect(gapOf(report, path), path).not.toEqual([])
  })

  test('a lock file of 50 MB', async () => {
    const report = await auditOf({ 'package-lock.json': Buffer.alloc(50 << 20, 0x20) })
    expect(gapOf(report, 'package-lock.json')).toEqual([expect.stringMatching(/has 50\.0 MiB and was not analysed/)])
  })

  test('a hundred thousand files in five hundred packages', { timeout: 240_000 }, async () => {
    const files: Record<string, string> = {}
    for (let i = 0; i < 100_000; i++) files[`packages/p${i % 500}/src/file-${i}.${i % 50 ? 'txt' : 'ts'}`] = i % 50 ? 'x' : `export const value = ${i}\n`
    const report = await auditOf(files)
    expect(report.audit.files).toBe(100_002)
  })

  test('paths that climb out, look alike or turn the reading direction', async () => {
    const names = [
      '../../etc/passwd',
      '/etc/shadow',
      'src/..\\..\\x.ts',
      'src/\u202egnp.ts',
      'src/\u0430pp.ts',
      'src/a\u0000b.ts',
      'src/\ud800.ts',
      'src/\n::error::x.ts',
      'src/__proto__.ts',
      'con',
      `${'a/'.repeat(2000)}x.ts`,
    ]
    const report = await auditOf(Object.fromEntries(names.map((name) => [name, 'export const a = eval(location.hash)\n'])))
    expect(report.audit.files).toBe(names.length + 2)
  })
})
