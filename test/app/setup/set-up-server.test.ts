import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/app/settings.ts'
import { isPrivateAddress, readAddress } from '../../../src/app/setup/address.ts'
import { credentialsPath, requireKeepable, withStoredCredentials, writeCredentials } from '../../../src/app/setup/credentials-file.ts'
import { type SetUpOptions, type SetUpServer, startSetUpServer } from '../../../src/app/setup/set-up-server.ts'
import { settingsOrSetUp } from '../../../src/app/setup/settings-or-set-up.ts'
import { GitHubServer } from '../../support/github/server.ts'
import { MANIFEST } from '../../support/github/start-app.ts'
import { SetUpBrowser } from '../../support/set-up-browser.ts'

const log = pino({ level: 'silent' })
let github: GitHubServer
let dataDir: string
let server: SetUpServer
let base: string
let browser: SetUpBrowser

beforeAll(async () => {
  github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
})
afterAll(() => github.stop())
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'prelaunch-set-up-'))
})
afterEach(async () => {
  await server?.close()
  github.faults.length = 0
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(changes: Partial<SetUpOptions> = {}): Promise<void> {
  server = await startSetUpServer({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    webhookPath: '/api/github/webhooks',
    webUrl: github.url,
    apiUrl: github.url,
    sameNetwork: true,
    log,
    ...changes,
  })
  base = new URL(server.url).origin
  browser = new SetUpBrowser(base, github)
}
const secretPath = () => server.url.slice(base.length)

describe('who may set the App up', () => {
  test.each([
    ['/setup', 403],
    ['/setup?secret=', 403],
    [`/setup?secret=${'0'.repeat(64)}`, 403],
    ['/setup?secret=ü', 403],
    ['/setup/registered?code=abc&state=abc', 403],
    ['/', 404],
    ['/probot', 404],
    ['/probot/setup?code=abc', 404],
    ['/api/github/webhooks', 404],
    ['/..%2f..%2fetc/passwd', 404],
    ['/healthz', 200],
    ['/readyz', 503],
  ])('without the secret %s answers %i', async (path, status) => {
    await start()
    const response = await browser.get(path)
    expect([response.status, readdirSync(dataDir)]).toEqual([status, []])
    expect(await response.text()).not.toContain('manifest')
  })

  test('the secret is new at each start, and leaves the address bar for a cookie that scripts cannot read', async () => {
    await start()
    const first = secretPath()
    const response = await fetch(server.url, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/setup'])
    expect(response.headers.get('set-cookie')).toMatch(/^prelaunch_setup=[0-9a-f]{64}; HttpOnly; SameSite=Lax; Path=\/setup$/)
    await server.close()
    await start()
    expect(secretPath()).not.toBe(first)
    expect((await browser.get(first)).status).toBe(403)
  })

  test('a page of another site can neither choose an address nor read the page', async () => {
    await start()
    await browser.open(secretPath())
    for (const origin of ['https://evil.test', 'null', `${base}.evil.test`]) {
      expect((await browser.post('/setup', { address: 'https://evil.test' }, { origin })).status).toBe(403)
      expect((await browser.get('/setup', { origin })).status).toBe(403)
    }
    expect((await browser.form()).manifest).not.toContain('evil')
  })

  test.each(['<script>alert(1)</script>', 'evil.test/path', 'a b', '"onload=x'])('a host of %j is refused', async (host) => {
    await start()
    const status = await new Promise((resolve, reject) => {
      request(`${base}/setup`, { headers: { 'x-forwarded-host': host } }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(400)
  })
})

describe('the page', () => {
  test('runs nothing, is kept nowhere, and leads to GitHub with what app.yml asks for', async () => {
    await start()
    await browser.open(secretPath())
    const response = await browser.get('/setup')
    const page = await response.text()
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:\d+; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(page).not.toMatch(/<script|\son\w+=|probot/i)
    const { action, manifest } = await browser.form()
    expect([action.origin, action.pathname]).toEqual([github.url, '/settings/apps/new'])
    expect(JSON.parse(manifest)).toEqual({
      ...MANIFEST,
      hook_attributes: { url: `${base}/api/github/webhooks`, active: true },
      redirect_url: `${base}/setup/registered`,
    })
  })

  test('explains that GitHub needs a public address, and takes one', async () => {
    await start({ sameNetwork: false })
    const page = await browser.open(secretPath())
    expect(page).toContain('GitHub cannot reach')
    expect(page).toContain('WEBHOOK_PROXY_URL')
    await expect(browser.form()).rejects.toThrow('there is no form for GitHub')
    expect(await (await browser.post('/setup', { address: 'ftp://x', organization: '' })).text()).toContain('The address was not used.')
    expect(await (await browser.post('/setup', { address: 'https://audit.shop.com/', organization: 'a/../b' })).text()).toContain(
      'The organization was not used.',
    )
    await browser.post('/setup', { address: 'https://audit.shop.com/', organization: 'acme' })
    const { action, manifest } = await browser.form()
    expect(action.pathname).toBe('/organizations/acme/settings/apps/new')
    expect(JSON.parse(manifest)).toMatchObject({
      hook_attributes: { url: 'https://audit.shop.com/api/github/webhooks' },
      redirect_url: `${base}/setup/registered`,
    })
  })

  test('sends events to a proxy when it is told to, and says how they come here', async () => {
    await start({ sameNetwork: false, proxy: 'https://smee.io/abc' })
    await browser.open(secretPath())
    expect(JSON.parse((await browser.form()).manifest)).toMatchObject({ hook_attributes: { url: 'https://smee.io/abc' } })
    expect(await browser.register()).toContain(`npx smee-client --url https://smee.io/abc --target ${base}/api/github/webhooks`)
  })

  test('takes no form that is larger than its own', async () => {
    await start()
    await browser.open(secretPath())
    expect((await browser.post('/setup', { address: 'x'.repeat(20_000) })).status).toBe(413)
  })
})

describe('the registration', () => {
  test('stores the credentials for this user alone, says what is left to do, and ends', async () => {
    await start()
    await browser.open(secretPath())
    const page = await browser.register()
    await server.done
    expect(page).toContain(`${github.url}/apps/prelaunch/installations/new`)
    expect(page).toContain('What is left to do')
    expect(page).not.toContain(github.webhookSecret)
    const path = credentialsPath(dataDir)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await expect(fetch(`${base}/healthz`)).rejects.toThrow()
    const env = withStoredCredentials({ DATA_DIR: dataDir })
    expect(readSettings(env).credentials).toEqual({
      appId: github.appId,
      privateKey: github.privateKey,
      webhookSecret: github.webhookSecret,
      baseUrl: 'https://api.github.com',
    })
  })

  test('believes an answer once, and only to a page of the same session', async () => {
    await start()
    await browser.open(secretPath())
    const { action, manifest } = await browser.form()
    const state = action.searchParams.get('state') as string
    expect((await browser.get(browser.answerOf(manifest, '0'.repeat(64)))).status).toBe(403)
    const other = new SetUpBrowser(base, github)
    await other.open(secretPath())
    expect((await other.get(other.answerOf(manifest, state))).status).toBe(403)
    expect((await browser.get(`/setup/registered?code=../../x&state=${state}`)).status).toBe(400)
    expect((await browser.get(browser.answerOf(manifest, state))).status).toBe(403)
    expect(readdirSync(dataDir)).toEqual([])
    expect(await browser.register()).toContain('The App is registered')
  })

  test.each([
    ['a code that is not known', { status: 404 }, 'status 404'],
    ['an error', { status: 500 }, 'status 500'],
    ['a lost connection', { hangUp: true }, 'could not be reached'],
    ['an answer without a key', { status: 201, body: { id: 1, pem: 'x', webhook_secret: 'y' } }, 'does not hold an id, a private key'],
    ['an answer that is no object', { status: 201, body: [] }, 'does not hold an id, a private key'],
  ])('that ends with %s stores nothing, and can be tried again', async (_name, fault, sentence) => {
    await start()
    await browser.open(secretPath())
    github.faults.push({ match: (r) => r.path.startsWith('/app-manifests/'), times: 1, ...fault })
    expect(await browser.register()).toContain(sentence)
    expect(readdirSync(dataDir)).toEqual([])
    expect(await browser.register()).toContain('The App is registered')
  })

  test('never overwrites a key', async () => {
    await start()
    await browser.open(secretPath())
    writeFileSync(credentialsPath(dataDir), 'APP_ID=1\n')
    const asked = github.requests.length
    expect(await browser.register()).toContain('holds credentials already and was not overwritten')
    expect(github.requests.length).toBe(asked)
    expect(readFileSync(credentialsPath(dataDir), 'utf8')).toBe('APP_ID=1\n')
    expect(() => writeCredentials(dataDir, { appId: 2, privateKey: 'x', webhookSecret: 'y' })).toThrow(/EEXIST/)
  })
})

describe('the file of the credentials', () => {
  const credentials = () => ({ appId: 7, privateKey: github.privateKey, webhookSecret: 'abc123' })

  test('is read back as Docker reads an env file, and by a shell', () => {
    const path = writeCredentials(dataDir, credentials())
    // docker/cli, opts/file.go: blank lines and comments are skipped, everything after the first = is the value as it stands.
    const asDocker = Object.fromEntries(
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    expect(readSettings(asDocker).credentials).toMatchObject({ appId: 7, privateKey: github.privateKey, webhookSecret: 'abc123' })
    const asShell = execFileSync('sh', ['-c', `set -a; . "${path}"; printf %s "$PRIVATE_KEY"`], { encoding: 'utf8' })
    expect(Buffer.from(asShell, 'base64').toString()).toBe(github.privateKey)
  })

  test('gives way to an environment that names an App', () => {
    writeCredentials(dataDir, credentials())
    for (const env of [{ APP_ID: '9' }, { PRIVATE_KEY: 'x' }, { PRIVATE_KEY_PATH: '/x' }]) {
      const all = { ...env, DATA_DIR: dataDir }
      expect(withStoredCredentials(all)).toBe(all)
    }
  })

  test.each(['', 'APP_ID=7\n', 'APP_ID=7\nWEBHOOK_SECRET=x\n', '\u0000\u0000'])(
    'that is damaged (%j) stops the start with a sentence instead of a new set-up',
    async (text) => {
      writeFileSync(credentialsPath(dataDir), text)
      await expect(settingsOrSetUp({ DATA_DIR: dataDir }, log)).rejects.toThrow('does not hold APP_ID, PRIVATE_KEY and WEBHOOK_SECRET. Put them back')
    },
  )

  test('a secret that an env file cannot carry is refused before anything is written', () => {
    expect(() => writeCredentials(dataDir, { ...credentials(), webhookSecret: 'a b#c' })).toThrow('cannot carry')
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('half of the credentials in the environment is an error, no set-up', async () => {
    await expect(settingsOrSetUp({ PRIVATE_KEY: github.privateKey, DATA_DIR: dataDir }, log)).rejects.toThrow('APP_ID is missing')
  })

  test('a data folder that cannot be made is told before the registration', () => {
    writeFileSync(join(dataDir, 'file'), '')
    expect(() => requireKeepable(join(dataDir, 'file', 'data'))).toThrow("could not keep the App's key")
  })
})

test.each([
  ['http://localhost:3000', true],
  ['http://127.0.0.1', true],
  ['http://[::1]:3000', true],
  ['http://10.1.2.3', true],
  ['http://172.20.0.2:3000', true],
  ['http://100.64.0.1', true],
  ['http://prelaunch', true],
  ['http://box.local', true],
  ['https://audit.shop.com', false],
  ['https://172.15.0.1', false],
  ['https://8.8.8.8', false],
])('%s is out of GitHub’s reach: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected)
})

test.each([
  ['https://a.com/', 'https://a.com'],
  ['https://a.com/prefix/', 'https://a.com/prefix'],
  ['https://user:pass@a.com', undefined],
  ['https://a.com/?x=1', undefined],
  ['javascript:alert(1)', undefined],
  ['a.com', undefined],
])('the address %s is read as %s', (text, expected) => {
  expect(readAddress(text)).toBe(expected)
})
