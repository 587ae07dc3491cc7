import { describe, expect, test } from 'vitest'
import { findSecrets } from '../../../src/facts/secrets/detect.ts'
import { SECRET_FORMATS } from '../../../src/facts/secrets/formats.ts'
import { hashValue, identifies } from '../../../src/facts/secrets/hash.ts'
import { redact, redactInPlace } from '../../../src/facts/secrets/redact.ts'
import { PLACEHOLDERS } from '../../support/placeholders.ts'

const kinds = (text: string) => findSecrets(text).map((s) => s.kind)
const body = (alphabet: string, length: number) => Array.from({ length }, (_, i) => alphabet[(i * 11 + i * i * 3 + 5) % alphabet.length]).join('')
const ALNUM = 'q7W2eR9tY4uI1oP8aS3dF6gH5jK0lZxCvBnM'
const HEX = '0f4b8a1c7d2e9356'

describe('formats', () => {
  const samples: readonly [string, string][] = [
    ['stripe-live-secret', `sk_${'live'}_${body(ALNUM, 24)}`],
    ['stripe-live-secret', `rk_${'live'}_51${body(ALNUM, 97)}`],
    ['stripe-test-secret', `sk_${'test'}_${body(ALNUM, 24)}`],
    ['supabase-access-token', `sbp_${body(HEX, 40)}`],
    ['github-token', `ghp_${body(ALNUM, 36)}`],
    ['github-token', `github_${'pat'}_${body(ALNUM, 82)}`],
    ['gitlab-token', `glpat-${body(ALNUM, 20)}`],
    ['openai-api-key', `sk-proj-${body(ALNUM, 120)}`],
    ['anthropic-api-key', `sk-ant-api03-${body(ALNUM, 93)}AA`],
    ['resend-api-key', `re_${body(ALNUM, 8)}_${body(ALNUM, 24)}`],
    ['sendgrid-api-key', `SG.${body(ALNUM, 22)}.${body(ALNUM, 43)}`],
    ['slack-token', `xoxb-${body('0918273645', 12)}-${body('0918273645', 12)}-${body(ALNUM, 24)}`],
    ['discord-webhook', `https://discord.com/api/webhooks/${body('918273645', 18)}/${body(ALNUM, 68)}`],
    ['telegram-bot-token', `${body('918273645', 9)}:AA${body(ALNUM, 33)}`],
    ['npm-token', `npm_${body(ALNUM, 36)}`],
    ['google-oauth-secret', `GOCSPX-${body(ALNUM, 28)}`],
    ['webhook-secret', `whsec_${body(ALNUM, 32)}`],
    ['digitalocean-token', `dop_v1_${body(HEX, 64)}`],
  ]
  test.each(samples)('%s is found in code, JSON, env files and Markdown, with its exact span', (kind, value) => {
    for (const text of [`const k = '${value}'`, `{"k": "${value}"}`, `K=${value}\n`, `use \`${value}\` here`, `"a\\n${value}"`]) {
      const spans = findSecrets(text)
      expect(spans.map((s) => s.kind)).toEqual([kind])
      expect(text.slice(spans[0]?.start, spans[0]?.end)).toBe(value)
      expect(spans[0]?.redacted.length).toBeLessThan(40)
      expect(value.startsWith(spans[0]?.redacted.slice(0, -1) as string)).toBe(true)
    }
  })

  test.each(samples)('%s does not begin inside a word', (_, value) => {
    if (!/^[a-zA-Z]/.test(value) || value.startsWith('https')) return
    expect(kinds(`const k = 'x${value}'`).filter((k) => k !== 'generic-secret')).toEqual([])
  })

  test('every format has an anchor that begins its pattern', () => {
    for (const f of SECRET_FORMATS) for (const a of f.anchors) expect(f.pattern.source.length, f.kind).toBeGreaterThan(a.length)
  })

  test('a service-role token is told by its payload, the demo key by its issuer, the anon key is none', () => {
    expect(findSecrets(PLACEHOLDERS['service-role-jwt'] as string)[0]).toMatchObject({
      kind: 'supabase-service-role-jwt',
      live: 'live',
      claims: { role: 'service_role', ref: 'abcdefghijklmnopqrst' },
    })
    expect(findSecrets(PLACEHOLDERS['demo-service-role-jwt'] as string)[0]).toMatchObject({ live: 'local-demo' })
    expect(findSecrets(PLACEHOLDERS['anon-jwt'] as string)).toEqual([])
  })

  test('the session that a browser test saved, when the account is at a hosted project', () => {
    const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')
    const cookie = (iss: string) => {
      const access = `${part({ alg: 'HS256' })}.${part({ iss, role: 'authenticated', sub: body(HEX, 32) })}.${body(ALNUM, 43)}`
      return `base64-${part({ access_token: access, token_type: 'bearer', refresh_token: body(ALNUM, 12), user: { id: body(HEX, 32) } })}`
    }
    expect(kinds(`{ "name": "sb-x-auth-token", "value": "${cookie('https://abcdefghijklmnop.supabase.co/auth/v1')}" }`)).toEqual(['supabase-session'])
    expect(kinds(`{ "name": "sb-x-auth-token", "value": "${cookie('http://127.0.0.1:54321/auth/v1')}" }`)).toEqual([])
    expect(kinds('base64-eyJhY2Nlc3NfdG9rZW4i'.padEnd(400, 'A'))).toEqual([])
  })

  test('the token of a link that storage signed opens one object, and is no secret; the same token anywhere else is one', () => {
    const part = (data: object) => Buffer.from(JSON.stringify(data)).toString('base64url')
    const token = `${part({ kid: 'storage-url-signing-key_1', alg: 'HS256' })}.${part({ url: 'brand/mark.png', iat: 1764340090, exp: 1795876090 })}.${body(ALNUM, 43)}`
    expect(kinds(`logo: 'https://${'project'}.supabase.co/storage/v1/object/sign/brand/mark.png?token=${token}'`)).toEqual([])
    expect(kinds(`logo: 'https://${'project'}.supabase.co/storage/v1/render/image/sign/brand/mark.png?width=80&token=${token}'`)).toEqual([])
    expect(kinds(`const accessToken = '${token}'`)).toEqual(['jwt'])
  })

  test('a private key over several lines and in JSON', () => {
    const lines = `${['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ')}\n${body(ALNUM, 64)}\n${body(ALNUM, 64)}\n${['-----END', 'RSA PRIVATE KEY-----'].join(' ')}`
    expect(kinds(`key: |\n${lines}`)).toEqual(['private-key'])
    expect(kinds(`{"type": "service_account", "private_key": "${lines.replace(/\n/g, '\\n').replace('RSA ', '')}"}`)).toEqual(['gcp-service-account'])
  })

  test('a Google key is a secret for generative models only', () => {
    const key = `AIza${body(ALNUM, 35)}`
    expect(kinds(`const firebase = { apiKey: '${key}' }`)).toEqual([])
    expect(kinds(`GEMINI_API_KEY=${key}`)).toEqual(['google-api-key'])
  })

  test('connection strings: a remote host with a real password', () => {
    const password = body(ALNUM, 16)
    expect(kinds(`postgres://app:${password}@db.shop.dev:5432/app`)).toEqual(['database-url'])
    expect(findSecrets(`mongodb+srv://app:${password}@c0.mongodb.net/x`)[0]?.redacted).toBe('mongodb+srv://…@c0.mongodb.net')
    for (const none of [
      'postgres://postgres:postgres@localhost:5432/x',
      'postgres://user:password@db.shop.dev/x',
      'postgresql://postgres:[YOUR-PASSWORD]@db.x.supabase.co/x',
      `postgres://u:\${PASSWORD}@db.shop.dev/x`,
      `redis://:${password}@redis:6379`,
      `postgres://app:${password}@example.com/x`,
      `postgresql://maria:${password}@ep-quiet-river-123456-pooler.eu-central-1.aws.neon.tech/x`,
      `postgresql://maria:${password}@ep-quiet-river-a1b2c3d4.eu-central-1.aws.neon.tech/x`,
    ])
      expect(kinds(none), none).toEqual([])
  })
})

