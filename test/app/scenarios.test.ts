import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Repo } from '../support/github/state.ts'
import { leak, stripeKey } from '../support/stripe-key.ts'

/** What happens to branches and queues in real repositories, each through the whole App. */
const OPEN_TABLE = 'create table public.notes (id uuid primary key, user_id uuid not null references auth.users (id), body text not null);\n'
const CLOSED = 'alter table public.notes enable row level security;\n'
const CLEAN = {
  'package.json': '{"name":"shop","dependencies":{"@supabase/supabase-js":"2.45.0"}}',
  '.gitignore': '.env*\n',
  'src/index.js': 'export const one = 1\n',
}

let stage: Stage
let count = 0
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())
afterEach(() => {
  expect(stage.github.violations).toEqual([])
})

async function repository(files: Readonly<Record<string, string>> = {}, options: { private?: boolean } = { private: true }): Promise<Repo> {
  const repo = stage.github.createRepository(`octo/scenario-${++count}`, options)
  stage.github.push(repo, 'main', { ...CLEAN, ...files })
  await stage.settled()
  return repo
}
const tip = (repo: Repo, branch: string) => repo.git.resolve(`refs/heads/${branch}`) as string
function runOn(repo: Repo, sha: string) {
  const run = latestRun(stage.github, repo, sha)
  if (!run) throw new Error('no check run on the commit')
  expect(run.status).toBe('completed')
  return run
}
async function opened(repo: Repo, options: Parameters<Stage['github']['openPullRequest']>[1]) {
  const pull = stage.github.openPullRequest(repo, options)
  await stage.settled()
  return { pull, run: runOn(repo, pull.headSha) }
}

describe('a pull request is judged by its own effect', () => {
  test('stacked on another one: not blamed for what the one below introduces, and blamed for its own', async () => {
    const repo = await repository()
    repo.git.commit('below', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    repo.git.commit('above', { 'src/two.js': '2\n' }, { from: tip(repo, 'below') })
    expect((await opened(repo, { head: 'below' })).run.conclusion).toBe('failure')
    const { pull, run } = await opened(repo, { head: 'above', base: 'below' })
    expect(run).toMatchObject({ conclusion: 'success' })
    expect(run.output.title).toMatch(/^Nothing new introduced/)
    stage.github.push(repo, 'above', { 'apps/a/.env': leak() })
    await stage.settled()
    expect(runOn(repo, pull.headSha).output.title).toMatch(/^1 Critical problem introduced/)
  })

  test('with the default branch merged into it: what came from there is not its own', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: tip(repo, 'main') })
    stage.github.push(repo, 'main', { 'supabase/migrations/001.sql': OPEN_TABLE })
    await stage.settled()
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { merge: tip(repo, 'main'), message: 'Merge branch main into feature' })
    const { run } = await opened(repo, { head: 'feature' })
    expect(run.conclusion).toBe('success')
    expect(run.annotations.filter((a) => a.annotation_level === 'failure' && a.title?.includes('introduced'))).toEqual([])
    expect(run.output.title).toMatch(/^Nothing new introduced/)
  })

  test('behind its base: what the base repaired since is neither its merit nor its fault', async () => {
    const repo = await repository({ 'supabase/migrations/001.sql': OPEN_TABLE })
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: tip(repo, 'main') })
    stage.github.push(repo, 'main', { 'supabase/migrations/002.sql': CLOSED })
    await stage.settled()
    const { run } = await opened(repo, { head: 'feature' })
    expect(run).toMatchObject({ conclusion: 'success' })
    expect(run.output.title).toMatch(/^Nothing new introduced/)
    expect(run.output.summary).not.toContain('## Fixed')
  })

  test('whose second commit reverts the first introduces nothing', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    const { pull, run } = await opened(repo, { head: 'feature' })
    expect(run.conclusion).toBe('failure')
    const bad = pull.headSha
    stage.github.push(repo, 'feature', { 'supabase/migrations/001.sql': null } as never, { message: 'Revert "Change"' })
    await stage.settled()
    expect(runOn(repo, pull.headSha)).toMatchObject({ conclusion: 'success' })
    // The verdict on the old commit stays what it was.
    expect(runOn(repo, bad).conclusion).toBe('failure')
  })

  test('that reverts a repair of the default branch opens the hole again and is blocked, at a line of its own or of the table', async () => {
    const repo = await repository({ 'supabase/migrations/001.sql': OPEN_TABLE, 'supabase/migrations/002.sql': CLOSED })
    repo.git.commit('revert', { 'supabase/migrations/002.sql': null }, { from: tip(repo, 'main'), message: 'Revert "Close"' })
    const { run } = await opened(repo, { head: 'revert' })
    expect(run).toMatchObject({ conclusion: 'failure' })
    expect(run.annotations[0]).toMatchObject({ path: 'supabase/migrations/001.sql', start_line: 1 })
  })

  test('whose head is force-pushed is judged by the new head alone', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    const { pull } = await opened(repo, { head: 'feature' })
    const before = pull.headSha
    const fresh = repo.git.commit('other', { 'src/two.js': '2\n' }, { from: tip(repo, 'main') })
    repo.git.git('update-ref', 'refs/heads/feature', fresh)
    stage.github.announcePush(repo, 'feature', before, fresh)
    await stage.settled()
    expect(runOn(repo, fresh)).toMatchObject({ conclusion: 'success' })
    expect(repo.comments.filter((c) => c.bot)).toHaveLength(1)
  })

  test('without common history is compared with its base, not with nothing', async () => {
    const repo = await repository({ 'supabase/migrations/001.sql': OPEN_TABLE })
    repo.git.commit('orphan', { ...CLEAN, 'supabase/migrations/001.sql': OPEN_TABLE, 'apps/a/.env': leak() }, { orphan: true })
    const { run } = await opened(repo, { head: 'orphan' })
    expect(run.output.title).toMatch(/^1 Critical problem introduced/)
  })
})

