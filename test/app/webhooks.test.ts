import { request } from 'node:http'
import { Webhooks } from '@octokit/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_WEBHOOK_BYTES } from '../../src/app/body-limit.ts'
import { GITHUB_EVENTS, wishOf } from '../../src/app/events.ts'
import { examplesOf } from '../support/github/payloads.ts'
import { type Stage, startStage } from '../support/github/start-app.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

const url = () => `${stage.app.url}/api/github/webhooks`
const post = async (event: string, body: string, changes: Record<string, string | undefined> = {}) => {
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': crypto.randomUUID(),
    'x-hub-signature-256': await new Webhooks({ secret: stage.github.webhookSecret }).sign(body),
    ...changes,
  }
  return fetch(url(), { method: 'POST', headers: Object.fromEntries(Object.entries(headers).filter((e): e is [string, string] => e[1] !== undefined)), body })
}
const rows = async () =>
  Number(
    (await stage.app.store.sql.query<{ n: string }>('select (select count(*) from prelaunch.targets) + (select count(*) from prelaunch.deliveries) as n'))[0]
      ?.n,
  )

describe('a webhook', () => {
  const body = JSON.stringify(examplesOf('push')[0])

  test.each([
    ['with a wrong signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }],
    ['without a signature', { 'x-hub-signature-256': undefined }],
    ['without a delivery id', { 'x-github-delivery': undefined }],
  ])('%s is refused with 400 and stores nothing', async (_name, headers) => {
    const before = await rows()
    expect((await post('push', body, headers)).status).toBe(400)
    expect(await rows()).toBe(before)
    expect(stage.github.apiRequests()).toEqual([])
  })

  test.each([
    ['that says how large it is', true],
    ['that does not say so', false],
  ])('larger than any of GitHub’s, %s, is refused with 413 and stores nothing, and the next one is taken', async (_name, sized) => {
    const before = await rows()
    const large = Buffer.alloc(MAX_WEBHOOK_BYTES + 1, ' ')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-github-event': 'push', ...(sized ? { 'content-length': large.length } : {}) }
      request(url(), { method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(large)
    })
    expect(status).toBe(413)
    expect(await rows()).toBe(before)
    expect((await post('star', JSON.stringify({ action: 'created' }))).status).toBe(200)
  })

  test('keeps its connection for longer than load balancers keep idle ones', async () => {
    const answer = await post('star', JSON.stringify({ action: 'created' }))
    const idle = /timeout=(\d+)/.exec(answer.headers.get('keep-alive') ?? '')?.[1]
    expect(Number(idle)).toBeGreaterThan(60)
  })

  test('of an unknown event is answered and ignored', async () => {
    expect((await post('star', JSON.stringify({ action: 'created' }))).status).toBe(200)
  })

  test('that comes twice under one id leads to one audit', async () => {
    const repo = stage.github.createRepository('octo/twice')
    const sha = repo.git.commit('main', { 'package.json': '{}' })
    stage.github.announcePush(repo, 'main', undefined, sha)
    await stage.settled()
    const delivery = stage.github.webhooks.deliveries.find((d) => d.event === 'push')
    stage.github.webhooks.redeliver(delivery?.id ?? 0)
    await stage.settled()
    expect(stage.github.checkRuns.filter((r) => r.repo === repo)).toHaveLength(1)
  })
})

describe('an old delivery', () => {
  test.each([
    ['that GitHub delivers again', (id: number) => stage.github.webhooks.redeliver(id)],
    // The id is a header, and headers are not signed.
    ['that somebody replays under an id of their own', async (_id: number, event: string, body: string) => void (await post(event, body))],
  ])('%s leaves the verdict on the newest commit alone, and no trace on the old one', async (_name, deliverAgain) => {
    const repo = stage.github.createRepository(`octo/old-${crypto.randomUUID()}`)
    stage.github.push(repo, 'main', { 'package.json': '{}' })
    repo.git.commit('feature', { 'a.ts': 'export {}' }, { from: 'refs/heads/main' })
    const pull = stage.github.openPullRequest(repo, { head: 'feature' })
    await stage.settled()
    const opened = stage.github.webhooks.deliveries.find((d) => d.event === 'pull_request' && d.action === 'opened' && d.repositoryId === repo.id)
    const newest = stage.github.push(repo, 'feature', { 'b.ts': 'export {}' })
    await stage.settled()
    const runs = () => stage.github.checkRuns.filter((r) => r.repo === repo).map((r) => [r.headSha, r.conclusion])
    const before = runs()
    expect(before.map(([sha]) => sha)).toContain(newest)
    await deliverAgain(opened?.id ?? 0, 'pull_request', opened?.body ?? '')
    await stage.settled()
    expect(runs()).toEqual(before)
    expect(repo.comments.filter((c) => c.issue === pull.number)).toHaveLength(1)
    const next = stage.github.push(repo, 'feature', { 'c.ts': 'export {}' })
    await stage.settled()
    expect(runs().slice(before.length)).toEqual([[next, 'success']])
  })
})

describe('GitHub’s own examples', () => {
  const names = [...new Set(GITHUB_EVENTS.map((e) => e.split('.')[0] as string))]
  test.each(names)('of %s are all answered with 200', async (name) => {
    const examples = examplesOf(name)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect((await post(name, JSON.stringify(example))).status, `${name}.${example['action']}`).toBe(200)
    }
  })

  test('of pull requests lead to the wish that the action stands for', () => {
    const wishes = new Map(examplesOf('pull_request').map((e) => [e['action'], wishOf('pull_request', e, 'Prelaunch audit')?.do]))
    for (const action of ['labeled', 'unlabeled', 'assigned', 'locked', 'review_requested', 'converted_to_draft'])
      expect(wishes.get(action), action).toBeUndefined()
  })

  test('cut to pieces never make an exception', () => {
    for (const name of names) {
      for (const example of examplesOf(name)) {
        for (const key of Object.keys(example)) {
          for (const value of [null, undefined, 'text', 7, [], {}]) expect(() => wishOf(name, { ...example, [key]: value }, 'x')).not.toThrow()
        }
      }
    }
  })
})

describe('operation', () => {
  test('/healthz, /readyz and /metrics answer, and metrics name no repository', async () => {
    expect(await (await fetch(`${stage.app.url}/healthz`)).text()).toBe('ok\n')
    expect(await (await fetch(`${stage.app.url}/readyz`)).text()).toBe('ready\n')
    const metrics = await (await fetch(`${stage.app.url}/metrics`)).text()
    expect(metrics).toContain('prelaunch_webhooks_total{event="push",outcome="stored"}')
    expect(metrics).toMatch(/prelaunch_audits_total\{kind="push",outcome="success"\} [1-9]/)
    expect(metrics).toContain('prelaunch_queue_jobs{state="waiting"}')
    expect(metrics).not.toContain('octo')
  })
})
