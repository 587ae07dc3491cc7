import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultPorts } from '../../src/app/ports.ts'
import { packedFacts, snapshotCache } from '../../src/store/facts-store.ts'
import { SCHEMA } from '../../src/store/migrations.ts'
import { type Stage, startStage } from '../support/github/start-app.ts'

const CLEAN = { 'package.json': '{"name":"shop"}', '.gitignore': '.env*\n', 'src/index.js': 'export const one = 1\n' }
const TABLES = ['targets', 'verdicts', 'facts', 'snapshots', 'suggestions']

let stage: Stage
let during: (() => Promise<void>) | undefined
const ports = defaultPorts('http://127.0.0.1:1')
beforeAll(async () => {
  stage = await startStage({
    ports: {
      audit: async (request, given, signal) => {
        const result = await ports.audit(request, given, signal)
        await during?.()
        return result
      },
    },
  })
})
afterAll(async () => {
  await stage.stop()
  await ports.close()
})

const rows = async (repository: number) =>
  Promise.all(TABLES.map(async (table) => (await stage.app.store.sql.query(`select 1 from ${SCHEMA}.${table} where repository = $1`, [repository])).length))

test('uninstalling ends a running audit, which stores nothing more, and erases facts, listings and clones', { timeout: 120_000 }, async () => {
  const { github } = stage
  const repo = github.createRepository('octo/gone')
  github.push(repo, 'main', CLEAN)
  await stage.settled()
  const clone = join(stage.dataDir, 'git', `${repo.id}.git`)
  expect(existsSync(clone)).toBe(true)
  expect((await rows(repo.id)).slice(0, 4).every((n) => n > 0)).toBe(true)

  let ended: Promise<unknown> = Promise.resolve()
  during = async () => {
    during = undefined
    ended = new Promise<void>((resolve) => {
      void (async () => {
        github.emit('installation', 'deleted', undefined, { repositories: [{ id: repo.id, full_name: 'octo/gone', name: 'gone', private: false }] })
        await github.webhooks.settled()
        // What a part of the audit that has not heard of it yet would still store.
        await packedFacts(stage.app.store.sql, repo.id).put(new Map([['late', 'fact']]))
        await snapshotCache(stage.app.store.sql, repo.id).put({ commit: 'late', blobs: [], complete: true } as never)
        resolve()
      })()
    })
    await ended
  }
  repo.git.commit('feature', { 'src/a.js': 'export const a = 1\n' }, { from: 'refs/heads/main' })
  const pull = github.openPullRequest(repo, { head: 'feature' })
  await stage.settled()
  await ended
  await stage.settled()
  expect(await rows(repo.id)).toEqual([0, 0, 0, 0, 0])
  expect(existsSync(clone)).toBe(false)
  expect(github.checkRuns.filter((r) => r.headSha === pull.headSha && r.conclusion === 'success')).toEqual([])
})
