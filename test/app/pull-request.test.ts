import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Repo } from '../support/github/state.ts'
import { leak, stripeKey } from '../support/stripe-key.ts'

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

/** A repository with a clean default branch, audited. */
async function repository(options: { private?: boolean } = {}): Promise<Repo> {
  const repo = stage.github.createRepository(`octo/shop-${++count}`, options)
  stage.github.push(repo, 'main', CLEAN)
  await stage.settled()
  return repo
}

function lastRun(repo: Repo, sha: string) {
  const run = latestRun(stage.github, repo, sha)
  if (!run) throw new Error('no check run on the commit')
  return run
}

const summaryComments = (repo: Repo) => repo.comments.filter((c) => c.body.includes('<!-- prelaunch:summary -->'))

describe('a pull request', () => {
  test('that leaks a key fails the check, says why, and names the key nowhere', async () => {
    const repo = await repository()
    const key = stripeKey()
    repo.git.commit('feature', { '.env.production': `STRIPE_SECRET_KEY=${key}\n` }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.name).toBe('Prelaunch audit')
    expect(run.writes.map((w) => [w.status, w.conclusion])).toEqual([
      ['in_progress', null],
      ['completed', 'failure'],
    ])
    expect(run.output.title).toMatch(/^1 Critical problem introduced/)
    expect(run.output.summary).toContain('**Do not merge yet.** This pull request introduces 1 Critical problem.')
    expect(run.annotations).toHaveLength(1)
    expect(run.annotations[0]).toMatchObject({ path: '.env.production', start_line: 1, annotation_level: 'failure' })
    expect(run.actions.map((a) => a.identifier)).toEqual(['rerun', 'explain'])
    expect(summaryComments(repo)).toHaveLength(1)
    expect(summaryComments(repo)[0]).toMatchObject({ login: 'prelaunch[bot]', issue: pull.number })
    const published = JSON.stringify([run.output, run.annotations, repo.comments])
    expect(published).not.toContain(key)
    expect(published).not.toContain(key.slice(12))
  })

  test('lists all 25 checks in the summary', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'src/two.js': 'export const two = 2\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const rows = (lastRun(repo, pull.headSha).output.summary ?? '').split('\n').filter((line) => /^\| \d+ \|/.test(line))
    expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
  })

  test('that is repaired by a second push succeeds, and its one comment is updated in place', async () => {
    const repo = await repository()
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const first = lastRun(repo, pull.headSha)
    expect(first.conclusion).toBe('failure')
    const [comment] = summaryComments(repo)
    // History keeps a leaked key, so the repair is a new history, as `git rebase` makes it.
    const main = repo.git.resolve('refs/heads/main') as string
    const before = pull.headSha
    const repaired = repo.git.commit('repaired', { 'src/two.js': 'export const two = 2\n' }, { from: main })
    repo.git.git('update-ref', 'refs/heads/feature', repaired)
    stage.github.announcePush(repo, 'feature', before, repaired)
    await stage.settled()
    expect(lastRun(repo, repaired)).toMatchObject({ conclusion: 'success', status: 'completed' })
    expect(lastRun(repo, repaired).output.title).toMatch(/^Nothing new introduced/)
    expect(summaryComments(repo)).toHaveLength(1)
    expect(summaryComments(repo)[0]?.id).toBe(comment?.id)
    expect(summaryComments(repo)[0]?.body).toContain('✅')
  })

  test('with 60 findings gets every annotation, in batches of 50, and one conclusion at the end', async () => {
    const repo = await repository()
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`apps/app-${i}/.env`, leak()]))
    repo.git.commit('feature', files, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.annotations).toHaveLength(60)
    expect(new Set(run.annotations.map((a) => a.path)).size).toBe(60)
    expect(run.writes.map((w) => w.status)).toEqual(['in_progress', 'in_progress', 'completed'])
    expect(Buffer.byteLength(run.output.summary ?? '')).toBeLessThanOrEqual(65_535)
  })

  test('does not block for what the default branch already had', async () => {
    const repo = stage.github.createRepository(`octo/old-${++count}`)
    stage.github.push(repo, 'main', { ...CLEAN, '.env': leak() })
    await stage.settled()
    repo.git.commit('feature', { 'src/two.js': 'export const two = 2\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.conclusion).toBe('success')
    expect(run.annotations).toEqual([])
    expect(run.output.summary).toMatch(/already existed and do(es)? not block/)
  })

  test('of a fork is audited in the base repository', async () => {
    const repo = await repository()
    repo.git.commit('fork-branch', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'fork-branch', fork: 'stranger', author: 'stranger' })
    await stage.settled()
    expect(lastRun(repo, pull.headSha).conclusion).toBe('failure')
    expect(summaryComments(repo)).toHaveLength(1)
  })

  test('that is a draft is audited too', async () => {
    const repo = await repository()
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature', draft: true })
    await stage.settled()
    expect(lastRun(repo, pull.headSha).conclusion).toBe('failure')
  })

  test('with binary, huge, non-UTF-8 and linked files and a submodule is audited', async () => {
    const repo = await repository()
    repo.git.commit(
      'feature',
      {
        'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]),
        'video.mp4': Buffer.alloc(50 << 20, 1),
        'src/latin.js': Buffer.from('export const s = "caf\xe9"\n', 'latin1'),
        'src/link.js': { symlink: '../../../etc/passwd' },
        'vendor/lib': { submodule: '1'.repeat(40) },
        'run.sh': { executable: '#!/bin/sh\n' },
        '.env': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(leak(), 'utf16le')]),
      },
      { from: 'refs/heads/main' },
    )
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.status).toBe('completed')
    expect(run.output.title).not.toContain('could not be completed')
    expect(run.output.summary).not.toContain('passwd:')
  })

  test('whose head branch was deleted and whose base was force-pushed is still audited at its head', async () => {
    const repo = await repository()
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const old = repo.git.resolve('refs/heads/main') as string
    const fresh = repo.git.commit('rewritten', { ...CLEAN, 'README.md': 'rewritten\n' }, { orphan: true })
    repo.git.git('update-ref', 'refs/heads/main', fresh)
    stage.github.announcePush(repo, 'main', old, fresh)
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    repo.git.git('update-ref', '-d', 'refs/heads/feature')
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.conclusion).toBe('failure')
    expect(run.output.title).toMatch(/1 Critical problem introduced/)
  })

  test('closed before its audit ends leaves no run in progress', async () => {
    const repo = await repository()
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    pull.state = 'closed'
    stage.github.pullEvent(repo, pull, 'closed')
    await stage.settled()
    for (const run of stage.github.checkRuns.filter((r) => r.repo === repo)) expect(run.status).toBe('completed')
  })

  test('pushed to five times in a row ends with a verdict on the newest commit and none in progress', async () => {
    const repo = await repository()
    repo.git.commit('feature', { 'a.js': '0\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    for (let i = 1; i <= 5; i++) stage.github.push(repo, 'feature', { 'a.js': `${i}\n` })
    await stage.settled()
    expect(lastRun(repo, pull.headSha)).toMatchObject({ status: 'completed', conclusion: 'success' })
    for (const run of stage.github.checkRuns.filter((r) => r.repo === repo)) expect(run.status).toBe('completed')
    expect(summaryComments(repo)).toHaveLength(1)
  })
})

