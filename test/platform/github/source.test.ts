import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import { isEnvFile } from '../../../src/lib/env-file-name.ts'
import { BareClone } from '../../../src/platform/github/bare-clone.ts'
import { tokenClient } from '../../../src/platform/github/client.ts'
import { applicationFolders, GitHubSource } from '../../../src/platform/github/github-source.ts'
import type { RepositoryRef } from '../../../src/platform/github/repository-ref.ts'
import { localDatabase } from '../../../src/platform/local/database.ts'
import { GitSource } from '../../../src/platform/local/git-source.ts'
import { GitHubServer } from '../../support/github/server.ts'
import { MANIFEST } from '../../support/github/start-app.ts'
import type { Repo } from '../../support/github/state.ts'

let github: GitHubServer
let repo: Repo
let base: string
let head: string

beforeAll(async () => {
  github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: [] }).start()
  repo = github.createRepository('octo/shop')
  repo.git.commit('main', { '.env': 'OLD=1\n', 'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}' }, { author: 'Ada <ada@shop.example>' })
  base = repo.git.commit('main', {
    '.env': null,
    'src/app.ts': 'export const a = 1\n',
    'supabase/migrations/1.sql': 'create table public.notes (id uuid primary key, user_id uuid references auth.users (id));\n',
  })
  head = repo.git.commit(
    'feature',
    {
      'src/latin.js': Buffer.from('export const s = "caf\xe9"\n', 'latin1'),
      'logo.png': Buffer.from([137, 80, 78, 71, 0, 1, 2]),
      'big.json': Buffer.from(JSON.stringify({ text: 'é'.repeat(400_000) })),
      'bom.ts': '\ufeffexport const b = 1\r\n',
      link: { symlink: '/etc/passwd' },
      sub: { submodule: '2'.repeat(40) },
      'weird \u202e[name](x).ts': 'export {}\n',
      'attributed.txt': '$Format:%H$\n',
      '.gitattributes': 'attributed.txt export-subst\nsrc/latin.js export-ignore\n',
    },
    { from: base },
  )
})
afterAll(() => github.stop())

const ref = (): RepositoryRef => ({
  id: repo.id,
  owner: 'octo',
  name: 'shop',
  cloneUrl: `${github.url}/octo/shop.git`,
  url: 'https://github.com/octo/shop',
  private: false,
})
const source = () => new GitHubSource(tokenClient(github.createUserToken('dev'), github.url), ref())

describe('a repository on GitHub', () => {
  test('is the same as the local one: tree, contents, history, merge base, and the report byte for byte', async () => {
    const remote = source()
    const local = new GitSource(repo.git.dir)
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
    const [there, here] = [await remote.snapshot(head), await local.snapshot(head)]
    expect([...there.blobs].sort(byPath)).toEqual([...here.blobs].sort(byPath))
    const shas = here.blobs.filter((b) => b.mode === 'file').map((b) => b.sha)
    const [theirs, ours] = [await remote.read(shas), await local.read(shas)]
    for (const sha of shas) expect(Buffer.from(theirs.get(sha) ?? []).equals(Buffer.from(ours.get(sha) ?? []))).toBe(true)
    expect(await remote.history(head, isEnvFile)).toEqual(await local.history(head, isEnvFile))
    expect(await remote.mergeBase('main', head).catch(() => remote.mergeBase(base, head))).toBe(base)
    const request = { commit: head, mergeBase: base, config: DEFAULT_CONFIG, today: '2026-11-20' }
    const database = localDatabase()
    const [a, b] = [await audit(request, { source: remote, database }), await audit(request, { source: local, database })]
    expect(JSON.stringify(a.report)).toBe(JSON.stringify(b.report))
    await remote.close()
    expect(github.violations).toEqual([])
  })

  test('is the same when its files come in one archive', async () => {
    const many = repo.git.commit('many', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`m/${i}.ts`, `export const n = ${i}\n`])), { from: head })
    const remote = source()
    const snapshot = await remote.snapshot(many)
    const shas = snapshot.blobs.filter((b) => b.mode === 'file').map((b) => b.sha)
    const before = github.requests.length
    const [theirs, ours] = [await remote.read(shas), await new GitSource(repo.git.dir).read(shas)]
    expect(theirs.size).toBe(ours.size)
    for (const [sha, bytes] of ours) expect(Buffer.from(theirs.get(sha) ?? []).equals(Buffer.from(bytes))).toBe(true)
    const requests = github.requests.slice(before).map((r) => r.endpoint ?? r.path)
    expect(requests).toContain('GET /repos/{owner}/{repo}/tarball/{ref}')
    // What the archive rewrites or leaves out, and nothing else, is read one by one.
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(6)
    await remote.close()
  })

  test('without git over HTTP the history comes from the API, declared incomplete, with the usual env files', async () => {
    const closed = new GitHubSource(tokenClient(github.createUserToken('dev'), github.url), { ...ref(), cloneUrl: `${github.url}/nobody/nothing.git` })
    const history = await closed.history(head, isEnvFile)
    expect(history).toMatchObject({ complete: false, commits: 3 })
    expect(history.authors).toEqual((await new GitSource(repo.git.dir).history(head, isEnvFile)).authors)
    expect(history.files.map((f) => f.path)).toEqual(['.env'])
    expect(history.because).toBe(
      'the history was read through the API, which answers for named files only: 14 usual names of env files were asked for in the top folder and supabase, supabase/functions',
    )
    expect(await closed.mergeBase(base, head)).toBe(base)
    await closed.close()
  })

  test('a history that is too large is given up, leaves nothing behind, and the API answers', async () => {
    const root = await mkdtemp(join(tmpdir(), 'prelaunch-clones-'))
    const clone = await BareClone.open(ref(), root, 100)
    await expect(clone.fetch([head], github.createUserToken('dev'))).rejects.toThrow('the history is larger than 0 MB')
    expect(await readdir(root)).toEqual([])
    await rm(root, { recursive: true, force: true })
  })

  test('a kept clone asks for new commits only, and for nothing when it has them', async () => {
    const root = await mkdtemp(join(tmpdir(), 'prelaunch-clones-'))
    const clone = await BareClone.open(ref(), root)
    const token = github.createUserToken('dev')
    const packs = async () => (await readdir(join(clone.dir, 'objects', 'pack'))).filter((f) => f.endsWith('.pack')).length
    await clone.fetch([base], token)
    const before = github.requests.length
    await clone.fetch([base], token)
    expect(github.requests.length).toBe(before)
    const objects = async (commit: string) => (await new GitSource(clone.dir).history(commit, isEnvFile)).commits
    await clone.fetch([head], token)
    expect(await objects(head)).toBe(3)
    expect(await packs()).toBeLessThanOrEqual(2)
    await rm(root, { recursive: true, force: true })
  })
})

test('folders in which env files usually lie', () => {
  expect(
    applicationFolders([
      'package.json',
      'apps/web/package.json',
      'apps/web/supabase/config.toml',
      'backend/supabase/functions/a/index.ts',
      'node_modules/x/package.json',
    ]),
  ).toEqual(['backend', 'apps/web', 'backend/supabase', 'apps/web/supabase', 'backend/supabase/functions', 'apps/web/supabase/functions'])
})