describe('names', () => {
  const random = body(ALNUM, 32)
  test.each([
    `JWT_SECRET=${random}`,
    `export const apiKey = '${random}'`,
    `{ "client_secret": "${random}" }`,
    `ENV SESSION_SECRET=${random}`,
    `const encryptionKey: string = "${random}"`,
    `headers.set('x-api-key', '${random}')`,
    `jsonb_build_object('Content-Type', 'application/json', 'x-cron-secret',\n  '${random}')`,
  ])('%s', (text) => {
    expect(kinds(text)).toEqual(['generic-secret'])
  })

  test.each(['JWT_SECRET=keyboardcat', 'ADMIN_PASSWORD=1234', "const SESSION_SECRET = 'keyboardcat'"])('a weak secret: %s', (text) => {
    expect(kinds(text)).toEqual(['default-secret'])
  })

  test.each([
    'JWT_SECRET=changeme',
    'JWT_SECRET=your-secret',
    'SESSION_SECRET=development',
    'CRON_SECRET=$CRON_SECRET',
    'ADMIN_PASSWORD=password',
    'ADMIN_PASSWORD=',
    "headers.set('x-api-key', 'your-api-key-here-123')",
    "labels.set('password', 'Abcdef12')",
    `pick(token, '${random}')`,
    `cookies.set('session_id', '${random}')`,
  ])('what stands where a secret would go: %s', (text) => {
    expect(kinds(text)).toEqual([])
  })

  test('an id of 24 hexadecimal digits behind a prefix is no secret, whatever its name', () => {
    expect(kinds(`secureSecrets: 'tsk_ab_${'68407ae5274a64092c305104'}'`)).toEqual([])
  })

  test.each(["password: 'Winter26!x'", "if (password === 'sommer') open()", 'ADMIN_PASSWORD=Winter26!x'])('password: %s', (text) => {
    expect(kinds(text)).toEqual(['password'])
  })

  test('a word in place of a missing secret', () => {
    expect(kinds("const s = process.env.CRON_SECRET || 'morgenrot'")).toEqual(['default-secret'])
    expect(kinds("const s = process.env.CRON_LABEL || 'morgenrot'")).toEqual([])
  })

  test.each([
    "password: 'password'",
    "password: 'Password123'",
    "{ password: 'Contraseña' }",
    "forgotPassword: '/forgot-password'",
    "typeof mustChangePassword === 'boolean'",
    "token: 'reset-token-field'",
    "const TOKEN_HEADER = 'x-csrf-token-2'",
    "const WEBSITE_TOKEN = 'k3Jd9sLq2WzX8vBn5TrYp7Qm'",
    'NEXTAUTH_SECRET=your-secret-here-32-characters',
    'NEXTAUTH_SECRET=<openssl rand -base64 32>',
    'API_KEY=op://vault/item/key-1234567890',
    'API_KEY=${API_KEY_FROM_VAULT_1234}',
    'API_KEY=tu_clave_api_1234567890abc',
    'API_KEY=ihr-schluessel-hier-1234567',
    'API_KEY=votre_cle_api_ici_1234567',
    'STRIPE_SECRET_KEY=sk_test_tu_clave_secreta_aqui',
    'STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxxxxxxxxxxxxxx',
    'STRIPE_WEBHOOK_SECRET=whsec_your_webhook_signing_secret_here',
    'OPENAI_API_KEY=sk-proj-your-openai-api-key-goes-here-0123456',
    'RESEND_API_KEY=re_123456789_abcdefghijklmnopqrstuvwx',
    'GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    "placeholder='ghp_xxxxxxxxxxxxxxxxxxxx'",
    'const tokenAddress = "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"',
    'integrity: "sha512-9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d"',
    'passwordHash: "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"',
    'maxTokens: 4096',
    'sk-circle-fading-animation',
  ])('none: %s', (text) => {
    expect(findSecrets(text)).toEqual([])
  })

  test('publishable keys are none', () => {
    for (const name of ['stripe-live-publishable', 'supabase-publishable-key', 'posthog-key', 'google-browser-key'])
      expect(findSecrets(`const apiKey = '${PLACEHOLDERS[name]}'`), name).toEqual([])
  })
})

