import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import { tokenClient } from '../../../src/platform/github/client.ts'
import { GitHubSource } from '../../../src/platform/github/github-source.ts'
import { testDatabase } from '../../support/database.ts'
import { GitHubServer } from '../../support/github/server.ts'
import { MANIFEST } from '../../support/github/start-app.ts'
import type { Repo } from '../../support/github/state.ts'

let github: GitHubServer
beforeAll(async () => {
  github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: [], gitHttp: false }).start()
})
afterAll(() => github.stop())

const sourceOf = (repo: Repo) =>
  new GitHubSource(tokenClient(github.createUserToken('dev'), github.url), {
    id: repo.id,
    owner: 'octo',
    name: repo.name,
    cloneUrl: `${github.url}/octo/${repo.name}.git`,
    url: '',
    private: false,
  })
const treeRequests = () => github.requests.filter((r) => r.endpoint === 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}').length

test('a tree that GitHub cuts is listed whole, folder by folder, also where a folder is cut again', async () => {
  const repo = github.createRepository('octo/wide')
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`apps/a${i % 3}/src/f${i}.ts`, `${i}\n`]))
  const commit = repo.git.commit('main', { ...files, 'README.md': '# wide\n' })
  repo.treeLimit = 30
  const snapshot = await sourceOf(repo).snapshot(commit)
  expect(snapshot.complete).toBe(true)
  expect(snapshot.blobs.map((b) => b.path).sort()).toEqual([...Object.keys(files), 'README.md'].sort())
})

test('a tree beyond what is worth asking for costs bounded requests, says so, and no check passes', async () => {
  const repo = github.createRepository('octo/endless')
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${String(i).padStart(3, '0')}/a.ts`, `export const a = ${i}\n`]))
  const commit = repo.git.commit('main', { ...files, 'package.json': '{"dependencies":{"next":"15.0.0","@supabase/supabase-js":"2.45.0"}}' })
  repo.treeLimit = 100
  const before = treeRequests()
  const source = sourceOf(repo)
  const { report } = await audit({ commit, config: DEFAULT_CONFIG, today: '2026-11-20' }, { source, database: testDatabase() })
  expect(treeRequests() - before).toBeLessThanOrEqual(152)
  expect(report.audit.complete).toBe(false)
  expect(report.checks.filter((c) => c.status === 'passed').map((c) => c.id)).toEqual([])
  expect(report.gaps.some((g) => /GitHub does not list this many files at once; p\d+\/ and what follows/.test(g.because))).toBe(true)
  await source.close()
})
