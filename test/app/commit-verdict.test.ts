import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { worstVerdict } from '../../src/app/commit-verdict.ts'
import type { StoredVerdict } from '../../src/store/verdict-store.ts'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Pull, Repo } from '../support/github/state.ts'
import { stripeKey } from '../support/stripe-key.ts'

const CLEAN = { 'package.json': '{"name":"shop"}', '.gitignore': '.env*\n', 'src/index.js': 'export const one = 1\n' }

let stage: Stage
let count = 0
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())
afterEach(() => {
  expect(stage.github.violations).toEqual([])
})

/** A leak on `side`, and a harmless commit above it on `feature`: into main it introduces the leak, into side nothing. */
async function twoBases(): Promise<Repo> {
  const repo = stage.github.createRepository(`octo/two-${++count}`)
  stage.github.push(repo, 'main', CLEAN)
  await stage.settled()
  repo.git.commit('side', { '.env.production': `STRIPE_SECRET_KEY=${stripeKey()}\n` }, { from: 'refs/heads/main' })
  repo.git.commit('feature', { 'readme.md': 'x' }, { from: 'refs/heads/side' })
  return repo
}

async function open(repo: Repo, base: string, head = 'feature'): Promise<Pull> {
  const pull = stage.github.openPullRequest(repo, { head, base })
  await stage.settled()
  return pull
}

async function close(repo: Repo, pull: Pull): Promise<void> {
  pull.state = 'closed'
  stage.github.pullEvent(repo, pull, 'closed')
  await stage.settled()
}

async function reopen(repo: Repo, pull: Pull): Promise<void> {
  pull.state = 'open'
  stage.github.pullEvent(repo, pull, 'reopened')
  await stage.settled()
}

async function retarget(repo: Repo, pull: Pull, base: string): Promise<void> {
  const from = pull.baseRef
  pull.baseRef = base
  pull.baseSha = repo.git.resolve(`refs/heads/${base}`) as string
  stage.github.pullEvent(repo, pull, 'edited', { changes: { base: { ref: { from }, sha: { from: '0'.repeat(40) } } } })
  await stage.settled()
}

const newest = (repo: Repo, sha: string) => latestRun(stage.github, repo, sha)
/** Audits begin with a run in progress. */
const audits = (repo: Repo) =>
  stage.github.checkRuns.filter((r) => r.repo === repo).reduce((n, r) => n + r.writes.filter((w) => w.status === 'in_progress').length, 0)

describe.each([
  ['the bad one first', ['main', 'side']],
  ['the harmless one first', ['side', 'main']],
] as const)('two pull requests of one commit, %s', (_name, bases) => {
  test('conclude with the worst of both, and the run says which', async () => {
    const repo = await twoBases()
    const [first, second] = [await open(repo, bases[0]), await open(repo, bases[1])]
    expect(first.headSha).toBe(second.headSha)
    const bad = first.baseRef === 'main' ? first : second
    const fine = bad === first ? second : first
    const run = newest(repo, bad.headSha)
    expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(run?.output.title).toContain(`Pull request #${bad.number} into main: 1 Critical problem introduced`)
    expect(run?.output.summary).toContain('**2 results count on this commit**')
    expect(run?.output.summary).toContain(`- ❌ Pull request #${bad.number} into \`main\`: 1 Critical problem introduced`)
    expect(run?.output.summary).toContain(`- ✅ Pull request #${fine.number} into \`side\`: Nothing new introduced`)

    const before = audits(repo)
    await close(repo, bad)
    expect(newest(repo, bad.headSha)).toMatchObject({ conclusion: 'success', output: { title: expect.stringMatching(/^Nothing new introduced/) } })
    await reopen(repo, bad)
    expect(newest(repo, bad.headSha)).toMatchObject({ conclusion: 'failure' })
    await close(repo, fine)
    expect(newest(repo, bad.headSha)).toMatchObject({ conclusion: 'failure', output: { title: expect.stringMatching(/^1 Critical problem introduced/) } })
    expect(audits(repo), 'closing and opening audits nothing again').toBe(before)
  })
})

