import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { JOB_PERMISSIONS } from '../../src/platform/github/installation-client.ts'
import { isGranted } from '../support/github/permissions.ts'
import { latestRun, MANIFEST, type Stage, startStage } from '../support/github/start-app.ts'

const CLEAN = { 'package.json': '{"name":"shop"}', '.gitignore': '.env*\n', 'src/index.js': 'export const one = 1\n' }
const TOKENS = 'POST /app/installations/{installation_id}/access_tokens'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())
afterEach(() => {
  expect(stage.github.violations).toEqual([])
})

/** What tokens were asked for since a request. */
const asked = (from: number) => stage.github.requests.slice(from).flatMap((r) => (r.endpoint === TOKENS ? [{ path: r.path, body: r.body }] : []))

describe('installation tokens', () => {
  test('of an audit are good for its repository and its permissions alone', async () => {
    const mine = stage.github.createRepository('octo/mine', { private: true })
    const other = stage.github.createRepository('acme/other', { private: true })
    const from = stage.github.requests.length
    stage.github.push(mine, 'main', CLEAN)
    await stage.settled()
    mine.git.commit('feature', { 'src/a.js': 'export const a = 1\n' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(mine, { head: 'feature' })
    await stage.settled()
    expect(latestRun(stage.github, mine, pull.headSha)?.conclusion).toBe('success')
    const own = asked(from)
    expect(own.length).toBeGreaterThan(0)
    for (const { path, body } of own) {
      expect(path).toBe(`/app/installations/${stage.github.installationOf('octo')}/access_tokens`)
      expect(body).toEqual({ repository_ids: [mine.id], permissions: JOB_PERMISSIONS.audit })
    }

    const middle = stage.github.requests.length
    stage.github.push(other, 'main', CLEAN)
    await stage.settled()
    expect(asked(middle).map((t) => t.body)).toContainEqual({ repository_ids: [other.id], permissions: JOB_PERMISSIONS.audit })
    expect(asked(middle)[0]?.path).toBe(`/app/installations/${stage.github.installationOf('acme')}/access_tokens`)
  })

  test('of commands, of runs to conclude and of lists are good for these', async () => {
    const [mine] = stage.github.repositories
    if (!mine) throw new Error('no repository')
    mine.collaborators.set('maintainer', 'write')
    const from = stage.github.requests.length
    stage.github.addComment(mine, 1, 'maintainer', '/prelaunch help')
    await stage.settled()
    expect(asked(from)).toMatchObject([{ body: { repository_ids: [mine.id], permissions: JOB_PERMISSIONS.answer } }])
    const before = stage.github.requests.length
    await stage.app.sweep()
    // The list is for every repository of the installation, and may only look.
    for (const { body } of asked(before)) expect(body).toEqual({ permissions: JOB_PERMISSIONS.list })
    expect(asked(before)).toHaveLength(2)
  })

  test('never ask for more than app.yml does', () => {
    for (const permissions of Object.values(JOB_PERMISSIONS))
      for (const [name, level] of Object.entries(permissions))
        expect(isGranted(`${name}:${level}`, MANIFEST.default_permissions), `${name}: ${level}`).toBe(true)
  })

  test('that ended are renewed, in the same scope', async () => {
    const [mine] = stage.github.repositories
    if (!mine) throw new Error('no repository')
    stage.github.expireTokens()
    const from = stage.github.requests.length
    const sha = stage.github.push(mine, 'main', { 'src/b.js': 'export const b = 1\n' })
    await stage.settled()
    expect(latestRun(stage.github, mine, sha)?.conclusion).toBe('success')
    expect(asked(from).map((t) => t.body)).toEqual([{ repository_ids: [mine.id], permissions: JOB_PERMISSIONS.audit }])
  })

  test('of an installation that has not accepted all permissions are for the repository with those that it has', async () => {
    const [mine] = stage.github.repositories
    if (!mine) throw new Error('no repository')
    await stage.restart()
    let refused = 0
    stage.github.faults.push({
      match: ({ endpoint }) => endpoint === TOKENS && refused++ === 0,
      times: 1,
      status: 422,
      body: { message: 'The permissions requested are not granted to this installation.' },
    })
    const from = stage.github.requests.length
    const sha = stage.github.push(mine, 'main', { 'src/c.js': 'export const c = 1\n' })
    await stage.settled()
    expect(latestRun(stage.github, mine, sha)?.conclusion).toBe('success')
    expect(asked(from)[1]?.body).toEqual({ repository_ids: [mine.id] })
  })
})