describe('the access matrix of the comment', () => {
  test('shows the tables that the pull request touches, sound ones too, and no others', async () => {
    const table = (name: string) =>
      `create table public.${name} (id uuid primary key, user_id uuid not null references auth.users (id), body text not null);\nalter table public.${name} enable row level security;\ncreate policy "own" on public.${name} for select to authenticated using ((select auth.uid()) = user_id);\n`
    const repo = await repository({ 'supabase/migrations/001.sql': table('untouched') + table('widened') })
    const widen = 'create policy "add" on public.widened for insert to authenticated with check ((select auth.uid()) = user_id);\n'
    repo.git.commit('feature', { 'supabase/migrations/002.sql': table('fresh') + widen, '.env': leak() }, { from: tip(repo, 'main') })
    const { run } = await opened(repo, { head: 'feature' })
    const comment = repo.comments.find((c) => c.bot)?.body ?? ''
    for (const text of [comment, run.output.summary ?? '']) {
      expect(text).toContain('| `public.fresh`')
      expect(text).toContain('| `public.widened`')
      expect(text).not.toContain('public.untouched')
    }
  })
})

describe('who opens it makes no difference', () => {
  test('Dependabot', async () => {
    const repo = await repository()
    repo.git.commit(
      'dependabot/npm_and_yarn/left-pad-1.3.0',
      { 'package.json': CLEAN['package.json'].replace('2.45.0', '2.46.0') },
      { from: tip(repo, 'main') },
    )
    const { run } = await opened(repo, { head: 'dependabot/npm_and_yarn/left-pad-1.3.0', author: 'dependabot[bot]' })
    expect(run).toMatchObject({ name: 'Prelaunch audit', conclusion: 'success' })
  })

  test('a stranger with a fork whose branch has the name of the default branch', async () => {
    const repo = await repository()
    repo.git.commit('patch-1', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    const { run } = await opened(repo, { head: 'patch-1', fork: 'stranger', author: 'stranger', draft: true })
    expect(run).toMatchObject({ conclusion: 'failure' })
  })

  test('a draft that becomes ready keeps the verdict that it has, in one run', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    const { pull, run } = await opened(repo, { head: 'feature', draft: true })
    pull.draft = false
    stage.github.pullEvent(repo, pull, 'ready_for_review')
    await stage.settled()
    expect(runOn(repo, pull.headSha)).toMatchObject({ id: run.id, conclusion: 'failure' })
  })

  test('a change of its base branch compares anew', async () => {
    const repo = await repository()
    stage.github.push(repo, 'release', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: 'refs/heads/main' })
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'release') })
    const { pull, run } = await opened(repo, { head: 'feature' })
    expect(run.conclusion).toBe('failure')
    const old = pull.baseRef
    Object.assign(pull, { baseRef: 'release', baseSha: tip(repo, 'release') })
    stage.github.pullEvent(repo, pull, 'edited', { changes: { base: { ref: { from: old }, sha: { from: tip(repo, 'main') } } } })
    await stage.settled()
    expect(runOn(repo, pull.headSha)).toMatchObject({ conclusion: 'success' })
  })
})

