import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Repo } from '../support/github/state.ts'
import { leak, stripeKey } from '../support/stripe-key.ts'

const CLEAN = {
  'package.json': '{"name":"shop","dependencies":{"@supabase/supabase-js":"2.45.0"}}',
  '.gitignore': '.env*\n',
  'src/index.js': 'export const one = 1\n',
}
const SIGN_IN =
  "import { createClient } from '@supabase/supabase-js'\nconst supabase = createClient(process.env.URL, process.env.ANON)\nexport const signIn = (email) => supabase.auth.signInWithOtp({ email })\n"
const CONFIG = '[auth.email]\nenable_signup = true\notp_expiry = 86400\n'
const TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'
const LOCK = JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'shop' }, 'node_modules/left-pad': { version: '1.3.0' } } })

let stage: Stage
let count = 0
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())
afterEach(() => {
  stage.github.faults.length = 0
  expect(stage.github.violations).toEqual([])
})

async function repository(files: Readonly<Record<string, string>> = {}): Promise<Repo> {
  const repo = stage.github.createRepository(`octo/author-${++count}`)
  stage.github.push(repo, 'main', { ...CLEAN, ...files })
  await stage.settled()
  return repo
}
const summaries = (repo: Repo) => repo.comments.filter((c) => c.body.includes('<!-- prelaunch:summary -->'))
const requestsTo = (endpoint: string, repo: Repo) =>
  stage.github.requests.filter((r) => r.endpoint === endpoint && (endpoint === 'GET /advisories' || r.path.includes(`/${repo.name}/`))).length

