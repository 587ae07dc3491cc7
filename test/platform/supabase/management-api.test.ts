import nock from 'nock'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FactsIndex } from '../../../src/facts/facts.ts'
import { hostedSettings, settingsOfProjects } from '../../../src/platform/supabase/management-api.ts'

const REF = 'abcdefghijklmnopqrst'
const API = 'https://api.supabase.com'
const PATH = `/v1/projects/${REF}/config/auth`
const TOKEN = ['sbp', 'x'.repeat(40)].join('_')

function factsOf(kinds: Record<string, Record<string, unknown>>): FactsIndex {
  return { of: (kind) => new Map(Object.entries(kinds[kind] ?? {})) as never }
}
const named = factsOf({
  'config-file': {
    'supabase/config.toml': {
      format: 'toml',
      data: { project_id: 'shop', remotes: { staging: { project_id: 'z'.repeat(20) }, production: { project_id: REF } } },
      lines: {},
    },
  },
})

beforeEach(() => nock.disableNetConnect())
afterEach(() => {
  const left = nock.pendingMocks()
  nock.cleanAll()
  nock.enableNetConnect()
  expect(left).toEqual([])
})

describe('settings of the hosted project', () => {
  test('are read for the production remote, once, with the token', async () => {
    nock(API, { reqheaders: { authorization: `Bearer ${TOKEN}` } })
      .get(PATH)
      .reply(200, {
        site_url: 'https://shop.example',
        uri_allow_list: 'https://shop.example/auth/callback, https://*-team.vercel.app/**',
        mailer_otp_exp: 3600,
        sms_otp_exp: 60,
        external_google_enabled: true,
        external_google_client_id: 'id',
        external_github_enabled: false,
        external_email_enabled: true,
        external_anonymous_users_enabled: true,
        smtp_pass: 'never read',
      })
    const read = hostedSettings({ token: TOKEN })
    const expected = {
      projectRef: REF,
      siteUrl: 'https://shop.example',
      redirectUrls: ['https://shop.example/auth/callback', 'https://*-team.vercel.app/**'],
      mailerOtpExpiry: 3600,
      smsOtpExpiry: 60,
      externalProviders: ['google'],
    }
    expect(await read(named)).toEqual(expected)
    expect(await read(named)).toEqual(expected)
  })

  test('the project is also known by the URL in an environment file', async () => {
    const facts = factsOf({
      'env-file': { '.env': { variables: [{ name: 'VITE_SUPABASE_URL', line: 1, value: `https://${REF}.supabase.co`, kind: 'plain', hash: '' }] } },
    })
    nock(API).get(PATH).reply(200, { site_url: '', uri_allow_list: null })
    expect(await hostedSettings({ token: TOKEN })(facts)).toEqual({ projectRef: REF, redirectUrls: [], externalProviders: [] })
  })

  test('a repository that names no project asks nothing', async () => {
    expect(await hostedSettings({ token: TOKEN })(factsOf({ 'config-file': { 'supabase/config.toml': { data: { project_id: 'my-shop' } } } }))).toBeUndefined()
  })

  test.each([401, 403, 404, 429, 500])('%i is the same as no token, and nothing is printed', async (status) => {
    const printed = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error'), vi.spyOn(console, 'warn'), vi.spyOn(process.stderr, 'write')]
    const facts = factsOf({ 'config-file': { 'supabase/config.toml': { data: { project_id: REF } } } })
    nock(API)
      .get(PATH)
      .reply(status, { message: `no access with ${TOKEN}` })
    expect(await hostedSettings({ token: TOKEN })(facts)).toBeUndefined()
    for (const spy of printed) {
      expect(spy.mock.calls.flat().join()).not.toContain(TOKEN)
      spy.mockRestore()
    }
  })

  test('a broken connection and an answer that is no object', async () => {
    const facts = factsOf({ 'config-file': { 'supabase/config.toml': { data: { project_id: REF } } } })
    nock(API).get(PATH).replyWithError(`failed for ${TOKEN}`)
    expect(await hostedSettings({ token: TOKEN })(facts)).toBeUndefined()
    nock(API).get(PATH).reply(200, '[]')
    expect(await hostedSettings({ token: TOKEN })(facts)).toBeUndefined()
  })

  test('projects by reference: the first that the token may read, each asked for once', async () => {
    const other = 'z'.repeat(20)
    nock(API).get(`/v1/projects/${other}/config/auth`).reply(403).get(PATH).reply(200, { site_url: 'https://shop.example', uri_allow_list: '' })
    const read = settingsOfProjects({ token: TOKEN })
    const expected = { projectRef: REF, siteUrl: 'https://shop.example', redirectUrls: [], externalProviders: [] }
    expect(await read([other, REF])).toEqual(expected)
    expect(await read([other, REF])).toEqual(expected)
    expect(await read([])).toBeUndefined()
  })
})
