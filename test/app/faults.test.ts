import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { scrub } from '../../src/app/log.ts'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Fault, Repo } from '../support/github/state.ts'
import { leak } from '../support/stripe-key.ts'

let stage: Stage
let count = 0
const lines: string[] = []

beforeAll(async () => {
  stage = await startStage({
    app: { patience: 5, timeoutMs: 5000 },
    log: pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          lines.push(line)
          if (process.env['SHOW_LOG']) process.stderr.write(line)
        },
      },
    ),
  })
})
afterAll(() => stage.stop())
afterEach(() => {
  stage.github.faults.length = 0
})

const CREATE = 'POST /repos/{owner}/{repo}/check-runs'
const UPDATE = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}'
const TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'
const fault = (endpoint: string, answer: Omit<Fault, 'match' | 'times'>, times = 1): void =>
  void stage.github.faults.push({ match: (r) => r.endpoint === endpoint || r.path === endpoint, times, ...answer })

/** A repository whose next push to main is audited under the faults set up between. */
function repository(): Repo {
  const repo = stage.github.createRepository(`octo/faulty-${++count}`)
  repo.git.commit('main', { 'package.json': '{}', '.env': leak() })
  return repo
}

async function audited(repo: Repo) {
  const sha = repo.git.resolve('refs/heads/main') as string
  stage.github.announcePush(repo, 'main', undefined, sha)
  await stage.settled()
  return latestRun(stage.github, repo, sha)
}