describe('suggestions', () => {
  test('come in one review, apply to the lines of the diff, and are not repeated by later pushes', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'src/sign-in.js': SIGN_IN, 'supabase/config.toml': CONFIG }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(repo.reviews).toHaveLength(1)
    expect(repo.reviews[0]).toMatchObject({ pull: pull.number, login: 'prelaunch[bot]' })
    expect(repo.reviews[0]?.comments).toHaveLength(1)
    const comment = repo.reviews[0]?.comments[0]
    expect(comment).toMatchObject({ path: 'supabase/config.toml', line: 3, commit: pull.headSha })
    const replacement = /```suggestion\n([\s\S]*?)\n```/.exec(comment?.body ?? '')?.[1]
    expect(replacement).toBe('otp_expiry = 3600')

    stage.github.push(repo, 'feature', { 'src/two.js': '2\n' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)?.status).toBe('completed')
    expect(repo.reviews).toHaveLength(1)

    // What the button does: the line is replaced, and the finding is gone.
    stage.github.push(repo, 'feature', { 'supabase/config.toml': CONFIG.replace('otp_expiry = 86400', replacement ?? '') })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)?.output.title).toMatch(/^Nothing new introduced/)
    expect(repo.reviews).toHaveLength(1)
  })

  test('of several checks come as one review, each an exact change of its lines; applied together they take every finding away', async () => {
    const repo = await repository()
    const secret = stripeKey()
    const files: Record<string, string> = {
      'src/sign-in.js': SIGN_IN,
      'supabase/config.toml': CONFIG,
      'src/server/charge.ts': `import Stripe from 'stripe'\nexport const stripe = new Stripe('${secret}')\n`,
      'src/server/token.ts':
        "import jwt from 'jsonwebtoken'\nexport const sign = (id: string) => jwt.sign({ id }, process.env.JWT_SECRET || 'changeme-please')\n",
      'src/server/search.ts':
        "import { Pool } from 'pg'\nimport express from 'express'\nconst pool = new Pool()\nexport const app = express()\napp.get('/search', async (req, res) => {\n  const { rows } = await pool.query(`select title from articles where title = '${req.query.q}'`)\n  res.json(rows)\n})\n",
    }
    repo.git.commit('feature', files, { from: 'refs/heads/main' })
    const from = stage.github.apiRequests().length
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const requests = stage.github
      .apiRequests()
      .slice(from)
      .map((r) => r.endpoint ?? r.path)
    expect(requests[0], 'the check is in progress with the first request').toBe('POST /repos/{owner}/{repo}/check-runs')
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(12)
    expect(repo.reviews).toHaveLength(1)
    const suggested = (repo.reviews[0]?.comments ?? []).map((c) => ({ ...c, code: /```suggestion\n([\s\S]*?)\n```/.exec(c.body)?.[1] ?? '' }))
    expect(suggested.map((c) => [c.path, c.line, c.code]).sort()).toEqual([
      ['src/server/charge.ts', 2, 'export const stripe = new Stripe(process.env.STRIPE_LIVE_SECRET!)'],
      ['src/server/search.ts', 6, '  const { rows } = await pool.query(`select title from articles where title = $1`, [req.query.q])'],
      [
        'src/server/token.ts',
        2,
        "export const sign = (id: string) => jwt.sign({ id }, process.env.JWT_SECRET || (() => { throw new Error('JWT_SECRET is not set') })())",
      ],
      ['supabase/config.toml', 3, 'otp_expiry = 3600'],
    ])
    expect(JSON.stringify(repo.reviews)).not.toContain(secret)
    const repaired = Object.fromEntries(
      suggested.map((c) => {
        const lines = (files[c.path] as string).split('\n')
        lines.splice((c.startLine ?? c.line) - 1, c.line - (c.startLine ?? c.line) + 1, ...c.code.split('\n'))
        return [c.path, lines.join('\n')]
      }),
    )
    const before = latestRun(stage.github, repo, pull.headSha)?.annotations.length ?? 0
    stage.github.push(repo, 'feature', repaired)
    await stage.settled()
    const left = latestRun(stage.github, repo, pull.headSha)?.annotations.map((a) => a.path) ?? []
    expect(left.length).toBeLessThanOrEqual(before - 4)
    expect(left.filter((path) => suggested.some((c) => c.path === path && !path.endsWith('search.ts')))).toEqual([])
    expect(repo.reviews).toHaveLength(1)
  })

  test('are not made for lines that the pull request does not show', async () => {
    const filler = Array.from({ length: 40 }, (_, i) => `# ${i}\n`).join('')
    const repo = await repository({ 'supabase/config.toml': `[auth.email]\notp_expiry = 86400\n${filler}` })
    repo.git.commit(
      'feature',
      { 'src/sign-in.js': SIGN_IN, 'supabase/config.toml': `[auth.email]\notp_expiry = 86400\n${filler}# end\n` },
      { from: 'refs/heads/main' },
    )
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)?.output.title).not.toMatch(/^Nothing new introduced/)
    expect(repo.reviews).toEqual([])
  })
})

describe('the comment', () => {
  test('with `comment: findings` appears with the first finding and then says that all is well', async () => {
    const repo = await repository({ '.github/prelaunch.yml': 'comment: findings\n' })
    const main = repo.git.resolve('refs/heads/main') as string
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: main })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)?.conclusion).toBe('success')
    expect(summaries(repo)).toEqual([])
    const clean = pull.headSha
    stage.github.push(repo, 'feature', { '.env': leak() })
    await stage.settled()
    expect(summaries(repo).map((c) => c.body.includes('Do not merge yet'))).toEqual([true])
    repo.git.git('update-ref', 'refs/heads/feature', clean)
    stage.github.announcePush(repo, 'feature', pull.headSha, clean)
    await stage.settled()
    expect(summaries(repo)).toHaveLength(1)
    expect(summaries(repo)[0]?.body).not.toContain('Do not merge yet')
    expect(summaries(repo)[0]?.body).toContain('✅')
  })

  test('with `comment: never` is not written, and the check says everything', async () => {
    const repo = await repository({ '.github/prelaunch.yml': 'comment: never\n' })
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ conclusion: 'failure' })
    expect(repo.comments).toEqual([])
  })
})

