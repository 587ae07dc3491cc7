import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GitHubServer } from '../support/github/server.ts'
import { MANIFEST } from '../support/github/start-app.ts'

let github: GitHubServer
let dataDir: string
let port: number
const children: ChildProcess[] = []

beforeAll(async () => {
  github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
  dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-process-'))
  port = await freePort()
  github.webhooks.url = `http://127.0.0.1:${port}/api/github/webhooks`
})
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})
afterAll(async () => {
  await github.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The App as an operator starts it, against an Enterprise Server at the local address. */
function start(changes: Record<string, string | undefined> = {}): { child: ChildProcess; output: () => string } {
  const env = {
    PATH: process.env['PATH'],
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: 'http',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    NO_SMEE_SETUP: 'true',
    ...changes,
  }
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: Object.fromEntries(Object.entries(env).filter((e): e is [string, string] => e[1] !== undefined)),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  return { child, output: () => text }
}

async function until(what: string, holds: () => boolean | Promise<boolean>, output: () => string = () => '', ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (await holds()) return
  throw new Error(`${what} did not happen\n${output()}`)
}

const answers = (path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    (r) => r.status === 200,
    () => false,
  )

describe('the process', () => {
  test('killed in the middle of an audit concludes it after the next start, with one run and one comment; SIGTERM ends it cleanly', {
    timeout: 180_000,
  }, async () => {
    const repo = github.createRepository('octo/killed')
    repo.git.commit('main', { 'package.json': '{}' })
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    const first = start()
    await until('the start', () => answers('/readyz'), first.output)
    github.faults.push({ match: (r) => r.endpoint === 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}', times: 1, delayMs: 60_000 })
    const pull = github.openPullRequest(repo, { head: 'feature' })
    await until('the run', () => github.checkRuns.some((r) => r.status === 'in_progress') && github.faults[0]?.times === 0, first.output)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')

    const second = start()
    await until('the verdict', () => github.checkRuns.some((r) => r.status === 'completed') && repo.comments.length > 0, second.output)
    expect(github.checkRuns.map((r) => [r.headSha, r.status, r.conclusion])).toEqual([[pull.headSha, 'completed', 'success']])
    expect(repo.comments).toHaveLength(1)
    expect(github.violations).toEqual([])

    second.child.kill('SIGTERM')
    const [code] = (await once(second.child, 'exit')) as [number]
    expect(code, second.output()).toBe(0)
    expect(second.output()).not.toMatch(/ghs_[0-9a-f]{10}|BEGIN RSA/)
  })

  test.each([
    ['an id that is no number', { APP_ID: 'prelaunch' }, 'APP_ID must be the number'],
    ['a key that is no key', { PRIVATE_KEY: 'nonsense' }, 'PRIVATE_KEY'],
    ['no webhook secret', { WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET is missing'],
    ['a database address of another kind', { DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL must begin with postgres://'],
    ['a database that does not answer', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' }, 'DATABASE_URL: the PostgreSQL server cannot be used'],
  ])('with %s stops with one sentence and no stack', async (_name, changes, sentence) => {
    const { child, output } = start(changes)
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(1)
    expect(output()).toContain(sentence)
    expect(output()).not.toMatch(/^\s+at /m)
  })

  test('without credentials shows Probot’s set-up page', async () => {
    const { output } = start({ APP_ID: undefined, PRIVATE_KEY: undefined, GHE_HOST: undefined, GHE_PROTOCOL: undefined })
    await until('the set-up page', () => answers('/probot'), output)
    const page = await (await fetch(`http://127.0.0.1:${port}/probot`)).text()
    expect(page).toContain('Register GitHub App')
    expect(page).toContain('merge_queues')
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number }
      probe.close(() => resolve(free))
    })
  })
}
