import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AppProcess, freePort, until } from '../support/app-process.ts'
import { GitHubServer } from '../support/github/server.ts'
import { MANIFEST } from '../support/github/start-app.ts'

test('the running App says which layers hold, and opens no inspector on SIGUSR1', async () => {
  const github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
  const dataDir = mkdtempSync(join(tmpdir(), 'prelaunch-inspector-'))
  const app = await new AppProcess({ github, dataDir, port: await freePort(), env: { SWEEP_SECONDS: '3600' } }).ready()
  try {
    await until('the line about layers', () => app.output.includes('layers around the SQL sandbox'), app)
    const line = app.output.split('\n').find((text) => text.includes('layers around the SQL sandbox')) ?? ''
    expect(JSON.parse(line).sandbox).toMatchObject({ wasmGate: true, flags: true, builtins: true, namespaces: expect.any(Boolean), service: 'not used' })
    for (let i = 0; i < 10; i++) {
      app.child.kill('SIGUSR1')
      await sleep(100)
    }
    expect(await app.answers('/healthz')).toBe(true)
    expect(app.output).not.toContain('Debugger listening')
  } finally {
    await app.kill()
    await github.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 300_000)