describe('the buttons', () => {
  test('Explain writes the full findings as a comment, even where none is wanted; details lead to it', async () => {
    const repo = await repository({ '.github/prelaunch.yml': 'comment: never\n' })
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const first = latestRun(stage.github, repo, pull.headSha)
    expect(first?.detailsUrl).toMatch(new RegExp(`/${repo.name}/pull/${pull.number}$`))
    expect(repo.comments).toEqual([])
    stage.github.requestAction(first as never, 'explain')
    await stage.settled()
    expect(summaries(repo)).toHaveLength(1)
    expect(summaries(repo)[0]?.body).toContain('What an attacker does')
    stage.github.requestAction(latestRun(stage.github, repo, pull.headSha) as never, 'explain')
    await stage.settled()
    expect(summaries(repo)).toHaveLength(1)
    expect(latestRun(stage.github, repo, pull.headSha)?.detailsUrl).toContain(`#issuecomment-${summaries(repo)[0]?.id}`)
  })
})

describe('a pull request that changes the configuration', () => {
  test('says so, and its suppression of what it introduces has no effect', async () => {
    const repo = await repository({ '.github/prelaunch.yml': 'comment: always\n' })
    const suppress = 'suppress:\n  - check: env/committed\n    subject: file .env\n    reason: trust me\n    expires: 2099-01-01\n'
    repo.git.commit('feature', { '.env': leak(), '.github/prelaunch.yml': suppress }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = latestRun(stage.github, repo, pull.headSha)
    expect(run?.conclusion).toBe('failure')
    expect(run?.output.summary).toContain('This pull request changes `.github/prelaunch.yml`')
  })
})

describe('a newer commit', () => {
  test('ends the running audit of the older one: its run is cancelled, the new one has the verdict', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'a.js': '0\n' }, { from: 'refs/heads/main' })
    stage.github.faults.push({ match: (r) => r.endpoint === TREE && r.path.includes(`/${repo.name}/`), times: 1, delayMs: 3000 })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    const old = pull.headSha
    for (const end = Date.now() + 30_000; Date.now() < end && requestsTo(TREE, repo) < 2; ) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(latestRun(stage.github, repo, old)?.status).toBe('in_progress')
    stage.github.push(repo, 'feature', { '.env': leak() })
    await stage.settled()
    expect(latestRun(stage.github, repo, old)).toMatchObject({ status: 'completed', conclusion: 'cancelled', output: { title: 'Replaced by a newer commit' } })
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(summaries(repo)).toHaveLength(1)
  })

  test('that arrives again unchanged leaves its verdict alone: a cancelled run would keep a required check red', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'a.js': '0\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    stage.github.pullEvent(repo, pull, 'synchronize')
    stage.github.pullEvent(repo, pull, 'reopened')
    await stage.settled()
    const runs = stage.github.checkRuns.filter((r) => r.repo === repo && r.headSha === pull.headSha)
    expect(runs.map((r) => r.conclusion)).toEqual(['success'])
  })
})

describe('what outlives an audit', () => {
  test('answers of the advisory database survive a restart, and are asked for once', async () => {
    const repo = await repository({ 'package-lock.json': LOCK })
    const asked = requestsTo('GET /advisories', repo)
    expect(asked).toBeGreaterThan(0)
    await stage.restart()
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)?.conclusion).toBe('success')
    expect(requestsTo('GET /advisories', repo)).toBe(asked)
  })

  test('clones and rows of an installation go when the App is uninstalled', async () => {
    const repo = await repository()
    const clone = join(stage.dataDir, 'git', `${repo.id}.git`)
    const rows = async () =>
      Number(
        (await stage.app.store.sql.query<{ n: string }>('select (select count(*) from prelaunch.facts) + (select count(*) from prelaunch.targets) as n'))[0]?.n,
      )
    expect(existsSync(clone)).toBe(true)
    expect(await rows()).toBeGreaterThan(0)
    stage.github.emit('installation', 'deleted', undefined, { repositories: [] })
    await stage.settled()
    expect(existsSync(clone)).toBe(false)
    expect(await rows()).toBe(0)
  })
})