describe('bounds', () => {
  test.each([
    ['anchors', 'eyJ'.repeat(300_000)],
    ['names', 'password='.repeat(100_000)],
    ['underscores', 'secret_'.repeat(140_000)],
    ['urls', 'postgres://a:b'.repeat(70_000)],
    ['pem', '-----BEGIN PRIVATE KEY-----\n'.repeat(30_000)],
    ['quotes', `token = "${'a'.repeat(1_000_000)}`],
    ['jwt', `eyJ${'a'.repeat(400)}.ey`.repeat(2_000)],
  ])('1 MB of %s takes no longer than seconds', (_, text) => {
    const from = performance.now()
    findSecrets(text)
    expect(performance.now() - from).toBeLessThan(5_000)
  })
})

describe('redaction', () => {
  const key = PLACEHOLDERS['stripe-live-secret'] as string
  test('keeps the prefix and nothing else', () => {
    expect(redact(`a '${key}' b`)).toBe("a 'sk_live_…' b")
  })
  test('in place keeps length and lines', () => {
    const text = `x\nconst k = '${key}'\ny`
    const clean = redactInPlace(text)
    expect(clean).toHaveLength(text.length)
    expect(clean.split('\n')).toHaveLength(3)
    expect(clean).not.toContain(key.slice(10))
  })
  test('values that could be guessed keep too little of their hash to confirm a guess', () => {
    expect(identifies(hashValue('Winter26!'))).toBe(false)
    expect(hashValue('Winter26!')).toHaveLength(3)
    expect(identifies(hashValue(key))).toBe(true)
  })
})