describe('a merge group', () => {
  test('is compared with its base: what an earlier entry of the queue brought is not counted again', async () => {
    const repo = await repository()
    const earlier = repo.git.commit('queue-1', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    const later = repo.git.commit('queue-2', { 'src/two.js': '2\n' }, { from: earlier })
    stage.github.mergeGroup(repo, earlier, tip(repo, 'main'))
    stage.github.mergeGroup(repo, later, earlier)
    await stage.settled()
    expect(runOn(repo, earlier)).toMatchObject({ name: 'Prelaunch audit', conclusion: 'failure' })
    expect(runOn(repo, earlier).output.summary).toContain('This merge group introduces')
    expect(runOn(repo, later)).toMatchObject({ conclusion: 'success' })
    expect(repo.comments).toEqual([])
  })

  test('of two pull requests that are harmless alone and a hole together fails', async () => {
    const repo = await repository({ 'supabase/migrations/001.sql': `${OPEN_TABLE}${CLOSED}` })
    const main = tip(repo, 'main')
    const first = repo.git.commit(
      'queue',
      { 'supabase/migrations/002.sql': 'create policy "a" on public.notes as permissive for select to authenticated using (auth.uid() = user_id);\n' },
      { from: main },
    )
    const both = repo.git.commit('queue', { 'supabase/migrations/003.sql': 'alter table public.notes disable row level security;\n' }, { from: first })
    stage.github.mergeGroup(repo, both, main)
    await stage.settled()
    const run = runOn(repo, both)
    expect(run.conclusion).toBe('failure')
    expect(run.annotations[0]).toMatchObject({ path: 'supabase/migrations/003.sql', start_line: 1 })
  })
})

describe('suppressions', () => {
  const SIGN_IN =
    "import { createClient } from '@supabase/supabase-js'\nconst supabase = createClient(process.env.URL, process.env.ANON)\nexport const signIn = (email) => supabase.auth.signInWithOtp({ email })\n"

  test('expired, and without a finding, are reported at their lines; an attestation counts until it expires', async () => {
    const config = `suppress:
  - check: rls/enabled
    subject: table public.notes
    reason: until the launch
    expires: 2020-01-01
  - check: api/auth
    subject: route GET /api/gone
    reason: removed long ago
attest:
  - check: auth/otp-expiry
    statement: 3600 s in the dashboard
    by: "@owner"
    date: 2020-01-01
    expires: 2020-06-01
`
    const repo = await repository({ '.github/prelaunch.yml': config, 'supabase/migrations/001.sql': OPEN_TABLE, 'src/sign-in.js': SIGN_IN })
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: tip(repo, 'main') })
    const { run } = await opened(repo, { head: 'feature' })
    const summary = run.output.summary ?? ''
    expect(summary).toContain('`.github/prelaunch.yml:2` this suppression expired on 2020-01-01')
    expect(summary).toContain('`.github/prelaunch.yml:6` this suppression matches no finding of api/auth')
    expect(summary).toContain('`.github/prelaunch.yml:10` this attestation expired on 2020-06-01')
    expect(summary).toMatch(/\| 11 \| ❓/)
    stage.github.push(repo, 'main', {
      '.github/prelaunch.yml': config.replaceAll(/expires: 2020-0[16]-01/g, 'expires: 2099-01-01').replace(/ {2}- check: api\/auth\n.*\n.*\n/, ''),
    })
    await stage.settled()
    stage.github.rerequest(run)
    await stage.settled()
    const after = runOn(repo, run.headSha).output.summary ?? ''
    expect(after).not.toContain('The configuration has problems')
    expect(after).toMatch(/\| 11 \| ✅ passed \|.*attested by/)
    expect(after).toContain('Suppressed (1)')
  })

  test('in a comment that the pull request adds are named in the summary; a Critical that it introduces stays', async () => {
    const repo = await repository()
    repo.git.commit(
      'feature',
      {
        'src/sign-in.js': SIGN_IN,
        'supabase/config.toml': '[auth.email]\n# otp\notp_expiry = 86400\n',
        'supabase/migrations/001.sql': `-- prelaunch-ignore rls/enabled: only for the demo\n${OPEN_TABLE}`,
        'src/limit.js': `// prelaunch-ignore code/hardcoded: never used\nexport const key = '${stripeKey('test')}'\n`,
      },
      { from: tip(repo, 'main') },
    )
    const { run } = await opened(repo, { head: 'feature' })
    expect(run.conclusion).toBe('failure')
    const summary = run.output.summary ?? ''
    expect(summary).toContain('This pull request hides 1 finding by a comment in its code')
    expect(summary).toContain('`src/limit.js:1` (never used)')
    expect(summary).toContain('a pull request cannot suppress a Critical finding that it introduces')
  })
})

describe('a newer audit of the same commit', () => {
  test('that is asked for while the first one runs continues its run and cancels nothing', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'supabase/migrations/001.sql': OPEN_TABLE }, { from: tip(repo, 'main') })
    stage.github.faults.push({
      match: (r) => r.endpoint === 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}' && r.path.includes(`/${repo.name}/`),
      times: 1,
      delayMs: 1500,
    })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    for (const end = Date.now() + 30_000; Date.now() < end && !latestRun(stage.github, repo, pull.headSha); )
      await new Promise((resolve) => setTimeout(resolve, 20))
    stage.github.rerequest(latestRun(stage.github, repo, pull.headSha) as never)
    await stage.settled()
    const runs = stage.github.checkRuns.filter((r) => r.repo === repo && r.headSha === pull.headSha)
    expect(runs.map((r) => r.conclusion)).toEqual(['failure'])
  })
})
