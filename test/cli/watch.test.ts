import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it, vi } from 'vitest'

// Several audits one after the other, each in a process of its own.
vi.setConfig({ testTimeout: 300_000 })

const dir = mkdtempSync(join(tmpdir(), 'prelaunch-watch-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
writeFileSync(join(dir, 'package.json'), '{"dependencies":{"@supabase/supabase-js":"2"}}')
writeFileSync(join(dir, 'a.sql'), 'create table public.plans (id int);\n')

function watch() {
  const child = spawn(process.execPath, [resolve('src/cli.ts'), 'watch', dir, '--offline'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    child,
    until: async (wanted: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`it ended before it said ${wanted}`)
        if (wanted.test(value)) return value
      }
    },
  }
}

it('says what a change introduces and what the next one fixes, and ends at SIGINT', async () => {
  const { child, until } = watch()
  await until(/Watching for changes; Ctrl\+C ends it\.$/)
  const file = join(dir, 'b.sql')
  writeFileSync(file, 'create table public.notes (id uuid primary key, user_id uuid references auth.users, body text);\n')
  expect(await until(/^new: Critical/)).toContain('b.sql:1')
  await until(/problems open\.$/)
  rmSync(file)
  expect(await until(/^fixed: Critical/)).toContain('b.sql:1')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})

it('ends at SIGINT while it audits', async () => {
  const { child, until } = watch()
  await until(/^Auditing /)
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})
