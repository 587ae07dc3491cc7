import { afterEach, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import type { Repo } from '../support/github/state.ts'

let stage: Stage
afterEach(() => stage.stop())

/** A pull request whose webhooks never came. */
function openUnnoticed(repo: Repo) {
  repo.git.commit('main', { 'package.json': '{}' })
  repo.git.commit('feature', { 'a.ts': 'export {}' }, { from: 'refs/heads/main' })
  return stage.unnoticed(() => stage.github.openPullRequest(repo, { head: 'feature' }))
}

test('an installation with more repositories than one sweep may ask about is gone through by several, each where the last one ended', {
  timeout: 240_000,
}, async () => {
  stage = await startStage({ app: { reconcileLimits: { perInstallation: 45, perSweep: 10_000 } } })
  const known = stage.github.createRepository('octo/known')
  stage.github.push(known, 'main', { 'package.json': '{}' })
  await stage.settled()
  const repositories = Array.from({ length: 105 }, (_, i) => stage.github.createRepository(`octo/repo-${i}`))
  const [early, late] = [repositories[3] as Repo, repositories[103] as Repo]
  const pulls = [await openUnnoticed(early), await openUnnoticed(late)]
  const found = (i: number) => latestRun(stage.github, i === 0 ? early : late, pulls[i]?.headSha ?? '')?.status
  const requests: number[] = []
  const seen: (string | undefined)[][] = []
  for (let sweep = 0; sweep < 3; sweep++) {
    const before = listings(stage)
    await stage.app.sweep()
    requests.push(listings(stage) - before)
    await stage.settled()
    seen.push([found(0), found(1)])
  }
  expect(seen).toEqual([
    ['completed', undefined],
    ['completed', undefined],
    ['completed', 'completed'],
  ])
  for (const n of requests) expect(n).toBeLessThanOrEqual(45)
  // The fourth begins again at the first repository, and finds nothing to do.
  const runs = stage.github.checkRuns.length
  await stage.app.sweep()
  await stage.settled()
  expect(stage.github.checkRuns.length).toBe(runs)
})

test('what is kept of an installation’s turn goes when the App is uninstalled', async () => {
  stage = await startStage()
  const repo = stage.github.createRepository('octo/left')
  stage.github.push(repo, 'main', { 'package.json': '{}' })
  await stage.settled()
  await stage.app.sweep()
  const marks = () => stage.app.store.sql.query<{ name: string }>("select name from prelaunch.marks where name like 'reconciled:%'")
  const [mark] = await marks()
  const installation = Number(mark?.name.split(':')[1])
  expect(installation).toBeGreaterThan(0)
  stage.github.emit('installation', 'deleted', undefined, { repositories: [] })
  await stage.settled()
  expect(await marks()).toEqual([])
})

function listings({ github }: Stage): number {
  return github.apiRequests().filter((r) => r.endpoint === 'GET /installation/repositories' || r.endpoint === 'GET /repos/{owner}/{repo}/pulls').length
}
