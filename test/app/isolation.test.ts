import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSecretVariable } from '../../src/app/secrets.ts'
import { type Boundaries, boundariesOfThisMachine, describeBoundaries } from '../../src/platform/isolated/boundaries.ts'
import { launchIsolated } from '../../src/platform/isolated/launch.ts'
import { AppProcess, freePort, until } from '../support/app-process.ts'
import { GitHubServer } from '../support/github/server.ts'
import { MANIFEST } from '../support/github/start-app.ts'
import { channelsOf, descendants, environmentOf, isNode, type Shown } from '../support/processes.ts'

const linux = process.platform === 'linux'
/** None of these is what it looks like; that is the point of them. */
const CANARIES = {
  GITHUB_TOKEN: 'canary-github-token',
  SUPABASE_ACCESS_TOKEN: 'canary-supabase-token',
  PGPASSWORD: 'canary-database-password',
  HTTPS_PROXY_OF_TEST: 'http://user:canary-proxy-password@127.0.0.1:1',
}
const BASE = { 'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}', '.gitignore': '.env*\n' }
const sql = (table: string) => ({
  [`supabase/migrations/${table}.sql`]: `create table public.${table} (id uuid primary key, user_id uuid references auth.users);\nalter table public.${table} enable row level security;\n`,
})

describe.runIf(linux)('the processes of the App', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'prelaunch-isolation-'))
  let github: GitHubServer
  let app: AppProcess
  let repo: ReturnType<GitHubServer['createRepository']>
  let secrets: string[]
  const broker = () => app.child.pid as number
  const below = (name: string) => descendants(broker()).filter((p) => p.command.includes(name) && isNode(p))
  const pullRequest = (head: string, files: Record<string, string>) => {
    repo.git.commit(head, files, { from: 'refs/heads/main' })
    return github.openPullRequest(repo, { head }).headSha
  }
  const concluded = (sha: string) => github.checkRuns.find((r) => r.headSha === sha && r.status === 'completed')

  beforeAll(async () => {
    github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
    app = await new AppProcess({ github, dataDir, port: await freePort(), env: { ...CANARIES, SWEEP_SECONDS: '600', LOG_LEVEL: 'info' } }).ready()
    github.webhooks.balance([app.webhookUrl])
    repo = github.createRepository('octo/apart')
    github.push(repo, 'main', BASE)
    secrets = [github.privateKey.slice(40, 80), github.webhookSecret, ...Object.values(CANARIES)]
  }, 300_000)
  afterAll(async () => {
    await app.kill()
    await github.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('show no secret in what they were started with, and the sandbox is started by the auditor', async () => {
    const sha = pullRequest('sandboxed', sql('sandboxed'))
    let sandbox: Shown | undefined
    let seen: readonly Shown[] = []
    let environment = 'unread'
    let channels: string[] = []
    await until(
      'a sandbox',
      () => {
        seen = descendants(broker())
        sandbox = seen.find((p) => p.command.includes('sandbox/process') && isNode(p))
        if (!sandbox) return concluded(sha) !== undefined
        environment = environmentOf(sandbox.pid)
        channels = channelsOf(sandbox.pid)
        return true
      },
      app,
    )
    const [auditor] = below('auditor-process') as [Shown]
    const above = (pid: number): number[] => [pid, ...seen.filter((p) => p.pid === pid).flatMap((p) => above(p.parent))]
    expect(above(sandbox?.pid ?? 0).slice(1)).toContain(auditor.pid)
    expect(sandbox?.parent).not.toBe(broker())
    // The broker itself was started with all of them, and then replaced itself.
    expect([environment, environmentOf(auditor.pid)].map((text) => text.replaceAll(/NODE_CHANNEL_\w+=\w+|\0/g, ''))).toEqual(['', ''])
    for (const secret of secrets) expect(environmentOf(broker()).includes(secret), secret.slice(0, 10)).toBe(false)
    const brokers = new Set(channelsOf(broker()))
    const auditors = channelsOf(auditor.pid)
    expect(auditors.length).toBeGreaterThan(0)
    expect(auditors.filter((name) => brokers.has(name))).toEqual([])
    expect(channels.filter((name) => brokers.has(name) || auditors.includes(name))).toEqual([])
    await until('the verdict', () => concluded(sha) !== undefined, app)
    expect(concluded(sha)?.conclusion).toBe('success')
  })

  test('say at start which boundaries hold', () => {
    const line = app.output.split('\n').find((l) => l.includes('repositories are read apart')) ?? ''
    for (const name of describeBoundaries(boundariesOfThisMachine()).holds) expect(line).toContain(name)
    expect(line).toContain('not visible to other processes')
    for (const secret of secrets) expect(app.output.includes(secret), secret.slice(0, 10)).toBe(false)
  })

  test('conclude an audit whose auditor was killed: it is tried again in another one', async () => {
    const sha = pullRequest('killed', sql('killed'))
    await until('a sandbox', () => below('sandbox/process').length > 0 || concluded(sha) !== undefined, app)
    expect(concluded(sha)).toBeUndefined()
    const [first] = below('auditor-process') as [Shown]
    process.kill(first.pid, 'SIGKILL')
    await until('the verdict', () => concluded(sha) !== undefined, app)
    expect(concluded(sha)?.conclusion).toBe('success')
    expect(below('auditor-process').map((p) => p.pid)).not.toContain(first.pid)
    await until('the end of its sandboxes', () => below('sandbox/process').length === 0, app)
  })

  test('conclude an audit whose auditors are all killed, with the reason', async () => {
    const sha = pullRequest('killed-again', sql('again'))
    await until(
      'the conclusion',
      () => {
        // Only while it works on the SQL, so that each try is one.
        if (below('sandbox/process').length) for (const { pid } of below('auditor-process')) process.kill(pid, 'SIGKILL')
        return concluded(sha) !== undefined
      },
      app,
    )
    expect([concluded(sha)?.conclusion, concluded(sha)?.output.title]).toEqual(['failure', 'The audit could not be completed'])
    expect(concluded(sha)?.output.summary).toContain('ended twice before the audit was complete')
    expect(app.running).toBe(true)
    const next = pullRequest('after', { 'README.md': '# after\n' })
    await until('the next verdict', () => concluded(next) !== undefined, app)
    expect(concluded(next)?.conclusion).toBe('success')
  })
})