describe('the run on a commit of several pull requests', () => {
  test('is recomputed when one is retargeted, and when one moves on', async () => {
    const repo = await twoBases()
    const first = await open(repo, 'main')
    const second = await open(repo, 'side')
    await retarget(repo, first, 'side')
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'success' })
    await retarget(repo, first, 'main')
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'failure' })
    const old = first.headSha
    // Only the first one moves on: its branch is another's from here.
    repo.git.commit('moved', { 'readme.md': 'y' }, { from: 'refs/heads/feature' })
    first.headSha = repo.git.resolve('refs/heads/moved') as string
    first.headRef = 'moved'
    const before = audits(repo)
    stage.github.pullEvent(repo, first, 'synchronize', { before: old, after: first.headSha })
    await stage.settled()
    expect(newest(repo, old)).toMatchObject({ conclusion: 'success' })
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'failure' })
    expect(audits(repo)).toBe(before + 1)
    expect(second.headSha).toBe(old)
  })

  test('audits each once when somebody asks again, and stays as bad as the worst', async () => {
    const repo = await twoBases()
    const first = await open(repo, 'main')
    await open(repo, 'side')
    const run = newest(repo, first.headSha)
    if (!run) throw new Error('no run')
    const before = audits(repo)
    stage.github.rerequest(run)
    await stage.settled()
    expect(audits(repo)).toBe(before + 2)
    expect(newest(repo, first.headSha)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    await close(repo, first)
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'success' })
  })

  test('counts pushes: a pull request from a branch that was pushed badly stays red', async () => {
    const repo = stage.github.createRepository(`octo/pushed-${++count}`)
    stage.github.push(repo, 'main', CLEAN)
    await stage.settled()
    const sha = stage.github.push(repo, 'main', { '.env.production': `STRIPE_SECRET_KEY=${stripeKey()}\n` })
    await stage.settled()
    expect(newest(repo, sha)).toMatchObject({ conclusion: 'failure' })
    repo.git.git('branch', 'release', sha)
    const pull = await open(repo, 'release', 'main')
    expect(pull.headSha).toBe(sha)
    expect(newest(repo, sha)).toMatchObject({ conclusion: 'failure' })
    expect(newest(repo, sha)?.output.summary).toContain('- ❌ Push to `main`')
  })

  test('follows a closing that no webhook told of, at the next sweep', async () => {
    const repo = await twoBases()
    const first = await open(repo, 'main')
    await open(repo, 'side')
    const before = audits(repo)
    await stage.unnoticed(() => {
      first.state = 'closed'
    })
    await stage.app.sweep()
    await stage.settled()
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'success' })
    await stage.unnoticed(() => {
      first.state = 'open'
    })
    await stage.app.sweep()
    await stage.settled()
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'failure' })
    expect(audits(repo)).toBe(before)
  })

  test('is brought up to date later when GitHub does not take it at once', async () => {
    const repo = await twoBases()
    const first = await open(repo, 'main')
    await open(repo, 'side')
    stage.github.faults.push({
      match: ({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'),
      times: 1,
      status: 403,
      body: { message: 'no' },
    })
    await close(repo, first)
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'failure' })
    await stage.app.store.sql.query(`update prelaunch.verdicts set at = at - interval '1 minute'`)
    await stage.app.sweep()
    expect(newest(repo, first.headSha)).toMatchObject({ conclusion: 'success' })
    const requests = stage.github.apiRequests().length
    await stage.app.sweep()
    expect(
      stage.github
        .apiRequests()
        .slice(requests)
        .filter((r) => r.method === 'PATCH'),
    ).toEqual([])
  })

  test('is not covered by a pull request that is closed while its audit runs', async () => {
    const repo = await twoBases()
    const first = await open(repo, 'main')
    let second: Pull | undefined
    stage.github.onRequest = ({ method, path }) => {
      if (!second || second.state === 'closed' || method !== 'POST' || !path.endsWith('/check-runs')) return
      second.state = 'closed'
      stage.github.pullEvent(repo, second, 'closed')
    }
    second = stage.github.openPullRequest(repo, { head: 'feature', base: 'side' })
    await stage.settled()
    stage.github.onRequest = undefined
    expect(newest(repo, first.headSha)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(newest(repo, first.headSha)?.output.title).toMatch(/^1 Critical problem introduced/)
  })
})

describe('the words of several verdicts', () => {
  const verdict = (number: number, conclusion: 'success' | 'failure', changes: Partial<StoredVerdict> = {}): StoredVerdict => ({
    key: `1/pull/${number}`,
    number,
    baseRef: 'main',
    conclusion,
    text: { title: `title ${number}`, summary: `summary ${number}` },
    checkRun: number,
    open: true,
    ...changes,
  })

  test('fit into a run, whatever the branches are called and however many there are', () => {
    const many = Array.from({ length: 300 }, (_, i) => verdict(i, i === 250 ? 'failure' : 'success', { baseRef: `b${i}\`<img src=x>${'x'.repeat(240)}` }))
    const long = { title: 'T'.repeat(200), summary: 'ü'.repeat(32_700) }
    const shown = worstVerdict([...many, verdict(999, 'success', { text: long })], '1/pull/999')
    expect(shown).toMatchObject({ conclusion: 'failure' })
    expect(shown.title).toMatch(/^Pull request #250 into /)
    expect(shown.title.length).toBeLessThanOrEqual(200)
    expect(Buffer.byteLength(shown.summary)).toBeLessThanOrEqual(65_535)
    expect(shown.summary).toContain('- and 281 more')
    const own = worstVerdict([verdict(1, 'success'), verdict(2, 'success', { text: long })], '1/pull/2')
    expect(own).toMatchObject({ conclusion: 'success' })
    expect(Buffer.byteLength(own.summary)).toBeLessThanOrEqual(65_535)
    expect(own.summary).toContain('üüü')
  })
})
