import { describe, expect, test } from 'vitest'
import { CONFIG_PATH, DEFAULT_CONFIG } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

const FULL = `fail_on: high
comment: findings
publish: all
paths: { ignore: ["legacy/**"] }
public:
  tables: [{ name: plans, reason: price list }]
  routes:
    - name: GET /api/status
      reason: status page
production: { domains: ["example.com"] }
attest:
  - { check: auth/otp-expiry, statement: "3600 s in the dashboard", by: "@owner", date: 2026-11-20, expires: 2027-05-20 }
suppress:
  - check: api/auth
    subject: route GET /api/og
    reason: public image
`

describe('parseConfig', () => {
  test('reads every key, with the line of each entry', () => {
    expect(parseConfig(FULL)).toEqual({
      problems: [],
      config: {
        failOn: 'high',
        comment: 'findings',
        publish: 'all',
        paths: { ignore: ['legacy/**'] },
        public: {
          tables: [{ name: 'plans', reason: 'price list', line: 6 }],
          routes: [{ name: 'GET /api/status', reason: 'status page', line: 8 }],
          buckets: [],
        },
        production: { domains: ['example.com'] },
        attest: [{ check: 'auth/otp-expiry', statement: '3600 s in the dashboard', by: '@owner', date: '2026-11-20', expires: '2027-05-20', line: 12 }],
        suppress: [{ check: 'api/auth', subject: 'route GET /api/og', reason: 'public image', line: 14 }],
      },
    })
  })

  test.each([
    ['', []],
    ['# only a comment\n', []],
    ['fail_on: loud\n', [{ line: 1, message: 'fail_on is one of critical, high, medium, never; the default applies' }]],
    [
      '\nfailon: high\n',
      [{ line: 2, message: 'unknown key "failon" in the configuration; known are fail_on, comment, publish, paths, public, production, attest, suppress' }],
    ],
    ['suppress:\n  - check: api/auth\n    subject: x\n', [{ line: 2, message: 'an entry of suppress needs reason; it is left out' }]],
    [
      'suppress:\n  - { check: a/b, subject: x, reason: y, expires: soon }\n',
      [{ line: 2, message: 'expires is not a date (YYYY-MM-DD); the entry is left out' }],
    ],
    ['paths: [a]\n', [{ line: 1, message: 'paths is not a mapping; it is left out' }]],
    ['paths: { ignore: 3 }\n', [{ line: 1, message: 'paths.ignore is not a list; it is left out' }]],
    ['- a\n', [{ line: 1, message: 'the configuration is not a mapping; it is left out' }]],
  ])('%j gives the defaults and says what is wrong', (text, problems) => {
    expect(parseConfig(text)).toEqual({ config: DEFAULT_CONFIG, problems: problems.map((p) => ({ path: CONFIG_PATH, ...p })) })
  })

  test('broken YAML, alias bombs and huge files give one problem and the defaults', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((k, i) => `${k}: &${k} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
      .join('\n')}\n`
    expect(parseConfig('fail_on: [high\n').config).toEqual(DEFAULT_CONFIG)
    expect(parseConfig('fail_on: [high\n').problems[0]?.message).toMatch(/^is not valid YAML: .*; the defaults apply$/)
    expect(parseConfig(bomb).config).toEqual(DEFAULT_CONFIG)
    expect(parseConfig(bomb).problems.length).toBeGreaterThan(0)
    expect(parseConfig(`# ${'x'.repeat(300_000)}`).problems).toEqual([{ path: CONFIG_PATH, line: 1, message: 'is larger than 256 KiB; the defaults apply' }])
  })
})