test('the broker loads nothing that parses what a repository holds', async () => {
  const loaded = new URL('./list-loaded.mjs', import.meta.url)
  const child = spawn(process.execPath, ['--import', loaded.href, '--input-type=module', '-e', "await import('./src/app/serve.ts')"], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = (await text(child.stdout)).split('\n').filter(Boolean)
  const modules = lines.map((line) => JSON.parse(line) as { module: string; by: string })
  const ours = modules.filter((m) => m.module.includes('/src/') && !m.module.includes('node_modules'))
  expect(ours.length).toBeGreaterThan(40)
  const PARSES =
    /\/src\/(facts|database|model\/(?!auth\/project-refs)|checks\/(?!index|outcome)|config\/parse-config|findings\/(?!order))|\/src\/audit\.ts|extraction|audit-threads|unpacker/
  expect(ours.map((m) => m.module).filter((module) => PARSES.test(module))).toEqual([])
  const packages = modules.filter((m) => /node_modules\/(ts-morph|typescript|yaml|tar-stream|libpg-query|@electric-sql|jsonc-parser|smol-toml)/.test(m.module))
  // The page that registers an App reads app.yml, which comes with the program.
  expect(packages.filter((m) => !/node_modules\/(probot|yaml|@probot)\/|\/src\/app\/setup\/manifest/.test(m.by)).map((m) => `${m.module} by ${m.by}`)).toEqual(
    [],
  )
})

test.each([
  ['PRIVATE_KEY', '', true],
  ['WEBHOOK_SECRET', '', true],
  ['GH_TOKEN', '', true],
  ['PGPASSWORD', '', true],
  ['DATABASE_URL', '', true],
  ['HTTPS_PROXY', 'http://me:word@proxy:8080', true],
  ['HTTPS_PROXY', 'http://proxy:8080', false],
  ['PORT', '3000', false],
  ['PATH', '/usr/bin', false],
  ['KEYBOARD', 'us', false],
])('the variable %s with %j is a secret: %s', (name, value, secret) => {
  expect(isSecretVariable(name, value)).toBe(secret)
})

describe('a process that reads repositories', () => {
  const nothing: Boundaries = { wrapper: [], network: false, processes: false, user: false }
  const dir = mkdtempSync(join(tmpdir(), 'prelaunch-prisoner-'))
  const server = createServer((socket) => socket.end())
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    server.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function prisoner(boundaries: Boundaries, parent = false): Promise<Record<string, unknown>> {
    process.env['CANARY_SECRET'] = 'canary'
    const args = [String(process.pid), String((server.address() as AddressInfo).port), join(dir, 'private')]
    const { channel } = launchIsolated({ entry: new URL('./prisoner.mjs', import.meta.url), args, boundaries, parent })
    return JSON.parse(await text(channel))
  }

  test('without any namespace has no environment, reads and writes no files, starts nothing and makes no code', async () => {
    const { environment, file, write, process: started, code } = await prisoner(nothing)
    expect({ environment, file, write, started, code }).toEqual({
      environment: [],
      file: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      started: 'ERR_ACCESS_DENIED',
      code: 'EvalError',
    })
  })

  test.runIf(boundariesOfThisMachine().network)('with its namespaces reaches no network either', async () => {
    expect((await prisoner(nothing)).network).toBe('done')
    expect((await prisoner(boundariesOfThisMachine())).network).toMatch(/^E[A-Z]+$/)
  })

  test.runIf(boundariesOfThisMachine().processes)('with its namespaces sees and signals no process but its own', async () => {
    expect((await prisoner(nothing)).parentAlive).toBe('true')
    expect((await prisoner(boundariesOfThisMachine())).parentAlive).toBe('ESRCH')
  })

  test('is started with the strictest flags that the programs in it work with', async () => {
    const { child, end } = launchIsolated({ entry: new URL('./prisoner.mjs', import.meta.url), boundaries: nothing })
    for (const flag of ['--permission', '--disallow-code-generation-from-strings', '--disable-sigusr1']) expect(child.spawnargs).toContain(flag)
    expect(child.spawnargs.some((a) => a === '--allow-child-process' || a === '--allow-fs-read=*')).toBe(false)
    end()
    await Promise.race([once(child, 'exit'), sleep(5000)])
  })
})

test('the log names what does not hold', () => {
  expect(describeBoundaries({ wrapper: [], network: false, processes: false, user: false }).missing).toEqual([
    'no network',
    'own process namespace',
    'own user namespace',
  ])
  expect(readFileSync('src/main.ts', 'utf8')).toContain('leaveSecretsBehind()')
})
