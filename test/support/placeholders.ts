/**
 * Secrets that documentation pages and tests need, put together at run time so that no file of the repository holds one.
 * `{{name}}` in a page is replaced by the value.
 */
const repeat = (alphabet: string, length: number): string => Array.from({ length }, (_, i) => alphabet[(i * 7 + 3) % alphabet.length]).join('')
const ALNUM = 'A1bC2dE3fG4hJ5kL6mN7pQ8rS9tU0vW'

const b64 = (o: object): string => Buffer.from(JSON.stringify(o)).toString('base64url')
const jwt = (payload: object): string => `${b64({ alg: 'HS256', typ: 'JWT' })}.${b64(payload)}.${repeat(ALNUM, 43)}`

export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  'stripe-live-secret': ['sk', 'live', repeat(ALNUM, 24)].join('_'),
  'stripe-test-secret': ['sk', 'test', repeat(ALNUM, 24)].join('_'),
  'stripe-live-publishable': ['pk', 'live', repeat(ALNUM, 24)].join('_'),
  'stripe-webhook-secret': ['whsec', repeat(ALNUM, 32)].join('_'),
  'service-role-jwt': jwt({ iss: 'supabase', ref: 'abcdefghijklmnopqrst', role: 'service_role', iat: 1700000000, exp: 2015576000 }),
  'anon-jwt': jwt({ iss: 'supabase', ref: 'abcdefghijklmnopqrst', role: 'anon', iat: 1700000000, exp: 2015576000 }),
  'demo-service-role-jwt': jwt({ iss: 'supabase-demo', role: 'service_role', exp: 1983812996 }),
  'supabase-secret-key': ['sb', 'secret', repeat(ALNUM, 30)].join('_'),
  'supabase-publishable-key': ['sb', 'publishable', repeat(ALNUM, 30)].join('_'),
  'openai-key': ['sk', 'proj', repeat(ALNUM, 48)].join('-'),
  'resend-key': ['re', repeat(ALNUM, 8), repeat(ALNUM, 24)].join('_'),
  'google-browser-key': ['AI', 'za', repeat(ALNUM, 35)].join(''),
  'asaas-sandbox-key': ['$aact', 'hmlg', repeat(ALNUM, 155)].join('_'),
  'posthog-key': ['phc', repeat(ALNUM, 43)].join('_'),
  'github-token': ['ghp', repeat(ALNUM, 36)].join('_'),
  'private-key': `${['-----BEGIN', 'PRIVATE KEY-----'].join(' ')}\\n${repeat(ALNUM, 64)}\\n${repeat(ALNUM, 64)}\\n${['-----END', 'PRIVATE KEY-----'].join(' ')}`,
  'random-hex': repeat('0f1e2d3c4b5a69788796a5b4c3d2e1f0', 64),
  'database-url': `postgres${'ql'}://postgres:${repeat(ALNUM, 16)}@db.abcdefghijklmnopqrst.supabase.co:5432/postgres`,
  'mode-key': ['abc', 'prod', repeat(ALNUM, 24)].join('_'),
  'mode-public-key': ['abc', 'public', 'prod', repeat(ALNUM, 24)].join('_'),
  'short-database-url': `mongodb${'+srv'}://lena:421@cluster0.q8xqxkt.mongodb.net/?appName=Cluster0`,
  'simple-database-url': `postgres${'ql'}://postgres:winter12@db.qmzkxbvwtrplnhyecaof.supabase.co:5432/postgres`,
  'spoken-database-url': `mongodb${'+srv'}://user:yourpassword1@cluster0.q8xqxkt.mongodb.net/shop`,
  'documented-database-url': `postgres${'ql'}://maria:${repeat(ALNUM, 16)}@ep-quiet-river-123456.eu-central-1.aws.neon.tech/db`,
}

/** Replaces every `{{name}}`; an unknown name is an error of the page. */
export function fillPlaceholders(text: string): string {
  return text.replace(/\{\{([a-z0-9-]+)\}\}/g, (_, name: string) => {
    const value = PLACEHOLDERS[name]
    if (value === undefined) throw new Error(`no placeholder {{${name}}}; see test/support/placeholders.ts`)
    return value
  })
}
