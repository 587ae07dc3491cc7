import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORKING_TREE } from '../../src/platform/local/git-source.ts'
import { localPorts } from '../../src/platform/local/ports.ts'
import { runCli } from '../support/cli.ts'
import { GitRepository } from '../support/github/git-repository.ts'

const OPEN_TABLE = 'create table public.notes (id uuid primary key, user_id uuid references auth.users, body text);\n'

let root: string
let bare: GitRepository

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'prelaunch-usage-'))
  mkdirSync(join(root, 'app/supabase/migrations'), { recursive: true })
  writeFileSync(join(root, 'app/package.json'), '{"dependencies":{"@supabase/supabase-js":"2"}}')
  writeFileSync(join(root, 'app/supabase/migrations/1.sql'), OPEN_TABLE)
  bare = new GitRepository(join(root, 'bare.git'))
  bare.commit('main', { 'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}' })
  bare.commit('feature', { 'supabase/migrations/1.sql': OPEN_TABLE }, { from: 'refs/heads/main' })
  bare.commit('elsewhere', { 'a.ts': 'export {}\n' }, { orphan: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a mistake in the call is told with status 2 before anything is read', () => {
  test.each([
    [['audit', 'nowhere'], 'there is no folder nowhere'],
    [['audit', 'app/package.json'], 'app/package.json is a file, not a folder'],
    [['audit', ''], 'the folder is an empty text'],
    [['audit', 'app', 'bare.git'], 'audit takes one folder, but got 2'],
    [['audit', 'app', '--commit', 'HEAD'], '--commit needs a git repository, and app is none'],
    [['audit', 'app', '--base', 'main'], '--base needs a git repository, and app is none'],
    [['audit', 'bare.git', '--base='], '--base needs a branch, tag or commit'],
    [['audit', 'bare.git', '--base', 'no-such-branch'], '--base: there is no commit "no-such-branch" in '],
    [['audit', 'bare.git', '--commit', '--help-me'], "Option '--commit' argument is ambiguous"],
    [['audit', 'bare.git', '--base', 'elsewhere'], '--base: elsewhere has no commit in common with what is audited'],
    [['audit', 'app', '--colour'], "Unknown option '--colour'"],
    [['audit', 'app', '--config', 'x.yml'], "Unknown option '--config'"],
    [['audit', 'app', '--format', 'pdf'], '--format is one of terminal, json, markdown, html, sarif, not "pdf"'],
    [['audit', 'app', '--fail-on', 'low'], '--fail-on is one of critical, high, medium, never, not "low"'],
    [['audit', 'app', '--output', 'nowhere/report.json'], '--output nowhere/report.json: there is no folder nowhere'],
    [['audit', 'app', '--output', 'app'], '--output app is a folder'],
    [['explain', 'no/check'], 'there is no check "no/check"'],
    [['explain', '1', '2'], 'explain takes one check'],
    [['checks', '--all'], 'checks takes no arguments'],
    [['probe', 'ftp://x'], 'ftp://x is not an http or https address'],
    [['probe', 'http://127.0.0.1:1', 'nowhere'], 'there is no folder nowhere'],
    [['probe', 'http://127.0.0.1:1', '--fast'], "Unknown option '--fast'"],
    [['check'], 'there is no command "check"'],
  ])('%j', async (args, message) => {
    const run = await runCli(root, ...args)
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr.startsWith(`prelaunch: ${message}`), run.stderr).toBe(true)
    expect(run.stderr).toContain('\nExit status: 0 nothing')
  })
})

describe('a bare repository', () => {
  test('is audited at its newest commit, with its history', async () => {
    const ports = await localPorts(bare.dir, { offline: true })
    try {
      const snapshot = await ports.source.snapshot(WORKING_TREE)
      expect(snapshot.commit).toBe(bare.resolve('refs/heads/main'))
      expect(snapshot.blobs.map((b) => b.path)).toEqual(['package.json'])
      expect((await ports.source.history(WORKING_TREE, () => true)).commits).toBe(1)
    } finally {
      await ports.close()
    }
  })

  test('is compared with a base', async () => {
    const run = await runCli(root, 'audit', 'bare.git', '--commit', 'feature', '--base', 'main', '--offline', '--format', 'json')
    const report = JSON.parse(run.stdout)
    expect([run.status, report.audit.commit, report.audit.mergeBase]).toEqual([1, bare.resolve('refs/heads/feature'), bare.resolve('refs/heads/main')])
    expect(report.comparison.introduced).toContain(report.checks[0].findings[0].fingerprint)
  })

  test('without a commit has nothing to audit', async () => {
    const empty = new GitRepository(join(root, 'empty.git'))
    const run = await runCli(empty.dir, 'audit', '--offline')
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('nothing to audit')
  })
})

test.each(['terminal', 'json', 'markdown', 'html', 'sarif'])('--output with --format %s says what it wrote and the verdict', async (format) => {
  const file = join(root, `out.${format}`)
  const run = await runCli(root, 'audit', 'app', '--offline', '--format', format, '--output', file)
  expect(run).toEqual({ status: 1, stdout: '', stderr: `prelaunch: wrote the ${format} report to ${file}. Not safe: 1 critical hole.\n` })
  expect(readFileSync(file, 'utf8')).toContain('notes')
})
