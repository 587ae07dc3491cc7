import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

const source = (i: number, version = 0) => `import { db } from '../db'\n\nexport async function handler${i}() {\n  return db.rows(${version})\n}\n`
const table = (i: number) => `create table public.t${i} (id uuid primary key, user_id uuid references auth.users (id));\n`

/** Requests to GitHub by endpoint, for a readable failure. */
const since = (from: number) =>
  stage.github
    .apiRequests()
    .slice(from)
    .map((r) => r.endpoint ?? `${r.method} ${r.path}`)

describe('GitHub requests', () => {
  test('of a first audit of 5,000 files are at most 30, of a warm pull request with 100 changed files at most 12, with 3,000 at most 15', {
    timeout: 480_000,
  }, async () => {
    const repo = stage.github.createRepository('octo/large')
    const files: Record<string, string> = { 'package.json': '{"name":"large","dependencies":{"@supabase/supabase-js":"2.45.0"}}', '.gitignore': '.env*\n' }
    for (let i = 0; i < 5000; i++) files[`src/area-${i % 50}/module-${i}.ts`] = source(i)
    const first = stage.github.push(repo, 'main', files)
    await stage.settled()
    expect(latestRun(stage.github, repo, first)).toMatchObject({ status: 'completed', conclusion: 'success' })
    const cold = since(0)
    expect(cold.length, cold.join('\n')).toBeLessThanOrEqual(30)
    expect(cold).toContain('GET /repos/{owner}/{repo}/tarball/{ref}')

    const changes: Record<string, string> = { 'supabase/migrations/001.sql': table(1), '.env.production': 'A=1\n' }
    for (let i = 0; i < 98; i++) changes[`src/area-${i % 50}/module-${i}.ts`] = source(i, 1)
    repo.git.commit('feature', changes, { from: 'refs/heads/main' })
    const before = stage.github.apiRequests().length
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'failure' })
    const warm = since(before)
    expect(warm.length, warm.join('\n')).toBeLessThanOrEqual(12)

    const rewrite: Record<string, string> = { '.env.production': 'A=1\n' }
    for (let i = 0; i < 3000; i++) rewrite[`src/area-${i % 50}/module-${i}.ts`] = source(i, 2)
    repo.git.commit('rewrite', rewrite, { from: 'refs/heads/main' })
    const from = stage.github.apiRequests().length
    const huge = stage.github.openPullRequest(repo, { head: 'rewrite' })
    await stage.settled()
    expect(latestRun(stage.github, repo, huge.headSha)).toMatchObject({ status: 'completed' })
    expect(latestRun(stage.github, repo, huge.headSha)?.output.title).not.toContain('could not be completed')
    const many = since(from)
    expect(many.length, many.join('\n')).toBeLessThanOrEqual(15)
    expect(stage.github.violations).toEqual([])
    console.log(`first audit: ${cold.length} requests; warm pull request of 100 files: ${warm.length}; of 3,000 files: ${many.length}`)
  })
})