describe('GitHub’s faults', () => {
  test.each([
    ['502 on the tree', TREE, { status: 502 }, 3],
    ['a hang-up on GraphQL', '/graphql', { hangUp: true }, 2],
    [
      'a secondary limit with Retry-After',
      TREE,
      { status: 403, headers: { 'retry-after': '1' }, body: { message: 'You have exceeded a secondary rate limit' } },
      2,
    ],
    ['429 on the conclusion', UPDATE, { status: 429, headers: { 'retry-after': '0' } }, 2],
    ['500 on the conclusion', UPDATE, { status: 500 }, 2],
  ] as const)('%s are waited out', async (_name, endpoint, answer, times) => {
    const repo = repository()
    fault(endpoint, answer, times)
    const run = await audited(repo)
    expect(run).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(run?.output.title).toMatch(/problem/)
    expect(stage.github.checkRuns.filter((r) => r.repo === repo)).toHaveLength(1)
  })

  test('an answer lost after the run was created does not create a second run', async () => {
    const repo = repository()
    fault(CREATE, { status: 504 })
    const run = await audited(repo)
    expect(run).toMatchObject({ status: 'completed' })
    expect(stage.github.checkRuns.filter((r) => r.repo === repo)).toHaveLength(1)
  })

  test('an expired token is renewed in the middle of an audit', async () => {
    const repo = repository()
    fault(TREE, { status: 401, body: { message: 'Bad credentials' } })
    stage.github.expireTokens()
    expect(await audited(repo)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test.each([
    ['a tree that stays away', TREE, { status: 503 }, /GitHub answered with an error \(503\)/],
    ['a commit that is gone', TREE, { status: 404 }, /does not have the commit/],
    [
      'a limit beyond the budget',
      TREE,
      { status: 403, headers: { 'retry-after': '3600' }, body: { message: 'secondary rate limit' } },
      /rate limit for this installation is used up/,
    ],
    ['a reduced permission', TREE, { status: 403, body: { message: 'Resource not accessible by integration' } }, /permissions may have been reduced/],
  ] as const)('%s ends as a failure with the reason, never neutral and never in progress', async (_name, endpoint, answer, reason) => {
    const repo = repository()
    fault(endpoint, answer, 1000)
    const run = await audited(repo)
    expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(run?.output.title).toBe('The audit could not be completed')
    expect(run?.output.summary).toMatch(reason)
    expect(run?.actions.map((a) => a.identifier)).toEqual(['rerun'])
  })

  test('a repository that was deleted ends quietly', async () => {
    const repo = repository()
    const sha = repo.git.resolve('refs/heads/main') as string
    repo.deleted = true
    stage.github.announcePush(repo, 'main', undefined, sha)
    await stage.settled()
    expect((await stage.app.store.targets.get(`${repo.id}/push/main`))?.state).toBe('error')
  })

  test('an answer that does not come is given up and asked for again', async () => {
    const repo = repository()
    fault(TREE, { delayMs: 60_000 })
    expect(await audited(repo)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test('an answer that was lost after the comment was written does not lead to a second comment', async () => {
    const repo = repository()
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    stage.github.loseAnswers.push('POST /repos/{owner}/{repo}/issues/{issue_number}/comments')
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'success' })
    expect(repo.comments).toHaveLength(1)
  })

  test('a conversation that is locked for the App does not change the verdict', async () => {
    const repo = repository()
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    fault(
      'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      { status: 403, body: { message: 'Unable to create comment because issue is locked.' } },
      9,
    )
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test('a suspended installation ends quietly, and what was missed is audited when it is back', async () => {
    const repo = repository()
    repo.git.commit('feature', { 'a.js': '1\n' }, { from: 'refs/heads/main' })
    fault('POST /app/installations/{installation_id}/access_tokens', { status: 403, body: { message: 'This installation has been suspended' } }, 1000)
    stage.github.expireTokens()
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect((await stage.app.store.targets.get(`${repo.id}/pull/${pull.number}`))?.state).toBe('error')
    expect(latestRun(stage.github, repo, pull.headSha)).toBeUndefined()
    stage.github.faults.length = 0
    await stage.app.sweep()
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test('an audit during which the process dies every time is given up with a reason', async () => {
    const repo = repository()
    const sha = repo.git.resolve('refs/heads/main') as string
    const key = `${repo.id}/push/main`
    await audited(repo)
    // As eight processes leave it that began and did not live to tell.
    await stage.app.store.sql.query(`update prelaunch.targets set done = version - 1, state = 'running', check_run_open = true, starts = 8 where key = $1`, [
      key,
    ])
    await stage.app.store.queue.send(key, stage.github.installationId)
    await stage.settled()
    const run = latestRun(stage.github, repo, sha)
    expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(run?.output.summary).toContain('started 8 times')
    expect(stage.github.checkRuns.filter((r) => r.repo === repo)).toHaveLength(1)
  })

  test('blobs that vanish become gaps, not a lost audit', async () => {
    const repo = repository()
    const missing = repo.git.resolve('refs/heads/main:.env') as string
    const real = repo.git.blob.bind(repo.git)
    repo.git.blob = (sha) => (sha === missing ? undefined : real(sha))
    const blobs = repo.git.blobs.bind(repo.git)
    repo.git.blobs = (shas) => blobs(shas.filter((sha) => sha !== missing))
    const type = repo.git.type.bind(repo.git)
    repo.git.type = (sha) => (sha === missing ? undefined : type(sha))
    const run = await audited(repo)
    expect(run?.status).toBe('completed')
    expect(run?.output.summary).toContain('could not be read')
  })

  test('a truncated tree is walked', async () => {
    const repo = stage.github.createRepository(`octo/wide-${++count}`)
    repo.git.commit('main', Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`packages/p${i}/.env`, leak()])))
    repo.treeLimit = 25
    const run = await audited(repo)
    expect(run?.output.title).toMatch(/^31 problems/) // 30 files and the missing .gitignore
  })

  test('a missed delivery is asked for again by the sweep, and a run left open is concluded', async () => {
    const repo = repository()
    const sha = repo.git.resolve('refs/heads/main') as string
    stage.github.webhooks.down = true
    stage.github.announcePush(repo, 'main', undefined, sha)
    await stage.settled()
    stage.github.webhooks.down = false
    await stage.app.sweep()
    await stage.settled()
    expect(latestRun(stage.github, repo, sha)).toMatchObject({ status: 'completed' })
    const before = stage.github.webhooks.deliveries.length
    await stage.app.sweep()
    await stage.settled()
    expect(stage.github.webhooks.deliveries.length).toBe(before)
  })

  test('an open pull request whose webhooks were all lost is found by the sweep', async () => {
    const repo = repository()
    await audited(repo)
    repo.git.commit('feature', { 'apps/a/.env': leak() }, { from: 'refs/heads/main' })
    const pull = await stage.unnoticed(() => stage.github.openPullRequest(repo, { head: 'feature' }))
    await stage.app.sweep()
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'failure' })
  })
})

describe('the log', () => {
  test('never holds a token, a key or a payload', () => {
    const all = lines.join('')
    expect(all.length).toBeGreaterThan(1000)
    expect(all).not.toMatch(/ghs_[0-9a-f]{10}/)
    expect(all).not.toMatch(/sk_live_[0-9a-f]{10}/)
    expect(all).not.toContain('BEGIN RSA')
  })

  test('scrubs secrets out of messages of libraries', () => {
    const token = ['ghs', 'A'.repeat(36)].join('_')
    expect(scrub(`fetch https://x-access-token:${token}@github.com/o/r.git with Bearer ${token}`)).not.toContain('AAAA')
    expect(scrub(`postgres://user:${'pw'.repeat(4)}@host/db`)).toBe('postgres://user:[redacted]@host/db')
  })
})
