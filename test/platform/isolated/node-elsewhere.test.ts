import { execFileSync } from 'node:child_process'
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'

// Several audits one after the other, each in a process of its own.
vi.setConfig({ testTimeout: 300_000 })

const root = mkdtempSync(join(tmpdir(), 'prelaunch-node-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('the database is tried with a Node that is installed outside of the package, as on most machines', () => {
  const node = join(root, 'node')
  try {
    linkSync(process.execPath, node)
  } catch {
    copyFileSync(process.execPath, node)
  }
  const dir = join(root, 'app')
  mkdirSync(dir)
  writeFileSync(join(dir, 'package.json'), '{"dependencies":{"@supabase/supabase-js":"2"}}')
  writeFileSync(join(dir, 'a.sql'), 'create table public.notes (id uuid primary key, user_id uuid references auth.users, body text);\n')
  const text = execFileSync(node, [resolve('bin/prelaunch.cjs'), 'audit', dir, '--offline', '--format', 'json', '--fail-on', 'never'], { encoding: 'utf8' })
  const report = JSON.parse(text)
  expect(report.gaps).toEqual([])
  expect(report.checks[0].findings.map((f: { subject: string; proof: string }) => [f.subject, f.proof])).toEqual([['table public.notes', 'executed']])
})
