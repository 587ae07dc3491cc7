import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import nock from 'nock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { githubAdvisories, memoryAdvisoryCache } from '../../../src/platform/github/advisories.ts'

const API = 'https://api.github.com'
const advisory = (id: string, name: string, range: string, more: object = {}) => ({
  ghsa_id: id,
  summary: `Flaw in ${name}`,
  severity: 'high',
  html_url: `https://github.com/advisories/${id}`,
  withdrawn_at: null,
  vulnerabilities: [{ package: { ecosystem: 'npm', name }, vulnerable_version_range: range, first_patched_version: '2.0.0' }],
  ...more,
})
const A = advisory('GHSA-aaaa-aaaa-aaaa', 'a', '< 2.0.0')
const B = advisory('GHSA-bbbb-bbbb-bbbb', '@s/b', '>= 1.0.0, < 2.0.0')

beforeEach(() => nock.disableNetConnect())
afterEach(() => {
  const left = nock.pendingMocks()
  nock.cleanAll()
  nock.enableNetConnect()
  expect(left).toEqual([])
})

describe('the advisory database of GitHub', () => {
  test('asks in one batch, follows pages, sends the token, translates severities', async () => {
    const requests: string[] = []
    nock(API, { reqheaders: { authorization: 'Bearer t0', 'x-github-api-version': '2022-11-28' } })
      .get('/advisories')
      .query({ ecosystem: 'npm', per_page: '100', affects: '@s/b@1.5.0,a@1.0.0' })
      .reply(200, [A], { link: `<${API}/advisories?after=x>; rel="next"` })
      .get('/advisories')
      .query({ after: 'x' })
      .reply(200, [
        { ...B, severity: 'medium' },
        advisory('GHSA-wwww-wwww-wwww', 'a', '< 9', { withdrawn_at: '2026-01-01' }),
        {
          ...A,
          ghsa_id: 'GHSA-pppp-pppp-pppp',
          vulnerabilities: [{ package: { ecosystem: 'pip', name: 'a' }, vulnerable_version_range: '< 9', first_patched_version: null }],
        },
      ])
    const data = await githubAdvisories({ token: async () => 't0', onRequest: (u) => requests.push(u) })(['a@1.0.0', '@s/b@1.5.0', 'a@1.0.0'])
    expect(data).toEqual({
      source: 'github',
      advisories: [
        {
          id: 'GHSA-aaaa-aaaa-aaaa',
          package: 'a',
          severity: 'high',
          summary: 'Flaw in a',
          vulnerable: '< 2.0.0',
          fixedIn: '2.0.0',
          url: 'https://github.com/advisories/GHSA-aaaa-aaaa-aaaa',
        },
        {
          id: 'GHSA-bbbb-bbbb-bbbb',
          package: '@s/b',
          severity: 'moderate',
          summary: 'Flaw in @s/b',
          vulnerable: '>= 1.0.0, < 2.0.0',
          fixedIn: '2.0.0',
          url: 'https://github.com/advisories/GHSA-bbbb-bbbb-bbbb',
        },
      ],
    })
    expect(requests).toHaveLength(2)
  })

  test('1,500 packages take two requests; a refused length is halved', async () => {
    const sizes: number[] = []
    nock(API)
      .get('/advisories')
      .query(true)
      .times(4)
      .reply((request: Request) => {
        const size = (new URL(request.url).searchParams.get('affects') ?? '').split(',').length
        sizes.push(size)
        return size > 750 ? [414, ''] : [200, []]
      })
    const packages = Array.from({ length: 1500 }, (_, i) => `p${i}@1.0.0`)
    expect(await githubAdvisories()(packages)).toEqual({ source: 'github', advisories: [] })
    expect(sizes).toEqual([1000, 500, 500, 500])
  })

  test('fresh answers are not asked again; stale ones are revalidated by ETag', async () => {
    const cache = memoryAdvisoryCache()
    let now = 1_000_000
    const look = githubAdvisories({ cache, now: () => now })
    nock(API).get('/advisories').query(true).reply(200, [A], { etag: '"one"' })
    const first = await look(['a@1.0.0'])
    expect(await look(['a@1.0.0'])).toEqual(first)
    now += 7 * 60 * 60 * 1000
    nock(API).get('/advisories').query(true).matchHeader('if-none-match', '"one"').reply(304)
    expect(await look(['a@1.0.0'])).toEqual(first)
    // A new package is asked for alone.
    nock(API)
      .get('/advisories')
      .query((q) => q.affects === '@s/b@1.5.0')
      .reply(200, [B])
    expect((await look(['a@1.0.0', '@s/b@1.5.0'])).advisories.map((a) => a.package)).toEqual(['a', '@s/b'])
  })

  test.each([
    ['rate limit', () => nock(API).get('/advisories').query(true).reply(403, {}), 'GitHub refused: its rate limit for this address or token is used up'],
    ['fault', () => nock(API).get('/advisories').query(true).reply(502, 'x'), 'GitHub answered 502'],
    ['a broken connection', () => nock(API).get('/advisories').query(true).replyWithError('boom'), 'GitHub is out of reach'],
    ['no list', () => nock(API).get('/advisories').query(true).reply(200, { message: 'x' }), 'GitHub answered something that is no list of advisories'],
    [
      'a next page elsewhere',
      () => nock(API).get('/advisories').query(true).reply(200, [], { link: '<https://example.org/x>; rel="next"' }),
      'GitHub named a next page on another server',
    ],
  ])('%s gives no source at all', async (_, arrange, because) => {
    arrange()
    expect(await githubAdvisories({ timeoutMs: 100, token: async () => 'secret-token' })(['a@1.0.0'])).toEqual({ source: 'none', because, advisories: [] })
  })

  test('a server that stays silent gives no source at all', async () => {
    const server = createServer(() => {})
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    nock.enableNetConnect('127.0.0.1')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await githubAdvisories({ baseUrl, timeoutMs: 100 })(['a@1.0.0'])).toEqual({
      source: 'none',
      because: 'GitHub did not answer in time',
      advisories: [],
    })
    server.closeAllConnections()
    server.close()
  })

  test('a fault on the second page discards the first', async () => {
    nock(API)
      .get('/advisories')
      .query((q) => q.after === undefined)
      .reply(200, [A], { link: `<${API}/advisories?after=x>; rel="next"` })
    nock(API).get('/advisories').query({ after: 'x' }).reply(500)
    expect((await githubAdvisories()(['a@1.0.0'])).source).toBe('none')
  })
})
