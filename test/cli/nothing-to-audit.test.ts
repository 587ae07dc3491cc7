import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { hasNothingToAudit } from '../../src/report/answer.ts'
import { renderHtml } from '../../src/report/render-html.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { audience } from '../annotations/sample-report.ts'
import { auditFiles } from '../support/audit-files.ts'
import { runCli } from '../support/cli.ts'
import { stripeKey } from '../support/stripe-key.ts'

const root = mkdtempSync(join(tmpdir(), 'prelaunch-nothing-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function folder(name: string, files: Record<string, string>): string {
  const dir = join(root, name)
  mkdirSync(dir, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

const SENTENCE = 'no code, SQL or configuration was found that Prelaunch can read'

describe('a folder without an application', () => {
  test.each(['terminal', 'json', 'markdown', 'html', 'sarif'])('gives one sentence, no report and status 2 with --format %s', async (format) => {
    const dir = folder('empty', {})
    const output = join(root, `report.${format}`)
    for (const more of [[], ['--output', output]]) {
      const run = await runCli(dir, 'audit', '.', '--offline', '--format', format, ...more)
      expect(run).toEqual({ status: 2, stdout: '', stderr: `prelaunch: nothing to audit in .: ${SENTENCE}.\n` })
    }
    expect(existsSync(output)).toBe(false)
  })

  test.each([
    ['notes', { 'README.md': '# Notes\n', 'photo.png': 'x', '.gitignore': '.env\n' }],
    ['another language', { 'app.py': 'import os\n' }],
    ['only what was installed', { 'node_modules/a/index.js': 'module.exports = 1\n', 'dist/app.js': 'x()\n' }],
    ['only our own configuration', { '.github/prelaunch.yml': 'fail_on: high\n' }],
    ['everything ignored', { '.github/prelaunch.yml': 'paths: { ignore: ["src/**"] }\n', 'src/a.ts': 'export {}\n' }],
  ])('is one with %s', async (name, files) => {
    const run = await runCli(folder(name, files), 'audit', '--offline')
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('nothing to audit')
  })

  test('in a report says so in every rendering', async () => {
    const report = await auditFiles({ 'README.md': '# Notes\n' })
    expect(report.audit).toMatchObject({ files: 1, auditable: 0 })
    for (const text of [renderTerminal(report, { color: false }), renderMarkdown(report), renderHtml(report)]) {
      expect(text).toContain('Nothing to audit')
      expect(text).not.toContain('No holes found')
    }
    const run = renderCheckRun(report, audience({ kind: 'push' }))
    expect([run.title, run.conclusion]).toEqual(['Nothing to audit', 'success'])
    expect(run.summary).toContain('Nothing to audit')
  })
})

describe('a folder is audited when it holds', () => {
  test.each([
    ['code alone', { 'src/a.ts': 'export const a = 1\n' }],
    ['one SQL file', { 'schema.sql': 'create table a (id int);\n' }],
    ['an env file', { '.env': 'A=1\n' }],
    ['a manifest', { 'package.json': '{}' }],
  ])('%s', async (_name, files) => {
    const report = await auditFiles(files)
    expect(report.audit.auditable).toBe(1)
    expect(hasNothingToAudit(report)).toBe(false)
  })

  test('a secret in a file of another language', async () => {
    const report = await auditFiles({ 'settings.py': `STRIPE_KEY = "${stripeKey()}"\n` })
    expect(report.audit.auditable).toBe(0)
    expect(report.checks[24]?.status).toBe('failed')
    expect(hasNothingToAudit(report)).toBe(false)
  })
})