describe('the configuration', () => {
  test('of the base branch decides, that of the pull request does not', async () => {
    const repo = await repository()
    stage.github.push(repo, 'main', { '.github/prelaunch.yml': 'fail_on: critical\ncomment: never\n' })
    repo.git.commit('feature', { '.env': leak(), '.github/prelaunch.yml': 'fail_on: never\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const run = lastRun(repo, pull.headSha)
    expect(run.conclusion).toBe('failure')
    expect(run.output.summary).toContain('This pull request changes `.github/prelaunch.yml`')
    expect(summaryComments(repo)).toHaveLength(0)
  })

  test('with mistakes is reported at its lines', async () => {
    const repo = await repository()
    stage.github.push(repo, 'main', { '.github/prelaunch.yml': 'fail_on: sometimes\nunknown_key: 1\n' })
    repo.git.commit('feature', { 'src/two.js': '2\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const summary = lastRun(repo, pull.headSha).output.summary ?? ''
    expect(summary).toContain('The configuration has problems')
    expect(summary).toContain('.github/prelaunch.yml:1')
    expect(summary).toContain('.github/prelaunch.yml:2')
  })
})

describe('the required-check hint', () => {
  test('says how to block merges when nothing requires the check, and is silent when a rule or protection does', async () => {
    const hint = 'This does not stop the merge yet'
    const outcomes: boolean[] = []
    for (const prepare of [
      () => {},
      (repo: Repo) => repo.rules.set('main', [{ type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'Prelaunch audit' }] } }]),
      (repo: Repo) => repo.protection.set('main', ['Prelaunch audit']),
    ]) {
      const repo = await repository()
      prepare(repo)
      repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
      const pull = stage.github.openPullRequest(repo, { head: 'feature' })
      await stage.settled()
      outcomes.push((lastRun(repo, pull.headSha).output.summary ?? '').includes(hint))
    }
    expect(outcomes).toEqual([true, false, false])
  })
})

describe('other events', () => {
  test('a push to the default branch that leaks fails on that commit', async () => {
    const repo = await repository()
    const sha = stage.github.push(repo, 'main', { '.env': leak() })
    await stage.settled()
    expect(lastRun(repo, sha).conclusion).toBe('failure')
  })

  test('a push to another branch is not audited', async () => {
    const repo = await repository()
    const sha = stage.github.push(repo, 'other', { '.env': leak() }, { from: 'refs/heads/main' })
    await stage.settled()
    expect(latestRun(stage.github, repo, sha)).toBeUndefined()
  })

  test('a merge group is audited against its base', async () => {
    const repo = await repository()
    const base = repo.git.resolve('refs/heads/main') as string
    const head = repo.git.commit('queue', { '.env': leak() }, { from: base })
    stage.github.mergeGroup(repo, head, base)
    await stage.settled()
    expect(lastRun(repo, head)).toMatchObject({ name: 'Prelaunch audit', conclusion: 'failure' })
  })

  test('re-running makes a new run with the same verdict', async () => {
    const repo = await repository()
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const first = lastRun(repo, pull.headSha)
    stage.github.rerequest(first)
    await stage.settled()
    const second = lastRun(repo, pull.headSha)
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ conclusion: 'failure', annotations: first.annotations })
    stage.github.requestAction(second, 'rerun')
    await stage.settled()
    expect(lastRun(repo, pull.headSha).id).not.toBe(second.id)
    expect(summaryComments(repo)).toHaveLength(1)
  })

  test('an accepted suppression on the base branch lifts the block on re-run', async () => {
    const repo = await repository()
    repo.collaborators.set('maintainer', 'write')
    repo.git.commit('feature', { '.env': leak() }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const summary = lastRun(repo, pull.headSha).output.summary ?? ''
    const id = /\/prelaunch accept ([0-9a-f]{16})/.exec(summary)?.[1]
    expect(id).toBeDefined()
    stage.github.addComment(repo, pull.number, 'stranger', `/prelaunch accept ${id} because`)
    stage.github.addComment(repo, pull.number, 'maintainer', `/prelaunch accept ${id} test key of the sandbox`)
    await stage.settled()
    const answers = repo.comments.filter((c) => c.bot && !c.body.includes('prelaunch:summary')).map((c) => c.body)
    expect(answers).toHaveLength(2)
    expect(answers.some((a) => a.includes('may not accept'))).toBe(true)
    const accepted = answers.find((a) => a.includes('suppress:')) ?? ''
    expect(accepted).toContain('accepted by @maintainer')
    expect(repo.git.git('log', '--format=%an', '--all')).not.toContain('prelaunch')
    const yaml = /```yaml\n([\s\S]*?)\n```/.exec(accepted)?.[1] as string
    stage.github.push(repo, 'main', { '.github/prelaunch.yml': `${yaml}\n` })
    stage.github.rerequest(lastRun(repo, pull.headSha))
    await stage.settled()
    expect(lastRun(repo, pull.headSha).conclusion).toBe('success')
  })

  test('an empty repository and a repository without any stack are clear outcomes', async () => {
    const empty = stage.github.createRepository(`octo/empty-${++count}`)
    stage.github.emit('installation_repositories', 'added', undefined, {
      repositories_added: [{ id: empty.id, full_name: `octo/${empty.name}` }],
      repositories_removed: [],
    })
    await stage.settled()
    expect(stage.github.checkRuns.filter((r) => r.repo === empty)).toEqual([])
    const plain = stage.github.createRepository(`octo/plain-${++count}`)
    const sha = stage.github.push(plain, 'main', { 'README.md': '# Hello\n' })
    await stage.settled()
    expect(lastRun(plain, sha)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })

  test('a new installation is audited on its default branch', async () => {
    const repo = stage.github.createRepository(`octo/new-${++count}`)
    const sha = repo.git.commit('main', CLEAN)
    stage.github.emit('installation_repositories', 'added', undefined, {
      repositories_added: [{ id: repo.id, full_name: `octo/${repo.name}` }],
      repositories_removed: [],
    })
    await stage.settled()
    expect(lastRun(repo, sha)).toMatchObject({ status: 'completed', conclusion: 'success' })
  })
})
