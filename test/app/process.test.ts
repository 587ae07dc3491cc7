import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AppProcess, freePort, until } from '../support/app-process.ts'
import { ForwardProxy } from '../support/forward-proxy.ts'
import { GitHubServer } from '../support/github/server.ts'
import { MANIFEST } from '../support/github/start-app.ts'
import type { Pull, Repo } from '../support/github/state.ts'
import { postgresBin, startPostgres } from '../support/postgres.ts'
import { seededRandom } from '../support/random.ts'
import { SetUpBrowser } from '../support/set-up-browser.ts'

let github: GitHubServer
let dataDir: string
let port: number
const started: AppProcess[] = []

beforeAll(async () => {
  github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
  dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-process-'))
  port = await freePort()
  github.webhooks.url = `http://127.0.0.1:${port}/api/github/webhooks`
})
afterEach(async () => {
  github.onRequest = undefined
  for (const app of started.splice(0)) await app.kill()
})
afterAll(async () => {
  await github.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function start(env: Record<string, string | undefined> = {}): AppProcess {
  const app = new AppProcess({ github, dataDir, port, env })
  started.push(app)
  return app
}

const stores = [
  ['the embedded store', 4],
  // A server cannot know that a process is gone before its heartbeat is missed, so each kill costs most of a minute.
  ...(postgresBin() ? ([['PostgreSQL', 2]] as const) : []),
] as const

describe.each(stores)('the process on %s', (store, kills) => {
  let database: Awaited<ReturnType<typeof startPostgres>> | undefined
  beforeAll(async () => {
    if (store === 'PostgreSQL') database = await startPostgres()
  })
  afterAll(() => database?.stop())

  test('killed while it talks to GitHub, again and again, gives every pull request one concluded run and one comment', { timeout: 400_000 }, async () => {
    const random = seededRandom(kills)
    const env = { SWEEP_SECONDS: '10', ...(database ? { DATABASE_URL: database.url } : {}) }
    const repo = github.createRepository(`octo/killed-on-${kills}`)
    repo.git.commit('main', { 'package.json': '{}' })
    const pulls: Pull[] = []
    const open = () => {
      const head = `feature-${pulls.length}`
      repo.git.commit(head, { [`${head}.js`]: '1\n' }, { from: 'refs/heads/main' })
      pulls.push(github.openPullRequest(repo, { head }))
    }
    for (let round = 0; round < kills; round++) {
      const app = await start(env).ready()
      const killed = killAtRequest(app, 1 + Math.floor(random() * 14))
      open()
      await killed
      // This one's webhook finds nobody.
      open()
      await github.webhooks.settled()
    }
    const last = await start(env).ready()
    await until('the verdicts', () => pulls.every((pull) => hasVerdict(repo, pull)), last, 180_000)
    expect(await last.stop(), last.output).toBe(0)
    const runs = github.checkRuns.filter((r) => r.repo === repo)
    expect(runs.map((r) => [r.headSha, r.status, r.conclusion]).sort()).toEqual(pulls.map((p) => [p.headSha, 'completed', 'success']).sort())
    expect(repo.comments.map((c) => c.issue).sort()).toEqual(pulls.map((p) => p.number).sort())
    expect(github.violations).toEqual([])
  })
})

/** Ends the process at the moment when its n-th request about the repositories reaches GitHub, which carries the request out. */
function killAtRequest(app: AppProcess, n: number): Promise<unknown> {
  const gone = once(app.child, 'exit')
  let seen = 0
  github.onRequest = (request) => {
    if (request.path.startsWith('/app')) return
    if (++seen === n) app.child.kill('SIGKILL')
  }
  return gone
}

function hasVerdict(repo: Repo, pull: Pull): boolean {
  return github.checkRuns.some((r) => r.headSha === pull.headSha && r.status === 'completed') && repo.comments.some((c) => c.issue === pull.number)
}

describe('the process', () => {
  test('stopped with SIGTERM in the middle of an audit ends cleanly, and the next one concludes the audit in the same run', { timeout: 180_000 }, async () => {
    const repo = github.createRepository('octo/stopped')
    repo.git.commit('main', { 'package.json': '{}' })
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    const first = await start({ LOG_LEVEL: 'trace' }).ready()
    const tree = `/repos/octo/stopped/git/trees/${repo.git.resolve('refs/heads/feature')}`
    github.faults.push({ match: (r) => r.path === tree, times: 1, delayMs: 60_000 })
    const pull = github.openPullRequest(repo, { head: 'feature' })
    const runs = () => github.checkRuns.filter((r) => r.repo === repo)
    await until('the run', () => runs().some((r) => r.status === 'in_progress') && github.faults[0]?.times === 0, first)
    expect(await first.stop(), first.output).toBe(0)
    expect(first.output).toContain('stopping')
    expect(runs().map((r) => r.status)).toEqual(['in_progress'])

    const second = await start({ LOG_LEVEL: 'trace' }).ready()
    await until('the verdict', () => hasVerdict(repo, pull), second)
    expect(runs().map((r) => [r.headSha, r.status, r.conclusion])).toEqual([[pull.headSha, 'completed', 'success']])
    for (const { output } of [first, second]) {
      expect(output.length).toBeGreaterThan(500)
      expect(output).not.toMatch(/ghs_[0-9a-f]{10}|BEGIN RSA|eyJ/)
      expect(output).not.toContain(github.webhookSecret)
    }
  })

  test.each([
    ['an id that is no number', { APP_ID: 'prelaunch' }, 'APP_ID must be the number'],
    ['a key that is no key', { PRIVATE_KEY: 'nonsense' }, 'PRIVATE_KEY'],
    ['no webhook secret', { WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET is missing'],
    ['a database address of another kind', { DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL must begin with postgres://'],
    ['a database that does not answer', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' }, 'DATABASE_URL: the PostgreSQL server cannot be used'],
  ])('with %s stops with one sentence and no stack', async (_name, changes, sentence) => {
    const app = start(changes)
    const [code] = (await once(app.child, 'close')) as [number]
    expect(code).toBe(1)
    expect(app.output).toContain(sentence)
    expect(app.output).not.toMatch(/^\s+at /m)
  })

  test('reaches the API and git through a proxy when it is told to', { timeout: 180_000 }, async () => {
    // A name that never resolves: whatever does not go through the proxy fails.
    const direct = github.url
    const proxy = new ForwardProxy('github.invalid', direct)
    const address = await proxy.start()
    const repo = github.createRepository('octo/proxied')
    repo.git.commit('main', { 'package.json': '{}' })
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    try {
      const variables = { GHE_HOST: 'github.invalid', NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, LOG_LEVEL: 'info' }
      const app = await start(variables).ready()
      // What payloads name, the address of the clone among it.
      github.url = 'http://github.invalid'
      const pull = github.openPullRequest(repo, { head: 'feature' })
      await until('the verdict', () => hasVerdict(repo, pull), app)
      expect(proxy.paths).toContain('/octo/proxied.git/git-upload-pack')
      expect(proxy.tunnels + proxy.paths.filter((path) => path.startsWith('/api/v3/')).length).toBeGreaterThan(0)
      expect(app.output).not.toContain('git could not fetch')
    } finally {
      github.url = direct
      proxy.stop()
    }
  })

  test('without credentials registers in the browser, starts at once, and finds its credentials at the next start', { timeout: 180_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prelaunch-set-up-'))
    const none = { APP_ID: undefined, PRIVATE_KEY: undefined, WEBHOOK_SECRET: undefined, NODE_ENV: 'production', DATA_DIR: folder }
    try {
      const app = start(none)
      await until('the set-up page', () => app.output.includes('/setup?secret='), app)
      const browser = new SetUpBrowser(app.url, github)
      await browser.open(/\/setup\?secret=[0-9a-f]{64}/.exec(app.output)?.[0] as string)
      const page = await browser.register()
      expect(page).toContain(`/apps/prelaunch/installations/new`)
      expect(github.manifests.registered.at(-1)).toMatchObject({ hook_attributes: { url: app.webhookUrl }, default_permissions: MANIFEST.default_permissions })
      await app.ready()

      const repo = github.createRepository('octo/set-up')
      repo.git.commit('main', { 'package.json': '{}' })
      repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
      const pull = github.openPullRequest(repo, { head: 'feature' })
      await until('the verdict', () => hasVerdict(repo, pull), app)
      expect(app.output).not.toContain(github.webhookSecret)
      expect(await app.stop()).toBe(0)

      const again = await start(none).ready()
      expect(again.output).not.toContain('/setup')
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    }
  })

  test('waiting for its set-up ends at once when it is told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prelaunch-set-up-'))
    const app = start({ APP_ID: undefined, PRIVATE_KEY: undefined, DATA_DIR: folder })
    await until('the set-up page', () => app.answers('/healthz'), app)
    expect(await app.stop()).toBe(0)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  })
})
